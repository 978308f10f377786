"""No-collision boxes 2011: boxes and circles, every pair."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from retrosim.collide.kernels.shapes.boxes import BoxesAndCircles, Filter, box_exit, box_exit_two, scan_pairs

from .. import exact
from ..method import (
    EVERYONE,
    OBJECTS,
    Method,
    MethodCode,
    Of,
    RepeatedFrame,
    Unit,
    integers,
    is_listed,
    pair_loop,
    pair_rows,
    pairs_of,
)
from ..scenes import Forms

SHAPE = "category:u2 mask:u2 x:i2 y:i2 width:i2 height:i2 is_circle:u2 unused:u2"  # roms/shapes/src/shapes.h


def box_rows(forms: Forms, is_circle: bool) -> np.ndarray:
    """Return the boxes, or those around the circles."""
    if not is_circle:
        return forms.boxes
    r = forms.radius
    return np.stack([forms.scene.x - r, forms.scene.y - r, 2 * r, 2 * r], axis=1)


def shapes(is_circle: bool = False, is_two: bool = False) -> Callable[[Forms, Of], RepeatedFrame]:
    def prepare(forms: Forms, of: Of) -> RepeatedFrame:
        rows, found = box_rows(forms, is_circle), pair_rows(forms)
        x, y, size = (of(integers(column)) for column in (rows[:, 0], rows[:, 1], rows[:, 2:]))
        everyone = np.full(forms.count, EVERYONE, np.uint16)
        counted = BoxesAndCircles(x, y, size, np.full(forms.count, is_circle, np.uint8))
        arguments = (counted, Filter(everyone, everyone), is_two, found, np.zeros(4, np.int64))
        return RepeatedFrame([(scan_pairs, arguments)], lambda: is_listed(forms, found))

    return prepare


def are_boxes_touching(forms: Forms, i: int, j: int) -> bool:
    return exact.boxes_touch(forms.boxes[i].tolist(), forms.boxes[j].tolist())


def are_circles_touching(forms: Forms, i: int, j: int) -> bool:
    return exact.circles_touch(forms.circle_at(i), forms.circle_at(j))


def put_shapes(unit: Unit, forms: Forms, is_circle: bool) -> None:
    columns = dict(zip(("x", "y", "width", "height"), box_rows(forms, is_circle).T))
    unit.put(SHAPE, OBJECTS, forms.count, **columns, is_circle=is_circle)


lay_out_boxes = pair_loop(SHAPE, lambda unit, forms: put_shapes(unit, forms, False))
lay_out_circles = pair_loop(SHAPE, lambda unit, forms: put_shapes(unit, forms, True))

METHODS = (
    Method(
        name="boxes",
        document="No-collision boxes 2011",
        title="early-out boxes",
        reference="boxes, closed",
        test=box_exit,
        prepare=shapes(),
        exact=are_boxes_touching,
        routine=MethodCode("shapes", "ShapesTouch", lay_out_boxes, pairs_of),
    ),
    Method(
        name="boxes-two",
        document="No-collision boxes 2011",
        title="two-addition boxes",
        reference="boxes, closed",
        test=box_exit_two,
        prepare=shapes(is_two=True),
        exact=are_boxes_touching,
        routine=MethodCode("shapes", "ShapesTouchTwo", lay_out_boxes, pairs_of),
    ),
    Method(
        name="circles",
        document="No-collision boxes 2011",
        title="circles after boxes",
        reference="circles, closed",
        test=box_exit,
        prepare=shapes(is_circle=True),
        exact=are_circles_touching,
        routine=MethodCode("shapes", "ShapesTouch", lay_out_circles, pairs_of),
    ),
)
