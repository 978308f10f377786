"""How the check of the ROM `sectors` is followed in every build.

The hand-written build has neither passes nor lists: it compares each object with nodes, one per object in their order.
"""

from __future__ import annotations

from retrosim.collide.kernels.sector_grid import ROWS
from retrosim.scenarios.walks import Flag, ReadTest, Records, Sectors, WalkSource

from .shapes import LOG2_SIDE

LINKS = 8  # bytes at the end of a record: two pointers
OBJECTS = Records("gObjects", 200, last=-LINKS)

WALK = WalkSource(
    check="DetermineCollisions",
    tests=(ReadTest(OBJECTS, Records("Nodes", 200, last=4)), ReadTest(OBJECTS)),
    flags=(Flag("gCollisionArray", "overlap"),),
    passes="UpdateSectors",
    sectors=Sectors("CalcCollisionsInSector", ROWS, 1 << LOG2_SIDE),
)
