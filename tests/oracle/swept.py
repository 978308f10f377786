"""The oracle of swept tests, in fractions: objects that move during a frame, which is the time 0..1."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise


def boxes_meet_in_frame(apart: Sequence[int], move: Sequence[int], a: Sequence[int], b: Sequence[int]) -> bool:
    """Tell whether two boxes overlap at any time: try every time at which that can change, and those between.

    apart  corner of `a` from that of `b` at time 0; move: of `a` less that of `b`; a, b: width, height
    """
    changes = {Fraction(0), Fraction(1)}
    for axis in (0, 1):
        if move[axis]:
            changes |= {Fraction(border - apart[axis], move[axis]) for border in (-a[axis], b[axis])}
    times = sorted(time for time in changes if 0 <= time <= 1)
    times += [(early + late) / 2 for early, late in pairwise(times)]
    return any(all(-a[axis] < apart[axis] + time * move[axis] < b[axis] for axis in (0, 1)) for time in times)


def circles_meet_in_frame(apart: Sequence[int], move: Sequence[int], reach: int) -> bool:
    """Tell whether two circles overlap at any time: they do if they do when they are nearest."""
    squared = move[0] ** 2 + move[1] ** 2
    nearest = Fraction(0)
    if squared:
        nearest = min(max(Fraction(-(apart[0] * move[0] + apart[1] * move[1]), squared), Fraction(0)), Fraction(1))
    return sum((d + nearest * v) ** 2 for d, v in zip(apart, move)) < reach**2
