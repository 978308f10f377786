"""How the check of the ROM `xquest` is followed: boxes first, masks where these overlap."""

from __future__ import annotations

from retrosim.collide.kernels.sector_grid import ROWS
from retrosim.scenarios.sectors.shapes import LOG2_SIDE
from retrosim.scenarios.sectors.walk import OBJECTS
from retrosim.scenarios.walks import CalledTest, Flag, Sectors, WalkSource

WALK = WalkSource(
    check="DetermineTouches",
    tests=(CalledTest("BoxesOverlap", OBJECTS),),
    flags=(
        Flag("gBoxArray", "boxes overlap, but no pixel does", is_hit=False),
        Flag("gCollisionArray", "pixels overlap"),
    ),
    passes="UpdateSectors",
    sectors=Sectors("CalcTouchesInSector", ROWS, 1 << LOG2_SIDE),
)
