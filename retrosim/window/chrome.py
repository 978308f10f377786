"""Draws the window's own parts in indices of the Macintosh palette: toolbar above the picture, status bar below it.

Neither hides any of the picture.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from retrosim.screen.font import ADVANCE, draw_text, text_width
from retrosim.screen.framebuffer import BLACK, RED, WHITE, Rect, blank, frame_rect, paint_rect

from .controls import CONTROLS, GROUP_STARTS, Control

MIN_WIDTH = 640
ONE_LINE_WIDTH = 1200
"""From this width on, the status bar shows both lines of metrics in one row."""
TOOLBAR_HEIGHT = 17
PITCH = 10
SPEED_CHARACTERS = 5


@dataclass(frozen=True)
class Button:
    """A control on the toolbar and where it is: half-open rectangle, pixels of the toolbar."""

    control: Control
    rect: Rect
    text: str


def buttons() -> list[Button]:
    """Return the row of buttons, left to right."""
    row, left = [], 5
    for control in CONTROLS:
        if not control.button:
            continue
        if control.action in GROUP_STARTS:
            left += 5
        characters = SPEED_CHARACTERS if control.action == "normal" else len(control.button)
        right = left + text_width("0" * characters) + 6
        row.append(Button(control, (left, 2, right, TOOLBAR_HEIGHT - 2), control.button))
        left = right + 2
    return row


ROW = buttons()


def button_at(x: float, y: float) -> Control | None:
    """Return the control whose button contains a point; None where there is no button.

    x, y     pixels of the toolbar, y downwards
    """
    for button in ROW:
        left, top, right, bottom = button.rect
        if left <= x < right and top <= y < bottom:
            return button.control
    return None


def draw_toolbar(width: int, active: Collection[str], speed: str) -> np.ndarray:
    """Draw the row of buttons.

    width    int    pixels; less than 640 counts as 640
    active   actions that are on or held down: their buttons are white on black
    speed    text of the button that returns to normal speed
    Returns  uint8[17, width]  palette indices
    """
    bar = blank(max(width, MIN_WIDTH), TOOLBAR_HEIGHT)
    paint_rect(bar, (0, TOOLBAR_HEIGHT - 1, bar.shape[1], TOOLBAR_HEIGHT))
    for button in ROW:
        left, top, right, bottom = button.rect
        ink, paper = (WHITE, BLACK) if button.control.action in active else (BLACK, WHITE)
        paint_rect(bar, button.rect, foreground=paper)
        frame_rect(bar, button.rect)
        bar[[top, top, bottom - 1, bottom - 1], [left, right - 1, left, right - 1]] = WHITE  # round corners
        text = speed if button.control.action == "normal" else button.text
        centred = left + (right - left - text_width(text) + 1) // 2
        draw_text(bar, centred, top + 3, text, ink)
    return bar


def fitted(text: str, columns: int) -> str:
    """Return a text shortened to `columns` characters: "..." replaces the middle of a longer one."""
    if len(text) <= columns:
        return text
    head = columns // 3
    return f"{text[:head]}...{text[len(text) - (columns - head - 3) :]}"


def status_bar_height(width: int) -> int:
    """Return the height of the status bar of a window of this width; both in pixels of the bar."""
    return (2 if width >= ONE_LINE_WIDTH else 3) * PITCH + 4


def draw_status_bar(
    width: int, lines: Sequence[str], message: str, state: str, *, is_recording: bool = False, is_alarming: bool = False
) -> np.ndarray:
    """Draw the status bar.

    width         int        pixels; less than 640 counts as 640
    lines         list[str]  metrics, at most two lines
    message       str        what was just done, or the next instruction
    state         str        what the machine does, in capitals at the right; white on black if `is_alarming`
    is_recording  bool       show a red dot and REC to the left of the state
    Returns       uint8[status_bar_height(width), width]  palette indices
    """
    width = max(width, MIN_WIDTH)
    bar = blank(width, status_bar_height(width))
    paint_rect(bar, (0, 0, width, 1))
    rows = ["     ".join(lines), message] if width >= ONE_LINE_WIDTH else [*lines, *[""] * (2 - len(lines)), message]
    for row, line in enumerate(rows):
        draw_text(bar, 6, 4 + row * PITCH, fitted(line, (width - 12) // ADVANCE), BLACK)
    right = width - 6
    left = right - text_width(state, bold=True)
    paint_rect(bar, (left - 3, 2, right + 3, 13), foreground=BLACK if is_alarming else WHITE)
    draw_text(bar, left, 4, state, WHITE if is_alarming else BLACK, bold=True)
    if is_recording:
        left -= text_width("REC", bold=True) + 12
        paint_rect(bar, (left - 16, 2, left + 24, 13), foreground=WHITE)
        draw_text(bar, left, 4, "REC", BLACK, bold=True)
        _dot(bar, left - 13, 3)
    return bar


def _dot(pixels: np.ndarray, left: int, top: int) -> None:
    """Draw a red disc of nine pixels with a black rim."""
    down, across = np.mgrid[-4:5, -4:5]
    distance = down * down + across * across
    area = pixels[top : top + 9, left : left + 9]
    area[distance <= 20] = BLACK
    area[distance <= 11] = RED
