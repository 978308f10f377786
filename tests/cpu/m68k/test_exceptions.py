"""Exceptions of the MC68040 against its manual: stack frames, RTE, privilege, interrupts (MC68040UM section 8).

No FPU: its instructions are unimplemented F-line words, vector 11 with format 0. An MC68LC040 has format 4 there, with
the operand's address calculated (MC68040UM A.5), which is not modelled.
"""

from __future__ import annotations

from functools import cache

import pytest

from retrosim.cpu import m68k
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.engines.handlers.interpret import Interpreter
from retrosim.cpu.m68k import exceptions
from retrosim.cpu.m68k.exceptions import (
    ADDRESS_ERROR,
    CHECK,
    DIVIDE_BY_ZERO,
    FORMAT_ERROR,
    ILLEGAL,
    LINE_F,
    PRIVILEGE,
    TRACE,
    TRAP,
    TRAP_ON_OVERFLOW,
)
from retrosim.cpu.spec.cpu import DOUBLE_FAULT, FAULT, STOPPED
from retrosim.cpu.spec.decoding import fixed_bits
from tests.helpers.cpu import m68k_peers as peers
from tests.helpers.cpu import m68k_streams as streams
from tests.helpers.cpu.cores import handler_cache_for

CPU = m68k.cpu("MC68040")
ENGINES = ("evaluate", "interpret")
CODE, DATA, STACK = streams.CODE, streams.DATA, streams.STACK
USER_STACK, MASTER_STACK = 0x30000, 0x50000
ODD = CODE + 0x101
X, OVERFLOW = 16, 2  # condition codes

# program of one instruction -> (vector, format, words up to the stacked PC: 0 the instruction, its length the next one)
# Registers: d0 5, d1 0, d2 -1, a0 = DATA, a1 = ODD; DATA holds zeros. X and V are set.
FRAMES = {
    # format 0, the instruction itself (8.2.4; table in 8.4.1)
    "illegal": ("4afc", ILLEGAL, 0, 0),
    "bkpt #5": ("484d", ILLEGAL, 0, 0),
    "movec from no register": ("4e7a 0802", ILLEGAL, 0, 0),  # CAAR is the MC68020's
    "movec to no register": ("4e7b 0808", ILLEGAL, 0, 0),
    "reserved extension word": ("2031 2909", ILLEGAL, 0, 0),
    "no FPU: fadd fp1,fp0": ("f200 0422", LINE_F, 0, 0),
    "no FPU: fbeq": ("f281 0004", LINE_F, 0, 0),
    "no FPU: fsave": ("f310", LINE_F, 0, 0),
    "line F": ("ffff", LINE_F, 0, 0),
    # format 0, the next instruction
    "trap": ("4e43", TRAP + 3, 0, 2),
    # format 2, the next instruction, with the address of this one (8.4.3)
    "divu.w": ("80c1", DIVIDE_BY_ZERO, 2, 2),
    "divs.w #0": ("81fc 0000", DIVIDE_BY_ZERO, 2, 4),
    "divu.l": ("4c41 0000", DIVIDE_BY_ZERO, 2, 4),
    "divs.l (a0)": ("4c50 0c00", DIVIDE_BY_ZERO, 2, 4),
    "chk.w": ("4581", CHECK, 2, 2),  # d2 = -1 against d1 = 0
    "chk.l #4": ("413c 0000 0004", CHECK, 2, 6),  # 5 against 4
    "chk2.b (a0)": ("00d0 0800", CHECK, 2, 4),  # 5 against 0..0
    "trapv": ("4e76", TRAP_ON_OVERFLOW, 2, 2),
    "trapt": ("50fc", TRAP_ON_OVERFLOW, 2, 2),
    "trapvs.w": ("59fa 1234", TRAP_ON_OVERFLOW, 2, 4),
    "trapt.l": ("50fb 1234 5678", TRAP_ON_OVERFLOW, 2, 6),
}

# Odd targets: format 2, the PC of the instruction, the target with A0 cleared; the instruction is complete (8.2.2).
# program -> what it has done: bytes that A7 has moved by, d0
ODD_TARGETS = {
    "jmp (a1)": ("4ed1", 0, 5),
    "jmp $10101": ("4ef9 0001 0101", 0, 5),
    "jsr (a1)": ("4e91", -4, 5),
    "rts": ("4e75", 4, 5),
    "rtd #8": ("4e74 0008", 12, 5),
    "bra": ("60ff 0000 00ff", 0, 5),
    "bra.b": ("607f", 0, 5),
    "bsr": ("61ff 0000 00ff", -4, 5),
    "bvs": ("69ff 0000 00ff", 0, 5),
    "bvc, not taken": ("68ff 0000 00ff", 0, 5),
    "dbra d0": ("51c8 00ff", 0, 4),
}

# What a user may not execute (8.2.5): format 0, the instruction itself, which does nothing.
PRIVILEGED = {
    "andi to sr": "027c 0000",
    "eori to sr": "0a7c 0000",
    "ori to sr": "007c 0700",
    "move from sr": "40c0",
    "move to sr": "46c0",
    "move from usp": "4e68",
    "move to usp": "4e60",
    "movec from": "4e7a 0801",
    "movec to": "4e7b 0801",
    "movec of no register": "4e7a 0802",
    "moves from": "0e10 0000",
    "moves to": "0e10 0800",
    "reset": "4e70",
    "rte": "4e73",
    "stop": "4e72 2000",
    "cinvl": "f4c8",
    "cinvp": "f4d0",
    "cinva": "f4d8",
    "cpushl": "f468",
    "cpushp": "f470",
    "cpusha": "f478",
    "pflushn": "f500",
    "pflush": "f508",
    "pflushan": "f510",
    "pflusha": "f518",
    "ptestw": "f548",
    "ptestr": "f568",
}
RTE = {"rte": "4e73", "stop #0": "4e72 0000", "stop #2700": "4e72 2700"}

PROGRAMS = [*(p[0] for p in FRAMES.values()), *(p[0] for p in ODD_TARGETS.values()), *PRIVILEGED.values()]
PROGRAMS += RTE.values()


@cache
def engine(name: str) -> tuple[Core, Evaluator | Interpreter]:
    """Return a core and an engine with handlers for the programs of this file."""
    core = Core(CPU, "off")
    if name == "evaluate":
        return core, Evaluator(core)
    places = range(CODE, CODE + 16 * len(PROGRAMS), 16)
    for place, code in zip(places, PROGRAMS, strict=True):
        core.write(place, bytes.fromhex(code))
    return core, Interpreter(core, handler_cache_for(core, list(places)))


def handler(vector: int) -> int:
    """Return where streams.load lets a vector point."""
    return CODE + 64 * vector


def start(name: str, code: str, sr: int = 0x2000) -> tuple[Core, Evaluator | Interpreter]:
    """Put a program at CODE, with a status register, its three stacks, and the registers of FRAMES."""
    core, runs = engine(name)
    registers = [5, 0, 0xFFFFFFFF, 0, 0, 0, 0, 0, DATA, ODD, 0, 0, 0, 0, 0, 0]
    streams.load(core, bytes.fromhex(code), bytes(0x100), registers, X | OVERFLOW)
    supervisor, master = sr >> 13 & 1, sr >> 12 & 1
    core.state["s"], core.state["m"], core.state["ipl"] = supervisor, master, sr >> 8 & 7
    core.state["isp"], core.state["msp"], core.state["usp"] = STACK, MASTER_STACK, USER_STACK
    core.state["r"][15] = (MASTER_STACK if master else STACK) if supervisor else USER_STACK
    return core, runs


def status(core: Core) -> int:
    core_state = core.state
    flags = sum(int(core_state[f]) << bit for bit, f in enumerate("cvznx"))
    system = sum(int(core_state[f]) << bit for f, bit in (("trace", 14), ("s", 13), ("m", 12), ("ipl", 8)))
    return system | flags


def sp(core: Core) -> int:
    return int(core.state["r"][15])


def memory(core: Core, address: int, size: int) -> str:
    return core.ram[address : address + size].tobytes().hex(" ", 2)


def frame(sr: int, pc: int, kind: int, vector: int, address: int | None = None) -> str:
    """Return a frame as its words stand in memory."""
    text = f"{sr:04x}{pc:08x}{kind << 12 | vector * 4:04x}" + ("" if address is None else f"{address:08x}")
    return " ".join(text[i : i + 4] for i in range(0, len(text), 4))


@pytest.mark.first_case
@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("sr", [0x2000, 0x0000, 0x3000], ids=["supervisor", "user", "master"])
@pytest.mark.parametrize("program", FRAMES)
def test_frames(program: str, sr: int, name: str) -> None:
    """Frame, vector, stack and status of the exceptions that instructions cause, from every state."""
    code, vector, kind, ahead = FRAMES[program]
    if not sr & 0x2000 and program.startswith("movec"):
        vector = PRIVILEGE
    core, runs = start(name, code, sr)
    assert runs.run(1) == 1
    expected = frame(sr | X, CODE + ahead, kind, vector, CODE if kind == 2 else None)
    flags = {CHECK: 0xFFF0, DIVIDE_BY_ZERO: 0xFFF1}.get(vector, 0xFFFF)  # M68000PRM 4-69, 4-97: others are undefined
    size = 12 if kind == 2 else 8
    assert sp(core) == (MASTER_STACK if sr & 0x1000 else STACK) - size
    found = memory(core, sp(core), size)
    assert int(found[:4], 16) & flags & ~OVERFLOW == sr | X
    assert found[4:] == expected[4:]
    assert int(core.state["pc"]) == handler(vector)
    assert status(core) & 0xFF00 == sr & 0x1700 | 0x2000
    if not sr & 0x2000:
        assert core.state["usp"] == USER_STACK


# What Musashi does otherwise: it has an FPU, and takes a reserved extension word and the MC68020's CAAR
OTHERWISE = ("no FPU", "reserved extension word", "movec from no register")


@pytest.mark.parametrize("program", [name for name in FRAMES if not name.startswith(OTHERWISE)])
def test_frames_beside_musashi(program: str) -> None:
    """Another 68040 pushes the same words and goes on at the same handler."""
    judge = peers.peer("musashi")
    core, runs = start("evaluate", FRAMES[program][0])
    registers, _, pc, after = judge.run(peers.start(core, bytes.fromhex(FRAMES[program][0])))
    assert runs.run(1) == 1
    assert (registers[15], pc) == (sp(core), int(core.state["pc"]))
    assert after[sp(core) : STACK].tobytes() == core.ram[sp(core) : STACK].tobytes()


@pytest.mark.first_case
@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("sr", [0x2000, 0x0000], ids=["supervisor", "user"])
@pytest.mark.parametrize("program", ODD_TARGETS)
def test_odd_targets(program: str, sr: int, name: str) -> None:
    """The instruction is complete; the frame has its address and the target with A0 cleared."""
    code, moved, d0 = ODD_TARGETS[program]
    target = CODE + 2 + 0x7F if program == "bra.b" else ODD
    core, runs = start(name, code, sr)
    before = sp(core)
    core.write(before, target.to_bytes(4, "big"))
    assert runs.run(1) == 1
    expected = frame(sr | X | OVERFLOW, CODE, 2, ADDRESS_ERROR, target & ~1)
    if sr:
        assert sp(core) == before + moved - 12
    else:
        assert (sp(core), int(core.state["usp"])) == (STACK - 12, before + moved)
    assert memory(core, sp(core), 12) == expected
    if moved == -4:
        assert (
            memory(core, before - 4, 4)
            == f"{CODE + len(bytes.fromhex(code)):08x}"[:4] + " " + (f"{CODE + len(bytes.fromhex(code)):08x}"[4:])
        )
    assert int(core.state["pc"]) == handler(ADDRESS_ERROR)
    assert int(core.state["r"][0]) == d0


@pytest.mark.parametrize("name", ENGINES)
def test_returning_to_an_odd_address(name: str) -> None:
    """RTE is complete, so the frame goes on the stack that the restored state names, with the restored status."""
    core, runs = start(name, RTE["rte"])
    core.write(STACK, bytes.fromhex(frame(0x0011, ODD, 0, 0)))
    assert runs.run(1) == 1
    assert (sp(core), int(core.state["usp"])) == (STACK + 8 - 12, USER_STACK)
    assert memory(core, sp(core), 12) == frame(0x0011, CODE, 2, ADDRESS_ERROR, ODD & ~1)
    assert int(core.state["pc"]) == handler(ADDRESS_ERROR)


@pytest.mark.parametrize("name", ENGINES)
def test_an_odd_handler(name: str) -> None:
    """It is one more address error; that of the address error itself halts the CPU (8.2.2), and nothing moves on."""
    core, runs = start(name, "4afc")
    core.write(4 * ILLEGAL, ODD.to_bytes(4, "big"))
    assert runs.run(2) == 2
    assert memory(core, sp(core), 12) == frame(0x2000 | X | OVERFLOW, ODD, 2, ADDRESS_ERROR, ODD & ~1)
    core, runs = start(name, "4ed1")
    core.write(4 * ADDRESS_ERROR, ODD.to_bytes(4, "big"))
    for _ in range(2):
        assert runs.run(5) == 1
        assert (int(core.state["reason"]), int(core.state["detail"])) == (FAULT, DOUBLE_FAULT)
        assert (int(core.state["pc"]), sp(core)) == (ODD, STACK)


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("program", PRIVILEGED)
def test_privilege_violations(program: str, name: str) -> None:
    core, runs = start(name, PRIVILEGED[program], 0)
    before = core.state["r"][:15].tolist(), core.ram[DATA : DATA + 0x100].tobytes()
    assert runs.run(1) == 1
    assert memory(core, sp(core), 8) == frame(X | OVERFLOW, CODE, 0, PRIVILEGE)
    assert (sp(core), int(core.state["usp"]), int(core.state["pc"])) == (STACK - 8, USER_STACK, handler(PRIVILEGE))
    assert (core.state["r"][:15].tolist(), core.ram[DATA : DATA + 0x100].tobytes()) == before
    assert not core.state["stopped"]


def test_every_privileged_row_is_listed() -> None:
    """Executed in user state, no other row of the model takes the privilege violation."""
    core, runs = engine("evaluate")
    listed, found = set(), set()
    for code in PRIVILEGED.values():
        start("evaluate", code)
        listed.add(core.decode(CODE).row.pattern)
    for row, words in streams.random_opcodes(CPU):
        extensions = [f"{fixed_bits(pattern)[1]:04x}" for pattern in row.pattern.split()[1:]]
        start("evaluate", f"{int(words[0]):04x}" + "".join(extensions) + "0000" * 4, 0)
        runs.run(1)
        if int(core.state["pc"]) == handler(PRIVILEGE):
            found.add(row.pattern)
    assert found == listed


# RTE (8.4): what the frame's format says of its length; a handler may change every word of it
LENGTHS = {0: 8, 2: 12, 3: 12, 4: 16, 7: 60}


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("back", [0x0015, 0x2304, 0x3002], ids=["user", "supervisor", "master"])
@pytest.mark.parametrize("kind", LENGTHS)
def test_rte(kind: int, back: int, name: str) -> None:
    core, runs = start(name, RTE["rte"])
    core.write(STACK, bytes.fromhex(frame(back, 0x12346, kind, 0)))
    assert runs.run(1) == 1
    assert (status(core), int(core.state["pc"])) == (back, 0x12346)
    after = STACK + LENGTHS[kind]
    assert sp(core) == {0x0015: USER_STACK, 0x2304: after, 0x3002: MASTER_STACK}[back]
    if back != 0x2304:
        assert core.state["isp"] == after


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("kind", [5, 6, *range(8, 16)])
def test_format_errors(kind: int, name: str) -> None:
    """Vector 14 with a frame of four words below the bad one, which stays; the PC is that of RTE (8.2.7, 8.4)."""
    core, runs = start(name, RTE["rte"])
    bad = frame(0x0000, 0x12346, kind, 0)
    core.write(STACK, bytes.fromhex(bad))
    assert runs.run(1) == 1
    assert memory(core, STACK - 8, 16) == f"{frame(0x2000 | X | OVERFLOW, CODE, 0, FORMAT_ERROR)} {bad}"
    assert (sp(core), int(core.state["pc"])) == (STACK - 8, handler(FORMAT_ERROR))


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("throwaways", [1, 2, 3])
def test_throwaway_frames(throwaways: int, name: str) -> None:
    """Format 1: SR is taken, then the frame on top of the stack that it names (8.4.2); any number of them."""
    core, runs = start(name, RTE["rte"])
    for number in range(throwaways - 1):
        core.write(STACK + 8 * number, bytes.fromhex(frame(0x2000, 0x2222, 1, 25)))
    core.write(STACK + 8 * (throwaways - 1), bytes.fromhex(frame(0x3000, 0x2222, 1, 25)))
    core.write(MASTER_STACK, bytes.fromhex(frame(0x1001, 0x12346, 2, 5)))
    while int(core.state["pc"]) == CODE:
        assert runs.run(1) == 1
    assert (status(core), int(core.state["pc"]), sp(core)) == (0x1001, 0x12346, USER_STACK)
    assert (int(core.state["isp"]), int(core.state["msp"])) == (STACK + 8 * throwaways, MASTER_STACK + 12)


@pytest.mark.parametrize("name", ENGINES)
def test_a_bad_frame_below_a_throwaway(name: str) -> None:
    core, runs = start(name, RTE["rte"])
    core.write(STACK, bytes.fromhex(frame(0x3100, 0x2222, 1, 25)))
    core.write(MASTER_STACK, bytes.fromhex(frame(0x0000, 0x12346, 9, 0)))
    assert runs.run(1) == 1
    assert memory(core, MASTER_STACK - 8, 8) == frame(0x3100, CODE, 0, FORMAT_ERROR)
    assert (sp(core), int(core.state["isp"])) == (MASTER_STACK - 8, STACK + 8)


@pytest.mark.parametrize("level", [1, 6])
@pytest.mark.parametrize("sr", [0x2000, 0x0000], ids=["supervisor", "user"])
def test_interrupts(sr: int, level: int) -> None:
    """Format 0 on the interrupt stack, the address of the instruction that waits, the mask raised (8.2.9)."""
    core, runs = start("evaluate", "4e71", sr)
    runs.between(lambda m: exceptions.interrupt(m, level))
    assert memory(core, sp(core), 8) == frame(sr | X | OVERFLOW, CODE, 0, 24 + level)
    assert (sp(core), int(core.state["pc"])) == (STACK - 8, handler(24 + level))
    assert status(core) == 0x2000 | level << 8 | X | OVERFLOW


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("sr", [0x3000, 0x1000], ids=["supervisor", "user"])
def test_an_interrupt_of_the_master_state_and_the_way_back(sr: int, name: str) -> None:
    """A frame on the master stack and a throwaway on the interrupt stack, where the handler runs.

    The throwaway's SR has S set and keeps M: page 8-15 says it is clear, page 8-21 that it is mostly set, which RTE
    needs to come back to the master stack.
    """
    core, runs = start("evaluate", "4e73", sr)
    before = status(core)
    runs.between(lambda m: exceptions.interrupt(m, 3))
    assert memory(core, MASTER_STACK - 8, 8) == frame(before, CODE, 0, 27)
    assert memory(core, STACK - 8, 8) == frame(before | 0x2000, CODE, 1, 27)
    assert (sp(core), int(core.state["msp"]), status(core)) == (STACK - 8, MASTER_STACK - 8, 0x2300 | before & 31)
    state, stacks = core.state.copy(), core.ram[STACK - 64 : MASTER_STACK].copy()
    core, runs = start(name, "4e73")
    core.state[()], core.ram[STACK - 64 : MASTER_STACK] = state, stacks
    core.state["pc"] = CODE  # the handler is one RTE
    assert runs.run(1) == 1
    assert (status(core), int(core.state["pc"]), int(core.state["isp"])) == (before, CODE, STACK)
    assert (sp(core), int(core.state["msp"]))[0 if sr & 0x2000 else 1] == MASTER_STACK


@pytest.mark.parametrize("trace", [0x8000, 0x4000])
def test_trace_frames(trace: int) -> None:
    """Format 2, the next instruction with the traced one's address; T1 and T0 are cleared (8.2.6)."""
    core, runs = start("evaluate", "4e71 4e71")
    core.state["trace"] = trace >> 14
    assert runs.run(1) == 1
    runs.between(lambda m: exceptions.exception(m, TRACE), CODE)
    assert memory(core, sp(core), 12) == frame(0x2000 | trace | X | OVERFLOW, CODE + 2, 2, TRACE, CODE)
    assert (status(core), int(core.state["pc"])) == (0x2000 | X | OVERFLOW, handler(TRACE))


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("sr, stack", [(0x0000, USER_STACK), (0x2700, STACK)])
def test_stop(sr: int, stack: int, name: str) -> None:
    """The whole SR is loaded, S as well; what follows a value without it is in tests/machine/test_m68k_stop.py."""
    core, runs = start(name, f"4e72 {sr:04x}")
    assert runs.run(5) == 1
    assert (int(core.state["reason"]), int(core.state["stopped"])) == (STOPPED, 1)
    assert (status(core), sp(core), int(core.state["pc"])) == (sr, stack, CODE + 4)


# Control registers (M68000PRM table 6-1, column MC68040) and their bits that are written
CONTROL = {
    0x000: 7, 0x001: 7, 0x002: 0x80008000, 0x003: 0xC000, 0x004: 0xFFFFE364, 0x005: 0xFFFFE364, 0x006: 0xFFFFE364,
    0x007: 0xFFFFE364, 0x800: 0xFFFFFFFF, 0x801: 0xFFFFFFFF, 0x803: 0xFFFFFFFF, 0x804: 0xFFFFFFFF, 0x805: 0xFFFFFFFF,
    0x806: 0xFFFFFE00, 0x807: 0xFFFFFE00,
}  # fmt: skip


@pytest.mark.first_case
@pytest.mark.parametrize("name", ENGINES)
def test_control_registers(name: str) -> None:
    """Every number of 12 bits: it exists and holds its bits, or the move is an illegal instruction."""
    core, runs = start(name, "4e71")
    begin = core.state.copy()
    for number in range(1 << 12) if name == "evaluate" else (*CONTROL, 0x008, 0x802, 0x808, 0xFFF):
        core.state[()] = begin
        core.state["r"][0] = 0xFFFFFFFF
        core.write(CODE, bytes.fromhex(f"4e7b {number:04x} 4e7a {0x1000 | number:04x}"))
        runs.run(2 if number in CONTROL else 1)
        if number in CONTROL:
            assert (int(core.state["r"][1]), int(core.state["pc"])) == (CONTROL[number], CODE + 8), hex(number)
        else:
            assert memory(core, STACK - 8, 8) == frame(0x2000 | X | OVERFLOW, CODE, 0, ILLEGAL), hex(number)
