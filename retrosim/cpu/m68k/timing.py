"""Timing models of the 68K, written in the value layer: the same code runs in every engine.

    off     nothing is counted
    table   MC68040: each instruction takes the slowest of its stages, nothing overlaps and nothing waits
    full    MC68040: the pipeline as an event model. The MC68000 has no pipeline to speak of: table and full are one

The full model keeps, in absolute clocks, when each stage is free (MC68040UM section 10 and its definitions of lead and
interlock; rules and confidence in pipeline order):

    ea_start   the address stage is free, and the address registers are ready (a result of the execute stage is ready
               when that instruction leaves it; (An)+, -(An), stack and LEA results when they leave the address stage)
    ea_end     ea_start + EA-calculate clocks
    fetch_end  max(ea_end, fetch stage free) + 1 clock per operand fetched, at least 1
    cycles     max(fetch_end, execute stage free) + base clocks
    ea_end     held by what execution is late beyond the lead, for interlocked forms

Caches and memory (mc68040_cache.py) hold up the stage that needs them: an instruction line the address stage, an
operand the fetch stage, a store the execute stage.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core import ADDRESS_MASK
from ..spec import Insn, Row
from ..values import Word
from . import mc68000_clocks, mc68040_cache
from .ea import Ea
from .mc68040_clocks import clocks, is_synchronising


class Untimed:
    """Base of the timing models and the model that counts nothing."""

    counts = False

    def __init__(self, m: Any) -> None:
        self.m = m

    @staticmethod
    def fields(insn: Insn) -> tuple[int, ...]:
        """Return the numbers that decoding puts into the record for this model."""
        return ()

    def start(self, row: Row, operands: dict[str, Any], take: Callable[[], Word]) -> None:
        """Begin an instruction."""

    def outcome(self, condition: Word) -> None:
        """Choose between two costs: the first when the condition holds."""

    def memory(self, address: Word, bits: int, write: bool) -> None:
        """Account for a memory operand."""

    def depends(self, what: str, *words: Word) -> None:
        """Account for data that the cost depends on: a shift count, a multiplier, an exception, ..."""

    def written(self, register: Word, stage: str) -> None:
        """A register gets its result in the named stage."""

    def finish(self) -> None:
        """End the instruction."""


class TableTiming(Untimed):
    """Sum of the slowest stage of each instruction."""

    counts = True

    @staticmethod
    def fields(insn: Insn) -> tuple[int, ...]:
        return tuple(c.alone for c in clocks(insn))

    def start(self, row: Row, operands: dict[str, Any], take: Callable[[], Word]) -> None:
        self.costs = [take() for _ in row.cost]
        self.cost = self.costs[0]

    def outcome(self, condition: Word) -> None:
        if len(self.costs) == 2:
            self.cost = self.m.select(condition, *self.costs)

    def finish(self) -> None:
        self.m.set("cycles", self.m.get("cycles") + self.cost.zext(64))


class PipelineTiming(Untimed):
    """The event model of the stages, with caches and memory."""

    counts = True

    @staticmethod
    def fields(insn: Insn) -> tuple[int, ...]:
        return tuple(n for c in clocks(insn) for n in (c.address | c.base << 12 | c.fetches << 24, c.slack))

    def start(self, row: Row, operands: dict[str, Any], take: Callable[[], Word]) -> None:
        m = self.m
        self.costs = [(take(), take()) for _ in row.cost]
        self.executed = m.get("cycles")  # execute stage free
        zero = m.const(64, 0)
        self.fetch_wait, self.store_wait = m.variable(zero), m.variable(zero)
        start = m.get("ea_end") + self._instruction_fetch()
        for register in self._address_registers(row, operands):
            start = self._later(start, m.element("ready", register))
        if is_synchronising(row):
            start = self._later(start, self.executed)
        self.ea_start = start
        self.pending = len(self.costs) == 2
        if not self.pending:
            self._issue(*self.costs[0])

    def _instruction_fetch(self) -> Word:
        """Return the clocks that the address stage waits for code: nothing within a line, or from a cached one."""
        m = self.m
        last = (m.next_pc - 1 & ADDRESS_MASK) >> 4
        wait = m.variable(m.const(64, 0))

        def fetch() -> None:
            code = m.pc.zext(64), last.zext(64), m.get("ea_end")
            wait.set(m.subroutine("fetch", mc68040_cache.fetch, *code))

        m.when((m.pc >> 4).ne(m.get("fetch_line")) | last.ne(m.get("fetch_line")), fetch)
        return wait.get()

    @staticmethod
    def _address_registers(row: Row, operands: dict[str, Any]) -> list[Word]:
        registers = [r for o in operands.values() if isinstance(o, Ea) for r in o.address_registers]
        return registers + [operands[name] for name in row.options.get("early", ())]

    def _later(self, a: Word, b: Word) -> Word:
        return self.m.select(a.ult(b), b, a)

    def outcome(self, condition: Word) -> None:
        if self.pending:
            self.pending = False
            self._issue(*(self.m.select(condition, a, b) for a, b in zip(*self.costs, strict=True)))

    def _issue(self, packed: Word, slack: Word) -> None:
        self.ea_end = self.ea_start + (packed & 0xFFF).zext(64)
        self.fetched = self._later(self.ea_end, self.m.get("fetch_end")) + (packed >> 24).zext(64)
        self.base = (packed >> 12 & 0xFFF).zext(64)
        self.slack = slack.zext(64)

    def memory(self, address: Word, bits: int, write: bool) -> None:
        m = self.m
        place, size = (address & ADDRESS_MASK).zext(64), m.const(64, bits // 8)
        if write:
            now = self.executed + self.store_wait.get()
            wait = m.subroutine("write", mc68040_cache.write, place, size, now)
            self.store_wait.set(self.store_wait.get() + wait)
        else:
            now = self._later(self.ea_start, m.get("fetch_end")) + self.fetch_wait.get()
            wait = m.subroutine("read", mc68040_cache.read, place, size, now)
            self.fetch_wait.set(self.fetch_wait.get() + wait)

    def written(self, register: Word, stage: str) -> None:
        done = {"address": lambda: self.ea_end, "fetch": self._fetch_end, "execute": self._done}[stage]()
        self.m.set_element("ready", register, done)

    def _fetch_end(self) -> Word:
        return self.fetched + self.fetch_wait.get()

    def _done(self) -> Word:
        return self._later(self._fetch_end(), self.executed) + self.base

    def finish(self) -> None:
        m = self.m
        fetch_end = self._fetch_end()
        late = m.select(fetch_end.ult(self.executed), self.executed - fetch_end, m.const(64, 0))
        held = m.select(self.slack.ult(late), late - self.slack, m.const(64, 0))
        m.set("ea_end", self.ea_end + held)
        m.set("fetch_end", fetch_end)
        m.set("cycles", self._done() + self.store_wait.get())


class MC68000Timing(Untimed):
    """Exact clocks: what the encoding fixes, and what depends on data (M68000UM section 8; facts on MULx and DIVx)."""

    counts = True

    @staticmethod
    def fields(insn: Insn) -> tuple[int, ...]:
        return (mc68000_clocks.clocks(insn), insn.length)

    def start(self, row: Row, operands: dict[str, Any], take: Callable[[], Word]) -> None:
        self.row, self.cost, self.length = row, take().zext(64), take()

    def _add(self, clocks: Word) -> None:
        self.m.set("cycles", self.m.get("cycles") + clocks.zext(64))

    def outcome(self, condition: Word) -> None:
        """Bcc not taken: 8, with a word displacement 12. DBcc: 10 looping, 12 when cc is true, 14 expired."""
        m, name = self.m, self.row.name
        zero = m.const(32, 0)
        if name == "B":
            self._add(
                m.select(condition, zero, m.select(self.length.eq(2), m.const(32, 0) - 2, m.const(32, 2))).sext(64)
            )

    def depends(self, what: str, *words: Word) -> None:
        m = self.m
        match what:
            case "count":  # shifts: 2 a position
                self._add(words[0] * 2)
            case "true":  # Scc Dn: 6 when true
                self._add(m.select(words[0], m.const(32, 2), m.const(32, 0)))
            case "expired":  # DBcc: 2 more when cc is true, 4 when the counter ran out
                self._add(m.select(words[0], m.const(32, 2), m.select(words[1], m.const(32, 4), m.const(32, 0))))
            case "bit":  # BCHG, BCLR, BSET Dn: 2 more for bits 16-31
                self._add((words[0] >> 4 & 1) * 2)
            case "multiplier":  # MULU: 2 a one; MULS: 2 a change between neighbouring bits, a 0 appended
                self._add(words[0].count_ones() * 2)
            case "unsigned division":
                self._add(self._divu(*words))
            case "signed division":
                self._add(self._divs(*words))
            case "slow check":  # CHK below 0 although not above the bound, and the difference keeps its sign
                self._add(m.select(words[0], m.const(32, 2), m.const(32, 0)))
            case "exception":
                self._exception(*words)

    def _exception(self, total: Word, replaces: Word) -> None:
        """An exception of `total` clocks; `replaces` tells that nothing else of the instruction counts."""
        self._add(self.m.select(replaces, total.zext(64) - self.cost, total.zext(64)))

    def _divu(self, dividend: Word, divisor: Word) -> Word:
        """DIVU: 10 on overflow; else 76 to 136 by the subtractions that the microcode makes."""
        m = self.m
        high = divisor.zext(32) << 16
        work, half = m.variable(dividend), m.variable(m.const(32, 38))
        for _ in range(15):
            out = work.get().sign
            shifted = work.get() << 1
            fits = high.ule(shifted)
            half.set(half.get() + m.select(out, m.const(32, 0), m.select(fits, m.const(32, 1), m.const(32, 2))))
            work.set(m.select(out | fits, shifted - high, shifted))
        return m.select((dividend >> 16).ult(divisor.zext(32)), half.get() * 2, m.const(32, 10))

    def _divs(self, dividend: Word, divisor: Word) -> Word:
        """DIVS: 16 or 18 on overflow; else 120 to 156 by signs and the zeros in the quotient."""
        m = self.m
        negative = dividend.sign
        absolute = m.select(negative, -dividend, dividend)
        size = divisor.sext(32)
        size = m.select(size.sign, -size, size)
        start = m.select(negative, m.const(32, 7), m.const(32, 6))
        signs = m.select(negative, m.const(32, 1), m.const(32, 0) - 1)
        signs = m.select(divisor.sign, m.const(32, 0), signs)
        quotient = absolute.udiv(size)
        zeros = m.const(32, 15) - (quotient >> 1 & 0x7FFF).count_ones()
        half = start + 55 + signs + zeros
        return m.select((absolute >> 16).ult(size), half, start + 2) * 2

    def finish(self) -> None:
        self._add(self.cost)


MODELS = {"off": Untimed, "table": TableTiming, "full": PipelineTiming}
MC68000_MODELS = {"off": Untimed, "table": MC68000Timing, "full": MC68000Timing}
