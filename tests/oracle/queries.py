"""The oracle of questions to a scene: one box and one query at a time, in fractions of Python's whole numbers.

A box is (left, top, right, bottom), sides included.
"""

from __future__ import annotations

from fractions import Fraction

Box = tuple[int, int, int, int]


def squared_distance(box: Box, x: int, y: int) -> int:
    """Return how far a point is from a box, squared."""
    nearest = min(max(x, box[0]), box[2]), min(max(y, box[1]), box[3])
    return (nearest[0] - x) ** 2 + (nearest[1] - y) ** 2


def entry(box: Box, x0: int, y0: int, x1: int, y1: int) -> Fraction | None:
    """Return how far along a segment the first point of a box is, None if there is none.

    That is its beginning, or a point on one of the four lines through the sides: each is tried.
    """
    times = [Fraction(0)]
    for begin, end, sides in ((x0, x1, box[0::2]), (y0, y1, box[1::2])):
        times += [Fraction(side - begin, end - begin) for side in sides if end != begin]
    on_box = [
        time
        for time in times
        if 0 <= time <= 1 and box[0] <= x0 + time * (x1 - x0) <= box[2] and box[1] <= y0 + time * (y1 - y0) <= box[3]
    ]
    return min(on_box, default=None)
