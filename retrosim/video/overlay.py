"""Draws what lies over the machine's picture without touching it: sector grid, collisions, key list, notices.

An overlay is uint8[480, 640, 4] RGBA, alpha 0 where the picture shows through. Nothing is told by colour alone: what
is red is also thick, crossed or written.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .font import ADVANCE, GLYPH_HEIGHT, LEADING, draw_text, text_width
from .framebuffer import HEIGHT, WIDTH, Rect, frame_rect, paint_rect
from .hud import SECTOR_LOG2, SHIFTS, Scene, counted
from .pattern import BLACK, GRAY, LT_GRAY

Ink = tuple[int, int, int, int]
INK: Ink = (0, 0, 0, 255)
PAPER: Ink = (255, 255, 255, 255)
CLEAR: Ink = (0, 0, 0, 0)
RED: Ink = (204, 0, 0, 255)
BLUE: Ink = (0, 0, 204, 255)


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


def grid_text(number: int, scene: Scene | None = None) -> str:
    """Return what the grid of a pass stands for, and the pair tests it costs."""
    shift = SHIFTS[number]
    text = f"pass {number + 1} of 4, grid shifted by ({shift[0]}, {shift[1]})"
    if scene is None:
        return text
    held = scene.sectors(shift)
    return f"{text}, {counted(int((held * (held - 1) // 2).sum()), 'pair test')}"


def draw_grid(overlay: np.ndarray, number: int, scene: Scene | None = None) -> None:
    """Draw the sector grid as one of the four passes shifts it, and how many objects each sector holds.

    number   0..3   pass
    scene    the objects; sectors of two or more (those that cost pair tests) get their number written
    Errors   ValueError  another pass
    """
    if not 0 <= number < len(SHIFTS):
        raise ValueError(f"pass is {number}, must be 0..{len(SHIFTS) - 1}")
    shift = SHIFTS[number]
    size = 1 << SECTOR_LOG2
    for column in range(size - shift[0], WIDTH, size):
        paint_rect(overlay, (column, 0, column + 1, HEIGHT), foreground=BLUE)
    for row in range(size - shift[1], HEIGHT, size):
        paint_rect(overlay, (0, row, WIDTH, row + 1), foreground=BLUE)
    if scene is None:
        return
    held = scene.sectors(shift)
    for column, row in np.argwhere(held > 1):
        left, top = int(column) * size - shift[0], int(row) * size - shift[1]
        _count(overlay, max(0, left) + 1, max(0, top) + 1, str(held[column, row]))


def _count(overlay: np.ndarray, x: int, y: int, text: str) -> None:
    paint_rect(overlay, (x, y, x + text_width(text) + 3, y + 11), foreground=PAPER)
    draw_text(overlay, x + 2, y + 2, text, BLUE)


def collisions_text(scene: Scene) -> str:
    """Return what the collision overlay shows, in words."""
    hits = counted(int(scene.collided.sum()), "object")
    return f"{hits} hit (thick boxes), {counted(len(scene.pairs), 'pair')} (joined)"


def draw_collisions(overlay: np.ndarray, scene: Scene) -> None:
    """Draw every object's box, thick for the collided ones, and a line between the centres of each pair."""
    boxes, pairs = scene.boxes, scene.pairs
    for box in boxes[:, ~scene.collided].T.tolist():
        frame_rect(overlay, tuple(box), foreground=BLUE)
    for box in boxes[:, scene.collided].T.tolist():
        frame_rect(overlay, tuple(box), pen=(2, 2), foreground=RED)
    centres = (boxes[:2] + boxes[2:]) // 2
    start, stop = centres[:, pairs[:, :1]], centres[:, pairs[:, 1:]]
    longest = int(np.abs(stop - start).max(initial=0))
    lines = np.rint(start + (stop - start) * np.linspace(0, 1, longest + 1)).astype(int)
    across, down = lines
    for shift in (0, 1):  # two pixels thick
        overlay[np.clip(down, 0, HEIGHT - 1), np.clip(across + shift, 0, WIDTH - 1)] = RED


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
