"""Collision found by detecting that there is none (document 002): four pictures of boxes that lie apart.

Touching counts: boxes, and circles, whose edges meet collide here, other than in document 000.

    >>> import numpy as np
    >>> from retrosim.collide import boxes
    >>> x, y = np.array([0, 30, 61, 200], np.int16), np.array([0, 0, 0, 0], np.int16)
    >>> boxes.pairs(x, y, size=30).tolist()
    [[0, 1]]
    >>> boxes.pairs(x, y, size=np.array([30, 31, 8, 8])).tolist()
    [[0, 1], [1, 2]]
    >>> ships, missiles = 1, 2
    >>> kinds = np.array([ships, missiles, missiles, ships], np.uint16)
    >>> boxes.pairs(x, y, size=31, category=kinds, mask=3 - kinds).tolist()  # each only with the other kind
    [[0, 1]]
    >>> boxes.hits(x, y, np.array([[0, 1], [1, 2], [0, 3]], np.int32), size=31).tolist()
    [1, 1, 0]
    >>> boxes.count_operations(x, y, size=31).tolist()  # pairs, additions, comparisons, multiplications
    [6, 12, 12, 0]

Conventions
    x, y      int16[n] or int32[n], C-contiguous; upper-left corners, pixels, -16384..16383
    size      sides, pixels, 0..16383: one number, int[n], or int[n, 2] with width and height. What is int32[n, 2]
              already is used as it is, anything else is copied.
    circle    which objects are circles: bool, or bool[n]. A circle fills its box from the left: radius width / 2
              (cut to a whole number), centre that far right of and below the corner. Two circles are compared as
              circles, after their boxes; a circle and a box as two boxes.
    category  16-bit sets: a pair is looked at if each one's `category` has a bit in common with the other's `mask`.
    mask      One number or one each; left out, every pair is looked at.
    method    one of METHODS, same results: "four_additions" as printed, "two_additions" is the exercise it leaves
    out       where to write, instead of making an array: uint8[m] for flags, int32[m, 2] with room enough for pairs,
              int64[4] for counts
    Errors    ValueError  wrong dtype, shape or length; a value out of range, named with the range
    Source    "Collision detection by detecting ...no-collision", 13 July 2011

Slips of the document: `^2` is the square; the lines after the `if (shape == CIRCLE)` block belong into it (for boxes
they would use centres that were never set); `A.Y` is `A.y`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from retrosim.collide import arguments
from retrosim.collide.results import array_of, flag_array, pair_list
from retrosim.jit import kernel

METHODS = ("four_additions", "two_additions")
CIRCLES_APART = 5

# additions and comparisons spent when `box_exit` (or `box_exit_2`) returns 0, 1, 2 ..
SPENT = ((4, 4), (1, 1), (2, 2), (3, 3), (4, 4))
SPENT_2 = ((2, 4), (1, 2), (2, 4))
# by a circle test: centres 4, differences 2, sums 2; the squares; the radii are halved beforehand, as printed
CIRCLE_ADDITIONS, CIRCLE_COMPARISONS, CIRCLE_MULTIPLICATIONS = 8, 1, 3


@kernel
def box_exit(ax, ay, aw, ah, bx, by, bw, bh):
    """Return which of the four pictures shows two boxes apart, 1..4, or 0: they overlap or touch.

    ax, ay, aw, ah  int  upper-left corner and sides of box A; bx.. of box B; pixels
    Source          document 002, getCollisionResult
    """
    if ax + aw < bx:
        return 1
    if ax > bx + bw:
        return 2
    if ay + ah < by:
        return 3
    if ay > by + bh:
        return 4
    return 0


@kernel
def box_exit_2(ax, ay, aw, ah, bx, by, bw, bh):
    """Return the axis along which two boxes are apart, 1 or 2, or 0: they overlap or touch. One subtraction an axis.

    Source  document 002, the exercise "to reduce the operations to 2"
    """
    if ax < bx:
        if bx - ax > aw:
            return 1
    elif ax - bx > bw:
        return 1
    if ay < by:
        if by - ay > ah:
            return 2
    elif ay - by > bh:
        return 2
    return 0


@kernel
def is_circle_apart(ax, ay, aw, bx, by, bw):
    """Tell whether two circles, given by their boxes, lie apart. No square root.

    Source  document 002, the second getCollisionResult: distance^2 > (radius_A + radius_B)^2
    """
    radius_a, radius_b = aw >> 1, bw >> 1
    dx = (ax + radius_a) - (bx + radius_b)
    dy = (ay + radius_a) - (by + radius_b)
    reach = radius_a + radius_b
    return dx * dx + dy * dy > reach * reach


@kernel
def is_touching(ax, ay, aw, ah, a_round, bx, by, bw, bh, b_round):
    """Tell whether two shapes collide: their boxes and, if both are circles, the circles. Touching counts."""
    if box_exit(ax, ay, aw, ah, bx, by, bw, bh):
        return False
    return not (a_round and b_round) or not is_circle_apart(ax, ay, aw, bx, by, bw)


@kernel
def is_wanted(category, mask, a, b):
    """Tell whether two objects are to be looked at: the document's `checkObjects`."""
    return category[a] & mask[b] != 0 and category[b] & mask[a] != 0


@kernel
def mark_pairs(x, y, sides, circle, pairs, out):
    """Write 1 for each listed pair that collides, else 0. Callable from compiled code.

    x, y    int16[n] or int32[n]  upper-left corners, pixels
    sides   int32[n, 2]           widths and heights
    circle  uint8[n]              1 for a circle
    pairs   int32[m, 2]           indices
    out     uint8[m]              output
    """
    for p in range(len(pairs)):
        a, b = pairs[p, 0], pairs[p, 1]
        out[p] = is_touching(
            int(x[a]), int(y[a]), sides[a, 0], sides[a, 1], circle[a] != 0,
            int(x[b]), int(y[b]), sides[b, 0], sides[b, 1], circle[b] != 0,
        )  # fmt: skip


@kernel
def scan_pairs(x, y, sides, circle, category, mask, two_additions, found, tally):
    """Test every wanted pair i < j, list those that collide and count the operations. Callable from compiled code.

    category, mask  uint16[n]    see `is_wanted`
    two_additions   bool         use `box_exit_2`
    found           int32[m, 2]  output; collisions beyond m rows are only counted
    tally           int64[4]     output, zero on entry: pairs looked at, additions, comparisons, multiplications
    Returns         int          collisions
    Source          document 002, HandleCollision
    """
    total = 0
    for a in range(len(x)):
        ax, ay, aw, ah = int(x[a]), int(y[a]), sides[a, 0], sides[a, 1]
        for b in range(a + 1, len(x)):
            if not is_wanted(category, mask, a, b):
                continue
            tally[0] += 1
            bx, by, bw, bh = int(x[b]), int(y[b]), sides[b, 0], sides[b, 1]
            if two_additions:
                apart = box_exit_2(ax, ay, aw, ah, bx, by, bw, bh)
                tally[1] += SPENT_2[apart][0]
                tally[2] += SPENT_2[apart][1]
            else:
                apart = box_exit(ax, ay, aw, ah, bx, by, bw, bh)
                tally[1] += SPENT[apart][0]
                tally[2] += SPENT[apart][1]
            if apart:
                continue
            if circle[a] and circle[b]:
                tally[1] += CIRCLE_ADDITIONS
                tally[2] += CIRCLE_COMPARISONS
                tally[3] += CIRCLE_MULTIPLICATIONS
                if is_circle_apart(ax, ay, aw, bx, by, bw):
                    continue
            if total < len(found):
                found[total, 0] = a
                found[total, 1] = b
            total += 1
    return total


def hits(
    x: np.ndarray,
    y: np.ndarray,
    pairs: np.ndarray,
    *,
    size: int | np.ndarray = 30,
    circle: bool | np.ndarray = False,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Test the listed pairs.

    pairs    int32[m, 2]  indices
    Returns  uint8[m]     1 where the pair collides
    """
    count = arguments.check_places(x=x, y=y)
    out = flag_array(out, arguments.check_pairs(pairs, count))
    sides = arguments.side_table("size", size, count)
    mark_pairs(x, y, sides, arguments.word_per_object("circle", circle, count, np.uint8, 1), pairs, out)
    return out


def _scan(x, y, size, circle, category, mask, method, out=None, tally=None):
    """Return the colliding pairs and the operations spent."""
    count = arguments.check_places(x=x, y=y)
    if method not in METHODS:
        raise ValueError(f"method {method!r}: allowed {', '.join(METHODS)}")
    sides = arguments.side_table("size", size, count)
    round_ones = arguments.word_per_object("circle", circle, count, np.uint8, 1)
    categories = arguments.word_per_object("category", category, count, np.uint16)
    masks = arguments.word_per_object("mask", mask, count, np.uint16)
    tally = np.empty(4, np.int64) if tally is None else tally

    def scan(found):
        tally[:] = 0
        two_additions = method == "two_additions"
        return scan_pairs(x, y, sides, round_ones, categories, masks, two_additions, found, tally)

    return pair_list(scan, out, 4 * count), tally


def pairs(
    x: np.ndarray,
    y: np.ndarray,
    *,
    size: int | np.ndarray = 30,
    circle: bool | np.ndarray = False,
    category: int | np.ndarray = 0xFFFF,
    mask: int | np.ndarray = 0xFFFF,
    allow: Callable[[int, int], bool] | None = None,
    method: str = "four_additions",
    out: np.ndarray | None = None,
) -> np.ndarray:
    """List every colliding pair once.

    allow    the document's `checkObjects` as a Python function of two indices, lower first; it is asked only about
             pairs that collide, and a pair it denies is left out
    Returns  int32[m, 2]  indices, the lower one first, in ascending order
    """
    found = _scan(x, y, size, circle, category, mask, method, out)[0]
    if allow is None:
        return found
    kept = [bool(allow(int(a), int(b))) for a, b in found]
    total = sum(kept)
    found[:total] = found[kept]
    return found[:total]


def count_operations(
    x: np.ndarray,
    y: np.ndarray,
    *,
    size: int | np.ndarray = 30,
    circle: bool | np.ndarray = False,
    category: int | np.ndarray = 0xFFFF,
    mask: int | np.ndarray = 0xFFFF,
    method: str = "four_additions",
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Run the pair loop and count what it spends on geometry.

    Returns  int64[4]  pairs looked at, additions (and subtractions), comparisons, multiplications
    """
    return _scan(x, y, size, circle, category, mask, method, tally=array_of(out, np.int64, 4))[1]
