"""Exceptions and their stack frames (M68000PRM appendix B; MC68040UM section 8)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..spec.cpu import ACCESS_FETCH, ACCESS_WRITE, DOUBLE_FAULT, FAULT
from ..spec.rows import Insn
from ..spec.semantics import ExecutionContext
from ..spec.values import Word
from . import mc68000, mc68040
from .mc68000 import REGISTER_OR_IMMEDIATE, address_clocks, printed_clocks
from .state import get_sr, push, set_stack

ADDRESS_ERROR, ILLEGAL, DIVIDE_BY_ZERO, CHECK, TRAP_ON_OVERFLOW, PRIVILEGE, TRACE, LINE_A, LINE_F = range(3, 12)
FORMAT_ERROR = 14
TRAP = 32

NAMES = {
    ADDRESS_ERROR: "address error",
    ILLEGAL: "illegal instruction",
    DIVIDE_BY_ZERO: "division by zero",
    CHECK: "CHK out of bounds",
    TRAP_ON_OVERFLOW: "TRAPcc or TRAPV",
    PRIVILEGE: "privilege violation",
    TRACE: "trace",
    LINE_A: "unimplemented A-line instruction",
    LINE_F: "unimplemented F-line instruction",
    FORMAT_ERROR: "stack frame format error",
    DOUBLE_FAULT: "double fault: an address error while an exception was taken",
}
# exceptions of executed instructions: the stacked PC is the next instruction, their own address follows it
AFTER = (DIVIDE_BY_ZERO, CHECK, TRAP_ON_OVERFLOW, TRACE)
NOT_EXECUTED = (ADDRESS_ERROR, ILLEGAL, PRIVILEGE, LINE_A, LINE_F)

# Entries of the price tables by vector, and whether they are all that the instruction takes; TRAP #n and undefined
# words are rows of their own. MC68040UM section 10 prices undefined words, TRAP, TRAPcc, TRAPV and division by zero; no
# public figure exists for the others. Of these, what an instruction does after its operands (CHK, an odd target, a bad
# frame) is priced as division by zero, and what begins before it or between two as an undefined word.
ENTRIES = {
    "MC68000": {
        DIVIDE_BY_ZERO: ("Divide by zero", False),
        CHECK: ("CHK trap", False),
        TRAP_ON_OVERFLOW: ("TRAPV trap", False),
    },
    "MC68040": {
        TRAP_ON_OVERFLOW: ("TRAPcc/TRAPV taken", True),
        **dict.fromkeys((DIVIDE_BY_ZERO, CHECK, ADDRESS_ERROR, FORMAT_ERROR), ("Divide by zero", False)),
    },
}
OTHER_ENTRY = ("ILLEGAL, A-line, F-line", True)


def _printed(model: str, entry: str) -> int:
    return mc68000.printed_clocks(entry) if model == "MC68000" else mc68040.printed_clocks(entry)[1]


def clocks_of(model: str, vector: int) -> tuple[int, bool]:
    """Return the clocks of an exception, and whether nothing else of the instruction counts."""
    entry, is_whole = ENTRIES[model].get(vector, OTHER_ENTRY)
    return _printed(model, entry), is_whole


def vector_name(vector: int) -> str:
    """Return what an exception vector means."""
    return NAMES.get(vector) or (
        f"TRAP #{vector - TRAP}" if TRAP <= vector < TRAP + 16 else f"exception vector {vector}"
    )


def push_frame(m: ExecutionContext, kind: int, vector: Word, pc: Word, sr: Word) -> None:
    """Push the four words that every MC68040 frame begins with: SR, PC, format with vector offset."""
    high, low = sr.zext(32) << 16 | pc >> 16, pc << 16 | vector * 4 | kind << 12
    parts: tuple[Word, ...] = low, high
    if m.cpu.choices["exception-frame"] == "words":
        parts = tuple(part for each in parts for part in (each.trunc(16), (each >> 16).trunc(16)))
    for part in parts:
        push(m, part)


def exception(m: ExecutionContext, vector: int | Word, target: Word | None = None, is_between: bool = False) -> None:
    """Take an exception: push its frame and continue at the vector; without a handler (address 0) the run ends.

    target      of an address error: the odd address, when the instruction that jumps there takes the exception
    is_between  it is taken between two instructions, as that of a trace always is
    """
    known = vector if isinstance(vector, int) else TRAP
    number = m.const(32, vector) if isinstance(vector, int) else vector
    odd = m.pc if target is None else target

    def take(handler: Word) -> None:
        m.raised = known
        m.exception_taken(number)
        if is_between or known == TRACE:
            m.set("cycles", m.get("cycles") + clocks_of(m.cpu.model, known)[0])
        elif known < TRAP:
            clocks, whole = clocks_of(m.cpu.model, known)
            m.timing.exception(clocks, whole)
        sr = get_sr(m)
        m.set("trace", m.const(2, 0))
        set_stack(m, m.const(1, 1), m.get("m"))
        pc = m.next_pc if known in AFTER or known >= TRAP else m.pc
        if m.cpu.model == "MC68000":
            push(m, pc)
            push(m, sr)
        elif known in AFTER or known == ADDRESS_ERROR:
            push(m, m.pc if known in AFTER else odd & ~1)
            push_frame(m, 2, number, pc, sr)
        else:
            push_frame(m, 0, number, pc, sr)
        m.jump(handler)

    if known == ADDRESS_ERROR and m.cpu.model != "MC68000":
        vector_or_fault(m, number, take, stay=odd, double=True)
    else:
        vector_or_fault(m, number, take)


def jump(m: ExecutionContext, target: Word, complete: Callable[[], None] = lambda: None) -> None:
    """Continue at a computed address.

    complete  what else the instruction does: an odd target stops an MC68000 before it; an MC68040 completes the
              instruction and takes the address error then (MC68040UM 8.2.2)
    """
    if m.cpu.aligned:
        m.jump(target)
        complete()
    else:
        complete()
        m.jump(target)
        m.when((target & 1).ne(0), lambda: exception(m, ADDRESS_ERROR, target))


def branch(m: ExecutionContext, condition: Word, target: Word, complete: Callable[[], None] = lambda: None) -> None:
    """Continue at a decoded target when the condition holds; an MC68040 notices an odd one even if it does not."""
    if m.cpu.aligned:
        m.branch(condition, target)
        complete()
    elif target.known is not None and target.known & 1:  # engines that do not know targets never run odd ones
        m.outcome(condition)
        complete()
        exception(m, ADDRESS_ERROR, target)
    else:
        complete()
        m.branch(condition, target)


def is_traced(m: ExecutionContext, trace: int, insn: Insn) -> bool:
    """Does an instruction that began with trace bits T1 T0 end in a trace exception? `m` has just run it.

    An exception of its own suppresses it on the MC68040 (MC68040UM 8.3, 8.2.6); on the MC68000 only one that kept the
    instruction from being executed does (M68000UM 6.3.8).
    T0: change of flow (MC68040UM 8.2.6), which includes what refills the pipeline: the rows with the option `refills`,
    a list that others have verified on hardware.
    """
    if m.raised is not None and (m.cpu.model != "MC68000" or m.raised in NOT_EXECUTED):
        return False
    return bool(trace & 2) or m.flowed or bool(insn.row.options.get("refills"))


def is_bad_stop(state: np.ndarray) -> bool:
    """Has the CPU stopped outside the supervisor state?"""
    return not state["s"]


def bad_stop(m: ExecutionContext) -> None:
    """Take the privilege violation of a STOP whose value has no S (M68000PRM 6-85), behind the instruction.

    SR has been loaded by then, and the state of the stop is what published vectors end with.
    """
    exception(m, PRIVILEGE, is_between=True)


AUTOVECTOR = 24


def interrupt(m: ExecutionContext, level: int) -> None:
    """Take an autovectored interrupt between two instructions; the new mask is its level."""

    def take(handler: Word) -> None:
        m.set("cycles", m.get("cycles") + _printed(m.cpu.model, "Interrupt"))
        sr = get_sr(m)
        m.set("trace", m.const(2, 0))
        m.set("ipl", m.const(3, level))

        def frame(kind: int, status: Word) -> None:
            if m.cpu.model == "MC68000":
                push(m, m.pc)
                push(m, status)
            else:
                push_frame(m, kind, m.const(32, AUTOVECTOR + level), m.pc, status)

        master = m.get("m")
        set_stack(m, m.const(1, 1), master)
        frame(0, sr)

        def throwaway() -> None:
            """An interrupt on the master stack continues on the interrupt stack (MC68040UM 8.4.2)."""
            set_stack(m, m.const(1, 1), m.const(1, 0))
            frame(1, sr | 0x2000)

        m.when(master, throwaway)
        m.jump(handler)

    vector_or_fault(m, AUTOVECTOR + level, take)


def accepts(state: np.ndarray, level: int) -> bool:
    """Tell whether an interrupt would be taken now: its level is above the mask."""
    return int(state["ipl"]) < level


def vector_or_fault(
    m: ExecutionContext,
    vector: int | Word,
    take: Callable[[Word], None],
    stay: Word | None = None,
    double: bool = False,
) -> None:
    """Run take(handler) for the handler that a vector names; without one (address 0) the run ends as a fault.

    stay    where the program counter is then, by default at the instruction
    double  an odd handler halts the CPU
    """
    number = m.const(32, vector) if isinstance(vector, int) else vector
    handler = m.load(m.get("vbr") + number * 4, 32)

    def fault(detail: Word) -> None:
        m.jump_back() if stay is None else m.jump(stay)
        m.leave(FAULT, detail)

    def found() -> None:
        if double:
            m.when((handler & 1).ne(0), lambda: fault(m.const(32, DOUBLE_FAULT)), lambda: take(handler))
        else:
            take(handler)

    m.when(handler.eq(0), lambda: fault(number), found)


# The MC68000's address error: the group-0 stack frame (M68000UM section 6.3.9).
#
# SP+0  access: 11 bits that the manual leaves undefined (the instruction register's), R/W, I/N, function code
# SP+2  access address    SP+6  instruction register    SP+8  status register    SP+10  program counter

READ = 16
DATA_SPACE, PROGRAM_SPACE, SUPERVISOR = 1, 2, 4


def address_error(m: Any, insn: Insn) -> None:
    """Take the exception, on the evaluator; `insn` has been aborted, its side effects up to the access stand."""
    access, address = m.get("access").number, m.get("detail")
    fetch, write = bool(access & ACCESS_FETCH), bool(access & ACCESS_WRITE)
    space = PROGRAM_SPACE if fetch or ("PC" in insn.forms.get("ea", "") and not write) else DATA_SPACE
    supervisor = SUPERVISOR if m.get("s").known else 0
    opcode = m.opcode
    if insn.row.name == "MOVE" and write and insn.forms.get("ea2") == "-(An)" and insn.forms["s"] == "W":
        opcode = m.core.word(insn.end)  # the next instruction has been taken up before the write
    word = (opcode & 0xFFE0) | (0 if write else READ) | space | supervisor
    sr = get_sr(m)

    def take(handler):
        m.raised = ADDRESS_ERROR
        m.exception_taken(ADDRESS_ERROR)
        m.set("cycles", m.get("cycles") + _elapsed(insn, access) + printed_clocks("Address error"))
        m.set("trace", m.const(2, 0))
        set_stack(m, m.const(1, 1), m.const(1, 0))
        push(m, m.const(32, _stacked_pc(insn, access)))
        push(m, sr)
        push(m, m.const(16, opcode))
        push(m, address)
        push(m, m.const(16, word))
        m.jump(handler)

    vector_or_fault(m, ADDRESS_ERROR, take)


# what the program counter has moved beyond the opcode's successor when an operand is accessed, by addressing mode
MOVED = {"-(An)": 2, "(xxx).W": 2, "(xxx).L": 4}


def _stacked_pc(insn: Insn, access: int) -> int:
    """Return the program counter at the access: it follows the prefetch, which runs ahead by mode and instruction."""
    name, forms = insn.row.name, insn.forms
    if access & ACCESS_FETCH:
        return _pc_at_a_jump(insn)
    if name == "MOVE" and access & ACCESS_WRITE and "ea2" in forms:
        return insn.end + _destination_ahead(forms)
    if name == "MOVEM":
        return insn.end + 2
    if name in ("ADDX", "SUBX", "CMPM", "UNLK", "DB"):
        return insn.pc + 4
    immediate = (
        {"B": 2, "W": 2, "L": 4}[forms["s"]] if insn.row.operands[1:2] and insn.row.operands[1][0] == "imm" else 0
    )
    if forms.get("ea") == "-(An)" and forms.get("s") == "L":
        return insn.pc + 2 + immediate
    return insn.pc + 2 + immediate + MOVED.get(forms.get("ea", ""), 0)


def _destination_ahead(forms: dict[str, str]) -> int:
    """Return what the prefetch is ahead of MOVE's last word at the write (guide/facts/m68000_timing.md section 2)."""
    if forms["ea2"] == "(xxx).L":
        return 0 if forms["ea"] in REGISTER_OR_IMMEDIATE else -2
    return {"-(An)": 2, "(An)": 2, "(An)+": 2}.get(forms["ea2"], 0)


def _pc_at_a_jump(insn: Insn) -> int:
    """Return the program counter when the first word at an odd target is fetched."""
    if insn.row.name == "BSR":
        return insn.fields[0]
    if insn.row.name == "JSR":
        return insn.end
    return insn.pc + (4 if insn.row.name == "DB" else 2)


# idle clocks and operand fetches before a jump fetches from its target (guide/facts/m68000_timing.md section 2)
JUMP = {"(An)": 0, "(d16,An)": 2, "(d8,An,Xn)": 6, "(xxx).W": 2, "(xxx).L": 4, "(d16,PC)": 2, "(d8,PC,Xn)": 6}
RETURNS = {"RTS": 8, "RTR": 12, "RTE": 12, "BSR": 10}


def _elapsed(insn: Insn, access: int) -> int:
    """Return the clocks between the start of an instruction and its aborted access."""
    name, forms, number = insn.row.name, insn.forms, access & 0xFF
    form, size = forms.get("ea", ""), 8 if forms.get("s") == "L" else 4
    if access & ACCESS_FETCH:
        return JUMP[form] if name in ("JMP", "JSR") else RETURNS.get(name, 2)  # others: an exception's odd handler
    if name in ("ADDX", "SUBX"):
        return 2 + (size if number else 0)
    if name == "CMPM":
        return size if number else 0
    if name == "MOVE" and access & ACCESS_WRITE and "ea2" in forms:
        destination = address_clocks(forms["ea2"], False) - (6 if forms["ea2"] == "-(An)" else 4)
        late = 4 if forms["ea2"] == "(xxx).L" and form not in REGISTER_OR_IMMEDIATE else 0
        return address_clocks(form, size == 8) + destination - late + (4 if forms["ea2"] == "-(An)" else 0)
    if name == "BSR":
        return 2
    if name in ("JSR", "PEA"):
        return (JUMP[form] if name == "JSR" else address_clocks(form, False) - 4) + 4
    if not form:
        return 0
    immediate = (
        {"B": 4, "W": 4, "L": 8}[forms["s"]] if insn.row.operands[1:2] and insn.row.operands[1][0] == "imm" else 0
    )
    mask = (2 if form == "-(An)" else 4) if name == "MOVEM" else 0  # its -(An) has no idle clocks
    return immediate + mask + address_clocks(form, False) - 4
