"""What of a trace fixes the code that a timing model makes of it (steps.py), and what is only numbers for that code."""

from __future__ import annotations

from typing import Any

from ..spec.values import Word
from .traces import Trace

WIDTH = 32  # of words that are numbers; others belong to the shape


def shape_of(trace: Trace, fetches: list[tuple[int, ...]]) -> tuple[str, list[int]]:
    """Return the shape of an instruction as text, and its numbers, 32 bits each.

    fetches  the words of each point at which it may be fetched
    """
    numbers = [word for words in fetches for word in words]
    numbers += [*trace.insn.fields, *trace.fields]
    events = tuple(_shape(event, numbers) for event in trace.events)
    widths = tuple(map(len, fetches))
    return repr((trace.insn.key, widths, events)), [number & 0xFFFFFFFF for number in numbers]


def _shape(detail: Any, numbers: list[int]) -> Any:
    """Return what of an event, or a part of it, belongs to the shape; add the rest to the numbers."""
    if isinstance(detail, Word):
        if is_number(detail):
            numbers.append(detail.known)
            return "number"
        return detail.bits, detail.known
    if isinstance(detail, (tuple, list)):
        return tuple(_shape(each, numbers) for each in detail)
    if not isinstance(detail, int | str | None):
        raise TypeError(f"an instruction tells its timing model a {type(detail).__name__}")
    return detail


def is_number(word: Word) -> bool:
    return word.known is not None and word.bits == WIDTH
