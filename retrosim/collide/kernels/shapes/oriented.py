"""The tests of Rekaby 2011 for two oriented rectangles; see `retrosim.collide.documents.rectangles`.

A rectangle is a tuple (x, y, half width, half height, angle), a point is (x, y), both in Q11.5. A rectangle is upright
if its sides are parallel to the axes. `spent` is int64[3] (additions, multiplications, comparisons), added to; or None,
and then counting costs nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retrosim.jit import kernel
from retrosim.numeric.tables import FRACTION_BITS, QUARTER, cosine, rotated_x, rotated_y, sine

LEFT, RIGHT, UP, DOWN = 1, 2, 4, 8

# A method is a tuple with one entry that is not None: so Numba compiles the test of that method only.
CHOICES = {
    "point_1": (True, None, None, None),
    "point_2": (None, True, None, None),
    "line_1": (None, None, True, None),
    "separating_axis": (None, None, None, True),
}


class Rectangles(NamedTuple):
    """Rectangles at any angle.

    x, y   int16[n]     centres, Q11.5
    half   int16[n, 2]  half sides, Q11.5
    angle  int16[n]     binary, 1024 to the turn
    """

    x: np.ndarray
    y: np.ndarray
    half: np.ndarray
    angle: np.ndarray


@kernel
def spend(spent, additions, multiplications, comparisons):
    """Count operations."""
    if spent is not None:
        spent[0] += additions
        spent[1] += multiplications
        spent[2] += comparisons


@kernel
def corners_of(r, spent):
    """Return the four corners of a rectangle: upper left, upper right, lower right and lower left at angle 0.

    Source  Rekaby 2011, the rotation formulas
    """
    c, s = cosine(r[4]), sine(r[4])
    wc, ws, hc, hs = r[2] * c, r[2] * s, r[3] * c, r[3] * s
    spend(spent, 16, 4, 0)
    return (
        (r[0] + ((-wc + hs) >> FRACTION_BITS), r[1] + ((-ws - hc) >> FRACTION_BITS)),
        (r[0] + ((wc + hs) >> FRACTION_BITS), r[1] + ((ws - hc) >> FRACTION_BITS)),
        (r[0] + ((wc - hs) >> FRACTION_BITS), r[1] + ((ws + hc) >> FRACTION_BITS)),
        (r[0] + ((-wc - hs) >> FRACTION_BITS), r[1] + ((-ws + hc) >> FRACTION_BITS)),
    )


@kernel
def is_upright(r):
    """Tell whether a rectangle is upright, which Rekaby calls stable."""
    return r[4] & (QUARTER - 1) == 0


@kernel
def upright_sides(r):
    """Return the half sides along x and y of a rectangle that is rotated until it is upright, as little as needed."""
    if is_upright(r) and r[4] & QUARTER:
        return r[3], r[2]
    return r[2], r[3]


@kernel
def relative_to(point, r, spent):
    """Return a point relative to a rectangle's centre, rotated together with the rectangle until that is upright."""
    dx, dy = point[0] - r[0], point[1] - r[1]
    spend(spent, 2, 0, 0)
    if is_upright(r):
        return dx, dy
    c, s = cosine(r[4]), -sine(r[4])
    spend(spent, 3, 4, 0)
    return rotated_x(dx, dy, c, s), rotated_y(dx, dy, c, s)


@kernel
def is_within(point, half_width, half_height, spent):
    """Tell whether a point lies in an upright rectangle around the origin, its sides included.

    Source  Rekaby 2011, "Point algorithm 1": four comparisons with <= and >=
    """
    spend(spent, 1, 0, 1)
    if point[0] < -half_width:
        return False
    spend(spent, 0, 0, 1)
    if point[0] > half_width:
        return False
    spend(spent, 1, 0, 1)
    if point[1] < -half_height:
        return False
    spend(spent, 0, 0, 1)
    return point[1] <= half_height


@kernel
def is_corner_inside(b, a, spent):
    """Tell whether the first corner of `b` lies in `a`: the fifth point, for nested rectangles (figure 11)."""
    half_width, half_height = upright_sides(a)
    spend(spent, 4, 4, 0)  # one corner of the four
    return is_within(relative_to(corners_of(b, None)[0], a, spent), half_width, half_height, spent)


@kernel
def is_hit_point_1(a, b, spent):
    """Rekaby 2011, "Point algorithm 1": four corners of A in B, then one corner of B in A. B is upright if one is."""
    if is_upright(a) and not is_upright(b):
        a, b = b, a
    half_width, half_height = upright_sides(b)
    for corner in corners_of(a, spent):
        if is_within(relative_to(corner, b, spent), half_width, half_height, spent):
            return True
    return is_corner_inside(b, a, spent)


@kernel
def has_faces(point, r, spent):
    """Tell whether a point's "faces", the feet of its perpendiculars on the four sides, all lie on the sides.

    The sides' directions come from the tables, because those of rounded corners would turn the short sides of bars, and
    feet are measured from the middle of a side: one on a side lies as far along the side opposite. Nothing is rounded.

    Source  Rekaby 2011, "Point algorithm 2"
    """
    c, s = cosine(r[4]), sine(r[4])
    dx, dy = point[0] - r[0], point[1] - r[1]
    foot, limit = dx * c + dy * s, r[2] << FRACTION_BITS
    spend(spent, 4, 2, 1)
    if foot < -limit:
        return False
    spend(spent, 0, 0, 1)
    if foot > limit:
        return False
    foot, limit = dy * c - dx * s, r[3] << FRACTION_BITS
    spend(spent, 2, 2, 1)
    if foot < -limit:
        return False
    spend(spent, 0, 0, 1)
    return foot <= limit


@kernel
def is_hit_point_2(a, b, spent):
    """Rekaby 2011, "Point algorithm 2": the same five points, by their faces; nothing is rotated."""
    for corner in corners_of(a, spent):
        if has_faces(corner, b, spent):
            return True
    spend(spent, 4, 4, 0)  # one corner of the four
    return has_faces(corners_of(b, None)[0], a, spent)


@kernel
def outcode(point, half_width, half_height, spent):
    """Return where a point lies beside an upright rectangle around the origin: LEFT or RIGHT, UP or DOWN, or 0."""
    code = 0
    spend(spent, 1, 0, 1)
    if point[0] < -half_width:
        code = LEFT
    else:
        spend(spent, 0, 0, 1)
        if point[0] > half_width:
            code = RIGHT
    spend(spent, 1, 0, 1)
    if point[1] < -half_height:
        return code | UP
    spend(spent, 0, 0, 1)
    if point[1] > half_height:
        return code | DOWN
    return code


@kernel
def is_crossing(at, limit, x0, y0, dx, dy, spent):
    """Tell whether a line from (x0, y0) to (x0 + dx, y0 + dy) crosses x = `at` where |y| <= `limit`.

    The line's ends lie on either side of x = `at`. For the upper and the lower side x and y are exchanged.

    Source  Rekaby 2011, "Line algorithm 1": the point by the line equation, multiplied by dx instead of divided
    """
    spend(spent, 2, 2, 1)
    y = y0 * dx + (at - x0) * dy
    if dx < 0:
        y, dx = -y, -dx
        spend(spent, 2, 0, 0)
    limit *= dx
    spend(spent, 1, 1, 1)
    if y < -limit:
        return False
    spend(spent, 0, 0, 1)
    return y <= limit


@kernel
def is_side_hit(p, p_code, q, q_code, half_width, half_height, spent):
    """Tell whether the method takes the side from `p` to `q` to meet an upright rectangle; neither end is inside.

    Source  Rekaby 2011, "Line algorithm 1", tables 2 and 3
    """
    if p_code & q_code:
        return False
    either = p_code | q_code
    if either & (LEFT | RIGHT) == LEFT | RIGHT or either & (UP | DOWN) == UP | DOWN:
        return True
    dx, dy = q[0] - p[0], q[1] - p[1]
    spend(spent, 2, 0, 0)
    if either & (LEFT | RIGHT):
        at = half_width if either & RIGHT else -half_width
        if is_crossing(at, half_height, p[0], p[1], dx, dy, spent):
            return True
    if either & (UP | DOWN):
        at = half_height if either & DOWN else -half_height
        if is_crossing(at, half_width, p[1], p[0], dy, dx, spent):
            return True
    return False


@kernel
def is_hit_line_1(a, b, spent):
    """Rekaby 2011, "Line algorithm 1": outcodes of A's corners, then A's sides, then one corner of B in A."""
    if is_upright(a) and not is_upright(b):
        a, b = b, a
    half_width, half_height = upright_sides(b)
    corners = corners_of(a, spent)
    p = relative_to(corners[0], b, spent)
    p_code = outcode(p, half_width, half_height, spent)
    if p_code == 0:
        return True
    q = relative_to(corners[1], b, spent)
    q_code = outcode(q, half_width, half_height, spent)
    if q_code == 0:
        return True
    r = relative_to(corners[2], b, spent)
    r_code = outcode(r, half_width, half_height, spent)
    if r_code == 0:
        return True
    s = relative_to(corners[3], b, spent)
    s_code = outcode(s, half_width, half_height, spent)
    if s_code == 0:
        return True
    points, codes = (p, q, r, s), (p_code, q_code, r_code, s_code)
    for k in range(4):
        n = (k + 1) & 3
        if is_side_hit(points[k], codes[k], points[n], codes[n], half_width, half_height, spent):
            return True
    return is_corner_inside(b, a, spent)


@kernel
def is_hit_separating_axis(a, b):
    """Tell whether two rectangles have a point in common, exactly: no rounding, 64-bit sums.

    The rectangles are those that the table's sines and cosines give, not rounded: corner = centre + (+-half width *
    (c, s) +- half height * (-s, c)) / 2**14.
    """
    ca, sa, cb, sb = cosine(a[4]), sine(a[4]), cosine(b[4]), sine(b[4])
    dx, dy = b[0] - a[0], b[1] - a[1]
    dot, cross = abs(ca * cb + sa * sb), abs(ca * sb - sa * cb)
    aa, bb = ca * ca + sa * sa, cb * cb + sb * sb
    if abs(dx * ca + dy * sa) << FRACTION_BITS > a[2] * aa + b[2] * dot + b[3] * cross:
        return False
    if abs(dy * ca - dx * sa) << FRACTION_BITS > a[3] * aa + b[2] * cross + b[3] * dot:
        return False
    if abs(dx * cb + dy * sb) << FRACTION_BITS > b[2] * bb + a[2] * dot + a[3] * cross:
        return False
    return abs(dy * cb - dx * sb) << FRACTION_BITS <= b[3] * bb + a[2] * cross + a[3] * dot


@kernel
def rectangle_of(x, y, half, angle, i):
    """Return rectangle `i` of a scene as a tuple."""
    return int(x[i]), int(y[i]), int(half[i, 0]), int(half[i, 1]), int(angle[i])


@kernel
def is_hit_by(a, b, point_1, point_2, line_1, separating_axis, spent):
    """Tell whether a method finds two rectangles in collision: the method that is not None, see CHOICES."""
    if point_1 is not None:
        return is_hit_point_1(a, b, spent)
    if point_2 is not None:
        return is_hit_point_2(a, b, spent)
    if line_1 is not None:
        return is_hit_line_1(a, b, spent)
    if separating_axis is not None:
        return is_hit_separating_axis(a, b)
    return False


@kernel
def is_hit(a, b, method, spent):
    """Tell whether a method, one of the values of CHOICES, finds two rectangles, Rekaby's A and B, in collision."""
    return is_hit_by(a, b, *method, spent)


# Scenes of oriented rectangles; see `retrosim.collide.documents.rectangles`.


@kernel
def mark_pairs(rectangles, pairs, method, out, spent):
    """Write 1 for each listed pair that collides, else 0, and add up the operations.

    rectangles  oriented.Rectangles
    pairs       int32[m, 2]  indices
    method      tuple        one of the values of `oriented.CHOICES`; the loop is compiled for each of them
    out         uint8[m]     output
    spent       int64[3]     output, added to: additions, multiplications, comparisons; or None
    """
    x, y, half, angle = rectangles
    for p in range(len(pairs)):
        a, b = rectangle_of(x, y, half, angle, pairs[p, 0]), rectangle_of(x, y, half, angle, pairs[p, 1])
        out[p] = is_hit(a, b, method, spent)


@kernel
def scan_pairs(rectangles, method, found):
    """List every pair i < j that collides.

    rectangles, method  as for `mark_pairs`
    found               int32[m, 2]  output
    Returns             int          collisions
    """
    x, y, half, angle = rectangles
    total = 0
    for a in range(len(x)):
        first = rectangle_of(x, y, half, angle, a)
        for b in range(a + 1, len(x)):
            if is_hit(first, rectangle_of(x, y, half, angle, b), method, None):
                if total < len(found):
                    found[total, 0] = a
                    found[total, 1] = b
                total += 1
    return total


@kernel
def list_corners(rectangles, out):
    """Write the corners of all rectangles.

    out  int16[n, 4, 2]  output: x, y of the corners, in the order of `oriented.corners_of`
    """
    x, y, half, angle = rectangles
    for i in range(len(x)):
        corners = corners_of(rectangle_of(x, y, half, angle, i), None)
        for k in range(4):
            out[i, k, 0] = corners[k][0]
            out[i, k, 1] = corners[k][1]
