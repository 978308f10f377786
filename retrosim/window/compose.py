"""Composes what the window shows around the machine's picture and over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retrosim.screen.font import ADVANCE, LEADING, draw_text, text_width
from retrosim.screen.framebuffer import GRAY, HEIGHT, LT_GRAY, WIDTH, Rect, frame_rect, paint_rect
from retrosim.screen.overlay import INK, NOTHING, PAPER, clear_overlay, draw_view, inks_for

from .chrome import draw_status_bar, draw_toolbar, fitted, metrics_lines, speed_text
from .controls import first_lines, help_lines
from .panel import Panel
from .seek import draw_seek_bar
from .session import Session

# Draws dialog boxes on an overlay: the help panel, and the first screen, which is shown until there is a picture.

TIP_PAPER = (255, 255, 204, 255)
FIRST_COLUMNS = 80  # characters of a line of the first screen, at most


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
    width = _keys_width(lines) + max(text_width(meaning) for _, meaning in lines)
    pitch = LEADING + 3
    height = (len(lines) + 1) * pitch + 6
    left, top = (WIDTH - width) // 2, (HEIGHT - height) // 2
    draw_panel(overlay, (left - 16, top - 12, left + width + 16, top + height + 10))
    draw_text(overlay, left, top, title, INK, bold=True)
    close = "? or Esc closes this list"
    draw_text(overlay, left + width - text_width(close), top, close, INK)
    paint_rect(overlay, (left, top + 12, left + width, top + 13), foreground=INK)
    _draw_rows(overlay, left, top + 6 + pitch, lines)


def draw_tip(text: str) -> np.ndarray:
    """Draw a tooltip: uint8[height, width, 4]."""
    image = np.empty((LEADING + 6, text_width(text) + 9, 4), np.uint8)
    image[:] = TIP_PAPER
    frame_rect(image, (0, 0, image.shape[1], image.shape[0]), foreground=INK)
    draw_text(image, 5, 5, text, INK)
    return image


def draw_waiting(overlay: np.ndarray, title: str, message: str, seconds: float) -> None:
    """Draw the first screen, on a grey desktop: what is to run, what is being done, a moving bar, the chief keys.

    overlay  uint8[480, 640, 4]  changed in place
    title    what is to run
    message  what is being done
    seconds  since the window opened
    """
    paint_rect(overlay, (0, 0, WIDTH, HEIGHT), GRAY, foreground=INK, background=PAPER)
    keys, pitch = first_lines(), LEADING + 3
    title, message = fitted(title, FIRST_COLUMNS), fitted(message, FIRST_COLUMNS)
    rows_width = _keys_width(keys) + max(text_width(meaning) for _, meaning in keys)
    width = 36 + max(rows_width, text_width(message), text_width(title, bold=True))
    height = 100 + len(keys) * pitch
    left, top = (WIDTH - width) // 2, (HEIGHT - height) // 2
    right = left + width
    draw_panel(overlay, (left, top, right, top + height))
    draw_text(overlay, left + 18, top + 17, title, INK, bold=True)
    draw_text(overlay, left + 18, top + 35, message, INK)
    bar = (left + 18, top + 53, right - 68, top + 65)
    paint_rect(overlay, bar, LT_GRAY, foreground=INK, background=PAPER)
    frame_rect(overlay, bar, foreground=INK)
    span = bar[2] - bar[0] - 2
    start = bar[0] + 1 + int(seconds * 80) % span
    for part in ((start, start + 40), (start - span, start - span + 40)):  # leaves on the right, re-enters on the left
        inner = (bar[0] + 1, bar[1] + 1, bar[2] - 1, bar[3] - 1)
        paint_rect(overlay, (part[0], bar[1] + 1, part[1], bar[3] - 1), clip=inner, foreground=INK)
    elapsed = f"{seconds:.0f} s"
    draw_text(overlay, right - 18 - text_width(elapsed), top + 55, elapsed, INK)
    _draw_rows(overlay, left + 18, top + 82, keys)


def _draw_rows(overlay: np.ndarray, left: int, top: int, lines: Sequence[tuple[str, str]]) -> None:
    """Draw rows of keys and meanings in two columns."""
    for row, (keys, meaning) in enumerate(lines):
        y = top + row * (LEADING + 3)
        draw_text(overlay, left, y, keys, INK)
        draw_text(overlay, left + _keys_width(lines), y, meaning, INK)


def _keys_width(lines: Sequence[tuple[str, str]]) -> int:
    return max(text_width(keys) for keys, _ in lines) + 2 * ADVANCE


@dataclass(frozen=True)
class WindowImages:
    """The parts of the window other than the picture.

    toolbar, status_bar  uint8[height, width]        indices of the Macintosh palette
    overlay              uint8[480, 640, 4] or None  RGBA over the picture
    """

    toolbar: np.ndarray
    status_bar: np.ndarray
    overlay: np.ndarray | None


def compose(session: Session, chrome_width: int) -> WindowImages:
    """Return what the window shows of a session.

    chrome_width  width of toolbar and status bar, in their own pixels
    """
    readings = session.readings()
    lines = metrics_lines(readings) if session.shows_metrics else [f"{readings.machine}  {readings.rom}"]
    state, is_alarming = session.state
    status_bar = draw_status_bar(
        chrome_width, lines, session.message, state, is_recording=session.recording is not None, is_alarming=is_alarming
    )
    if session.seek is not None:
        seek, width = session.seek, status_bar.shape[1]
        shown = session.machine.frame_number
        bar = draw_seek_bar(width, seek.first, seek.last, seek.here, shown, seek.marks)
        status_bar = np.concatenate([bar, status_bar])
    toolbar = draw_toolbar(chrome_width, session.active, speed_text(readings.speed))
    return WindowImages(toolbar, status_bar, _overlay(session))


def _overlay(session: Session) -> np.ndarray | None:
    if session.panel is not None and (session.shows_help or not session.panel.shows_screen):
        panel = panel_image(session.panel)
        if session.shows_help:
            draw_help(panel, session.panel.help(), f"Keys of the {session.panel.title.lower()}")
        return panel
    if session.is_starting and not session.shows_help:
        first = clear_overlay()
        draw_waiting(first, session.title, session.starting, (session.clock() - session.began) / 1e9)
        return first
    if session.view == NOTHING and not session.shows_help:
        return None
    machine = session.machine
    if session.view != NOTHING and session.shapes is not None:
        overlay = draw_view(session.shapes, session.view, inks_for(machine.frame, machine.palette))
    else:
        overlay = clear_overlay()
    if session.shows_help:
        draw_help(overlay, help_lines())
    return overlay


def compose_waiting(title: str, notice: str, seconds: float, chrome_width: int) -> WindowImages:
    """Return what the window shows until the machine is ready.

    title, notice  text in the box: what is to run, and what is being done
    seconds        since the window opened
    chrome_width   width of toolbar and status bar, in their own pixels
    """
    overlay = clear_overlay()
    draw_waiting(overlay, title, notice, seconds)
    return WindowImages(
        draw_toolbar(chrome_width, (), "1x"), draw_status_bar(chrome_width, [], "", "STARTING"), overlay
    )


def panel_image(panel: Panel) -> np.ndarray:
    """Draw a panel, uint8[480, 640, 4], and note in it where clicks do something."""
    from .debugger.panel import DebugPanel
    from .debugger.view import draw_debugger
    from .walk.panel import WalkPanel
    from .walk.view import draw_walk

    if isinstance(panel, WalkPanel):
        return draw_walk(panel)
    assert isinstance(panel, DebugPanel)
    return draw_debugger(panel)
