"""Prefetch queue and bus of the i386DX and of the 80286 in the full timing model.

The bus unit reads code by aligned units into a queue whenever no operand needs the bus: 2 clocks and the wait states a
unit; the 386 has double words and 16 bytes. An instruction starts when all its bytes are in the queue. Behind a jump
the queue is empty; the figure of the jump holds the first unit without wait states, and the next one is waited for.
(guide/facts/x86_timing.md: structure and prefetch; the wait of the 386 for a target across double words is recalled
from the data sheet. The decoder's own limit, about a byte a clock, is not modelled.)

Operands: the figures include 2 clocks an access, one access after the other; wait states come on top, and 2 clocks and
the wait states once more for an operand across units. A write is posted: what follows waits only when it needs the bus
before it has ended.

State, in addition to that of the table timing:

    fetched    linear address after the last code byte in the queue
    bus_free   clock when the bus is done with what it does now
    memory     parameters of the machine, wait states: see MEMORY

Bound: the figure of an instruction holds at least the 2 clocks of each of its accesses, so all that the bus can be
behind with is one posted operand. What waits for it is the first operand or the code, whichever comes first; then code
is waited for by units, the wait states of the first one after a jump apart, and each operand for itself and for
the posted one before it. An operand is two accesses at most.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..spec.cpu import ADDRESS_MASK
from ..spec.rows import Insn, Row
from ..spec.timing import Usual, later, until
from ..spec.values import Word
from .timing import TableTiming

UNCACHED_FROM = 0x800000  # video memory and devices (machine memory map)
MEMORY = ("code", "read", "write", "video_read", "video_write")
ACCESS = 2  # clocks without wait states

FIELDS = (
    ("fetched", 32, 1),
    ("bus_free", 64, 1),
    ("memory", 64, len(MEMORY)),
)


class PrefetchTiming(TableTiming):
    """The table, with the waits for code and operands: those of the i386DX.

    unit_bits      binary logarithm of the bytes that an access of the bus moves
    queue          bytes
    ahead          the most bytes behind the begin of an instruction that code is fetched for
    """

    unit_bits, queue, ahead = 2, 16, 16
    times, marks = ("bus_free",), ("fetched", "refill")

    def forget(self) -> None:
        """Behind a jump the queue begins anew; a bus that is free for longer than it takes to fill the queue has."""
        m = self.m
        now, longest = m.get("cycles"), (self._wait("code") + ACCESS) * (self.ahead >> self.unit_bits)
        jumped = m.get("refill").ne(0)
        m.set("bus_free", m.select(jumped, now, later(m, m.get("bus_free") + longest, now) - longest))
        m.set("fetched", m.select(jumped, m.const(32, 0), m.get("fetched")))

    def usual(self, name: str, address: Word, size: int, now: Callable[[], Word]) -> Usual:
        return Usual(self.kind(address & ADDRESS_MASK, 8 * size, name == "write").eq(0))

    def kind(self, location: Word, bits: int, write: bool) -> Word:
        """Bits 0-1: where in a unit it lies, as far as that matters; bits 2, 3: its first and second unit are slow."""
        m, unit = self.m, 1 << self.unit_bits
        low, slow, second = location & (unit - 1), ~location.ult(UNCACHED_FROM), m.const(1, 0)
        if bits > 8 * unit:
            second = ~(location + unit & ADDRESS_MASK).ult(UNCACHED_FROM)
        else:
            low = m.select(self._crosses(location, bits), m.const(32, unit - 1), m.const(32, 0))
        return (low | slow.zext(32) << 2 | second.zext(32) << 3).zext(64)

    @classmethod
    def location_of(cls, kind: int) -> int:
        unit = 1 << cls.unit_bits
        first = (-unit, UNCACHED_FROM)[kind >> 3] if kind & 4 else (0, UNCACHED_FROM - unit)[kind >> 3]
        return first + (kind & 3) & ADDRESS_MASK

    def _crosses(self, location: Word, bits: int) -> Word:
        """Does an operand that is no longer than a unit lie in two?"""
        m, unit = self.m, 1 << self.unit_bits
        return m.const(32, unit).ult((location & (unit - 1)) + bits // 8) if bits > 8 else m.const(1, 0)

    def start(self, row: Row, operands: dict[str, Any], take: Callable[[], Word]) -> None:
        m = self.m
        super().start(row, operands, take)
        self.now = m.get("cycles")
        self.operands = 0
        self.length = m.next_pc - m.pc & ADDRESS_MASK
        self._supply(self._wait("code") + ACCESS)

    def _supply(self, each: Word) -> None:
        """Wait for the code of the instruction; each: clocks of a unit."""
        self._empty_queue(each)
        self._prefetch(each)
        self._fetch(each)

    @property
    def max_waits(self) -> int:
        code = (self.length.number - 1 >> self.unit_bits) + 2
        return code + 2 * (self.operands + 1)

    def max_wait_clocks(self) -> Word:
        """Return the most clocks of one access."""
        longest = self.m.const(64, 0)
        for name in MEMORY:
            longest = later(self.m, longest, self._wait(name))
        return longest + ACCESS

    def _wait(self, name: str) -> Word:
        return self.m.element("memory", self.m.const(32, MEMORY.index(name)))

    def _empty_queue(self, each: Word) -> None:
        """Start again after a jump: the first double word is there but for its wait states."""
        m, unit = self.m, 1 << self.unit_bits
        fetched, first = m.get("fetched"), (m.pc >> self.unit_bits) << self.unit_bits
        jumped = self._jumped()
        self.fetched = m.select(jumped, first + unit, fetched)
        self.free = m.select(jumped, self.now + each - ACCESS, m.get("bus_free"))
        self.arrived = m.select(jumped, self.free, self.now)

    def _prefetch(self, each: Word) -> None:
        """Fetch what the queue had space and time for before now."""
        m = self.m
        idle = until(m, self.now, self.free)
        space = (m.pc + self.queue - self.fetched).zext(64) >> self.unit_bits
        space = m.select((m.pc + self.queue).ult(self.fetched), m.const(64, 0), space)
        count, time = m.const(64, 0), each
        for number in range(1, (self.queue >> self.unit_bits) + 1):
            count = count + (time.ule(idle) & m.const(64, number).ule(space)).zext(64)
            time = time + each
        self.fetched = self.fetched + (count.trunc(32) << self.unit_bits)
        free = self.free + count * each
        self.free = m.select(count.eq(space), later(m, free, self.now), free)

    def _fetch(self, each: Word) -> None:
        """Wait for the bytes of this instruction that are not there."""
        m = self.m
        missing = self._missing(self.fetched)
        self.fetched = self.fetched + (missing << self.unit_bits)
        done = self.free + missing.zext(64) * each
        self.add(until(m, m.select(missing.eq(0), self.arrived, done), self.now))
        self.bus = m.variable(m.select(missing.eq(0), self.free, done))
        self.begun = m.variable(m.const(64, 0))  # clocks that the figure holds of the accesses so far

    @property
    def decoded(self) -> Word:
        """Return how many bytes of the instruction have left the queue before it begins."""
        return self.m.const(32, 0)

    def _jumped(self) -> Word:
        """Does the queue begin anew? So it does too where it holds nothing that lies behind this address."""
        m, unit = self.m, 1 << self.unit_bits
        longest = self.decoded + (self.queue + unit - 1)
        return m.get("refill").ne(0) | longest.ult(m.get("fetched") - m.pc)

    def _missing(self, fetched: Word) -> Word:
        """Return the units that the instruction lacks."""
        m, bits = self.m, self.unit_bits
        end = m.pc + self.length
        return m.select(fetched.ult(end), (end - fetched + (1 << bits) - 1) >> bits, m.const(32, 0))

    def memory(self, address: Word, bits: int, write: bool) -> None:
        m, unit = self.m, 1 << self.unit_bits
        if bits > 8 * unit:
            self.memory(address, 8 * unit, write)
            self.memory(address + unit, bits - 8 * unit, write)
            return
        self.operands += 1
        kind = "write" if write else "read"
        cached = (address & ADDRESS_MASK).ult(UNCACHED_FROM)
        waits = m.select(cached, self._wait(kind), self._wait(f"video_{kind}"))
        clocks = waits + ACCESS
        self._operand(m.select(self._crosses(address, bits), clocks + clocks, clocks), write)

    def _operand(self, clocks: Word, write: bool) -> None:
        """An operand that keeps the bus busy for some clocks."""
        now, bus = self.now + self.added.get() + self.begun.get(), self.bus.get()
        self.add(until(self.m, bus, now))
        self.bus.set(later(self.m, bus, now) + clocks)
        self.begun.set(self.begun.get() + ACCESS)
        if not write:
            self.add(clocks - ACCESS)

    def finish(self, outcome: bool | None = None) -> None:
        super().finish(outcome)
        self.m.set("fetched", self.fetched)
        self.m.set("bus_free", self._free_for_code())

    def _free_for_code(self) -> Word:
        return self.bus.get()


# When code and operands go over the bus of the 80286.
#
# An instruction begins START clocks after its last code word was fetched, and not before the one in front of it has
# ended. Times of the bus, in clocks:
#
#     code       words, one after the other while the queue of 6 bytes has room
#     operand    the first one goes out LEAD clocks after the instruction begins, the next ones one after the other
#     write      of an instruction that has read: goes out so that it ends with the figure of the instruction
#     before     no fetch begins in the clock before an operand: the bus unit puts an address out a clock ahead, and
#                takes up no fetch in the two clocks before an operand
#     behind     no fetch begins in the clock after a read: none is taken up while its data come
#
# Behind a jump the queue begins anew. The figure of the jump and m, a clock for each byte, hold the first words; what
# the wait states of the first one add is the reading `first-word`.
#
# Sources (guide/facts/x86_timing.md): table 3-3 of the 80286 Hardware Reference Manual for what stands before an
# operand; the published trace of an ADD in the README of github.com/SingleStepTests/80286, where operands begin in the
# clocks that were recorded, and a fetch begins two clocks before an operand, none one clock before; the clocks of its
# vectors for LEAD and for writes, and as a bound of START; timed rows for START and for what stands behind a read
# (guide/facts/measured.md).
#
# Not modelled: the decoder, a byte a clock and up to three instructions ahead, but for START.
#
# State and bound as above; START is no longer than two accesses, and what a fetch or a read keeps from others
# is less than one.

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
        waits = m.select(missing.eq(0), m.const(64, 0), until(m, done + START, begin + FIRST_FETCH))
        self.add(waits)
        self.bus = m.variable(until(m, done, m.const(64, FIRST_FETCH)))
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
            self.begun.set(later(self.m, self.begun.get(), end))
        wanted = self.now + self.added.get() + self.begun.get()
        if self.operands == 1 or (write and self.has_read and self.goes_last):
            self._fetch_until(wanted)
        bus = later(self.m, self.bus.get(), wanted)
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
