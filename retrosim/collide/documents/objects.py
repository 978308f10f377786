"""Object records and the loop over all of them (Jon E P 2007): ships, missiles, aliens with circles or boxes.

    >>> import numpy as np
    >>> from retrosim.collide.documents import objects
    >>> circles = objects.make_circles([(28, 24, 12), (14, 44, 4)])  # of a ship, of a missile
    >>> game = np.zeros(3, objects.OBJECT)
    >>> game[0] = (objects.SHIP, 1, objects.DETECT_ALL, 0, 100, 100, 0, 1)
    >>> game[1] = (objects.MISSILE, 1, objects.DETECT_SHIP, 0, 110, 72, 1, 1)
    >>> game[2] = (objects.MISSILE, 1, objects.DETECT_SHIP, 0, 112, 72, 1, 1)
    >>> objects.check_all(game, circles).tolist()  # the ship first
    [[0, 1]]
    >>> game["collided"].tolist(), game["active"].tolist()
    ([1, 1, 0], [0, 0, 1])

Conventions
    objects   OBJECT[n], C-contiguous; `collided` and `active` are changed. x, y -8192..8191 pixels.
    shapes    int16[m, 4]: centre x, centre y, radius, radius squared of circles (`make_circles`), or, for the method
              "boxes", x, y, width, height; x, y are relative to the object's x, y, -8192..8191. Radius 0..181, so that
              its square fits a 16-bit word; sides 0..8191.
    method    one of METHODS:
                circles      distance squared against the squared sum of radii
                square_root  `integer_square_root` of it against the sum: the same result
                distance_2d  the table's distance against the sum: wrong by up to DISTANCE_ERROR_PX
                boxes        overlap of boxes
    out       where to write, instead of making an array: int16[m, 4] for circles, int32[k, 2] for pairs, k at least
              n // 2, apart from `objects`
    Errors    ValueError  wrong dtype, shape or length; a value out of range, named with the range
    Source    Jon E P, "Simple Collision Detection", 2007

Touching is no collision, for circles as printed and for boxes alike.

The loop runs over all pairs in both orders, and a pair that collides leaves the game at once, so the order matters. Of
each pair a ship, or else the second object, comes first; then the pair is skipped if the other one detects only ships
and the first is not a ship. Because both orders are tried, two objects that are not ships meet unless both detect only
ships.

Slips in the original text: `x2 = obj1_ptr->x + ...` must say obj2; the type NO_COLL_DETECT, "don't detect at all", is
never tested there, and excludes a pair here; `coll_circle.x` is `centre_x`, `collision_type` `coll_detection_type`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retrosim.checks import check_choice

from .._arguments import (
    MAX_PART,
    MIN_PART,
    check_apart,
    check_layout,
    check_range,
    form_of,
    is_array,
    number_table,
    own_copy,
    own_table,
)
from .._results import array_of, row_table
from ..kernels.documents.objects import (
    ALIEN,
    DETECT_ALL,
    DETECT_NONE,
    DETECT_SHIP,
    METHODS,
    MISSILE,
    OBJECT,
    SHIP,
    scan_objects,
)

__all__ = [
    "ALIEN", "DETECT_ALL", "DETECT_NONE", "DETECT_SHIP", "MAX_RADIUS", "METHODS", "MISSILE", "OBJECT", "SHIP",
    "check_all", "make_circles",
]  # fmt: skip
MAX_RADIUS = 181


def make_circles(circles: Sequence[tuple[int, int, int]] | np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Store the radii squared as well.

    circles  centre x, centre y, radius of each: a list, or int[m, 3]
    Returns  int16[m, 4]
    """
    table = number_table("circles", circles, 3)
    check_range(MIN_PART, MAX_PART, **{"circles x": table[:, 0], "circles y": table[:, 1]})
    check_range(0, MAX_RADIUS, **{"circles radius": table[:, 2]})
    out = array_of(out, np.int16, len(table), 4)
    out[:, :3], out[:, 3] = table, table[:, 2] ** 2
    return out


def _own(objects, shapes, method):
    """Return copies of both, checked."""
    if not is_array(objects) or objects.dtype != OBJECT or objects.ndim != 1:
        raise ValueError(f"objects is {form_of(objects)}: allowed OBJECT[n]")
    check_layout("objects", objects, is_written=True)
    check_choice("method", method, METHODS)
    objects, shapes = own_copy(objects), own_table("shapes", shapes, 4, np.int16)
    rows = len(shapes)
    check_range(MIN_PART, MAX_PART, **{"objects x": objects["x"], "objects y": objects["y"]})
    check_range(DETECT_NONE, DETECT_ALL, **{"objects detection": objects["detection"]})
    check_range(0, rows, **{"objects first": objects["first"], "objects count": objects["count"]})
    beyond = np.flatnonzero(objects["first"].astype(np.int32) + objects["count"] > rows)
    if len(beyond):
        which = objects[beyond[0]]
        raise ValueError(f"object {beyond[0]} has shapes {which['first']} + {which['count']}: there are {rows}")
    check_range(MIN_PART, MAX_PART, **{"shapes x": shapes[:, 0], "shapes y": shapes[:, 1]})
    if method == "boxes":
        check_range(0, MAX_PART, **{"shapes width": shapes[:, 2], "shapes height": shapes[:, 3]})
    else:
        check_range(0, MAX_RADIUS, **{"shapes radius": shapes[:, 2]})
    return objects, shapes


def check_all(
    objects: np.ndarray, shapes: np.ndarray, *, method: str = "circles", out: np.ndarray | None = None
) -> np.ndarray:
    """Let all active objects collide: both of a pair get collided = 1 and active = 0.

    Returns  int32[m, 2]  the pairs in the order they collided, a ship first
    """
    records, shapes = _own(objects, shapes, method)
    out = row_table(out, len(records) // 2, 2, np.int32)
    check_apart("out", out, "objects", objects)
    found = np.empty((len(records) // 2, 2), np.int32)
    found = found[: scan_objects(records, shapes, METHODS.index(method), found)]
    objects["collided"][found], objects["active"][found] = 1, 0
    out[: len(found)] = found
    return out[: len(found)]
