"""The boxes nearest to points: squares around a point grow until there are enough boxes in one.

The nearest are then no farther than the corners of that square, so in the circle through these.
"""

from __future__ import annotations

import numpy as np

from retrosim.jit import kernel

from .hierarchical_grid import ANY, BOTTOM, LEFT, PAIRS, RIGHT, TOP, WORD, search
from .uniform_grid import MAX_COUNTED

MAX_RADIUS = (1 << 31) - 1
MIN_COORDINATE, MAX_COORDINATE = -(1 << 31), (1 << 31) - 1


@kernel
def square_distance(scene, number, x, y):
    """Return the square of the distance of a point from a box, of up to 63 bits."""
    across = max(0, scene[number, LEFT] - x, x - scene[number, RIGHT])
    down = max(0, scene[number, TOP] - y, y - scene[number, BOTTOM])
    return across * across + down * down


@kernel
def list_nearest(scene, work, order, cursors, points, radius, numbers):
    """Find the boxes nearest to points, by distance and then by number.

    scene, work, order  int32[n, 6] and what `hierarchical_grid.sort_scene` made of it; n at least k
    cursors             see `hierarchical_grid.search`; changed
    points              int64[q, 2]  32 bits signed
    radius              int          of the first squares, 1 or more
    numbers             int32[q, k]  output; a row is left as it is if its squares would be of more than 64 bits
    """
    wanted, found, nothing = numbers.shape[1], np.empty(order.count, np.int64), np.empty(0, np.int32)
    asked, squares = np.zeros((1, WORD + 1), np.int32), np.empty(wanted, np.int64)
    for q in range(len(points)):
        x, y, reach, is_enough = points[q, 0], points[q, 1], radius, False
        while reach <= MAX_RADIUS:
            asked[0, LEFT], asked[0, RIGHT] = max(MIN_COORDINATE, x - reach), min(MAX_COORDINATE, x + reach)
            asked[0, TOP], asked[0, BOTTOM] = max(MIN_COORDINATE, y - reach), min(MAX_COORDINATE, y + reach)
            total = search(asked, 0, 1, 1, work, order, cursors, nothing, ANY, PAIRS, found, nothing, MAX_COUNTED)
            if is_enough:
                break
            is_enough = total >= wanted
            reach = reach * 1449 // 1024 + 1 if is_enough else 2 * reach  # a little more than the square root of 2
        if reach > MAX_RADIUS:
            continue
        kept = 0
        for f in range(total):
            number = np.int64(found[f] & 0xFFFFFFFF)
            square = square_distance(scene, number, x, y)
            if kept == wanted and (square, number) >= (squares[kept - 1], np.int64(numbers[q, kept - 1])):
                continue
            at = kept if kept < wanted else kept - 1
            while at and (square, number) < (squares[at - 1], np.int64(numbers[q, at - 1])):
                squares[at], numbers[q, at] = squares[at - 1], numbers[q, at - 1]
                at -= 1
            squares[at], numbers[q, at] = square, number
            kept = min(kept + 1, wanted)
