"""How a region counts instructions and clocks while it runs, and notices that its headroom is used up.

The headroom is what the budget and the clock's limit leave, less the longest path between two checks.
"""

from __future__ import annotations

from ..spec.ir import I64
from ..spec.values import Word
from .emit import Emitter


class Counter:
    """Emits the counting into a region."""

    def __init__(self, m: Emitter) -> None:
        self.m, self.timing = m, m.timing
        self._left, self._margin, self._safe, self._clocks = (m.code.slot(I64) for _ in range(4))

    def _load(self, slot: str) -> Word:
        return self.m.loaded(64, slot)

    def _store(self, word: Word, slot: str) -> None:
        self.m.put(word, slot)

    def start(self, left: Word, margin: int, now: Word, safe: Word) -> None:
        """Begin to count.

        left    instructions of headroom; the budget is `margin` more
        now     the clock, 0 where nothing counts clocks
        safe    the clock at which the headroom ends, greater than `now`
        """
        self._store(left, self._left)
        self._store(self.m.const(64, margin), self._margin)
        self._store(now, self._clocks)
        if self.timing.takes_a_clock:
            last = now + left
            safe = self.m.select(last.slt(safe), last, safe)
        self._store(safe, self._safe)

    def count(self, instructions: int, clocks: int) -> None:
        if instructions:
            self._store(self._load(self._left) - instructions, self._left)
        if clocks:
            self._store(self._load(self._clocks) + clocks, self._clocks)

    def is_used_up(self) -> Word:
        """Is the headroom used up? Where every instruction takes a clock, the clock alone tells."""
        is_late = self._load(self._safe).sle(self._load(self._clocks))
        return is_late if self.timing.takes_a_clock else self._load(self._left).sle(0) | is_late

    def budget(self) -> Word:
        """Return how many instructions are left of the budget."""
        return self._load(self._left) + self._load(self._margin)

    def clock(self) -> Word:
        return self._load(self._clocks)

    def set_clock(self, word: Word) -> None:
        self._store(word, self._clocks)
