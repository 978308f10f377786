"""Operand kinds of the PowerPC: what the parameter names of the rows mean.

d s t     register that gets the result, fields `d` and `a` (t); source register rS, field `d` (the manuals' bits 6-10)
a b       source registers, fields `a` and `b`;  u: rA, source and result;  z: rA, where 0 means the number 0
rc oe     record bit `.` and overflow bit `o`, fields `c` and `o`: parts of the handler's key
simm uimm 16-bit immediates, field `i`, sign- or zero-extended;  shifted ushifted: the same in the upper half
sh mask   shift count, field `h`; mask from bit `m` to bit `e`;  to: trap conditions, field `t`
crf crg   condition fields, `f` and `g`;  bt ba bb: condition bits, fields `d` `a` `b`;  fxm: their mask, field `f`
bo        what a branch looks at, fields `v` `w` `y`;  bi: condition bit, field `n`
target    branch target, field `i`, relative unless field `A` is set;  aa: only shows that field
spr       special-purpose register, field `p`, its halves swapped;  sr: segment register, field `p`
registers rD to r31, field `d`, as a mask;  nb: bytes of a string, field `n`, 0 means 32
number    the number in field `a`, shown as a register;  bit: the number in field `d`
fd fa fb fc floating-point registers, fields `d` `a` `b` `r`;  fm: fields of FPSCR, or one, field `f`
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ..assembly.dialect import split_operands
from ..assembly.encoding import Encoding, Parsing
from ..assembly.expressions import HALF, Expression, Unfit, constant
from ..spec import operands
from ..spec.decoding import Decoding, IllegalEncoding
from ..spec.operands import signed
from ..spec.rows import OperandKind, Row
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


class AbsoluteBit(Static):
    """The bit that makes a target absolute: shown only."""

    def spellings(self, row: Row) -> Iterable[tuple[str, int]]:
        return [("", 0), ("a", 1)]

    def encode(self, e: Encoding, bit: int) -> None:
        e.put("A", bit)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return "a" if d.letter("A") else ""


class BranchOptions(Static):
    """BO (601UM section 3.6); its fixed bits in the pattern tell what a row looks at, the others are `v` `w` `y` or -.

    Static: (CTR: None or the value of "CTR is 0 now" that branches, condition: None or the bit that branches).
    """

    def decode(self, d: Decoding) -> tuple[tuple[int | None, int | None], list[int]]:
        counts, condition = self._looks_at(d.row)
        d.forms["y"] = str(d.words[0] >> 21 & 1)
        d.forms["backward"] = _is_backward(d.row, d.words[0])
        return (d.letter("w") if counts else None, d.letter("v") if condition else None), []

    @staticmethod
    def _looks_at(row: Row) -> tuple[bool, bool]:
        return "w" in row.first, "v" in row.first

    def show(self, d: Decoding, static: Any, fields: list[int]) -> str:
        """Show the bit for a prediction against the rule as a hint, + or -."""
        number = d.words[0] >> 21 & 31
        if "y" not in d.row.first or not number & 1:
            return str(number)
        return f"{number - 1}{'-' if d.forms['backward'] else '+'}"

    def parse(self, text: str, p: Parsing) -> tuple[Expression, str]:
        hint = text[-1] if text[-1:] in ("+", "-") else ""
        return p.expression(text.removesuffix(hint)), hint

    def encode(self, e: Encoding, it: tuple[Expression, str]) -> None:
        number, hint = e.value(it[0]).number, it[1]
        if not 0 <= number < 32:
            raise Unfit(f"BO {number}: allowed 0..31", near=True)
        if hint:
            target = e.operands.get("target")
            if target is not None:
                KINDS["target"].encode(e, target)  # type: ignore[attr-defined]
            number |= (hint == "+") != _is_backward(e.row, e.words[0])
        for bit, fixed in enumerate(e.row.first[6:11]):
            if fixed in "01" and (number >> 4 - bit & 1) != int(fixed):
                raise Unfit(f"BO {number}: this branch has no such condition")
        e.words[0] |= number << 21

    def statics(self, row: Row) -> Iterable[tuple[int | None, int | None]]:
        counts, condition = self._looks_at(row)
        return [(w, v) for w in ((0, 1) if counts else (None,)) for v in ((0, 1) if condition else (None,))]


def _is_backward(row: Row, word: int) -> bool:
    """Tell whether a branch is taken by the rule: its displacement field is negative, of an absolute target too."""
    place = row.places.get("i")
    return place is not None and bool(word >> place[2] & place[1] >> 1)


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


ZERO = 32
BIT_NAMES = ("lt", "gt", "eq", "so")
_BITS = {name: number for number, name in enumerate(BIT_NAMES)} | {"un": 3}
_BIT_NAME = re.compile(r"\b(?:cr([0-7])|lt|gt|eq|so|un)\b", re.IGNORECASE)


class Field(operands.Field):
    """A number; `reads`: it names a register that is read."""

    reads = False

    def parse(self, text: str, p: Parsing) -> Any:
        return p.expression(text)

    def encode(self, e: Encoding, it: Any) -> None:
        e.put(self.letters, e.value(it).number)


def register_number(text: str, prefix: str, p: Parsing) -> Expression:
    """Return the number of a register: r3, %r3 or 3."""
    bare = text.lower().removeprefix("%")
    digits = bare.removeprefix(prefix)
    if digits.isdigit() and bare != digits:
        return constant(int(digits))
    if re.fullmatch(r"(r|f|cr)\d+", bare):
        raise Unfit(f"{text!r} is no register for this place")
    return p.expression("2" if bare == "rtoc" else "1" if bare == "sp" and prefix == "r" else text)


class Register(Field):
    def __init__(self, letters: str, reads: bool = True, prefix: str = "r") -> None:
        super().__init__(letters)
        self.reads, self.prefix = reads, prefix

    def parse(self, text: str, p: Parsing) -> Expression:
        return register_number(text, self.prefix, p)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return f"{self.prefix}{fields[0]}"


class RegisterOrZero(Field):
    reads = True

    def number(self, d: Decoding) -> int:
        return d.letter(self.letters) or ZERO

    def parse(self, text: str, p: Parsing) -> Expression:
        return register_number(text, "r", p)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return "0" if fields[0] == ZERO else f"r{fields[0]}"


class Immediate(Field):
    """A 16-bit immediate, in the upper half when `shift` is 16."""

    def __init__(self, signed: bool, shift: int = 0) -> None:
        super().__init__("i")
        self.signed, self.shift = signed, shift

    def number(self, d: Decoding) -> int:
        value = d.letter("i")
        return (signed(value, 16) if self.signed else value) << self.shift

    def encode(self, e: Encoding, it: Expression) -> None:
        value = e.value(it)
        low = -0x8000 if self.signed else 0
        high = 0x7FFF if self.signed and not self.shift and value.section != HALF else 0xFFFF
        if not low <= value.number <= high:
            raise Unfit(f"immediate {value.number}: allowed {low}..{high}", near=True)
        e.put("i", value.number & 0xFFFF)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return str(fields[0] >> self.shift)


class RotateMask(Field):
    """Ones from bit `m` to bit `e`, counted from the left and around the end."""

    def number(self, d: Decoding) -> int:
        first, last = d.letter("m"), d.letter("e")
        from_first, to_last = 0xFFFFFFFF >> first, 0xFFFFFFFF << (31 - last) & 0xFFFFFFFF
        return from_first & to_last if first <= last else from_first | to_last

    texts = 2

    def parse(self, text: str, p: Parsing) -> tuple[Expression, ...]:
        return tuple(p.expression(part) for part in split_operands(text))

    def encode(self, e: Encoding, it: tuple[Expression, ...]) -> None:
        for letter, part in zip(self.letters, it, strict=True):
            e.put(letter, e.value(part).number, "bit")

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return f"{d.letter('m')},{d.letter('e')}"


class FieldMask(Field):
    """Condition fields, bit n of the mask for field n."""

    def number(self, d: Decoding) -> int:
        return int(f"{d.letter('f'):08b}"[::-1], 2)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return str(d.letter("f"))


class ConditionField(Field):
    def parse(self, text: str, p: Parsing) -> Expression:
        return register_number(text, "cr", p)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return f"cr{fields[0]}"


class ConditionBit(Field):
    def parse(self, text: str, p: Parsing) -> Expression:
        return p.expression(_BIT_NAME.sub(lambda m: m[1] or str(_BITS[m[0].lower()]), text))

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        field, bit = divmod(fields[0], 4)
        return f"4*cr{field}+{BIT_NAMES[bit]}" if field else BIT_NAMES[bit]


class BranchTarget(Field):
    def number(self, d: Decoding) -> int:
        offset = signed(d.letter("i"), d.row.first.count("i")) << 2
        address = offset if d.letter("A") else d.pc + offset
        d.target = address & 0xFFFFFF
        return address

    def encode(self, e: Encoding, it: Expression) -> None:
        bits = e.row.first.count("i") + 2
        offset = e.value(it).number if e.operands.get("aa") else e.distance(it)
        if e.operands.get("aa") and offset >= 1 << bits - 1:
            offset -= 1 << 32
        limit = 1 << bits - 1
        if offset % 4 or not -limit <= offset < limit:
            raise Unfit(f"target {offset:+} bytes away: allowed {-limit}..{limit - 4}, a multiple of 4", near=True)
        e.put("i", offset >> 2 & (1 << bits - 2) - 1)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return f"0x{fields[0] & 0xFFFFFF:x}"


class RegisterList(Field):
    """Registers from rD on, bit n of the mask for rn."""

    def number(self, d: Decoding) -> int:
        return 0xFFFFFFFF << d.letter("d") & 0xFFFFFFFF

    def parse(self, text: str, p: Parsing) -> Expression:
        return register_number(text, "r", p)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return f"r{d.letter('d')}"


class ByteCount(Field):
    def number(self, d: Decoding) -> int:
        return d.letter("n") or 32

    def encode(self, e: Encoding, it: Expression) -> None:
        number = e.value(it).number
        if not 0 <= number <= 32:
            raise Unfit(f"{number} bytes: allowed 1..32", near=True)
        e.put("n", number & 31)


KINDS: dict[str, OperandKind] = {
    "d": Register("d", reads=False),
    "s": Register("d"),
    "t": Register("a", reads=False),
    "a": Register("a"),
    "b": Register("b"),
    "u": Register("a"),
    "z": RegisterOrZero("a"),
    "rc": Flag("c", "."),
    "oe": Flag("o", "o"),
    "simm": Immediate(signed=True),
    "uimm": Immediate(signed=False),
    "shifted": Immediate(signed=True, shift=16),
    "ushifted": Immediate(signed=False, shift=16),
    "sh": Field("h"),
    "mask": RotateMask("me"),
    "to": Field("t"),
    "crf": ConditionField("f"),
    "crg": ConditionField("g"),
    "bt": ConditionBit("d"),
    "ba": ConditionBit("a"),
    "bb": ConditionBit("b"),
    "fxm": FieldMask("f"),
    "bo": BranchOptions("vwy"),
    "bi": ConditionBit("n"),
    "target": BranchTarget("iA"),
    "aa": AbsoluteBit("A"),
    "spr": SpecialRegister("p"),
    "sr": Field("p"),
    "registers": RegisterList("d"),
    "nb": ByteCount("n"),
    "number": Register("a", reads=False),
    "bit": Field("d"),
    "fd": Register("d", reads=False, prefix="f"),
    "fa": Register("a", reads=False, prefix="f"),
    "fb": Register("b", reads=False, prefix="f"),
    "fc": Register("r", reads=False, prefix="f"),
    "fm": Field("f"),
}
