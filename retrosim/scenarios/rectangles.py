"""Kernels that find and fill the pixels of a rectangle at any angle; several scenarios share them.

spans      int32[480, 2]  scratch: first and last pixel of each row
rectangle  (x, y, half width, half height, angle), Q11.5
"""

from __future__ import annotations

from retrosim.collide.kernels.shapes.oriented import corners_of
from retrosim.jit import kernel
from retrosim.numeric.fixed import to_pixels
from retrosim.screen.framebuffer import WIDTH


@kernel
def slope(dx, dy):
    """Return how far a side leads to the right in a row, 8 binary places, cut towards zero."""
    if dx < 0:
        return -((-dx << 8) // dy)
    return (dx << 8) // dy


@kernel
def trace_side(spans, x0, y0, x1, y1):
    """Widen the spans to a side: going clockwise, what leads down is right and what leads up is left."""
    spans[y0, 0] = min(spans[y0, 0], x0)
    spans[y0, 1] = max(spans[y0, 1], x0)
    if y0 < y1:
        gain = slope(x1 - x0, y1 - y0)
        for row in range(y0 + 1, y1):
            spans[row, 1] = max(spans[row, 1], ((x0 << 8) + 128 + gain * (row - y0)) >> 8)
    elif y0 > y1:
        gain = slope(x0 - x1, y0 - y1)
        for row in range(y1 + 1, y0):
            spans[row, 0] = min(spans[row, 0], ((x1 << 8) + 128 + gain * (row - y1)) >> 8)


@kernel
def pixels_of(rectangle):
    """Return the corners of a rectangle, pixels."""
    a, b, c, d = corners_of(rectangle, None)
    return (
        (to_pixels(a[0]), to_pixels(a[1])), (to_pixels(b[0]), to_pixels(b[1])),
        (to_pixels(c[0]), to_pixels(c[1])), (to_pixels(d[0]), to_pixels(d[1])),
    )  # fmt: skip


@kernel
def find_spans(spans, rectangle):
    """Find the pixels of a rectangle row by row; return its first row and the one after its last."""
    corners = pixels_of(rectangle)
    top, bottom = corners[0][1], corners[0][1]
    for corner in corners:
        top, bottom = min(top, corner[1]), max(bottom, corner[1])
    for row in range(top, bottom + 1):
        spans[row, 0] = WIDTH
        spans[row, 1] = 0
    for k in range(4):
        p, q = corners[k], corners[(k + 1) & 3]
        trace_side(spans, p[0], p[1], q[0], q[1])
    return top, bottom + 1


@kernel
def fill_rectangle(screen, spans, rectangle, ink):
    """Fill a rectangle. `screen`: uint8[480, 640]; `ink`: uint8, palette index."""
    top, end = find_spans(spans, rectangle)
    for row in range(top, end):
        for column in range(spans[row, 0], spans[row, 1] + 1):
            screen[row, column] = ink
