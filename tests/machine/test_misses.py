"""What misses cost on machines with caches, by their own memory clocks: of clean lines, of dirty ones, of devices."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrosim.bounds.search import RandomCall, fill_caches
from retrosim.machine import Machine
from tests.helpers.bounds.programs import opened_all

RAM, VIDEO = 0x200000, 0x800000
TWO_LINES = 0x100


def clocks(machine: Machine, routine: int, caches: str, **registers: int) -> int:
    """Return the clocks of a call that finds the caches "empty", or "dirty": full of lines to be written out."""
    core = machine.core
    before = core.state.copy()
    fill_caches(core, RandomCall((), b"", caches, 1))
    spent = machine.measure(routine, registers=registers, warm=0).cycles
    core.state[()] = before
    return spent


@pytest.fixture
def mc68040(tmp_path: Path) -> tuple[Machine, list[int]]:
    texts = ["rts", "move.l (a0),d0; rts", "move.l (a0),d0; move.l (a1),d1; rts", "move.l d0,(a0); rts"]
    return opened_all(tmp_path, [*texts, "nop; " * 9 + "rts"], "mc68040-25")


def test_a_line_of_data_is_read_and_a_dirty_one_written_out(mc68040) -> None:
    machine, (nothing, one, two, store, code) = mc68040
    line = machine.memory_clocks["line_read"]
    places = {"a0": RAM, "a1": RAM + TWO_LINES}
    empty, dirty = (
        [clocks(machine, routine, caches, **places) for routine in (nothing, one, two, store, code)]
        for caches in ("empty", "dirty")
    )
    assert empty[1] - empty[0] == line == empty[2] - empty[1]
    assert [after - before for before, after in zip(empty, dirty)] == [0, line, 2 * line, line, 0]
    near = {"a0": RAM, "a1": RAM + 4}
    assert clocks(machine, two, "empty", **near) < empty[2], "one line has both"


def test_sectors_of_the_601(tmp_path: Path) -> None:
    """A load that is used waits for its sector; a dirty line is written out first; devices are not cached."""
    machine, (nothing, used, again) = opened_all(
        tmp_path,
        ["blr", "lwz 5,0(3); addi 6,5,1; blr", "lwz 5,0(3); addi 6,5,1; lwz 5,0(3); addi 6,5,1; blr"],
        "ppc601-80",
    )
    parameters = machine.memory_clocks
    cached, device = (
        [clocks(machine, routine, "empty", r3=place) for routine in (nothing, used, again)] for place in (RAM, VIDEO)
    )
    assert cached[1] - cached[0] == device[1] - device[0] > parameters["first_read"]
    assert device[2] - device[1] == parameters["first_read"] + parameters["miss"] + 3  # the load, and what waits for it
    assert cached[2] - cached[1] < device[2] - device[1]
    dirty = clocks(machine, used, "dirty", r3=RAM)
    assert dirty - cached[1] == 2 * parameters["sector_write"]
