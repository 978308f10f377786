"""Published clocks of the MC68000: the table of section 8, and which of its entries an instruction has.

Checked against the public single-instruction vectors (guide/facts/m68000_timing.md). What depends on data is a number
of units in the table; how many there are is known when the instruction runs (mc68000_timing.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ...errors import SpecError
from ..spec.clock_table import rows_by_instruction
from ..spec.rows import Row
from .operands import ADDRESS_REGISTERS, DATA_REGISTERS

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
    return cell(name, "none", False).base


def address_clocks(form: str, is_long: bool) -> int:
    """Return the clocks of an effective address and its operand."""
    return cell("effective address", form, is_long).base


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
    is_long = (forms.get("s") or SIZES.get(row.options.get("size"), "W")) == "L"
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
