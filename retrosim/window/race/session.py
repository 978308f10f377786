"""What the window of a race does, without the window: pace, keys, picture."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from retrosim.screen.font import draw_text
from retrosim.tape.race import Race

from ..pacer import IDLE_NS, SPEEDS
from .picture import BLACK, WHITE, draw_race

STEP = Fraction(1, 60)
"""Simulated seconds between two looks at the racers; in step, a frame."""
LATE_NS = 200_000_000
"""What the host is behind by is dropped beyond this: a race that it cannot keep up with runs slower."""
HINT = 18  # pixels of the line below
KEYS = "space pause   . one step   - slower   + faster   Esc close"


class RaceSession:
    """A race in use.

    clock  Callable[[], int]  host nanoseconds
    """

    def __init__(self, race: Race, clock: Callable[[], int] = time.perf_counter_ns) -> None:
        self.race, self.clock = race, clock
        self.speed, self.is_paused, self.is_open = Fraction(1), False, True
        self._due = clock()

    def advance(self) -> bool:
        """Run what is due; return whether anything moved. Errors: TapeError."""
        now = self.clock()
        if self.is_paused or self.race.is_finished:
            self._due = now
            return False
        period = int(STEP * 1_000_000_000 / self.speed)
        moved = False
        while self._due <= now and not self.race.is_finished:
            self.race.advance(STEP)
            self._due += period
            moved, now = True, self.clock()
            if now - self._due > LATE_NS:
                self._due = now
                break
        return moved

    def wait_ns(self) -> int:
        """Return the nanoseconds until `advance` should be called again."""
        return min(IDLE_NS, max(0, self._due - self.clock()))

    def press(self, key: str) -> bool:
        """Do what a key asks for, by pyglet's name of it; return whether it means anything."""
        if key in ("ESCAPE", "Q"):
            self.is_open = False
        elif key == "SPACE":
            self.is_paused = not self.is_paused
        elif key in ("PERIOD", "RIGHT"):
            self.is_paused = True
            self.race.advance(STEP)
        elif key in ("MINUS", "NUM_SUBTRACT", "PLUS", "EQUAL", "NUM_ADD"):
            at = SPEEDS.index(self.speed) + (-1 if "MINUS" in key or "SUBTRACT" in key else 1)
            self.speed = SPEEDS[min(max(at, 0), len(SPEEDS) - 1)]
        else:
            return False
        return True

    def picture(self) -> np.ndarray:
        """Return what the window shows: uint8[height, width, 3] RGB."""
        race = draw_race(self.race)
        line = np.empty((HINT, race.shape[1], 3), np.uint8)
        line[:] = WHITE
        line[0] = BLACK
        state = "finished" if self.race.is_finished else "paused" if self.is_paused else f"speed {self.speed}x"
        draw_text(line, 10, 6, f"{state}   {KEYS}", BLACK)
        return np.concatenate([race, line])
