"""How the check of the ROM `gallery` is followed: passes and sectors where it uses these, pair tests in any case."""

from __future__ import annotations

from retrosim.scenarios.walks import CalledTest, Flag, Sectors, WalkSource

from .rules import LOG2_SECTOR, SECTOR_ROWS

WALK = WalkSource(
    check="DetermineCollisions",
    tests=(CalledTest("TestPair"),),
    flags=(Flag("gFound", "collision"),),
    passes="UpdateSectors",
    sectors=Sectors("CalcCollisionsInSector", SECTOR_ROWS, 1 << LOG2_SECTOR),
)
