"""The input word that keys make of a program's pad: whatever a key does, a frame of the program sees it."""

from __future__ import annotations

from collections import deque

from .controls import PAD

MAX_CHANGES = 6
"""Of one key that no frame has seen yet: three taps. Of more than that, the first are seen."""


class Pad:
    """The keys of the pad that are down, and what the program is told of them.

    A program reads its pad once a frame, and a frame of a slow machine lasts for longer than a tap. So each change of a
    key stays in the input word for a frame at least: a key that goes down and up within one frame is down in the next
    and up in the one after it; two taps take four frames.

    down  bits of the keys that are down
    """

    def __init__(self) -> None:
        self.down = 0
        self._word = 0
        self._unseen: dict[int, deque[bool]] = {bit: deque() for bit in PAD.values()}  # bit -> its next states
        self._seen: dict[int, range] = dict.fromkeys(PAD.values(), range(0))  # bit -> frames that see its present state

    def press(self, bit: int, is_down: bool) -> None:
        """A key goes down or up."""
        if bool(self.down & bit) == is_down:
            return
        self.down ^= bit
        unseen = self._unseen[bit]
        if len(unseen) < MAX_CHANGES:
            unseen.append(is_down)
        else:
            unseen.pop()  # the change before this one, which it takes back

    def release_all(self) -> None:
        """All keys go up."""
        for bit in self._unseen:
            self.press(bit, False)

    def word(self, frame: int, begins: bool = True) -> int:
        """Return the input word for a frame of the program, with the next change of each key that has one.

        begins  does the frame begin now? In its middle a key that goes down is told at once, but the program may have
                read its pad already: what is told then stays for the next frame too
        """
        for bit, unseen in self._unseen.items():
            if unseen and frame not in self._seen[bit]:
                self._word = self._word | bit if unseen.popleft() else self._word & ~bit
                self._seen[bit] = range(frame, frame + (1 if begins else 2))
        return self._word
