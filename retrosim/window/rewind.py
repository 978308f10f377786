"""Remembers a machine's past: states saved every few frames, and the inputs to replay from one to any later frame.

A state is stored as pages. It shares with the state before it the pages that did not change, so it costs only what
changed. Memory is bounded: the oldest states are forgotten first.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from retrosim.tape.timeline import InputTimeline

PAGE = 4096
PAGE_COST = 8  # bytes for the reference to a page, shared or not


class Rewindable(Protocol):
    """What rewinding needs of a machine."""

    @property
    def frame_number(self) -> int: ...
    def snapshot(self) -> bytes: ...
    def restore(self, state: bytes) -> None: ...


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

    def note(self, machine: Rewindable) -> None:
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

    def restore(self, machine: Rewindable, frame: int) -> None:
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
