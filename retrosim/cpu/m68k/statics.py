"""Operand kinds of the 68K that are part of a handler's key: operand size, condition."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..assembly.encoding import Encoding
from ..spec.decoding import Decoding
from ..spec.operands import Static
from ..spec.rows import Row

CONDITIONS = ("t", "f", "hi", "ls", "cc", "cs", "ne", "eq", "vc", "vs", "pl", "mi", "ge", "lt", "gt", "le")
SAME_CONDITIONS = {"hs": 4, "lo": 5}
SIZE_FORMS = {8: "B", 16: "W", 32: "L"}


class Size(Static):
    letters = "szw"
    codes = {"s": {0: 8, 1: 16, 2: 32}, "w": {0: 16, 1: 32}, "z": {1: 8, 3: 16, 2: 32}}  # noqa: RUF012

    def _letter(self, row: Row) -> str | None:
        return next((c for c in self.codes if c in row.first), None)

    def _sizes(self, row: Row) -> tuple[int, ...]:
        return row.options.get("sizes", (8, 16, 32))

    def decode(self, d: Decoding) -> tuple[int, list[int]]:
        letter = self._letter(d.row)
        if letter:
            d.size = self.codes[letter][d.letter(letter)]
        d.forms["s"] = SIZE_FORMS[d.size]
        return d.size, []

    def forms(self, row: Row, model: str) -> Iterable[dict[str, str]]:
        return [{"s": SIZE_FORMS[bits]} for bits in self.statics(row)]

    def show(self, d: Decoding, static: int, fields: list[int]) -> str:
        return {8: "b", 16: "w", 32: "l"}[static]

    def spellings(self, row: Row) -> Iterable[tuple[str, int]]:
        return [(SIZE_FORMS[bits].lower(), bits) for bits in self.statics(row)]

    def encode(self, e: Encoding, bits: int | None) -> None:
        letter = self._letter(e.row)
        if letter and bits:
            e.put(letter, next(code for code, each in self.codes[letter].items() if each == bits))
            e.size = bits

    def statics(self, row: Row) -> Iterable[int]:
        letter = self._letter(row)
        if not letter:
            return [row.options["size"]]
        return [bits for bits in self.codes[letter].values() if bits in self._sizes(row)]

    def legal(self, row: Row, opcodes: Any) -> Any:
        letter = self._letter(row)
        if not letter:
            return opcodes == opcodes
        shift = 15 - row.first.rindex(letter)
        value = (opcodes >> shift) & ((1 << row.first.count(letter)) - 1)
        allowed = [code for code, bits in self.codes[letter].items() if bits in self._sizes(row)]
        return sum((value == code for code in allowed), start=opcodes != opcodes)


class Condition(Static):
    letters = "c"

    def decode(self, d: Decoding) -> tuple[int, list[int]]:
        return d.letter("c"), []

    def show(self, d: Decoding, static: int, fields: list[int]) -> str:
        return CONDITIONS[static]

    def spellings(self, row: Row) -> Iterable[tuple[str, int]]:
        numbers = self.statics(row)
        return [(name, n) for name, n in (*zip(CONDITIONS, range(16)), *SAME_CONDITIONS.items()) if n in numbers]

    def encode(self, e: Encoding, number: int) -> None:
        e.put("c", number)

    def statics(self, row: Row) -> Iterable[int]:
        return range(row.options.get("first_condition", 0), 16)

    def legal(self, row: Row, opcodes: Any) -> Any:
        return ((opcodes >> 8) & 15) >= row.options.get("first_condition", 0)
