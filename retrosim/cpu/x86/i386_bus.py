"""Prefetch queue and bus of the i386DX in the full timing model.

The bus unit reads code by aligned double words into a queue of 16 bytes whenever no operand needs the bus: 2 clocks
and the wait states a double word. An instruction starts when all its bytes are in the queue. Behind a jump the queue
is empty; the figure of the jump holds the first double word without wait states, the next one is waited for.
(guide/facts/x86_timing.md: structure and prefetch of the 80386, two sources; the wait for a target across double words
is recalled from the data sheet. The decoder's own limit, about a byte a clock, is not modelled.)

Operands: the figures include 2 clocks an access, one access after the other; wait states come on top, and 2 clocks and
the wait states once more for an operand across double words. A write is posted: what follows waits only when it needs
the bus before it has ended.

State, in addition to that of the table timing:

    fetched    linear address after the last code byte in the queue
    bus_free   clock when the bus is done with what it does now
    memory     parameters of the machine, wait states: see MEMORY

Bound: the figure of an instruction holds at least the 2 clocks of each of its accesses, so all that the bus can be
behind with is one posted operand. What waits for it is the first operand or the code, whichever comes first; then code
is waited for by double words, the wait states of the first one after a jump apart, and each operand for itself and for
the posted one before it. An operand is two accesses at most.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..spec.cpu import ADDRESS_MASK
from ..spec.rows import Row
from ..spec.values import Word
from .timing import TableTiming

UNCACHED_FROM = 0x800000  # video memory and devices (machine memory map)
MEMORY = ("code", "read", "write", "video_read", "video_write")
QUEUE = 16
DOUBLE_WORD = 4
ACCESS = 2  # clocks without wait states

FIELDS = (
    ("fetched", 32, 1),
    ("bus_free", 64, 1),
    ("memory", 64, len(MEMORY)),
)


class PrefetchTiming(TableTiming):
    """The table, with the waits for code and operands."""

    def start(self, row: Row, operands: dict[str, Any], take: Callable[[], Word]) -> None:
        m = self.m
        super().start(row, operands, take)
        self.now = m.get("cycles")
        self.operands = 0
        each = self._wait("code") + ACCESS
        self._empty_queue(each)
        self._prefetch(each)
        self._fetch(each)

    @property
    def max_waits(self) -> int:
        code = (self.length.known + DOUBLE_WORD - 1) // DOUBLE_WORD + 1
        return code + 2 * (self.operands + 1)

    def max_wait_clocks(self) -> Word:
        """Return the most clocks of one access."""
        longest = self.m.const(64, 0)
        for name in MEMORY:
            longest = self._later(longest, self._wait(name))
        return longest + ACCESS

    def _wait(self, name: str) -> Word:
        return self.m.element("memory", self.m.const(32, MEMORY.index(name)))

    def _later(self, a: Word, b: Word) -> Word:
        return self.m.select(a.ult(b), b, a)

    def _difference(self, a: Word, b: Word) -> Word:
        """a - b, 0 when b is later."""
        return self.m.select(b.ult(a), a - b, self.m.const(64, 0))

    def _empty_queue(self, each: Word) -> None:
        """Start again after a jump: the first double word is there but for its wait states."""
        m = self.m
        fetched, first = m.get("fetched"), (m.pc >> 2) << 2
        jumped = m.get("refill").ne(0) | m.const(32, QUEUE + 3).ult(fetched - m.pc)
        self.fetched = m.select(jumped, first + DOUBLE_WORD, fetched)
        self.free = m.select(jumped, self.now + each - ACCESS, m.get("bus_free"))
        self.arrived = m.select(jumped, self.free, self.now)

    def _prefetch(self, each: Word) -> None:
        """Fetch what the queue had space and time for before now."""
        m = self.m
        idle = self._difference(self.now, self.free)
        space = (m.pc + QUEUE - self.fetched).zext(64) >> 2
        space = m.select((m.pc + QUEUE).ult(self.fetched), m.const(64, 0), space)
        count, time = m.const(64, 0), each
        for number in range(1, QUEUE // DOUBLE_WORD + 1):
            count = count + (time.ule(idle) & m.const(64, number).ule(space)).zext(64)
            time = time + each
        self.fetched = self.fetched + (count.trunc(32) << 2)
        free = self.free + count * each
        self.free = m.select(count.eq(space), self._later(free, self.now), free)

    def _fetch(self, each: Word) -> None:
        """Wait for the bytes of this instruction that are not there."""
        m = self.m
        self.length = m.next_pc - m.pc & ADDRESS_MASK
        end = m.pc + self.length
        missing = m.select(self.fetched.ult(end), (end - self.fetched + 3) >> 2, m.const(32, 0))
        self.fetched = self.fetched + (missing << 2)
        done = self.free + missing.zext(64) * each
        self.add(self._difference(m.select(missing.eq(0), self.arrived, done), self.now))
        self.bus = m.variable(m.select(missing.eq(0), self.free, done))
        self.begun = m.variable(m.const(64, 0))  # clocks that the figure holds of the accesses so far

    def memory(self, address: Word, bits: int, write: bool) -> None:
        m = self.m
        self.operands += 1
        kind = "write" if write else "read"
        cached = (address & ADDRESS_MASK).ult(UNCACHED_FROM)
        waits = m.select(cached, self._wait(kind), self._wait(f"video_{kind}"))
        clocks = waits + ACCESS
        if bits > 8:
            crosses = m.const(32, 4).ult((address & 3) + bits // 8)
            clocks = m.select(crosses, clocks + clocks, clocks)
        now, bus = self.now + self.added.get() + self.begun.get(), self.bus.get()
        self.add(self._difference(bus, now))
        self.bus.set(self._later(bus, now) + clocks)
        self.begun.set(self.begun.get() + ACCESS)
        if not write:
            self.add(clocks - ACCESS)

    def finish(self, outcome: bool | None = None) -> None:
        super().finish(outcome)
        self.m.set("fetched", self.fetched)
        self.m.set("bus_free", self.bus.get())
