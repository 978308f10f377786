"""Boxes of a program that no module here knows, if its world has px, py, collided; wide, high where sides differ."""

from __future__ import annotations

import numpy as np

from retrosim.screen.shapes import Columns, Shapes, pairs_of, table

OBJECTS, SINGLE = ("px", "py", "collided"), ()
SIDE, LARGEST_SIDE = 30, 640
"""Pixels: of boxes that a world does not give sides, and what counts as one."""


Boxes = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Left, top, width, height, int[n] each."""


def overlapping(boxes: Boxes, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Tell whether boxes `a` and `b`, int[..], overlap: half open, the side of the one that begins first decides."""
    x, y, wide, high = boxes
    dx, dy = x[b] - x[a], y[b] - y[a]
    return (dx < wide[a]) & (-dx < wide[b]) & (dy < high[a]) & (-dy < high[b])


def middles(boxes: Boxes) -> np.ndarray:
    """Return the middles of boxes, int32[n, 2]."""
    x, y, wide, high = boxes
    return table(x + wide // 2, y + high // 2)


def both(flags: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Tell of which pairs both objects have their flag set, bool[m]."""
    return flags[pairs].all(axis=1)


def shapes(columns: Columns) -> Shapes:
    """Return the boxes, and as tested, for nothing else is known, the pairs that overlap."""
    x, y, hit = columns["px"] >> 5, columns["py"] >> 5, columns["collided"] != 0
    sides = [columns.get(name, ()) for name in ("wide", "high")]
    if [len(each) for each in sides] != [len(x)] * 2:
        sides = [np.full(len(x), SIDE)] * 2
    wide, high = np.clip(sides, 1, LARGEST_SIDE)
    every = np.arange(len(x))
    tested = pairs_of(overlapping((x, y, wide, high), every[:, None], every))
    return Shapes(
        hit=hit,
        centres=middles((x, y, wide, high)),
        boxes=table(every, x, y, x + wide, y + high),
        tested=tested,
        hits=tested[both(hit, tested)],
    )
