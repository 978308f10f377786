"""Lines that stay in a cache for the whole call once they are in it: each is missed at most once.

If a routine uses no more lines of any set than survive one another, then no use of its own makes another line of its
own go. So a line is missed at most once: when it is used first, or later, where the first use found a line that had
nearly gone, and that use was not noted. The bounds then need not know when. The engine leaves such a miss out of the
clocks since the call began: it moves the beginning by the clocks of a miss. At the end each line that may be missed is
added once. This holds for any number of clocks; those in which the bus is busy give the lowest bound.

Which lines those are is kept by way: a `Way` is a number of paths to one point, the lines that they have used, and the
most clocks of any of them, misses left out. Where paths meet the ways stay side by side, though the states are joined;
so lines of paths that exclude each other are not added up. Two ways may always be taken as one that has used the lines
of both and taken the clocks of the longer one.

Code that runs once is best left as it is: what follows knows what else is read while a line of code arrives. Where
code runs again, an earlier miss is forgotten when it need not have happened by then, since code is fetched ahead: its
misses are then left out, and added, like those of operands.

Whether the routine uses so few lines is known at the end only. If it does not, it is run again without this.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

from retrosim.cpu.spec.cpu import ADDRESS_MASK, Cache, Lines

from .caches import Held, Near
from .counter import Look, Misses
from .words import Span

ALWAYS = 1 << 30  # lines that a line survives which stays
MAX_WAYS = 8  # that stay side by side


class Use(NamedTuple):
    """A use of a cache: of a unit by number, or of bytes near a base; `is_code` of a unit that is fetched."""

    cache: str
    unit: int | None
    is_code: bool
    base: Span | None = None
    first: int = 0
    size: int = 0

    def area(self) -> range | None:
        """Return the addresses that may be used near a base, None when they are all."""
        if self.base is None:
            return None
        first, last = self.base.lo + self.first, self.base.hi + self.first + self.size
        return range(first, last) if first >= 0 and last <= ADDRESS_MASK + 1 else None


class Way(NamedTuple):
    """Some paths to one point: the most clocks of any since the call began, misses left out; what they have used.

    misses  in the cache that counts them (counter.py)
    """

    clocks: int
    used: frozenset[Use] = frozenset()
    misses: Misses | None = None

    def also(self, other: Way) -> Way:
        """Return a way that stands for both."""
        one, two = self.misses, other.misses
        misses = one.joined(two) if one is not None and two is not None else None
        return Way(max(self.clocks, other.clocks), self.used | other.used, misses)


Ways = tuple[Way, ...]


def joined(ways: Iterable[Way]) -> Ways:
    """Return ways that stand for all of some: without those that others include, and not too many."""
    longest: dict[frozenset[Use], Way] = {}
    for way in ways:
        longest[way.used] = way.also(longest[way.used]) if way.used in longest else way
    found: list[Way] = []
    for way in sorted(longest.values(), key=lambda way: -len(way.used)):
        number = next((n for n, each in enumerate(found) if way.used < each.used and way.clocks <= each.clocks), None)
        if number is None:
            found.append(way)
        else:
            found[number] = found[number].also(way)
    while len(found) > MAX_WAYS:
        one, other = min(combinations(found, 2), key=lambda pair: len(pair[0].used ^ pair[1].used))
        found = [way for way in found if way is not one and way is not other]
        found.append(one.also(other))
    return tuple(found)


class Residence:
    """Which caches keep what is used, and what a miss there takes that is added at the end.

    clocks    cache -> clocks of a miss
    counts_code  are misses of code left out and added too?
    is_known  every use has been noted: no operand lies anywhere, and no loop was taken by multiplication, in which each
              time may use other lines
    """

    def __init__(self, caches: Mapping[str, Cache], parameters: Mapping[str, int], counts_code: bool = False) -> None:
        kept = {name: cache.lines for name, cache in caches.items() if cache.lines}
        self.lines = {name: lines for name, lines in kept.items() if lines.survives}
        self.counted = next(
            (
                name
                for name, lines in kept.items()
                if lines.missing
                and not lines.survives
                and caches[name].accesses
                and parameters.get(caches[name].allocates, 1)
            ),
            None,
        )
        self.clocks = {name: sum(parameters[each] for each in lines.missing) for name, lines in kept.items()}
        self.counts_code, self.is_known, self._kept = counts_code, True, kept

    def entered(self, held: Mapping[str, Held]) -> dict[str, Held]:
        """Return caches in which what is used stays."""
        return {
            name: Held(replace(each.lines, survives=ALWAYS)) if name in self.lines else each
            for name, each in held.items()
        }

    def begins(self, alignment: int) -> Ways:
        """Return the way that leads to the beginning."""
        return (Way(0, misses=Misses(self._kept[self.counted], alignment) if self.counted else None),)

    def looks(self, units: list[int] | Near | None, held: Held) -> Iterator[Look]:
        """Return the uses of the cache that counts misses, for the units of an operand."""
        if units is None:
            self.is_known = False
        elif isinstance(units, Near):
            first, last = min(units.offsets), max(units.offsets)
            yield Look(units.base, first, last - first + 1, held.has_near(units))
        else:
            for unit in units:
                if unit * held.lines.unit_bytes < held.lines.end:
                    yield Look(None, unit, 1, held.has(unit))

    def uses(self, cache: str, units: list[int] | Near | None, is_code: bool) -> Iterator[Use]:
        """Return the uses of the units of an operand, or of code."""
        if units is None:
            self.is_known = False
        elif isinstance(units, Near):
            first, last = min(units.offsets), max(units.offsets)
            yield Use(cache, None, is_code, units.base, first, last - first + 1)
        else:
            yield from (Use(cache, unit, is_code) for unit in units)

    def holds(self, ways: Ways) -> bool:
        """Tell whether in each set there are no more lines of any way than survive one another."""
        return self.is_known and all(
            _max_of_a_set([use for use in way.used if use.cache == cache], lines) <= lines.survives + 1
            for way in ways
            for cache, lines in self.lines.items()
        )

    def maximum(self, ways: Ways, alignment: int) -> int:
        """Return the most clocks of any way, with one miss of each line that was left out."""

        def added(way: Way, cache: str) -> int:
            uses = [use for use in way.used if use.cache == cache and (self.counts_code or not use.is_code)]
            return _count_units(uses, self.lines[cache], alignment) * self.clocks[cache]

        def counted(way: Way) -> int:
            return way.misses.total() * self.clocks[self.counted] if way.misses and self.counted else 0

        return max(way.clocks + sum(added(way, cache) for cache in self.lines) + counted(way) for way in ways)


def _max_of_a_set(uses: list[Use], lines: Lines) -> int:
    """Return how many lines of one set some uses can be at most."""
    line_bytes = lines.units * lines.unit_bytes
    numbers = {use.unit // lines.units for use in uses if use.unit is not None}
    anywhere: dict[Span, list[tuple[int, int]]] = defaultdict(list)
    for use in uses:
        area = use.area()
        if area is not None and len(area) <= lines.sets * line_bytes:
            numbers.update(range(area.start // line_bytes, (area.stop - 1) // line_bytes + 1))
        elif use.base is not None:
            anywhere[use.base].append((use.first, use.size))
    count = max(Counter(number % lines.sets for number in numbers).values(), default=0)
    for operands in anywhere.values():
        parts = _parts(operands, line_bytes)
        reach = sum(last - first + line_bytes for first, last in parts)
        count += len(parts) if reach < (lines.sets - 1) * line_bytes else lines.survives + 1
    return count


def _count_units(uses: list[Use], lines: Lines, alignment: int) -> int:
    """Return how many units some uses can be at most."""
    bases: dict[Span, list[tuple[int, int]]] = defaultdict(list)
    for use in uses:
        if use.base is not None:
            bases[use.base].append((use.first, use.size))
    count = len({use.unit for use in uses if use.base is None})
    for operands in bases.values():
        low = min(alignment, *(size for _, size in operands))
        for first, last in _parts(operands, lines.unit_bytes):
            count += -(-(last - first + 1 - low) // lines.unit_bytes) + 1
    return count


def _parts(operands: Iterable[tuple[int, int]], apart: int) -> list[tuple[int, int]]:
    """Return the first and the last byte of each group of operands that lie nearer together than so many bytes."""
    parts: list[tuple[int, int]] = []
    for first, size in sorted(operands):
        if parts and first - parts[-1][1] <= apart:
            parts[-1] = parts[-1][0], max(parts[-1][1], first + size - 1)
        else:
            parts.append((first, first + size - 1))
    return parts
