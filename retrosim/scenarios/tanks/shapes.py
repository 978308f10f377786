"""What the ROM `tanks` tests: boxes that blocks bring together, then rectangles at any angle where boxes overlap."""

from __future__ import annotations

import numpy as np

from retrosim.collide.oracle.rectangles import Study, corners
from retrosim.rom.reading import Reader
from retrosim.scenarios.tanks.rules import COLUMNS, LOG2_BLOCK, ROWS
from retrosim.screen.shapes import Columns, Grid, Shapes, pairs_of, table

from ..boxes import both

OBJECTS = ("x", "y", "angle", "collided")
SINGLE = ("struck", "shell_x", "shell_y", "shell_angle", "shell_flies")
RECTANGLE_BYTES, HALF_WIDE_AT, HALF_HIGH_AT = 16, 8, 10  # struct rectangle, roms/shapes/src/shapes.h


def read(reader: Reader, columns: Columns) -> Columns:
    """Return `half`, int[n + 1, 2]: half sides of the tanks' rectangles and of the shell's, Q11.5."""
    count = len(columns["x"]) + 1
    sides = [reader.column("gTanks", at, RECTANGLE_BYTES, "s16", count) for at in (HALF_WIDE_AT, HALF_HIGH_AT)]
    if len(sides[0]) < count:
        raise ValueError(f"gTanks has {len(sides[0])} rectangles: {count} are needed")
    return {"half": np.stack(sides, axis=1)}


def block_grid(boxes: np.ndarray) -> Grid:
    """Return the blocks, with how many boxes reach into each. boxes: int[n, 4], left, top, right, bottom, inclusive."""
    held = np.zeros((COLUMNS + 1, ROWS + 1), int)
    left, top, right, bottom = np.clip(boxes.T >> LOG2_BLOCK, 0, np.array([[COLUMNS, ROWS] * 2]).T - 1)
    for column, change in ((left, 1), (right + 1, -1)):
        np.add.at(held, (column, top), change)
        np.add.at(held, (column, bottom + 1), -change)
    return Grid("blocks", 0, 0, 1 << LOG2_BLOCK, held.cumsum(axis=0).cumsum(axis=1)[:-1, :-1])


def shapes(columns: Columns) -> Shapes:
    """Return boxes and rectangles; tested are the pairs whose boxes overlap or touch, by the line algorithm.

    The shell, object n, is there as long as it flies and in the frame in which it hits; of the tanks it meets it
    strikes the first that is not the player's, and that is its hit. Corners and pairs are not left in memory: both
    follow from the rectangles that are, by the rules of document 003 as `collide.reference_rectangles` has them, which
    needs no compiler.
    """
    names, struck = ("x", "y", "angle"), int(columns["struck"][0])
    there = bool(columns["shell_flies"][0] or struck)
    x, y, angle = (np.append(columns[name], columns[f"shell_{name}"][: int(there)]) for name in names)
    count, half = len(columns["x"]), columns["half"][: len(x)]
    rectangles = np.stack([x, y, *half.T, angle], axis=1).tolist()
    points = np.array([corners(tuple(each)) for each in rectangles], np.int64).reshape(-1, 4, 2) >> 5
    low, high = points.min(axis=1), points.max(axis=1)
    near = ((low[:, None] <= high) & (high[:, None] >= low)).all(axis=2)
    tested = pairs_of(near)
    hit = np.append(columns["collided"], [struck] * there) != 0
    if 0 < struck < count:
        hit[struck] = True
    is_shot = tested[:, 1] == count
    judged = tested[both(hit, tested) & (~is_shot | (tested[:, 0] == struck))]
    found = [Study(tuple(rectangles[a]), tuple(rectangles[b])).line_1() for a, b in judged.tolist()]
    owner = np.arange(len(x))
    return Shapes(
        hit=hit,
        centres=table(x >> 5, y >> 5),
        boxes=table(owner, *low.T, *(high.T + 1)),
        polygons=table(owner, *points.reshape(-1, 8).T),
        tested=tested,
        hits=judged[np.array(found, bool)],
        grids=(block_grid(np.concatenate([low, high], axis=1)),),
    )
