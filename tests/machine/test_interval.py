"""Intervals: what a machine's sources leave open, run in every other way."""

from __future__ import annotations

import pytest

from retrosim.machine import open_machine
from retrosim.machine.interval import alternatives, combined, intervals
from tests.helpers.machine.flat import FLAT_MACHINES

CALL = ("Distance2D", 3, 4, 0, 0)


def opened(name: str, **options):
    return open_machine(name, "objects", engine="evaluate", **options)


def test_deviations_are_combined_by_the_root_of_their_squares() -> None:
    found = combined(100, {"a": [103, 101], "b": [104], "c": [94, 106], "d": [100]})
    assert found.high == pytest.approx(100 + (3**2 + 4**2 + 6**2) ** 0.5)
    assert found.low == pytest.approx(94)
    assert combined(7, {}).around(70) == (70, 70)
    assert found.around(1000) == (940, 1079)


@pytest.mark.first_case
@pytest.mark.parametrize("name", FLAT_MACHINES)
def test_every_preset_has_an_interval(name: str) -> None:
    machine = opened(name)
    state, registers, memory = machine.hash("machine"), dict(machine.regs), dict(machine.memory_clocks)
    (found,) = intervals(machine, lambda each: [each.measure(*CALL).cycles])
    assert (machine.hash("machine"), dict(machine.regs), dict(machine.memory_clocks)) == (state, registers, memory)
    measured = machine.measure(*CALL, interval=True)
    assert (measured.low, measured.high) == found.around(measured.cycles)
    assert measured.low <= measured.cycles <= measured.high


def test_each_alternative_is_what_a_machine_with_it_takes() -> None:
    """The interval from machines that are opened with each alternative, one at a time."""
    machine = opened("i386dx-33")
    figure = machine.measure(*CALL).cycles
    others: dict[str, list[float]] = {}
    for each in alternatives(machine):
        given = {each.name: each.option}
        options = {"readings": given} if each.is_reading else {"memory_clocks": given}
        options = given if each.name == "service_clocks" else options
        others.setdefault(each.name, []).append(opened("i386dx-33", **options).measure(*CALL).cycles)
    assert {"code", "read", "write"} <= others.keys()
    measured = machine.measure(*CALL, interval=True)
    assert (measured.low, measured.high) == combined(figure, others).around(figure)


def test_what_was_given_is_certain() -> None:
    """Also the default."""
    free = opened("i386dx-33")
    reading = free.core.cpu.readings[0]
    for options, names in [
        ({"memory_clocks": {"write": 2}}, {"write"}),
        ({"memory_clocks": {"write": free.memory_clocks["write"]}}, {"write"}),
        ({"service_clocks": free.service_clocks}, {"service_clocks"}),
        ({"readings": {reading.name: reading.options[0]}}, {reading.name}),
    ]:
        given = opened("i386dx-33", **options)
        assert {each.name for each in alternatives(free)} - {each.name for each in alternatives(given)} == names


def test_a_range_that_does_not_go_with_what_was_given_is_left_out() -> None:
    """A line of eleven clocks has its first word before the eleventh; a line of ten would not."""
    machine = opened("mc68040-25", memory_clocks={"first_read": 11})
    assert ("line_read", 10) not in [(each.name, each.option) for each in alternatives(machine)]


def test_without_clocks_there_is_none() -> None:
    with pytest.raises(ValueError, match="timing 'off': counts no clocks"):
        opened("mc68040-25", timing="off").measure(*CALL, interval=True)
