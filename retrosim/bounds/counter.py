"""How often a routine can miss in a cache whose victim a counter names, which steps at every access (the MC68040's).

Of each line that the routine uses, the most misses are kept for each state that it may be in, whatever the cache holds
before the call and wherever objects lie:

    placed  the counter has placed it: its way, less the counter, is 0, 1, 2 or 3 modulo 4
    any     it is in some way: since before the call, or it was read into an invalid way
    gone    it was there, and has been replaced
    never   it has not been there

A counter places a line in the way that it names then; so another miss in the set replaces that line only where the
counter names this way again, any number of accesses modulo 4 later that is 0. (It is not so that a line stays for the
next three misses: the counter steps at hits too.) A line is in state `any` only until it is first replaced: as soon as
one is, no way of its set is invalid, and none becomes so again. The rules of one access follow:

    to the line itself   a hit changes nothing; a miss is counted, and leads from gone to placed 0, from never to that,
                         or to any where a way is invalid
    to another one       which may share its set: may replace it, from placed 0 or any. It may be the same line by
                         another pointer, whose misses count: then from gone and never to where a miss leads
    each                 steps the counter: placed 1 becomes placed 0, 0 becomes 3

What certainly hits (caches.py) misses and replaces nothing. So the true course of every line is among those that
are followed, and its misses are at most the greatest number kept. Lines are followed as if the rest of the cache did
what is worst for each of them; the sum over the lines holds all the more. Two bytes near one base share a line or not
by where the base lies in a line: each of these places is followed by itself, and the worst one counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import NamedTuple

from retrosim.cpu.spec.cpu import Lines

from .words import Span

IMPOSSIBLE = -(1 << 30)
Course = tuple[int, int, int, int, int, int, int]
"""The most misses of a line that is placed 0 to 3, any, gone, never; IMPOSSIBLE where it cannot be in that state."""
ANYHOW: Course = (0, 0, 0, 0, 0, 0, 0)  # of a line that the routine has not used
ByPlace = Mapping[int, Mapping[int, Course]]
"""Where a base lies in its line -> number of a line after that one -> its course."""


class Look(NamedTuple):
    """One use of a cache: of a line by number, or of bytes near a base.

    is_there  it certainly hits
    """

    base: Span | None
    first: int
    size: int
    is_there: bool


def _stepped(course: Course) -> Course:
    zero, one, two, three, *rest = course
    return (one, two, three, zero, *rest)  # type: ignore[return-value]


@cache
def _itself(course: Course, is_there: bool) -> Course:
    """Return the course of a line after a use of itself."""
    zero, one, two, three, anywhere, gone, never = course
    if not is_there:
        zero, anywhere = max(zero, gone + 1, never + 1), max(anywhere, never + 1)
    return _stepped((zero, one, two, three, anywhere, IMPOSSIBLE, IMPOSSIBLE))


@cache
def _another(course: Course, is_there: bool) -> Course:
    """Return the course of a line after a use of another one, perhaps of its set, perhaps of itself."""
    zero, one, two, three, anywhere, gone, never = course
    if is_there:
        return _stepped(course)
    return _stepped((max(zero, gone, never), one, two, three, max(anywhere, never), max(gone, zero, anywhere), never))


@cache
def _either(one: Course, other: Course) -> Course:
    return tuple(map(max, one, other))  # type: ignore[return-value]


class Misses:
    """The courses of all lines up to one point of a routine; it does not change.

    known    number of a line -> its course
    by_base  base -> those near it
    """

    def __init__(
        self, lines: Lines, alignment: int, known: Mapping[int, Course] = {}, by_base: Mapping[Span, ByPlace] = {}
    ) -> None:
        """Take how the cache holds its lines, and the alignment of operands in bytes."""
        self.lines, self.alignment, self.known, self.by_base = lines, alignment, known, by_base

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Misses) and self.known == other.known and self.by_base == other.by_base

    __hash__ = None  # type: ignore[assignment]

    def total(self) -> int:
        """Return the most misses of all lines."""
        near = (max(sum(map(max, each.values())) for each in places.values()) for places in self.by_base.values())
        return sum(map(max, self.known.values())) + sum(near)

    def after(self, looks: Iterable[Look]) -> Misses:
        """Return the courses after some uses in their order."""
        result = self
        for look in looks:
            result = result._near(look) if look.base is not None else result._of(look.first, look.is_there)
        return result

    def _of(self, number: int, is_there: bool) -> Misses:
        known = {
            line: _stepped(course) if (line - number) % self.lines.sets else _another(course, is_there)
            for line, course in self.known.items()
            if line != number
        }
        known[number] = _itself(self.known.get(number, ANYHOW), is_there)
        by_base = {
            base: _each(places, lambda course: _another(course, is_there)) for base, places in self.by_base.items()
        }
        return Misses(self.lines, self.alignment, known, by_base)

    def _near(self, look: Look) -> Misses:
        base, first, last = look.base, look.first, look.first + look.size - 1
        assert base is not None
        line_bytes = self.lines.unit_bytes
        low = min(look.size, self.alignment) - 1
        old = self.by_base.get(base)
        own: dict[int, Mapping[int, Course]] = {}
        known_bits = line_bytes - 1 & ~base.free
        places = list(old or (place for place in range(line_bytes) if place & known_bits == base.ones & known_bits))
        for place in [place for place in places if not place + first & low] or places:
            courses = dict(old[place]) if old else {}
            for number in dict.fromkeys(((place + first) // line_bytes, (place + last) // line_bytes)):
                courses.setdefault(number, ANYHOW)
                for line, course in courses.items():
                    if line == number:
                        courses[line] = _itself(course, look.is_there)
                    else:
                        is_apart = (line - number) % self.lines.sets
                        courses[line] = _stepped(course) if is_apart else _another(course, look.is_there)
            own[place] = courses
        counts = {1 + ((place + first) // line_bytes != (place + last) // line_bytes) for place in own}

        def others(course: Course) -> Course:
            once = _another(course, look.is_there)
            if counts == {1}:
                return once
            twice = _another(once, look.is_there)
            return twice if counts == {2} else _either(once, twice)

        known = {line: others(course) for line, course in self.known.items()}
        by_base = {each: _each(places, others) for each, places in self.by_base.items() if each is not base}
        by_base[base] = own
        return Misses(self.lines, self.alignment, known, by_base)

    def joined(self, other: Misses) -> Misses:
        """Return the courses of either way."""
        if self is other or self == other:
            return self
        known = _joined(self.known, other.known)
        by_base = {}
        for base in {**self.by_base, **other.by_base}:
            one, two = self.by_base.get(base), other.by_base.get(base)
            places = {**(one or {}), **(two or {})}
            by_base[base] = {
                place: _joined({} if one is None else one.get(place), {} if two is None else two.get(place))
                for place in places
            }
        return Misses(self.lines, self.alignment, known, by_base)


def _each(places: ByPlace, change: Callable[[Course], Course]) -> ByPlace:
    return {place: {line: change(course) for line, course in each.items()} for place, each in places.items()}


def _joined(one: Mapping[int, Course] | None, other: Mapping[int, Course] | None) -> Mapping[int, Course]:
    """Return the courses of either; None: of no way."""
    if one is None or other is None:
        return (one if other is None else other) or {}
    return {line: _either(one.get(line, ANYHOW), other.get(line, ANYHOW)) for line in {**one, **other}}
