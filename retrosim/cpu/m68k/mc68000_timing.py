"""Clocks of the MC68000, exact, in the value layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..spec.rows import Insn, Row
from ..spec.timing import MAX_VARYING_CLOCKS, Untimed
from ..spec.values import Word
from . import mc68000_clocks

MIN_DIVISION = 10  # clocks: DIVU that overflows; all of them depend on data


class MC68000Timing(Untimed):
    """Exact clocks: what the encoding fixes, and what depends on data (M68000UM section 8; facts on MULx and DIVx)."""

    counts = takes_a_clock = True

    @staticmethod
    def fields(insn: Insn) -> tuple[int, ...]:
        return (mc68000_clocks.clocks(insn), insn.length)

    def start(self, row: Row, operands: dict[str, Any], take: Callable[[], Word]) -> None:
        self.row, self.cost, self.length = row, take().zext(64), take()
        self.max_clocks = 0

    @property
    def min_clocks(self) -> int:
        return self.cost.known + (MIN_DIVISION if self.row.name in ("DIVU", "DIVS") else 0)

    def _add(self, clocks: Word) -> None:
        self.max_clocks += MAX_VARYING_CLOCKS if clocks.known is None else max(0, clocks.signed)
        self.m.pass_clocks(clocks.zext(64))

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
