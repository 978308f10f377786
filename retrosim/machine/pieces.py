"""Running in pieces, so that whoever runs a machine can report, react and be interrupted in between.

`frames_in_pieces` runs to a frame, `Turn` is the time in which a window does what it likes before it looks at its
events, and `next_size` finds how large a piece may be where nobody knows how long one takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .interface import PlayableMachine, RunOutcome

TURN_NS = 25_000_000


class Turn:
    """A short time on the host: what runs as fast as it can stops when it is over.

    clock  Callable[[], int]  host nanoseconds
    begun  when it began
    """

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock, self.begun = clock, clock()

    @property
    def is_over(self) -> bool:
        """Is it time to look at other things?"""
        return self._clock() - self.begun >= TURN_NS


def frames_in_pieces(
    machine: PlayableMachine, end: int, pause: Callable[[int], int], limits: Callable[[], dict[str, int]] = dict
) -> Iterator[RunOutcome]:
    """Run a machine to a frame; yield the outcome of each piece, the last one if it does not end with a whole frame.

    end      number of the frame
    pause    frame -> the next one, above it, at which the machine pauses
    limits   what else a piece is limited by, as `run` takes it
    """
    while machine.frame_number < end:
        frame = machine.frame_number
        result = machine.run(frames=min(end, pause(frame)) - frame, **limits())
        yield result
        if result.reason != "frames":
            return


def next_size(size: int, seconds: float, wanted: float, minimum: int = 1) -> int:
    """Return how large the next piece should be: one of `size` took `seconds` on the host, and may take `wanted`."""
    return 2 * size if seconds < wanted else max(minimum, size // 2)
