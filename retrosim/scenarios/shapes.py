"""What the programs test, found from the running machine after a frame: for overlays and figures.

Nothing here runs a scenario: what is not left in memory follows from what is, and the docstrings of each scenario's
shapes say by whose rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from retrosim.screen.shapes import Columns, Grid, Shapes

from . import SCENARIOS, boxes, load_shapes
from .scenario import ShapeSource

__all__ = ["Columns", "Grid", "ShapeSource", "Shapes", "shapes_of"]

MAX_OBJECTS = 1000  # more cannot be shown


def _is_whole(source: ShapeSource, world: Mapping[str, np.ndarray]) -> bool:
    """Tell whether a world has the columns of a source: a ROM may have any name, a program's count may be anything."""
    if not {*source.objects, *source.single} <= world.keys():
        return False
    counts = {len(world[name]) for name in source.objects}
    return len(counts) == 1 and max(counts) <= MAX_OBJECTS and all(len(world[name]) == 1 for name in source.single)


def shapes_of(
    program: str,
    world: Mapping[str, np.ndarray],
    auxiliary: Callable[[ShapeSource, Columns], Columns],
) -> Shapes | None:
    """Return what a program tests.

    program    name of the ROM; one that is not known here has boxes, if its world is like that of `sectors`
    world      columns, name -> int32[n]
    auxiliary  gives the columns that a source needs besides; a ValueError says that the program has them not
    Returns    None if the world has no objects of such a kind, or more than can be shown
    """
    columns = {name: np.asarray(column, np.int64) for name, column in world.items()}
    source = load_shapes(program) if program in SCENARIOS else boxes.SHAPES
    if _is_whole(source, columns):
        try:
            more = auxiliary(source, columns)
        except ValueError:
            more = None
        if more is not None:
            return source.shapes({**columns, **more})
    return boxes.shapes(columns) if _is_whole(boxes.SHAPES, columns) else None
