"""Exceptions and interrupts (Intel 386 PRM chapters 9 and 14).

Real mode takes handlers from the vector table, 4 bytes a vector; 0:0 stands for none. Flat mode takes them from
interrupt and trap gates, 8 bytes a vector, whose selectors are not looked up: all code is in the one flat segment.
A run ends as a fault at an exception without a handler.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..spec.cpu import DOUBLE_FAULT, FAULT
from ..spec.rows import Insn
from ..spec.semantics import ExecutionContext
from ..spec.values import Word
from .clocks import clocks as entries
from .clocks import entry, table
from .modes import is_286, is_real
from .modrm import ESP
from .segments import CS, GENERAL_PROTECTION, STACK_FAULT, load_segment
from .state import get_flags, offset_of, push

DIVIDE, DEBUG, NMI, BREAKPOINT, OVERFLOW, BOUND, INVALID, NO_FPU = range(8)
FRAME = 3  # words that an exception pushes in real mode
UNDEFINED_BYTES = 2  # that have been decoded when it shows that they are no instruction: of the 286, prefixes apart
WITH_ERROR_CODE = (8, 10, 11, 12, 13, 14)

NAMES = {
    DIVIDE: "division error",
    DEBUG: "debug exception",
    BREAKPOINT: "breakpoint",
    OVERFLOW: "INTO overflow",
    BOUND: "BOUND range exceeded",
    INVALID: "invalid opcode",
    NO_FPU: "no coprocessor",
    STACK_FAULT: "stack segment limit",
    GENERAL_PROTECTION: "general protection",
    DOUBLE_FAULT: "double fault",
}


def vector_name(vector: int) -> str:
    """Return what a vector means."""
    return NAMES.get(vector, f"interrupt {vector:02X}h")


def enter(m: ExecutionContext, vector: Word | int, back: Word, error_code: bool = False) -> None:
    """Go to the handler of a vector, to return to the linear address `back`; without one the run ends as a fault."""
    number = m.const(32, vector) if isinstance(vector, int) else vector
    m.raised = number.known
    (_enter_real if is_real(m.cpu.model) else _enter_flat)(m, number, back, error_code)


def _unhandled(m: ExecutionContext, number: Word) -> Callable[[], None]:
    def fault() -> None:
        m.jump_back()
        m.leave(FAULT, number)

    return fault


def _enter_real(m: ExecutionContext, number: Word, back: Word, error_code: bool) -> None:
    handler = m.load(m.get("idt_base") + number * 4, 32)
    outside = m.get("idt_limit").zext(32).ult(number * 4 + 3)

    def take() -> None:
        m.exception_taken(number)
        push(m, get_flags(m, 16))
        push(m, m.element("seg", m.const(32, CS)))
        push(m, offset_of(m, back).trunc(16))
        m.set("if", m.const(1, 0))
        m.set("tf", m.const(1, 0))
        selector = handler >> 16
        load_segment(m, CS, selector.trunc(16))
        m.jump((selector << 4) + (handler & 0xFFFF))

    m.when(handler.eq(0) | outside, _unhandled(m, number), take)


def _enter_flat(m: ExecutionContext, number: Word, back: Word, error_code: bool) -> None:
    pointer = m.get("idt_base") + number * 8
    low, high = m.load(pointer, 32), m.load(pointer + 4, 32)
    is_gate = (high & 0x9E00).eq(0x8E00)  # present, 32-bit interrupt (E) or trap (F) gate
    outside = m.get("idt_limit").zext(32).ult(number * 8 + 7)

    def take() -> None:
        m.exception_taken(number)
        push(m, get_flags(m))
        push(m, m.element("seg", m.const(32, CS)).zext(32))
        push(m, back)
        if error_code:
            push(m, m.const(32, 0))
        m.set("if", m.get("if") & (high >> 8).trunc(1))
        m.set("tf", m.const(1, 0))
        load_segment(m, CS, (low >> 16).trunc(16))
        m.jump((high & 0xFFFF0000) | (low & 0xFFFF))

    m.when(~is_gate | outside, _unhandled(m, number), take)


def _spend(m: ExecutionContext, clocks: Word | int) -> None:
    m.set("cycles", m.get("cycles") + clocks)
    m.set("refill", m.const(32, 1))


def _between(m: ExecutionContext) -> int:
    """Return the clocks of an exception or interrupt between two instructions."""
    return entry(m.cpu.model, "exception", False).base


def _clocks_after(m: Any, insn: Insn, vector: int) -> Word:
    """Return the clocks of an exception that an instruction ends with.

    On the 286 what the instruction has done by then is part of them: its own figure where it computes, m behind a jump.
    """
    model, timing = m.cpu.model, m.core.timing
    if not (is_286(model) and timing.counts):
        return m.const(64, _between(m))
    own = f"exception of {insn.row.name}"
    computes, is_limit = own in table(), vector in (STACK_FAULT, GENERAL_PROTECTION)
    encoded = timing.extra(insn) if insn.row.pattern else 0 if is_limit else UNDEFINED_BYTES
    base = entry(model, "exception at a limit" if is_limit else own if computes else "exception", False).base
    if computes and not is_limit:
        base += entries(insn.row, insn.forms, model, m.cpu.choices)[0].base
    is_odd, is_first = (m.reg(ESP, 16) & 1).ne(0), m.get("refill").ne(0)
    frame = m.select(is_odd, m.const(64, FRAME * timing.odd_word), m.const(64, 0))
    return frame + m.select(is_first, m.const(64, encoded & 15), m.const(64, 0)) + base + (encoded >> 4)


def exception(m: ExecutionContext, vector: int) -> None:
    """Take an exception between instructions, to return to this one."""
    _spend(m, _between(m))
    enter(m, vector, m.pc, vector in WITH_ERROR_CODE)


def trap(m: ExecutionContext, vector: int) -> None:
    """Take an exception between instructions, to return to the next one."""
    _spend(m, _between(m))
    enter(m, vector, m.next_pc)


def take_fault(m: ExecutionContext, insn: Insn) -> None:
    """Take the exception that an instruction has ended with; `detail` is its vector."""
    vector = m.get("detail").number
    _spend(m, _clocks_after(m, insn, vector))
    enter(m, vector, m.pc, vector in WITH_ERROR_CODE)
    for name in m.cpu.stage_fields:  # the clocks of what it had done so far are not counted
        m.set(name, m.get("cycles"))


TIMER = 8  # vector of interrupt request 0


def interrupt(m: ExecutionContext, level: int) -> None:
    """Take interrupt request level - 1 between two instructions."""
    _spend(m, _between(m))
    enter(m, TIMER + level - 1, m.pc)


def accepts(state: np.ndarray, level: int) -> bool:
    """Tell whether an interrupt request would be taken now: IF is set, and not right after STI or a load of SS."""
    return bool(state["if"]) and int(state["pc"]) + 1 != int(state["shadow"])
