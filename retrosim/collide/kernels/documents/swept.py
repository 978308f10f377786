"""Swept tests: objects that move during a frame; see `retrosim.collide.documents.swept`.

`apart` is (x, y), where `a` is from `b` when the frame begins; `move` is (x, y), the move of `a` less that of `b`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retrosim.jit import kernel


class Moving(NamedTuple):
    """Moving objects, int16[n] or int32[n] each.

    x, y            where the frame begins: upper-left corners of boxes, centres of circles
    move_x, move_y  how far they move in the frame
    """

    x: np.ndarray
    y: np.ndarray
    move_x: np.ndarray
    move_y: np.ndarray


@kernel
def overlap_times(apart, move, side_a, side_b):
    """Return when two boxes overlap along one axis, as open interval: after begin / |move|, before end / |move|.

    apart, move     int       along this axis
    side_a, side_b  int       sides along this axis
    Returns         int, int  begin, end; without a move, begin < 0 < end if they overlap
    """
    if move < 0:
        return apart - side_b, apart + side_a
    return -apart - side_a, side_b - apart


@kernel
def is_box_hit(apart, move, size_a, size_b):
    """Tell whether two boxes overlap at any time of a frame.

    apart, move     (int, int)  of the corners
    size_a, size_b  (int, int)  widths and heights

    The boxes overlap along x in one interval of time, along y in another: those and the frame must have a time in
    common, which they do if every two of them have.
    """
    x_begin, x_end = overlap_times(apart[0], move[0], size_a[0], size_b[0])
    y_begin, y_end = overlap_times(apart[1], move[1], size_a[1], size_b[1])
    fast_x, fast_y = abs(move[0]), abs(move[1])
    if x_begin >= fast_x or x_end <= 0 or y_begin >= fast_y or y_end <= 0:
        return False
    if fast_x | fast_y == 0:
        return True
    return x_begin * fast_y < y_end * fast_x and y_begin * fast_x < x_end * fast_y


@kernel
def is_circle_hit(apart, move, reach):
    """Tell whether two circles overlap at any time of a frame.

    apart, move  (int, int)  of the centres
    reach        int         sum of the radii

    They are nearest at time -(d . v) / (v . v); if that lies in the frame, the distance then is |d x v| / |v|.
    """
    dx, dy = apart
    vx, vy = move
    along = -(dx * vx + dy * vy)
    moved = vx * vx + vy * vy
    if along <= 0:
        return dx * dx + dy * dy < reach * reach
    if along >= moved:
        return (dx + vx) * (dx + vx) + (dy + vy) * (dy + vy) < reach * reach
    across = dx * vy - dy * vx
    return across * across < reach * reach * moved


@kernel
def difference(x, y, a, b):
    """Return (x, y) of object `a` less that of object `b`."""
    return int(x[a]) - int(x[b]), int(y[a]) - int(y[b])


@kernel
def is_hit(apart, move, size, radius, a, b):
    """Tell whether objects `a` and `b` collide in this frame.

    size    int32[n, 2]  widths and heights of boxes, or None
    radius  uint16[n]    radii of circles, or None; Numba compiles only the test for the one that is there
    """
    if size is not None:
        return is_box_hit(apart, move, (size[a, 0], size[a, 1]), (size[b, 0], size[b, 1]))
    if radius is not None:
        return is_circle_hit(apart, move, int(radius[a]) + int(radius[b]))
    return False


@kernel
def mark_pairs(moving, size, radius, pairs, out):
    """Write 1 for each listed pair that collides, else 0.

    moving        Moving
    size, radius  see `is_hit`
    pairs         int32[m, 2]  indices
    out           uint8[m]     output
    """
    x, y, move_x, move_y = moving
    for p in range(len(pairs)):
        a, b = pairs[p, 0], pairs[p, 1]
        out[p] = is_hit(difference(x, y, a, b), difference(move_x, move_y, a, b), size, radius, a, b)


@kernel
def scan_pairs(moving, size, radius, found):
    """List every pair i < j that collides.

    moving        Moving
    size, radius  see `is_hit`
    found         int32[m, 2]  output
    Returns       int          collisions
    """
    x, y, move_x, move_y = moving
    total = 0
    for a in range(len(x)):
        for b in range(a + 1, len(x)):
            if is_hit(difference(x, y, a, b), difference(move_x, move_y, a, b), size, radius, a, b):
                if total < len(found):
                    found[total, 0] = a
                    found[total, 1] = b
                total += 1
    return total
