"""The oracle of boxes of any size in a world: every pair, by intervals of Python's whole numbers.

A box is (x, y, width, height, category, mask).
"""

from __future__ import annotations

from collections.abc import Sequence

Box = tuple[int, int, int, int, int, int]


def do_meet(a: Box, b: Box, closed: bool) -> bool:
    """Tell whether two boxes may collide, and do."""
    if not (a[4] & b[5] and b[4] & a[5]):
        return False
    for axis in (0, 1):
        common = min(a[axis] + a[axis + 2], b[axis] + b[axis + 2]) - max(a[axis], b[axis])
        if common < 0 or (common == 0 and not closed):
            return False
    return True


def pairs(boxes: Sequence[Box], closed: bool) -> list[list[int]]:
    """List every pair of one scene."""
    count = len(boxes)
    return [[i, j] for i in range(count) for j in range(i + 1, count) if do_meet(boxes[i], boxes[j], closed)]


def pairs_between(boxes: Sequence[Box], others: Sequence[Box], closed: bool) -> list[list[int]]:
    """List every pair of two scenes."""
    return [[i, j] for i, a in enumerate(boxes) for j, b in enumerate(others) if do_meet(a, b, closed)]
