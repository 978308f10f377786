"""Flags: how results set them, and the sixteen conditions (Intel 386 PRM 3.4, appendix C and D).

Where the manual leaves a flag undefined it is: AF clear after logic and shifts; OF after shifts and rotates of any
count as after the last bit; SF ZF PF after a multiplication from the low half, AF clear; all unchanged after a
division, bit tests (but CF) and bit scans (but ZF).

The 286 as its vectors have it (github.com/SingleStepTests/80286): AF set after shifts to the right, after shifts to the
left bit 4 of the result; SF ZF PF after a multiplication from the upper half, AF set; divisions as above, though it
leaves something else in them.
"""

from __future__ import annotations

from ..spec.semantics import ExecutionContext
from ..spec.values import Word


def set_szp(m: ExecutionContext, result: Word) -> None:
    m.set("sf", result.sign)
    m.set("zf", result.eq(0))
    m.set("pf", ~result.trunc(8).count_ones().trunc(1))


def logic_flags(m: ExecutionContext, result: Word) -> None:
    """SF ZF PF from the result; CF OF AF clear."""
    set_szp(m, result)
    for name in ("cf", "of", "af"):
        m.set(name, m.const(1, 0))


def _auxiliary(m: ExecutionContext, a: Word, b: Word, result: Word) -> None:
    m.set("af", ((a ^ b ^ result) >> 4).trunc(1))


def add_flags(m: ExecutionContext, a: Word, b: Word, result: Word, carry: Word | None = None) -> None:
    """All six for result = a + b, or a + b + carry."""
    set_szp(m, result)
    _auxiliary(m, a, b, result)
    m.set("of", ((a ^ result) & (b ^ result)).sign)
    out = result.ult(a)
    m.set("cf", out if carry is None else out | carry & result.eq(a))


def sub_flags(m: ExecutionContext, a: Word, b: Word, result: Word, borrow: Word | None = None) -> None:
    """All six for result = a - b, or a - b - borrow. OF is "sign differs from less-than": SF^OF folds to less-than."""
    set_szp(m, result)
    _auxiliary(m, a, b, result)
    out = a.ult(b)
    if borrow is None:
        m.set("of", result.sign ^ a.slt(b))
        m.set("cf", out)
    else:
        m.set("of", ((a ^ b) & (a ^ result)).sign)
        m.set("cf", out | borrow & a.eq(b))


def step_flags(m: ExecutionContext, value: Word, result: Word, down: bool) -> None:
    """INC and DEC: all but CF."""
    carry = m.get("cf")
    (sub_flags if down else add_flags)(m, value, m.const(value.bits, 1), result)
    m.set("cf", carry)


def condition(m: ExecutionContext, code: int) -> Word:
    """Return a one-bit word: does condition `code` (0 O, 1 NO, 2 B ... 15 G) hold?"""
    match code >> 1:
        case 0:
            holds = m.get("of")
        case 1:
            holds = m.get("cf")
        case 2:
            holds = m.get("zf")
        case 3:
            holds = m.get("cf") | m.get("zf")
        case 4:
            holds = m.get("sf")
        case 5:
            holds = m.get("pf")
        case 6:
            holds = m.get("sf") ^ m.get("of")
        case _:
            holds = (m.get("sf") ^ m.get("of")) | m.get("zf")
    return ~holds if code & 1 else holds
