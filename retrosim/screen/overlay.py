"""Draws the work of a collision routine over the picture: grid, shapes, tested pairs and hits.

An overlay is uint8[480, 640, 4] RGBA, alpha 0 where the picture shows through. Colour is never the only cue: what
collided is also thick, joined or written, what was only tested is dotted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from retrosim.report.text import counted

from .font import GLYPH_HEIGHT, draw_text, text_width
from .framebuffer import HEIGHT, WIDTH, frame_rect, paint_rect
from .shapes import CellGrid, Shapes

# Lines and circles in whole pixels, many at a time: which pixels they cover, and drawing them.
#
# Points are int[n, 2], x and y, and may lie anywhere; only those on the image cost time. They include those up to
# PEN - 1 pixels left of the image or above it, because a thick pen extends to the right and below.

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


INK: Ink = (0, 0, 0, 255)
PAPER: Ink = (255, 255, 255, 255)
CLEAR: Ink = (0, 0, 0, 0)
RED: Ink = (204, 0, 0, 255)
BLUE: Ink = (0, 0, 204, 255)
DOT_PITCH = 2  # pixels from one dot of a line to the next
MIN_LIGHT_MEAN = 128  # mean level from which on a picture counts as light and gets dark lines


@dataclass(frozen=True)
class View:
    """Which parts of a routine's work are drawn.

    shapes  bool         the shapes and the hits
    tested  bool         the pairs that were tested
    grid    int or None  one of its grids, by number from 0
    """

    shapes: bool = False
    tested: bool = False
    grid: int | None = None


NOTHING = View()


@dataclass(frozen=True)
class Inks:
    """Colours of the overlay, all of the Macintosh palette.

    shape   boxes of the broad phase
    fine    circles, polygons, outlines
    tested  lines between tested pairs
    hit     what collided
    grid    lines of the grid
    """

    shape: Ink
    fine: Ink
    tested: Ink
    hit: Ink
    grid: Ink


ON_LIGHT = Inks(shape=BLUE, fine=(0, 102, 51, 255), tested=(153, 0, 204, 255), hit=RED, grid=BLUE)
ON_DARK = Inks(
    shape=(102, 153, 255, 255),
    fine=(51, 255, 102, 255),
    tested=(255, 255, 102, 255),
    hit=(255, 51, 51, 255),
    grid=(51, 102, 255, 255),
)


def inks_for(pixels: np.ndarray, palette: np.ndarray) -> Inks:
    """Return the colours that stand out from a picture.

    pixels   uint8[480, 640]  palette indices
    palette  uint8[256, 3]    red, green, blue
    """
    mean = palette[pixels[::8, ::8]].mean()
    return ON_LIGHT if mean >= MIN_LIGHT_MEAN else ON_DARK


def clear_overlay() -> np.ndarray:
    """Return a transparent overlay, uint8[480, 640, 4]."""
    return np.zeros((HEIGHT, WIDTH, 4), np.uint8)


def draw_tag(overlay: np.ndarray, x: int, y: int, text: str, ink: Ink = INK) -> None:
    """Write a line of text on a white label with a border.

    overlay  uint8[480, 640, 4]  changed in place
    x, y     upper left corner, pixels; moved so that the label is inside the image
    """
    width, height = text_width(text) + 5, GLYPH_HEIGHT + 4
    x, y = max(0, min(x, overlay.shape[1] - width)), max(0, min(y, overlay.shape[0] - height))
    rect = (x, y, x + width, y + height)
    paint_rect(overlay, rect, foreground=PAPER)
    frame_rect(overlay, rect, foreground=ink)
    draw_text(overlay, x + 3, y + 3, text, ink)


COUNTS = "numbers: objects in a cell; 2 make 1 test, 3 make 3, 4 make 6, n make n(n-1)/2"
"""What the numbers of a grid mean."""


def grid_text(grid: CellGrid, shapes: Shapes) -> str:
    """Return the name of a grid and the pair tests that it costs, and those of all grids if there are more."""
    others = f" of {shapes.tests:,} in {len(shapes.grids)} grids" if len(shapes.grids) > 1 else ""
    return f"{grid.name}: {counted(grid.tests, 'pair test')}{others}"


def draw_grid(overlay: np.ndarray, grid: CellGrid, inks: Inks) -> None:
    """Draw the cells of a grid, with the number of objects in each cell of two or more: these cost pair tests."""
    for column in range(grid.left + grid.side, WIDTH, grid.side):
        paint_rect(overlay, (column, 0, column + 1, HEIGHT), foreground=inks.grid)
    for row in range(grid.top + grid.side, HEIGHT, grid.side):
        paint_rect(overlay, (0, row, WIDTH, row + 1), foreground=inks.grid)
    for column, row in np.argwhere(grid.counts > 1).tolist():
        label = _count_label(str(grid.counts[column, row]))
        left, top = max(0, grid.left + column * grid.side) + 1, max(0, grid.top + row * grid.side) + 1
        part = overlay[top : top + label.shape[0], left : left + label.shape[1]]
        part[:] = label[: part.shape[0], : part.shape[1]]


@lru_cache(256)
def _count_label(text: str) -> np.ndarray:
    label = np.full((11, text_width(text) + 3, 4), PAPER, np.uint8)
    draw_text(label, 2, 2, text, BLUE)
    return label


def shapes_text(shapes: Shapes, view: View) -> str:
    """Return what the overlay shows, in words."""
    parts = []
    if view.shapes:
        hit, pairs = counted(int(shapes.hit.sum()), "object"), counted(len(shapes.hits), "pair")
        parts.append(f"{hit} hit (thick), {pairs} hit (solid line)")
    if view.tested:
        pairs = f"{counted(len(shapes.tested), 'pair')} tested (dotted line)"
        parts.append(f"{pairs} in {counted(shapes.tests, 'test')}" if shapes.grids else pairs)
    return ", ".join(parts)


def draw_view(shapes: Shapes, view: View, inks: Inks) -> np.ndarray:
    """Draw what a view asks for, and labels that explain it.

    Returns  uint8[480, 640, 4]  the overlay
    """
    overlay = clear_overlay()
    if view.shapes:
        draw_shapes(overlay, shapes, inks)
    if view.tested:
        join(overlay, shapes.centres, shapes.tested, inks.tested, every=DOT_PITCH)
    if view.shapes:
        join(overlay, shapes.centres, shapes.hits, inks.hit, pen=PEN)
    if view.grid is not None and view.grid < len(shapes.grids):
        grid = shapes.grids[view.grid]
        draw_grid(overlay, grid, inks)
        draw_tag(overlay, 6, HEIGHT - 56, grid_text(grid, shapes), BLUE)
        draw_tag(overlay, 6, HEIGHT - 38, COUNTS, BLUE)
    text = shapes_text(shapes, view)
    if text:
        draw_tag(overlay, 6, HEIGHT - 20, text, RED)
    return overlay


def draw_over(pixels: np.ndarray, palette: np.ndarray, shapes: Shapes, view: View) -> np.ndarray:
    """Draw what a view asks for over a picture.

    pixels   uint8[480, 640]     palette indices
    palette  uint8[256, 3]       red, green, blue
    Returns  uint8[480, 640, 3]  red, green, blue
    """
    overlay = draw_view(shapes, view, inks_for(pixels, palette))
    return np.where(overlay[..., 3:] != 0, overlay[..., :3], palette[pixels])


def join(
    overlay: np.ndarray, centres: np.ndarray, pairs: np.ndarray, ink: Ink, *, every: int = 1, pen: int = 1
) -> None:
    """Draw a line between the centres of the objects of each pair, every n-th pixel of it."""
    x, y, _ = line_pixels(centres[pairs[:, 0]], centres[pairs[:, 1]], every)
    plot(overlay, x, y, ink, pen)


def draw_shapes(overlay: np.ndarray, shapes: Shapes, inks: Inks) -> None:
    """Draw shapes thin, thick where their object was hit.

    Paths are dotted, and so are boxes that only lead to a finer test, of their object's other shapes. The outline of a
    mask stays thin, for sprites are small: its box is thick instead.
    """
    _draw_polygons(overlay, shapes.paths, shapes.hit, inks, DOT_PITCH, pen=1)
    _draw_boxes(overlay, shapes, inks)
    _draw_polygons(overlay, shapes.polygons, shapes.hit, inks)
    for is_hit in (False, True):
        x, y = circle_pixels(shapes.circles[shapes.hit[shapes.circles[:, 0]] == is_hit, 1:])
        _draw_curves(overlay, x, y, np.full(len(x), is_hit), inks)
    owner, x, y = shapes.outlines.T
    _draw_curves(overlay, x, y, shapes.hit[owner], inks, pen=1)


def _draw_boxes(overlay: np.ndarray, shapes: Shapes, inks: Inks) -> None:
    """Draw boxes: thick where their object was hit and no other shape of it is drawn thick; then they are dotted."""
    owner, boxes = shapes.boxes[:, 0], shapes.boxes[:, 1:]
    has_thick = np.isin(owner, np.concatenate([shapes.polygons[:, 0], shapes.circles[:, 0]]))
    is_hit = shapes.hit[owner] & ~has_thick
    is_coarse = ~is_hit & (has_thick | np.isin(owner, shapes.outlines[:, 0]))
    frame_boxes(overlay, boxes[is_coarse], inks.shape, every=2)
    frame_boxes(overlay, boxes[~is_coarse & ~is_hit], inks.shape)
    frame_boxes(overlay, boxes[is_hit], inks.hit, PEN)


def _draw_polygons(
    overlay: np.ndarray, polygons: np.ndarray, hit: np.ndarray, inks: Inks, every: int = 1, pen: int = PEN
) -> None:
    x, y, line = line_pixels(*polygon_lines(polygons[:, 1:].reshape(-1, 4, 2)), every)
    _draw_curves(overlay, x, y, hit[polygons[line // 4, 0]], inks, pen)


def _draw_curves(
    overlay: np.ndarray, x: np.ndarray, y: np.ndarray, is_hit: np.ndarray, inks: Inks, pen: int = PEN
) -> None:
    plot(overlay, x[~is_hit], y[~is_hit], inks.fine)
    plot(overlay, x[is_hit], y[is_hit], inks.hit, pen)
