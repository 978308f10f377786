"""How far the clocks of a machine may be off: the same run again with what its sources leave open chosen otherwise.

Two things are open. A *reading* is a question about the CPU that its documents answer in several ways; the timing model
has all of them as options, one of which is the default. A *parameter* of the board is an estimate with a plausible
range. The run is repeated with one of them changed at a time: each other option of each reading, and both ends of each
range. The deviations are combined as independent ones are, by the root of the sum of their squares, those to more
clocks apart from those to fewer; of a reading with several options the farthest counts.

What the interval leaves out: two changes at once that make each other worse, faults of the model that nobody has
noticed, and prices without a second opinion. A parameter or reading that was given is taken as certain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil, floor, hypot
from typing import Any

from .choices import CAUSES
from .presets import memory_parameters

EVALUATED = 2_000  # instructions: a shorter run is over before code for another reading is compiled
SAME_CLOCKS = {CAUSES: "full"}  # timing mode -> one of the same clocks, for which more is compiled already


@dataclass(frozen=True)
class Interval:
    """Between which clocks a figure plausibly is: low <= figure <= high."""

    figure: float
    low: float
    high: float

    def around(self, figure: float) -> tuple[int, int]:
        """Return low and high of another figure of which this one is a sample, whole clocks outwards."""
        return floor(figure * self.low / self.figure), ceil(figure * self.high / self.figure)


@dataclass(frozen=True)
class Alternative:
    """One thing chosen otherwise.

    name       reading or parameter
    option     of the reading, or clocks
    is_reading whether it is one
    """

    name: str
    option: str | int
    is_reading: bool


def alternatives(machine: Any) -> list[Alternative]:
    """Return everything that may be otherwise than a machine has it, in the order of the tables."""
    found = []
    for reading in machine.core.cpu.readings:
        if reading.name not in machine.given:
            found += [Alternative(reading.name, option, True) for option in reading.options[1:]]
    for name, each in machine.preset.parameters.items():
        if name not in machine.given:
            ends = [clocks for clocks in (each.low, each.high) if clocks != each.value]
            found += [Alternative(name, clocks, False) for clocks in ends if _is_allowed(machine, name, clocks)]
    return found


def _is_allowed(machine: Any, name: str, clocks: int) -> bool:
    """Does a parameter go with the others? A line is not there before its first word."""
    try:
        _memory_with(machine, name, clocks)
    except ValueError:
        return False
    return True


def _memory_with(machine: Any, name: str, clocks: int) -> dict[str, int]:
    changed = {} if name == "service_clocks" else {name: clocks}
    return memory_parameters(machine.preset, {**machine.memory_clocks, **changed})


def combined(figure: float, others: Mapping[str, Sequence[float]]) -> Interval:
    """Return the interval around a figure.

    figure  clocks as the machine is
    others  reading or parameter -> clocks with each of its alternatives
    """
    above = hypot(*(max(0.0, *(each - figure for each in clocks)) for clocks in others.values()))
    below = hypot(*(max(0.0, *(figure - each for each in clocks)) for clocks in others.values()))
    return Interval(figure, figure - below, figure + above)


def intervals(machine: Any, count: Callable[[Any], Sequence[float]]) -> list[Interval]:
    """Return the intervals of some clocks; the machine is left as it was.

    count   runs a machine from where it is and returns clocks, as many each time
    Errors  ValueError for a machine that counts none; whatever `count` raises
    """
    if machine.timing == "off":
        raise ValueError("timing 'off': counts no clocks; allowed table, full")
    state, before = machine.snapshot(), machine.instructions
    others: list[dict[str, list[float]]]
    try:
        figures = count(machine)
        executed = machine.instructions - before
        machine.restore(state)
        others = [{} for _ in figures]
        for name, clocks in _counts(machine, state, count, executed):
            for found, each in zip(others, clocks, strict=True):
                found.setdefault(name, []).append(each)
    finally:
        machine.restore(state)
    return [combined(figure, found) for figure, found in zip(figures, others, strict=True)]


def _counts(
    machine: Any, state: bytes, count: Callable[[Any], Sequence[float]], executed: int
) -> Iterator[tuple[str, Sequence[float]]]:
    """Count on every alternative, from a snapshot on; yield its name and the clocks."""
    for each in alternatives(machine):
        if each.is_reading:
            other = _reopened(machine, each, "evaluate" if executed < EVALUATED else "auto")
            other.restore(state)
            yield each.name, count(other)
            other.stop_compiling()
        else:
            with _changed(machine, each.name, int(each.option)):
                yield each.name, count(machine)
            machine.restore(state)


def _reopened(machine: Any, changed: Alternative, engine: str) -> Any:
    """Switch on another machine like this one, with one reading changed."""
    return type(machine)(
        machine.name,
        machine.rom or machine.image,
        build=machine.image.build if machine.rom else None,
        engine="evaluate" if machine.engine == "evaluate" else engine,
        timing=SAME_CLOCKS.get(machine.timing, machine.timing),
        parameters=machine.parameters,
        mode=machine.mode,
        service_clocks=machine.service_clocks,
        memory_clocks=machine.memory_clocks,
        readings={**machine.readings, changed.name: str(changed.option)},
    )


@contextmanager
def _changed(machine: Any, name: str, clocks: int) -> Iterator[None]:
    """Let a machine have another value of a parameter for a while."""
    before = machine.service_clocks, machine.memory_clocks
    if name == "service_clocks":
        machine.service_clocks = clocks
    machine.memory_clocks = _memory_with(machine, name, clocks)
    machine.core.state["memory"][: len(machine.memory_clocks)] = list(machine.memory_clocks.values())
    try:
        yield
    finally:
        machine.service_clocks, machine.memory_clocks = before
