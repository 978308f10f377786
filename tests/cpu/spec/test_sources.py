"""Readings: chosen by name, refused in one line, kept apart wherever clocks or compiled code are kept."""

from __future__ import annotations

import pytest

from retrosim.cpu import m68k
from retrosim.cpu.engines.handlers.handler_cache import _prefix
from retrosim.cpu.spec.sources import Reading, changed_readings, chosen_readings
from retrosim.errors import SpecError

PORT = Reading("cache-port", "one port or two?", ("shared", "two"), "drawn so", "601UM")
LEAD = Reading("lead", "overlapped?", ("overlapped", "printed"), "reads so", "MC68040UM")


def test_defaults_and_choices() -> None:
    assert chosen_readings((PORT, LEAD), None) == {"cache-port": "shared", "lead": "overlapped"}
    chosen = chosen_readings((PORT, LEAD), {"lead": "printed"})
    assert chosen == {"cache-port": "shared", "lead": "printed"}
    assert changed_readings((PORT, LEAD), chosen) == {"lead": "printed"}


@pytest.mark.parametrize(
    "given, message",
    [
        ({"leed": "printed"}, "reading 'leed': allowed cache-port, lead; did you mean lead?"),
        ({"lead": "print"}, "reading lead 'print': allowed overlapped, printed; did you mean printed?"),
    ],
)
def test_what_is_unknown_is_refused(given: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError) as error:
        chosen_readings((PORT, LEAD), given)
    assert str(error.value) == message


def test_a_reading_has_two_options_in_plain_words() -> None:
    for name, options in (("lead", ("one",)), ("lead", ("one", "one")), ("Lead", ("a", "b")), ("lead", ("a b", "c"))):
        with pytest.raises(SpecError):
            Reading(name, "?", options, "", "")


def test_a_cpu_of_other_readings() -> None:
    usual = m68k.cpu("MC68040")
    other = usual.with_readings({"adda-suba": "adda"})
    assert usual.with_readings(None) is usual.with_readings(usual.choices) is usual
    assert usual.with_readings({"adda-suba": "adda"}) is other and other.model == usual.model
    assert other.with_readings({"adda-suba": "printed"}).choices == usual.choices
    assert usual.label == "MC68040" and other.label == "MC68040_adda-suba_adda"
    assert not _prefix(other, "full").startswith(_prefix(usual, "full"))
    memory = {0: 0x90C1}  # suba.w d1,a0
    insn = usual.table.decode(0, memory.get)
    for mode in ("table", "full"):
        assert usual.timing[mode].fields(insn) != other.timing[mode].fields(insn), mode
    assert usual.explain(insn, 1, 0, usual.choices).clocks == 1
    assert other.explain(insn, 1, 0, other.choices).clocks == 2
