"""Published clocks of the Intel 286, 386 and i486: the table, and which of its entries an instruction has.

A cell is a number of clocks, or one of

    7+m    m is spent by the instruction that is gone to: 386, one clock a component (opcode bytes, prefixes, ModR/M and
           SIB one each, a whole displacement and a whole immediate one each); 286, one clock a byte; here it is counted
           with that instruction
    a-b    by data: a multiplier (rules in timing.py), else the printed range is a straight line over what the
           instruction passes, 0..31 positions (an estimate: the manuals print no more than the range)
    a+bn   n times what the row varies with: iterations, levels, positions
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from retrosim.errors import SpecError

from ..spec.rows import Insn, Row
from ..spec.sources import rows_by_instruction
from .modes import is_real

MODES, FORMS = (" flat", ""), (" mem", "")  # of the columns' names, the more special one first
TABLE = Path(__file__).with_name("clocks.csv")
OTHER_ENTRIES = {  # row -> reading, option, and the row that holds with it
    "REP MOVS": ("string-moves", "data-sheet", "REP MOVS data sheet"),
    "POP r/m": ("pop-memory", "timed", "POP r/m timed"),
    "MOV sreg,r/m": ("segment-load", "operands", "MOV sreg,r/m operands"),
    "JMP m16:m": ("far-jump", "listed", "JMP m16:m listed"),
    **{f"{name} taken": ("loop", "microcode", f"{name} taken microcode") for name in ("LOOP", "LOOPE", "LOOPNE")},
    **{f"RCL/RCR {count}": ("rotate-carry", "timed", f"RCL/RCR {count} timed") for count in ("1", "CL", "imm")},
    **{name: ("multiplier", "timed", f"{name} timed") for name in ("MUL 8", "MUL 16", "MUL 32", "IMUL 16", "IMUL 32")},
}


@dataclass(frozen=True)
class Clocks:
    """One entry: clocks without what depends on data, clocks a unit (n) or over the range, whether m follows."""

    base: int
    each: int = 0
    span: int = 0
    refills: bool = False

    @property
    def packed(self) -> int:
        """bits 0-9 base, 10-14 each, 15-24 span, 25 refills"""
        return self.base | self.each << 10 | self.span << 15 | self.refills << 25


@cache
def table() -> dict[str, dict[str, str]]:
    """Return instruction -> column -> text."""
    return rows_by_instruction(TABLE)


@cache
def parse(cell: str) -> Clocks:
    match = re.fullmatch(r"(\d+)(?:-(\d+)|\+(\d+)n|(\+m))?", cell)
    if not match:
        raise SpecError(f"clocks {cell!r}: allowed a, a-b, a+bn, a+m")
    base, last, each, refills = match.groups()
    return Clocks(int(base), int(each or 0), int(last) - int(base) if last else 0, bool(refills))


@cache
def entry(model: str, key: str, memory: bool) -> Clocks:
    """Return the entry of a table row for a model. Errors: SpecError where there is none."""
    row = table().get(key)
    if row is None:
        raise SpecError(f"no {model} clocks for {key!r} in {TABLE.name}")
    for form in FORMS if memory else FORMS[1:]:
        for mode in MODES[1:] if is_real(model) else MODES:
            cell = row[model[:4] + mode + form]
            if cell:
                return parse(cell)
    raise SpecError(f"no {model} clocks for {key!r} in {TABLE.name}")


def keys(row: Row, forms: Mapping[str, Any], choices: Mapping[str, str]) -> list[str]:
    """Return the table rows of an instruction's outcomes."""
    found = [cost.format(**forms) for cost in row.cost]
    if forms.get("rep"):
        found = [f"REP {name}" for name in found]
    return [_entry_read(name, choices) for name in found]


def _entry_read(name: str, choices: Mapping[str, str]) -> str:
    """Return the table row that is chosen where a row has another one; by `figures` each can have one."""
    if choices.get("figures") == "printed" and f"{name} printed" in table():
        return f"{name} printed"
    reading, option, other = OTHER_ENTRIES.get(name, ("", "", name))
    return other if reading and choices.get(reading) == option else name


def clocks(
    row: Row, forms: Mapping[str, Any], model: str, choices: Mapping[str, str] | None = None
) -> tuple[Clocks, ...]:
    """Return the entries of an instruction, one for each outcome. Errors: SpecError where there is none.

    choices  reading -> option, None for the defaults
    """
    memory = forms.get("ea") == "mem"
    return tuple(entry(model, key, memory) for key in keys(row, forms, choices or {}))


@cache
def are_plain(costs: tuple[str, ...], model: str) -> bool:
    """Are the entries of a row of the CPU plain numbers for a model, whatever its instructions decode to?"""
    names = [re.sub(r"\\{.*?\\}", ".*", re.escape(cost)) + "( .*)?" for cost in costs]
    found = [row for key, row in table().items() if any(re.fullmatch(name, key) for name in names)]
    columns = [model[:4] + mode + form for mode in MODES for form in FORMS]
    cells = [parse(row[column]) for row in found for column in columns if row.get(column)]
    return all(cell.packed == cell.base for cell in cells)


def has_data_clocks(row: Row, forms: Mapping[str, Any], model: str) -> bool:
    """Do the clocks of an instruction depend on data? Errors: SpecError where the table has none."""
    return any(each.each or each.span for each in clocks(row, forms, model))


def components(insn: Insn) -> int:
    """Return m of an instruction of the 386."""
    parts = insn.length
    if insn.forms.get("disp"):
        parts -= insn.forms["disp"] - 1
    if insn.forms.get("imm"):
        parts -= insn.forms["imm_bytes"] - insn.forms["imm"]
    return parts
