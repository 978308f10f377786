"""Rectangles at any angle (document 003): two point algorithms, one line algorithm, and an exact judge.

    >>> import numpy as np
    >>> from retrosim.collide import rectangles
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
               point_1          corners against an upright rectangle; both are turned if neither is upright
               point_2          corners against the feet of their perpendiculars on the four edges; nothing is turned
               line_1           outcodes (Cohen-Sutherland) of corners and edges against an upright rectangle
               separating_axis  exact: the judge of the others, which the document does not have
    out      where to write, instead of making an array: of the form that is returned; pairs with room enough
    Touching counts, in all of them: the document compares with <= where it prints comparisons.
    Errors   ValueError  wrong dtype, shape or length; a value out of range, named with the range
    Source   Rekaby, "Study of Collision Detection Algorithms in Strategic Games", 5 June 2011

Within these ranges every factor of a product fits a 16-bit word and every sum of products 32 bits, but for the judge,
which takes 64.

Failures of the document's methods, kept:
    The cross (figure 12): the point algorithms see no corner inside, and find nothing.
    Five points for eight: one corner of B in A is tested, for the nested case (figure 11). When another corner of B
    sticks into A and no corner of A into B, the point algorithms find nothing, and the line algorithm only because the
    edges cross. The text holds that five points do the same as eight; they do not.
    Opposite outcodes: an edge of A from LEFT to RIGHT is taken for a hit. That is right if both ends lie between the
    other two lines; with one end LEFT UP and the other RIGHT, the edge may pass outside a corner of B, and the line
    algorithm then finds a collision where there is none.
    Corners are rounded to 1/32 pixel, down, so near misses and near touches may come out wrong in any of the three.
"""

from __future__ import annotations

import numpy as np

from retrosim.collide import arguments
from retrosim.collide.kernels.oriented import CHOICES, is_hit, place_corners
from retrosim.collide.results import array_of, flag_array, pair_list
from retrosim.jit import kernel

METHODS = tuple(CHOICES)
JUDGE = METHODS[-1]
LEAST, RIGHTMOST, LOWEST = -32 * 32, (640 + 32) * 32 - 1, (480 + 32) * 32 - 1
LARGEST_HALF = 2047


@kernel
def mark_pairs(x, y, half, angle, pairs, chosen, out, spent):
    """Write 1 for each listed pair that collides, else 0, and add up the operations. Callable from compiled code.

    x, y    int16[n]     centres, Q11.5
    half    int16[n, 2]  half sides, Q11.5
    angle   int16[n]     binary, 1024 to the turn
    pairs   int32[m, 2]  indices
    chosen  tuple        one of `oriented.CHOICES`; each is compiled for itself
    out     uint8[m]     output
    spent   int64[3]     output, added to: additions, multiplications, comparisons; or None
    """
    for p in range(len(pairs)):
        out[p] = is_hit(x, y, half, angle, pairs[p, 0], pairs[p, 1], *chosen, spent)


@kernel
def scan_pairs(x, y, half, angle, chosen, found):
    """List every pair i < j that collides; return how many there are; as `mark_pairs`.

    found  int32[m, 2]  output; collisions beyond m rows are only counted
    """
    total = 0
    for a in range(len(x)):
        for b in range(a + 1, len(x)):
            if is_hit(x, y, half, angle, a, b, *chosen, None):
                if total < len(found):
                    found[total, 0] = a
                    found[total, 1] = b
                total += 1
    return total


@kernel
def list_corners(x, y, half, angle, out):
    """Write the corners of all rectangles.

    out  int16[n, 4, 2]  output: x, y of the corners, in the order of `corners`
    """
    for i in range(len(x)):
        place_corners(x, y, half, angle, i, out[i])


def _check(x, y, half, angle):
    count = arguments.check_coordinates(x=x, y=y, angle=angle)
    if x.dtype != np.int16:
        raise ValueError(f"x has dtype {x.dtype}: allowed int16, Q11.5")
    arguments.check_range(LEAST, RIGHTMOST, x=x)
    arguments.check_range(LEAST, LOWEST, y=y)
    if arguments.check_table("half", half, 2, np.int16) != count:
        raise ValueError(f"half has {len(half)} rows: allowed {count}, as x has")
    index = arguments.first_beyond(half.reshape(-1), 1, LARGEST_HALF)
    if index >= 0:
        raise ValueError(
            f"half[{index // 2}, {index % 2}] = {half[index // 2, index % 2]}: allowed 1..{LARGEST_HALF}, Q11.5"
        )
    return count


def _chosen(method):
    if method not in METHODS:
        raise ValueError(f"method {method!r}: allowed {', '.join(METHODS)}")
    return CHOICES[method]


def hits(
    x: np.ndarray,
    y: np.ndarray,
    half: np.ndarray,
    angle: np.ndarray,
    pairs: np.ndarray,
    *,
    method: str = JUDGE,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Test the listed pairs; the first of a pair is the document's A, the second its B.

    Returns  uint8[m]  1 where the method finds a collision
    """
    out = flag_array(out, arguments.check_pairs(pairs, _check(x, y, half, angle)))
    mark_pairs(x, y, half, angle, pairs, _chosen(method), out, None)
    return out


def pairs(
    x: np.ndarray,
    y: np.ndarray,
    half: np.ndarray,
    angle: np.ndarray,
    *,
    method: str = JUDGE,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """List every pair in which the method finds a collision; the lower index is the document's A.

    Returns  int32[m, 2]  indices, the lower one first, in ascending order
    """
    count, chosen = _check(x, y, half, angle), _chosen(method)
    return pair_list(lambda found: scan_pairs(x, y, half, angle, chosen, found), out, 4 * count)


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
    """Test the listed pairs by a method of the document and count what it spends; shifts and look-ups are free.

    Returns  int64[3]  additions (subtractions, changes of sign), multiplications, comparisons (of numbers, not of bits)
    """
    count = arguments.check_pairs(pairs, _check(x, y, half, angle))
    if method == JUDGE:
        raise ValueError(f"method {method!r}: allowed {', '.join(METHODS[:-1])}; the judge is not counted")
    chosen, out = _chosen(method), array_of(out, np.int64, 3)
    out[:] = 0
    mark_pairs(x, y, half, angle, pairs, chosen, np.empty(count, np.uint8), out)
    return out


def corners(
    x: np.ndarray, y: np.ndarray, half: np.ndarray, angle: np.ndarray, *, out: np.ndarray | None = None
) -> np.ndarray:
    """Return the corners as the methods see them.

    Returns  int16[n, 4, 2]  x, y in Q11.5, of the corners that are upper left, upper right, lower right and lower left
                             at angle 0
    """
    count = _check(x, y, half, angle)
    out = array_of(out, np.int16, count, 4, 2)
    list_corners(x, y, half, angle, out)
    return out
