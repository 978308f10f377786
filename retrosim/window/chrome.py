"""Draws the window's own parts, indexed in the Macintosh palette: the row of buttons above the machine's screen and the
strip of figures below it, so that neither hides the picture.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from retrosim.screen.font import ADVANCE, draw_text, text_width
from retrosim.screen.framebuffer import Rect, blank, frame_rect, paint_rect
from retrosim.screen.palette import BLACK, RED, WHITE

from .controls import CONTROLS, GROUP_STARTS, Control

MINIMUM_WIDTH = 640
WIDE = 1200
"""From this width on both metrics lines stand side by side."""
BAR_HEIGHT = 17
PITCH = 10
SPEED_CHARACTERS = 5


@dataclass(frozen=True)
class Button:
    """A control on the bar and where it is: half-open rectangle in pixels of the bar."""

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
        right = left + text_width("0" * characters) + 7
        row.append(Button(control, (left, 2, right, BAR_HEIGHT - 2), control.button))
        left = right + 3
    return row


ROW = buttons()


def button_at(x: float, y: float) -> Control | None:
    """Return the control whose button holds the point (pixels of the bar, y downwards), None between them."""
    for button in ROW:
        left, top, right, bottom = button.rect
        if left <= x < right and top <= y < bottom:
            return button.control
    return None


def draw_bar(width: int, lit: Collection[str], speed: str) -> np.ndarray:
    """Return the bar of buttons, uint8[17, width].

    width    int    pixels, at least 640
    lit      actions that are on or held: their buttons are white on black
    speed    text of the button that returns to normal speed
    """
    bar = blank(max(width, MINIMUM_WIDTH), BAR_HEIGHT)
    paint_rect(bar, (0, BAR_HEIGHT - 1, bar.shape[1], BAR_HEIGHT))
    for button in ROW:
        left, top, right, bottom = button.rect
        ink, paper = (WHITE, BLACK) if button.control.action in lit else (BLACK, WHITE)
        paint_rect(bar, button.rect, foreground=paper)
        frame_rect(bar, button.rect)
        bar[[top, top, bottom - 1, bottom - 1], [left, right - 1, left, right - 1]] = WHITE  # round corners
        text = speed if button.control.action == "normal" else button.text
        centred = left + (right - left - text_width(text) + 1) // 2
        draw_text(bar, centred, top + 3, text, ink)
    return bar


def fitted(text: str, columns: int) -> str:
    """Return a text that fits into so many characters: its middle is left out if it is longer."""
    if len(text) <= columns:
        return text
    head = columns // 3
    return f"{text[:head]}...{text[len(text) - (columns - head - 3) :]}"


def strip_height(width: int) -> int:
    """Return the height of the strip below the picture, pixels."""
    return (2 if width >= WIDE else 3) * PITCH + 4


def draw_strip(
    width: int, lines: Sequence[str], message: str, state: str, *, is_recording: bool = False, is_alarming: bool = False
) -> np.ndarray:
    """Return the strip below the picture, uint8[strip_height(width), width].

    lines         metrics, at most two
    message       what was just done, or the next instruction
    state         what the machine does, in capitals at the right; white on black if `is_alarming`
    is_recording  a red dot and REC beside the state
    """
    width = max(width, MINIMUM_WIDTH)
    strip = blank(width, strip_height(width))
    paint_rect(strip, (0, 0, width, 1))
    rows = ["     ".join(lines), message] if width >= WIDE else [*lines, *[""] * (2 - len(lines)), message]
    for row, line in enumerate(rows):
        draw_text(strip, 6, 4 + row * PITCH, fitted(line, (width - 12) // ADVANCE), BLACK)
    right = width - 6
    left = right - text_width(state, bold=True)
    paint_rect(strip, (left - 3, 2, right + 3, 13), foreground=BLACK if is_alarming else WHITE)
    draw_text(strip, left, 4, state, WHITE if is_alarming else BLACK, bold=True)
    if is_recording:
        left -= text_width("REC", bold=True) + 12
        paint_rect(strip, (left - 16, 2, left + 24, 13), foreground=WHITE)
        draw_text(strip, left, 4, "REC", BLACK, bold=True)
        _dot(strip, left - 13, 3)
    return strip


def _dot(pixels: np.ndarray, left: int, top: int) -> None:
    """Draw a red disc of nine pixels with a black rim."""
    down, across = np.mgrid[-4:5, -4:5]
    distance = down * down + across * across
    area = pixels[top : top + 9, left : left + 9]
    area[distance <= 20] = BLACK
    area[distance <= 11] = RED
