"""Composes what the window shows around and over the machine's picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retrosim.screen.overlay import NOTHING, clear_overlay, draw_help, draw_view, draw_waiting, inks_for

from .chrome import draw_bar, draw_strip
from .controls import help_lines
from .hud import metrics_lines, speed_text
from .session import Session


@dataclass(frozen=True)
class Images:
    """The parts of the window other than the picture.

    bar, strip  uint8[h, w]               palette indices
    overlay     uint8[480, 640, 4] or None  RGBA over the picture
    """

    bar: np.ndarray
    strip: np.ndarray
    overlay: np.ndarray | None


def compose(session: Session, chrome_width: int) -> Images:
    """Return what the window shows of a session, bar and strip `chrome_width` pixels wide."""
    readings = session.readings()
    lines = metrics_lines(readings) if session.shows_metrics else [f"{readings.machine}  {readings.rom}"]
    state, is_alarming = session.state
    strip = draw_strip(
        chrome_width,
        lines,
        session.message,
        state,
        is_recording=session.recording is not None,
        is_alarming=is_alarming,
    )
    return Images(draw_bar(chrome_width, session.lit, speed_text(readings.speed)), strip, _overlay(session))


def _overlay(session: Session) -> np.ndarray | None:
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
    """Return what the window shows while the machine is being made, for so many seconds already."""
    overlay = clear_overlay()
    draw_waiting(overlay, title, notice, seconds)
    return Images(draw_bar(chrome_width, (), "1x"), draw_strip(chrome_width, [], "", "STARTING"), overlay)
