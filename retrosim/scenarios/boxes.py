"""Boxes of a program that is not known here, if its world has px, py, collided; wide, high where sides differ."""

from __future__ import annotations

import numpy as np

from retrosim.screen.shapes import Columns, Shapes, pairs_of, table

from .scenario import ShapeSource

SIDE, MAX_SIDE = 30, 640
"""Pixels: of boxes that a world does not give sides, and what counts as one."""


Boxes = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Left, top, width, height, int[n] each."""


def overlapping(boxes: Boxes, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Tell whether boxes `a` and `b`, int[..], overlap: half open, the side of the one that begins first decides."""
    x, y, width, height = boxes
    dx, dy = x[b] - x[a], y[b] - y[a]
    return (dx < width[a]) & (-dx < width[b]) & (dy < height[a]) & (-dy < height[b])


def centres(boxes: Boxes) -> np.ndarray:
    """Return the centres of boxes, int32[n, 2]."""
    x, y, width, height = boxes
    return table(x + width // 2, y + height // 2)


def both(flags: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Tell of which pairs both objects have their flag set, bool[m]."""
    return flags[pairs].all(axis=1)


def shapes(columns: Columns) -> Shapes:
    """Return the boxes, and as tested, for nothing else is known, the pairs that overlap."""
    x, y, hit = columns["px"] >> 5, columns["py"] >> 5, columns["collided"] != 0
    sides = [columns.get(name, ()) for name in ("wide", "high")]
    if [len(each) for each in sides] != [len(x)] * 2:
        sides = [np.full(len(x), SIDE)] * 2
    width, height = np.clip(sides, 1, MAX_SIDE)
    every = np.arange(len(x))
    tested = pairs_of(overlapping((x, y, width, height), every[:, None], every))
    return Shapes(
        hit=hit,
        centres=centres((x, y, width, height)),
        boxes=table(every, x, y, x + width, y + height),
        tested=tested,
        hits=tested[both(hit, tested)],
    )


SHAPES = ShapeSource(objects=("px", "py", "collided"), single=(), shapes=shapes)
