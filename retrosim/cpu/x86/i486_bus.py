"""Pipeline hazards, cache and write buffers of the i486 in the full timing model.

    prefix      1 clock each, hidden behind a predecessor of several clocks, since decoding runs ahead
    address     +1 when a register that the instruction before has written serves as base or index, or as stack
                pointer; +1 more when only a byte of it was written; PUSH, POP and the like leave ESP ready
    index       +1 for a scaled index, or base and index with a displacement
    immediate   +1 with a displacement too
    target      +1 when the first instruction after a jump lies across the end of a 16-byte line
    misaligned  +3 an access across double words
    cache       8 KiB for code and data, 4 ways of 128 lines of 16 bytes, written through, filled on reads only; the
                pseudo-LRU bits choose the line to replace. The missing double word is used as soon as it is there.
    writes      4 buffers; a write waits when all are full, a line fill until they are empty

Sources: i486 PRM (1990) appendix E and chapter 12; Intel, Optimizations for 32-bit processors (1994); the detail of
the index rule is recalled. State:

    written     registers written by the last instruction, bit n; bit 16 + n: only a byte of it
    ahead       clocks that decoding is ahead
    expected    address after the last instruction
    fetch_line  line that the last instruction came from
    tag lru     128 sets of 4 lines: line number + VALID; per set the three bits
    bus_free    clock when the bus is done with all it has to do
    filling     line that is read last, complete at fill_end
    memory      parameters of the machine: see MEMORY

Bound: of two lines of code, and two lines an operand, each one waits at most for what the bus has still to do, and for
one read. The bus has four writes to do, or a line: a write that finds more waits until there are no more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..spec.cpu import ADDRESS_MASK
from ..spec.rows import Insn, Row
from ..spec.values import Word
from .modrm import ESP, Ea
from .timing import TableTiming

VALID = 1 << 31
UNCACHED_FROM = 0x800000  # video memory and devices (machine memory map)
WRITE_BUFFERS = 4

# Places in the field `memory`, CPU clocks: until the first double word of a line is there, until the whole line is, a
# write, and reading and writing a byte to double word of video memory.
MEMORY = ("first_read", "line_read", "write", "video_read", "video_write")

FIELDS = (
    ("written", 32, 1),
    ("ahead", 32, 1),
    ("expected", 32, 1),
    ("fetch_line", 32, 1),
    # those below are what subroutines work on
    ("tag", 32, 512),
    ("lru", 8, 128),
    ("bus_free", 64, 1),
    ("filling", 32, 1),
    ("fill_end", 64, 1),
    ("memory", 64, len(MEMORY)),
)

HAZARDS = 3  # clocks at most: a register and its byte, a target across lines
MISALIGNED = 3

STACK_USERS = ("PUSH", "POP", "PUSHA", "POPA", "PUSHF", "POPF", "CALL", "RET", "RETF", "ENTER", "INT", "INT3", "IRET")


class CacheTiming(TableTiming):
    """The table, with hazards and the memory behind it."""

    @classmethod
    def extra(cls, insn: Insn) -> int:
        """bits 0-3 prefixes; bits 4-5 the clocks for the index and for an immediate with a displacement"""
        index = bool(insn.forms.get("index") or (insn.forms.get("pair") and insn.forms.get("disp")))
        both = bool(insn.forms.get("ea") == "mem" and insn.forms.get("disp") and insn.forms.get("imm"))
        return cls.prefixes(insn) | (index + both) << 4

    def start(self, row: Row, operands: dict[str, Any], take: Callable[[], Word]) -> None:
        m = self.m
        super().start(row, operands, take)
        self.now = m.get("cycles")
        self.operands = 0
        self.wrote = m.variable(m.const(32, 0))
        self._addresses(row, operands)
        jumped = m.pc.ne(m.get("expected"))
        first, last = m.pc >> 4, (m.next_pc - 1) >> 4
        self.add((jumped & first.ne(last)).zext(32))
        m.set("expected", m.next_pc)

        def fetch(line: Word) -> None:
            self.add(m.subroutine("fetch", _read_code, line.zext(64), self._at()))

        m.when(first.ne(m.get("fetch_line")), lambda: fetch(first))
        m.when(last.ne(first), lambda: fetch(last))
        m.set("fetch_line", last)

    @property
    def max_clocks(self) -> int:
        return super().max_clocks + HAZARDS + MISALIGNED * self.operands

    @property
    def _max_encoded(self) -> int:
        return (self.encoded.known & 15) + (self.encoded.known >> 4)

    @property
    def max_waits(self) -> int:
        return 2 + 2 * self.operands

    def max_wait_clocks(self) -> Word:
        m = self.m
        writes = _later(m, _parameter(m, "write"), _parameter(m, "video_write")) * WRITE_BUFFERS
        read = _later(m, _parameter(m, "first_read"), _parameter(m, "video_read"))
        return _later(m, writes, _parameter(m, "line_read")) + read

    def encoded_clocks(self) -> Word:
        m = self.m
        prefixes, ahead = self.encoded & 15, m.get("ahead")
        shown = m.select(ahead.ult(prefixes), prefixes - ahead, m.const(32, 0))
        return shown + (self.encoded >> 4)

    def _addresses(self, row: Row, operands: dict[str, Any]) -> None:
        m, written = self.m, self.m.get("written")
        registers = [r for o in operands.values() if isinstance(o, Ea) for r in o.address_registers]
        if row.name in STACK_USERS:
            registers.append(m.const(32, ESP))
        late = byte = m.const(32, 0)
        for register in registers:
            late, byte = late | written >> register, byte | written >> 16 >> register
        self.add((late & 1) + (byte & 1))

    def _at(self) -> Word:
        return self.now + self.added.get()

    def memory(self, address: Word, bits: int, write: bool) -> None:
        m = self.m
        location, size = (address & ADDRESS_MASK).zext(64), m.const(64, bits // 8)
        self.operands += 1
        if bits > 8:
            self.add(m.select(m.const(64, 4).ult((location & 3) + size), m.const(64, MISALIGNED), m.const(64, 0)))
        function = write_data if write else read_data
        self.add(m.subroutine("write" if write else "read", function, location, size, self._at()))

    def written(self, register: Word, stage: str) -> None:
        if stage != "address":
            bits = 0x10001 if stage == "byte" else 1
            self.wrote.set(self.wrote.get() | self.m.const(32, bits) << register)

    def spend(self, clocks: Word) -> None:
        m = self.m
        super().spend(clocks)
        m.set("written", self.wrote.get())
        m.set("ahead", (clocks - 1).trunc(32))


def _later(m, a: Word, b: Word) -> Word:
    return m.select(a.ult(b), b, a)


def _wait_until(m, clock: Word, now: Word) -> Word:
    return m.select(now.ult(clock), clock - now, m.const(64, 0))


def _parameter(m, name: str) -> Word:
    return m.element("memory", m.const(32, MEMORY.index(name)))


def _look_up(m, line: Word, allocate: bool) -> Word:
    """Return a one-bit word: is the line there? It, or with `allocate` the one read in its place, is now the newest."""
    group = line & 127
    first = group << 2
    wanted, old = line | VALID, m.element("lru", group)
    way, free = m.const(32, 4), m.const(32, 4)
    for number in (3, 2, 1, 0):
        tag = m.element("tag", first + number)
        way = m.select(tag.eq(wanted), m.const(32, number), way)
        free = m.select(tag.eq(0), m.const(32, number), free)
    found = way.ne(4)
    # bit 0: the older pair is 2, 3; bit 1: the older of 0, 1 is 1; bit 2: the older of 2, 3 is 3
    pair = m.select((old & 1).eq(0), (old >> 1 & 1).zext(32), (old >> 2 & 1).zext(32) + 2)
    used = m.select(found, way, m.select(free.ne(4), free, pair))
    new = m.const(8, 0)
    for number, (mask, ones) in enumerate(((4, 3), (4, 1), (2, 4), (2, 0))):
        new = m.select(used.eq(number), old & mask | ones, new)
    touched = found | m.const(1, allocate)
    m.set_element("lru", group, m.select(touched, new, old))
    entry = first + used
    if allocate:
        m.set_element("tag", m.select(found, first + (way & 3), entry), wanted)
    return found


def _read_line(m, line: Word, now: Word) -> Word:
    """Return the clocks until the wanted double word of a line is there, beyond those of a hit."""
    free = m.get("bus_free")
    found = _look_up(m, line, allocate=True)
    begin = _later(m, free, now)
    arriving = m.select(m.get("filling").eq(line), _wait_until(m, m.get("fill_end"), now), m.const(64, 0))
    end = begin + _parameter(m, "line_read")
    m.set("bus_free", m.select(found, free, end))
    m.set("fill_end", m.select(found, m.get("fill_end"), end))
    m.set("filling", m.select(found, m.get("filling"), line))
    return m.select(found, arriving, begin + _parameter(m, "first_read") - now)


def _read_code(m, line: Word, now: Word) -> Word:
    return _read_line(m, line.trunc(32), now)


def _operand(m, address: Word, size: Word, now: Word, one: Callable[[Word, Word], Word]) -> Word:
    """Apply one(address, time) -> clocks to an operand, twice when it lies in two lines."""
    wait = m.variable(one(address.trunc(32), now))
    last = address + size - 1
    crosses = (last >> 4).ne(address >> 4)
    m.when(crosses, lambda: wait.set(wait.get() + one(last.trunc(32), now + wait.get())))
    return wait.get()


def read_data(m, address: Word, size: Word, now: Word) -> Word:
    """Return the clocks that reading an operand costs beyond a hit."""

    def one(location: Word, at: Word) -> Word:
        wait = m.variable(m.const(64, 0))

        def uncached() -> None:
            end = _later(m, m.get("bus_free"), at) + _parameter(m, "video_read")
            m.set("bus_free", end)
            wait.set(end - at)

        m.when(location.ult(UNCACHED_FROM), lambda: wait.set(_read_line(m, location >> 4, at)), uncached)
        return wait.get()

    return _operand(m, address, size, now, one)


def write_data(m, address: Word, size: Word, now: Word) -> Word:
    """Return the clocks that storing an operand waits for a write buffer."""

    def one(location: Word, at: Word) -> Word:
        cached, free = location.ult(UNCACHED_FROM), m.get("bus_free")
        clocks = m.select(cached, _parameter(m, "write"), _parameter(m, "video_write"))
        m.when(cached, lambda: _look_up(m, location >> 4, allocate=False))
        m.set("bus_free", _later(m, free, at) + clocks)
        return _wait_until(m, free, at + clocks * (WRITE_BUFFERS - 1))

    return _operand(m, address, size, now, one)
