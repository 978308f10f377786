"""Exceptions and their stack frames (M68000PRM appendix B; MC68040UM section 8)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..core import DOUBLE_FAULT, FAULT
from ..engine import Engine
from ..values import Word
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
    DOUBLE_FAULT: "double fault, the stack pointer is odd",
}
# vectors whose stacked PC is the next instruction, with the instruction's own address beside it (format 2 frames)
# clocks of the MC68000 (M68000UM table 8-14), and whether they replace those of the instruction
CLOCKS = {DIVIDE_BY_ZERO: (38, False), CHECK: (28, False), TRAP_ON_OVERFLOW: (30, False)}
AFTER = (DIVIDE_BY_ZERO, CHECK, TRAP_ON_OVERFLOW, TRACE)


def vector_name(vector: int) -> str:
    """Return what an exception vector means."""
    return NAMES.get(vector) or (
        f"TRAP #{vector - TRAP}" if TRAP <= vector < TRAP + 16 else f"exception vector {vector}"
    )


def exception(m: Engine, vector: int | Word) -> None:
    """Take an exception: push its frame and go on at the vector; without a handler (address 0) the run ends."""
    known = vector if isinstance(vector, int) else TRAP
    after = known in AFTER or known >= TRAP
    number = m.const(32, vector) if isinstance(vector, int) else vector
    clocks, whole = CLOCKS.get(known, (34, True)) if known < TRAP else (0, False)

    def take(handler: Word) -> None:
        m.timing.depends("exception", m.const(32, clocks), m.const(1, whole))
        sr = get_sr(m)
        m.set("trace", m.const(2, 0))
        set_stack(m, m.const(1, 1), m.get("m"))
        if m.cpu.model != "MC68000":
            if known in AFTER:
                push(m, m.pc)
            push(m, (number * 4).trunc(16) | (0x2000 if known in AFTER else 0))
        push(m, m.next_pc if after else m.pc)
        push(m, sr)
        m.jump(handler)

    vector_or_fault(m, number, take)


AUTOVECTOR = 24
INTERRUPT_CLOCKS = {"MC68000": 44, "MC68040": 27}  # M68000UM table 8-14; MC68040: TRAP and acknowledge, estimate 25-30


def interrupt(m: Engine, level: int) -> None:
    """Take an autovectored interrupt between two instructions; the new mask is its level."""

    def take(handler: Word) -> None:
        m.set("cycles", m.get("cycles") + INTERRUPT_CLOCKS[m.cpu.model])
        sr, vector = get_sr(m), m.const(16, 4 * (AUTOVECTOR + level))
        m.set("trace", m.const(2, 0))
        m.set("ipl", m.const(3, level))

        def frame(kind: int, status: Word) -> None:
            if m.cpu.model != "MC68000":
                push(m, vector | kind << 12)
            push(m, m.pc)
            push(m, status)

        master = m.get("m")
        set_stack(m, m.const(1, 1), master)
        frame(0, sr)

        def throwaway() -> None:
            """From the master stack an interrupt goes on on the interrupt stack (MC68040UM 8.4.2)."""
            set_stack(m, m.const(1, 1), m.const(1, 0))
            frame(1, sr | 0x2000)

        m.when(master, throwaway)
        m.jump(handler)

    vector_or_fault(m, AUTOVECTOR + level, take)


def accepts(state: np.ndarray, level: int) -> bool:
    """Tell whether an interrupt would be taken now: its level is above the mask."""
    return int(state["ipl"]) < level


def vector_or_fault(m: Engine, vector: int | Word, take: Callable[[Word], None]) -> None:
    """Run take(handler) for the handler that a vector names; without one (address 0) the run ends as a fault."""
    number = m.const(32, vector) if isinstance(vector, int) else vector
    handler = m.load(m.get("vbr") + number * 4, 32)

    def fault() -> None:
        m.jump_back()
        m.leave(FAULT, number)

    m.when(handler.eq(0), fault, lambda: take(handler))
