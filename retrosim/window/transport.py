"""Moves a machine through time: at its own pace, frame by frame, instruction by instruction, fast, and back.

`Transport.advance` is called again and again; it reads the clock and runs what is due. Inputs are given to the machine
between frames only, so what happens depends on the frames they fell into and on nothing of the host.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from retrosim.errors import CpuFault

from .pacer import SECOND_NS, Pacer
from .rewind import Rewind

CALL_TICKS = 8
"""Ticks of work after which a frame that has not ended gives the window a turn."""
STATE_EVERY, STATE_SHARE = 12, 0.04
"""A state to go back to is saved every so many frames, less often if saving took more than this share of the time."""
TURN_NS = 25_000_000
"""Host time one call of `advance` may take, when the host is too slow or runs fast forward."""


def run_ahead(machine: Any) -> None:
    """Run a frame and take it back, so that what compiles on first use has compiled."""
    state = machine.save()
    if hasattr(machine, "step"):
        machine.run(frames=1, cycles=int(CALL_TICKS * machine.clock_hz / machine.frame_hz))
    else:
        machine.run(frames=1)
    machine.load(state)


class Transport:
    """A machine and its place in time.

    machine      Machine or NativeMachine
    clock        Callable[[], int]                 host nanoseconds
    inputs       Callable[[int], dict or None]     device states a frame runs with; None: there are no more frames
    after_frame  Callable[[], None]                called when a frame has ended; not when going back

    halted       why the machine cannot go on, or ""
    """

    def __init__(
        self,
        machine: Any,
        clock: Callable[[], int] = time.perf_counter_ns,
        inputs: Callable[[int], dict[str, int] | None] = lambda frame: {},
        after_frame: Callable[[], None] = lambda: None,
    ) -> None:
        self.machine, self.clock = machine, clock
        self.is_paused = False
        self.is_simulated = hasattr(machine, "step")
        self.tick_cycles = Fraction(machine.clock_hz) / machine.frame_hz if self.is_simulated else Fraction(0)
        self.pacer = Pacer(machine.frame_hz, clock())
        self.rewind = Rewind()
        self._inputs, self._after_frame = inputs, after_frame
        self.start_over()

    def start_over(self) -> None:
        """Take the machine as it stands now (power-on, reset, a loaded state) and forget its past."""
        self.halted = ""
        self._on_screen = 0  # ticks the last frame still has to stay
        self._is_between_frames = True
        self._is_from_power_on = self.machine.frame_number == 0
        self.rewind.forget()
        begun = self.clock()
        self.rewind.note(self.machine)
        frame_ns = SECOND_NS / self.machine.frame_hz
        self.rewind.every = max(STATE_EVERY, math.ceil((self.clock() - begun) / (STATE_SHARE * frame_ns)))

    @property
    def history(self) -> list[tuple[int, dict[str, int]]] | None:
        """Inputs since power-on, (frame, device states) where they changed; None if a state was loaded since."""
        return self.rewind.history if self._is_from_power_on else None

    @property
    def is_between_frames(self) -> bool:
        return self._is_between_frames

    @property
    def tick(self) -> int:
        """Periods of the frame clock since power-on; without a CPU one per frame."""
        return self.machine.retraces if self.is_simulated else self.machine.frame_number

    @property
    def frame_cost(self) -> tuple[int, int]:
        """CPU clocks that the last frame was busy, and its instructions; 0 without a CPU."""
        return (self.machine.frame_cycles, self.machine.frame_instructions) if self.is_simulated else (0, 0)

    def advance(self, mode: str = "run") -> bool:
        """Run what is due; True if the picture or the figures changed.

        mode     "run", "fast" (as the host can, paused or not) or "rewind"
        """
        now = self.clock()
        due = self.pacer.due(now)
        if mode == "rewind":
            return due > 0 and self.go_back(due)
        if self.halted or (self.is_paused and mode == "run"):
            return False
        if mode == "fast":
            was_paused = self.is_paused
            while self.run_on() and self.is_paused == was_paused and self.clock() - now < TURN_NS:
                pass
            self._on_screen = 0
            return True
        changed = False
        for _ in range(due):
            if self._on_screen == 0:
                changed = True
                if not self.run_on() or self.is_paused:
                    break
            self._on_screen -= 1
            if self.clock() - now > TURN_NS:
                break
        return changed

    def pause(self, is_paused: bool) -> None:
        """Stop after the frame under way, or go on from now."""
        self.is_paused = is_paused
        self._on_screen = 0
        self.pacer.restart(self.clock())

    def run_on(self) -> bool:
        """Run to the end of the frame, or `CALL_TICKS` if it does not end; False if the machine cannot go on.

        What was run stays on the screen for the ticks it took, at least one: a frame that worked for 1.7 ticks for
        two, because the machine itself waits for the tick in `yield_frame`.
        """
        if not self._begin():
            return False
        tick = self.tick
        try:
            if self.is_simulated:
                result = self.machine.run(frames=1, cycles=int(CALL_TICKS * self.tick_cycles))
            else:
                result = self.machine.run(frames=1)
        except CpuFault as fault:
            return self._halt(str(fault))
        if result.reason not in ("frames", "cycles"):
            return self._halt(str(result.fault) if result.fault else "the program has ended")
        self._on_screen = max(1, self.tick - tick)
        if result.reason == "frames":
            self._end()
        return True

    def step(self) -> bool:
        """Execute one instruction of a simulated machine; False if it cannot go on."""
        if not self._begin():
            return False
        frame = self.machine.frame_number
        try:
            self.machine.step()
        except CpuFault as fault:
            return self._halt(str(fault))
        if self.machine.frame_number != frame:
            self._end()
        return True

    def go_back(self, frames: int) -> bool:
        """Go back so many frames, or to the earliest remembered; False if the machine is there already.

        In the middle of a frame, its own start counts as the first one back.
        """
        machine = self.machine
        here = machine.frame_number + (not self.is_between_frames)
        target = max(self.rewind.first_frame or 0, here - frames)
        if target == machine.frame_number and self.is_between_frames:
            return False
        self.rewind.restore(machine, target)
        self.halted = ""
        while machine.frame_number < target:
            for device, value in self.rewind.inputs_at(machine.frame_number).items():
                machine.set_input(device, value)
            if machine.run(frames=1).reason != "frames":
                break
        self._is_between_frames = True
        self._on_screen = 0
        self.rewind.forget_inputs(target)
        return True

    def _begin(self) -> bool:
        """Begin the next frame unless one is under way; False if there is none."""
        if self.halted:
            return False
        if self._is_between_frames:
            frame = self.machine.frame_number
            inputs = self._inputs(frame)
            if inputs is None:
                return self._halt(f"the tape ends here, after {frame:,} frames")
            for device, value in inputs.items():
                self.machine.set_input(device, value)
            self.rewind.note_inputs(frame, inputs)
            self._is_between_frames = False
        return True

    def _end(self) -> None:
        self._is_between_frames = True
        self.rewind.note(self.machine)
        self._after_frame()

    def _halt(self, why: str) -> bool:
        self.halted = why
        self._on_screen = 0
        return False
