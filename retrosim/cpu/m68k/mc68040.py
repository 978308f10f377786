"""Clocks of the MC68040 in the value layer: what its timing models share, and the one that only adds up the table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from retrosim.errors import SpecError

from ..spec.rows import Insn, Row
from ..spec.sources import Reading, chosen_readings, rows_by_instruction
from ..spec.timing import clock_bound, hook
from ..spec.values import Word
from .hooks import M68kHooks

# What the sources of the clocks leave open; guide/facts/m68040_timing.md has the passages.
READINGS = (
    Reading(
        name="lead",
        question="does an instruction execute after its address calculation, or from its lead on while that goes on?",
        options=("printed", "overlapped"),
        reason="measured: TRAP and RTE 85.3, MOVEM 120, CPUSHL 15.1; 85, 116 and 14 so, 70, 106 and 12 overlapped",
        source="MC68040UM section 10.1",
    ),
    Reading(
        name="code",
        question="does a cached line of code come at once, or a long word a clock?",
        options=("line", "long-word"),
        reason="no manual says what the cache hands to the decoder in a clock",
        source="guide/facts/m68040_timing.md section 3",
    ),
    Reading(
        name="exception-frame",
        question="is a frame written item by item, of which the PC lies in two long words, or by long words?",
        options=("words", "long-words"),
        reason="TRAP and RTE were measured at 85 clocks: 85 so, 67 as long words",
        source="MC68040UM section 8.4; guide/facts/measured.md row 10",
    ),
    Reading(
        name="return",
        question="may the next instruction begin when TRAP or RTE leaves the address stage, or when it is done?",
        options=("address", "done"),
        reason="a loop of both was measured at 85.3 clocks: 85 by address, 89 by done; among calls at 80.9: 72 and 86",
        source="MC68040UM section 10.5 (address); guide/facts/measured.md rows 10 (address), 27-28 (done)",
    ),
    Reading(
        name="branches",
        question="do the clocks of a branch hide behind what still executes, or add to it as printed?",
        options=("hidden", "printed"),
        reason="MULU and DBRA were measured at 14.0 clocks: 14 hidden, 17 printed; three loops with shifts fit printed",
        source="MC68040UM section 10.5 (printed); guide/facts/measured.md row 8 (hidden), loops of GNU MP (printed)",
    ),
    Reading(
        name="adda-suba",
        question="ADDA and SUBA differ in seven cells: is each right, or one of the two columns for both?",
        options=("printed", "adda", "suba"),
        reason="two transcriptions agree on the print",
        source="MC68040UM section 10.6",
    ),
    Reading(
        name="cmpa-word",
        question="does CMPA.W of memory take a clock more than the CMPA.L that is printed?",
        options=("as-movea", "printed"),
        reason="of MOVEA, where both sizes are printed, the word takes one more",
        source="MC68040UM section 10.6, CMPA and MOVEA",
    ),
    Reading(
        name="btst",
        question="is BTST Dn of (d16,An) and absolute addresses, printed 1L+1/2, 1L+2 or 2?",
        options=("lead", "no-lead"),
        reason="all other bit instructions have a lead in these modes",
        source="MC68040UM section 10.6",
    ),
)

# The table of section 10, and which of its entries an instruction has.

TABLE = Path(__file__).with_name("mc68040_clocks.csv")
INDEXED_FORMS = "(d8,", "(BR,", "(bd,", "([bd"
SLACK_BITS = 20
NEVER = (1 << SLACK_BITS) - 1  # more clocks than any stall: not interlocked

DEFAULTS = chosen_readings(READINGS, None)

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
    nearest = dict.fromkeys(("none", "An", "#imm"), "Dn")
    nearest |= dict.fromkeys(("(BR,Xn)", "(d8,PC,Xn)", "(d16,PC)"), "(bd,BR,Xn)")
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


class MC68040Timing(M68kHooks, ABC):
    """What data add to the clocks of an entry, or put in their place (MC68040UM section 10).

    A model has, when an instruction has begun: `row`, `calculation` (clocks of EA calculation of the entry), `extra` (a
    bound of what is added so far); and the methods `replace` and `add`.
    """

    row: Row
    calculation: Word
    extra: int

    @abstractmethod
    def replace(self, address: Word, execution: Word) -> None:
        """Let the instruction take these clocks in place of its entry's."""

    @abstractmethod
    def add(self, address: int, execution: int) -> None:
        """Let it take these clocks on top."""

    @hook
    def exception(self, clocks: int, is_whole: bool) -> None:
        total = self.m.const(32, clocks) if is_whole else self.calculation + clocks
        self.extra += 2 * clock_bound(total)
        self.replace(total, total)

    @hook
    def frame_format(self, number: int) -> None:
        clocks = printed_clocks(f"RTE format {number}")
        self.extra += sum(clocks)
        self.replace(*(self.m.const(32, each) for each in clocks))

    @hook
    def field_crosses(self) -> None:
        self._add(*crossing_clocks(self.row.cost[0]))

    @hook
    def bounds(self, is_reversed: Word, of_address: Word) -> None:
        for condition, clocks in ((is_reversed, BOUNDS_REVERSED), (of_address, ADDRESS_REGISTER)):
            self.m.when(condition, lambda clocks=clocks: self._add(clocks, clocks))

    def _add(self, address: int, execution: int) -> None:
        self.extra += address + execution
        self.add(address, execution)


class TableTiming(MC68040Timing):
    """Sum of the slowest stage of each instruction."""

    counts = takes_a_clock = splits_branches = True

    @classmethod
    def fields(cls, insn: Insn) -> tuple[int, ...]:
        return tuple(c.alone | c.address << 16 for c in outcomes(insn.row, insn.forms, cls.choices))

    def start(self, row: Row, operands: dict[str, Any], take: Callable[[], Word]) -> None:
        self.row, packed = row, [take() for _ in row.cost]
        self.costs, self.calculation = [p & 0xFFFF for p in packed], packed[0] >> 16
        self.condition, self.extra = self.m.const(1, 1), 0
        # clocks that replace the cost (0: none do), and that come on top
        self.replaced, self.added = self.m.variable(self.m.const(32, 0)), self.m.variable(self.m.const(32, 0))

    @property
    def max_clocks(self) -> int:
        return max(cost.number for cost in self.costs) + self.extra

    @property
    def min_clocks(self) -> int:
        return min(cost.number for cost in self.costs)

    def outcome(self, condition: Word) -> None:
        self.condition = condition

    def replace(self, address: Word, execution: Word) -> None:
        self.replaced.set(self.m.select(address.ult(execution), execution, address))

    def add(self, address: int, execution: int) -> None:
        """Execution is the slower one in all entries to which something is added."""
        self.added.set(self.added.get() + execution)

    def finish(self, outcome: bool | None = None) -> None:
        m, replaced = self.m, self.replaced.get()
        condition = self.condition if outcome is None else m.const(1, outcome)
        cost = m.select(condition, *self.costs) if len(self.costs) == 2 else self.costs[0]
        m.pass_clocks(m.select(replaced.eq(0), cost + self.added.get(), replaced).zext(64))
