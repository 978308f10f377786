"""Object records and the loop over all of them (document 004): ships, missiles, aliens with collision circles or boxes.

    >>> import numpy as np
    >>> from retrosim.collide import objects
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
              "boxes", x, y, width, height; places relative to the object's x, y, -8192..8191. Radius 0..181, so that
              its square fits a 16-bit word; sides 0..8191.
    method    one of METHODS:
                circles      distance squared against the squared sum of radii
                square_root  `integer_square_root` of it against the sum: the same result
                distance_2d  the table's distance against the sum: wrong by up to DISTANCE_ERROR_PX
                boxes        overlap of boxes
    out       where to write, instead of making an array: int16[m, 4] for circles, int32[k, 2] for pairs, k at least
              n // 2
    Errors    ValueError  wrong dtype, shape or length; a value out of range, named with the range
    Source    Jon E P, "Simple Collision Detection", 2007

Touching is no collision, for circles as printed and for boxes alike.

The loop runs over all pairs in both orders, and a pair that collides leaves the game at once, so the order matters. Of
each pair a ship, or else the second object, comes first; then a pair is skipped if the other one asks for ships only
and the first is none. Because both orders are tried, two objects that are no ships meet unless both ask for ships only.

Slips of the document: `x2 = obj1_ptr->x + ...` must say obj2; the type NO_COLL_DETECT, "don't detect at all", is never
looked at there, and keeps a pair apart here; `coll_circle.x` is `centre_x`, `collision_type` `coll_detection_type`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retrosim.collide import arguments
from retrosim.collide.compound import LEAST, MOST
from retrosim.collide.results import array_of, row_table
from retrosim.jit import kernel
from retrosim.numeric.distance import distance_2d, integer_square_root

SHIP, MISSILE, ALIEN = 1, 2, 3
DETECT_NONE, DETECT_SHIP, DETECT_ALL = 0, 1, 2
METHODS = ("circles", "square_root", "distance_2d", "boxes")
LARGEST_RADIUS = 181

OBJECT = np.dtype(
    [
        ("type", np.int8),  # SHIP, MISSILE, ALIEN, or what the game likes
        ("active", np.uint8),  # 1 in the game
        ("detection", np.uint8),  # DETECT_NONE, DETECT_SHIP or DETECT_ALL
        ("collided", np.uint8),  # 1 once it has
        ("x", np.int32),  # pixels
        ("y", np.int32),
        ("first", np.int16),  # its shapes begin here ..
        ("count", np.int16),  # .. and are so many
    ]
)


def make_circles(circles: Sequence[tuple[int, int, int]] | np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Store the radii squared as well.

    circles  centre x, centre y, radius of each: a list, or int[m, 3]
    Returns  int16[m, 4]
    """
    table = arguments.number_table("circles", circles, 3)
    arguments.check_range(LEAST, MOST, **{"circles x": table[:, 0], "circles y": table[:, 1]})
    arguments.check_range(0, LARGEST_RADIUS, **{"circles radius": table[:, 2]})
    out = array_of(out, np.int16, len(table), 4)
    out[:, :3], out[:, 3] = table, table[:, 2] ** 2
    return out


@kernel
def is_circle_hit(dx, dy, reach, method):
    """Tell whether circles collide whose centres are (dx, dy) and whose radii together are `reach`.

    method  int  index into METHODS, below that of "boxes"
    """
    if method == 2:
        return distance_2d(0, 0, dx, dy) < reach
    squared = dx * dx + dy * dy
    if method == 1:
        return integer_square_root(squared) < reach
    return squared < reach * reach


@kernel
def is_object_hit(objects, shapes, a, b, method):
    """Tell whether any shape of object `a` collides with any of object `b`; arguments as for `scan_objects`."""
    ax, ay, bx, by = int(objects[a]["x"]), int(objects[a]["y"]), int(objects[b]["x"]), int(objects[b]["y"])
    for p in range(objects[a]["first"], objects[a]["first"] + objects[a]["count"]):
        for q in range(objects[b]["first"], objects[b]["first"] + objects[b]["count"]):
            dx = ax + int(shapes[p, 0]) - (bx + int(shapes[q, 0]))
            dy = ay + int(shapes[p, 1]) - (by + int(shapes[q, 1]))
            if method == 3:
                if (
                    dx < int(shapes[q, 2])
                    and -dx < int(shapes[p, 2])
                    and dy < int(shapes[q, 3])
                    and -dy < int(shapes[p, 3])
                ):
                    return True
            elif is_circle_hit(dx, dy, int(shapes[p, 2]) + int(shapes[q, 2]), method):
                return True
    return False


@kernel
def mark_pairs(objects, shapes, pairs, method, out):
    """Write 1 for each listed pair whose shapes collide, else 0, whatever the records say; as `scan_objects`.

    pairs  int32[m, 2]  indices
    out    uint8[m]     output
    """
    for p in range(len(pairs)):
        out[p] = is_object_hit(objects, shapes, pairs[p, 0], pairs[p, 1], method)


@kernel
def scan_objects(objects, shapes, method, found):
    """Run the document's loop. Callable from compiled code.

    objects  OBJECT[n]            collided and active are written
    shapes   int16[m, 4]          circles or boxes
    method   int                  index into METHODS
    found    int32[n // 2, 2]     output, or longer: the pairs in the order they collide, a ship first
    Returns  int                  collisions; no object is in two
    Source   document 004, check_all_collision_objects and check_collision_pair
    """
    total = 0
    for i in range(len(objects)):
        for j in range(len(objects)):
            if i == j or objects[i]["active"] == 0 or objects[j]["active"] == 0:
                continue
            a, b = i, j
            if objects[i]["type"] != SHIP:
                a, b = j, i
            if objects[a]["detection"] == DETECT_NONE or objects[b]["detection"] == DETECT_NONE:
                continue
            if objects[b]["detection"] == DETECT_SHIP and objects[a]["type"] != SHIP:
                continue
            if is_object_hit(objects, shapes, a, b, method):
                objects[a]["collided"] = 1
                objects[b]["collided"] = 1
                objects[a]["active"] = 0
                objects[b]["active"] = 0
                found[total, 0] = a
                found[total, 1] = b
                total += 1
    return total


def _check(objects, shapes, method):
    if not isinstance(objects, np.ndarray) or objects.dtype != OBJECT or objects.ndim != 1:
        shown = f"{objects.dtype}{list(objects.shape)}" if isinstance(objects, np.ndarray) else type(objects).__name__
        raise ValueError(f"objects is {shown}: allowed OBJECT[n]")
    if not objects.flags.c_contiguous or not objects.flags.writeable:
        raise ValueError(
            f"objects has strides {objects.strides}, writeable {objects.flags.writeable}: "
            "allowed a writable C-contiguous array"
        )
    if method not in METHODS:
        raise ValueError(f"method {method!r}: allowed {', '.join(METHODS)}")
    rows = arguments.check_table("shapes", shapes, 4, np.int16)
    arguments.check_range(LEAST, MOST, **{"objects x": objects["x"], "objects y": objects["y"]})
    arguments.check_range(DETECT_NONE, DETECT_ALL, **{"objects detection": objects["detection"]})
    arguments.check_range(0, rows, **{"objects first": objects["first"], "objects count": objects["count"]})
    beyond = np.flatnonzero(objects["first"].astype(np.int32) + objects["count"] > rows)
    if len(beyond):
        which = objects[beyond[0]]
        raise ValueError(f"object {beyond[0]} has shapes {which['first']} + {which['count']}: there are {rows}")
    arguments.check_range(LEAST, MOST, **{"shapes x": shapes[:, 0], "shapes y": shapes[:, 1]})
    if method == "boxes":
        arguments.check_range(0, MOST, **{"shapes width": shapes[:, 2], "shapes height": shapes[:, 3]})
    else:
        arguments.check_range(0, LARGEST_RADIUS, **{"shapes radius": shapes[:, 2]})


def check_all(
    objects: np.ndarray, shapes: np.ndarray, *, method: str = "circles", out: np.ndarray | None = None
) -> np.ndarray:
    """Let all active objects collide: both of a pair get collided = 1 and active = 0.

    Returns  int32[m, 2]  the pairs in the order they collided, a ship first
    """
    _check(objects, shapes, method)
    found = row_table(out, len(objects) // 2, 2, np.int32)
    return found[: scan_objects(objects, shapes, METHODS.index(method), found)]
