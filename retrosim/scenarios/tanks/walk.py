"""How the check of the ROM `tanks` is followed: blocks have found all pairs before the line algorithm tests one."""

from __future__ import annotations

from retrosim.scenarios.walks import CalledTest, Flag, Records, WalkSource

WALK = WalkSource(
    check="DetermineClashes",
    tests=(CalledTest("LineOne", Records("gTanks", 65)),),
    flags=(Flag("gHitArray", "overlap"), Flag("gStruck", "the shell hits")),
)
