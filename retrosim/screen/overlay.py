"""Draws what lies over the machine's picture without touching it: grid, shapes and collisions, key list, notices.

An overlay is uint8[480, 640, 4] RGBA, alpha 0 where the picture shows through. Nothing is told by colour alone: what
collides is also thick, joined or written, what was only tested is dotted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from .font import ADVANCE, GLYPH_HEIGHT, LEADING, draw_text, text_width
from .framebuffer import HEIGHT, WIDTH, Rect, frame_rect, paint_rect
from .pattern import BLACK, GRAY, LT_GRAY
from .shapes import Grid, Shapes
from .strokes import PEN, Ink, circle_pixels, frame_boxes, line_pixels, plot, polygon_lines

INK: Ink = (0, 0, 0, 255)
PAPER: Ink = (255, 255, 255, 255)
CLEAR: Ink = (0, 0, 0, 0)
RED: Ink = (204, 0, 0, 255)
BLUE: Ink = (0, 0, 204, 255)
DOTS = 2  # pixels from one dot of a line to the next
GREY_LEVEL = 128  # of the picture's mean: darker ones get light lines


@dataclass(frozen=True)
class View:
    """What of a routine's work is drawn.

    shapes  the shapes and the hits
    tested  the pairs that were tested
    grid    number of a grid, or None
    """

    shapes: bool = False
    tested: bool = False
    grid: int | None = None


NOTHING = View()


def counted(number: int, thing: str) -> str:
    """Return a number of things: "1 pair", "1,003 tests"."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


@dataclass(frozen=True)
class Inks:
    """Colours of the overlay, of the Macintosh palette.

    shape   boxes of the first, coarse test
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
    """Return the colours that can be seen on a picture. pixels: uint8[480, 640] indices; palette: uint8[256, 3]."""
    mean = palette[pixels[::8, ::8]].mean()
    return ON_LIGHT if mean >= GREY_LEVEL else ON_DARK


def clear_overlay() -> np.ndarray:
    """Return an overlay that hides nothing."""
    return np.zeros((HEIGHT, WIDTH, 4), np.uint8)


def draw_tag(overlay: np.ndarray, x: int, y: int, text: str, ink: Ink = INK) -> None:
    """Write a line of text on a white tag with a border; the tag is moved to lie inside the image."""
    width, height = text_width(text) + 5, GLYPH_HEIGHT + 4
    x, y = max(0, min(x, overlay.shape[1] - width)), max(0, min(y, overlay.shape[0] - height))
    rect = (x, y, x + width, y + height)
    paint_rect(overlay, rect, foreground=PAPER)
    frame_rect(overlay, rect, foreground=ink)
    draw_text(overlay, x + 3, y + 3, text, ink)


def grid_text(grid: Grid) -> str:
    """Return what a grid stands for, and the pair tests it costs."""
    return f"{grid.name}, {counted(grid.tests, 'pair test')}"


def draw_grid(overlay: np.ndarray, grid: Grid, inks: Inks) -> None:
    """Draw the squares, and how many objects each of them holds that holds two or more: these cost pair tests."""
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
    """Return what the collision overlay shows, in words."""
    parts = []
    if view.shapes:
        hit, pairs = counted(int(shapes.hit.sum()), "object"), counted(len(shapes.hits), "pair")
        parts.append(f"{hit} hit (thick), {pairs} (joined)")
    if view.tested:
        parts.append(f"{counted(len(shapes.tested), 'pair')} tested (dotted lines)")
    return ", ".join(parts)


def draw_view(shapes: Shapes, view: View, inks: Inks) -> np.ndarray:
    """Return an overlay of what is to be seen, with words that explain it."""
    overlay = clear_overlay()
    if view.shapes:
        draw_shapes(overlay, shapes, inks)
    if view.tested:
        join(overlay, shapes.centres, shapes.tested, inks.tested, every=DOTS)
    if view.shapes:
        join(overlay, shapes.centres, shapes.hits, inks.hit, pen=PEN)
    if view.grid is not None and view.grid < len(shapes.grids):
        grid = shapes.grids[view.grid]
        draw_grid(overlay, grid, inks)
        draw_tag(overlay, 6, HEIGHT - 38, grid_text(grid), BLUE)
    text = shapes_text(shapes, view)
    if text:
        draw_tag(overlay, 6, HEIGHT - 20, text, RED)
    return overlay


def picture_of(machine: Any, view: View) -> tuple[np.ndarray, np.ndarray | None]:
    """Return a machine's picture and palette; with an overlay that `view` asks for, uint8[480, 640, 3] and None."""
    shapes = machine.shapes() if view != NOTHING else None
    if shapes is None:
        return machine.frame, machine.palette
    overlay = draw_view(shapes, view, inks_for(machine.frame, machine.palette))
    return np.where(overlay[..., 3:] != 0, overlay[..., :3], machine.palette[machine.frame]), None


def join(
    overlay: np.ndarray, centres: np.ndarray, pairs: np.ndarray, ink: Ink, *, every: int = 1, pen: int = 1
) -> None:
    """Draw a line between the centres of each pair, every n-th pixel of it."""
    x, y, _ = line_pixels(*centres[pairs].swapaxes(0, 1), every)
    plot(overlay, x, y, ink, pen)


def draw_shapes(overlay: np.ndarray, shapes: Shapes, inks: Inks) -> None:
    """Draw shapes thin, thick where their object was hit.

    Paths are dotted, and so are boxes that only lead to a finer test, of their object's other shapes. The outline of a
    mask stays thin, for sprites are small: its box is thick instead.
    """
    _draw_polygons(overlay, shapes.paths, shapes.hit, inks, DOTS, pen=1)
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


def draw_panel(overlay: np.ndarray, rect: Rect) -> None:
    """Draw an empty dialog box as the Macintosh framed its modal ones: a thin and a thick line."""
    left, top, right, bottom = rect
    paint_rect(overlay, rect, foreground=PAPER)
    frame_rect(overlay, rect, foreground=INK)
    frame_rect(overlay, (left + 3, top + 3, right - 3, bottom - 3), pen=(2, 2), foreground=INK)


def draw_help(overlay: np.ndarray, lines: Sequence[tuple[str, str]], title: str = "Keys") -> None:
    """Draw the key list in a dialog box in the middle.

    lines    (keys, meaning) per row
    """
    keys_width = max(text_width(keys) for keys, _ in lines) + 2 * ADVANCE
    width = keys_width + max(text_width(meaning) for _, meaning in lines)
    pitch = LEADING + 3
    height = (len(lines) + 1) * pitch + 6
    left, top = (WIDTH - width) // 2, (HEIGHT - height) // 2
    draw_panel(overlay, (left - 16, top - 12, left + width + 16, top + height + 10))
    draw_text(overlay, left, top, title, INK, bold=True)
    close = "? closes"
    draw_text(overlay, left + width - text_width(close), top, close, INK)
    paint_rect(overlay, (left, top + 12, left + width, top + 13), foreground=INK)
    for row, (keys, meaning) in enumerate(lines):
        y = top + 6 + (row + 1) * pitch
        draw_text(overlay, left, y, keys, INK)
        draw_text(overlay, left + keys_width, y, meaning, INK)


def draw_waiting(overlay: np.ndarray, title: str, message: str, seconds: float) -> None:
    """Draw the screen that stands until the machine is there: grey desktop, a box, what is being done and how long.

    seconds  since the window opened; moves the bar
    """
    paint_rect(overlay, (0, 0, WIDTH, HEIGHT), GRAY, foreground=INK, background=PAPER)
    width = max(300, text_width(message) + 40, text_width(title, bold=True) + 40)
    left, top = (WIDTH - width) // 2, HEIGHT // 2 - 60
    right = left + width
    draw_panel(overlay, (left, top, right, top + 90))
    draw_text(overlay, left + 18, top + 17, title, INK, bold=True)
    draw_text(overlay, left + 18, top + 35, message, INK)
    bar = (left + 18, top + 56, right - 68, top + 68)
    paint_rect(overlay, bar, LT_GRAY, foreground=INK, background=PAPER)
    frame_rect(overlay, bar, foreground=INK)
    span = bar[2] - bar[0] - 2
    start = bar[0] + 1 + int(seconds * 80) % span
    for part in ((start, start + 40), (start - span, start - span + 40)):  # leaves at the right, comes in at the left
        inner = (bar[0] + 1, bar[1] + 1, bar[2] - 1, bar[3] - 1)
        paint_rect(overlay, (part[0], bar[1] + 1, part[1], bar[3] - 1), BLACK, clip=inner, foreground=INK)
    elapsed = f"{seconds:.0f} s"
    draw_text(overlay, right - 18 - text_width(elapsed), top + 58, elapsed, INK)
