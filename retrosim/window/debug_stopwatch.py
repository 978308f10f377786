"""The stopwatch of the debugger panel: clocks from one instruction to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retrosim.machine import Machine
    from retrosim.machine.debug import Point


class Stopwatch:
    """Counts clocks from when one instruction is reached to when another one is; `points` are its hooks."""

    def __init__(self, start: int) -> None:
        self.start, self.end = start, -1
        self.points: list[Point] = []
        self.count = self.total = self.last = self.minimum = self.maximum = 0
        self._began: int | None = None

    def begin(self, machine: Machine) -> None:
        """The first instruction is reached."""
        self._began = machine.cycles

    def finish(self, machine: Machine) -> None:
        """The other one is reached."""
        if self._began is None or machine.cycles < self._began:
            return
        self.last, self._began = machine.cycles - self._began, None
        self.minimum = min(self.minimum, self.last) if self.count else self.last
        self.maximum = max(self.maximum, self.last)
        self.count, self.total = self.count + 1, self.total + self.last
