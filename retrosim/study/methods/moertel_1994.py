"""Moertel 1994: squares on the screen, by sectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from retrosim.collide import workspace
from retrosim.collide.kernels.pairs.sectors import (
    LOG2_SECTOR,
    ROWS,
    SECTORS,
    HalfOpenBoxes,
    is_overlap,
    scan_four_shifts,
    scan_nine,
)

from .. import exact
from ..method import (
    FOUND,
    LISTS,
    OBJECTS,
    WORK,
    Call,
    Method,
    MethodCode,
    Of,
    RepeatedFrame,
    Unit,
    flags_of,
    integers,
    is_listed,
    pair_rows,
)
from ..scenes import SQUARE, Forms

SQUARE_RECORD = "x:s y:s sector_link:u4 link:u4"  # roms/sectors/src
NINE = "objects:u4 count:i4 heads:u4 gathered:u4 lengths:u4 collided:u4"  # roms/shapes/src/nine.h


def sectors(scan: Any, *grid: int) -> Callable[[Forms, Of], RepeatedFrame]:
    def prepare(forms: Forms, of: Of) -> RepeatedFrame:
        found, count = pair_rows(forms, 9), forms.count
        x, y = (of(integers(column)) for column in forms.squares.T)
        side = of(np.full(count, SQUARE, np.int32))
        flags, tally = np.zeros(count, np.uint8), np.zeros(SECTORS, np.int64)
        arguments = (HalfOpenBoxes(x, y, side, side), True, workspace(count), flags, found, tally, *grid)
        return RepeatedFrame([(scan, arguments)], lambda: is_listed(forms, found))

    return prepare


def is_colliding(forms: Forms, i: int, j: int) -> bool:
    a, b = ((*forms.squares[k].tolist(), SQUARE, SQUARE) for k in (i, j))
    return exact.boxes_overlap(a, b)


def lay_out_sectors(unit: Unit, forms: Forms, entry: str) -> tuple[Call, Callable[[], object]]:
    """Move the objects of the program, which has linked them in its first frame."""
    if unit.frame_number == 0:
        unit.run(frames=1)
    start = unit.address("gObjects")
    links = start + unit.kind(SQUARE_RECORD).itemsize * np.arange(1, forms.count + 1)
    links[-1] = 0
    unit.put(SQUARE_RECORD, start, forms.count, x=forms.squares[:, 0], y=forms.squares[:, 1], link=links)
    flags = unit.address("gCollisionArray")
    return (entry, ()), lambda: unit.mem[flags : flags + forms.count].tolist()


def lay_out_nine(unit: Unit, forms: Forms, entry: str) -> tuple[Call, Callable[[], object]]:
    unit.put(SQUARE_RECORD, OBJECTS, forms.count, x=forms.squares[:, 0], y=forms.squares[:, 1])
    columns = {"objects": OBJECTS, "count": forms.count, "heads": WORK, "gathered": WORK + 4 * SECTORS}
    unit.put(NINE, LISTS, 1, **columns, collided=FOUND)
    return (entry, (LISTS,)), lambda: unit.mem[FOUND : FOUND + forms.count].tolist()


METHODS = (
    Method(
        name="four-shifts",
        document="Moertel 1994",
        title="sectors in four passes",
        reference="squares, half open",
        test=is_overlap,
        prepare=sectors(scan_four_shifts, LOG2_SECTOR, ROWS),
        exact=is_colliding,
        routine=MethodCode("sectors", "DetermineCollisions", lay_out_sectors, flags_of),
    ),
    Method(
        name="nine-sectors",
        document="Moertel 1994",
        title="nine adjacent sectors",
        reference="squares, half open",
        test=is_overlap,
        prepare=sectors(scan_nine),
        exact=is_colliding,
        routine=MethodCode("shapes", "CheckNineSectors", lay_out_nine, flags_of),
    ),
)
