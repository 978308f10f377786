"""Moves a machine through time: at its own pace, frame by frame, instruction by instruction, fast, and back.

`Transport.advance` is called again and again; it reads the clock and runs what is due. Inputs are given to the machine
between frames only, so what happens depends on the frame of each input and on nothing else of the host.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from retrosim.errors import CpuFault
from retrosim.machine.interface import AnyMachine, RunOutcome, has_cpu
from retrosim.machine.pieces import Turn
from retrosim.tape.play import InputTimeline

from .pacer import SECOND_NS, Pacer

# Remembers a machine's past: states saved every few frames, and the inputs to replay from one to any later frame.
#
# A state is stored as pages. It shares with the state before it the pages that did not change, so it costs only what
# changed. Memory is bounded: the oldest states are forgotten first.

PAGE = 4096
PAGE_COST = 8  # bytes for the reference to a page, shared or not


@dataclass(frozen=True)
class _State:
    frame: int
    length: int
    pages: list[bytes]
    cost: int


class Rewind:
    """States and inputs of a machine's past frames.

    every        int  frames between saved states; rewinding replays at most as many
    limit_bytes  int  memory for what changed between states, in addition to one whole state; the newest always stays
    inputs       InputTimeline  what the frames ran with; it stays when states are forgotten to save memory

    Errors       ValueError  every below 1
    """

    def __init__(self, *, every: int = 12, limit_bytes: int = 192 << 20) -> None:
        if every < 1:
            raise ValueError(f"every {every}: allowed 1 or more")
        self.every, self.limit_bytes = every, limit_bytes
        self.used_bytes = 0
        self.inputs = InputTimeline()
        self._states: deque[_State] = deque()
        self._newest = np.zeros((0, PAGE), np.uint8)

    @property
    def first_frame(self) -> int | None:
        """The earliest frame that can be restored, None before anything was noted."""
        return self._states[0].frame if self._states else None

    def forget(self) -> None:
        """Forget the past: the machine was reset, or a state was loaded."""
        self._states.clear()
        self.inputs = InputTimeline()
        self._newest = self._newest[:0]
        self.used_bytes = 0

    def note(self, machine: AnyMachine) -> None:
        """Save the state of a machine between two frames, if `every` frames have passed since the last one."""
        if self._states and machine.frame_number < self._states[-1].frame + self.every:
            return
        state = machine.snapshot()
        raw = _paged(state)
        if raw.shape == self._newest.shape and self._states:
            changed = (raw.view(np.uint64) != self._newest.view(np.uint64)).any(axis=1)
            pages = list(self._states[-1].pages)
        else:
            changed = np.ones(len(raw), bool)
            pages = [b""] * len(raw)
        for number in np.flatnonzero(changed).tolist():
            pages[number] = raw[number].tobytes()
        cost = int(changed.sum()) * PAGE + len(raw) * PAGE_COST
        self._states.append(_State(machine.frame_number, len(state), pages, cost))
        self._newest = raw
        self.used_bytes += cost
        while self.used_bytes > self.limit_bytes and len(self._states) > 1:
            self.used_bytes -= self._states.popleft().cost

    def restore(self, machine: AnyMachine, frame: int) -> None:
        """Load the last state at or before a frame, else the earliest there is, and forget the later ones.

        The caller replays from `machine.frame_number` to `frame` with `inputs`, then forgets the inputs from there on.
        Nothing happens if nothing was noted.
        """
        if not self._states:
            return
        while len(self._states) > 1 and self._states[-1].frame > frame:
            self.used_bytes -= self._states.pop().cost
        state = self._states[-1]
        content = b"".join(state.pages)[: state.length]
        machine.restore(content)
        self._newest = _paged(content)


def _paged(state: bytes) -> np.ndarray:
    return np.frombuffer(state + bytes(-len(state) % PAGE), np.uint8).reshape(-1, PAGE)


CALL_TICKS = 8
"""Ticks after which a frame that has not ended is interrupted, so that the window can react."""
STATE_EVERY, STATE_SHARE = 12, 0.04
"""Frames between two saved states; more if saving would take more than this share of the time."""


def run_ahead(machine: AnyMachine) -> None:
    """Run a frame and undo it, so that whatever compiles on first use is compiled."""
    state = machine.save()
    _run_frame(machine)
    machine.load(state)


def _run_frame(machine: AnyMachine) -> RunOutcome:
    """Run to the end of the frame, or for CALL_TICKS. Errors: CpuFault."""
    if not has_cpu(machine):
        return machine.run(frames=1)
    return machine.run(frames=1, cycles=int(CALL_TICKS * machine.clock_hz / machine.frame_hz))


class Transport:
    """A machine on its way through time.

    clock        Callable[[], int]                 host nanoseconds
    inputs       Callable[[int], dict or None]     device states a frame runs with; None: there are no more frames
    after_frame  Callable[[], None]                called when a frame has ended; not when rewinding

    halted       why the machine cannot go on, or ""
    is_between_frames  has the last frame ended, and the next one not begun?
    tick_cycles  CPU clocks in a period of the frame clock, 0 without a CPU
    """

    def __init__(
        self,
        machine: AnyMachine,
        clock: Callable[[], int] = time.perf_counter_ns,
        inputs: Callable[[int], dict[str, int] | None] = lambda frame: {},
        after_frame: Callable[[], None] = lambda: None,
    ) -> None:
        self.machine, self.clock = machine, clock
        self.is_paused = False
        self.tick_cycles = Fraction(machine.clock_hz) / machine.frame_hz
        self.pacer = Pacer(machine.frame_hz, clock())
        self.rewind = Rewind()
        self._inputs, self._after_frame = inputs, after_frame
        self.start_over()

    def start_over(self) -> None:
        """Begin with the machine as it is now (after power-on, a reset or a loaded state) and forget its past."""
        self.halted = ""
        self._on_screen = 0  # ticks that the last frame still has to be shown
        self.is_between_frames = True
        self._frame_tick = self.tick
        self._is_from_power_on = self.machine.frame_number == 0
        self.rewind.forget()
        begun = self.clock()
        self.rewind.note(self.machine)
        frame_ns = SECOND_NS / self.machine.frame_hz
        self.rewind.every = max(STATE_EVERY, math.ceil((self.clock() - begun) / (STATE_SHARE * frame_ns)))

    @property
    def history(self) -> list[tuple[int, dict[str, int]]] | None:
        """Inputs since power-on, (frame, device states) where they changed; None if a state was loaded since."""
        return self.rewind.inputs.changes if self._is_from_power_on else None

    @property
    def tick(self) -> int:
        """Periods of the frame clock since power-on; without a CPU one per frame."""
        return self.machine.retraces if has_cpu(self.machine) else self.machine.frame_number

    @property
    def frame_periods(self) -> int:
        """Periods since the frame began that has not ended; 0 between two frames."""
        return 0 if self.is_between_frames else self.tick - self._frame_tick

    @property
    def frame_cost(self) -> tuple[int, int]:
        """CPU clocks that the last frame was busy, and its instructions; 0 without a CPU."""
        return (self.machine.frame_cycles, self.machine.frame_instructions) if has_cpu(self.machine) else (0, 0)

    def advance(self, mode: str = "run") -> bool:
        """Run what is due; return whether the picture or the metrics changed.

        mode     "run", "fast" (as fast as the host can, even when paused) or "rewind"
        """
        turn = Turn(self.clock)  # as long as a call may take, however slow the host is
        due = self.pacer.due(turn.begun)
        if mode == "rewind":
            return due > 0 and self.go_back(due)
        if self.halted or (self.is_paused and mode == "run"):
            return False
        if mode == "fast":
            was_paused = self.is_paused
            while self.run_on() and self.is_paused == was_paused and not turn.is_over:
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
            if turn.is_over:
                break
        return changed

    def pause(self, is_paused: bool) -> None:
        """Stop after the present frame, or go on from now."""
        self.is_paused = is_paused
        self._on_screen = 0
        self.pacer.restart(self.clock())

    def run_on(self) -> bool:
        """Run to the end of the frame, or for `CALL_TICKS` if it does not end; False if the machine cannot go on.

        The frame stays on the screen for the ticks it took, at least one: a frame that was busy for 1.7 ticks stays
        for two, because the machine itself waits for the tick in `yield_frame`.
        """
        if not self._begin():
            return False
        tick = self.tick
        try:
            result = _run_frame(self.machine)
        except CpuFault as fault:
            return self._halt(str(fault))
        if result.reason not in ("frames", "cycles"):
            return self._halt(str(result.fault) if result.fault else "the program has ended")
        self._on_screen = max(1, self.tick - tick)
        if result.reason == "frames":
            self._end()
        return True

    def step(self) -> bool:
        """Execute one instruction; False if the machine cannot go on or has no CPU."""
        if not has_cpu(self.machine) or not self._begin():
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
        """Rewind by a number of frames, at most to the earliest remembered one; False if the machine is there already.

        In the middle of a frame, the first step back goes to its start.
        """
        machine = self.machine
        here = machine.frame_number + (not self.is_between_frames)
        target = max(self.rewind.first_frame or 0, here - frames)
        if target == machine.frame_number and self.is_between_frames:
            return False
        self.rewind.restore(machine, target)
        self.halted = ""
        while machine.frame_number < target:
            for device, value in self.rewind.inputs.at(machine.frame_number).items():
                machine.set_input(device, value)
            if machine.run(frames=1).reason != "frames":
                break
        self.is_between_frames = True
        self._on_screen = 0
        self.rewind.inputs.forget_from(target)
        return True

    def _begin(self) -> bool:
        """Begin the next frame unless one has begun already; False if there is none."""
        if self.halted:
            return False
        if self.is_between_frames:
            frame = self.machine.frame_number
            inputs = self._inputs(frame)
            if inputs is None:
                return self._halt(f"the tape ends here, after {frame:,} frames")
            for device, value in inputs.items():
                try:
                    self.machine.set_input(device, value)
                except ValueError as error:
                    return self._halt(f"inputs of frame {frame:,}: {error}")
            self.rewind.inputs.note(frame, inputs)
            self.is_between_frames, self._frame_tick = False, self.tick
        return True

    def _end(self) -> None:
        self.is_between_frames = True
        self.rewind.note(self.machine)
        self._after_frame()

    def _halt(self, why: str) -> bool:
        self.halted = why
        self._on_screen = 0
        return False
