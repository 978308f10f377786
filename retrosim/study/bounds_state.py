"""What is known of a machine at one point of a routine: words, clocks, lines in caches, and the clocks since its start.

Times are kept as (lo + maximum, hi + minimum): lo..hi after the present clock, minimum..maximum clocks since the call
began. So they need not be changed while time passes: later they are that much further back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .bounds_caches import Held
from .bounds_words import Span, join, unknown, widen

Key = Any
"""A state field's name, (name, number) of an entry of one, or the address of a word in memory."""

LONG_AGO = 1 << 12  # clocks: what was so long before now may have been any time before
EVER = -(1 << 44)  # a time of which nothing is known but that it has passed
ANY_TIME = (EVER, 0)


@dataclass(frozen=True)
class Trail:
    """Where the most clocks have been: the last block, what came before it, and how often that was repeated."""

    block: int
    before: Trail | None
    inner: Trail | None = None
    outer: Trail | None = None
    repeats: int = 0


@dataclass
class State:
    """See the head of this module.

    words   what is known, of registers, flags, words in memory and all that the timing model keeps but times
    times   the timing model's times
    held    by cache
    minimum, maximum  clocks since the call began
    """

    words: dict[Key, Span]
    times: dict[Key, tuple[int, int]]
    held: dict[str, Held]
    minimum: int = 0
    maximum: int = 0
    trail: Trail | None = field(default=None, compare=False)

    def time(self, key: Key) -> tuple[int, int]:
        """Return the bounds of a time, relative to the present clock."""
        lo, hi = self.times.get(key, ANY_TIME)
        lo, hi = lo - self.maximum, hi - self.minimum
        return (EVER if lo < -LONG_AGO else lo), max(hi, -LONG_AGO)

    def bits_at(self, location: int) -> int:
        """Return the width of the word that is known at a place in memory, 0 when none is."""
        span = self.words.get(location)
        return span.bits if span is not None else 0

    def joined(self, other: State, words: Callable[[Span, Span], Span] = join) -> State:
        """Return what holds in either state."""
        both = {}
        for key, span in self.words.items():
            also = other.words.get(key)
            if also is not None and also.bits == span.bits:
                both[key] = span if span is also else words(span, also)
        result = State(both, {}, {})
        result.minimum, result.maximum = min(self.minimum, other.minimum), max(self.maximum, other.maximum)
        result.trail = self.trail if self.maximum >= other.maximum else other.trail
        for key in self.times.keys() | other.times.keys():
            if key in both:
                continue
            (a, b), (c, d) = self._time_of(key), other._time_of(key)
            result.times[key] = min(a, c) + result.maximum, max(b, d) + result.minimum
        result.held = {name: held.join(other.held[name]) for name, held in self.held.items()}
        return result

    def _time_of(self, key: Key) -> tuple[int, int]:
        """Return a time, also where a number is kept in its place: it is before now."""
        return (EVER, 0) if key in self.words else self.time(key)

    def widened(self, other: State) -> State:
        """Return what holds in either state, and will soon not change any more."""
        return self.joined(other, widen)

    def is_like(self, other: State) -> bool:
        """Tell whether two states differ in nothing but the clocks since the call began."""
        if self.words.keys() != other.words.keys() or self.held != other.held:
            return False
        if any(not span.is_like(other.words[key]) for key, span in self.words.items()):
            return False
        return all(self.time(key) == other.time(key) for key in self.times.keys() | other.times.keys())

    def word(self, key: Key, bits: int) -> Span:
        """Return what is known of a word."""
        span = self.words.get(key)
        return unknown(bits) if span is None else span
