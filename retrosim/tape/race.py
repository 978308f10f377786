"""Several machines on one tape: who has shown which frame when, in simulated time, and how much of it was work.

Every machine begins at time 0. A frame is shown once the machine has completed it: at true speed a slow machine shows
its frames late, in step all show the same frame. A program works on a frame, then waits for the next period of its
screen. Screens differ (70.086 Hz, 60.147 Hz), so a machine that works less may show its frames later: machines are
compared by their work.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from .play import Player

if TYPE_CHECKING:
    from retrosim.machine.interface import AnyMachine


@dataclass(frozen=True)
class Shown:
    """What a racer shows.

    pixels, palette  uint8[480, 640] indices, uint8[256, 3]
    frame            frames of the tape that are completed
    seconds          of simulated time, when the last of them was
    clocks           that the machine was busy with it, 0 where there is no CPU
    """

    pixels: np.ndarray
    palette: np.ndarray
    frame: int
    seconds: Fraction
    clocks: int


class Racer:
    """A machine that plays the tape.

    name     what it is called: machine, or machine:build
    player   at the start of the tape, on `machine`
    frames   how many of the tape it plays
    shown    what is seen of it now
    busiest  clocks of its busiest frame so far; total: of all frames
    """

    def __init__(self, name: str, player: Player, machine: AnyMachine, frames: int) -> None:
        self.name, self.player, self.machine, self.frames = name, player, machine, frames
        self._first, self._start = player.frame, self._now()
        self.busiest = self.total = 0
        self.shown = self._seen()
        self._is_ahead = False

    def _now(self) -> Fraction:
        machine = self.machine
        if machine.clock_hz:
            return Fraction(machine.cycles) / machine.clock_hz
        return machine.frame_number / Fraction(machine.frame_hz)

    def _seen(self) -> Shown:
        machine = self.machine
        clocks = getattr(machine, "frame_cycles", 0)
        seconds = self._now() - self._start
        return Shown(machine.frame.copy(), machine.palette, self.player.frame - self._first, seconds, clocks)

    @property
    def frame_clocks(self) -> Fraction:
        """Clocks that a frame has; 0 where there is no CPU."""
        return self.machine.clock_hz / Fraction(self.machine.frame_hz)

    @property
    def is_finished(self) -> bool:
        """Whether all it will play is shown."""
        return self.shown.frame >= self.frames or (self.player.is_finished and not self._is_ahead)

    def advance(self, until: Fraction) -> None:
        """Show what is completed by a time, in simulated seconds. Errors: TapeError."""
        while self._step() and self._now() - self._start <= until:
            self._show()

    def follow(self, frame: int) -> None:
        """Show the tape's frame of this number, if it gets that far. Errors: TapeError."""
        while self.shown.frame < frame and self._step():
            self._show()

    def _step(self) -> bool:
        """Complete a frame that is not shown yet; return whether there is one."""
        if not self._is_ahead and not self.is_finished:
            self._is_ahead = self.player.step()
        return self._is_ahead

    def _show(self) -> None:
        self.shown, self._is_ahead = self._seen(), False
        self.busiest = max(self.busiest, self.shown.clocks)
        self.total += self.shown.clocks

    @property
    def work(self) -> float | None:
        """Milliseconds of work per frame shown; None before the first, and where there is no CPU."""
        if not self.total:
            return None
        return float(1000 * Fraction(self.total) / self.machine.clock_hz / self.shown.frame)

    @property
    def wait(self) -> float | None:
        """Milliseconds per frame shown in which the program waited for the screen; None as for `work`."""
        work = self.work
        return None if work is None else max(0.0, float(1000 * self.shown.seconds / self.shown.frame) - work)


class Race:
    """Racers at the start, moved together.

    is_in_step  all show the same frame; False: each at its own speed
    time        simulated seconds since the start; in step those of the slowest
    """

    def __init__(self, racers: Sequence[Racer], is_in_step: bool = False) -> None:
        self.racers, self.is_in_step = list(racers), is_in_step
        self.time, self._frame = Fraction(0), 0

    def ranking(self) -> list[Racer]:
        """Return the racers, those first that work the least per frame, and last those without a CPU."""
        return sorted(self.racers, key=lambda racer: math.inf if racer.work is None else racer.work)

    def verdict(self) -> str:
        """Say in one line who works the least per frame; "" with fewer than two racers whose work has a time."""
        first, second = self.ranking()[:2]
        if first.work is None or second.work is None:
            return ""
        if first.work == second.work:
            return f"{first.name} and {second.name} work equally long per frame, {first.work:.2f} ms"
        return f"{first.name} works the least per frame, {first.work:.2f} ms"

    @property
    def is_finished(self) -> bool:
        """Whether nobody moves any more."""
        return all(racer.is_finished for racer in self.racers)

    def advance(self, seconds: Fraction) -> None:
        """Go on by some simulated time; in step by one frame. Errors: TapeError."""
        if self.is_in_step:
            self._frame += 1
            for racer in self.racers:
                racer.follow(self._frame)
            self.time = max(racer.shown.seconds for racer in self.racers)
            return
        self.time += seconds
        for racer in self.racers:
            racer.advance(self.time)
