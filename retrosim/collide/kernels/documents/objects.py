"""Object records and the loop over all of them; see `retrosim.collide.documents.objects`."""

from __future__ import annotations

import numpy as np

from retrosim.jit import kernel
from retrosim.numeric.tables import distance_2d, integer_square_root

SHIP, MISSILE, ALIEN = 1, 2, 3
DETECT_NONE, DETECT_SHIP, DETECT_ALL = 0, 1, 2
METHODS = ("circles", "square_root", "distance_2d", "boxes")

OBJECT = np.dtype(
    [
        ("type", np.int8),  # SHIP, MISSILE, ALIEN, or what the game likes
        ("active", np.uint8),  # 1 in the game
        ("detection", np.uint8),  # DETECT_NONE, DETECT_SHIP or DETECT_ALL
        ("collided", np.uint8),  # 1 once it has
        ("x", np.int32),  # pixels
        ("y", np.int32),
        ("first", np.int16),  # its shapes begin here ..
        ("count", np.int16),  # .. and this is how many there are
    ]
)


@kernel
def is_circle_hit(dx, dy, reach, method):
    """Tell whether circles collide whose centres are (dx, dy) apart and whose radii add up to `reach`.

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
    """Run the original's loop over all objects.

    objects  OBJECT[n]            collided and active are written
    shapes   int16[m, 4]          circles or boxes
    method   int                  index into METHODS
    found    int32[n // 2, 2]     output, or longer: the pairs in the order they collide, a ship first
    Returns  int                  collisions; no object is in two
    Source   Jon E P 2007, check_all_collision_objects and check_collision_pair
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
