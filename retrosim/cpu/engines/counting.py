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
        self.m = m
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
        self._store(safe, self._safe)

    def count(self, instructions: int, clocks: int) -> None:
        if instructions:
            self._store(self._load(self._left) - instructions, self._left)
        if clocks:
            self._store(self._load(self._clocks) + clocks, self._clocks)

    def is_used_up(self) -> Word:
        """Is the headroom used up?"""
        return self._load(self._left).sle(0) | self._load(self._safe).sle(self._load(self._clocks))

    def budget(self) -> Word:
        """Return how many instructions are left of the budget."""
        return self._load(self._left) + self._load(self._margin)

    def clock(self) -> Word:
        return self._load(self._clocks)

    def set_clock(self, word: Word) -> None:
        self._store(word, self._clocks)


EXECUTED_BITS = 20  # of a packed counter: instructions executed since it began
MAX_COUNTED = 1 << EXECUTED_BITS - 1  # what it counts before headroom ends in any case, so that those bits suffice
FIRST_EXECUTED = 1 << EXECUTED_BITS - 2  # what they begin with: blocks may take back what others count in advance


class PackedCounter(Counter):
    """Counts what decoding knows, instructions and clocks, in one number: a host has few registers.

    The number is negative while there is headroom: what has been counted (clocks, and instructions where some take no
    clock) less the headroom, times 2 ** EXECUTED_BITS, plus the instructions executed and FIRST_EXECUTED. So counting
    is one addition, and the sign is the check. Where both are counted, headroom ends early, by half at most: then the
    region is entered again.
    """

    def __init__(self, m: Emitter) -> None:
        self.m, self.timing = m, m.timing
        self._number, self._budget, self._end = (m.code.slot(I64) for _ in range(3))
        self._weight = int(not self.timing.takes_a_clock)  # of an instruction

    def start(self, left: Word, margin: int, now: Word, safe: Word) -> None:
        m = self.m
        headroom = m.select(left.slt(MAX_COUNTED), left, m.const(64, MAX_COUNTED))
        if self.timing.counts:
            clocks = safe - now
            headroom = m.select(clocks.slt(headroom), clocks, headroom)
        self._store(left + margin, self._budget)
        self._store(now + headroom, self._end)
        self._store(((0 - headroom) << EXECUTED_BITS) + FIRST_EXECUTED, self._number)

    def count(self, instructions: int, clocks: int) -> None:
        step = ((clocks + self._weight * instructions) << EXECUTED_BITS) + instructions
        if step:
            self._store(self._load(self._number) + step, self._number)

    def is_used_up(self) -> Word:
        return self.m.const(64, -1).slt(self._load(self._number))

    def _executed(self) -> Word:
        return (self._load(self._number) & (1 << EXECUTED_BITS) - 1) - FIRST_EXECUTED

    def budget(self) -> Word:
        return self._load(self._budget) - self._executed()

    def clock(self) -> Word:
        counted = self._load(self._end) + self._load(self._number).sar(EXECUTED_BITS)
        return counted - self._executed() if self._weight else counted

    def set_clock(self, word: Word) -> None:
        self._store(self._load(self._number) + ((word - self.clock()) << EXECUTED_BITS), self._number)
