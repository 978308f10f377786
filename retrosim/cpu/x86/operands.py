"""Operand kinds of the x86: what the parameter names of the rows mean.

s        operand size in bits: 8 where field `w` is 0, else 16 or 32 by mode and prefix; or the row's size=
a        address size, 16 or 32
c        condition, field `c`
ea       register or memory by ModR/M, fields `m` and `e`;  moffs: memory at an address in the code
g d      register of the operand size, fields `g` (of ModR/M) and `d` (of the opcode);  acc: the accumulator
sreg     segment register, field `g`;  control: control, debug or test register, field `g`
imm      immediate of the operand size;  simm: sign-extended byte;  imm8 imm16: unsigned;  t: small number, field `t`
target   branch target, displacement= bits (None: the operand size)
far      offset and selector in the code
rep      repeat prefix of a string instruction;  again: its own address;  segment: that of a string's source
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..spec import operands
from ..spec.decoding import Decoding, IllegalEncoding
from ..spec.operands import Static
from ..spec.rows import Row
from ..spec.values import Word
from .modes import is_real
from .modrm import EAX, FIELDS, NAMES, Ea, ModRM, Offset, address_size, number, operand_size, register, register_fields
from .segments import CS, DS, SEGMENT_NAMES

CONDITIONS = ("o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g")


class Size(Static):
    letters = "w"

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
        return [{"s": bits} for bits in self.statics(row)]

    def show(self, d: Decoding, static: int, fields: list[int]) -> str:
        return {8: "b", 16: "w", 32: "d"}[static]


class AddressSize(Static):
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

    def show(self, d: Decoding, static: str, fields: list[int]) -> str:
        return static and f"{static} "


class Field(operands.Field):
    """A number."""

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return f"{fields[0]:#x}"


class Register(Field):
    """A register, bound as the operand that ModR/M would make of it; excludes= leaves out one in the opcode."""

    def legal(self, row: Row, opcodes: Any) -> Any:
        return (opcodes & 7) != row.options["excludes"] if "excludes" in row.options else opcodes == opcodes

    def bind(self, m: Any, static: None, take: Callable[[], Word]) -> Ea:
        return Ea("reg", {name: take() for name in FIELDS["reg"]})

    def decode(self, d: Decoding) -> tuple[None, list[int]]:
        return None, register_fields(d.letter(self.letters), d.size)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return NAMES[d.size][d.letter(self.letters)]


class Accumulator(Static):
    """AL, AX or EAX, bound as an operand like any register."""

    def statics(self, row: Row) -> Iterable[None]:
        return [None]

    def decode(self, d: Decoding) -> tuple[None, list[int]]:
        return None, []

    def bind(self, m: Any, static: None, take: Callable[[], Word]) -> Ea:
        return register(EAX, m)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return NAMES[d.size][EAX]


class SegmentRegister(Field):
    """A segment register by number; fs and gs are 4 and 5, there is no 6 or 7, and CS cannot be loaded (load=True)."""

    def number(self, d: Decoding) -> int:
        n = d.letter(self.letters)
        if n > 5 or (n == CS and d.row.options.get("load")):
            raise IllegalEncoding
        return n

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

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return f"{fields[0] & ((1 << (d.size or 32)) - 1):#x}" if self.signed else f"{fields[0]:#x}"


class Target(Field):
    """A branch target: the address after the instruction and a displacement. Flat 16-bit targets lie below 64 KiB."""

    def number(self, d: Decoding) -> int:
        size = d.row.options.get("displacement", d.size) // 8
        d.forms["disp"] = size
        displacement = number(d, size, signed=True)
        target = d.end + displacement
        target = target & 0xFFFF if d.size == 16 and not is_real(d.model) else target
        d.target = target & 0xFFFFFF
        return target

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
        return f" {SEGMENT_NAMES[d.prefixes['segment']]}:" if "segment" in d.prefixes else ""


KINDS = {
    "s": Size(),
    "a": AddressSize(),
    "c": Condition(),
    "ea": ModRM(),
    "moffs": Offset(),
    "acc": Accumulator(),
    "g": Register("g"),
    "d": Register("d"),
    "sreg": SegmentRegister("g"),
    "control": ControlRegister("g"),
    "imm": Immediate(),
    "simm": Immediate(8, signed=True),
    "imm8": Immediate(8),
    "imm16": Immediate(16),
    "t": Field("t"),
    "target": Target(),
    "far": Far(),
    "rep": Repeat(),
    "again": Again(),
    "segment": SourceSegment(),
}
