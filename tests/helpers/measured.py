"""Boards that rows of measured clocks were taken on: parameters of their memory, with the range that is open."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from retrosim.cpu.spec.sources import Reading
from retrosim.machine.boards import BoardParameter

Count = Callable[[dict[str, str], tuple[int, ...]], float]
"""Clocks of a row by readings that are not the default, and the memory."""


class Range(NamedTuple):
    """A parameter: the least that it may have been, what is taken, the most."""

    low: int
    value: int
    high: int


def known(*values: int) -> tuple[Range, ...]:
    """Return parameters without any doubt."""
    return tuple(Range(value, value, value) for value in values)


def of_preset(memory: Mapping[str, BoardParameter]) -> tuple[Range, ...]:
    return tuple(Range(each.low, each.value, each.high) for each in memory.values())


def values(board: Sequence[Range]) -> tuple[int, ...]:
    return tuple(each.value for each in board)


def others(board: Sequence[Range]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the place of a parameter and the memory with another value of it, for both ends of each range."""
    usual = values(board)
    for place, each in enumerate(board):
        for end in {each.low, each.high} - {each.value}:
            yield place, (*usual[:place], end, *usual[place + 1 :])


def alternatives(readings: Sequence[Reading], board: Sequence[Range], count: Count) -> dict[str | int, list[float]]:
    """Return reading or place of a parameter -> the clocks of a row with each of its alternatives."""
    found: dict[str | int, list[float]] = {
        each.name: [count({each.name: option}, values(board)) for option in each.options[1:]] for each in readings
    }
    for place, memory in others(board):
        found.setdefault(place, []).append(count({}, memory))
    return found
