"""When code and operands go over the bus of the 80286, in the full timing model.

An instruction begins START clocks after its last code word was fetched, and not before the one in front of it has
ended. Times of the bus, in clocks:

    code       words, one after the other while the queue of 6 bytes has room
    operand    the first one goes out LEAD clocks after the instruction begins, the next ones one after the other
    write      of an instruction that has read: goes out so that it ends with the figure of the instruction
    before     no fetch begins in the clock before an operand: the bus unit puts an address out a clock ahead, and takes
               up no fetch in the two clocks before an operand
    behind     no fetch begins in the clock after a read: none is taken up while its data come

Behind a jump the queue begins anew. The figure of the jump and m, a clock for each byte, hold the first words; what the
wait states of the first one add is the reading `first-word`.

Sources (guide/facts/x86_timing.md): table 3-3 of the 80286 Hardware Reference Manual for what stands before an operand;
the published trace of an ADD in the README of github.com/SingleStepTests/80286, where operands begin in the clocks that
were recorded, and a fetch begins two clocks before an operand, none one clock before; the clocks of its vectors for
LEAD and for writes, and as a bound of START; timed rows for START and for what stands behind a read
(guide/facts/measured.md).

Not modelled: the decoder, a byte a clock and up to three instructions ahead, but for START.

State and bound as in prefetch.py; START is no longer than two accesses, and what a fetch or a read keeps from others is
less than one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..spec.rows import Insn, Row
from ..spec.values import Word
from .prefetch import ACCESS, PrefetchTiming

START = 4  # clocks from the end of the last fetch of an instruction to its begin
LEAD = 1  # clocks from the begin of an instruction to its first operand
FIRST_FETCH = 6  # clocks from the first fetch behind a jump to the end of the jump's figure without m
BEFORE = 2  # clocks before an operand in which the last fetch may begin


class WordPrefetchTiming(PrefetchTiming):
    """The table, with the waits of the 80286. In m, a byte whose sign is extended counts as the word that it becomes.

    So the vectors have it, without exception (github.com/SingleStepTests/80286: displacements of 8 bits in addresses
    and jumps, opcodes 6A, 6B and 83); the manual says a clock a byte.
    """

    odd_word = ACCESS
    unit_bits, queue, ahead = 1, 6, 6 + 10  # in a repeat, the bytes of the instruction come on top

    @classmethod
    def extra(cls, insn: Insn) -> int:
        extended = (insn.forms.get("disp") == 1) + ("simm" in dict(insn.row.operands))
        return super().extra(insn) + extended

    def start(self, row: Row, operands: dict[str, Any], take: Callable[[], Word]) -> None:
        self.has_read = False
        super().start(row, operands, take)

    @property
    def max_waits(self) -> int:
        return super().max_waits + 3

    def _supply(self, each: Word) -> None:
        m, jumped = self.m, self._jumped()
        self.each = each
        free, fetched = self._filled(m.get("bus_free"), m.get("fetched"), each)
        fetched = m.select(jumped, (m.pc >> 1) << 1, fetched)
        missing = self._missing(fetched)
        done = m.select(jumped, self.now, free + FIRST_FETCH) + missing.zext(64) * each  # FIRST_FETCH clocks late
        if m.cpu.choices["first-word"] == "before":
            self.add(m.select(jumped, each - ACCESS, m.const(64, 0)))
        begin = self.now + self.added.get()
        waits = m.select(missing.eq(0), m.const(64, 0), self._difference(done + START, begin + FIRST_FETCH))
        self.add(waits)
        self.bus = m.variable(self._difference(done, m.const(64, FIRST_FETCH)))
        self.code = m.variable(fetched + (missing << 1))
        self.begun = m.variable(m.const(64, LEAD))
        self.behind = m.variable(m.const(64, 0))  # a clock behind a read

    @property
    def decoded(self) -> Word:
        """Return how many bytes of the instruction have left the queue: all where iterations may lie behind."""
        return self.length if self.rep else self.m.const(32, 0)

    def _room(self, address: Word, fetched: Word) -> Word:
        """Return the words that the queue has room for if all before an address is decoded."""
        m, end = self.m, address + self.queue
        return m.select(end.ult(fetched), m.const(32, 0), end - fetched >> 1)

    def _filled(self, free: Word, fetched: Word, each: Word) -> tuple[Word, Word]:
        """Return bus and queue as they are now, where the bus has had the time to fill the queue."""
        m = self.m
        room = self._room(m.pc + self.decoded, fetched)
        end = free + room.zext(64) * each
        full = end.ule(self.now)
        return m.select(full, self.now, free), m.select(full, fetched + (room << 1), fetched)

    def _fetch_until(self, operand: Word) -> None:
        """Fetch what the bus has time for before an operand."""
        m, code = self.m, self.code.get()
        room = self._room(m.pc + self.length, code)
        begin, count = self._free_for_code() + BEFORE, m.const(32, 0)
        for number in range(self.queue >> 1):
            count = count + (begin.ule(operand) & m.const(32, number).ult(room)).zext(32)
            begin = begin + self.each
        self.code.set(code + (count << 1))
        fetched = self._free_for_code() + count.zext(64) * self.each
        self.bus.set(m.select(count.eq(0), self.bus.get(), fetched))

    def _operand(self, clocks: Word, write: bool) -> None:
        if write and self.has_read and self.goes_last:
            end = (self.cost & 0x3FF).zext(64) + self.by_data - ACCESS
            self.begun.set(self._later(self.begun.get(), end))
        wanted = self.now + self.added.get() + self.begun.get()
        if self.operands == 1 or (write and self.has_read and self.goes_last):
            self._fetch_until(wanted)
        bus = self._later(self.bus.get(), wanted)
        self.add(bus - wanted)
        self.bus.set(bus + clocks)
        self.begun.set(self.begun.get() + ACCESS)
        if not write:
            self.add(clocks - ACCESS)
        self.has_read = not write
        self.behind.set(self.m.const(64, not write))

    @property
    def goes_last(self) -> bool:
        """Does a write behind a read end the instruction? Not in ENTER, nor in repeats, which go on."""
        return not self.rep and len(self.costs) == 1

    def _free_for_code(self) -> Word:
        return self.bus.get() + self.behind.get()

    def finish(self, outcome: bool | None = None) -> None:
        self.fetched = self.code.get()
        super().finish(outcome)
