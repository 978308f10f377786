"""Clocks of the MC68040: the published table, and the pipeline's rules on small programs.

Caches and memory stay out of it: the memory of a bare core answers at once, and operands are aligned.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import pytest

from retrosim.cpu import m68k
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.engines.handlers.interpret import Interpreter
from retrosim.cpu.m68k.mc68040 import table
from tests.helpers.cpu import m68k_streams as streams

CPU = m68k.cpu("MC68040")
ENGINES = ("evaluate", "interpret")
TEXT_COLUMNS = ("instruction", "interlock", "crossing", "source", "confidence", "note")
# what the manual prices and this project does not execute
NOT_OURS = ("FBcc", "FNOP", "FADD", "FMOVE")


# --- the packaged table is the table of facts


def table_places(fact: dict[str, str]) -> list[tuple[str, str]]:
    """Return (instruction, column) of the packaged table that hold a row of the facts."""
    name, variant = fact["instruction"], fact["variant"]
    source, destination = fact["source_or_ea"], fact["destination"]
    if name == "MOVE":
        return [(f"MOVE to {destination}", source)]
    column = source or destination or "none"
    if column == "none":
        names = name.split(",") if "," in name and not name.startswith("ILLEGAL") else [name]
        shown = {"cc false, count not expired (loop)": "loop", "cc false, count expired": "expired", "cc true": "true"}
        variant = shown.get(variant, variant)
        return [(f"{n} {variant}" if f"{n} {variant}" in table() else n, column) for n in names]
    suffix = {
        "count in Dn": " count in Dn",
        "offset and/or width in register": " register",
        "list,ea (.L)": " list,ea",
        "ea,list (.L)": " ea,list",
    }.get(variant, "")
    if name in ("BTST", "BCHG", "BCLR", "BSET"):
        suffix = {"#bit,ea": " #bit", "Dn,ea": " Dn"}[variant]
    return [(name + suffix, column)]


@pytest.fixture(scope="module")
def facts(shared: Path) -> list[dict[str, str]]:
    with (shared / "facts" / "m68040_timing.csv").open(newline="") as file:
        return [row for row in csv.DictReader(file) if not row["instruction"].startswith(NOT_OURS)]


def test_the_packaged_table_is_that_of_the_facts(facts: list[dict[str, str]]) -> None:
    """Every cell, in both directions, and the interlock of every row."""
    expected: dict[tuple[str, str], str] = {}
    interlocks: dict[str, set[str]] = {}
    for fact in facts:
        for place in table_places(fact):
            assert place not in expected, place
            expected[place] = f"{fact['ea_calculate_clocks']}/{fact['execute']}"
            interlocks.setdefault(place[0], set()).add(fact["interlocks"])
    packaged = {
        (key, column): text
        for key, row in table().items()
        for column, text in row.items()
        if column not in TEXT_COLUMNS and text
    }
    assert len(facts) > 1200
    assert {place: text for place, text in packaged.items() if place[0] not in READ_LATER} == expected
    assert {key: {row["interlock"]} for key, row in table().items() if key not in READ_LATER} == interlocks


# MC68040UM pages 10-24 (MOVES, typical times, synchronising) and 10-20 (division by zero), typed from their print
MOVES_COLUMNS = (
    ["(An)", "(An)+", "-(An)", "(d16,An)", "(xxx).W/L", "(d8,An,Xn)", "(BR,Xn)", "(bd,BR,Xn)", "([bd,BR,Xn])"]
    + ["([bd,BR,Xn],od)", "([bd,BR],Xn)", "([bd,BR],Xn,od)"]
)  # fmt: skip
READ_LATER = {
    "MOVES ea,An": (
        "28/4L+24 28/4L+24 17/2L+15 29/4L+24 17/2L+15 29/1L+27 21/2L+19 22/2L+20 35/2L+32 31/2L+29 36/4L+31 32/4L+28"
    ),
    "MOVES ea,Dn": (
        "20/4L+19 20/4L+19 11/12 21/4L+19 11/4L+10 21/1L+22 15/2L+14 16/2L+15 26/2L+27 23/2L+24 27/4L+26 24/4L+23"
    ),
    "MOVES Rn,ea": (
        "13/4L+9 13/4L+9 11/2L+9 14/4L+9 11/2L+9 14/1L+12 15/2L+13 16/2L+14 21/2L+17 20/2L+18 21/4L+16 21/4L+17"
    ),
    "Divide by zero": "16/16",
    "STOP": "9/1L+8",  # not printed: as the other instructions that write SR
    "Interrupt": "27/27",  # not printed: an estimate
}


@pytest.mark.parametrize("key", READ_LATER)
def test_entries_that_the_facts_lack(key: str) -> None:
    columns = MOVES_COLUMNS if key.startswith("MOVES") else ["none"]
    found = {column: text for column, text in table()[key].items() if column not in TEXT_COLUMNS and text}
    assert found == dict(zip(columns, READ_LATER[key].split(), strict=True))
    assert table()[key]["interlock"] == "yes+sync"


def test_the_facts_agree_with_themselves(facts: list[dict[str, str]]) -> None:
    """Lead and base are the two parts of the execute column."""
    for fact in facts:
        if "D+A" not in fact["execute"]:
            lead, base = int(fact["execute_lead_L"]), int(fact["execute_base"])
            assert fact["execute"] == (f"{lead}L+{base}" if lead else f"{base}"), fact
            assert int(fact["execute_worst"]) == lead + base


# --- programs


@cache
def engine(name: str, timing: str) -> tuple[Core, Evaluator | Interpreter]:
    """Return a core and an engine with handlers for the programs of this file."""
    return streams.engine_for(CPU, name, timing, [program[0] for program in PROGRAMS.values()])


REGISTERS = [0] * 8 + [streams.DATA + 0x100 * i for i in range(7)] + [streams.STACK]


def start(name: str, timing: str, code: str, registers: dict[int, int] | None = None) -> tuple[Core, Evaluator]:
    """Put a program at CODE, with the pipeline empty at clock 0; addresses point to data, data registers are 0."""
    core, runs = engine(name, timing)
    values = [(registers or {}).get(i, value) for i, value in enumerate(REGISTERS)]
    streams.load(core, bytes.fromhex(code), bytes(0x1000), values, 0)
    return core, runs


def clocks(name: str, timing: str, code: str, instructions: int) -> int:
    core, runs = start(name, timing, code)
    assert runs.run(instructions) == instructions
    return int(core.state["cycles"])


# Absolute clocks at which the last instruction leaves the execute stage. Each is worked out by hand from the table and
# the rules of m68040_timing.md sections 1-3; e = end of EA calculation, f = end of fetch, x = end of execution. An
# instruction a/b from an empty pipeline: e = a, f = e + 1, x = f + b (its lead passes while it waits for its own e).
PROGRAMS = {
    # throughput: fill of two clocks, then one clock an instruction
    "one moveq": ("7001", 1, 3),  # 1/1: e1 f2 x3
    "four moveq": ("7001 7201 7401 7601", 4, 6),
    # a long execution does not hold the stages before it (no interlock): they run ahead, the clocks are execution only
    "mulu.w then three moveq": ("c4c1 7601 7801 7a01", 4, 19),  # 1/14: e1 f2 x16; then 17 18 19
    "divu.w #7 then moveq": ("80fc 0007 7601", 2, 37),  # 8/27: e8 f9 x36; 37
    # address calculation longer than execution is what a stream of such instructions takes: 3/2L+1, 3 each
    "move (d16,pc),d0 three times": ("203a 0012 203a 0012 203a 0012", 3, 11),  # e3 f4 x5; e6 f7 x8; e9 f10 x11
    # a stage holds one instruction: mulu e1 f2 x16; e4, f16 when the mulu leaves, x17; e7 but held to 16, f17 x18; then
    # the third begins at 16: e19 f20 x21
    "mulu.w then move (d16,pc) three times": ("c4c1 203a 0010 203a 0010 203a 0010", 4, 21),
    "mulu.w then move (d16,pc)": ("c4c1 203a 0010", 2, 17),
    # interlock of modes with an extension word: execution that is late beyond the lead holds EA calculation
    # mulu e1 f2 x16; move (4,a1,d3.l),d0 is 3/3: e4 f5, execution late by 16 - 5 = 11, so e15, x19;
    # then 3/2L+1 three times: e18 f19 x20; e21 f22 x23; e24 f25 x26
    "mulu.w, indexed move, move (d16,pc) three times": (
        "c4c1 2031 3804 203a 0010 203a 0010 203a 0010",
        5,
        26,
    ),
    # the lead is forgiven: (d8,pc,xn) is 5/1L+4: e6 f7, late by 9, lead 1, so e14 x20; then e17 f18 x21; e20 f21 x22;
    # e23 f24 x25
    "mulu.w, move (d8,pc,xn), move (d16,pc) three times": (
        "c4c1 203b 3804 203a 0010 203a 0010 203a 0010",
        5,
        25,
    ),
    # memory-indirect modes fetch twice
    "move ([0,a1]),d0": ("2031 2951", 1, 21),  # 10/1L+9: e10 f12 x21
    # (An)+ and -(An) results come from the address stage: no stall, one clock each
    "move.l (a1)+,d0 four times": ("2019 2019 2019 2019", 4, 6),
    "move.l -(a1),d0 four times": ("2021 2021 2021 2021", 4, 6),
    "move.l (a1)+,(a2)+ twice": ("24d9 24d9", 2, 6),  # 2/1L+1: e2 f3 x4; e4 f5 x6
    # a result of the execute stage used as an address: 2 clocks adjacent, 1 with one between, none with two
    "movea d1,a1; move (a1),d0": ("2241 2011", 2, 6),  # movea x3; e 3+1, f5, x6 instead of x4
    "movea; moveq; move (a1)": ("2241 7401 2011", 3, 6),  # moveq e2 f3 x4; move e max(2,3)+1, f5, x6 instead of x5
    "movea; moveq; moveq; move (a1)": ("2241 7401 7601 2011", 4, 6),
    "movea (a2),a1; move (a1)": ("2252 2011", 2, 6),  # loaded: the same
    "addq #4,a1; move (a1)": ("5889 2011", 2, 6),
    "moveq d2; move (0,a1,d2.l)": ("7400 2031 2800", 2, 10),  # an index too: x3; e 3+3, f7, x10 instead of x8
    "movea d1,a2; move (a1),d0": ("2441 2011", 2, 4),  # another register: none
    "movea d1,a1; move d0,a1": ("2241 2240", 2, 4),  # written again, not used as an address: none
    # LEA of the simple modes is the address stage's own result: (d16,An) 2/1L+1, e2 f3 x4; then e3 f4 x5
    "lea (4,a2),a1; move (a1),d0": ("43ea 0004 2011", 2, 5),
    # LEA with an index ends in the execute stage: 4/4: e4 f5 x9; then e10 f11 x12
    "lea (4,a2,d2.l),a1; move (a1),d0": ("43f2 2804 2011", 2, 12),
    # the stack pointer moves in the address stage: pea (a1) 2/1L+1 twice
    "pea (a1) twice": ("4851 4851", 2, 6),
    # branches: taken 2, not taken 3, no wait for the condition codes; their execution is all lead
    "moveq #1; bne over a word; moveq": ("7001 6602 4e71 7202", 3, 6),  # e1; taken e3; e4 f5 x6
    "moveq #0; bne; moveq": ("7000 6602 7202", 3, 7),  # e1; not taken e4; e5 f6 x7
    "bra; moveq": ("6002 4e71 7202", 2, 5),  # 2/2: e2; e3 f4 x5
    # one that is not taken waits for its flags: x16, then e17 f18 x19; one that is taken does not: e3; e4 f16 x17
    "mulu.w; bne; moveq": ("c4c1 6602 7202", 3, 19),
    "mulu.w; beq over a word; moveq": ("c4c1 6702 4e71 7202", 3, 17),
    "mulu.w; dbra expired; moveq": ("c4c1 51c8 fffe 7201", 3, 17),  # tests no flags: e5; e6 f16 x17
    # a read of what has just been stored waits for the write-back stage: x3, stored by 4; f 4+1, x6; x6, by 7; f8 x9
    "add.l d0,(a1) twice": ("d191 d191", 2, 6),
    "move.l d0,(a1); move.l (a1),d1": ("2280 2211", 2, 6),
    "move.l d0,(a1); moveq; move.l (a1),d1": ("2280 7401 2211", 3, 6),  # x3, by 4; x4; fetch begins at 3: f5 x6
    "move.l (4,a1),d1; move.l d0,(a1); move.l (4,a1),d1": ("2229 0004 2280 2229 0004", 3, 5),  # another one: none
    "bsr; rts; moveq": ("6102 7202 4e75", 3, 10),  # 2/1L+1: e2; 5/5: e7; e8 f9 x10
    "lea (d16,pc),a1; jmp (a1); moveq": ("43fa 0006 4ed1 4e71 7202", 3, 10),  # 4/3L+1: e4; 3/2L+1: e7; e8 f9 x10
    # Scc and moves of the codes need no clock more
    "st d0; moveq": ("50c0 7201", 2, 5),  # 1/2: e1 f2 x4; 5
    # instructions that synchronise start when older work has left the execute stage: NOP is 8/1L+7
    "moveq; nop; moveq": ("7001 4e71 7201", 3, 20),  # x3; e 3+8, f12, x19; 20
    # the longest of all: 521/521, e521 f522 x1043
    "reset; moveq": ("4e70 7001", 2, 1044),
    # MOVEM by its formulas: D = data registers, at least 1, A = address registers
    "movem.l d0-d7,(a1)": ("48d1 00ff", 1, 20),  # 2+8 / 1L+1+8: e10 f11 x20
    "movem.l a0-a1,(a1)": ("48d1 0300", 1, 10),  # 2+1+2 / 1L+1+1+2: e5 f6 x10
    "movem.l a6-a7,-(a1)": ("48e1 0003", 1, 10),  # the list is reversed
    "movem.w a0-a3,(a1)": ("4891 0f00", 1, 20),  # N = 4: 2+1+4 + 2 / 1+1+4 + 4: e9 f10 x20
    "movem.l (a1)+,d0-d1": ("4cd9 0003", 1, 10),  # 3+2 / 1L+2+2: e5 f6 x10
    # DBcc expired is 4/4; the loop form is measured above
    "dbra d0 expired; moveq": ("51c8 fffe 7201", 2, 7),  # d0 = 0: e4; e5 f6 x7
    "dbt d0; moveq": ("50c8 fffe 7201", 2, 7),
    # BR = PC in a full format: one more clock of EA calculation and of lead: 7/1L+6 becomes 8/2L+6
    "move (bd,pc,d2.l),d0": ("203b 2920 0012", 1, 15),  # e8 f9 x15
    "move (bd,a1,d2.l),d0": ("2031 2920 0010", 1, 14),  # e7 f8 x14
}


@pytest.mark.first_case
@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_rules_of_the_pipeline(program: str, name: str) -> None:
    code, instructions, expected = PROGRAMS[program]
    assert clocks(name, "full", code, instructions) == expected


# The table mode adds up the slowest stage of each instruction: max(EA calculate, lead + base), at least 1.
TABLE = {
    "mulu.w, indexed move, move (d16,pc) three times": 14 + 3 + 3 * 3,
    "mulu.w, move (d8,pc,xn), move (d16,pc) three times": 14 + 5 + 3 * 3,
    "movea d1,a1; move (a1),d0": 1 + 1,
    "move ([0,a1]),d0": 10,
    "moveq #1; bne over a word; moveq": 1 + 2 + 1,
    "moveq #0; bne; moveq": 1 + 3 + 1,
    "bsr; rts; moveq": 2 + 5 + 1,
    "moveq; nop; moveq": 1 + 8 + 1,
    "movem.l d0-d7,(a1)": 10,
    "movem.w a0-a3,(a1)": 11,
    "dbra d0 expired; moveq": 4 + 1,
    "divu.w #7 then moveq": 27 + 1,
}


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("program", TABLE)
def test_the_table_mode_adds_up(program: str, name: str) -> None:
    code, instructions, _ = PROGRAMS[program]
    assert clocks(name, "table", code, instructions) == TABLE[program]


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("timing, clocks_a_pass", [("table", 1 + 2), ("full", 3), ("off", 0)])
def test_modes_on_a_loop(timing: str, clocks_a_pass: int, name: str) -> None:
    core, runs = start(name, timing, "5380 66fc", {0: 500})
    assert runs.run(999) == 999
    at_odd = int(core.state["cycles"])
    assert runs.run(1) == 1 and int(core.state["pc"]) == streams.CODE + 4
    assert core.state["r"][0] == 0
    assert abs(at_odd - 499 * clocks_a_pass) <= 5 if timing != "off" else at_odd == 0


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("timing", ["table", "full"])
def test_a_run_stops_at_its_limit_of_clocks(timing: str, name: str) -> None:
    """It ends with the first instruction that reaches the limit, however the clocks are counted."""
    core, runs = start(name, timing, "5380 66fc", {0: 100_000})
    core.state["limit"] = 1000
    done = runs.run(100_000)
    assert 1000 <= core.state["cycles"] < 1003
    assert done == pytest.approx(1000 * 2 / 3, abs=4)
    assert runs.run(100) == 0
