"""Draws dialog boxes on an overlay: the help panel, and the notice that is shown until the machine is ready."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .font import ADVANCE, LEADING, draw_text, text_width
from .framebuffer import HEIGHT, WIDTH, Rect, frame_rect, paint_rect
from .overlay import INK, PAPER
from .pattern import BLACK, GRAY, LT_GRAY


def draw_panel(overlay: np.ndarray, rect: Rect) -> None:
    """Draw an empty dialog box, framed as the modal ones of the Macintosh: by a thin and a thick line."""
    left, top, right, bottom = rect
    paint_rect(overlay, rect, foreground=PAPER)
    frame_rect(overlay, rect, foreground=INK)
    frame_rect(overlay, (left + 3, top + 3, right - 3, bottom - 3), pen=(2, 2), foreground=INK)


def draw_help(overlay: np.ndarray, lines: Sequence[tuple[str, str]], title: str = "Keys") -> None:
    """Draw the help panel in the middle.

    overlay  uint8[480, 640, 4]  changed in place
    lines    (keys, meaning) per row
    """
    keys_width = max(text_width(keys) for keys, _ in lines) + 2 * ADVANCE
    width = keys_width + max(text_width(meaning) for _, meaning in lines)
    pitch = LEADING + 3
    height = (len(lines) + 1) * pitch + 6
    left, top = (WIDTH - width) // 2, (HEIGHT - height) // 2
    draw_panel(overlay, (left - 16, top - 12, left + width + 16, top + height + 10))
    draw_text(overlay, left, top, title, INK, bold=True)
    close = "? closes this list"
    draw_text(overlay, left + width - text_width(close), top, close, INK)
    paint_rect(overlay, (left, top + 12, left + width, top + 13), foreground=INK)
    for row, (keys, meaning) in enumerate(lines):
        y = top + 6 + (row + 1) * pitch
        draw_text(overlay, left, y, keys, INK)
        draw_text(overlay, left + keys_width, y, meaning, INK)


def draw_waiting(overlay: np.ndarray, title: str, message: str, seconds: float) -> None:
    """Draw what is shown until the machine is ready: a grey desktop, and a box with a notice and a moving bar.

    overlay  uint8[480, 640, 4]  changed in place
    title    name of the program
    message  what is being done
    seconds  since the window opened
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
    for part in ((start, start + 40), (start - span, start - span + 40)):  # leaves on the right, re-enters on the left
        inner = (bar[0] + 1, bar[1] + 1, bar[2] - 1, bar[3] - 1)
        paint_rect(overlay, (part[0], bar[1] + 1, part[1], bar[3] - 1), BLACK, clip=inner, foreground=INK)
    elapsed = f"{seconds:.0f} s"
    draw_text(overlay, right - 18 - text_width(elapsed), top + 58, elapsed, INK)
