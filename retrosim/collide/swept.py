"""Collision along the way of a whole frame (document 004's "4D" remark): time is one more dimension. Exact in integers.

A missile of 25 pixels a frame passes a ship 8 pixels wide without ever standing on it; the swept test sees it.

    >>> import numpy as np
    >>> from retrosim.collide import intersect, swept
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
    x, y      int16[n] or int32[n], C-contiguous; where the frame begins, -32768..32767 in any unit (so Q11.5 as well):
              upper-left corners of boxes, centres of circles
    move_x, move_y  as x; how far each object moves in the frame, straight and evenly, -4095..4095
    size      sides of boxes, 1..16383: one number, int[n], or int[n, 2] with width and height
    radius    radii of circles, 0..8191: one number, or int[n]; either `size` or `radius`
    pairs     int32[m, 2], indices
    out       where to write, instead of making an array: uint8[m] for flags, int32[m, 2] with room enough for pairs
    Errors    ValueError  wrong dtype, shape or length; a value out of range, named with the range

Two objects collide if they overlap at any time of the frame, its begin and end included. Touching is no collision: at
every moment boxes are those of document 000, circles those of document 004. Sums and products for boxes fit 32 bits,
those for circles 64.
"""

from __future__ import annotations

import numpy as np

from retrosim.collide import arguments
from retrosim.collide.results import flag_array, pair_list
from retrosim.jit import kernel

FASTEST, LARGEST_RADIUS = 4095, 8191


@kernel
def span(apart, move, wide_a, wide_b):
    """Return when two boxes overlap along one axis, as open interval: after begin / |move|, before end / |move|.

    apart, move     int       a's corner from b's when the frame begins; how much it moves
    wide_a, wide_b  int       sides along this axis
    Returns         int, int  begin, end; without a move, begin < 0 < end if they overlap
    """
    if move < 0:
        return apart - wide_b, apart + wide_a
    return -apart - wide_a, wide_b - apart


@kernel
def is_box_hit(dx, dy, vx, vy, aw, ah, bw, bh):
    """Tell whether two boxes overlap at any time of a frame.

    dx, dy          int  a's corner from b's when the frame begins
    vx, vy          int  a's move less b's
    aw, ah, bw, bh  int  sides

    The boxes overlap along x in one stretch of time, along y in another: those and the frame must have a time in
    common, which they do if every two of them have.
    """
    x_begin, x_end = span(dx, vx, aw, bw)
    y_begin, y_end = span(dy, vy, ah, bh)
    fast_x, fast_y = abs(vx), abs(vy)
    if x_begin >= fast_x or x_end <= 0 or y_begin >= fast_y or y_end <= 0:
        return False
    if fast_x | fast_y == 0:
        return True
    return x_begin * fast_y < y_end * fast_x and y_begin * fast_x < x_end * fast_y


@kernel
def is_circle_hit(dx, dy, vx, vy, reach):
    """Tell whether two circles overlap at any time of a frame.

    dx, dy  int  a's centre from b's when the frame begins
    vx, vy  int  a's move less b's
    reach   int  sum of the radii

    They are nearest at time -(d . v) / (v . v); if that lies in the frame, the distance then is |d x v| / |v|.
    """
    along = -(dx * vx + dy * vy)
    moved = vx * vx + vy * vy
    if along <= 0:
        return dx * dx + dy * dy < reach * reach
    if along >= moved:
        return (dx + vx) * (dx + vx) + (dy + vy) * (dy + vy) < reach * reach
    across = dx * vy - dy * vx
    return across * across < reach * reach * moved


@kernel
def is_hit(x, y, move_x, move_y, sides, radius, a, b):
    """Tell whether objects `a` and `b` collide in this frame.

    x, y, move_x, move_y  int16[n] or int32[n]
    sides    int32[n, 2]  widths and heights of boxes, or None
    radius   uint16[n]    radii of circles, or None; Numba compiles only the test for the one that is there
    """
    dx, dy = int(x[a]) - int(x[b]), int(y[a]) - int(y[b])
    vx, vy = int(move_x[a]) - int(move_x[b]), int(move_y[a]) - int(move_y[b])
    if sides is not None:
        return is_box_hit(dx, dy, vx, vy, sides[a, 0], sides[a, 1], sides[b, 0], sides[b, 1])
    if radius is not None:
        return is_circle_hit(dx, dy, vx, vy, int(radius[a]) + int(radius[b]))
    return False


@kernel
def mark_pairs(x, y, move_x, move_y, sides, radius, pairs, out):
    """Write 1 for each listed pair that collides, else 0; arguments as for `is_hit`. Callable from compiled code.

    pairs  int32[m, 2]  indices
    out    uint8[m]     output
    """
    for p in range(len(pairs)):
        out[p] = is_hit(x, y, move_x, move_y, sides, radius, pairs[p, 0], pairs[p, 1])


@kernel
def scan_pairs(x, y, move_x, move_y, sides, radius, found):
    """List every pair i < j that collides; return how many there are; arguments as for `is_hit`.

    found  int32[m, 2]  output; collisions beyond m rows are only counted
    """
    total = 0
    for a in range(len(x)):
        for b in range(a + 1, len(x)):
            if is_hit(x, y, move_x, move_y, sides, radius, a, b):
                if total < len(found):
                    found[total, 0] = a
                    found[total, 1] = b
                total += 1
    return total


def _check(x, y, move_x, move_y, size, radius):
    """Return the number of objects, and their sides or their radii."""
    count = arguments.check_coordinates(x=x, y=y, move_x=move_x, move_y=move_y)
    arguments.check_range(-32768, 32767, x=x, y=y)
    arguments.check_range(-FASTEST, FASTEST, move_x=move_x, move_y=move_y)
    if (size is None) == (radius is None):
        raise ValueError(f"size {size} and radius {radius}: allowed exactly one of them")
    if radius is None:
        return count, arguments.side_table("size", size, count, 1), None
    return count, None, arguments.word_per_object("radius", radius, count, np.uint16, LARGEST_RADIUS)


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
    count, sides, radii = _check(x, y, move_x, move_y, size, radius)
    out = flag_array(out, arguments.check_pairs(pairs, count))
    mark_pairs(x, y, move_x, move_y, sides, radii, pairs, out)
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
    count, sides, radii = _check(x, y, move_x, move_y, size, radius)
    return pair_list(lambda found: scan_pairs(x, y, move_x, move_y, sides, radii, found), out, 4 * count)
