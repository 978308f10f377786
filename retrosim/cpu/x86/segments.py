"""Segments: where an offset lies in memory, and the limit checks of real mode (Intel 386 PRM 14.1, 14.4).

A word over the end of a segment is exception 13 on the 286 whatever the segment (80286 PRM 5.2), 12 on the 386 and 486
where it is the stack's."""

from __future__ import annotations

from typing import Any

from ..spec.cpu import MISALIGNED
from ..spec.values import Word
from .modes import is_286, is_real

ES, CS, SS, DS, FS, GS = range(6)
SEGMENT_NAMES = ("es", "cs", "ss", "ds", "fs", "gs")
STACK_FAULT, GENERAL_PROTECTION = 12, 13


def fault_when(m: Any, condition: Word, vector: Word | int) -> None:
    """Where the condition holds, end the instruction at once: the host takes the exception, at this instruction."""

    def last() -> None:
        m.jump_back()
        m.leave(MISALIGNED, vector)

    m.abort_when(condition, last)


def fault(m: Any, vector: int) -> None:
    fault_when(m, m.const(1, 1), vector)


def number_of(m: Any, segment: Word | int) -> Word:
    return m.const(32, segment) if isinstance(segment, int) else segment


def linear(m: Any, segment: Word | int | None, offset: Word, bits: int) -> Word:
    """Return the linear address of an operand, 32 bits; one that reaches over its segment's limit faults."""
    if not is_real(m.cpu.model):
        return offset
    assert segment is not None  # it has one in real mode
    n = number_of(m, segment)
    limit, last = m.element("seg_limit", n), offset + (bits // 8 - 1)
    outside = limit.ult(last)
    if bits > 8:
        outside = outside | last.ult(offset)
    if is_286(m.cpu.model):
        vector: Word | int = GENERAL_PROTECTION
    elif isinstance(segment, int):
        vector = STACK_FAULT if segment == SS else GENERAL_PROTECTION
    else:
        vector = m.select(n.eq(SS), m.const(32, STACK_FAULT), m.const(32, GENERAL_PROTECTION))
    fault_when(m, outside, vector)
    return m.element("seg_base", n) + offset


def load(m: Any, segment: Word | int | None, offset: Word, bits: int) -> Word:
    """Load a word at an offset of a segment."""
    return m.load(linear(m, segment, offset, bits), bits)


def store(m: Any, segment: Word | int | None, offset: Word, word: Word) -> None:
    """Store a word at an offset of a segment."""
    m.store(linear(m, segment, offset, word.bits), word)


def load_segment(m: Any, segment: Word | int, selector: Word) -> None:
    """Load a segment register. In real mode the base follows and the limit stays; flat segments stay as they are."""
    n = number_of(m, segment)
    m.set_element("seg", n, selector)
    if is_real(m.cpu.model):
        m.set_element("seg_base", n, selector.zext(32) << 4)
