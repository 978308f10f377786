"""Words that hold the values of two: where paths meet, of a choice, and at the head of a loop."""

from __future__ import annotations

from .bounds_words import MASKS, Span, trailing_zeros

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
