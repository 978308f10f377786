"""Tracing, and the order of exceptions that coincide (MC68040UM 8.2.6, 8.3; M68000UM 6.2.3, 6.3.8); x86 steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrosim.asm.project import load_for
from retrosim.machine import Machine
from retrosim.machine.memory import STACK_START
from tests.helpers.machine import programs
from tests.helpers.machine.programs import ENTRY

MODELS = {"mc68000-8": "m68000", "mc68040-25": "m68040"}
PRIVILEGE, TRACE, TICK = 8, 9, 25
HANDLER = 0x3000
ALL, FLOW = 0x8000, 0x4000  # T1, T0


def traced(code: str, sr: int, name: str = "mc68040-25", **options) -> Machine:
    """A program that begins with a status register; the handler of vector n is a loop at HANDLER + 16 n."""
    ours = programs.machine(code, name=name, isa=MODELS[name], **options)
    for vector in range(2, 64):
        ours.write(4 * vector, (HANDLER + 16 * vector).to_bytes(4, "big"))
        ours.write(HANDLER + 16 * vector, bytes.fromhex("60fe"))
    ours.regs["sr"] = sr
    return ours


def entered(ours: Machine) -> int | None:
    """Return the vector whose handler is about to run."""
    place = ours.regs["pc"] - HANDLER
    return place // 16 if 0 <= place < 1024 and not place % 16 else None


def frames(ours: Machine) -> list[tuple[int, int, int]]:
    """Return (vector, PC, SR) of the MC68040's frames on the stack, the last exception first."""
    found, place = [], ours.regs["a7"]
    while place < STACK_START:
        word = int.from_bytes(ours.mem[place + 6 : place + 8].tobytes(), "big")
        pc = int.from_bytes(ours.mem[place + 2 : place + 6].tobytes(), "big")
        found.append(((word & 0xFFF) // 4, pc, int.from_bytes(ours.mem[place : place + 2].tobytes(), "big")))
        place += {0: 8, 2: 12}[word >> 12]
    return found


# instruction -> is it traced with T1, with T0 (MC68040), with T1 (MC68000)? None: not an instruction of the MC68000
INSTRUCTIONS = {
    "moveq": ("7001", True, False, True),
    "bra": ("6002 4e71", True, True, True),
    "bra to the next": ("6000 0002", True, True, True),
    "beq, not taken": ("6702 4e71", True, False, True),
    "jmp": ("4ef8 1004", True, True, True),
    "dbra d1": ("51c9 0002", True, False, True),  # d1 = 0: it falls through
    "nop": ("4e71", True, True, True),  # refills the pipeline, as those below
    "ori to sr": ("007c 0000", True, True, True),
    "andi to sr": ("027c 3fff", True, True, True),
    "ori to ccr": ("003c 0000", True, False, True),
    "move to usp": ("4e60", True, True, True),
    "move from usp": ("4e68", True, False, True),
    "movec to vbr": ("4e7b 1801", True, True, None),
    "movec from vbr": ("4e7a 1801", True, False, None),
    "cinva": ("f4d8", True, True, None),
    "stop": ("4e72 2700", True, True, True),  # it does not wait
    # an exception of its own: the MC68040 does not report the trace, its handler looks at the stacked bits (8.3)
    "trap": ("4e43", False, False, True),
    "division by zero": ("80fc 0000", False, False, True),
    "chk": ("41bc ffff", False, False, True),
    "trapv": ("44fc 0002 4e76", True, False, True),
    # not executed at all
    "illegal": ("4afc", False, False, False),
    "line F": ("ffff", False, False, False),
    "odd target": ("4ef8 1001", False, False, False),
}


@pytest.mark.parametrize("name, bits, column", [("mc68040-25", ALL, 1), ("mc68040-25", FLOW, 2), ("mc68000-8", ALL, 3)])
def test_what_is_traced(name: str, bits: int, column: int) -> None:
    ours = traced("", 0x2700, name)
    for case, (code, *columns) in INSTRUCTIONS.items():
        expected = columns[column - 1]
        if expected is None:
            continue
        ours.write(ENTRY, bytes.fromhex(code + " 4e71"))
        ours.regs["a7"], ours.regs["pc"], ours.regs["d1"], ours.regs["sr"] = STACK_START, ENTRY, 0, 0x2700 | bits
        ours.run(instructions=1)
        assert (entered(ours) == TRACE) == expected, case
        if expected:
            assert ours.regs["sr"] & 0xC000 == 0 and not ours.run(instructions=1).fault, case


def test_a_user_is_not_traced_into_the_supervisor() -> None:
    """A privilege violation is not executed, and its frame keeps the trace bit for the handler."""
    for name in MODELS:
        ours = traced("4e70", ALL, name)
        ours.run(instructions=1)
        assert entered(ours) == 8
        assert ours.mem[ours.regs["a7"]] == 0x80


def test_trap_and_trace_of_the_mc68000() -> None:
    """The trap's exception comes first, then that of the trace, whose handler therefore runs first."""
    ours = traced("4e43", 0x2000 | ALL, "mc68000-8")
    ours.run(instructions=1)
    stack = ours.mem[ours.regs["a7"] : STACK_START].tobytes().hex()
    trap = HANDLER + 16 * 35
    assert stack == f"2000{trap:08x}" + f"a000{ENTRY + 2:08x}"


def test_a_status_register_traces_from_the_next_instruction_on() -> None:
    """The bits count as they are when an instruction begins: setting them is not traced, clearing them is."""
    ours = traced("007c 8000 7001 7201", 0x2700)
    ours.run(instructions=1)
    assert ours.regs["pc"] == ENTRY + 4
    ours.run(instructions=1)
    assert entered(ours) == TRACE and frames(ours) == [(TRACE, ENTRY + 6, 0xA700)]
    ours = traced("46fc 2700 7001", 0x2700 | ALL)
    ours.run(instructions=1)
    assert entered(ours) == TRACE and frames(ours) == [(TRACE, ENTRY + 4, 0x2700)]


def test_return_to_a_traced_program() -> None:
    """RTE restores the bit; the instruction that it goes back to is traced, RTE itself is not."""
    ours = traced("7001 7201 7401", 0x2700 | ALL)
    ours.write(HANDLER + 16 * TRACE, bytes.fromhex("5287 4e73"))
    ours.run(instructions=9)
    assert [ours.regs[r] for r in ("d0", "d1", "d2", "d7")] == [1, 1, 1, 3]
    assert ours.regs["pc"] == ENTRY + 6 and ours.regs["sr"] & 0xC000 == ALL


def pending(code: str, sr: int, name: str = "mc68040-25") -> Machine:
    """A program whose first instruction ends when a tick is due."""
    ours = traced(code, sr, name)
    ours.core.state["cycles"] = ours._next_tick - 1
    return ours


def test_instruction_exception_then_interrupt() -> None:
    """TRAP's exception is processed first; the interrupt is taken before its handler's first instruction (8.3)."""
    ours = pending("4e43", 0x2000)
    ours.run(instructions=1)
    assert entered(ours) == TICK
    assert frames(ours) == [(TICK, HANDLER + 16 * 35, 0x2000), (35, ENTRY + 2, 0x2000)]


@pytest.mark.parametrize("name", MODELS)
def test_trace_then_interrupt(name: str) -> None:
    """The trace is processed before the interrupt, whose handler therefore runs first (8.2.6; M68000UM 6.2.3)."""
    ours = pending("7001", 0x2000 | ALL, name)
    ours.run(instructions=1)
    assert entered(ours) == TICK
    if name == "mc68040-25":
        assert frames(ours) == [(TICK, HANDLER + 16 * TRACE, 0x2000), (TRACE, ENTRY + 2, 0xA000)]
    else:
        stack = ours.mem[ours.regs["a7"] : STACK_START].tobytes().hex()
        assert stack == f"2000{HANDLER + 16 * TRACE:08x}" + f"a000{ENTRY + 2:08x}"


def test_address_error_then_interrupt() -> None:
    """An odd target is reported before an interrupt (table 8-4): the interrupt never sees the odd address."""
    ours = pending("4ef8 1001", 0x2000)
    ours.run(instructions=1)
    assert frames(ours) == [(TICK, HANDLER + 16 * 3, 0x2000), (3, ENTRY, 0x2000)]


def test_stop_ends_with_an_interrupt_that_its_mask_allows() -> None:
    """The stacked PC is the instruction behind STOP, the stacked SR what STOP has loaded."""
    ours = traced("4e72 2000 7001", 0x2700)
    assert ours.run(until=HANDLER + 16 * TICK, instructions=10).instructions == 1
    assert entered(ours) == TICK and frames(ours) == [(TICK, ENTRY + 4, 0x2000)]


@pytest.mark.parametrize("engine", ["evaluate", "interpret", "recompile"])
@pytest.mark.parametrize("name", MODELS)
def test_a_stop_without_s_is_a_privilege_violation(name: str, engine: str) -> None:
    """SR is loaded first: the stacked SR is what STOP has loaded, the PC the instruction behind it (M68000PRM 6-85)."""
    ours = traced("4e72 0015 7001", 0x2700, name, engine=engine)
    assert ours.run(until=HANDLER + 16 * PRIVILEGE, instructions=10).instructions == 1
    assert entered(ours) == PRIVILEGE and not ours.core.state["stopped"]
    if name == "mc68040-25":
        assert frames(ours) == [(PRIVILEGE, ENTRY + 4, 0x0015)]
    else:
        assert ours.mem[ours.regs["a7"] : STACK_START].tobytes().hex() == f"0015{ENTRY + 4:08x}"
    assert ours.regs["sr"] & 0x2000


@pytest.mark.parametrize("name", MODELS)
def test_a_traced_stop_is_traced_only(name: str) -> None:
    ours = traced("4e72 0015 7001", 0x2700 | ALL, name)
    ours.run(instructions=1)
    assert entered(ours) == TRACE


def test_code_that_a_traced_instruction_writes() -> None:
    """move.w #$7202,$1006 over the instruction behind it: traced as any other, and the new code runs."""
    ours = traced("31fc 7202 1006 7201", 0x2700 | ALL, engine="interpret")
    ours.write(HANDLER + 16 * TRACE, bytes.fromhex("4e73"))
    ours.run(instructions=2)
    assert ours.regs["pc"] == ENTRY + 6
    ours.run(instructions=1)
    assert ours.regs["d1"] == 2 and entered(ours) == TRACE


# exit status: bit 0 BS of DR6 in the handler of INT1, bit 1 in that of a single step
STEPS = """
_start: xor ax,ax
        mov ds,ax
        mov word [4],step
        mov word [6],0
        xor edx,edx
        mov dr6,edx
        int1
        mov cl,bl
        pushf
        pop ax
        or ax,0x100
        push ax
        popf
        nop
        movzx eax,bl
        add al,al
        or al,cl
        int 0x62
step:   mov ebx,dr6
        shr ebx,14
        iret
"""


@pytest.mark.first_case
@pytest.mark.parametrize("engine", ["evaluate", "interpret"])
@pytest.mark.parametrize("name", ["i386dx-33", "i486dx2-66"])
def test_dr6_tells_a_single_step(name: str, engine: str, tmp_path: Path) -> None:
    """BS, bit 14 (Intel 386 PRM 12.2.3); INT1, which has the same vector, leaves it."""
    source = tmp_path / "steps.asm"
    source.write_text(STEPS)
    ours = Machine(name, load_for(source, name, boot="real").program, engine=engine, timing="off")
    ours.run(instructions=100)
    assert ours.exit_status == 2
