"""The oracle of document 004 in plain Python: the object loop, the bitmap method, and objects that move in a frame.

An object is a dict with the record's fields, its shapes a list of (x, y, radius) or (x, y, width, height). Nothing here
is shared with the kernels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, MutableSequence, Sequence
from fractions import Fraction
from itertools import pairwise

SECANTS = [round(16384 * math.sqrt(1 + (i / 1024) ** 2)) for i in range(1025)]


def distance_2d(dx: int, dy: int) -> int:
    """Return the distance by secant of the smaller angle, rounded: nearest tangent, then nearest whole number."""
    short, long = sorted((abs(dx), abs(dy)))
    if not long:
        return 0
    return (long * SECANTS[(short * 1024 + long // 2) // long] + 8192) // 16384


def by_circles(dx: int, dy: int, a: Sequence[int], b: Sequence[int]) -> bool:
    return dx**2 + dy**2 < (a[2] + b[2]) ** 2


def by_distance_2d(dx: int, dy: int, a: Sequence[int], b: Sequence[int]) -> bool:
    return distance_2d(dx, dy) < a[2] + b[2]


def by_boxes(dx: int, dy: int, a: Sequence[int], b: Sequence[int]) -> bool:
    return -a[2] < dx < b[2] and -a[3] < dy < b[3]


def check_all(
    objects: Sequence[dict[str, int]],
    shapes: Sequence[Sequence[Sequence[int]]],
    test: Callable[[int, int, Sequence[int], Sequence[int]], bool] = by_circles,
) -> list[tuple[int, int]]:
    """Run the document's loop on objects with the shapes of the same number; return the pairs as they collide."""
    found = []
    for i in range(len(objects)):
        for j in range(len(objects)):
            if i != j and objects[i]["active"] and objects[j]["active"]:
                one, two = (i, j) if objects[i]["type"] == 1 else (j, i)
                if 0 in (objects[one]["detection"], objects[two]["detection"]):
                    continue
                if objects[two]["detection"] == 1 and objects[one]["type"] != 1:
                    continue
                if _meet(objects[one], shapes[one], objects[two], shapes[two], test):
                    for which in (one, two):
                        objects[which]["collided"], objects[which]["active"] = 1, 0
                    found.append((one, two))
    return found


def _meet(one: dict[str, int], its: Sequence, two: dict[str, int], others: Sequence, test: Callable) -> bool:
    for a in its:
        for b in others:
            dx, dy = one["x"] + a[0] - (two["x"] + b[0]), one["y"] + a[1] - (two["y"] + b[1])
            if test(dx, dy, a, b):
                return True
    return False


def look(
    frame: Sequence[MutableSequence[int]], image: Sequence[Sequence[int]], x: int, y: int, solid: Sequence[int]
) -> bool:
    """Tell whether the frame shows a solid colour under any opaque pixel of the image."""
    return any(frame[row][column] in solid for row, column, _ in _opaque(frame, image, x, y))


def draw(frame: Sequence[MutableSequence[int]], image: Sequence[Sequence[int]], x: int, y: int) -> None:
    for row, column, colour in _opaque(frame, image, x, y):
        frame[row][column] = colour


def _opaque(frame: Sequence[Sequence[int]], image: Sequence[Sequence[int]], x: int, y: int) -> list[tuple]:
    """Return (row, column, colour) of the opaque pixels that are on the frame."""
    return [
        (row, column, colour)
        for row, line in enumerate(image, y)
        for column, colour in enumerate(line, x)
        if colour and 0 <= row < len(frame) and 0 <= column < len(frame[0])
    ]


def boxes_meet_in_frame(apart: Sequence[int], move: Sequence[int], a: Sequence[int], b: Sequence[int]) -> bool:
    """Tell whether two boxes overlap at any time 0..1: tries every time at which that can change, and those between.

    apart  corner of `a` from that of `b` at time 0; move: of `a` less that of `b`; a, b: width, height
    """
    changes = {Fraction(0), Fraction(1)}
    for axis in (0, 1):
        if move[axis]:
            changes |= {Fraction(edge - apart[axis], move[axis]) for edge in (-a[axis], b[axis])}
    times = sorted(time for time in changes if 0 <= time <= 1)
    times += [(early + late) / 2 for early, late in pairwise(times)]
    return any(all(-a[axis] < apart[axis] + time * move[axis] < b[axis] for axis in (0, 1)) for time in times)


def circles_meet_in_frame(apart: Sequence[int], move: Sequence[int], reach: int) -> bool:
    """Tell whether two circles overlap at any time 0..1: they do if they do when they are nearest."""
    squared = move[0] ** 2 + move[1] ** 2
    nearest = Fraction(0)
    if squared:
        nearest = min(max(Fraction(-(apart[0] * move[0] + apart[1] * move[1]), squared), Fraction(0)), Fraction(1))
    return sum((d + nearest * v) ** 2 for d, v in zip(apart, move)) < reach**2
