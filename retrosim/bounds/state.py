"""What is known of a machine at one point of a routine: words, clocks, lines in caches, and the clocks since its start.

Of a time three bounds are known: it lies lo..hi after the present clock, and at most `latest` after the call began. The
third is what is left of a path on which the present clock is early and a bus is busy for long, where it meets one on
which the clock is late and the bus is free: without it, the join would be late and still have the bus to wait for.

Times are kept as (lo + slow, hi + fast, latest), where slow and fast are the most and the least clocks that have passed
since some clock in the past. So they need not be changed while time passes: later they are that much further back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from .caches import Held
from .residence import Way, Ways
from .residence import joined as joined_ways
from .words import MASKS, Span, trailing_zeros, unknown

# Words that hold the values of two: where paths meet, of a choice, and at the head of a loop.

FEW = 8  # values that are kept one by one


def join(a: Span, b: Span) -> Span:
    """Return a plain word that holds the values of two; a new one, since the same word stands for the same value."""
    if a is b:
        return a
    free = a.free | b.free | a.ones ^ b.ones
    both = Span(a.bits, min(a.lo, b.lo), max(a.hi, b.hi), a.ones & ~free, free, a.frame or b.frame)
    if a.among and b.among and len(a.among | b.among) <= FEW:
        both.values = a.among | b.among
    return both


def either(condition: Span, a: Span, b: Span) -> Span:
    """Return a plain word that is one of two by a condition.

    Of two words that it has compared it is the less or the greater one, or their difference, which does not wrap.
    """
    if condition.order is None:
        return join(a, b)
    less, greater = condition.order
    if a.known is None and a.order == condition.order:
        a = Span(a.bits, 1, max(1, greater.hi - less.lo))
    both = join(a, b)
    if both.known is not None:
        return both
    if a is greater and b is less:
        return both.within(max(a.lo, b.lo), both.hi)
    return both.within(both.lo, min(a.hi, b.hi)) if a is less and b is greater else both


def widen(a: Span, b: Span) -> Span:
    """Return a plain word that holds the values of two, and does not change again: what changes may be anything."""
    both = join(a, b)
    if both.is_like(a):
        return both
    free = MASKS[a.bits] & ~MASKS[trailing_zeros(both.free, a.bits)]
    return Span(a.bits, 0, MASKS[a.bits], both.ones & ~free, free, both.frame)


Key = Any
"""A state field's name, (name, number) of an entry of one, the address of a word in memory, or a `WordPlace`."""

LONG_AGO = 1 << 12  # clocks: what was so long before now may have been any time before
EVER = -(1 << 44)  # a time of which nothing is known but that it has passed


class WordPlace(NamedTuple):
    """A key: the word so many bytes beyond an unknown address."""

    base: Span
    offset: int


ALIGNMENT = {1: 4, 2: 2, 4: 4}  # bytes, of the C compilers' ABIs by the ISA's word: 2 on the 68K
ANY_TIME = (EVER, 0, 0)


@dataclass(frozen=True)
class Trail:
    """Where the most clocks have been: the last block, what came before it, and how often that was repeated."""

    block: int
    before: Trail | None
    inner: Trail | None = None
    outer: Trail | None = None
    repeats: int = 0


@dataclass
class AbstractState:
    """See the head of this module.

    words   what is known, of registers, flags, words in memory and all that the timing model keeps but times
    times   the timing model's times
    held    by cache
    ways    by which it was reached (residence.py)
    minimum, maximum  clocks since the call began; the second is that of the longest way
    fast, slow  least and most clocks since a clock in the past
    apart   by two times that changed together: how many clocks the first lies behind the second at most
    """

    words: dict[Key, Span]
    times: dict[Key, tuple[int, int, int]]
    held: dict[str, Held]
    ways: Ways = (Way(0),)
    minimum: int = 0
    fast: int = 0
    slow: int = 0
    apart: dict[tuple[Key, Key], int] = field(default_factory=dict)
    trail: Trail | None = field(default=None, compare=False)

    @property
    def maximum(self) -> int:
        return max(way.clocks for way in self.ways)

    def time(self, key: Key) -> tuple[int, int, int]:
        """Return the bounds of a time: relative to the present clock, and the last one relative to `maximum`."""
        if key not in self.times:
            return ANY_TIME
        lo, hi, latest = self.times[key]
        lo, hi = lo - self.slow, max(hi - self.fast, -LONG_AGO)
        return (EVER if lo < -LONG_AGO else lo), hi, min(hi, max(latest - self.maximum, -LONG_AGO))

    def set_time(self, key: Key, lo: int, hi: int, late: int) -> None:
        """Set what `time` returns."""
        self.times[key] = lo + self.slow, hi + self.fast, late + self.maximum

    def joined(self, other: AbstractState, words: Callable[[Span, Span], Span] = join) -> AbstractState:
        """Return what holds in either state."""
        both = {}
        for key, span in self.words.items():
            also = other.words.get(key)
            if also is not None and also.bits == span.bits:
                both[key] = span if span is also else words(span, also)
        result = AbstractState(both, {}, {}, joined_ways((*self.ways, *other.ways)), min(self.minimum, other.minimum))
        result.trail = self.trail if self.maximum >= other.maximum else other.trail
        for key in self.times.keys() | other.times.keys():
            if key in both:
                continue
            (lo, hi, late), (low, high, later) = self._time_of(key), other._time_of(key)
            late = max(late + self.maximum, later + other.maximum) - result.maximum
            result.set_time(key, min(lo, low), max(hi, high), late)
        for pair, clocks in self.apart.items():
            if pair in other.apart and pair[0] in result.times and pair[1] in result.times:
                result.apart[pair] = max(clocks, other.apart[pair])
        result.held = {name: held.join(other.held[name]) for name, held in self.held.items()}
        return result

    def _time_of(self, key: Key) -> tuple[int, int, int]:
        """Return a time, also where a number is kept in its place: it is before now."""
        return ANY_TIME if key in self.words else self.time(key)

    def widened(self, other: AbstractState) -> AbstractState:
        """Return what holds in either state, and will soon not change any more."""
        return self.joined(other, widen)

    def without_bases(self) -> AbstractState:
        """Return what is known apart from what is near a base: one that is made anew each time is never the same."""
        words = {key: word for key, word in self.words.items() if not isinstance(key, WordPlace)}
        return replace(self, words=words, held={name: Held(held.lines, held.sets) for name, held in self.held.items()})

    def is_like(self, other: AbstractState) -> bool:
        """Tell whether two states differ in nothing but the clocks since the call began, and what is near a base."""
        if self.words.keys() != other.words.keys():
            return False
        if any(held.sets != other.held[name].sets for name, held in self.held.items()):
            return False
        if any(not span.is_like(other.words[key]) for key, span in self.words.items()):
            return False
        if self.apart != other.apart:
            return False
        return all(self.time(key) == other.time(key) for key in self.times.keys() | other.times.keys())

    def pointers(self) -> frozenset[tuple[Key, Span]]:
        """Return where there are words near which something is known to be in a cache, and which those are."""
        bases = {base for held in self.held.values() for base in held.by_base}
        roots = ((key, word.place[0] if word.place else word) for key, word in self.words.items())
        return frozenset((key, root) for key, root in roots if root in bases and not isinstance(key, WordPlace))

    def word(self, key: Key, bits: int) -> Span:
        """Return what is known of a word."""
        span = self.words.get(key)
        return unknown(bits) if span is None else span
