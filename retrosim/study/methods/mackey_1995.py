"""Mackey 1995: pixel masks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from retrosim.collide import masks
from retrosim.collide.kernels.shapes.masks import Masks, Placed, is_common, mark_pairs

from .. import exact
from ..method import (
    LISTS,
    OBJECTS,
    Call,
    Method,
    MethodCode,
    Of,
    RepeatedFrame,
    Unit,
    as_it_is,
    hits_of,
    integers,
    pair_frame,
)
from ..operations import Address
from ..scenes import Forms

SPRITE = "width:u2 height:u2"  # roms/masks/src/masks.c
PAIR = "a:u4 ax:i2 ay:i2 b:u4 bx:i2 by:i2 collided:u1 unused:u1 unused2:u2"


def prepare(forms: Forms, of: Of) -> RepeatedFrame:
    table = masks.pack(forms.sprites)
    across = table.words_per_row
    if of is not as_it_is:
        across = np.array([Address(words) for words in across], object)
    counted = Masks(of(table.words), table.first, across, of(table.width), of(table.height))
    x, y = (of(integers(column)) for column in forms.boxes.T[:2])
    placed = Placed(np.arange(forms.count, dtype=np.int32), x, y)
    return pair_frame(forms, mark_pairs, counted, placed, after=(masks.METHODS.index("dword"),))


def are_pixels_overlapping(forms: Forms, i: int, j: int) -> bool:
    ours, theirs = (forms.boxes[k, :2].tolist() for k in (i, j))
    return exact.pixels_overlap(forms.sprites[i], ours, forms.sprites[j], theirs)


def lay_out(unit: Unit, forms: Forms, entry: str) -> tuple[Call, Callable[[], object]]:
    table, address, addresses = masks.pack(forms.sprites), OBJECTS, []
    for first, width, height in zip(table.first, table.width, table.height):
        addresses.append(address)
        rows = unit.put(SPRITE, address, 1, width=width, height=height)
        unit.write(rows, table.words[first : first + height].astype(f"{unit.order}u4").tobytes())
        address = rows + 4 * int(height)
    pairs, columns = forms.scene.pairs, {}
    for side, numbers in zip("ab", pairs.T):
        columns[side] = np.array(addresses)[numbers]
        columns[f"{side}x"], columns[f"{side}y"] = forms.boxes[numbers, :2].T
    unit.put(PAIR, LISTS, len(pairs), **columns)
    read = lambda: unit.get(PAIR, LISTS, len(pairs))["collided"].tolist()  # noqa: E731
    return ("CollideList", (LISTS, len(pairs), unit.address(entry))), read


METHODS = (
    Method(
        name="masks",
        document="Mackey 1995",
        title="pixel masks",
        reference="pixels",
        test=is_common,
        prepare=prepare,
        exact=are_pixels_overlapping,
        routine=MethodCode("masks", "CollideDword", lay_out, hits_of),
    ),
)
