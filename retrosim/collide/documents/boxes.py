"""Boxes and circles, by detecting that there is no collision (No-collision boxes 2011): four pictures of boxes apart.

Touching counts: boxes and circles whose sides meet collide here, unlike those of `retrosim.collide.documents.sectors`.

    >>> import numpy as np
    >>> from retrosim.collide.documents import boxes
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
    size      sides, pixels, 0..16383: one number, int[n], or int[n, 2] with width and height
    circle    which objects are circles: bool, or bool[n]. A circle fills its box from the left: radius width / 2
              (rounded down), centre that far to the right of and below the corner. Two circles are compared as
              circles, after their boxes; a circle and a box as two boxes.
    category  16-bit sets: a pair is tested if each one's `category` has a bit in common with the other's `mask`.
    mask      One number or one each; left out, every pair is tested.
    method    one of METHODS, same results: "four_additions" as printed, "two_additions" was left as an exercise
    out       where to write, instead of making an array: uint8[m] for flags, int32[m, 2] with enough rows for pairs,
              int64[4] for counts
    Errors    ValueError  wrong dtype, shape or length; a value out of range, named with the range
    Source    "Collision detection by detecting ...no-collision", 13 July 2011

Slips in the original text: `^2` is the square; the lines after the `if (shape == CIRCLE)` block belong inside it (for
boxes they would use centres that were never set); `A.Y` is `A.y`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from retrosim.checks import check_choice

from .._arguments import EVERYONE, filter_of, own_pairs, own_positions, size_table, word_per_object
from .._results import array_of, flag_array, pair_list
from .._shape_pairs import Bounds, near_pairs
from ..kernels.shapes.boxes import BoxesAndCircles, mark_pairs, scan_pairs

METHODS = ("four_additions", "two_additions")


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
    shapes = _check(x, y, size, circle)
    pairs = own_pairs(pairs, len(x))
    out = flag_array(out, len(pairs))
    mark_pairs(shapes, pairs, out)
    return out


def _check(x, y, size, circle):
    """Check what all functions take; return copies."""
    x, y = own_positions(x=x, y=y)
    return BoxesAndCircles(
        x, y, size_table("size", size, len(x)), word_per_object("circle", circle, len(x), np.uint8, 1)
    )


def _own(x, y, size, circle, category, mask, method):
    """Check arguments; return copies, and whether each test takes two additions."""
    shapes = _check(x, y, size, circle)
    check_choice("method", method, METHODS)
    return shapes, filter_of(category, mask, len(x)), method == "two_additions"


def _scanning(objects, tally):
    """Return what tests every pair, for `pair_list`. The operations spent are counted in `tally`."""

    def scan(found):
        tally[:] = 0
        return scan_pairs(*objects, found, tally)

    return scan


def _bounds(shapes: BoxesAndCircles) -> Bounds:
    """Return the boxes, with their sides: touching counts."""
    x, y, sides = shapes.x.astype(np.int32), shapes.y.astype(np.int32), shapes.size.astype(np.int32) + 1
    return Bounds(x, y, x + sides[:, 0], y + sides[:, 1])


def pairs(
    x: np.ndarray,
    y: np.ndarray,
    *,
    size: int | np.ndarray = 30,
    circle: bool | np.ndarray = False,
    category: int | np.ndarray = EVERYONE,
    mask: int | np.ndarray = EVERYONE,
    allow: Callable[[int, int], bool] | None = None,
    method: str = "four_additions",
    out: np.ndarray | None = None,
) -> np.ndarray:
    """List every colliding pair once.

    allow    the original's `checkObjects` as a Python function of two indices, the lower one first; it is called only
             for pairs that collide, and a pair for which it returns False is left out
    Returns  int32[m, 2]  indices, the lower one first, in ascending order
    """
    shapes, filters, _ = objects = _own(x, y, size, circle, category, mask, method)
    scan, mark = _scanning(objects, np.empty(4, np.int64)), partial(mark_pairs, shapes)
    found = near_pairs(len(shapes.x), lambda: _bounds(shapes), scan, mark, out, *filters)
    if allow is None:
        return found
    is_allowed = [bool(allow(int(a), int(b))) for a, b in found]
    total = sum(is_allowed)
    found[:total] = found[is_allowed]
    return found[:total]


def count_operations(
    x: np.ndarray,
    y: np.ndarray,
    *,
    size: int | np.ndarray = 30,
    circle: bool | np.ndarray = False,
    category: int | np.ndarray = EVERYONE,
    mask: int | np.ndarray = EVERYONE,
    method: str = "four_additions",
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Run the loop over every pair, as printed, and count the operations that it spends on geometry.

    Returns  int64[4]  pairs looked at, additions (and subtractions), comparisons, multiplications
    """
    objects = _own(x, y, size, circle, category, mask, method)
    tally = array_of(out, np.int64, 4)
    pair_list(_scanning(objects, tally), None, 4 * len(x))
    return tally
