"""The rectangle tests of document 003, two rectangles at a time; `retrosim.collide.rectangles` says what they are for.

A rectangle is a tuple (x, y, half width, half height, angle), a point (x, y), both in Q11.5. `spent` is int64[3]
(additions, multiplications, comparisons), or None, and then counting costs nothing.
"""

from __future__ import annotations

from retrosim.jit import kernel
from retrosim.numeric.tables import FRACTION_BITS, QUARTER, cosine, rotated_x, rotated_y, sine

LEFT, RIGHT, UP, DOWN = 1, 2, 4, 8


@kernel
def spend(spent, additions, multiplications, comparisons):
    """Count operations."""
    if spent is not None:
        spent[0] += additions
        spent[1] += multiplications
        spent[2] += comparisons


@kernel
def corners_of(r, spent):
    """Return the four corners of a rectangle, those that are upper left, upper right, lower right, lower left unturned.

    Source  document 003, the rotation formulas
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
    """Tell whether a rectangle is what the document calls stable: its sides are parallel to the axes."""
    return r[4] & (QUARTER - 1) == 0


@kernel
def upright_sides(r):
    """Return the half sides of a rectangle as it lies once it is upright, without turning it further than needed."""
    if is_upright(r) and r[4] & QUARTER:
        return r[3], r[2]
    return r[2], r[3]


@kernel
def seen_from(point, r, spent):
    """Return a point relative to a rectangle's centre, turned with the rectangle until that is upright."""
    dx, dy = point[0] - r[0], point[1] - r[1]
    spend(spent, 2, 0, 0)
    if is_upright(r):
        return dx, dy
    c, s = cosine(r[4]), -sine(r[4])
    spend(spent, 3, 4, 0)
    return rotated_x(dx, dy, c, s), rotated_y(dx, dy, c, s)


@kernel
def is_within(point, wide, high, spent):
    """Tell whether a point lies in an upright rectangle about the origin, its edges included.

    Source  document 003, "Point algorithm 1": four comparisons with <= and >=
    """
    spend(spent, 1, 0, 1)
    if point[0] < -wide:
        return False
    spend(spent, 0, 0, 1)
    if point[0] > wide:
        return False
    spend(spent, 1, 0, 1)
    if point[1] < -high:
        return False
    spend(spent, 0, 0, 1)
    return point[1] <= high


@kernel
def is_corner_inside(b, a, spent):
    """Tell whether the first corner of `b` lies in `a`: the fifth point, for nested rectangles (figure 11)."""
    wide, high = upright_sides(a)
    spend(spent, 4, 4, 0)  # one corner of the four
    return is_within(seen_from(corners_of(b, None)[0], a, spent), wide, high, spent)


@kernel
def is_hit_point_1(a, b, spent):
    """Document 003, "Point algorithm 1": four corners of A in B, then one corner of B in A. B is upright if one is."""
    if is_upright(a) and not is_upright(b):
        a, b = b, a
    wide, high = upright_sides(b)
    for corner in corners_of(a, spent):
        if is_within(seen_from(corner, b, spent), wide, high, spent):
            return True
    return is_corner_inside(b, a, spent)


@kernel
def has_faces(point, corners, spent):
    """Tell whether a point's "faces", the feet of its perpendiculars on the four edges, all lie on the edges.

    By the document's similar triangles the foot divides the edge DE as (DP . DE) / (DE . DE); both sides are multiplied
    by DE . DE here, so that nothing is divided and level edges need no exception.

    Source  document 003, "Point algorithm 2"
    """
    for k in range(4):
        d, e = corners[k], corners[(k + 1) & 3]
        dx, dy = e[0] - d[0], e[1] - d[1]
        foot = (point[0] - d[0]) * dx + (point[1] - d[1]) * dy
        spend(spent, 5, 2, 1)
        if foot < 0:
            return False
        spend(spent, 1, 2, 1)
        if foot > dx * dx + dy * dy:
            return False
    return True


@kernel
def is_hit_point_2(a, b, spent):
    """Document 003, "Point algorithm 2": the same five points, by their faces; nothing is turned."""
    of_a, of_b = corners_of(a, spent), corners_of(b, spent)
    for corner in of_a:
        if has_faces(corner, of_b, spent):
            return True
    return has_faces(of_b[0], of_a, spent)


@kernel
def outcode(point, wide, high, spent):
    """Return on which sides of an upright rectangle about the origin a point lies: LEFT or RIGHT, UP or DOWN, or 0."""
    code = 0
    spend(spent, 1, 0, 1)
    if point[0] < -wide:
        code = LEFT
    else:
        spend(spent, 0, 0, 1)
        if point[0] > wide:
            code = RIGHT
    spend(spent, 1, 0, 1)
    if point[1] < -high:
        return code | UP
    spend(spent, 0, 0, 1)
    if point[1] > high:
        return code | DOWN
    return code


@kernel
def is_crossing(at, across, x0, y0, dx, dy, spent):
    """Tell whether an edge meets one side of a rectangle: where it crosses the line x = `at`, is |y| <= `across`?

    at      int  the line of the side; the edge's ends lie on different sides of it
    x0, y0  int  one end of the edge; dx, dy to the other; x and y exchanged for the lines above and below
    Source  document 003, "Line algorithm 1": the point by the line equation, multiplied by dx instead of divided
    """
    spend(spent, 2, 2, 1)
    y = y0 * dx + (at - x0) * dy
    if dx < 0:
        y, dx = -y, -dx
        spend(spent, 2, 0, 0)
    limit = across * dx
    spend(spent, 1, 1, 1)
    if y < -limit:
        return False
    spend(spent, 0, 0, 1)
    return y <= limit


@kernel
def is_edge_hit(p, p_code, q, q_code, wide, high, spent):
    """Tell whether the document takes the edge from `p` to `q` to meet an upright rectangle; neither end is inside.

    Source  document 003, "Line algorithm 1", tables 2 and 3
    """
    if p_code & q_code:
        return False
    either = p_code | q_code
    if either & (LEFT | RIGHT) == LEFT | RIGHT or either & (UP | DOWN) == UP | DOWN:
        return True
    dx, dy = q[0] - p[0], q[1] - p[1]
    spend(spent, 2, 0, 0)
    if either & (LEFT | RIGHT):
        at = wide if either & RIGHT else -wide
        if is_crossing(at, high, p[0], p[1], dx, dy, spent):
            return True
    if either & (UP | DOWN):
        at = high if either & DOWN else -high
        if is_crossing(at, wide, p[1], p[0], dy, dx, spent):
            return True
    return False


@kernel
def is_hit_line_1(a, b, spent):
    """Document 003, "Line algorithm 1": outcodes of A's corners, then A's edges, then one corner of B in A."""
    if is_upright(a) and not is_upright(b):
        a, b = b, a
    wide, high = upright_sides(b)
    corners = corners_of(a, spent)
    p = seen_from(corners[0], b, spent)
    p_code = outcode(p, wide, high, spent)
    if p_code == 0:
        return True
    q = seen_from(corners[1], b, spent)
    q_code = outcode(q, wide, high, spent)
    if q_code == 0:
        return True
    r = seen_from(corners[2], b, spent)
    r_code = outcode(r, wide, high, spent)
    if r_code == 0:
        return True
    s = seen_from(corners[3], b, spent)
    s_code = outcode(s, wide, high, spent)
    if s_code == 0:
        return True
    points, codes = (p, q, r, s), (p_code, q_code, r_code, s_code)
    for k in range(4):
        n = (k + 1) & 3
        if is_edge_hit(points[k], codes[k], points[n], codes[n], wide, high, spent):
            return True
    return is_corner_inside(b, a, spent)


@kernel
def is_hit_separating_axis(a, b):
    """Tell whether two rectangles have a point in common, exactly: no rounding, 64-bit sums.

    The rectangles have the cosines and sines of the table as they are: corner = centre + (+-half width * (c, s) +-
    half height * (-s, c)) / 2**14, not rounded.
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
def rectangle(x, y, half, angle, i):
    """Return rectangle `i` of a scene as a tuple."""
    return int(x[i]), int(y[i]), int(half[i, 0]), int(half[i, 1]), int(angle[i])


@kernel
def is_hit(x, y, half, angle, i, j, point_1, point_2, line_1, judge, spent):
    """Tell whether a method finds rectangles `i` (the document's A) and `j` (its B) in collision.

    x, y    int16[n]     centres, Q11.5
    half    int16[n, 2]  half sides, Q11.5
    angle   int16[n]     binary, 1024 to the turn
    point_1, point_2, line_1, judge  one of `CHOICES`: the method that is not None. Numba compiles no other then.
    """
    a, b = rectangle(x, y, half, angle, i), rectangle(x, y, half, angle, j)
    if point_1 is not None:
        return is_hit_point_1(a, b, spent)
    if point_2 is not None:
        return is_hit_point_2(a, b, spent)
    if line_1 is not None:
        return is_hit_line_1(a, b, spent)
    if judge is not None:
        return is_hit_separating_axis(a, b)
    return False


CHOICES = {
    "point_1": (True, None, None, None),
    "point_2": (None, True, None, None),
    "line_1": (None, None, True, None),
    "separating_axis": (None, None, None, True),
}


@kernel
def place_corners(x, y, half, angle, i, out):
    """Write the corners of rectangle `i`; out is int16[4, 2]."""
    corners = corners_of(rectangle(x, y, half, angle, i), None)
    for k in range(4):
        out[k, 0] = corners[k][0]
        out[k, 1] = corners[k][1]
