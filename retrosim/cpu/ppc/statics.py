"""Operand kinds of the PowerPC that are part of a handler's key: variants, branch options, special registers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..assembly.encoding import Encoding, Parsing
from ..assembly.expressions import Expression, Unfit, constant
from ..spec import operands
from ..spec.decoding import Decoding, IllegalEncoding
from ..spec.rows import Row
from .assembly import SPECIAL_NAMES


class Static(operands.Static):
    """Base of operands that are part of the handler's key and have no fields."""

    reads = False

    def __init__(self, letters: str) -> None:
        self.letters = letters


class Flag(Static):
    """A bit that chooses a variant, shown by its suffix."""

    def __init__(self, letters: str, suffix: str) -> None:
        super().__init__(letters)
        self.suffix = suffix

    def decode(self, d: Decoding) -> tuple[int, list[int]]:
        return d.letter(self.letters), []

    def show(self, d: Decoding, static: int, fields: list[int]) -> str:
        return self.suffix if static else ""

    def spellings(self, row: Row) -> Iterable[tuple[str, int]]:
        return [("", 0), (self.suffix, 1)]

    def encode(self, e: Encoding, bit: int) -> None:
        e.put(self.letters, bit)

    def statics(self, row: Row) -> Iterable[int]:
        return (0, 1)


class Absolute(Static):
    """The bit that makes a target absolute: shown only."""

    def decode(self, d: Decoding) -> tuple[None, list[int]]:
        return None, []

    def spellings(self, row: Row) -> Iterable[tuple[str, int]]:
        return [("", 0), ("a", 1)]

    def encode(self, e: Encoding, bit: int) -> None:
        e.put("A", bit)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return "a" if d.letter("A") else ""

    def statics(self, row: Row) -> Iterable[None]:
        return (None,)


class BranchOptions(Static):
    """BO (601UM section 3.6); its fixed bits in the pattern tell what a row looks at, the others are `v` `w` `y` or -.

    Static: (CTR: None or the value of "CTR is 0 now" that branches, condition: None or the bit that branches).
    """

    def decode(self, d: Decoding) -> tuple[tuple[int | None, int | None], list[int]]:
        counts, condition = self._looks_at(d.row)
        d.forms["y"] = str(d.words[0] >> 21 & 1)
        return (d.letter("w") if counts else None, d.letter("v") if condition else None), []

    @staticmethod
    def _looks_at(row: Row) -> tuple[bool, bool]:
        return "w" in row.first, "v" in row.first

    def show(self, d: Decoding, static: Any, fields: list[int]) -> str:
        """Show the bit for a prediction against the rule as a hint, + or -; backward branches are taken by the rule."""
        number = d.words[0] >> 21 & 31
        if "y" not in d.row.first or not number & 1:
            return str(number)
        backward = "i" in d.row.first and d.letter("i") >> d.row.first.count("i") - 1
        return f"{number - 1}{'-' if backward else '+'}"

    def parse(self, text: str, p: Parsing) -> tuple[Expression, str]:
        hint = text[-1] if text[-1:] in ("+", "-") else ""
        return p.expression(text.removesuffix(hint)), hint

    def encode(self, e: Encoding, it: tuple[Expression, str]) -> None:
        number, hint = e.value(it[0]).number, it[1]
        if not 0 <= number < 32:
            raise Unfit(f"BO {number}: allowed 0..31", near=True)
        if hint:
            target = e.operands.get("target")
            backward = target is not None and e.distance(target) < 0
            number |= (hint == "+") != backward
        for bit, fixed in enumerate(e.row.first[6:11]):
            if fixed in "01" and (number >> 4 - bit & 1) != int(fixed):
                raise Unfit(f"BO {number}: this branch has no such condition")
        e.words[0] |= number << 21

    def statics(self, row: Row) -> Iterable[tuple[int | None, int | None]]:
        counts, condition = self._looks_at(row)
        return [(w, v) for w in ((0, 1) if counts else (None,)) for v in ((0, 1) if condition else (None,))]


class SpecialRegister(Static):
    """A special-purpose register that the row's table knows; others are no instruction."""

    def decode(self, d: Decoding) -> tuple[int, list[int]]:
        number = d.letter("p")
        number = number >> 5 | (number & 31) << 5
        if number not in d.row.options["registers"]:
            raise IllegalEncoding
        return number, []

    def show(self, d: Decoding, static: int, fields: list[int]) -> str:
        return str(static)

    def parse(self, text: str, p: Parsing) -> Expression:
        name = text.lower().removeprefix("%")
        return constant(SPECIAL_NAMES[name]) if name in SPECIAL_NAMES else p.expression(text)

    def encode(self, e: Encoding, it: Expression) -> None:
        number = e.value(it).number
        if number not in e.row.options["registers"]:
            raise Unfit(f"special-purpose register {number}: the {e.model} has no such one here", near=True)
        e.put("p", number >> 5 | (number & 31) << 5)

    def statics(self, row: Row) -> Iterable[int]:
        return row.options["registers"]
