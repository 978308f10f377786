"""Operand kinds of the x86 that are part of a handler's key: sizes of operand and address, condition, repeat prefix."""

from __future__ import annotations

from collections.abc import Iterable

from ..assembly.encoding import Encoding
from ..assembly.expressions import Unfit
from ..spec.decoding import Decoding
from ..spec.operands import Static
from ..spec.rows import Row
from .ea_text import Written
from .encoding import choose_address_size, choose_size
from .modes import is_286
from .modrm import address_size, operand_size

SAME_CONDITIONS = {
    "c": 2, "nae": 2, "nb": 3, "nc": 3, "z": 4, "nz": 5, "na": 6, "nbe": 7, "pe": 10, "po": 11, "nge": 12, "nl": 13,
    "ng": 14, "nle": 15,
}  # fmt: skip
REPNE, REP = 0xF2, 0xF3
CONDITIONS = ("o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g")


def shows_size(row: Row) -> bool:
    """Does a listing show the operand size, by the name of a register or by a word?"""
    return any(f"{{{name}}}" in row.syntax for name in ("s", "g", "d", "acc")) or (
        "{ea}" in row.syntax and not row.options.get("unsized")
    )


class Size(Static):
    letters = "w"
    implied = True

    def spellings(self, row: Row) -> Iterable[tuple[str, int | None]]:
        names = [(letter, bits) for letter, bits in (("b", 8), ("w", 16), ("d", 32)) if bits in self.statics(row)]
        return names if "w" in row.pattern or row.options.get("named") else [*names, ("", None)]

    def encode(self, e: Encoding, bits: int | None) -> None:
        """Settle the size by the mnemonic or the operands, and put the bit for bytes. Errors: Unfit."""
        if "size" in e.row.options:
            return
        sizes = {bits} if bits else set(self._written(e)) - {None}
        if len(sizes) > 1:
            raise Unfit("operands of different sizes", near=True)
        if not sizes and "w" in e.row.pattern:
            raise Unfit("the size of the operand is not known: write byte, word or dword", near=True)
        size = choose_size(e, sizes.pop() if sizes else None)
        if size == 8 and "w" not in e.row.pattern:
            raise Unfit("there is no such form for bytes")
        if "w" in e.row.pattern:
            e.put("w", int(size != 8))

    @staticmethod
    def _written(e: Encoding) -> Iterable[int | None]:
        for name in ("ea", "g", "d", "acc", "moffs", "imm", "simm", "far", "target"):
            it = e.operands.get(name)
            if name in ("imm", "simm", "far", "target"):
                yield it[0] if it else None
            elif it is not None and not (name == "ea" and ("ea_size" in e.row.options or _is_word(e.row, it))):
                yield it.size

    def statics(self, row: Row) -> Iterable[int]:
        if "size" in row.options:
            return [row.options["size"]]
        return (8, 16, 32) if "w" in row.pattern else (16, 32)

    def decode(self, d: Decoding) -> tuple[int, list[int]]:
        if d.size is None:
            d.size = 8 if "w" in d.row.pattern and not d.letter("w") else operand_size(d)
        d.forms["s"] = d.size
        return d.size, []

    def forms(self, row: Row, model: str) -> Iterable[dict[str, int]]:
        return [{"s": bits} for bits in self.statics(row) if bits != 32 or not is_286(model)]

    def show(self, d: Decoding, static: int, fields: list[int]) -> str:
        return {8: "b", 16: "w", 32: "d"}[static]


def _is_word(row: Row, it: Written) -> bool:
    """Is it memory that has a word whatever the operand size is?"""
    return bool(row.options.get("word_in_memory")) and it.code is None and it.size in (16, None)


class AddressSize(Static):
    implied = True

    def spellings(self, row: Row) -> Iterable[tuple[str, int]]:
        return [("", 16), ("e", 32)]

    def encode(self, e: Encoding, bits: int | None) -> None:
        choose_address_size(e, bits)

    def statics(self, row: Row) -> Iterable[int]:
        return (16, 32)

    def decode(self, d: Decoding) -> tuple[int, list[int]]:
        return address_size(d), []

    def show(self, d: Decoding, static: int, fields: list[int]) -> str:
        return {16: "", 32: "e"}[static]


class Condition(Static):
    letters = "c"

    def statics(self, row: Row) -> Iterable[int]:
        return range(16)

    def decode(self, d: Decoding) -> tuple[int, list[int]]:
        return d.letter("c"), []

    def spellings(self, row: Row) -> Iterable[tuple[str, int]]:
        return [*((name, number) for number, name in enumerate(CONDITIONS)), *SAME_CONDITIONS.items()]

    def encode(self, e: Encoding, number: int) -> None:
        e.put("c", number)

    def show(self, d: Decoding, static: int, fields: list[int]) -> str:
        return CONDITIONS[static]


class Repeat(Static):
    """ "" without a prefix; "repe" and "repne" for the string instructions that compare, "rep" for the others."""

    def statics(self, row: Row) -> Iterable[str]:
        return ("", "repe", "repne") if row.options.get("compares") else ("", "rep")

    def forms(self, row: Row, model: str) -> Iterable[dict[str, int]]:
        return [{}, {"rep": 1}]

    def decode(self, d: Decoding) -> tuple[str, list[int]]:
        if "rep" not in d.prefixes:
            return "", []
        d.forms["rep"] = 1
        return (("repne", "repe")[d.prefixes["rep"]] if d.row.options.get("compares") else "rep"), []

    def spellings(self, row: Row) -> Iterable[tuple[str, int | None]]:
        names = [("", None), ("rep ", REP)]
        equal = [("repe ", REP), ("repz ", REP), ("repne ", REPNE), ("repnz ", REPNE)]
        return [*names, *equal] if row.options.get("compares") else names

    def encode(self, e: Encoding, code: int) -> None:
        e.prefix("rep", code)

    def show(self, d: Decoding, static: str, fields: list[int]) -> str:
        return static and f"{static} "
