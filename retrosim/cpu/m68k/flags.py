"""Condition codes: how results set them, and the sixteen conditions (M68000PRM tables 3-18, 3-19)."""

from __future__ import annotations

from ..spec.semantics import ExecutionContext
from ..spec.values import Word


def set_nz(m: ExecutionContext, result: Word) -> None:
    m.set("n", result.sign)
    m.set("z", result.eq(0))


def logic_flags(m: ExecutionContext, result: Word) -> None:
    """N and Z from the result, V and C clear, X kept."""
    set_nz(m, result)
    m.set("v", m.const(1, 0))
    m.set("c", m.const(1, 0))


def add_flags(m: ExecutionContext, a: Word, b: Word, result: Word) -> None:
    """All five for result = a + b."""
    set_nz(m, result)
    m.set("v", ((a ^ result) & (b ^ result)).sign)
    carry = result.ult(a)
    m.set("c", carry)
    m.set("x", carry)


def compare_flags(m: ExecutionContext, source: Word, destination: Word, result: Word) -> None:
    """N Z V C for result = destination - source. V is "sign differs from less-than", so N^V folds to less-than."""
    set_nz(m, result)
    m.set("v", result.sign ^ destination.slt(source))
    m.set("c", destination.ult(source))


def sub_flags(m: ExecutionContext, source: Word, destination: Word, result: Word) -> None:
    """All five for result = destination - source."""
    compare_flags(m, source, destination, result)
    m.set("x", destination.ult(source))


def condition(m: ExecutionContext, code: int) -> Word:
    """Return a one-bit word: does condition `code` (0 T, 1 F, 2 HI ... 15 LE) hold?"""
    match code & 14:
        case 0:
            holds = m.const(1, 1)
        case 2:
            holds = ~(m.get("c") | m.get("z"))
        case 4:
            holds = ~m.get("c")
        case 6:
            holds = ~m.get("z")
        case 8:
            holds = ~m.get("v")
        case 10:
            holds = ~m.get("n")
        case 12:
            holds = ~(m.get("n") ^ m.get("v"))
        case _:
            holds = ~((m.get("n") ^ m.get("v")) | m.get("z"))
    return ~holds if code & 1 else holds
