"""Which lines of a cache are certain to be there, whatever it held before.

Of each set the lines that were used last are kept, with their age: how many other lines of the set may have been used
since. A line stays as long as its age is at most what the replacement lets it survive (`Lines.survives`): all but one
of the ways where the least recently used line goes, 2 of 4 ways in a tree of three bits, 0 where the victim is
arbitrary. An access to an unknown address is one to another line of every set.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from retrosim.cpu.spec.cpu import Lines


class Line(NamedTuple):
    """A line that is there: its number, its units that are valid for certain (a bit each), its age."""

    number: int
    units: int
    age: int


class Held:
    """The lines that are certain to be in one cache; it does not change."""

    def __init__(self, lines: Lines, sets: dict[int, tuple[Line, ...]] | None = None) -> None:
        self.lines, self.sets = lines, sets or {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Held) and self.sets == other.sets

    __hash__ = None  # type: ignore[assignment]

    def of_set(self, number: int) -> tuple[Line, ...]:
        """Return the lines of a set."""
        return self.sets.get(number, ())

    def has(self, unit: int) -> bool:
        """Tell whether a unit is there for certain."""
        number, bit = self._line(unit)
        return any(line.number == number and line.units & bit for line in self.of_set(number % self.lines.sets))

    def _line(self, unit: int) -> tuple[int, int]:
        number, within = divmod(unit, self.lines.units)
        return number, 1 << within

    def used(self, unit: int, is_there: bool, is_newest: bool) -> Held:
        """Return what is there after a use of a unit.

        is_there   it is in the cache now
        is_newest  the replacement takes note of the use
        """
        number, bit = self._line(unit)
        group = number % self.lines.sets
        before = {line.number: line for line in self.of_set(group)}
        old = before.pop(number, None)
        was = old.age if old else self.lines.survives + 1
        rest = (
            line._replace(age=line.age + 1) if line.age < was or not is_newest else line for line in before.values()
        )
        found = [line for line in rest if line.age <= self.lines.survives]
        if is_there or old:
            units = (old.units if old else 0) | (bit if is_there else 0)
            age = 0 if is_newest else min(was, self.lines.survives)
            found.append(Line(number, units, age))
        return self._with(group, found)

    def _with(self, group: int, found: Iterable[Line]) -> Held:
        sets = dict(self.sets)
        sets[group] = tuple(sorted(found))
        if not sets[group]:
            del sets[group]
        return Held(self.lines, sets)

    def used_unknown(self) -> Held:
        """Return what is there after a use of any line."""
        sets = {}
        for group, lines in self.sets.items():
            older = tuple(line._replace(age=line.age + 1) for line in lines if line.age < self.lines.survives)
            if older:
                sets[group] = older
        return Held(self.lines, sets)

    def join(self, other: Held) -> Held:
        """Return what is there in both."""
        if self is other or self.sets == other.sets:
            return self
        sets = {}
        for group, lines in self.sets.items():
            there = {line.number: line for line in other.of_set(group)}
            both = tuple(
                Line(line.number, line.units & there[line.number].units, max(line.age, there[line.number].age))
                for line in lines
                if line.number in there
            )
            if both:
                sets[group] = both
        return Held(self.lines, sets)
