"""Which lines of a cache are certain to be there, whatever it held before.

Of each set the lines that were used last are kept, with their age: how many other lines of the set may have been used
since. A line stays as long as its age is at most what the replacement lets it survive (`Lines.survives`): all but one
of the ways where the least recently used line goes, 2 of 4 ways in a tree of three bits, 0 where the victim is
arbitrary; there a hit ages nothing, since it replaces nothing. An access to an unknown address is one to another line
of every set.

Of an unknown address it may still be known that it is so many bytes beyond a word which was the base of another one: a
register that points to an object. So what was used is also kept by base and offset. Two offsets lie in the same unit or
in neighbouring ones if they are no further apart than a unit; then any offset between them lies in one of the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from retrosim.cpu.spec.cpu import Lines

from .words import Span


class CacheLine(NamedTuple):
    """A line that is there: its number, its units that are valid for certain (a bit each), its age."""

    number: int
    units: int
    age: int


class Near(NamedTuple):
    """Bytes at known distances from an unknown address: the first and the last one of an operand."""

    base: Span
    offsets: tuple[int, ...]


ByBase = Mapping[Span, Mapping[int, int]]
"""Base -> offset -> age of its line. Words are the same base if they are the same object."""


class Held:
    """The lines that are certain to be in one cache; it does not change."""

    def __init__(
        self, lines: Lines, sets: dict[int, tuple[CacheLine, ...]] | None = None, by_base: ByBase | None = None
    ) -> None:
        self.lines, self.sets, self.by_base = lines, sets or {}, by_base or {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Held) and self.sets == other.sets and self.by_base == other.by_base

    __hash__ = None  # type: ignore[assignment]

    def of_set(self, number: int) -> tuple[CacheLine, ...]:
        """Return the lines of a set."""
        return self.sets.get(number, ())

    def has(self, unit: int) -> bool:
        """Tell whether a unit is there for certain."""
        number, bit = self._line(unit)
        return any(line.number == number and line.units & bit for line in self.of_set(number % self.lines.sets))

    def has_near(self, near: Near) -> bool:
        """Tell whether the units of some bytes are there for certain."""
        there = self.by_base.get(near.base, {})

        def is_there(offset: int) -> bool:
            before = max((each for each in there if each <= offset), default=None)
            after = min((each for each in there if each >= offset), default=None)
            return before is not None and after is not None and after - before <= self.lines.unit_bytes

        return all(map(is_there, near.offsets))

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
            found.append(CacheLine(number, units, age))
        by_base = self.by_base if self._replaces_nothing(self.has(unit)) else self._older()
        return Held(self.lines, self._with(group, found), by_base)

    def used_near(self, near: Near, is_there: bool, is_newest: bool) -> Held:
        """Return what is there after a use of some bytes. The arguments are those of `used`."""
        is_hit = self.has_near(near)
        after = self if self._replaces_nothing(is_hit) else self.used_unknown(near.base)
        by_base = dict(after.by_base)
        own = dict(by_base.get(near.base, {}))
        for offset in near.offsets if is_there else ():
            reach = (self.lines.sets - 1) * self.lines.units * self.lines.unit_bytes  # no two lines in a set
            own = {each: age for each, age in own.items() if abs(each - offset) < reach}
            own[offset] = 0 if is_newest else min(own.get(offset, self.lines.survives), self.lines.survives)
        if own:
            by_base[near.base] = own
        return Held(self.lines, after.sets, by_base)

    def _replaces_nothing(self, is_hit: bool) -> bool:
        return is_hit and not self.lines.survives

    def _with(self, group: int, found: Iterable[CacheLine]) -> dict[int, tuple[CacheLine, ...]]:
        sets = dict(self.sets)
        sets[group] = tuple(sorted(found))
        if not sets[group]:
            del sets[group]
        return sets

    def _older(self, but: Span | None = None) -> dict[Span, Mapping[int, int]]:
        """Return what is known by bases after a use of another line than those of one base."""
        result: dict[Span, Mapping[int, int]] = {}
        for base, ages in self.by_base.items():
            kept = ages if base is but else {o: age + 1 for o, age in ages.items() if age < self.lines.survives}
            if kept:
                result[base] = kept
        return result

    def used_unknown(self, base: Span | None = None) -> Held:
        """Return what is there after a use of any line, or of any line near a base."""
        sets = {}
        for group, lines in self.sets.items():
            older = tuple(line._replace(age=line.age + 1) for line in lines if line.age < self.lines.survives)
            if older:
                sets[group] = older
        return Held(self.lines, sets, self._older(base))

    def join(self, other: Held) -> Held:
        """Return what is there in both."""
        if self is other or self == other:
            return self
        sets = {}
        for group, lines in self.sets.items():
            there = {line.number: line for line in other.of_set(group)}
            both = tuple(
                CacheLine(line.number, line.units & there[line.number].units, max(line.age, there[line.number].age))
                for line in lines
                if line.number in there
            )
            if both:
                sets[group] = both
        by_base = {}
        for base, ages in self.by_base.items():
            others = other.by_base.get(base, {})
            if kept := {offset: max(age, others[offset]) for offset, age in ages.items() if offset in others}:
                by_base[base] = kept
        return Held(self.lines, sets, by_base)
