"""Pipeline, cache and write buffers of the i486 in the full timing model.

Five stages: fetch, D1 (decodes a prefix or an instruction a clock), D2 (address), execute, write back. An instruction
is in D1 while the one before is in D2, and in D2 while that one executes:

    prefix      1 clock each in D1; hidden as far as D1 had nothing else to do, while the instruction before was held
                in D2 or took several clocks to execute. Behind a jump there is nothing to hide behind.
    address     D2 needs the registers of an address. One that was written is handed over to execution at once, to D2
                a clock later; of one that was written in part, only the register file has all bits, and that another
                clock later. In real mode the reading `interlock` says the same of every register. What waits in D1
                for a prefix need not wait in D2. PUSH, POP and the like leave ESP ready.
    bytes       a register that is read as a whole right behind a write of its low or high byte comes from the register
                file too: 1 clock. The reading `byte-writes`: does a write of a byte that ended exactly a clock before
                hold up every address from a register, or only that of the register that it is in?
    index       +1 for an index register (reading `index-clock`)
    immediate   +1 with a displacement too
    target      +1 when the first instruction after a jump lies across the end of a 16-byte line
    misaligned  +3 an access across double words
    cache       8 KiB for code and data, 4 ways of 128 lines of 16 bytes, written through, filled on reads only; the
                pseudo-LRU bits choose the line to replace. The missing double word is used as soon as it is there.
    writes      4 buffers; a write waits when all are full, a line fill until they are empty

Sources: i486 PRM (1990) appendix E and chapter 12; Intel, Optimizations for 32-bit processors (1994); E. Toth,
Penalties on the 486 (Assembly gem 0026, 1998; protected mode); M. Abrash, Graphics Programming Black Book (1997),
chapters 12 and 13: timed on two 486s in real mode, with the explanation by the register file. Penalties are counted in
clocks between the write and the use. For a word that is written and a double word that is read no source has one.
State:

    written     registers written, in the last clock: bit n, 8 + n: only a byte of it; a clock before: 16 + n, 24 + n
    held        clocks that the last instruction was executed for
    waiting     clocks that it had waited in D2 before, and one
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
from ..spec.timing import hook
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
    ("held", 32, 1),
    ("waiting", 32, 1),
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

HAZARDS = 3  # clocks at most: a register for an address, a target across lines
MISALIGNED = 3
BYTE = 0x101  # in `written`: a register, and that it was a byte of it
A_CLOCK_BEFORE = 16  # places up in `written`
BYTES = 0xFF00FF00
EVERY = 0x01010101  # times some registers: their bits in `written`

STACK_USERS = ("PUSH", "POP", "PUSHA", "POPA", "PUSHF", "POPF", "CALL", "RET", "RETF", "ENTER", "INT", "INT3", "IRET")


class CacheTiming(TableTiming):
    """The table, with the pipeline and the memory behind it."""

    def _crosses(self, location: Word, bits: int) -> Word:
        """Does an operand lie in two double words?"""
        return self.m.const(32, 4).ult((location & 3) + bits // 8) if bits > 8 else self.m.const(1, 0)

    @classmethod
    def extra(cls, insn: Insn) -> int:
        """Return what the encoding says.

        bits 0-3   prefixes
        bits 4-5   clocks for the index and for an immediate with a displacement
        bits 8-15  registers that the address is made of, the stack pointer of a push or pop among them
        bit 16     it is written out
        """
        forms, unscaled = insn.forms, bool(insn.forms.get("pair"))
        if cls.choices["index-clock"] == "scaled":
            unscaled = unscaled and bool(forms.get("disp"))
        both = bool(forms.get("ea") == "mem" and forms.get("disp") and forms.get("imm"))
        explicit = forms.get("registers", 0)
        registers = explicit | (1 << ESP if insn.row.name in STACK_USERS else 0)
        longer = bool(forms.get("index") or unscaled) + both
        return cls.prefixes(insn) | longer << 4 | registers << 8 | bool(explicit) << 16

    def start(self, row: Row, operands: dict[str, Any], take: Callable[[], Word]) -> None:
        m = self.m
        self.jumped, nothing, one = m.pc.ne(m.get("expected")), m.const(32, 0), m.const(32, 1)
        self.held = m.select(self.jumped, one, m.get("held"))
        self.waited = m.variable(self.held)  # what `waiting` becomes: without prefixes all that the one before is held
        super().start(row, operands, take)
        self.now, self.operands = m.get("cycles"), 0
        self.wrote, self.whole = m.variable(nothing), []
        first, last = m.pc >> 4, (m.next_pc - 1) >> 4
        self.add((self.jumped & first.ne(last)).zext(32))
        m.set("expected", m.next_pc)

        def fetch(line: Word) -> None:
            clocks = m.subroutine("fetch", _read_code, line.zext(64), self._at())
            self.add(clocks)
            self.waited.set(m.select(clocks.eq(0), self.waited.get(), one))

        m.when(first.ne(m.get("fetch_line")), lambda: fetch(first))
        m.when(last.ne(first), lambda: fetch(last))
        m.set("fetch_line", last)
        self.delay = self.added.get() if self.rep else self.added.get() - self._longer.zext(64)
        self.stalled = m.variable(m.const(64, 0))  # clocks in D2, or before execution, for a register
        if any(isinstance(o, Ea) and o.cls != "reg" for o in operands.values()) or row.name in STACK_USERS:
            self._wait_for_address()

    @property
    def _longer(self) -> Word:
        return self.encoded >> 4 & 3

    @property
    def _max_encoded(self) -> int:
        return (self.encoded.known & 15) + self._longer.known

    @property
    def max_clocks(self) -> int:
        return super().max_clocks + HAZARDS + MISALIGNED * self.operands

    @property
    def max_waits(self) -> int:
        return 2 + 2 * self.operands

    def max_wait_clocks(self) -> Word:
        m = self.m
        writes = _later(m, _parameter(m, "write"), _parameter(m, "video_write")) * WRITE_BUFFERS
        read = _later(m, _parameter(m, "first_read"), _parameter(m, "video_read"))
        return _later(m, writes, _parameter(m, "line_read")) + read

    def _unhidden(self, clocks: Word, by: Word) -> Word:
        return self.m.select(by.ult(clocks), clocks - by, self.m.const(32, 0))

    def encoded_clocks(self) -> Word:
        """Return the clocks for prefixes that are not hidden, and those that D2 takes longer."""
        m, prefixes = self.m, self.encoded & 15
        shown = m.variable(m.const(32, 0))

        def decode() -> None:
            one = m.const(32, 1)
            waiting = self._unhidden(m.select(self.jumped, one, m.get("waiting")), one)
            held = self._unhidden(self.held, one)
            shown.set(self._unhidden(prefixes, waiting + held))
            self.waited.set(self._unhidden(held, self._unhidden(prefixes, waiting)) + 1)

        m.when(prefixes.ne(0), decode)
        return shown.get() + self._longer

    def _wait_for_address(self) -> None:
        """Let D2 wait for the registers of an address; most are there, which a branch tells sooner than a sum."""
        m, written = self.m, self.m.get("written")
        found = written & (self.encoded >> 8 & 0xFF) * EVERY
        uses = (self.encoded >> 16).ne(0) if m.cpu.choices["byte-writes"] == "any" else m.const(1, 0)
        concerned = found.ne(0) | uses & (written & BYTES).ne(0)

        def wait() -> None:
            clocks = self._address_clocks(found, uses)
            self.stalled.set(m.select(self.delay.ult(clocks), clocks - self.delay, m.const(64, 0)))
            self.add(self.stalled.get())

        m.when(concerned, wait)

    def _address_clocks(self, found: Word, uses: Word) -> Word:
        """Return the clocks that an address waits for its registers.

        found  those that were written, as in `written`
        uses   is the address written out, with a register?
        """
        m, written = self.m, self.m.get("written")
        late, late_byte, older, older_byte = ((found >> place & 0xFF).ne(0) for place in (0, 8, 16, 24))
        none, one, two = (m.const(64, clocks) for clocks in (0, 1, 2))
        if m.cpu.choices.get("interlock") == "measured":
            wait = m.select(late, two, m.select(older, one, none))
        else:
            wait = m.select(late_byte, two, m.select(late | older_byte, one, none))
        wait = m.select(uses & wait.eq(0) & (written >> 24).ne(0), one, wait)
        return m.select(uses & wait.eq(1) & (written >> 8 & 0xFF).ne(0), two, wait)

    def _at(self) -> Word:
        return self.now + self.added.get()

    def memory(self, address: Word, bits: int, write: bool) -> None:
        m = self.m
        location, size = (address & ADDRESS_MASK).zext(64), m.const(64, bits // 8)
        self.operands += 1
        self.add(m.select(self._crosses(address, bits), m.const(64, MISALIGNED), m.const(64, 0)))
        function = write_data if write else read_data
        self.add(m.subroutine("write" if write else "read", function, location, size, self._at()))

    @hook
    def whole_register(self, register: Word) -> None:
        self.whole.append(register)

    def written(self, register: Word, stage: str) -> None:
        if stage != "address":
            bits = BYTE if stage == "byte" else 1
            self.wrote.set(self.wrote.get() | self.m.const(32, bits) << register)

    def spend(self, clocks: Word) -> None:
        m, stalled = self.m, self.stalled
        delay, spent = self.delay + stalled.get(), m.variable(clocks)
        executed = clocks - delay

        def look() -> None:
            stale = m.const(32, 0)
            for register in self.whole:
                stale = stale | m.get("written") >> 8 >> register
            wait = (stale.trunc(1) & delay.eq(0)).zext(64)
            stalled.set(stalled.get() + wait)
            spent.set(clocks + wait)

        if self.whole:
            m.when((m.get("written") & BYTES & 0xFFFF).ne(0), look)
        super().spend(spent.get())
        older = m.select(spent.get().eq(1), m.get("written") << A_CLOCK_BEFORE, m.const(32, 0))
        m.set("written", self.wrote.get() | older)
        m.set("held", executed.trunc(32))
        m.set("waiting", self.waited.get() + stalled.get().trunc(32))
        if self.rep:
            m.set("expected", m.select(self.condition, m.pc, m.next_pc))


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
