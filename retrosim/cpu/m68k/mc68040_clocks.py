"""Published clocks of the MC68040: the table of section 10, and which of its entries an instruction has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from ...errors import SpecError
from ..spec.clock_table import rows_by_instruction
from ..spec.readings import chosen_readings
from ..spec.rows import Row
from .readings import MC68040

TABLE = Path(__file__).with_name("mc68040_clocks.csv")
INDEXED_FORMS = "(d8,", "(BR,", "(bd,", "([bd"
SLACK_BITS = 20
NEVER = (1 << SLACK_BITS) - 1  # more clocks than any stall: not interlocked

DEFAULTS = chosen_readings(MC68040, None)

# Clocks more of both EA calculation and execution of CHK2: note of MC68040UM page 10-18
BOUNDS_REVERSED, ADDRESS_REGISTER = 3, 1


@dataclass(frozen=True)
class Clocks:
    """Clocks of one form: EA calculation, lead and base of execution, operand fetches, stall rules.

    address  clocks in the EA-calculate stage
    lead     execute clocks that pass only while waiting for the instruction's own address work
    base     execute clocks it really occupies
    slack    clocks that execution may be late by before the EA-calculate stage is held; NEVER when it is not held
    fetches  clocks in the EA-fetch stage
    entry    the table entry they come from
    source   where that is from
    """

    address: int
    lead: int
    base: int
    slack: int
    fetches: int
    entry: str
    source: str

    @property
    def alone(self) -> int:
        """Clocks per instruction in a stream of its kind: the slowest stage."""
        return max(self.address, self.lead + self.base, 1)


@cache
def table() -> dict[str, dict[str, str]]:
    """Return instruction -> column -> text, as printed."""
    return rows_by_instruction(TABLE)


def printed_clocks(entry: str) -> tuple[int, int]:
    """Return (EA calculation, execution) of an entry without an effective address and without lead."""
    return _pair(table()[entry]["none"])


def crossing_clocks(entry: str) -> tuple[int, int]:
    """Return what EA calculation and execution of a bit field instruction take more across the end of a long word."""
    return _pair(table()[entry]["crossing"])


def _pair(cell: str) -> tuple[int, int]:
    address, _, execution = cell.partition("/")
    return int(address), int(execution)


def is_synchronising(row: Row) -> bool:
    """Does the instruction wait for the pipeline and the bus before it starts? To those of caches the table adds it."""
    entry = table().get(row.cost[0])
    return entry is not None and (entry["interlock"] == "yes+sync" or "idle" in entry["note"])


def is_trap_or_return(row: Row) -> bool:
    """Does the address of what follows come from a vector or a frame?"""
    return row.cost[0] in ("TRAP #n", "ILLEGAL, A-line, F-line", "RTE format 0")


def stores_while_executing(row: Row) -> bool:
    """Does the instruction store a register in each clock of its execution, and not at its end?"""
    return row.cost[0] == "MOVEM list,ea"


def _sum(text: str, registers: dict[str, int]) -> int:
    return sum(registers[term] if term in registers else int(term) for term in text.split("+"))


def _entry(key: str, form: str) -> tuple[dict[str, str], str, str]:
    """Return (row, cell, column) of the table, stepping to the nearest priced column where the manual has none."""
    row = table().get(key)
    if row is None:
        raise SpecError(f"no MC68040 clocks for {key!r} in {TABLE.name}")
    nearest = {
        "none": "Dn",
        "An": "Dn",
        "#imm": "Dn",
        "(BR,Xn)": "(bd,BR,Xn)",
        "(d8,PC,Xn)": "(bd,BR,Xn)",
        "(d16,PC)": "(bd,BR,Xn)",
    }
    while not row[form]:
        if form not in nearest:
            raise SpecError(f"no MC68040 clocks for {key!r} {form} in {TABLE.name}")
        form = nearest[form]
    return row, row[form], form


@cache
def _clocks(key: str, form: str, outer: str, data: int, addresses: int, words: bool, hides: bool) -> Clocks:
    relative = form.endswith(" PC")
    row, cell, column = _entry(key, form.removesuffix(" PC"))
    registers = {"D": max(data, 1), "A": addresses}
    address_text, execute_text = cell.split("/")
    lead_text, _, base_text = execute_text.rpartition("L+")
    address, lead, base = _sum(address_text, registers), int(lead_text or 0), _sum(base_text, registers)
    if relative:  # PC as the base of a full-format mode: one more clock of calculation and of lead
        address, lead = address + 1, lead + 1
    if words and key == "MOVEM list,ea":  # note of the table: word-sized stores of address registers
        address, base = address + max(addresses - 2, 0), base + addresses
    if hides:  # execution of a branch overlaps older work: all lead (hardware: mulu + dbra takes the mulu's 14)
        lead, base = lead + base, 0
    interlocked = row["interlock"] != "no" or any(f.startswith(INDEXED_FORMS) for f in (form, outer))
    fetches = max(1, sum(2 if f.startswith("([") else 0 for f in (form, outer)))
    slack, name = lead if interlocked else NEVER, f"{key} {column}".removesuffix(" none")
    return Clocks(address, lead, base, slack, fetches, name, row["source"])


def _entry_name(printed: str, choices: Mapping[str, str]) -> str:
    """Return the entry that an instruction is priced by, by the readings of the table."""
    if printed in ("ADDA", "SUBA"):
        return {"printed": printed, "adda": "ADDA", "suba": "SUBA"}[choices["adda-suba"]]
    return printed


def _read_otherwise(clocks: Clocks, key: str, form: str, size: str, choices: Mapping[str, str]) -> Clocks:
    """Return the clocks of a cell by the readings of the table."""
    if key == "CMPA" and size == "W" and form not in ("Dn", "An", "#imm") and choices["cmpa-word"] == "as-movea":
        return replace(clocks, base=clocks.base + 1)
    if key == "BTST Dn" and form in ("(d16,An)", "(xxx).W/L") and choices["btst"] == "no-lead":
        return replace(clocks, lead=0)
    return clocks


def _column(form: str | None) -> str:
    return "(xxx).W/L" if form in ("(xxx).W", "(xxx).L") else form or ""


def outcomes(row: Row, forms: Mapping[str, Any], choices: Mapping[str, str]) -> tuple[Clocks, ...]:
    """Return the clocks of an instruction: one, or two for its outcomes (taken and not taken, loop and expired, ...).

    choices  reading -> option
    Source   MC68040UM section 10; rules on interlocks and branches in mc68040_pipeline.py
    Errors   SpecError where the table has none
    """
    form = row.options.get("form") or _column(forms.get("ea")) or "none"
    outer = _column(forms.get("ea2"))
    mask = forms.get("registers", 0)
    if form == "-(An)":
        mask = int(f"{mask:016b}"[::-1], 2)
    data, addresses = (mask & 0xFF).bit_count(), (mask >> 8).bit_count()
    found = []
    for cost in row.cost:
        key = _entry_name(cost.format(s=forms.get("s", ""), ea2=outer.removesuffix(" PC")), choices)
        by_register = f"{key} register"
        if forms.get("by_register") and by_register in table() and table()[by_register].get(form):
            key = by_register
        if key == "MOVE to (BR,Xn)":
            key = "MOVE to (bd,BR,Xn)"
        words, hides = forms.get("s") == "W", bool(row.options.get("flow")) and choices["branches"] == "hidden"
        clocks = _clocks(key, form, forms.get("ea2", ""), data, addresses, words, hides)
        found.append(_read_otherwise(clocks, key, form, forms.get("s", ""), choices))
    return tuple(found)


def has_data_clocks(row: Row, forms: Mapping[str, Any]) -> bool:
    """Do the clocks of an entry depend on data? None does: what notes add is priced apart. Errors: SpecError."""
    outcomes(row, forms, DEFAULTS)
    return False
