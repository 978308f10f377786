"""The oracle of contacts: one pair at a time, in fractions of Python's whole numbers.

A box is (x, y, width, height); a circle (x, y, radius); a move (x, y).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import isqrt

Numbers = tuple[int, ...]


def overlap(
    a: Numbers, b: Numbers, time: Fraction | int = 0, move_a: Numbers = (0, 0), move_b: Numbers = (0, 0)
) -> bool:
    """Tell whether two boxes, or two circles, overlap at a time; touching does not count."""
    way = [b[axis] - a[axis] + time * (move_b[axis] - move_a[axis]) for axis in (0, 1)]
    if len(a) == 3:
        return way[0] ** 2 + way[1] ** 2 < (a[2] + b[2]) ** 2
    return all(-b[axis + 2] < way[axis] < a[axis + 2] for axis in (0, 1))


def way_out(a: Numbers, b: Numbers) -> tuple[int, int]:
    """Return the shortest move along one axis after which the first box does not overlap the second any more."""
    ways = [(b[0] - a[0] - a[2], 0), (b[0] + b[2] - a[0], 0), (0, b[1] - a[1] - a[3]), (0, b[1] + b[3] - a[1])]
    return min(ways, key=lambda way: abs(way[0] + way[1]))


def box_impact(a: Numbers, b: Numbers, move_a: Numbers, move_b: Numbers) -> Fraction | None:
    """Return when two boxes begin to overlap, None for never.

    That is at 0, or where two sides meet, if they overlap right after. Between two of these
    times nothing changes, so the middle between one and the next tells.
    """
    times = {Fraction(0), Fraction(1)}
    for axis in (0, 1):
        way, speed = b[axis] - a[axis], move_b[axis] - move_a[axis]
        times |= {Fraction(limit - way, speed) for limit in (a[axis + 2], -b[axis + 2]) if speed}
    ordered = sorted(time for time in times if 0 <= time <= 1)
    for time, after in pairwise(ordered):
        if overlap(a, b, (time + after) / 2, move_a, move_b):
            return time
    return None


def does_circle_hit(a: Numbers, b: Numbers, move_a: Numbers, move_b: Numbers) -> bool:
    """Tell whether two circles overlap at any time: at the one at which they are nearest."""
    way = [b[axis] - a[axis] for axis in (0, 1)]
    speed = [move_b[axis] - move_a[axis] for axis in (0, 1)]
    square = speed[0] ** 2 + speed[1] ** 2
    nearest = Fraction(-(way[0] * speed[0] + way[1] * speed[1]), square) if square else Fraction(0)
    return overlap(a, b, min(Fraction(1), max(Fraction(0), nearest)), move_a, move_b)


def circle_impact(a: Numbers, b: Numbers, move_a: Numbers, move_b: Numbers) -> Fraction | None:
    """Return when two circles that meet are as far apart as their radii, None if that is no fraction.

    |way + time * speed| = reach is a quadratic equation; its earlier root is a fraction if that of the discriminant is.
    """
    way = [b[axis] - a[axis] for axis in (0, 1)]
    speed = [move_b[axis] - move_a[axis] for axis in (0, 1)]
    square, middle = speed[0] ** 2 + speed[1] ** 2, way[0] * speed[0] + way[1] * speed[1]
    discriminant = middle**2 - square * (way[0] ** 2 + way[1] ** 2 - (a[2] + b[2]) ** 2)
    root = isqrt(discriminant)
    return Fraction(-middle - root, square) if root**2 == discriminant else None
