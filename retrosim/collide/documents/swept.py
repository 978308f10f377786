"""Swept tests: collision at any time of a frame (a remark on "4D" in Jon E P 2007). Exact in integers.

A missile that moves 25 pixels a frame passes a ship 8 pixels wide without overlapping it in any frame (tunnelling); the
swept test finds it.

    >>> import numpy as np
    >>> from retrosim.collide import intersect
    >>> from retrosim.collide.documents import swept
    >>> x, y = np.array([110, 100], np.int16), np.array([50, 50], np.int16)  # missile and ship
    >>> move_x, move_y = np.array([-25, 0], np.int16), np.array([0, 0], np.int16)
    >>> duel = np.array([[0, 1]], np.int32)
    >>> [intersect(x[:1] + f * move_x[:1], y[:1], x[1:], y[1:], size=8).tolist() for f in (0, 1)]
    [[0], [0]]
    >>> swept.hits(x, y, move_x, move_y, duel, size=8).tolist()
    [1]
    >>> swept.hits(x, y, move_x, move_y, duel, radius=4).tolist()
    [1]
    >>> swept.pairs(x, y, move_x, move_y, radius=4).tolist()
    [[0, 1]]

Conventions
    x, y      int16[n] or int32[n], C-contiguous; where the frame begins, -32768..32767 in any unit, such as Q11.5:
              upper-left corners of boxes, centres of circles
    move_x, move_y  as x; how far each object moves in the frame, in a straight line at constant speed, -4095..4095
    size      sides of boxes, 1..16383: one number, int[n], or int[n, 2] with width and height
    radius    radii of circles, 0..8191: one number, or int[n]; either `size` or `radius`
    pairs     int32[m, 2], indices
    out       where to write, instead of making an array: uint8[m] for flags, int32[m, 2] with enough rows for pairs
    Errors    ValueError  wrong dtype, shape or length; a value out of range, named with the range

Two objects collide if they overlap at any time of the frame, its beginning and end included. Touching is no collision,
as for the boxes of Moertel 1994 and the circles of Jon E P 2007. Sums and products for boxes fit 32 bits, those for
circles 64.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from .._arguments import check_vectors, own_pairs, own_within, size_table, word_per_object
from .._results import flag_array
from .._shape_pairs import Bounds, near_pairs
from ..kernels.documents.swept import Moving, mark_pairs, scan_pairs

MAX_MOVE, MAX_RADIUS = 4095, 8191


def _check(x, y, move_x, move_y, size, radius):
    """Return copies of the objects, and of their sizes or their radii."""
    count = check_vectors(x=x, y=y, move_x=move_x, move_y=move_y)
    here = own_within(-32768, 32767, x=x, y=y)
    moving = Moving(*here, *own_within(-MAX_MOVE, MAX_MOVE, move_x=move_x, move_y=move_y))
    if (size is None) == (radius is None):
        given = "neither size nor radius is" if size is None else "both size and radius are"
        raise ValueError(f"{given} given: allowed exactly one of them")
    if radius is None:
        return moving, size_table("size", size, count, 1), None
    return moving, None, word_per_object("radius", radius, count, np.uint16, MAX_RADIUS)


def hits(
    x: np.ndarray,
    y: np.ndarray,
    move_x: np.ndarray,
    move_y: np.ndarray,
    pairs: np.ndarray,
    *,
    size: int | np.ndarray | None = None,
    radius: int | np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Test the listed pairs over the frame.

    Returns  uint8[m]  1 where the pair collides at any time of it
    """
    objects = _check(x, y, move_x, move_y, size, radius)
    pairs = own_pairs(pairs, len(x))
    out = flag_array(out, len(pairs))
    mark_pairs(*objects, pairs, out)
    return out


def pairs(
    x: np.ndarray,
    y: np.ndarray,
    move_x: np.ndarray,
    move_y: np.ndarray,
    *,
    size: int | np.ndarray | None = None,
    radius: int | np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """List every pair that collides at any time of the frame, once.

    Returns  int32[m, 2]  indices, the lower one first, in ascending order
    """
    objects = _check(x, y, move_x, move_y, size, radius)
    scan, mark = partial(scan_pairs, *objects), partial(mark_pairs, *objects)
    return near_pairs(len(objects[0].x), lambda: _bounds(*objects), scan, mark, out)


def _bounds(moving: Moving, size: np.ndarray, radius: np.ndarray | None) -> Bounds:
    """Return boxes around all that the objects pass."""
    begin, way = (np.stack(axes).astype(np.int32) for axes in (moving[:2], moving[2:]))
    lowest, highest = np.minimum(begin, begin + way), np.maximum(begin, begin + way)
    if radius is None:
        return Bounds(*lowest, *highest + size.T)
    reach = radius.astype(np.int32) + 1
    return Bounds(*lowest - reach, *highest + reach)
