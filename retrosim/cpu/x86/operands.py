"""Operand kinds of the x86: what the parameter names of the rows mean.

s        operand size in bits: 8 where field `w` is 0, else 16 or 32 by mode and prefix; or the row's size=
a        address size, 16 or 32
c        condition, field `c`
ea       register or memory by ModR/M, fields `m` and `e`;  moffs: memory at an address in the code
g d      register of the operand size, fields `g` (of ModR/M) and `d` (of the opcode);  acc: the accumulator
sreg     segment register, field `g`;  control: control, debug or test register, field `g`
imm      immediate of the operand size;  simm: sign-extended byte;  imm8 imm16: unsigned;  t: small number;  one: 1
target   branch target, displacement= bits (None: the operand size)
far      offset and selector in the code;  operation: number in field `g`
rep      repeat prefix of a string instruction;  again: its own address;  segment: that of a string's source
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from ..assembly.encoding import Encoding, Parsing
from ..assembly.expressions import Expression, Unfit, Value
from ..spec import operands
from ..spec.decoding import Decoding, IllegalEncoding
from ..spec.operands import Static
from ..spec.rows import OperandKind, Row
from ..spec.values import Word
from .assembly import SEGMENTS, Written, as_signed, choose_address_size, choose_size, fits_byte, immediate, sized
from .assembly import number as number_bytes
from .assembly import register as register_of
from .modes import is_286, is_real
from .modrm import EAX, FIELDS, NAMES, Ea, ModRM, Offset, address_size, number, operand_size, register, register_fields
from .segments import CS, DS, GS, SEGMENT_NAMES

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


class ConditionCode(Static):
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


_DISTANCE = re.compile(r"(short|near|far)\b\s*(?:ptr\b)?\s*", re.IGNORECASE)
_OFFSET = re.compile(r"^(offset|strict)\b\s*(?:flat:)?", re.IGNORECASE)


class Field(operands.Field):
    """A number."""

    def parse(self, text: str, p: Parsing) -> Any:
        return p.expression(text)

    def encode(self, e: Encoding, it: Any) -> None:
        e.put(self.letters, e.value(it).number)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return f"{fields[0]:#x}"


def parse_register(text: str) -> Written:
    """Return a general register. Errors: Unfit."""
    found = register_of(text)
    if not found:
        raise Unfit(f"{text!r} is no register")
    return Written(found[1], found[0])


class Register(Field):
    """A register, bound as the operand that ModR/M would make of it; excludes= leaves out one in the opcode."""

    def legal(self, row: Row, opcodes: Any) -> Any:
        return (opcodes & 7) != row.options["excludes"] if "excludes" in row.options else opcodes == opcodes

    def bind(self, m: Any, static: None, take: Callable[[], Word]) -> Ea:
        return Ea("reg", {name: take() for name in FIELDS["reg"]})

    def decode(self, d: Decoding) -> tuple[None, list[int]]:
        return None, register_fields(d.letter(self.letters), d.size)

    def parse(self, text: str, p: Parsing) -> Written:
        return parse_register(text)

    def encode(self, e: Encoding, it: Written) -> None:
        if it.size != e.size:
            raise Unfit(f"a register of {it.size} bits, where {e.size} are expected")
        assert it.code is not None
        e.put(self.letters, it.code)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return NAMES[d.size][d.letter(self.letters)]


class Accumulator(Static):
    """AL, AX or EAX, bound as an operand like any register."""

    def parse(self, text: str, p: Parsing) -> Written:
        it = parse_register(text)
        if it.code != EAX:
            raise Unfit(f"{text!r} is not the accumulator")
        return it

    def encode(self, e: Encoding, it: Written) -> None:
        if it.size != e.size:
            raise Unfit(f"a register of {it.size} bits, where {e.size} are expected")

    def bind(self, m: Any, static: None, take: Callable[[], Word]) -> Ea:
        return register(EAX, m)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return NAMES[d.size][EAX]


class One(Static):
    """The number 1, which has rows of its own."""

    def parse(self, text: str, p: Parsing) -> Expression:
        return p.expression(text)

    def encode(self, e: Encoding, it: Expression) -> None:
        if e.value(it) != Value(1):
            raise Unfit("only by 1")

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return "1"


class SegmentRegister(Field):
    """A segment register by number; fs and gs are 4 and 5, there is no 6 or 7, and CS cannot be loaded (load=True)."""

    @staticmethod
    def last(model: str) -> int:
        """Return the number of the last one."""
        return DS if is_286(model) else GS

    def number(self, d: Decoding) -> int:
        n = d.letter(self.letters)
        if n > self.last(d.model) or (n == CS and d.row.options.get("load")):
            raise IllegalEncoding
        return n

    def parse(self, text: str, p: Parsing) -> int:
        name = text.lower().removeprefix("%")
        if name not in SEGMENTS or (SEGMENTS[name] == CS and p.row.options.get("load")):
            raise Unfit(f"{text!r} is no segment register for this place")
        if SEGMENTS[name] > self.last(p.model):
            raise Unfit(f"{text}: not on the {p.model}", near=True)
        return SEGMENTS[name]

    def encode(self, e: Encoding, it: int) -> None:
        e.put(self.letters, it)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return SEGMENT_NAMES[fields[0]]


class ControlRegister(Field):
    """A control, debug or test register; the row's options say which there are and how they are called."""

    def number(self, d: Decoding) -> int:
        n = d.letter(self.letters)
        if n not in d.row.options["numbers"]:
            raise IllegalEncoding
        d.forms["control"] = f"{d.row.options['registers']}{n}"
        return n

    def parse(self, text: str, p: Parsing) -> int:
        name, registers = text.lower().removeprefix("%"), p.row.options["registers"]
        if not re.fullmatch(rf"{registers}\d", name):
            raise Unfit(f"{text!r} is no register of the kind {registers}0")
        if int(name[2:]) not in p.row.options["numbers"]:
            raise Unfit(f"{text}: not on the {p.model}", near=True)
        return int(name[2:])

    def encode(self, e: Encoding, it: int) -> None:
        e.put(self.letters, it)

    def forms(self, row: Row, model: str) -> Iterable[dict[str, str]]:
        return [{"control": f"{row.options['registers']}{n}"} for n in row.options["numbers"]]

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return d.forms["control"]


class Immediate(Field):
    """An immediate of the operand size, or of `bits`."""

    def __init__(self, bits: int | None = None, signed: bool = False) -> None:
        super().__init__()
        self.bits, self.signed = bits, signed

    def number(self, d: Decoding) -> int:
        size = (self.bits or d.size) // 8
        d.forms["imm"] = d.forms.get("imm", 0) + 1
        d.forms["imm_bytes"] = d.forms.get("imm_bytes", 0) + size
        return number(d, size, self.signed)

    def parse(self, text: str, p: Parsing) -> tuple[int | None, Expression]:
        """Return the size that is written before it, and the number."""
        if register_of(text) or text.startswith("["):
            raise Unfit(f"{text!r} is no number")
        size, rest = sized(text)
        if self.bits and size not in (None, self.bits) and not self.signed:
            raise Unfit(f"{text}: a number of {self.bits} bits is expected")
        return (None if self.bits and not self.signed else size), p.expression(_OFFSET.sub("", rest))

    def encode(self, e: Encoding, it: tuple[int | None, Expression]) -> None:
        if not self.signed:
            immediate(e, it[1], self.bits or e.size)
            return
        value = e.value(it[1])
        if not fits_byte(value, e.size):
            raise Unfit(f"number {value.number}: allowed -128..127")
        number_bytes(e, value.number, 1)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return f"{fields[0] & ((1 << (d.size or 32)) - 1):#x}" if self.signed else f"{fields[0]:#x}"


class BranchTarget(Field):
    """A branch target: the address after the instruction and a displacement. Flat 16-bit targets lie below 64 KiB."""

    def number(self, d: Decoding) -> int:
        size = d.row.options.get("displacement", d.size) // 8
        d.forms["disp"] = size
        displacement = number(d, size, signed=True)
        target = d.end + displacement
        target = target & 0xFFFF if d.size == 16 and not is_real(d.model) else target
        d.target = target & 0xFFFFFF
        return target

    def parse(self, text: str, p: Parsing) -> tuple[int | None, str, Expression]:
        """Return the size that is written before it, "short", "near" or "", and the target."""
        found = _DISTANCE.match(text)
        size, rest = sized(text[found.end() :] if found else text)
        if rest.startswith("[") or register_of(rest):
            raise Unfit(f"{text!r} is no target")
        return size, (found[1].lower() if found else ""), p.expression(rest)

    def encode(self, e: Encoding, it: tuple[int | None, str, Expression]) -> None:
        bits = e.row.options.get("displacement", e.size)
        if (it[1] == "short" and bits != 8) or ((it[1] == "near" or it[0]) and bits == 8):
            raise Unfit(f"there is no {it[1]} form")
        offset = e.distance(it[2]) - (e.length + bits // 8)
        if bits == 16 or (e.size == 16 and is_real(e.model)):
            offset = as_signed(offset & 0xFFFF, 16)
        limit = 1 << bits - 1
        if not -limit <= offset < limit:
            raise Unfit(f"target {offset:+} bytes away: allowed {-limit}..{limit - 1}", near=True)
        number_bytes(e, offset, bits // 8)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return f"{fields[0] & 0xFFFFFFFF:#x}"


class Far(Field):
    """An offset and a selector in the code, bound as a pair."""

    def decode(self, d: Decoding) -> tuple[None, list[int]]:
        offset = number(d, d.size // 8)
        d.forms["imm"], d.forms["imm_bytes"] = 2, d.size // 8 + 2
        return None, [offset, number(d, 2)]

    def bind(self, m: Any, static: None, take: Callable[[], Word]) -> tuple[Word, Word]:
        return take(), take()

    def parse(self, text: str, p: Parsing) -> tuple[int | None, Expression, Expression]:
        """Return the size that is written before it, selector and offset."""
        size, rest = sized(_DISTANCE.sub("", text))
        selector, colon, offset = rest.partition(":")
        if not colon or "[" in rest or selector.strip().lower() in SEGMENTS:
            raise Unfit(f"{text!r}: selector:offset is expected")
        return size, p.expression(selector), p.expression(offset)

    def encode(self, e: Encoding, it: tuple[int | None, Expression, Expression]) -> None:
        immediate(e, it[2], e.size)
        immediate(e, it[1], 16)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return f"{fields[1]:#x}:{fields[0]:#x}"


class Again(Field):
    """The address of the instruction itself: where a repeated string instruction continues."""

    def number(self, d: Decoding) -> int:
        d.target = d.pc & 0xFFFFFF
        return d.pc


class SourceSegment(Field):
    """The segment of a string's source: DS or the prefix's. Flat models have none."""

    def decode(self, d: Decoding) -> tuple[None, list[int]]:
        return None, [d.prefixes.get("segment", DS)] if is_real(d.model) else []

    def bind(self, m: Any, static: None, take: Callable[[], Word]) -> Word | None:
        return take() if is_real(m.cpu.model) else None

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return ""  # a prefix shows it (spell_prefixes)


KINDS: dict[str, OperandKind] = {
    "s": Size(),
    "a": AddressSize(),
    "c": ConditionCode(),
    "ea": ModRM(),
    "moffs": Offset(),
    "acc": Accumulator(),
    "one": One(),
    "g": Register("g"),
    "d": Register("d"),
    "sreg": SegmentRegister("g"),
    "control": ControlRegister("g"),
    "imm": Immediate(),
    "simm": Immediate(8, signed=True),
    "imm8": Immediate(8),
    "imm16": Immediate(16),
    "t": Field("t"),
    "operation": Field("g"),
    "target": BranchTarget(),
    "far": Far(),
    "rep": Repeat(),
    "again": Again(),
    "segment": SourceSegment(),
}
