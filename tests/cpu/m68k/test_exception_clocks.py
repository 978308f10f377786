"""Clocks of exceptions and of what depends on data, on the MC68040: section 10 and its notes.

The table mode counts the slower of the two columns. From an empty pipeline the full mode ends a/b at a + 1 + b, a being
EA calculation and b execution (test_clocks.py); memory answers at once.
"""

from __future__ import annotations

from functools import cache

import pytest

from retrosim.cpu import m68k
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.engines.handlers.interpret import Interpreter
from retrosim.cpu.m68k import exceptions
from tests.helpers.cpu import m68k_streams as streams
from tests.helpers.cpu.cores import handler_cache_for

CPU = m68k.cpu("MC68040")
ENGINES = ("evaluate", "interpret")
CODE, DATA, STACK = streams.CODE, streams.DATA, streams.STACK
SUPERVISOR, USER = 1, 0

# Printed: undefined words and TRAP 16/16, TRAPcc and TRAPV taken 19/19 and not taken 5/5, all in section 10.5; division
# by zero "about 16 + <ea> calculate" in both columns (page 10-20). The rest is not printed anywhere: what begins before
# an instruction takes an undefined word's 16, what comes after its operands 16 + <ea> calculate.
# program -> (code, user or supervisor, EA calculation, execution); d0 5, d1 0, d2 -1, a0 = DATA of zeros, a1 odd, V set
PRINTED = {
    "illegal": ("4afc", SUPERVISOR, 16, 16),
    "line F": ("ffff", SUPERVISOR, 16, 16),
    "trap": ("4e43", USER, 16, 16),
    "trapv": ("4e76", SUPERVISOR, 19, 19),
    "trapt": ("50fc", SUPERVISOR, 19, 19),
    "trapne.w": ("56fa 0000", SUPERVISOR, 19, 19),
    "trapf.l": ("51fb 0000 0000", SUPERVISOR, 5, 5),
    "divu.w #0": ("80fc 0000", SUPERVISOR, 8 + 16, 8 + 16),  # the manual's example: about 24
    "divs.w (8,a0,d1.l)": ("81f0 1808", SUPERVISOR, 11 + 16, 11 + 16),
    "divs.l d1": ("4c41 0800", SUPERVISOR, 9 + 16, 9 + 16),
    # MOVES, page 10-24: to Dn, to An, from Rn
    "moves (a0),d0": ("0e90 0000", SUPERVISOR, 20, 19),
    "moves (a0),a3": ("0e90 b000", SUPERVISOR, 28, 24),
    "moves d0,(a0)": ("0e90 0800", SUPERVISOR, 13, 9),
    "moves -(a0),d0": ("0ea0 0000", SUPERVISOR, 11, 12),
}
NEAREST = {
    "chk.w d1": ("4581", SUPERVISOR, 8 + 16, 8 + 16),
    "chk2.b (a0)": ("00d0 0800", SUPERVISOR, 11 + 16, 11 + 16),
    "movec of no register": ("4e7a 0802", SUPERVISOR, 16, 16),
    "reset by a user": ("4e70", USER, 16, 16),
    "moves by a user": ("0e90 0000", USER, 16, 16),
    "jmp (a1), odd": ("4ed1", SUPERVISOR, 3 + 16, 3 + 16),
    "rte, bad format": ("4e73", SUPERVISOR, 2 + 16, 2 + 16),
}
# Notes of pages 10-15, 10-16, 10-18: a bit field that crosses a long word, CHK2 with reversed bounds or of an address
# register. The bounds at DATA are 0 and 0, those at DATA + 4 are 1 and 0: 0 is within both.
DATA_DEPENDENT = {
    "bfchg (a0){8:24}": ("ead0 0218", SUPERVISOR, 9, 8),
    "bfchg (a0){16:24}": ("ead0 0418", SUPERVISOR, 9 + 10, 8 + 9),
    "bfextu (a0){0:32},d0": ("e9d0 0000", SUPERVISOR, 9, 7),
    "bfextu (a0){1:32},d0": ("e9d0 0040", SUPERVISOR, 9, 7 + 2),
    "bfextu (1,a0){20:7},d0": ("e9e8 0507 0001", SUPERVISOR, 9, 7 + 2),
    "bfffo (a0){31:2},d0": ("edd0 07c2", SUPERVISOR, 9, 9 + 2),
    "bfins d0,(a0){31:2}": ("efd0 07c2", SUPERVISOR, 9 + 7, 7 + 7),
    "bftst (a0){31:2}": ("e8d0 07c2", SUPERVISOR, 9, 7),
    "chk2.b (a0),d1": ("00d0 1800", SUPERVISOR, 11, 9),
    "chk2.b (a0),a2": ("00d0 a800", SUPERVISOR, 11 + 1, 9 + 1),
    "chk2.b (4,a0),d1": ("00e8 1800 0004", SUPERVISOR, 11 + 3, 9 + 3),
    "chk2.b (4,a0),a2": ("00e8 a800 0004", SUPERVISOR, 11 + 4, 9 + 4),
    "cmp2.b (4,a0),a2": ("00e8 a000 0004", SUPERVISOR, 13, 11),
}
CASES = PRINTED | NEAREST | DATA_DEPENDENT
LEADS = {"moves (a0),d0": 4, "moves (a0),a3": 4, "moves d0,(a0)": 4}  # of execution
LEADS |= dict.fromkeys(DATA_DEPENDENT, 2)
RTE_FORMATS = {0: (2, 13), 1: (4, 23), 2: (2, 14), 3: (3, 20), 4: (2, 15), 7: (4, 23)}  # section 10.5
MULU = "c4c1"  # 1/14 before it: e1 f2 x16
BEHIND = {
    # what synchronises starts at 16: e 16+19 f36 x55; e 16+24 f41 x65; e 16+16 f33 x49; what does not: e6 f7 x 16+5
    "trapt": 55,
    "divu.w #0": 65,
    "illegal": 49,
    "trapf.l": 21,
}


@cache
def engine(name: str, timing: str) -> tuple[Core, Evaluator | Interpreter]:
    core = Core(CPU, timing)
    if name == "evaluate":
        return core, Evaluator(core)
    addresses = []
    for number, (code, *_) in enumerate([*CASES.values(), (MULU,)]):
        core.write(CODE + 16 * number, bytes.fromhex(code))
        addresses.append(CODE + 16 * number)
    return core, Interpreter(core, handler_cache_for(core, addresses))


def clocks(name: str, timing: str, code: str, supervisor: int = SUPERVISOR, frame: str = "", steps: int = 1) -> int:
    core, runs = engine(name, timing)
    registers = [5, 0, 0xFFFFFFFF, 0, 0, 0, 0, 0, DATA, CODE + 1, 0, 0, 0, 0, 0, STACK]
    streams.load(core, bytes.fromhex(code), bytes((0, 0, 0, 0, 1)) + bytes(0x100), registers, 2)
    core.state["s"], core.state["isp"] = supervisor, STACK
    core.write(STACK, bytes.fromhex(frame or "0000 0000 0000 f000"))
    assert runs.run(steps) == steps
    return int(core.state["cycles"])


@pytest.mark.first_case
@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("case", CASES)
def test_one_after_the_other(case: str, name: str) -> None:
    code, supervisor, address, execution = CASES[case]
    assert clocks(name, "table", code, supervisor) == max(address, execution + LEADS.get(case, 0))
    assert clocks(name, "full", code, supervisor) == address + 1 + execution
    assert clocks(name, "off", code, supervisor) == 0


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("case", BEHIND)
def test_behind_a_multiplication(case: str, name: str) -> None:
    assert clocks(name, "full", f"{MULU} {CASES[case][0]}", steps=2) == BEHIND[case]


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("kind", RTE_FORMATS)
def test_rte(kind: int, name: str) -> None:
    """By the format of the frame; a throwaway's figure counts for it and the frame below together."""
    address, execution = RTE_FORMATS[kind]
    frame = f"2000 0002 0000 {kind:x}000" + " 2000 0002 0000 2000"
    assert clocks(name, "table", "4e73", frame=frame) == execution
    assert clocks(name, "full", "4e73", frame=frame) == address + 1 + execution


@pytest.mark.parametrize("timing", ["table", "full"])
@pytest.mark.parametrize("model, trace, interrupt", [("MC68000", 34, 44), ("MC68040", 16, 27)])
def test_between_instructions(model: str, trace: int, interrupt: int, timing: str) -> None:
    """M68000UM table 8-14; on the MC68040 a trace is priced as TRAP, an interrupt as TRAP and its acknowledgement."""
    core = Core(m68k.cpu(model), timing)
    runs = Evaluator(core)
    for vector, expected in ((exceptions.TRACE, trace), (exceptions.AUTOVECTOR + 1, interrupt)):
        streams.load(core, bytes.fromhex("4e71"), bytes(16), [0] * 15 + [STACK], 0)
        if vector == exceptions.TRACE:
            runs.between(lambda m: exceptions.exception(m, exceptions.TRACE), CODE)
        else:
            runs.between(lambda m: exceptions.interrupt(m, 1))
        assert int(core.state["cycles"]) == expected
        assert all(int(core.state[field]) in (0, expected) for field in ("ea_end", "fetch_end"))


def test_every_vector_has_a_price() -> None:
    """Those of the table are its entries; the rest stands in one place."""
    assert exceptions.clocks_of("MC68040", exceptions.DIVIDE_BY_ZERO) == (16, False)
    assert exceptions.clocks_of("MC68040", exceptions.TRAP_ON_OVERFLOW) == (19, True)
    assert exceptions.clocks_of("MC68040", exceptions.ILLEGAL) == exceptions.clocks_of("MC68040", exceptions.PRIVILEGE)
    for vector in exceptions.NAMES:
        clocks, whole = exceptions.clocks_of("MC68040", vector)
        assert clocks in (16, 19) and isinstance(whole, bool)
