"""Goes to any frame of a tape that is replayed: back by what was saved for rewinding, forwards by running; and its bar.

A place that can no longer be rewound to is reached from the start of the tape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from retrosim.machine.pieces import Turn
from retrosim.screen.font import draw_text, text_width
from retrosim.screen.framebuffer import BLACK, LT_GRAY, RED, WHITE, blank, frame_rect, paint_rect

if TYPE_CHECKING:
    from retrosim.tape.play import Player

    from .transport import Transport

BAR_HEIGHT = 12
"""Height of the bar, in pixels of the status bar, which it lies on."""
MARGIN = 6
JUMP_S = 10
"""Seconds that a key goes."""


class Seek:
    """The places of a tape.

    transport, player  of the session
    went_back          called after the machine has gone back in time

    target   frame that is being gone to, None if the machine is there
    marks    frames that the user stopped at, and where the machine left the tape
    """

    def __init__(self, transport: Transport, player: Player, went_back: Callable[[], None]) -> None:
        self.transport, self.player, self._went_back = transport, player, went_back
        self.target: int | None = None
        self.marks: set[int] = set()

    @property
    def first(self) -> int:
        """The frame that the tape starts from."""
        return self.player.tape.first_frame

    @property
    def last(self) -> int:
        """The frame that it ends with."""
        return max(self.first, self.player.tape.frames)

    @property
    def here(self) -> int:
        """The frame that is shown, or is to be."""
        return self.transport.machine.frame_number if self.target is None else self.target

    def go(self, frame: int) -> None:
        """Begin to go to a frame; one beyond an end is that end."""
        frame = max(self.first, min(self.last, frame))
        transport, machine = self.transport, self.transport.machine
        transport.pacer.restart(transport.clock())
        if frame < machine.frame_number or not transport.is_between_frames:
            if frame >= (transport.rewind.first_frame or 0):
                transport.go_back(machine.frame_number + (not transport.is_between_frames) - frame)
                self.player.rewound()
            else:
                self.player.restart()
                transport.start_over()
            self._went_back()
        self.target = frame if machine.frame_number < frame else None

    def jump(self, step: int) -> None:
        """Go some seconds forwards or back."""
        self.go(self.here + round(step * JUMP_S * self.transport.machine.frame_hz))

    def to_mark(self, step: int) -> None:
        """Go to the nearest mark after, or before, this place, or to that end of the tape."""
        marks = sorted({self.first, self.last, *self.marks})
        wanted = [mark for mark in marks if (mark > self.here if step > 0 else mark < self.here)]
        if wanted:
            self.go(wanted[0] if step > 0 else wanted[-1])

    def advance(self) -> bool:
        """Run towards the target for a short time; False if there is none."""
        if self.target is None:
            return False
        transport, turn = self.transport, Turn(self.transport.clock)
        was_right = self.player.mismatch is None
        while transport.machine.frame_number < self.target and not turn.is_over:
            if not transport.run_on() or (was_right and self.player.mismatch is not None):
                self.target = None
                return True
        if transport.machine.frame_number >= self.target:
            self.target = None
            transport.pause(transport.is_paused)
        return True

    def frame_at(self, x: float, width: int) -> int:
        """Return the frame at a place of the bar. x: its pixels; width: of the bar"""
        left, right = ends(width, self.last)
        share = (x - left) / max(1, right - 1 - left)
        return self.first + round(max(0.0, min(1.0, share)) * (self.last - self.first))


def ends(width: int, last: int) -> tuple[int, int]:
    """Return the first column of the bar and the one after its last; room is left for the number at its right."""
    return MARGIN, width - 2 * MARGIN - text_width(f"{last:,} / {last:,}")


def draw_seek_bar(width: int, first: int, last: int, here: int, shown: int, marks: Iterable[int]) -> np.ndarray:
    """Draw the bar.

    width    int  pixels
    first, last   frames of the tape
    here     frame where the handle is
    shown    frame of the machine, up to which the bar is black
    marks    frames
    Returns  uint8[12, width]  palette indices
    """
    bar = blank(width, BAR_HEIGHT)
    paint_rect(bar, (0, 0, width, 1))
    left, right = ends(width, last)
    span = max(1, last - first)

    def column(frame: int) -> int:
        return left + (right - 1 - left) * (max(first, min(last, frame)) - first) // span

    paint_rect(bar, (left, 4, right, 10), LT_GRAY, foreground=BLACK, background=WHITE)
    paint_rect(bar, (left, 4, column(shown) + 1, 10))
    frame_rect(bar, (left, 4, right, 10))
    for mark in marks:
        paint_rect(bar, (column(mark), 2, column(mark) + 2, 12), foreground=RED)
    handle = column(here)
    paint_rect(bar, (handle - 2, 2, handle + 3, 12), foreground=WHITE)
    frame_rect(bar, (handle - 2, 2, handle + 3, 12))
    draw_text(bar, right + MARGIN, 3, f"{here:,} / {last:,}", BLACK)
    return bar
