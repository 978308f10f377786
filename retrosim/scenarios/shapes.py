"""What the routines of the scenarios test, read from the running machine after a frame: for overlays and figures.

Each module has the columns it needs of a world (OBJECTS, all of one length, and SINGLE), `shapes`, and, where the world
does not have all that the routine reads, `read`, which finds the rest in a simulated machine's memory; the native
machine has it in its own arrays. Nothing here runs a scenario: what is not left in memory follows from what is, and the
docstrings say by whose rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType

import numpy as np

from retrosim.rom.reading import Reader
from retrosim.screen.shapes import Columns, Grid, Shapes

from . import boxes
from .sectors import shapes as sectors
from .shooter import shapes as shooter
from .tanks import shapes as tanks
from .tunnel import shapes as tunnel
from .xquest import shapes as xquest

__all__ = ["Columns", "Grid", "Shapes", "shapes_of"]

MODULES: dict[str, ModuleType] = {
    "sectors": sectors,
    "shooter": shooter,
    "tanks": tanks,
    "tunnel": tunnel,
    "xquest": xquest,
}
"""By the name of the ROM."""
MAX_OBJECTS = 1000  # more cannot be shown


def _is_whole(module: ModuleType, world: Mapping[str, np.ndarray]) -> bool:
    """Tell whether a world has a module's columns: a ROM may have any name, a program's own count may be anything."""
    if not {*module.OBJECTS, *module.SINGLE} <= world.keys():
        return False
    counts = {len(world[name]) for name in module.OBJECTS}
    return len(counts) == 1 and max(counts) <= MAX_OBJECTS and all(len(world[name]) == 1 for name in module.SINGLE)


def shapes_of(
    program: str,
    world: Mapping[str, np.ndarray],
    beside: Callable[[ModuleType, Columns], Columns | None],
) -> Shapes | None:
    """Return what a program tests.

    program  name of the ROM; one that is not known here has boxes, if its world is like that of `sectors`
    world    columns, name -> int32[n]
    beside   gives the columns beside the world that a module needs, or None for a program that has them not
    Returns  None if the world has no objects of such a kind, or more than can be shown
    """
    columns = {name: np.asarray(column, np.int64) for name, column in world.items()}
    module = MODULES.get(program, boxes)
    if _is_whole(module, columns):
        more = beside(module, columns)
        if more is not None:
            return module.shapes(columns | more)
    return boxes.shapes(columns) if _is_whole(boxes, columns) else None


def read_beside(reader: Reader, module: ModuleType, columns: Columns) -> Columns | None:
    """Return what memory holds beside the world, or None for another program of that name: it lacks the symbols."""
    if not hasattr(module, "read"):
        return {}
    try:
        return module.read(reader, columns)
    except ValueError:
        return None
