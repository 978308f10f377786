"""Tells from a host clock how many ticks of simulated time are due, in exact arithmetic.

A **tick** is the period of the machine's timer interrupt, a **frame** one pass of the ROM's main loop. A frame starts
on a tick; `yield_frame` then waits for the next one. So a frame that worked for 0.3 ticks stays on the screen for one
tick and one that worked for 1.7 ticks for two, as on the real machine: slowdown, never another outcome. A machine that
counts no cycles (`native`) shows one frame per tick.
"""

from __future__ import annotations

from fractions import Fraction

SECOND_NS = 1_000_000_000
IDLE_NS = 25_000_000  # longest time between two looks at what is due
SPEEDS = tuple(Fraction(2) ** power for power in range(-6, 4))
"""Speeds that the keys choose from: 1/64 to 8 times real time."""


class Pacer:
    """Counts ticks of `tick_hz * speed` against a clock in nanoseconds.

    tick_hz  Fraction  ticks per second, exact
    now      int       host nanoseconds, any origin
    speed    Fraction  multiple of real time
    backlog  int       ticks returned at once, at most; what a longer stall missed is dropped and counted in `dropped`

    Errors   ValueError  a rate, speed or backlog that is not positive

    The k-th tick after the start is due at exactly k / (tick_hz * speed) seconds: no error accumulates.
    """

    def __init__(self, tick_hz: Fraction, now: int, *, speed: Fraction = Fraction(1), backlog: int = 8) -> None:
        if tick_hz <= 0:
            raise ValueError(f"tick_hz {tick_hz}: allowed above 0")
        if backlog < 1:
            raise ValueError(f"backlog {backlog}: allowed 1 or more")
        self.tick_hz, self.backlog = Fraction(tick_hz), backlog
        self.dropped = 0
        self._begin(now, Fraction(0), speed)

    def _begin(self, now: int, phase: Fraction, speed: Fraction) -> None:
        if speed <= 0:
            raise ValueError(f"speed {speed}: allowed above 0")
        self.speed = Fraction(speed)
        self._rate = self.tick_hz * self.speed / SECOND_NS  # ticks per nanosecond
        self._start, self._phase, self._handed = now, phase, 0

    def _elapsed(self, now: int) -> Fraction:
        return self._phase + (now - self._start) * self._rate

    def due(self, now: int) -> int:
        """Return how many ticks have passed since the last call, 0 if the clock went backwards. now: host ns."""
        ticks = int(self._elapsed(now) // 1) - self._handed
        if ticks <= 0:
            return 0
        self._handed += ticks
        if ticks > self.backlog:
            self.dropped += ticks - self.backlog
            return self.backlog
        return ticks

    def wait_ns(self, now: int) -> int:
        """Return the host nanoseconds from `now` until the next tick is due, 0 if one is due."""
        missing = self._handed + 1 - self._elapsed(now)
        return max(0, -int(-missing / self._rate // 1))

    def set_speed(self, speed: Fraction, now: int) -> None:
        """Go on at another speed from `now`; the part of a tick that has passed already is kept."""
        self._begin(now, self._elapsed(now) - self._handed, speed)

    def restart(self, now: int) -> None:
        """Start counting again at `now`: nothing that was due before is due any more (after a pause)."""
        self._begin(now, Fraction(0), self.speed)
