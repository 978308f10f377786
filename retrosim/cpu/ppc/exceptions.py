"""Exceptions of the PowerPC 601 (601UM chapter 5): SRR0 and SRR1, and on at the vector in supervisor state."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..spec.cpu import FAULT
from ..spec.semantics import ExecutionContext
from ..spec.values import Word
from .mpc601_clocks import table
from .state import MSR_EE, MSR_EP, MSR_ME, MSR_PR

DATA_ACCESS, EXTERNAL, ALIGNMENT, PROGRAM, NO_FLOATING_POINT = 0x300, 0x500, 0x600, 0x700, 0x800
DECREMENTER, SYSTEM_CALL = 0x900, 0xC00
# causes of a program exception: bits of SRR1
ILLEGAL, PRIVILEGED, TRAP = 0x00080000, 0x00040000, 0x00020000
EXTERNAL_CONTROL = 0x00100000  # cause of a data access exception in DSISR: eciwx or ecowx while EAR forbids them

NAMES = {
    DATA_ACCESS: "data access",
    EXTERNAL: "external interrupt",
    ALIGNMENT: "alignment",
    PROGRAM: "program: illegal or privileged instruction, or trap",
    NO_FLOATING_POINT: "floating-point unavailable",
    DECREMENTER: "decrementer",
    SYSTEM_CALL: "system call",
}
PREFIX = 0xFFF00000  # of vectors while MSR[EP] is set
NO_HANDLER = 0  # an instruction that is none: what lies at a vector that nothing was written to


def accepts(state: np.ndarray, level: int) -> bool:
    """Tell whether an external interrupt would be taken now; there are no levels."""
    return bool(int(state["msr"]) & MSR_EE)


def vector_name(vector: int) -> str:
    """Return what an exception vector means."""
    return NAMES.get(vector, f"exception vector {vector:x}h")


def exception(m: ExecutionContext, vector: int, cause: int = 0) -> None:
    """Take an exception of this instruction; without a handler (0 at its vector) the run ends.

    cause    bits of SRR1 in addition to the machine state
    """
    enter(m, vector, m.pc if vector != SYSTEM_CALL else m.next_pc, cause)


def interrupt(m: ExecutionContext, level: int) -> None:
    """Take an external interrupt between two instructions; levels do not differ. The host looks at MSR[EE] before."""
    m.set("cycles", m.get("cycles") + table()["exception"].execute[0])
    enter(m, EXTERNAL, m.pc, 0)


def enter(m: ExecutionContext, vector: int, address: Word, cause: int) -> None:
    state = m.get("msr")
    prefix = m.select((state & MSR_EP).ne(0), m.const(32, PREFIX), m.const(32, 0))
    handler = prefix | vector

    def fault() -> None:
        m.jump_back()
        m.leave(FAULT, vector)

    def take() -> None:
        m.timing.exception()
        m.exception_taken(vector)
        m.set("srr0", address)
        m.set("srr1", (state & 0xFFFF) | cause)
        m.set("msr", state & (MSR_ME | MSR_EP))
        m.jump(handler)

    m.when(m.peek(handler, 32).eq(NO_HANDLER), fault, take)


def privileged(m: ExecutionContext, body: Callable[[], None]) -> None:
    """Run `body` in supervisor state; a user gets the program exception before anything happens."""
    m.when((m.get("msr") & MSR_PR).eq(0), body, lambda: exception(m, PROGRAM, PRIVILEGED))


def aligned(m: ExecutionContext, address: Word, operands: Word, body: Callable[[], None]) -> None:
    """Run `body` when a word address is aligned; else take the alignment exception.

    operands  what DSISR tells of the instruction: see `instruction_bits`
    """

    def misaligned() -> None:
        m.set("dar", address)
        m.set("dsisr", operands)
        exception(m, ALIGNMENT)

    m.when((address & 3).eq(0), body, misaligned)


def instruction_bits(m: ExecutionContext, pattern: str, d: Word, a: Word) -> Word:
    """Return DSISR of an alignment exception of an indexed form: opcode bits, rD or rS, rA (601UM section 5.4.6)."""
    bits = pattern[29:31] + pattern[25] + pattern[21:25]
    return d << 5 | (a & 31) | int(bits, 2) << 10
