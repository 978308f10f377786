"""Boxes and circles of "No-collision boxes" 2011; see `retrosim.collide.documents.boxes`.

A box is a tuple (x, y, width, height): upper-left corner and sides, pixels.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retrosim.jit import kernel

# additions and comparisons spent when `box_exit` (or `box_exit_two`) returns 0, 1, 2 ..
SPENT = ((4, 4), (1, 1), (2, 2), (3, 3), (4, 4))
SPENT_TWO = ((2, 4), (1, 2), (2, 4))
# by a circle test: centres 4, differences 2, sums 2; the squares; the radii are halved beforehand, as printed
CIRCLE_ADDITIONS, CIRCLE_COMPARISONS, CIRCLE_MULTIPLICATIONS = 8, 1, 3


class BoxesAndCircles(NamedTuple):
    """Boxes and circles.

    x, y    int16[n] or int32[n]  upper-left corners, pixels
    size    int32[n, 2]           widths and heights
    circle  uint8[n]              1 for a circle
    """

    x: np.ndarray
    y: np.ndarray
    size: np.ndarray
    circle: np.ndarray


class Filter(NamedTuple):
    """Which pairs may collide: each one's category has a bit in common with the other's mask.

    category, mask  uint16[n]
    """

    category: np.ndarray
    mask: np.ndarray


@kernel
def box_exit(a, b):
    """Return which of the four pictures shows two boxes apart, 1..4, or 0: they overlap or touch.

    Source  No-collision boxes 2011, getCollisionResult
    """
    if a[0] + a[2] < b[0]:
        return 1
    if a[0] > b[0] + b[2]:
        return 2
    if a[1] + a[3] < b[1]:
        return 3
    if a[1] > b[1] + b[3]:
        return 4
    return 0


@kernel
def box_exit_two(a, b):
    """Return the axis along which two boxes are apart, 1 or 2, or 0: they overlap or touch. One subtraction an axis.

    Source  No-collision boxes 2011, the exercise "to reduce the operations to 2"
    """
    if a[0] < b[0]:
        if b[0] - a[0] > a[2]:
            return 1
    elif a[0] - b[0] > b[2]:
        return 1
    if a[1] < b[1]:
        if b[1] - a[1] > a[3]:
            return 2
    elif a[1] - b[1] > b[3]:
        return 2
    return 0


@kernel
def is_circle_apart(a, b):
    """Tell whether two circles, given by their boxes, are apart. No square root.

    Source  No-collision boxes 2011, the second getCollisionResult: distance^2 > (radius_A + radius_B)^2
    """
    radius_a, radius_b = a[2] >> 1, b[2] >> 1
    dx = (a[0] + radius_a) - (b[0] + radius_b)
    dy = (a[1] + radius_a) - (b[1] + radius_b)
    reach = radius_a + radius_b
    return dx * dx + dy * dy > reach * reach


@kernel
def is_touching(a, b, are_circles):
    """Tell whether two shapes collide: their boxes and, if both are circles, the circles. Touching counts."""
    if box_exit(a, b):
        return False
    return not are_circles or not is_circle_apart(a, b)


@kernel
def may_collide(category, mask, a, b):
    """Tell whether two objects are to be tested, see `Filter`: the original's `checkObjects`."""
    return category[a] & mask[b] != 0 and category[b] & mask[a] != 0


@kernel
def box_of(x, y, size, i):
    """Return box `i` of a scene."""
    return int(x[i]), int(y[i]), size[i, 0], size[i, 1]


@kernel
def mark_pairs(shapes, pairs, out):
    """Write 1 for each listed pair that collides, else 0.

    shapes  Shapes
    pairs   int32[m, 2]  indices
    out     uint8[m]     output
    """
    x, y, size, circle = shapes
    for p in range(len(pairs)):
        a, b = pairs[p, 0], pairs[p, 1]
        out[p] = is_touching(box_of(x, y, size, a), box_of(x, y, size, b), circle[a] & circle[b])


@kernel
def scan_pairs(shapes, filters, is_two, found, tally):
    """Test every pair i < j that may collide, list those that do, and count the operations.

    shapes   Shapes
    filters  Filter
    is_two   bool         use `box_exit_two`
    found    int32[m, 2]  output
    tally    int64[4]     output, zero on entry: pairs looked at, additions, comparisons, multiplications
    Returns  int          collisions
    Source   No-collision boxes 2011, HandleCollision
    """
    x, y, size, circle = shapes
    category, mask = filters
    total = 0
    for a in range(len(x)):
        box_a = box_of(x, y, size, a)
        for b in range(a + 1, len(x)):
            if not may_collide(category, mask, a, b):
                continue
            tally[0] += 1
            box_b = box_of(x, y, size, b)
            if is_two:
                apart = box_exit_two(box_a, box_b)
                tally[1] += SPENT_TWO[apart][0]
                tally[2] += SPENT_TWO[apart][1]
            else:
                apart = box_exit(box_a, box_b)
                tally[1] += SPENT[apart][0]
                tally[2] += SPENT[apart][1]
            if apart:
                continue
            if circle[a] and circle[b]:
                tally[1] += CIRCLE_ADDITIONS
                tally[2] += CIRCLE_COMPARISONS
                tally[3] += CIRCLE_MULTIPLICATIONS
                if is_circle_apart(box_a, box_b):
                    continue
            if total < len(found):
                found[total, 0] = a
                found[total, 1] = b
            total += 1
    return total


# Objects made of several boxes and circles; see `retrosim.collide.documents.compound`.


class Compounds(NamedTuple):
    """Objects and their parts.

    x, y    int16[n] or int32[n]        origins of the objects, pixels
    parts   int16[p, 4] or int32[p, 4]  upper-left corner from the origin, width, height
    first   int32[n + 1]                where each object's parts begin
    circle  uint8[p]                    1 for a circle
    """

    x: np.ndarray
    y: np.ndarray
    parts: np.ndarray
    first: np.ndarray
    circle: np.ndarray


@kernel
def part_of(x, y, parts, i, p):
    """Return part `p`, which is one of object `i`, as a box on the screen."""
    return int(x[i]) + int(parts[p, 0]), int(y[i]) + int(parts[p, 1]), int(parts[p, 2]), int(parts[p, 3])


@kernel
def is_compound_touching(x, y, parts, first, circle, a, b):
    """Tell whether any part of object `a` collides with any part of object `b`; the columns of `Compounds`."""
    for p in range(first[a], first[a + 1]):
        part = part_of(x, y, parts, a, p)
        for q in range(first[b], first[b + 1]):
            if is_touching(part, part_of(x, y, parts, b, q), circle[p] & circle[q]):
                return True
    return False


@kernel
def mark_compounds(objects, pairs, out):
    """Write 1 for each listed pair that collides, else 0.

    objects  Compounds
    pairs    int32[m, 2]  indices
    out      uint8[m]     output
    """
    x, y, parts, first, circle = objects
    for p in range(len(pairs)):
        out[p] = is_compound_touching(x, y, parts, first, circle, pairs[p, 0], pairs[p, 1])


@kernel
def scan_compounds(objects, filters, found):
    """List every pair i < j that may collide and does.

    objects  Compounds
    filters  boxes.Filter
    found    int32[m, 2]  output
    Returns  int          collisions
    """
    x, y, parts, first, circle = objects
    category, mask = filters
    total = 0
    for a in range(len(x)):
        for b in range(a + 1, len(x)):
            if may_collide(category, mask, a, b) and is_compound_touching(x, y, parts, first, circle, a, b):
                if total < len(found):
                    found[total, 0] = a
                    found[total, 1] = b
                total += 1
    return total
