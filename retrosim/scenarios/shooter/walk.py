"""How the check of the ROM `shooter` is followed: every pair of records, in both orders, whose types allow it."""

from __future__ import annotations

from retrosim.scenarios.walks import Flag, ReadTest, Records, WalkSource

RECORDS = Records("gRecords", 63, first=4, last=12)

WALK = WalkSource(
    check="CheckAllObjects",
    tests=(ReadTest(RECORDS),),
    flags=(Flag("gRecords", "circles overlap"),),
)
