"""The oracle of Jon E P 2007's object loop.

An object is a dict with the record's fields, its shapes a list of (x, y, radius) or (x, y, width, height).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

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
    """Run the loop on objects with the shapes of the same number; return the pairs in the order they collide."""
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
