"""Clocks of the PowerPC 601: the table, the pipeline's rules on small programs, the cache, anchors from hardware.

Without memory parameters every access is a hit; the tests of the cache set those of the 8100/80.
"""

from __future__ import annotations

import csv
import re
from functools import cache
from pathlib import Path

import pytest

from retrosim.cpu import ppc
from retrosim.cpu.engines.core import Core, memory_chunks
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.engines.handlers.interpret import Interpreter
from retrosim.cpu.ppc.models import READINGS
from retrosim.cpu.ppc.mpc601_clocks import TABLE, memory, outcomes, table
from retrosim.cpu.spec.cpu import REACHED
from retrosim.cpu.spec.sources import CONFIDENCE, read_rows
from tests.helpers.cpu.cores import handler_cache_for
from tests.helpers.cpu.ppc_assembler import BCTR, BLR, addi, b, bc, bdnz, cmpwi, code, encode, lwz, mtspr, stw

CPU = ppc.cpu("MPC601")
ENGINES = ("evaluate", "interpret")
AT, DATA = 0x10000, 0x20000
A = addi(3, 3, 1)


# --- the packaged table is the table of facts

NAMES = {  # how the facts write some names
    "lwz (all D and X forms": "lwz",
    "stw (all forms)": "stw",
    "srq and other POWER shifts": "srq",
    "fcmpu(see below)": "fcmpu",
    "dcbz (miss)": "",
    "update forms)": "",
    "muli": "mulli",
    "muls": "mullw",
    "mtctr (mtspr LR/CTR)": "mtspr",
    "mtlr": "mtspr",
    "mflr": "mfspr",
    "mfctr": "mfspr",
    "mfspr (user)": "mfspr",
}


@pytest.fixture(scope="module")
def facts(shared: Path) -> list[dict[str, str]]:
    with (shared / "facts" / "ppc601_timing.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_packaged_table_is_that_of_the_facts(facts: list[dict[str, str]]) -> None:
    compared, priced = set(), table({"cr-moves": "first"})
    for fact in facts:
        name = NAMES.get(fact["mnemonic"], fact["mnemonic"]).rstrip(".")
        if not name or name in ("b", "bc", "bl", "bcl", "bclr", "bcctr"):  # folded: see the rules
            continue
        numbers = [int(n) for n in re.findall(r"\d+", fact["execute_cycles"].split("(")[0].split("+")[0])]
        if name == "mtmsr":
            numbers = [17]
        if name == "sync":
            numbers = [int(re.findall(r"\d+", fact["note"])[0])]
        if fact["execute_cycles"].startswith(("n ", "ceil")):
            numbers = []
        assert list(priced[name].execute) == numbers, fact
        delay = fact["dependent_delay"]
        # a store and the branch unit deliver nothing to a register; FP loads and compares count their own latency
        if delay.isdigit() and not name.startswith("st"):
            assert priced[name].delay == int(delay), fact
        compared.add(name)
    assert len(compared) > 110


def test_every_entry_says_how_sure_it_is() -> None:
    rows = read_rows(TABLE)
    known = {f"{reading.name}={option}" for reading in READINGS for option in reading.options[1:]}
    for row in rows:
        assert row["source"] and row["confidence"] in CONFIDENCE, row
        assert not row["reading"] or row["reading"] in known, row
    assert {row["reading"] for row in rows} >= known - {"cr-logic=branch-unit"}  # which has a rule of its own


def test_every_row_has_clocks() -> None:
    used = {key for row in CPU.table.rows for key in row.cost}
    for row in CPU.table.rows:
        assert outcomes(row), row.syntax
    assert set(table()) - used == {"exception"}


# --- programs


@cache
def engine(name: str, timing: str) -> tuple[Core, Evaluator | Interpreter]:
    """Return a core and an engine that runs it, with handlers for the instructions of this file."""
    core = Core(CPU, timing)
    if name == "evaluate":
        return core, Evaluator(core)
    words = sorted({word for program in EVERY_PROGRAM for word in program})
    core.write(AT, code(*words))
    return core, Interpreter(core, handler_cache_for(core, [AT + 4 * i for i in range(len(words))]))


def start(
    name: str,
    words: list[int],
    registers: dict[int, int] | None = None,
    at: int = AT,
    timing: str = "full",
    machine=False,
) -> tuple[Core, Evaluator | Interpreter]:
    """Put a program into memory, with the pipeline empty at clock 0; registers hold the address of the data."""
    core, runs = engine(name, timing)
    begin(core, words, registers, at, machine)
    return core, runs


def begin(core: Core, words: list[int], registers: dict[int, int] | None, at: int = AT, machine: bool = False) -> None:
    core.replace(memory_chunks(()))
    for field in core.state.dtype.names:
        core.state[field] = 0
    core.state["limit"], core.state["written_low"] = 1 << 62, 0xFFFFFFFF
    core.state["r"][:32] = [(registers or {}).get(n, DATA) for n in range(32)]
    if machine:
        core.state["memory"] = list(memory().values())
    core.write(at, code(*words))
    core.state["pc"] = at


def end(name: str, words: list[int], instructions: int, **options) -> int:
    core, runs = start(name, words, **options)
    assert runs.run(instructions) == instructions
    return int(core.state["cycles"])


def per_iteration(name: str, body: list[int], at: int = AT) -> float:
    """Return clocks per pass of a loop that ends in bdnz: a hundred passes more, so that start and end drop out."""
    words = [mtspr(9, 31), *body, bdnz(-4 * len(body))]
    found = []
    for passes in (100, 200):
        core, runs = start(name, words, {31: passes}, at)
        runs.run(1_000_000, {at + 4 * len(words)})
        assert core.state["reason"] == REACHED
        found.append(int(core.state["cycles"]))
    return (found[1] - found[0]) / 100


LOOPS = {
    # ppc601_timing.md section 2: a Power Macintosh's ROM times this one and expects 8 clocks a pass
    "addi x 8": ([A] * 8, 8),
    "nothing": ([], 2),
    "addi": ([A], 2),  # one older instruction: a bubble of 1
    "addi x 2": ([A] * 2, 2),
    "addi x 3": ([A] * 3, 3),
    "multiplication, short": ([encode("mulli", d=3, a=4, i=7)], 5),
    "division": ([encode("divw", d=5, a=4, b=6)], 36),
    "loads, independent": ([lwz(3, 4), lwz(5, 6), A], 3),
    "load and use": ([lwz(3, 4), addi(5, 3, 1)], 3),
    "data leave no clock for the fetch": ([lwz(3, 4), lwz(5, 4), lwz(6, 4), stw(7, 4)], 5),
    "data leave one clock for the fetch": ([lwz(3, 4), lwz(5, 4), stw(7, 4), A], 4),
    "a compare behind the loop's work": ([cmpwi(0, 10, 1), A, A], 3),
}


@pytest.mark.first_case
@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("loop", LOOPS)
def test_loops(loop: str, name: str) -> None:
    body, expected = LOOPS[loop]
    assert per_iteration(name, body) == expected


@pytest.mark.first_case
@pytest.mark.parametrize("place", range(8))
def test_the_anchor_holds_at_every_place_in_a_fetched_block(place: int) -> None:
    assert per_iteration("evaluate", [A] * 8, AT + 4 * place) == 8


# A program's clocks from an empty pipeline: the first integer instruction is fetched for clock 1, enters its execute
# stage at 2 and ends at 3; n simple ones end at 2 + n. Each figure below is worked out by hand from the rules.
FAR = 4 * 9  # forwards, behind what follows
PROGRAMS = {
    "addi": ([A], 1, {}, 3),
    "addi x 8": ([A] * 8, 8, {}, 10),
    "load, other": ([lwz(3, 4), addi(5, 6, 1)], 2, {}, 4),
    "load, use": ([lwz(3, 4), addi(5, 3, 1)], 2, {}, 5),  # latency 2
    "load, other, use": ([lwz(3, 4), A, addi(5, 3, 1)], 3, {}, 6),  # A reads what is loaded
    "load, independent, use": ([lwz(3, 4), addi(7, 6, 1), addi(5, 3, 1)], 3, {}, 5),
    "load, overwritten, use": ([lwz(3, 4), addi(3, 6, 1), addi(5, 3, 1)], 3, {}, 5),
    "load, its address again": ([lwz(3, 4), lwz(5, 4)], 2, {}, 4),
    "load with update, address used": ([encode("lwzu", d=3, a=4, i=4), addi(5, 4, 1)], 2, {}, 4),
    "load, stored": ([lwz(3, 4), stw(3, 5)], 2, {}, 5),
    "stores": ([stw(3, 4), stw(3, 5)], 2, {}, 4),
    "mflr, use": ([encode("mfspr", d=3, p=8 << 5), addi(5, 3, 1)], 2, {}, 5),
    "lmw r29": ([encode("lmw", d=29, a=4), A], 2, {}, 6),  # three registers
    "lmw r29, last register used": ([encode("lmw", d=29, a=4), addi(3, 31, 1)], 2, {}, 7),
    "lmw r29, first register used": ([encode("lmw", d=29, a=4), addi(3, 29, 1)], 2, {}, 6),
    "lmw r29, not aligned": ([encode("lmw", d=29, a=4), A], 2, {4: DATA + 2}, 7),
    "stmw r30": ([encode("stmw", d=30, a=4), A], 2, {}, 5),
    "lswi 11 bytes": ([encode("lswi", d=5, a=4, n=11), A], 2, {}, 6),  # three words
    "load across a double word": ([lwz(3, 4), addi(5, 6, 1)], 2, {4: DATA + 6}, 5),
    "store across a word": ([stw(3, 4), A], 2, {4: DATA + 2}, 4),
    "mullw short": ([encode("mullw", d=5, a=4, b=6), A], 2, {6: 0xFFFF8000}, 8),
    "mullw long": ([encode("mullw", d=5, a=4, b=6), A], 2, {6: 0x8000}, 12),
    "mulhwu top bit": ([encode("mulhwu", d=5, a=4, b=6), A], 2, {6: 0x80000000}, 13),
    "mulhwu short": ([encode("mulhwu", d=5, a=4, b=6), A], 2, {6: 0x7FFF}, 8),
    "mulhwu top bit, short if signed": ([encode("mulhwu", d=5, a=4, b=6), A], 2, {6: 0xFFFF8000}, 13),
    "mulhwu long": ([encode("mulhwu", d=5, a=4, b=6), A], 2, {6: 0x40000000}, 12),
    "condition logic takes a slot": ([encode("crand", d=0, a=1, b=2), A], 2, {}, 4),
    # branches cost nothing while older work is left (the branch is executed with three older ones in the queue)
    "branch behind three": ([A, A, A, b(FAR), *[A] * 8, A], 5, {}, 6),
    "branch behind one": ([A, b(FAR), *[A] * 8, A], 3, {}, 5),  # a bubble of 1: fetched for 3
    "branch alone": ([b(FAR), *[A] * 8, A], 2, {}, 5),  # executed at 1, fetched for 3
    "two branches": ([b(4), b(FAR), *[A] * 8, A], 3, {}, 7),
    "not taken": ([A, bc(18, 0, FAR), A], 3, {}, 4),  # on CTR, which gets -1
    # compare and branch; a right prediction costs what a known condition does
    "compare, not taken": ([A, A, A, cmpwi(0, 10, 1), bc(12, 2, FAR), A], 6, {10: 0}, 7),
    "compare, taken, wrong": ([A, A, A, cmpwi(0, 10, 0), bc(12, 2, FAR), *[A] * 9], 6, {10: 0}, 10),
    "compare, 1, taken, wrong": ([A, A, A, cmpwi(0, 10, 0), A, bc(12, 2, FAR), *[A] * 9], 7, {10: 0}, 10),
    "compare, 2, taken, wrong": ([A, A, A, cmpwi(0, 10, 0), A, A, bc(12, 2, FAR), *[A] * 9], 8, {10: 0}, 10),
    "compare, 3, taken, wrong": ([A, A, A, cmpwi(0, 10, 0), A, A, A, bc(12, 2, FAR), *[A] * 9], 9, {10: 0}, 10),
    "compare, taken, y bit": ([A, A, A, cmpwi(0, 10, 0), bc(13, 2, FAR), *[A] * 9], 6, {10: 0}, 7),
    "compare, not taken, y bit": ([A, A, A, cmpwi(0, 10, 1), bc(13, 2, FAR), *[A] * 9], 6, {10: 0}, 9),  # 2 lost
    # an absolute target before the branch: what counts is the sign of the field
    "compare, not taken, absolute": ([A, A, A, cmpwi(0, 10, 1), bc(12, 2, 0x40) | 2, A], 6, {10: 0}, 7),
    "another field is not pending": ([A, A, A, cmpwi(1, 10, 1), bc(4, 2, FAR), *[A] * 9], 6, {10: 0}, 7),
    "record form, taken, wrong": (
        [A, A, A, encode("or", d=10, a=11, b=10, rc=1), bc(12, 2, FAR), *[A] * 9],
        6,
        {10: 0},
        10,
    ),
    "backwards, taken, right": ([b(8), A, A, A, A, cmpwi(0, 10, 0), bc(12, 2, -20), A], 7, {10: 0}, 9),  # fetched for 3
    # LR and CTR: four clocks from the dispatch of mtspr
    "mtlr, blr": ([mtspr(8, 4), BLR], 3, {4: AT + FAR}, 9),  # executed at 1 + 4, fetched for 7
    "mtctr, 3, bctr": ([mtspr(9, 4), A, A, A, BCTR], 6, {4: AT + FAR}, 9),
    "bl, blr": ([b(12) | 1, A, b(FAR), BLR], 3, {}, 7),  # executed at 1 and 3, no wait
    # serialising instructions
    "isync": ([encode("isync"), A], 2, {}, 9),
    "sync": ([encode("sync"), A], 2, {}, 9),
    "eieio": ([encode("eieio"), A], 2, {}, 4),
    "trap not taken": ([encode("twi", t=4, a=3, i=0) & ~0x1F0000 | 5 << 16, A], 2, {5: 1}, 4),
}
TARGET = [A] * 20  # what lies behind every program
EVERY_PROGRAM = [p[0] for p in PROGRAMS.values()] + [
    [*p[0], mtspr(9, 31), bdnz(-4 * len(p[0]))] for p in LOOPS.values()
]
EVERY_PROGRAM.append([lwz(3, 4), lwz(5, 6), addi(5, 3, 1), addi(5, 5, 1), addi(7, 8, 1), stw(3, 4)])


@pytest.mark.first_case
@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_rules_of_the_pipeline(program: str, name: str) -> None:
    words, instructions, registers, expected = PROGRAMS[program]
    assert end(name, words + TARGET, instructions, registers=registers) == expected


CREQV = encode("creqv", d=0, a=1, b=1)  # makes LT of field 0 true
READ_OTHERWISE = {  # program, instructions, registers, reading, clocks by the default and by the other option
    "condition": (*PROGRAMS["compare, taken, wrong"][:3], "condition=latency", 10, 11),
    "mfcr, use": ([encode("mfcr", d=3), addi(5, 3, 1)], 2, {}, "cr-moves=first", 5, 4),
    "mtcrf, taken, wrong": (
        [A, A, A, encode("mtcrf", d=10) | 0x80 << 12, bc(12, 2, FAR), *[A] * 9],
        6,
        {10: 0x20000000},
        "cr-moves=first",
        11,
        10,
    ),
    "condition logic": ([A, encode("crand", d=0, a=1, b=2), A], 3, {}, "cr-logic=branch-unit", 5, 4),
    # in the branch unit at 1, known at 5; the branch is executed at 2 and fetches for 7
    "condition logic, taken, wrong": ([CREQV, bc(12, 0, FAR), *[A] * 9], 3, {}, "cr-logic=branch-unit", 7, 9),
    "condition logic behind a compare": (
        [cmpwi(0, 10, 1), CREQV, bc(12, 0, FAR), *[A] * 9],
        4,
        {10: 0},
        "cr-logic=branch-unit",
        8,
        11,
    ),
    "stores, the queue drains": ([stw(3, 4)] * 32, 32, {}, "cache-port=drained", 37, 43),
    "stores, two ports": ([stw(3, 4)] * 32, 32, {}, "cache-port=two", 37, 34),
}


@pytest.mark.parametrize("name", READ_OTHERWISE)
def test_readings(name: str) -> None:
    """Clocks by the default and by the other option, worked out by hand; those of the latter are all told apart."""
    words, instructions, registers, chosen, default, other = READ_OTHERWISE[name]
    assert end("evaluate", words + TARGET, instructions, registers=registers) == default
    cpu = CPU.with_readings(dict([chosen.split("=")]))
    for timing in ("full", "causes"):
        core = Core(cpu, timing)
        begin(core, words + TARGET, registers)
        assert Evaluator(core).run(instructions) == instructions
        assert core.state["cycles"] == other
    assert core.state["causes"].sum() == other


SINGLE = {  # instruction -> (word, registers beside the data's address in all)
    name: (word, {})
    for name, word in {
        **{n: encode(n, d=5, a=4, b=6) for n in ("add", "subfe", "and", "slw", "rlwnm", "cntlzw", "doz", "abs", "sle")},
        **{n: encode(n, d=5, a=4, b=6) for n in ("divw", "divwu", "div", "divs", "mcrf", "crand", "mfcr", "cmp")},
        **{n: encode(n, d=5, a=4) for n in ("mulli", "lbz", "lha", "sth", "stb", "dcbz", "lwarx", "lhbrx", "stwbrx")},
    }.items()
}


@pytest.mark.parametrize("name", SINGLE)
def test_single_instructions_take_the_clocks_of_the_table(name: str) -> None:
    """Between simple instructions that do not need the result, and before one that does."""
    word, registers = SINGLE[name]
    entry = outcomes(CPU.table.decode(AT, lambda address: word).row)[0]
    independent = end("evaluate", [word, addi(7, 8, 0)], 2, registers=registers)
    assert independent == 3 + entry.execute[0]
    assert end("evaluate", [word, addi(7, 5, 0)], 2, registers=registers) == independent + entry.delay
    assert end("evaluate", [word, A], 2, registers=registers, timing="table") == entry.execute[0] + 1


def test_the_table_mode_adds_up() -> None:
    body = [A, lwz(3, 4), encode("mullw", d=5, a=4, b=6), encode("lmw", d=30, a=4)]
    assert end("evaluate", body, 4, timing="table", registers={6: 1}) == 1 + 1 + 5 + 2
    words = [mtspr(9, 31), A, bdnz(-4)]
    assert end("evaluate", words, 1 + 2 * 3, timing="table", registers={31: 3}) == 1 + 3 * 1 + 2 * 2 + 0
    assert end("evaluate", words, 7, timing="off", registers={31: 3}) == 0


# --- cache and memory of the 8100/80: miss + first data from DRAM 3 + 16, from the second cache 3 + 6

LOAD = [A, lwz(3, 4), addi(5, 3, 1), A]
DRAM, L2 = 3 + 16, 3 + 6
QUIET = 100_000


def rest(core: Core, time: int = QUIET) -> None:
    """Let everything that is under way come to its end."""
    for field in ("cycles", *CPU.stage_fields):
        core.state[field] = time


def use(core: Core, runs, address: int, words: list[int] = LOAD) -> int:
    """Return the clocks of the program with r4 at an address, run at rest from cached code."""
    for place in (DATA, address):
        rest(core, int(core.state["cycles"]) + QUIET)
        before = int(core.state["cycles"])
        core.state["pc"], core.state["r"][4], core.state["r"][6] = AT, place, DATA
        assert runs.run(len(words)) == len(words)
    return int(core.state["cycles"]) - before


@pytest.fixture(params=ENGINES)
def board(request):
    core, runs = start(request.param, LOAD, machine=True)
    return core, runs


HIT = 6  # clocks of LOAD at rest: an addi, a load, the wait for it, two addi; the first enters a clock after rest


def test_a_hit_and_a_miss(board) -> None:
    core, runs = board
    assert use(core, runs, DATA) == HIT
    assert use(core, runs, DATA + 0x1000) == HIT + DRAM
    assert use(core, runs, DATA + 0x1000) == HIT
    assert use(core, runs, DATA + 0x101C) == HIT  # the same sector
    assert use(core, runs, DATA + 0x1020) == HIT  # the other one has followed by itself


def test_code_misses_too() -> None:
    core, runs = start("evaluate", [A] * 8, machine=True)
    runs.run(1)
    assert core.state["cycles"] == 3 + DRAM
    runs.run(7)
    assert core.state["cycles"] == 10 + DRAM


def empty(core: Core) -> None:
    for name in ("tag", "order", "other", *core.cpu.caches["unified"].shortcuts):
        core.state[name] = 0


def test_the_second_cache(board) -> None:
    core, runs = board
    use(core, runs, DATA + 0x1000)
    empty(core)
    assert use(core, runs, DATA + 0x1000) == HIT + L2
    empty(core)
    core.state["memory"][list(memory()).index("l2")] = 0
    assert use(core, runs, DATA + 0x1000) == HIT + DRAM


def test_eight_ways_and_the_least_recently_used(board) -> None:
    """Lines 4 KiB apart share a set; the ninth replaces the one whose use is longest ago."""
    core, runs = board
    lines = [0x40800 + 0x1000 * n for n in range(9)]
    for line in lines[:8]:
        assert use(core, runs, line) == HIT + DRAM
    assert use(core, runs, lines[0]) == HIT
    assert use(core, runs, lines[8]) == HIT + DRAM
    assert use(core, runs, lines[0]) == HIT
    assert use(core, runs, lines[1]) == HIT + L2


def test_work_goes_on_after_a_miss_until_the_next(board) -> None:
    core, runs = board
    others = [A, lwz(3, 4), addi(7, 8, 1), addi(7, 8, 1)]
    core.write(AT, code(*others))
    assert use(core, runs, DATA + 0x3000, others) == 5


def test_a_second_miss_waits_for_the_first(board) -> None:
    core, runs = board
    words = [A, lwz(3, 4), lwz(5, 6), addi(7, 8, 1)]
    core.write(AT, code(*words))
    start_clock = use(core, runs, DATA + 0x5000, words)
    assert start_clock == 5
    core.state["r"][6] = 0  # `use` sets it to the data
    rest(core, int(core.state["cycles"]) + QUIET)
    before = int(core.state["cycles"])
    core.state["pc"], core.state["r"][4], core.state["r"][6] = AT, DATA + 0x7000, DATA + 0x9000
    runs.run(4)
    # the first data come at 4 + 19 - 1; the second miss begins then, and holds the addi behind it
    assert int(core.state["cycles"]) - before == 5 + DRAM - 1


def test_stores_to_video_memory_are_posted(board) -> None:
    core, runs = board
    words = [A, *[stw(3, 4)] * 5]
    core.write(AT, code(*words))
    two = use(core, runs, 0x800000, words[:3])
    assert two == 4
    single = memory()["single_write"]
    assert use(core, runs, 0x800000, words[:4]) == 5 + single - 1 - 1  # the third waits for the first
    assert use(core, runs, 0x800000, words[:5]) == 6 + 2 * single - 1 - 1 - 1


def two_misses(core: Core, runs, first: int, second: int) -> int:
    """Return the clocks until the data of a second miss are used, run at rest from cached code."""
    words = [A, lwz(3, 4), lwz(5, 6), addi(5, 5, 1)]
    core.write(AT, code(*words))
    use(core, runs, DATA, words)
    rest(core, int(core.state["cycles"]) + QUIET)
    before = int(core.state["cycles"])
    core.state["pc"], core.state["r"][4], core.state["r"][6] = AT, first, second
    assert runs.run(4) == 4
    return int(core.state["cycles"]) - before


def test_a_miss_waits_for_the_bus(board) -> None:
    """The second one: until all 32 bytes of the first have come, then its own first data."""
    core, runs = board
    m = memory()
    first_begins = 3 + 0  # addi enters at 1, the load at 2, and looks into the cache at 3
    data = first_begins + m["sector_read"] + m["first_read"] + m["miss"]
    assert two_misses(core, runs, DATA + 0x5000, DATA + 0x9000) == data + 1 + 1  # the delay of a load, and the addi


def test_the_other_sector_is_wanted_before_its_turn(board) -> None:
    """It begins when the bus is free, with the wanted data, like any miss; so another line takes as long."""
    core, runs = board
    same_line = two_misses(core, runs, DATA + 0x5000, DATA + 0x5020)
    assert same_line == two_misses(core, runs, DATA + 0x7000, DATA + 0xB000)


def test_what_is_replaced_is_written_when_it_is_dirty(board) -> None:
    """The write follows the read of the new sector: the next miss is later by it."""
    core, runs = board
    clean = [0x40800 + 0x1000 * n for n in range(9)]
    dirty = [0x60840 + 0x1000 * n for n in range(9)]
    for line in clean[:8]:
        use(core, runs, line)
    words = [A, stw(3, 4), addi(7, 8, 1)]
    core.write(AT, code(*words))
    for line in dirty[:8]:
        use(core, runs, line, words)
    quick = two_misses(core, runs, clean[8], DATA + 0xC000)
    assert two_misses(core, runs, dirty[8], DATA + 0xD000) == quick + memory()["sector_write"]
