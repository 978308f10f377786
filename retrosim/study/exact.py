"""Exact tests in plain Python, by which the study judges what methods find.

They follow the definitions, in integers and fractions, and share no code with the kernels that they judge. Nor are they
the oracles that the kernels' own tests use: those follow the texts line by line, with all their errors.

A box is (x, y, width, height), a circle (x, y, radius), a rectangle (x, y of its centre, half width, half height,
angle); a move is (x, y). Touching counts where a name says touch or meet, and does not where it says overlap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np

from retrosim.numeric.tables import FRACTION_BITS, cosine, sine

Numbers = Sequence[int]


def boxes_overlap(a: Numbers, b: Numbers) -> bool:
    """Tell whether two boxes share area."""
    return all(a[axis] < b[axis] + b[axis + 2] and b[axis] < a[axis] + a[axis + 2] for axis in (0, 1))


def boxes_touch(a: Numbers, b: Numbers) -> bool:
    """Tell whether two boxes share a point."""
    return all(a[axis] <= b[axis] + b[axis + 2] and b[axis] <= a[axis] + a[axis + 2] for axis in (0, 1))


def circles_overlap(a: Numbers, b: Numbers) -> bool:
    """Tell whether two circles share area."""
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 < (a[2] + b[2]) ** 2


def circles_touch(a: Numbers, b: Numbers) -> bool:
    """Tell whether two circles share a point."""
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 <= (a[2] + b[2]) ** 2


def pixels_overlap(a: np.ndarray, a_corner: Numbers, b: np.ndarray, b_corner: Numbers) -> bool:
    """Tell whether two images share a pixel of a colour other than 0; corners: x, y of their upper left."""
    return not _opaque(a, a_corner).isdisjoint(_opaque(b, b_corner))


def _opaque(image: np.ndarray, corner: Numbers) -> set[tuple[int, int]]:
    rows, columns = np.nonzero(image)
    return set(zip((columns + corner[0]).tolist(), (rows + corner[1]).tolist()))


def boxes_overlap_in_frame(a: Numbers, a_move: Numbers, b: Numbers, b_move: Numbers) -> bool:
    """Tell whether two boxes share area at any time 0..1 of a frame; they are where it begins."""
    begin, end = Fraction(-1), Fraction(2)
    for axis in (0, 1):
        low, high = b[axis] - a[axis] - a[axis + 2], b[axis] + b[axis + 2] - a[axis]  # of the move that they overlap at
        times = _times(low, high, a_move[axis] - b_move[axis])
        if times is None:
            return False
        begin, end = max(begin, times[0]), min(end, times[1])
    return begin < end and begin < 1 and end > 0


def circles_overlap_in_frame(a: Numbers, a_move: Numbers, b: Numbers, b_move: Numbers) -> bool:
    """Tell whether two circles share area at any time 0..1 of a frame: whether they do when they are nearest."""
    apart = [a[axis] - b[axis] for axis in (0, 1)]
    move = [a_move[axis] - b_move[axis] for axis in (0, 1)]
    squared = move[0] ** 2 + move[1] ** 2
    nearest = Fraction(-apart[0] * move[0] - apart[1] * move[1], squared) if squared else Fraction(0)
    time = min(max(nearest, Fraction(0)), Fraction(1))
    return sum((apart[axis] + time * move[axis]) ** 2 for axis in (0, 1)) < (a[2] + b[2]) ** 2


def _times(low: int, high: int, speed: int) -> tuple[Fraction, Fraction] | None:
    """Return when a move is between low and high; None for never."""
    if not speed:
        return (Fraction(-1), Fraction(2)) if low < 0 < high else None
    first, second = sorted((Fraction(low, speed), Fraction(high, speed)))
    return first, second


def rectangles_meet(a: Numbers, b: Numbers, a_move: Numbers = (0, 0), b_move: Numbers = (0, 0)) -> bool:
    """Tell whether two rectangles share a point at any time of a frame; they are where it ends, moves in their unit.

    By separating axes: along each axis they meet in one interval of time, its ends included; the intervals of all axes
    and the frame itself must have a time in common.
    """
    begin, end = Fraction(0), Fraction(1)
    for reach, apart, speed in _axes(a, b, a_move, b_move):
        apart -= speed  # where the frame begins
        if speed:
            first, second = sorted((Fraction(-reach - apart, speed), Fraction(reach - apart, speed)))
            begin, end = max(begin, first), min(end, second)
        elif abs(apart) > reach:
            return False
        if begin > end:
            return False
    return True


def _axes(a: Numbers, b: Numbers, a_move: Numbers, b_move: Numbers) -> Iterator[tuple[int, int, int]]:
    """Yield for each side's direction the half sides of both rectangles along it, their distance and their move."""
    directions = [(cosine(r[4]), sine(r[4])) for r in (a, b)]
    apart, move = (a[0] - b[0], a[1] - b[1]), (a_move[0] - b_move[0], a_move[1] - b_move[1])
    for c, s in directions:
        for x, y in ((c, s), (-s, c)):
            reach = 0
            for r, (rc, rs) in zip((a, b), directions):
                reach += r[2] * abs(x * rc + y * rs) + r[3] * abs(y * rc - x * rs)
            yield reach, *((p[0] * x + p[1] * y) << FRACTION_BITS for p in (apart, move))


def flags_of(boxes: Sequence[Numbers]) -> list[int]:
    """Return 1 for every box that overlaps another one, else 0."""
    flags = [0] * len(boxes)
    for i, j in combinations(range(len(boxes)), 2):
        if boxes_overlap(boxes[i], boxes[j]):
            flags[i] = flags[j] = 1
    return flags
