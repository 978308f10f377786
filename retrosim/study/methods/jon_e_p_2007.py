"""Jon E P 2007: objects of several circles, colours on the screen, objects that move during the frame."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from retrosim.collide.documents import bitmap
from retrosim.collide.kernels.documents import objects, swept
from retrosim.collide.kernels.documents.bitmap import Images, image_of, is_solid_under, look_and_paint, paint
from retrosim.collide.kernels.pairs.sectors import SCREEN_HEIGHT, SCREEN_WIDTH
from retrosim.collide.kernels.shapes.masks import Placed
from retrosim.jit import kernel

from .. import exact
from ..method import (
    FOUND,
    FOUND_PAIR,
    LISTS,
    OBJECTS,
    WORK,
    Call,
    Layout,
    Method,
    MethodCode,
    Of,
    RepeatedFrame,
    Unit,
    as_it_is,
    hits_of,
    integers,
    pair_frame,
    result_of,
)
from ..scenes import Forms
from .mackey_1995 import are_pixels_overlapping

# roms/objects/src/objects.h and lists.c
OBJECT = "type:i1 active:u1 detection:u1 collided:u1 x:i4 y:i4 first:i2 count:i2"
GAME = "objects:u4 count:i4 shapes:u4 found:u4 total:i4"
IMAGE = "width:i2 height:i2"
PLACED = "image:u4 x:i2 y:i2 hit:u4"
MOVING_PAIR = (
    "x:i4 y:i4 move_x:i2 move_y:i2 width:i2 height:i2 "
    "x2:i4 y2:i4 move_x2:i2 move_y2:i2 width2:i2 height2:i2 hit:i4"
)  # fmt: skip


def circles(forms: Forms, of: Of) -> RepeatedFrame:
    at_first, shapes = forms.records
    method, pairs = objects.METHODS.index("circles"), forms.scene.pairs
    records, found, out = at_first.copy(), np.empty((forms.count // 2, 2), np.int32), np.zeros(len(pairs), np.uint8)
    fields = at_first.dtype.names or ()
    if of is not as_it_is:
        records = np.empty(forms.count, [(name, object) for name in fields])

    def fresh() -> None:
        for name in fields:
            records[name] = of(at_first[name]) if name in "xy" else at_first[name]
        found[:] = -1

    def hits() -> np.ndarray:
        objects.mark_pairs(at_first, shapes, pairs, method, out)
        return out

    fresh()
    return RepeatedFrame([(objects.scan_objects, (records, of(shapes), method, found))], hits, fresh, found)


def are_circles_overlapping(forms: Forms, i: int, j: int) -> bool:
    scene = forms.scene
    ours, theirs = (
        [(int(scene.x[k]) + x, int(scene.y[k]) + y, radius) for x, y, radius in forms.circles[k]] for k in (i, j)
    )
    return any(exact.circles_overlap(a, b) for a in ours for b in theirs)


@kernel
def look_and_erase(frame, images, placed, solid, pairs, out):
    """Draw the first of each pair alone on an empty screen and look under the second; as `bitmap.look`.

    pairs  int32[m, 2]  indices
    out    uint8[m]     output
    """
    pixels, first, width, height = images
    shape, x, y = placed
    for p in range(len(pairs)):
        a, b = pairs[p, 0], pairs[p, 1]
        one, two = image_of(first, width, height, shape[a]), image_of(first, width, height, shape[b])
        left, top = int(x[a]), int(y[a])
        paint(frame, pixels, one, left, top)
        out[p] = is_solid_under(frame, pixels, two, int(x[b]), int(y[b]), solid)
        frame[max(top, 0) : top + one[2], max(left, 0) : left + one[1]] = 0


def colours(forms: Forms, of: Of) -> RepeatedFrame:
    images = bitmap.pack(forms.sprites)
    left, top = (integers(column) for column in forms.boxes.T[:2])
    placed = Placed(np.arange(forms.count, dtype=np.int32), left, top)
    solid = np.zeros(256, np.uint8)
    solid[1] = 1
    frame = np.zeros((SCREEN_HEIGHT, SCREEN_WIDTH), np.uint8)
    counted = Images(of(images.pixels), *images[1:])
    pairs = forms.scene.pairs
    out = np.zeros(len(pairs), np.uint8)

    def fresh() -> None:
        frame[:] = 0

    def hits() -> np.ndarray:
        fresh()
        look_and_erase(frame, images, placed, solid, pairs, out)
        return out

    flags = np.zeros(forms.count, np.uint8)
    return RepeatedFrame([(look_and_paint, (frame, counted, placed, of(solid), flags))], hits, fresh, flags)


def starts(forms: Forms, is_circle: bool) -> np.ndarray:
    """Return where centres of circles or corners of boxes are when the frame begins, int[n, 2]."""
    scene = forms.scene
    ends = np.stack([scene.x, scene.y], axis=1) if is_circle else forms.boxes[:, :2]
    return ends.astype(int) - scene.move


def moving(is_circle: bool) -> Callable[[Forms, Of], RepeatedFrame]:
    def prepare(forms: Forms, of: Of) -> RepeatedFrame:
        x, y = (of(integers(column)) for column in starts(forms, is_circle).T)
        move_x, move_y = (of(integers(column)) for column in forms.scene.move.T)
        size = None if is_circle else of(integers(forms.boxes[:, 2:]))
        radius = of(integers(forms.radius, np.uint16)) if is_circle else None
        return pair_frame(forms, swept.mark_pairs, swept.Moving(x, y, move_x, move_y), size, radius)

    return prepare


def are_boxes_overlapping_in_frame(forms: Forms, i: int, j: int) -> bool:
    corners, sides, move = starts(forms, False).tolist(), forms.boxes[:, 2:].tolist(), forms.scene.move.tolist()
    return exact.boxes_overlap_in_frame(corners[i] + sides[i], move[i], corners[j] + sides[j], move[j])


def are_circles_overlapping_in_frame(forms: Forms, i: int, j: int) -> bool:
    centres, move = starts(forms, True).tolist(), forms.scene.move.tolist()
    a, b = ([*centres[k], int(forms.radius[k])] for k in (i, j))
    return exact.circles_overlap_in_frame(a, move[i], b, move[j])


def lay_out_game(unit: Unit, forms: Forms, entry: str) -> tuple[Call, Callable[[], object]]:
    records, shapes = forms.records
    unit.put(OBJECT, OBJECTS, forms.count, **{name: records[name] for name in records.dtype.names or ()})
    unit.write(WORK, shapes.astype(f"{unit.order}i2").tobytes())
    unit.put(GAME, LISTS, 1, objects=OBJECTS, count=forms.count, shapes=WORK, found=FOUND)

    def read() -> list[list[int]]:
        total = int(unit.get(GAME, LISTS, 1)["total"][0])
        found = [[int(a), int(b)] for a, b in unit.get(FOUND_PAIR, FOUND, total)]
        return found + [[-1, -1]] * (forms.count // 2 - total)

    return ("CheckScenes", (LISTS, 1, unit.address(entry))), read


def lay_out_screen(unit: Unit, forms: Forms, entry: str) -> tuple[Call, Callable[[], object]]:
    """Empty the screen, which is a program's own work whatever the method, and lay the images out for LookList."""
    address, images = OBJECTS, []
    for sprite in forms.sprites:
        images.append(address)
        pixels = unit.put(IMAGE, address, 1, width=sprite.shape[1], height=sprite.shape[0])
        unit.write(pixels, sprite.tobytes())
        address = pixels + -(-sprite.size // 4) * 4
    unit.frame[:] = 0
    unit.write(WORK, bytes([0, 1]) + bytes(254))  # colour 1 is solid
    unit.put(PLACED, LISTS, forms.count, image=images, x=forms.boxes[:, 0], y=forms.boxes[:, 1])
    read = lambda: unit.get(PLACED, LISTS, forms.count)["hit"].tolist()  # noqa: E731
    return (entry, (LISTS, forms.count, WORK, 1)), read


def lay_out_movers(is_circle: bool) -> Layout:
    """Lay all pairs of moving objects out for SweepList."""

    def lay_out(unit: Unit, forms: Forms, entry: str) -> tuple[Call, Callable[[], object]]:
        pairs = forms.scene.pairs
        sides = np.stack([forms.radius] * 2, axis=1) if is_circle else forms.boxes[:, 2:]
        table = np.hstack([starts(forms, is_circle), forms.scene.move, sides])
        names = ("x", "y", "move_x", "move_y", "width", "height")
        columns: dict[str, np.ndarray] = {}
        for suffix, numbers in zip(("", "2"), pairs.T):
            columns |= {name + suffix: column for name, column in zip(names, table[numbers].T)}
        unit.put(MOVING_PAIR, LISTS, len(pairs), **columns)
        read = lambda: unit.get(MOVING_PAIR, LISTS, len(pairs))["hit"].tolist()  # noqa: E731
        return ("SweepList", (LISTS, len(pairs), unit.address(entry))), read

    return lay_out


METHODS = (
    Method(
        name="objects",
        document="Jon E P 2007",
        title="several circles an object",
        reference="circles, open",
        test=objects.is_object_hit,
        prepare=circles,
        exact=are_circles_overlapping,
        routine=MethodCode("objects", "CirclesMeet", lay_out_game, result_of),
    ),
    Method(
        name="bitmap",
        document="Jon E P 2007",
        title="colours on the screen",
        reference="pixels",
        test=is_solid_under,
        prepare=colours,
        exact=are_pixels_overlapping,
        routine=MethodCode("objects", "LookList", lay_out_screen, result_of),
    ),
    Method(
        name="swept-boxes",
        document="Jon E P 2007",
        title="boxes that move",
        reference="boxes in all the frame, open",
        test=swept.is_hit,
        prepare=moving(is_circle=False),
        exact=are_boxes_overlapping_in_frame,
        routine=MethodCode("objects", "BoxesMeetInFrame", lay_out_movers(is_circle=False), hits_of),
    ),
    Method(
        name="swept-circles",
        document="Jon E P 2007",
        title="circles that move",
        reference="circles in all the frame, open",
        test=swept.is_hit,
        prepare=moving(is_circle=True),
        exact=are_circles_overlapping_in_frame,
        routine=MethodCode("objects", "CirclesMeetInFrame", lay_out_movers(is_circle=True), hits_of),
    ),
)
