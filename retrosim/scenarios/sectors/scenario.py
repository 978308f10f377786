"""The scenario `sectors` around its rules: what the ROM draws, its state, and what it tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from retrosim.checks import check_integer
from retrosim.collide.documents.sectors import workspace
from retrosim.collide.kernels.pairs.sectors import COLUMNS, ROWS, SHIFT
from retrosim.jit import kernel
from retrosim.rom import Rom
from retrosim.screen.framebuffer import BLACK, WHITE
from retrosim.screen.shapes import CellGrid, Columns, Shapes, pairs_of, table

from ..scenario import Layout, Parameters, Scenario, SceneTarget, ShapeSource, check_span, targets_of
from ..shapes import both, centres, overlapping
from ..walks import HitFlag, ObjectRecords, ReadTest, Sectors, WalkSource
from . import rules
from .rules import SIDE

# What the `sectors` ROM draws, as kernels.


@kernel
def draw(boxes, screen):
    """Draw the objects in order on a white screen: colliding ones as a black outline, others in 50 % grey.

    boxes    Boxes            corners 0..610 and 0..450 pixels, so that nothing needs clipping
    screen   uint8[480, 640]  output, palette indices
    Source   Moertel 1994, _DrawObject: FrameRect in black, PaintRect in the pattern AA 55, anchored to the screen
    """
    corners, collided = boxes.corners, boxes.collided
    screen[:] = WHITE
    for i in range(len(collided)):
        left, top = int(corners[0, i]), int(corners[1, i])
        for row in range(top, top + SIDE):
            line = screen[row, left : left + SIDE]
            if not collided[i]:
                for column in range(SIDE):
                    line[column] = BLACK * (~(row ^ (left + column)) & 1)
            elif row == top or row == top + SIDE - 1:
                line[:] = BLACK
            else:
                line[0] = BLACK
                line[SIDE - 1] = BLACK


SPEED = -rules.MAX_SPEED_Q5, rules.MAX_SPEED_Q5
RANGES = {"px": (0, rules.MAX_X_Q5), "py": (0, rules.MAX_Y_Q5), "vx": SPEED, "vy": SPEED, "collided": (0, 1)}


class SectorsScenario(Scenario):
    """See `Scenario`."""

    mark = b"RSNATIVE"

    @staticmethod
    def layout(parameters: Parameters) -> Layout:
        objects = parameters["objects"]
        return [("<i2", (4, objects)), ("u1", (objects,))]

    def __init__(self, rom: Rom, parameters: Parameters) -> None:
        objects, self._seed = parameters["objects"], parameters["seed"]
        self.words = np.zeros(3, np.int64)
        self._boxes = rules.Game(
            motion=np.zeros((4, objects), np.int16),
            corners=np.zeros((2, objects), np.int16),
            collided=np.zeros(objects, np.uint8),
            words=self.words,
            work=workspace(objects),
        )

    def start(self) -> None:
        rules.start(self._boxes, self._seed)

    def run(self, pad: int, frames: int) -> None:
        rules.run_frames(self._boxes, pad, frames)

    def draw(self, screen: np.ndarray) -> None:
        draw(self._boxes, screen)

    def columns(self) -> dict[str, np.ndarray | list[int]]:
        return (
            self.numbers(len(self._boxes.collided), {})
            | dict(zip(("px", "py", "vx", "vy"), self._boxes.motion))
            | {"collided": self._boxes.collided}
        )

    def targets(self) -> dict[str, SceneTarget]:
        arrays = dict(zip(("px", "py", "vx", "vy"), self._boxes.motion)) | {"collided": self._boxes.collided}
        return targets_of(arrays, RANGES)

    def saved(self) -> list[np.ndarray]:
        return [self._boxes.motion, self._boxes.collided]

    def restore(self, arrays: Sequence[np.ndarray], placed: Mapping[str, np.ndarray]) -> None:
        motion, collided = arrays
        check_span("px", motion[0], *RANGES["px"])
        check_span("py", motion[1], *RANGES["py"])
        check_integer("greatest speed", np.abs(motion[2:].astype(int)).max(), 0, rules.MAX_SPEED_Q5)
        check_integer("greatest flag", collided.max(), 0, 1)
        self._boxes.motion[:], self._boxes.collided[:] = motion, collided
        self._boxes.corners[:] = motion[:2] >> 5


# What the ROM `sectors` tests: boxes of one size, those in a sector of any of four shifted grids.
#
# Of the sectors only those of the last pass are left in memory, so all four are found anew from the objects' positions,
# by the rule of `collide.sectors`: an object is in the sector of its corner.

LOG2_SIDE = 6
SHIFTS = ((0, 0), (0, SHIFT), (SHIFT, 0), (SHIFT, SHIFT))
"""Offsets (x, y) of the grid in the four passes, pixels; Moertel 1994, DetermineCollisions."""


def passes(x: np.ndarray, y: np.ndarray) -> tuple[tuple[CellGrid, ...], np.ndarray]:
    """Return the four grids, and which objects share a sector of any of them, bool[n, n], none of them off the grid."""
    grids, shared = [], np.zeros((len(x), len(x)), bool)
    for number, (dx, dy) in enumerate(SHIFTS, 1):
        column, row = (x + dx) >> LOG2_SIDE, (y + dy) >> LOG2_SIDE
        known = (column >= 0) & (column < COLUMNS) & (row >= 0) & (row < ROWS)
        sector = np.where(known, column * ROWS + row, -1 - np.arange(len(x)))
        shared |= sector[:, None] == sector
        counts = np.bincount(sector[known], minlength=COLUMNS * ROWS).reshape(COLUMNS, ROWS)
        name = f"pass {number} of {len(SHIFTS)}, grid shifted by ({dx}, {dy})"
        grids.append(CellGrid(name, -dx, -dy, 1 << LOG2_SIDE, counts))
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
OBJECTS = ObjectRecords("gObjects", 200, last=-LINKS)

WALK = WalkSource(
    check="DetermineCollisions",
    tests=(ReadTest(OBJECTS, ObjectRecords("Nodes", 200, last=4)), ReadTest(OBJECTS)),
    flags=(HitFlag("gCollisionArray", "overlap"),),
    passes="UpdateSectors",
    sectors=Sectors("CalcCollisionsInSector", ROWS, 1 << LOG2_SIDE),
)
