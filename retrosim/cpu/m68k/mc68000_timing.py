"""Clocks of the MC68000, exact, in the value layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..spec.rows import Insn, Row
from ..spec.timing import MAX_VARYING_CLOCKS, hook
from ..spec.values import Word
from .hooks import M68kHooks
from .mc68000_clocks import outcomes, printed_clocks, unit_clocks

MIN_DIVISION = 10  # clocks: DIVU that overflows; all of them depend on data


class MC68000Timing(M68kHooks):
    """Exact clocks: what the encoding fixes, and units by data (guide/facts/m68000_timing.md sections 4-6)."""

    counts = takes_a_clock = True

    @classmethod
    def fields(cls, insn: Insn) -> tuple[int, ...]:
        """Return the clocks of the first outcome, and what the second one takes more, as 32 bits."""
        first, *second = (clocks.base for clocks in outcomes(insn.row, insn.forms))
        return (first, (second[0] - first if second else 0) & 0xFFFFFFFF)

    def start(self, row: Row, operands: dict[str, Any], take: Callable[[], Word]) -> None:
        self.row, self.cost, self.second = row, take().zext(64), take()
        self.unit = unit_clocks(row.cost[0]) if row.varies else 0
        self.max_clocks = 0

    @property
    def min_clocks(self) -> int:
        return self.cost.known + (MIN_DIVISION if self.row.varies == "division" else 0)

    def _add(self, clocks: Word) -> None:
        self.max_clocks += MAX_VARYING_CLOCKS if clocks.known is None else max(0, clocks.signed)
        self.m.pass_clocks(clocks.zext(64))

    def outcome(self, condition: Word) -> None:
        if len(self.row.cost) == 2 and not self.row.varies:  # DBcc is told apart by its counter
            self._add(self.m.select(condition, self.m.const(32, 0), self.second).sext(64))

    @hook
    def counter(self, holds: Word, expired: Word) -> None:
        m, loop = self.m, printed_clocks("DBcc loop")
        true, out = (m.const(32, printed_clocks(name) - loop) for name in ("DBcc true", "DBcc expired"))
        self._add(m.select(holds, true, m.select(expired, out, m.const(32, 0))))

    @hook
    def shift_count(self, count: Word) -> None:
        self._add(count * self.unit)

    @hook
    def condition_true(self, holds: Word) -> None:
        self._add(self.m.select(holds, self.m.const(32, self.unit), self.m.const(32, 0)))

    @hook
    def bit_number(self, number: Word) -> None:
        """A unit for the upper half of the register."""
        self._add((number >> 4 & 1) * self.unit)

    @hook
    def multiplier(self, factor: Word, signed: bool) -> None:
        """Unsigned, a unit a one; signed, a unit a change between neighbouring bits, a 0 appended."""
        ones = factor ^ factor << 1 if signed else factor
        self._add(ones.zext(32).count_ones() * self.unit)

    @hook
    def out_of_bounds(self, is_negative: Word, value: Word, bound: Word) -> None:
        """A unit where the value is below 0 although not above the bound, and the difference keeps its sign."""
        slow = is_negative & value.sle(bound) & ~(bound - value).sign
        self._add(self.m.select(slow, self.m.const(32, self.unit), self.m.const(32, 0)))

    @hook
    def division(self, dividend: Word, divisor: Word, signed: bool) -> None:
        self._add((self._divs if signed else self._divu)(dividend, divisor) * self.unit)

    @hook
    def exception(self, clocks: int, is_whole: bool) -> None:
        total = self.m.const(64, clocks)
        self._add(total - self.cost if is_whole else total)

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
        return m.select((dividend >> 16).ult(divisor.zext(32)), half.get() * 2, m.const(32, MIN_DIVISION))

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
