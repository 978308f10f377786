"""The part of the debugger panel that runs the machine, and remembers what it was before."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from threading import Timer
from typing import TYPE_CHECKING

from retrosim.console import panes
from retrosim.cpu.spec.cpu import ADDRESS_MASK
from retrosim.machine.debug import views

from .panel import Panel

if TYPE_CHECKING:
    from retrosim.machine import Machine
    from retrosim.machine.debug import Stop
    from retrosim.tape.play import Player

PANES = ("Stack", "Points", "Timer", "Hottest", "Causes", "Log")
HEX_BYTES, MAX_ROWS = views.MEMORY_ROW, 16
HOT_PIECES, HOT_SAMPLES = 16, 4096
"""Looks at the program counter in a period of the frame clock, and how many of them are kept."""
CALL_PERIODS = 8
"""Periods after which a frame that has not ended is interrupted."""
LONGEST_S = 3.0
"""Host time after which a command that has not stopped by itself is interrupted, forwards and back."""
TURN_NS = 25_000_000


class RunningPanel(Panel):
    """Runs a machine; see `Panel`.

    cursor   address in the code
    memory   address of the memory that is shown
    before   registers at the last stop
    message  how the machine stopped, or what went wrong
    pane     the small view that is shown
    samples  functions that were executing when it was looked, while "Hottest" is shown
    causes   of the clocks of the last frame
    """

    def __init__(self, machine: Machine, pad: Callable[[], int], player: Player | None = None) -> None:
        super().__init__(machine, pad, player)
        self.message = "stopped by the debugger; ? shows the keys"
        self.before = self.debugger.registers()
        self.cursor = self.before["pc"]
        self.memory = self._first_address()
        self._remember()
        self.pane = PANES[0]
        self.samples: deque[str] = deque(maxlen=HOT_SAMPLES)
        self.causes: list[panes.Line] = []
        self._causes_before = views.counted_causes(machine)
        self._periods_left = 0

    def _first_address(self) -> int:
        stack = [value for name, value in self.before.items() if name in ("a7", "esp", "r1")]
        return (stack[0] if stack else 0) & ADDRESS_MASK & ~(HEX_BYTES - 1)

    def memory_rows(self, count: int) -> list[views.MemoryRow]:
        """Return rows of memory; what has changed since the last stop is marked as long as the place is the same."""
        (place, old), size = self._memory_before, min(count, MAX_ROWS) * HEX_BYTES
        return views.memory(self.debugger, self.memory, size, old[:size] if place == self.memory else None)

    def _remember(self) -> None:
        """Remember what changes are marked against."""
        self.before = self.debugger.registers()
        self._memory_before = self.memory, self.debugger.read(self.memory, HEX_BYTES * MAX_ROWS)

    def advance(self, due: int, clock: Callable[[], int] = time.perf_counter_ns) -> bool:
        """Run so many periods of the frame clock, if the machine runs; return whether anything changed."""
        if not self.is_running:
            return False
        begun = clock()
        for _ in range(due):
            if self._periods_left > 0:
                self._periods_left -= 1
                continue
            if not self.run_frame() or clock() - begun > TURN_NS:
                break
        return due > 0

    def run_frame(self) -> bool:
        """Run to the end of a frame; False if the machine stopped."""
        self._press()
        tick, period = self.machine.retraces, int(self.machine.clock_hz / self.machine.frame_hz)
        looks = self.pane == "Hottest"
        stop = None
        for _ in range(CALL_PERIODS * (HOT_PIECES if looks else 1)):
            stop = self.debugger.run(frames=1, clocks=period // HOT_PIECES if looks else period)
            if looks:
                found = self.machine.image.symbol_at(stop.pc)
                self.samples.append(found[0] if found else "(outside all functions)")
            if stop.reason != "clocks":
                break
        assert stop is not None
        self._periods_left = self.machine.retraces - tick - 1
        if stop.reason == "frames":
            self._note_causes()
        if stop.reason in ("frames", "clocks") and not self._is_at_end_of_tape:
            return True
        self._stopped(stop)
        return False

    def _note_causes(self) -> None:
        if self.machine.timing == "causes":
            self.causes = panes.causes(self.machine, self._causes_before)
        self._causes_before = views.counted_causes(self.machine)

    def _stopped(self, stop: Stop) -> None:
        self.is_running = False
        self.cursor = stop.pc
        self.message = f"{stop}; {stop.fault}" if stop.fault else str(stop)
        if self._is_at_end_of_tape:
            self.message = f"the tape ends here; {self.message}"

    def _move(self, move: Callable[[], Stop]) -> None:
        """Carry out a command that stops by itself, or is stopped when it takes too long."""
        self.is_running = False
        self._press()
        self._remember()
        timer = Timer(LONGEST_S, self.debugger.interrupt)
        timer.start()
        try:
            stop = move()
        finally:
            timer.cancel()
        self._stopped(stop)
        self._causes_before = views.counted_causes(self.machine)
