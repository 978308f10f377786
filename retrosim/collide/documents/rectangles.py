"""Rectangles at any angle (Rekaby 2011): two point algorithms, one line algorithm, and an exact test.

    >>> import numpy as np
    >>> from retrosim.collide.documents import rectangles
    >>> x, y = np.array([3200, 3200, 6400], np.int16), np.array([3200, 3200, 3200], np.int16)  # Q11.5: pixels * 32
    >>> half = np.array([[1600, 160], [1600, 160], [320, 320]], np.int16)  # two bars and a square
    >>> angle = np.array([0, 256, 128], np.int16)  # flat, upright, on its corner
    >>> cross = np.array([[0, 1], [1, 2]], np.int32)
    >>> {method: rectangles.hits(x, y, half, angle, cross, method=method).tolist() for method in rectangles.METHODS}
    {'point_1': [0, 0], 'point_2': [0, 0], 'line_1': [1, 0], 'separating_axis': [1, 0]}
    >>> rectangles.pairs(x, y, half, angle).tolist()
    [[0, 1]]
    >>> rectangles.corners(x, y, half, angle)[1].tolist()  # of the upright bar: its upper left is now upper right
    [[3360, 1600], [3360, 4800], [3040, 4800], [3040, 1600]]
    >>> rectangles.count_operations(x, y, half, angle, cross, method="point_1").tolist()
    [74, 20, 18]

Conventions
    x, y     int16[n], C-contiguous; centres, Q11.5 (1/32 pixel): x -1024..21503, y -1024..16383, which is the screen
             and 32 pixels around it
    half     int16[n, 2], half of width and height, Q11.5: 1..2047, so sides below 128 pixels
    angle    int16[n], binary, 1024 to the turn, any value; on the screen, where y grows downward, clockwise
    pairs    int32[m, 2], indices
    method   one of METHODS:
               point_1          corners against an upright rectangle; one is rotated if neither is upright
               point_2          corners against the feet of their perpendiculars on the four sides; nothing is rotated
               line_1           outcodes (Cohen-Sutherland) of corners and sides against an upright rectangle
               separating_axis  exact; not Rekaby's, for comparison with the others
    out      where to write, instead of making an array: of the form that is returned; pairs with enough rows
    Touching counts, in all of them: Rekaby compares with <= where comparisons are printed.
    Errors   ValueError  wrong dtype, shape or length; a value out of range, named with the range
    Source   Rekaby, "Study of Collision Detection Algorithms in Strategic Games", 5 June 2011

Within these ranges every factor of a product fits a 16-bit word and every sum of products 32 bits; the exact test takes
64.

Errors of Rekaby's methods, which are kept here:
    The cross (figure 12): the point algorithms see no corner inside, and find nothing.
    Five points for eight: one corner of B in A is tested, for the nested case (figure 11). When another corner of B
    sticks into A and no corner of A into B, the point algorithms find nothing, and the line algorithm only because the
    sides cross. The text says that five points do the same as eight; they do not.
    Opposite outcodes: a side of A from LEFT to RIGHT is taken for a hit. That is right if both ends lie between the
    other two lines; with one end LEFT UP and the other RIGHT, the side may pass outside a corner of B, and the line
    algorithm then finds a collision where there is none.
    Corners are rounded to 1/32 pixel, down, so near misses and near touches may come out wrong in any of the three.
"""

from __future__ import annotations

import numpy as np

from retrosim.checks import check_choice

from .._arguments import check_range, check_vectors, own_copy, own_pairs, own_table, own_within
from .._results import array_of, flag_array
from .._shape_pairs import Bounds, around, near_pairs
from ..kernels.shapes.oriented import CHOICES, Rectangles, list_corners, mark_pairs, scan_pairs

METHODS = tuple(CHOICES)
EXACT = METHODS[-1]
MIN_COORDINATE, MAX_X, MAX_Y = -32 * 32, (640 + 32) * 32 - 1, (480 + 32) * 32 - 1
MAX_HALF = 2047
REACH = {"line_1": 3}  # half diagonals: a side that is taken for a hit passes no farther from a corner than it is long
MAX_ROUNDING = 8  # Q11.5: of corners, before and after they are rotated


def _check(x, y, half, angle):
    count = check_vectors(x=x, y=y, angle=angle)
    if x.dtype != np.int16:
        raise ValueError(f"x has dtype {x.dtype}: allowed int16, Q11.5")
    (x,), (y,) = own_within(MIN_COORDINATE, MAX_X, x=x), own_within(MIN_COORDINATE, MAX_Y, y=y)
    half = own_table("half", half, 2, np.int16)
    if len(half) != count:
        raise ValueError(f"half has {len(half)} rows: allowed {count}, as x has")
    check_range(1, MAX_HALF, ", Q11.5", half=half)
    return Rectangles(x, y, half, own_copy(angle))


def _choice(method):
    check_choice("method", method, METHODS)
    return CHOICES[method]


def hits(
    x: np.ndarray,
    y: np.ndarray,
    half: np.ndarray,
    angle: np.ndarray,
    pairs: np.ndarray,
    *,
    method: str = EXACT,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Test the listed pairs; the first of a pair is Rekaby's A, the second his B.

    Returns  uint8[m]  1 where the method finds a collision
    """
    rectangles = _check(x, y, half, angle)
    pairs = own_pairs(pairs, len(x))
    out = flag_array(out, len(pairs))
    mark_pairs(rectangles, pairs, _choice(method), out, None)
    return out


def pairs(
    x: np.ndarray,
    y: np.ndarray,
    half: np.ndarray,
    angle: np.ndarray,
    *,
    method: str = EXACT,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """List every pair in which the method finds a collision; the lower index is Rekaby's A.

    Returns  int32[m, 2]  indices, the lower one first, in ascending order
    """
    rectangles, choice = _check(x, y, half, angle), _choice(method)

    def scan(found: np.ndarray) -> int:
        return scan_pairs(rectangles, choice, found)

    def mark(listed: np.ndarray, flags: np.ndarray) -> None:
        mark_pairs(rectangles, listed, choice, flags, None)

    return near_pairs(len(rectangles.x), lambda: _bounds(rectangles, method), scan, mark, out)


def _bounds(rectangles: Rectangles, method: str) -> Bounds:
    """Return boxes around all that a method may take for a hit."""
    reach = rectangles.half.astype(np.int32).sum(axis=1) * REACH.get(method, 1) + MAX_ROUNDING
    return around(rectangles.x, rectangles.y, reach)


def count_operations(
    x: np.ndarray,
    y: np.ndarray,
    half: np.ndarray,
    angle: np.ndarray,
    pairs: np.ndarray,
    *,
    method: str,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Test the listed pairs by one of Rekaby's methods and count its operations; shifts and table look-ups are free.

    Returns  int64[3]  additions (subtractions, changes of sign), multiplications, comparisons (of numbers, not of bits)
    """
    rectangles = _check(x, y, half, angle)
    pairs = own_pairs(pairs, len(x))
    check_choice("method", method, METHODS[:-1])
    out = array_of(out, np.int64, 3)
    out[:] = 0
    mark_pairs(rectangles, pairs, _choice(method), np.empty(len(pairs), np.uint8), out)
    return out


def corners(
    x: np.ndarray, y: np.ndarray, half: np.ndarray, angle: np.ndarray, *, out: np.ndarray | None = None
) -> np.ndarray:
    """Return the corners as the methods see them.

    Returns  int16[n, 4, 2]  x, y in Q11.5, of the corners that are upper left, upper right, lower right and lower left
                             at angle 0
    """
    rectangles = _check(x, y, half, angle)
    out = array_of(out, np.int16, len(x), 4, 2)
    list_corners(rectangles, out)
    return out
