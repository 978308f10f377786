"""Rekaby 2011: boxes in blocks, spheres, rectangles at any angle."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from retrosim.collide.kernels.documents.blocks import Handlers, measure_plane, place_handlers, scan_blocks
from retrosim.collide.kernels.shapes.boxes import box_exit
from retrosim.collide.kernels.shapes.oriented import CHOICES, Rectangles, is_hit
from retrosim.collide.kernels.shapes.oriented import mark_pairs as mark_rectangles
from retrosim.collide.kernels.shapes.spheres import Spheres, is_meeting
from retrosim.collide.kernels.shapes.spheres import mark_pairs as mark_spheres

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
    integers,
    is_listed,
    pair_frame,
    pair_loop,
    pair_rows,
    pairs_of,
)
from ..scenes import Forms
from .no_collision_boxes_2011 import are_boxes_touching, put_shapes

LOG2_BLOCK = 6

# roms/shapes/src/shapes.h and blocks.h
SPHERE = "category:u2 mask:u2 x:i2 y:i2 z:i2 radius:i2"
RECTANGLE = "category:u2 mask:u2 x:i2 y:i2 half_width:i2 half_height:i2 angle:i2 unused:i2"
PLANE = (
    "boxes:u4 count:i4 log2_block:i4 heads:u4 handlers:u4 checks:u4 found:u4 capacity:i4 columns:i4 rows:i4 used:i4 "
    "total:i4"
)


def blocks(forms: Forms, of: Of) -> RepeatedFrame:
    left, top, size = (integers(column) for column in (forms.boxes[:, 0], forms.boxes[:, 1], forms.boxes[:, 2:]))
    columns, rows, count = measure_plane(left, top, size, LOG2_BLOCK)
    heads, tally = np.empty((columns, rows), np.int32), np.zeros((columns, rows), np.int64)
    handlers = Handlers(heads, np.empty(count, np.int32), np.empty(count, np.int32))
    boxes, found = (of(left), of(top), of(size), LOG2_BLOCK), pair_rows(forms)
    calls = [
        (measure_plane, boxes),
        (place_handlers, (*boxes, handlers)),
        (scan_blocks, (*boxes, handlers, found, tally)),
    ]
    return RepeatedFrame(calls, lambda: is_listed(forms, found))


def spheres(forms: Forms, of: Of) -> RepeatedFrame:
    x, y = (of(integers(column)) for column in (forms.scene.x, forms.scene.y))
    z, radius = of(np.zeros(forms.count, np.int32)), of(integers(forms.radius, np.uint16))
    return pair_frame(forms, mark_spheres, Spheres(x, y, z, radius))


def are_spheres_overlapping(forms: Forms, i: int, j: int) -> bool:
    """The scenes are flat, so spheres are circles."""
    return exact.circles_overlap(forms.circle_at(i), forms.circle_at(j))


def rectangles(method: str) -> Callable[[Forms, Of], RepeatedFrame]:
    def prepare(forms: Forms, of: Of) -> RepeatedFrame:
        scene = forms.scene
        x, y = (of(integers(column.astype(int) * 32, np.int16)) for column in (scene.x, scene.y))
        out = np.zeros(len(scene.pairs), np.uint8)
        arguments = (Rectangles(x, y, of(scene.half), scene.angle), scene.pairs, CHOICES[method], out, None)
        return RepeatedFrame([(mark_rectangles, arguments)], lambda: out)

    return prepare


def are_rectangles_meeting(forms: Forms, i: int, j: int) -> bool:
    return exact.rectangles_meet(forms.scene.rectangle(i), forms.scene.rectangle(j))


def lay_out_plane(unit: Unit, forms: Forms, entry: str) -> tuple[Call, Callable[[], object]]:
    put_shapes(unit, forms, False)
    columns = {"boxes": OBJECTS, "count": forms.count, "log2_block": LOG2_BLOCK, "heads": WORK}
    count = np.prod(((forms.boxes[:, :2] + forms.boxes[:, 2:]).max(axis=0) >> LOG2_BLOCK) + 1)
    columns |= {"handlers": WORK + 4 * int(count), "found": FOUND, "capacity": len(forms.scene.pairs)}
    unit.put(PLANE, LISTS, 1, **columns)
    return (entry, (LISTS, 1)), lambda: unit.found(LISTS, PLANE)


def put_spheres(unit: Unit, forms: Forms) -> None:
    unit.put(SPHERE, OBJECTS, forms.count, x=forms.scene.x, y=forms.scene.y, radius=forms.radius)


def put_rectangles(unit: Unit, forms: Forms) -> None:
    x, y, half = forms.scene.x.astype(int) * 32, forms.scene.y.astype(int) * 32, forms.scene.half
    columns = {"half_width": half[:, 0], "half_height": half[:, 1], "angle": forms.scene.angle}
    unit.put(RECTANGLE, OBJECTS, forms.count, x=x, y=y, **columns)


def rectangle_method(name: str, title: str, entry: str) -> Method:
    return Method(
        name=name,
        document="Rekaby 2011",
        title=title,
        reference="rectangles by separating axes",
        test=is_hit,
        prepare=rectangles(name.replace("-", "_")),
        exact=are_rectangles_meeting,
        routine=MethodCode("shapes", entry, pair_loop(RECTANGLE, put_rectangles), pairs_of),
        is_exact=False,
    )


METHODS = (
    Method(
        name="blocks",
        document="Rekaby 2011",
        title="boxes in blocks",
        reference="boxes, closed",
        test=box_exit,
        prepare=blocks,
        exact=are_boxes_touching,
        routine=MethodCode("shapes", "CheckPlanes", lay_out_plane, pairs_of),
    ),
    Method(
        name="spheres",
        document="Rekaby 2011",
        title="spheres",
        reference="spheres, open",
        test=is_meeting,
        prepare=spheres,
        exact=are_spheres_overlapping,
        routine=MethodCode("shapes", "SpheresMeet", pair_loop(SPHERE, put_spheres), pairs_of),
    ),
    rectangle_method("point-1", "point algorithm 1", "PointOne"),
    rectangle_method("point-2", "point algorithm 2", "PointTwo"),
    rectangle_method("line-1", "line algorithm 1", "LineOne"),
)
