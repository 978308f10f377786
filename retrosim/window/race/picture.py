"""Draws a race: the picture of every machine, below it its name, frame, clocks, and a bar of how busy it is."""

from __future__ import annotations

import numpy as np

from retrosim.screen.font import draw_text, text_width
from retrosim.screen.framebuffer import HEIGHT, WIDTH
from retrosim.tape.race import Race, Racer

STRIP = 48  # pixels below a picture
COLUMNS = 2
WHITE, BLACK, GREEN, RED = (255, 255, 255), (0, 0, 0), (0, 136, 0), (204, 0, 0)
BAR = (400, 28, 624, 40)  # left, top, right, bottom within the strip
FULL = 160  # pixels of the bar that are one frame's clocks


def draw_race(race: Race) -> np.ndarray:
    """Return the picture: uint8[height, width, 3] RGB, two machines side by side, four in two rows."""
    racers = race.racers
    columns, rows = min(COLUMNS, len(racers)), -(-len(racers) // COLUMNS)
    picture = np.zeros((rows * (HEIGHT + STRIP), columns * WIDTH, 3), np.uint8)
    for number, racer in enumerate(racers):
        top, left = number // COLUMNS * (HEIGHT + STRIP), number % COLUMNS * WIDTH
        shown = racer.shown
        picture[top : top + HEIGHT, left : left + WIDTH] = shown.palette[shown.pixels]
        _draw_strip(picture[top + HEIGHT : top + HEIGHT + STRIP, left : left + WIDTH], racer, race)
    return picture


def _draw_strip(strip: np.ndarray, racer: Racer, race: Race) -> None:
    shown, available = racer.shown, racer.frame_clocks
    strip[:] = WHITE
    strip[0] = strip[:, 0] = BLACK
    draw_text(strip, 10, 8, racer.name, BLACK, bold=True, scale=1)
    draw_text(strip, 200, 8, f"frame {shown.frame:,}", BLACK)
    state = f"finished at {float(shown.seconds):.2f} s" if racer.is_finished else f"{float(race.time):.2f} s"
    draw_text(strip, WIDTH - 16 - text_width(state), 8, state, BLACK, bold=False)
    if not available:
        draw_text(strip, 10, 28, "no CPU: kernels", BLACK)
        return
    draw_text(
        strip,
        10,
        28,
        f"{shown.clocks:,} clocks a frame, {float(100 * shown.clocks / available):.0f} % of a period",
        BLACK,
    )
    left, top, right, bottom = BAR
    strip[top:bottom, left:right] = BLACK
    strip[top + 1 : bottom - 1, left + 1 : right - 1] = WHITE
    end = left + 1 + min(right - left - 2, int(FULL * shown.clocks / available))
    strip[top + 1 : bottom - 1, left + 1 : end] = GREEN if shown.clocks <= available else RED
    strip[top - 2 : bottom + 2, left + 1 + FULL] = BLACK
