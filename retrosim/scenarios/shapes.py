"""What the programs test, found from the running machine after a frame: for overlays and figures.

Nothing here runs a scenario: what is not left in memory follows from what is, and the docstrings of each scenario's
shapes say by whose rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from retrosim.screen.shapes import CellGrid, Columns, Shapes, pairs_of, table

from . import SCENARIOS, load_shapes
from .scenario import ShapeSource

__all__ = ["CellGrid", "Columns", "ShapeSource", "Shapes", "shapes_of"]

MAX_OBJECTS = 1000  # more cannot be shown
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


def _boxes_of(columns: Columns) -> Shapes:
    """Return the boxes of a program that is not known here: as tested, for nothing else is known, those that overlap.

    columns  px, py, collided; wide, high where sides differ
    """
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


BOXES = ShapeSource(objects=("px", "py", "collided"), single=(), shapes=_boxes_of)


def _is_whole(source: ShapeSource, world: Mapping[str, np.ndarray]) -> bool:
    """Tell whether a world has the columns of a source: a ROM may have any name, a program's count may be anything."""
    if not {*source.objects, *source.single} <= world.keys():
        return False
    counts = {len(world[name]) for name in source.objects}
    return len(counts) == 1 and max(counts) <= MAX_OBJECTS and all(len(world[name]) == 1 for name in source.single)


def shapes_of(
    program: str, world: Mapping[str, np.ndarray], auxiliary: Callable[[ShapeSource, Columns], Columns]
) -> Shapes | None:
    """Return what a program tests.

    program    name of the ROM; one that is not known here has boxes, if its world is like that of `sectors`
    world      columns, name -> int32[n]
    auxiliary  gives the columns that a source needs besides; a ValueError says that the program has them not
    Returns    None if the world has no objects of such a kind, or more than can be shown
    """
    columns = {name: np.asarray(column, np.int64) for name, column in world.items()}
    source = load_shapes(program) if program in SCENARIOS else BOXES
    if _is_whole(source, columns):
        try:
            more = auxiliary(source, columns)
        except ValueError:
            more = None
        if more is not None:
            return source.shapes({**columns, **more})
    return _boxes_of(columns) if _is_whole(BOXES, columns) else None
