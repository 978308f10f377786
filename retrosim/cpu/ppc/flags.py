"""Condition fields and XER: how results set them (601UM sections 2.2.3, 2.2.4)."""

from __future__ import annotations

from ..spec.semantics import ExecutionContext
from ..spec.values import Word
from .state import set_field


def compare(m: ExecutionContext, field: Word, a: Word, b: Word, signed: bool) -> None:
    """Set a condition field for a against b, SO from XER."""
    less, greater = (a.slt(b), b.slt(a)) if signed else (a.ult(b), b.ult(a))
    set_field(m, field, less, greater, a.eq(b), m.get("so"))


def record(m: ExecutionContext, result: Word, rc: int) -> None:
    """Set CR0 for a result, when the record bit asks for it."""
    if rc:
        compare(m, m.const(32, 0), result, m.const(32, 0), signed=True)


def overflow(m: ExecutionContext, condition: Word, oe: int) -> None:
    """Set OV and gather it in SO, when the overflow bit asks for it."""
    if oe:
        m.set("ov", condition)
        m.set("so", m.get("so") | condition)


def add(m: ExecutionContext, a: Word, b: Word, carry: Word, oe: int, keep_carry: bool = True) -> Word:
    """Return a + b + carry; CA unless `keep_carry` is false, OV when the overflow bit asks for it."""
    total = a.zext(64) + b.zext(64) + carry.zext(64)
    result = total.trunc(32)
    if keep_carry:
        m.set("ca", (total >> 32).trunc(1))
    overflow(m, ((a ^ result) & (b ^ result)).sign, oe)
    return result
