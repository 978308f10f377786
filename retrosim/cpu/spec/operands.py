"""Operand kinds of every instruction set: parts of the key of a handler, and fields of the record."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .decoding import Decoding
from .rows import Row
from .values import Word


def signed(value: int, bits: int) -> int:
    """Read the low `bits` of a number as two's complement."""
    value &= (1 << bits) - 1
    return value - (value >> (bits - 1) << bits)


class Static:
    """Base of operands that are part of the handler's key and have no fields; None unless they say else."""

    letters = ""

    def bind(self, m: Any, static: Any, take: Callable[[], Word]) -> Any:
        return static

    def statics(self, row: Row) -> Iterable[Any]:
        return [None]

    def decode(self, d: Decoding) -> tuple[Any, list[int]]:
        return None, []


class Field:
    """Base of operands that are one field of the record: the number in a field of the pattern, unless they say else."""

    def __init__(self, letters: str = "") -> None:
        self.letters = letters

    def bind(self, m: Any, static: Any, take: Callable[[], Word]) -> Any:
        return take()

    def statics(self, row: Row) -> Iterable[None]:
        return [None]

    def decode(self, d: Decoding) -> tuple[None, list[int]]:
        return None, [self.number(d)]

    def number(self, d: Decoding) -> int:
        return d.letter(self.letters)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return str(fields[0])
