"""Goes back in time: saved states every few frames, and the inputs to replay from there to any frame between.

States are kept as pages; a page that did not change since the state before is shared with it, so a state costs what it
changed. Memory is bounded: the oldest states are forgotten first.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from dataclasses import dataclass
from typing import Protocol

import numpy as np

PAGE = 4096
PAGE_COST = 8  # bytes to remember one page, shared or not


class Rewindable(Protocol):
    """What of a machine going back needs.

    A machine may have `snapshot() -> bytes` and `restore(bytes)` besides: the same for this process only, neither
    compressed nor protected, and so much faster that no tick is missed; then these are used.
    """

    frame_number: int

    def save(self) -> bytes: ...
    def load(self, state: bytes) -> None: ...


@dataclass(frozen=True)
class _State:
    frame: int
    length: int
    pages: list[bytes]
    cost: int


class Rewind:
    """Remembers a machine's past.

    every        int  frames between saved states; going back replays at most as many
    limit_bytes  int  memory for what changed between states, beside one whole state; the newest is always kept
    """

    def __init__(self, *, every: int = 12, limit_bytes: int = 192 << 20) -> None:
        if every < 1:
            raise ValueError(f"every is {every}, must be at least 1")
        self.every, self.limit_bytes = every, limit_bytes
        self.used_bytes = 0
        self._states: deque[_State] = deque()
        self._inputs: list[tuple[int, dict[str, int]]] = []  # from this frame on, ascending
        self._newest = np.zeros((0, PAGE), np.uint8)

    @property
    def first_frame(self) -> int | None:
        """The earliest frame that can be gone back to, None before anything was noted."""
        return self._states[0].frame if self._states else None

    def forget(self) -> None:
        """Forget the past (the machine was reset or loaded)."""
        self._states.clear()
        self._inputs.clear()
        self._newest = self._newest[:0]
        self.used_bytes = 0

    def note(self, machine: Rewindable) -> None:
        """Save the state between two frames, if it is time to."""
        if self._states and machine.frame_number < self._states[-1].frame + self.every:
            return
        state = getattr(machine, "snapshot", machine.save)()
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

    def note_inputs(self, frame: int, inputs: dict[str, int]) -> None:
        """Remember the inputs a frame is about to run with."""
        if not self._inputs or self._inputs[-1][1] != inputs:
            self._inputs.append((frame, dict(inputs)))

    @property
    def history(self) -> list[tuple[int, dict[str, int]]]:
        """Inputs since the past began, (frame, device states) where they changed; kept when states are forgotten."""
        return [(frame, dict(inputs)) for frame, inputs in self._inputs]

    def inputs_at(self, frame: int) -> dict[str, int]:
        """Return the inputs a past frame ran with."""
        at = bisect_right(self._inputs, frame, key=_first_frame) - 1
        return self._inputs[at][1] if at >= 0 else {}

    def restore(self, machine: Rewindable, frame: int) -> None:
        """Load the last state at or before `frame`, else the earliest there is, and forget the later ones.

        The caller replays from `machine.frame_number` to `frame` with `inputs_at`, then calls `forget_inputs`.
        Nothing happens if nothing was noted.
        """
        if not self._states:
            return
        while len(self._states) > 1 and self._states[-1].frame > frame:
            self.used_bytes -= self._states.pop().cost
        state = self._states[-1]
        content = b"".join(state.pages)[: state.length]
        getattr(machine, "restore", machine.load)(content)
        self._newest = _paged(content)

    def forget_inputs(self, frame: int) -> None:
        """Forget the inputs from `frame` on: the future is open again."""
        del self._inputs[bisect_left(self._inputs, frame, key=_first_frame) :]


def _first_frame(entry: tuple[int, dict[str, int]]) -> int:
    return entry[0]


def _paged(state: bytes) -> np.ndarray:
    return np.frombuffer(state + bytes(-len(state) % PAGE), np.uint8).reshape(-1, PAGE)
