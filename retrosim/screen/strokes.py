"""Lines and circles in whole pixels, many at a time: which pixels they are, and how these get their colour.

Points are int[n, 2], x and y, and may lie anywhere; only what falls on the image costs time. That includes what lies
PEN - 1 pixels left of or above it, where a thick pen, which hangs to the right and below, reaches in.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .framebuffer import HEIGHT, WIDTH

Ink = tuple[int, int, int, int]
"""Red, green, blue, alpha."""
PEN = 2  # pixels, both sides of the thick one


def _is_near(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return (x > -PEN) & (x < WIDTH) & (y > -PEN) & (y < HEIGHT)


def line_pixels(start: np.ndarray, stop: np.ndarray, every: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the pixels of straight lines, both ends included, as far as they lie on the image.

    start, stop  int[n, 2]
    every        steps from one pixel of a line to the next
    Returns      int[p] x 3   x, y, number of the line
    Source       Bresenham 1965, in closed form: along the longer axis step k is k pixels on, along the shorter one
                 (2 k b + a) // (2 a), where a and b are the lengths
    """
    start, stop = np.asarray(start, np.int32), np.asarray(stop, np.int32)
    length, step = np.abs(stop - start), np.sign(stop - start)
    lines, long = np.arange(len(start)), (length[:, 1] > length[:, 0]).astype(int)
    begin, forward, a, b = start[lines, long], step[lines, long], length[lines, long], length[lines, 1 - long]
    least, most = 1 - PEN, np.array((WIDTH, HEIGHT))[long] - 1  # of the longer axis, on the image
    first = np.where(forward >= 0, least - begin, begin - most).clip(0)
    last = np.minimum(np.where(forward >= 0, most - begin, begin - least), a)
    first = -(-first // every) * every
    count = ((last - first) // every + 1).clip(0)
    line = np.repeat(lines, count)
    k = every * np.arange(len(line)) + np.repeat(first - every * (np.cumsum(count) - count), count)
    across = (2 * k * b[line] + a[line]) // np.maximum(2 * a, 1)[line]
    points = np.empty((2, len(line)), np.int32)
    points[long[line], np.arange(len(line))] = k
    points[1 - long[line], np.arange(len(line))] = across
    x, y = start.T[:, line] + step.T[:, line] * points
    seen = _is_near(x, y)
    return x[seen], y[seen], line[seen]


@lru_cache(256)
def circle_offsets(radius: int) -> np.ndarray:
    """Return the pixels of a circle about (0, 0), int[p, 2], each once.

    radius   0 or more
    Source   the midpoint algorithm: an eighth of the circle, where x steps inwards once the midpoint is outside
    """
    x, y, error, eighth = radius, 0, 1 - radius, []
    while y <= x:
        eighth.append((x, y))
        y += 1
        if error >= 0:
            x -= 1
            error -= 2 * x
        error += 2 * y + 1
    signs = ((1, 1), (1, -1), (-1, 1), (-1, -1))
    points = {(i * p, j * q) for x, y in eighth for p, q in ((x, y), (y, x)) for i, j in signs}
    return np.array(sorted(points))


def circle_pixels(circles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the pixels of circles, x and y, as far as they lie on the image. circles: int[n, 3], x, y, radius 0.."""
    parts = [np.empty((0, 2), int)]
    for radius in np.unique(circles[:, 2]):
        centres = circles[circles[:, 2] == radius, :2]
        parts.append((centres[:, None] + circle_offsets(int(radius))).reshape(-1, 2))
    x, y = np.concatenate(parts).T
    seen = _is_near(x, y)
    return x[seen], y[seen]


def polygon_lines(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges of closed polygons, start and stop, int[n * k, 2] each. corners: int[n, k, 2]."""
    return corners.reshape(-1, 2), np.roll(corners, -1, axis=1).reshape(-1, 2)


def frame_boxes(overlay: np.ndarray, boxes: np.ndarray, ink: Ink, pen: int = 1, every: int = 1) -> None:
    """Draw the pixels just inside of boxes.

    boxes    int[n, 4]  left, top, right, bottom; half open
    pen      pixels, of all four sides
    every    steps from one pixel of a side to the next
    """
    image, word = _words(overlay), _word(ink)
    for left, top, right, bottom in boxes.tolist():
        across = slice(left + -(min(left, 0) // every) * every, max(right, 0), every)
        for row in (*range(top, min(top + pen, bottom)), *range(max(bottom - pen, top), bottom)):
            if 0 <= row < HEIGHT:
                image[row, across] = word
        down = slice(top + -(min(top, 0) // every) * every, max(bottom, 0), every)
        for column in (*range(left, min(left + pen, right)), *range(max(right - pen, left), right)):
            if 0 <= column < WIDTH:
                image[down, column] = word


def plot(overlay: np.ndarray, x: np.ndarray, y: np.ndarray, ink: Ink, pen: int = 1) -> None:
    """Give pixels a colour; those off the image are left out.

    overlay  uint8[480, 640, 4], C-contiguous
    pen      1..PEN: pixels to the right and below that get it too, the pixel itself included
    """
    image, word = _words(overlay).reshape(-1), _word(ink)
    for across, down in np.ndindex(pen, pen):
        at_x, at_y = x + across, y + down
        seen = (at_x >= 0) & (at_x < WIDTH) & (at_y >= 0) & (at_y < HEIGHT)
        image[at_y[seen] * WIDTH + at_x[seen]] = word


def _words(overlay: np.ndarray) -> np.ndarray:
    """Return an overlay as uint32[480, 640], a view."""
    return overlay.view(np.uint32)[..., 0]


def _word(ink: Ink) -> int:
    return int(np.array(ink, np.uint8).view(np.uint32)[0])
