"""Composes what the window shows around the machine's picture and over it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retrosim.screen.overlay import NOTHING, clear_overlay, draw_view, inks_for
from retrosim.screen.panels import draw_help, draw_waiting

from .chrome import draw_status_bar, draw_toolbar
from .controls import help_lines
from .hud import metrics_lines, speed_text
from .seek import draw_seek_bar
from .session import Session


@dataclass(frozen=True)
class Images:
    """The parts of the window other than the picture.

    toolbar, status_bar  uint8[height, width]        indices of the Macintosh palette
    overlay              uint8[480, 640, 4] or None  RGBA over the picture
    """

    toolbar: np.ndarray
    status_bar: np.ndarray
    overlay: np.ndarray | None


def compose(session: Session, chrome_width: int) -> Images:
    """Return what the window shows of a session.

    chrome_width  width of toolbar and status bar, in their own pixels
    """
    readings = session.readings()
    lines = metrics_lines(readings) if session.shows_metrics else [f"{readings.machine}  {readings.rom}"]
    state, is_alarming = session.state
    status_bar = draw_status_bar(
        chrome_width,
        lines,
        session.message,
        state,
        is_recording=session.recording is not None,
        is_alarming=is_alarming,
    )
    if session.seek is not None:
        seek, width = session.seek, status_bar.shape[1]
        shown = session.machine.frame_number
        bar = draw_seek_bar(width, seek.first, seek.last, seek.here, shown, seek.marks)
        status_bar = np.concatenate([bar, status_bar])
    toolbar = draw_toolbar(chrome_width, session.active, speed_text(readings.speed))
    return Images(toolbar, status_bar, _overlay(session))


def _overlay(session: Session) -> np.ndarray | None:
    if session.panel is not None and (session.shows_help or not session.panel.shows_screen):
        panel = session.panel.draw()
        if session.shows_help:
            draw_help(panel, session.panel.help(), f"Keys of the {session.panel.title.lower()}")
        return panel
    if session.view == NOTHING and not session.shows_help:
        return None
    overlay, machine = None, session.machine
    if session.view != NOTHING and session.shapes is not None:
        overlay = draw_view(session.shapes, session.view, inks_for(machine.frame, machine.palette))
    if overlay is None:
        overlay = clear_overlay()
    if session.shows_help:
        draw_help(overlay, help_lines())
    return overlay


def compose_waiting(title: str, notice: str, seconds: float, chrome_width: int) -> Images:
    """Return what the window shows until the machine is ready.

    title, notice  text in the box: the program's name, and what is being done
    seconds        since the window opened
    chrome_width   width of toolbar and status bar, in their own pixels
    """
    overlay = clear_overlay()
    draw_waiting(overlay, title, notice, seconds)
    return Images(draw_toolbar(chrome_width, (), "1x"), draw_status_bar(chrome_width, [], "", "STARTING"), overlay)
