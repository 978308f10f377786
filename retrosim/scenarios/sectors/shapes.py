"""What the ROM `sectors` tests: boxes of one size, those in a sector of any of four shifted grids.

Of the sectors only those of the last pass are left in memory, so all four are found anew from the objects' positions,
by the rule of `collide.sectors`: an object is in the sector of its corner.
"""

from __future__ import annotations

import numpy as np

from retrosim.collide.kernels.pairs.sector_grid import COLUMNS, ROWS, SHIFT
from retrosim.screen.shapes import Columns, Grid, Shapes, pairs_of, table

from ..scenario import ShapeSource
from ..shapes import both, centres, overlapping
from ..walks import Flag, ReadTest, Records, Sectors, WalkSource
from .rules import SIDE

LOG2_SIDE = 6
SHIFTS = ((0, 0), (0, SHIFT), (SHIFT, 0), (SHIFT, SHIFT))
"""Offsets (x, y) of the grid in the four passes, pixels; Moertel 1994, DetermineCollisions."""


def passes(x: np.ndarray, y: np.ndarray) -> tuple[tuple[Grid, ...], np.ndarray]:
    """Return the four grids, and which objects share a sector of any of them, bool[n, n], none of them off the grid."""
    grids, shared = [], np.zeros((len(x), len(x)), bool)
    for number, (dx, dy) in enumerate(SHIFTS, 1):
        column, row = (x + dx) >> LOG2_SIDE, (y + dy) >> LOG2_SIDE
        known = (column >= 0) & (column < COLUMNS) & (row >= 0) & (row < ROWS)
        sector = np.where(known, column * ROWS + row, -1 - np.arange(len(x)))
        shared |= sector[:, None] == sector
        counts = np.bincount(sector[known], minlength=COLUMNS * ROWS).reshape(COLUMNS, ROWS)
        name = f"pass {number} of {len(SHIFTS)}, grid shifted by ({dx}, {dy})"
        grids.append(Grid(name, -dx, -dy, 1 << LOG2_SIDE, counts))
    return tuple(grids), shared


def shapes(columns: Columns) -> Shapes:
    """Return the boxes; tested are all pairs that share a sector, the narrow phase is that of boxes."""
    x, y, hit = columns["px"] >> 5, columns["py"] >> 5, columns["collided"] != 0
    sides = np.full(len(x), SIDE)
    grids, shared = passes(x, y)
    tested = pairs_of(shared)
    judged = tested[both(hit, tested)]
    return Shapes(
        hit=hit,
        centres=centres((x, y, sides, sides)),
        boxes=table(np.arange(len(x)), x, y, x + SIDE, y + SIDE),
        tested=tested,
        hits=judged[overlapping((x, y, sides, sides), *judged.T)],
        grids=grids,
    )


SHAPES = ShapeSource(objects=("px", "py", "collided"), single=(), shapes=shapes)


# How the check of the ROM `sectors` is followed in every build.
#
# The hand-written build has neither passes nor lists: it compares each object with nodes, one per object in their
# order.

LINKS = 8  # bytes at the end of a record: two pointers
OBJECTS = Records("gObjects", 200, last=-LINKS)

WALK = WalkSource(
    check="DetermineCollisions",
    tests=(ReadTest(OBJECTS, Records("Nodes", 200, last=4)), ReadTest(OBJECTS)),
    flags=(Flag("gCollisionArray", "overlap"),),
    passes="UpdateSectors",
    sectors=Sectors("CalcCollisionsInSector", ROWS, 1 << LOG2_SIDE),
)
