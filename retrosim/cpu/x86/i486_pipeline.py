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
    and those of the cache: see i486_cache.py

Bound: of two lines of code, and two lines an operand, each one waits no longer than i486_cache.py says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ..spec.cpu import ADDRESS_MASK
from ..spec.rows import Insn, Row
from ..spec.timing import Usual, hook
from ..spec.values import Word
from . import i486_cache
from .modrm import ESP, Ea
from .timing import TableTiming

FIELDS = (
    ("written", 32, 1),
    ("held", 32, 1),
    ("waiting", 32, 1),
    ("expected", 32, 1),
    ("fetch_line", 32, 1),
    *i486_cache.FIELDS,  # what subroutines work on
)

MAX_WAITED = 16  # clocks, more than prefixes of an instruction
HAZARDS = 3  # clocks at most: a register for an address, a target across lines
MISALIGNED = 3
BYTE = 0x101  # in `written`: a register, and that it was a byte of it
A_CLOCK_BEFORE = 16  # places up in `written`
BYTES = 0xFF00FF00
EVERY = 0x01010101  # times some registers: their bits in `written`

STACK_USERS = ("PUSH", "POP", "PUSHA", "POPA", "PUSHF", "POPF", "CALL", "RET", "RETF", "ENTER", "INT", "INT3", "IRET")


class CacheTiming(TableTiming):
    """The table, with the pipeline and the memory behind it."""

    subroutines: ClassVar = {"fetch": i486_cache.fetch, "read": i486_cache.read, "write": i486_cache.write}
    looked_up_in_place = 6  # a repeated string instruction
    marks = ("written", "held", "waiting", "expected", "fetch_line", "repeating")

    def forget(self) -> None:
        """Of long times only that they were matters: an instruction has fewer prefixes."""
        m = self.m
        for name, limit in (("held", 2 * MAX_WAITED), ("waiting", MAX_WAITED)):
            m.set(name, m.select(m.get(name).ult(limit), m.get(name), m.const(32, limit)))

    def usual(self, name: str, address: Word, size: int, now: Callable[[], Word]) -> Usual:
        return i486_cache.usual(self.m, name, address, size, now)

    def hit(self, name: str, *words: Word) -> tuple[Word, Callable[[], None], Word]:
        return i486_cache.hit(self.m, name, *words)

    def renew(self, name: str, line: Word) -> None:
        i486_cache.renew(self.m, line)

    def kind(self, location: Word, bits: int, write: bool) -> Word:
        return self._crosses(location, bits).zext(64)

    def delay_of(self, kind: Word) -> Word:
        return kind * MISALIGNED

    @classmethod
    def location_of(cls, kind: int) -> int:
        return 3 * kind

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
        self.wrote = m.variable(nothing)
        self.whole: list[Word] = []
        first, last = m.pc >> 4, (m.next_pc - 1) >> 4
        self.add((self.jumped & first.ne(last)).zext(32))
        m.set("expected", m.next_pc)

        def fetch(line: Word) -> None:
            clocks = m.subroutine("fetch", i486_cache.fetch, line.zext(64), self._at())
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
        return (self.encoded.number & 15) + self._longer.number

    @property
    def max_clocks(self) -> int:
        return super().max_clocks + HAZARDS + MISALIGNED * self.operands

    @property
    def max_waits(self) -> int:
        return 2 + 2 * self.operands

    def max_wait_clocks(self) -> Word:
        return i486_cache.max_wait_clocks(self.m)

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
        name = "write" if write else "read"
        self.add(m.subroutine(name, self.subroutines[name], location, size, self._at()))

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
