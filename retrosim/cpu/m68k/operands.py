"""Operand kinds of the 68K: what the parameter names of the rows mean.

s       operand size in bits, from a two-bit field `s` (00 01 10), a one-bit field `w` (word, long), the MOVE field
        `z` (01 byte, 11 word, 10 long) or the row's size=
c       condition, field `c`
d a     data and address register, fields `d` and `a` (usually bits 11-9)
y b     data and address register, fields `y` and `b` (usually bits 2-0)
u k h l data registers of the second word, fields of those names;  g e: any register, fields `g` and `e`
n       quick number, field `n`, 0 means 8;  i: 8-bit number, field `i`, sign-extended;  t: small number, field `t`
control control register, field `x`
ea ea2  effective address, fields `m` `r` and (MOVE destination) `M` `R`
imm     immediate of the operand size;  imm16: 16-bit immediate;  disp disp32: sign-extended displacement
absolute  32-bit address
mask    MOVEM register list;  target: branch target;  offset width: bit field, fields `O` `o` and `W` `w`
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..spec import operands
from ..spec.decoding import Decoding
from ..spec.operands import Static
from ..spec.rows import Row
from ..spec.values import Word
from .ea import EffectiveAddress

CONDITIONS = ("t", "f", "hi", "ls", "cc", "cs", "ne", "eq", "vc", "vs", "pl", "mi", "ge", "lt", "gt", "le")
DATA_REGISTERS, ADDRESS_REGISTERS = ("d", "y"), ("a", "b")  # kinds that name one
REGISTERS = tuple([f"d{i}" for i in range(8)] + [f"a{i}" for i in range(7)] + ["sp", "zero"])


def signed(value: int, bits: int) -> int:
    """Read the low `bits` of a number as two's complement."""
    value &= (1 << bits) - 1
    return value - (value >> (bits - 1) << bits)


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

    def statics(self, row: Row) -> Iterable[int]:
        return range(row.options.get("first_condition", 0), 16)

    def legal(self, row: Row, opcodes: Any) -> Any:
        return ((opcodes >> 8) & 15) >= row.options.get("first_condition", 0)


class Field(operands.Field):
    """A number."""

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return f"#{fields[0]}"


class Register(Field):
    """A register number; address registers are 8..15 in the one register file."""

    def __init__(self, letter: str, first: int) -> None:
        super().__init__(letter)
        self.first = first

    def number(self, d: Decoding) -> int:
        return self.first + d.letter(self.letters)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return REGISTERS[fields[0]]


class Quick(Field):
    def number(self, d: Decoding) -> int:
        return d.letter("n") or 8


class Byte(Field):
    def number(self, d: Decoding) -> int:
        return signed(d.letter("i"), 8)


class Immediate(Field):
    """An immediate of the operand size, or of `bits`, in the extension words."""

    def __init__(self, bits: int | None = None, signed: bool = False) -> None:
        super().__init__()
        self.bits, self.signed = bits, signed

    def number(self, d: Decoding) -> int:
        bits = self.bits or d.size
        value = d.next_word()
        if bits == 32:
            value = value << 16 | d.next_word()
        return signed(value, bits) if self.signed else value & ((1 << bits) - 1)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return f"{fields[0]}" if self.signed else f"#${fields[0]:x}"


class Absolute(Immediate):
    """An absolute long address in the extension words."""

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return f"${fields[0]:x}"


class Mask(Field):
    """MOVEM's register list; with -(An) bit 0 is A7."""

    def number(self, d: Decoding) -> int:
        d.forms["registers"] = d.next_word()
        return d.forms["registers"]

    def forms(self, row: Row, model: str) -> Iterable[dict[str, int]]:
        return [{"registers": 0xFFFF}]

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        reverse = d.letter("m") == 4
        return "/".join(REGISTERS[15 - i if reverse else i] for i in range(16) if fields[0] >> i & 1) or "#0"


class Target(Field):
    """A branch target: 8-bit displacement in field `i`, where 0 means that a word and FF that a long word follows."""

    def number(self, d: Decoding) -> int:
        address = self._address(d)
        d.target = address & 0xFFFFFF
        return address

    def _address(self, d: Decoding) -> int:
        base = d.pc + 2
        short = d.letter("i") if "i" in d.row.first else 0
        bits = d.row.options.get("displacement", 8 if short not in (0, 0xFF) else 16 if short == 0 else 32)
        if bits == 32 and d.model == "MC68000":
            bits = 8
        d.forms["displacement"] = SIZE_FORMS[bits]
        if bits == 8:
            return base + signed(short, 8)
        value = d.next_word()
        return base + (signed(value, 16) if bits == 16 else signed(value << 16 | d.next_word(), 32))

    def forms(self, row: Row, model: str) -> Iterable[dict[str, str]]:
        return [{"displacement": SIZE_FORMS[bits]} for bits in (8, 16, 32)[: 2 if model == "MC68000" else 3]]

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return f"${fields[0] & 0xFFFFFFFF:x}"


class BitField(Static):
    """A bit field's offset or width: a number or, when the flag is set, a data register."""

    def __init__(self, flag: str, letter: str) -> None:
        self.letters = flag + letter
        self.flag, self.letter = flag, letter

    def decode(self, d: Decoding) -> tuple[str, list[int]]:
        number = d.letter(self.letter)
        if not d.letter(self.flag):
            return "number", [number & 31]
        d.forms["by_register"] = True
        return "register", [number & 7]

    def forms(self, row: Row, model: str) -> Iterable[dict[str, bool]]:
        return [{}, {"by_register": True}]

    def bind(self, m: Any, static: str, take: Callable[[], Word]) -> Word:
        return m.reg(take()) if static == "register" else take()

    def show(self, d: Decoding, static: str, fields: list[int]) -> str:
        return REGISTERS[fields[0]] if static == "register" else str(fields[0] or (32 if self.flag == "W" else 0))

    def statics(self, row: Row) -> Iterable[str]:
        return ["number", "register"]


KINDS = {
    "s": Size(),
    "c": Condition(),
    "d": Register("d", 0),
    "a": Register("a", 8),
    "y": Register("y", 0),
    "b": Register("b", 8),
    "u": Register("u", 0),
    "k": Register("k", 0),
    "h": Register("h", 0),
    "l": Register("l", 0),
    "g": Register("g", 0),  # four bits: any register
    "e": Register("e", 0),
    "n": Quick("n"),
    "i": Byte("i"),
    "t": Field("t"),
    "control": Field("x"),
    "imm": Immediate(),
    "imm16": Immediate(16),
    "absolute": Absolute(32),
    "disp": Immediate(16, signed=True),
    "disp32": Immediate(32, signed=True),
    "mask": Mask(),
    "target": Target("i"),
    "ea": EffectiveAddress("m", "r"),
    "ea2": EffectiveAddress("M", "R"),
    "offset": BitField("O", "o"),
    "width": BitField("W", "w"),
}
