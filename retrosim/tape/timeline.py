"""The inputs of a run as a timeline: the device states of any frame, stored where they change.

The player asks it what a tape says, the window's rewinding notes in it what the keyboard said, and its `changes` are
the history that a recording begins with.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping


class InputTimeline:
    """Device states by frame.

    changes  [(frame, {device: state})]  frames ascending; each holds until the next one
    """

    def __init__(self, changes: Iterable[tuple[int, Mapping[str, int]]] = ()) -> None:
        self._changes = [(frame, dict(states)) for frame, states in changes]

    @property
    def changes(self) -> list[tuple[int, dict[str, int]]]:
        """The frames where the states change, with the new states: a copy."""
        return [(frame, dict(states)) for frame, states in self._changes]

    def at(self, frame: int) -> dict[str, int]:
        """Return the device states a frame runs with; empty before the first change."""
        index = bisect_right(self._changes, frame, key=_frame) - 1
        return self._changes[index][1] if index >= 0 else {}

    def note(self, frame: int, states: Mapping[str, int]) -> None:
        """Add the states of a frame after all others; nothing is stored if they are still the same."""
        if not self._changes or self._changes[-1][1] != states:
            self._changes.append((frame, dict(states)))

    def forget_from(self, frame: int) -> None:
        """Forget the changes of this frame and of all after it."""
        del self._changes[bisect_left(self._changes, frame, key=_frame) :]


def _frame(change: tuple[int, dict[str, int]]) -> int:
    return change[0]
