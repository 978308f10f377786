"""Scenes of oriented rectangles; see `retrosim.collide.documents.rectangles`."""

from __future__ import annotations

from retrosim.jit import kernel

from .oriented import corners_of, is_hit, rectangle_of


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
