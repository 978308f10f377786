"""Clocks of the MC68000, exact, in the value layer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from retrosim.errors import SpecError

from ..spec.rows import Insn, Row
from ..spec.sources import rows_by_instruction
from ..spec.timing import MAX_VARYING_CLOCKS, hook
from ..spec.values import Word
from .hooks import M68kHooks
from .operands import ADDRESS_REGISTERS, DATA_REGISTERS

# Published clocks of the MC68000: the table of section 8, and which of its entries an instruction has.
#
# Checked against the public single-instruction vectors (guide/facts/m68000_timing.md). What depends on data is a number
# of units in the table; how many there are is known when the instruction runs (mc68000.py).

TABLE = Path(__file__).with_name("mc68000_clocks.csv")
TEXTS = ("instruction", "source", "confidence", "note")  # columns that hold no clocks
REGISTER_OR_IMMEDIATE = ("Dn", "An", "#imm")
SIZES = {8: "B", 16: "W", 32: "L"}


@dataclass(frozen=True)
class Clocks:
    """A cell of the table: clocks, clocks a unit of what data tell, clocks a register of a list."""

    base: int
    unit: int = 0
    register: int = 0


@cache
def table() -> dict[str, dict[str, str]]:
    """Return instruction -> column -> text."""
    return rows_by_instruction(TABLE)


@cache
def parse(text: str) -> Clocks:
    """Return what half a cell says: "6", "6+2n", "n" or "12+8r"."""
    match = re.fullmatch(r"(?:(\d+)\+)?(\d*)([nr])|(\d+)", text)
    if not match:
        raise SpecError(f"clocks {text!r}: allowed a, a+bn, n, a+br")
    base, each, kind, alone = match.groups()
    if alone:
        return Clocks(int(alone))
    return Clocks(int(base or 0), **{{"n": "unit", "r": "register"}[kind]: int(each or 1)})


@cache
def cell(name: str, column: str, is_long: bool) -> Clocks | None:
    """Return a cell of an entry, None where it is empty. Errors: SpecError where there is no such entry."""
    entry = table().get(name)
    if entry is None:
        raise SpecError(f"no MC68000 clocks for {name!r} in {TABLE.name}")
    text = entry.get(column) or ""
    return parse(text.split("/")[-1 if is_long else 0]) if text else None


def printed_clocks(name: str) -> int:
    """Return the clocks of an entry without operands that are priced apart."""
    return _base(name, "none", False)


def address_clocks(form: str, is_long: bool) -> int:
    """Return the clocks of an effective address and its operand."""
    return _base("effective address", form, is_long)


def _base(name: str, column: str, is_long: bool) -> int:
    clocks = cell(name, column, is_long)
    if clocks is None:
        raise SpecError(f"no MC68000 clocks for {name!r} in the column {column!r} of {TABLE.name}")
    return clocks.base


def _destination(row: Row, forms: Mapping[str, Any]) -> str:
    """Return the column of what the instruction changes or tests: its last operand."""
    last = row.operands[-1][0] if row.operands else ""
    if last in ("ea", "ea2"):
        return forms[last] if forms[last] in ("Dn", "An") else "memory"
    return "Dn" if last in DATA_REGISTERS else "An" if last in ADDRESS_REGISTERS else "none"


def outcomes(row: Row, forms: Mapping[str, Any]) -> tuple[Clocks, ...]:
    """Return the clocks of each outcome of an instruction, effective address included. Errors: SpecError."""
    return tuple(_clocks(cost.format(**forms), row, forms) for cost in row.cost)


def source(row: Row, forms: Mapping[str, Any]) -> str:
    """Return where the entry of an instruction's first outcome is from."""
    return table()[row.cost[0].format(**forms)]["source"]


def _clocks(name: str, row: Row, forms: Mapping[str, Any]) -> Clocks:
    form = forms.get("ea", "")
    is_long = (forms.get("s") or SIZES.get(row.options.get("size", 0), "W")) == "L"
    extended = cell(name, "word displacement", is_long) if forms.get("displacement") == "W" else None
    whole = extended or (cell(name, form, is_long) if form not in ("", "Dn", "An") else None)
    if whole is None:
        base = cell(name, _destination(row, forms), is_long) or cell(name, "none", is_long)
        if base is None:
            raise SpecError(f"no MC68000 clocks for {name!r} {form} in {TABLE.name}")
        clocks = base.base + (address_clocks(form, is_long) if form else 0)
        if is_long and form in REGISTER_OR_IMMEDIATE:
            more = cell(name, "long source", is_long)
            clocks += more.base if more else 0
        whole = Clocks(clocks, base.unit, base.register)
    registers = (forms.get("registers", 0) & 0xFFFF).bit_count()
    return Clocks(whole.base + whole.register * registers, whole.unit)


def has_data_clocks(row: Row, forms: Mapping[str, Any]) -> bool:
    """Do the clocks of an instruction depend on data? Errors: SpecError where the table has none."""
    return any(clocks.unit for clocks in outcomes(row, forms))


@cache
def unit_clocks(name: str) -> int:
    """Return the clocks a unit of what data tell, alike in all cells of an entry; 0 where nothing depends on data."""
    cells = (text for column, text in table()[name].items() if text and column not in TEXTS)
    found = {parse(half).unit for text in cells for half in text.split("/")} - {0}
    if len(found) > 1:
        raise SpecError(f"{name!r}: units of {sorted(found)} clocks; allowed one")
    return found.pop() if found else 0


MIN_DIVISION = 10  # clocks: DIVU that overflows; all of them depend on data


class MC68000Timing(M68kHooks):
    """Exact clocks: what the encoding fixes, and units by data (guide/facts/m68000_timing.md sections 4-6)."""

    max_clocks = 0
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
        return self.cost.number + (MIN_DIVISION if self.row.varies == "division" else 0)

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
