"""Lines and circles in whole pixels, many at a time: which pixels they cover, and drawing them.

Points are int[n, 2], x and y, and may lie anywhere; only those on the image cost time. They include those up to PEN - 1
pixels left of the image or above it, because a thick pen extends to the right and below.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .framebuffer import HEIGHT, WIDTH

Ink = tuple[int, int, int, int]
"""Red, green, blue, alpha."""
PEN = 2  # pixels, width and height of the thick pen


def _is_near(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return (x > -PEN) & (x < WIDTH) & (y > -PEN) & (y < HEIGHT)


def line_pixels(start: np.ndarray, stop: np.ndarray, every: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the pixels of straight lines, both ends included, as far as they lie on the image.

    start, stop  int[n, 2]
    every        draw every n-th pixel of a line
    Returns      three int[p]  x, y, number of the line
    Source       Bresenham 1965, in closed form: along the longer axis step k is k pixels on, along the shorter one
                 (2 k b + a) // (2 a), where a and b are the lengths
    """
    start, stop = np.asarray(start, np.int32), np.asarray(stop, np.int32)
    length, step = np.abs(stop - start), np.sign(stop - start)
    lines, long = np.arange(len(start)), (length[:, 1] > length[:, 0]).astype(int)
    begin, forward, a, b = start[lines, long], step[lines, long], length[lines, long], length[lines, 1 - long]
    minimum, maximum = 1 - PEN, np.array((WIDTH, HEIGHT))[long] - 1  # coordinate on the longer axis, on the image
    first = np.where(forward >= 0, minimum - begin, begin - maximum).clip(0)
    last = np.minimum(np.where(forward >= 0, maximum - begin, begin - minimum), a)
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
    """Return the pixels of a circle around (0, 0), each once.

    radius   pixels, 0 or more
    Returns  int[p, 2]  x, y
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
    """Return the pixels of circles, as far as they lie on the image.

    circles  int[n, 3]   x and y of the centre, radius; pixels, radius 0 or more
    Returns  two int[p]  x, y
    """
    parts = [np.empty((0, 2), int)]
    for radius in np.unique(circles[:, 2]):
        centres = circles[circles[:, 2] == radius, :2]
        parts.append((centres[:, None] + circle_offsets(int(radius))).reshape(-1, 2))
    x, y = np.concatenate(parts).T
    seen = _is_near(x, y)
    return x[seen], y[seen]


def polygon_lines(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sides of closed polygons.

    corners  int[n, k, 2]        x, y
    Returns  two int[n * k, 2]   where the sides start and stop
    """
    return corners.reshape(-1, 2), np.roll(corners, -1, axis=1).reshape(-1, 2)


def frame_boxes(overlay: np.ndarray, boxes: np.ndarray, ink: Ink, pen: int = 1, every: int = 1) -> None:
    """Draw the borders of boxes, just inside of them.

    overlay  uint8[480, 640, 4], C-contiguous, changed in place
    boxes    int[n, 4]  left, top, right, bottom; half-open, pixels
    pen      width of the border, pixels
    every    draw every n-th pixel of a side
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
    """Draw pixels; those off the image are left out.

    overlay  uint8[480, 640, 4], C-contiguous, changed in place
    x, y     int[p]
    pen      1..PEN: width and height in pixels of what is drawn for each pixel, to the right and below
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
