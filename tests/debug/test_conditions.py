"""Conditions: what they are worth, and how wrong ones are told."""

from __future__ import annotations

import pytest

from retrosim.debug import ConditionError
from retrosim.machine import Machine


def opened(name: str = "mc68040-25", engine: str = "interpret") -> Machine:
    return Machine(name, "shooter", engine=engine)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 + 3 * 4 == 14 and not 0", 1),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("sbyte[gStars] < 0 or $10 | 0x01", 1),
        ("1 << 4 & 0xF0 ^ 3", 19),
        ("~0 == -1", 1),
        ("@gStars == gStars", 1),
        ("word[gStars + 2 * (1 + 1)] >= 0", 1),
    ],
)
def test_expressions(text: str, value: int) -> None:
    assert opened().debugger.evaluate(text) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("d0 = 5", "character 4"),
        ("d0 == ", "expected a number"),
        ("gFrme == 1", "did you mean gFrame"),
        ("(" * 60 + "1", "nested too deeply"),
        ("1+" * 300 + "1", "allowed up to 500"),
        ("1 / (d0 - d0)", "division by zero"),
        ("1 << 64", "shift by 64: allowed 0..63"),
        ("__import__('os')", "character 12"),
        ("word[gFrame", "expected ']'"),
        ("d0 == 1 2", "expected an operator"),
    ],
)
def test_bad_expressions_are_told_in_one_line(text: str, message: str) -> None:
    with pytest.raises(ConditionError, match="character") as caught:
        opened().debugger.evaluate(text)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_a_condition_that_cannot_be_computed_stops() -> None:
    debugger = opened().debugger
    debugger.breakpoint("MoveAll", "1 / word[gFrame]")
    stop = debugger.run(frames=1)
    assert stop.reason == "error" and "division by zero" in stop.text
