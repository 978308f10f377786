"""Operand kinds of the 68K: what the parameter names of the rows mean.

s       operand size in bits, from a two-bit field `s` (00 01 10), a one-bit field `w` (word, long), the MOVE field
        `z` (01 byte, 11 word, 10 long) or the row's size=
c       condition, field `c`
d a     data and address register, fields `d` and `a` (usually bits 11-9)
y b     data and address register, fields `y` and `b` (usually bits 2-0)
u k h l data registers of the second word, fields of those names;  g e: any register, fields `g` and `e`
n       quick number, field `n`, 0 means 8;  i: 8-bit number, field `i`, sign-extended;  t: small number, field `t`
control control register, field `x`;  cache: cache of CINV and CPUSH, field `t`
ea ea2  effective address, fields `m` `r` and (MOVE destination) `M` `R`
imm     immediate of the operand size;  imm16: 16-bit immediate;  disp disp32: sign-extended displacement
absolute  32-bit address
mask    MOVEM register list;  target: branch target;  offset width: bit field, fields `O` `o` and `W` `w`
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..assembly.encoding import Encoding, Parsing
from ..assembly.expressions import Expression, Unfit
from ..spec import operands
from ..spec.decoding import Decoding
from ..spec.operands import Static, signed
from ..spec.rows import OperandKind, Row
from ..spec.values import Word
from .assembly import CACHE_NAMES, CONTROL_NAMES, as_signed, fits, immediate, register_number
from .ea import EffectiveAddress

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


class ConditionCode(Static):
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


DATA_REGISTERS, ADDRESS_REGISTERS = ("d", "y"), ("a", "b")  # kinds that name one
REGISTERS = tuple([f"d{i}" for i in range(8)] + [f"a{i}" for i in range(7)] + ["sp", "zero"])


class Field(operands.Field):
    """A number."""

    def parse(self, text: str, p: Parsing) -> Any:
        return parse_number(text, p)

    def encode(self, e: Encoding, it: Any) -> None:
        e.put(self.letters, e.value(it).number)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return f"#{fields[0]}"


def parse_number(text: str, p: Parsing) -> Expression:
    """Return what follows the #."""
    if not text.startswith("#"):
        raise Unfit(f"{text!r}: #number is expected")
    return p.expression(text[1:])


class Named(Field):
    """A number that has a name."""

    def __init__(self, letters: str, names: dict[int, str]) -> None:
        super().__init__(letters)
        self.names, self.numbers = names, {name: number for number, name in names.items()}

    def parse(self, text: str, p: Parsing) -> Expression | int:
        name = text.lower().removeprefix("%")
        return self.numbers[name] if name in self.numbers else parse_number(text, p)

    def encode(self, e: Encoding, it: Expression | int) -> None:
        e.put(self.letters, it if isinstance(it, int) else e.value(it).number)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return self.names.get(fields[0], f"#{fields[0]}")


class Register(Field):
    """A register number; address registers are 8..15 in the one register file."""

    def __init__(self, letter: str, first: int) -> None:
        super().__init__(letter)
        self.first = first

    def number(self, d: Decoding) -> int:
        return self.first + d.letter(self.letters)

    def parse(self, text: str, p: Parsing) -> int:
        number = register_number(text)
        if number is None or not self.first <= number < self.first + (1 << p.row.pattern.count(self.letters)):
            raise Unfit(f"{text!r} is no register for this place")
        return number - self.first

    def encode(self, e: Encoding, it: int) -> None:
        e.put(self.letters, it)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return REGISTERS[fields[0]]


class Quick(Field):
    def number(self, d: Decoding) -> int:
        return d.letter("n") or 8

    def encode(self, e: Encoding, it: Expression) -> None:
        number = constant(e, it)
        if not 1 <= number <= 8:
            raise Unfit(f"number {number}: allowed 1..8", near=True)
        e.put("n", number & 7)


class Byte(Field):
    def number(self, d: Decoding) -> int:
        return signed(d.letter("i"), 8)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return f"#{fields[0]}"

    def encode(self, e: Encoding, it: Expression) -> None:
        number = as_signed(constant(e, it))
        if not fits(number, 8):
            raise Unfit(f"number {number}: allowed -128..127", near=True)
        e.put("i", number & 0xFF)


def constant(e: Encoding, it: Expression) -> int:
    """Return a number that is no address: those may change, and forms for small numbers do not take them."""
    value = e.value(it)
    if value.section is not None:
        raise Unfit("an address is no small number")
    return value.number


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

    def parse(self, text: str, p: Parsing) -> Expression:
        """What is signed stands without a #."""
        return p.expression(text) if self.signed else parse_number(text, p)

    def encode(self, e: Encoding, it: Expression) -> None:
        bits = self.bits or e.size
        number = as_signed(e.value(it).number)
        if self.signed and not fits(number, bits):
            raise Unfit(f"number {number}: allowed {-1 << bits - 1}..{(1 << bits - 1) - 1}", near=True)
        immediate(e, it, bits)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return f"{fields[0]}" if self.signed else f"#${fields[0]:x}"


class Absolute(Immediate):
    """An absolute long address in the extension words."""

    def parse(self, text: str, p: Parsing) -> Expression:
        return p.expression(text)

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        return f"${fields[0]:x}"


class Mask(Field):
    """MOVEM's register list; with -(An) bit 0 is A7."""

    def number(self, d: Decoding) -> int:
        d.forms["registers"] = d.next_word()
        return d.forms["registers"]

    def forms(self, row: Row, model: str) -> Iterable[dict[str, int]]:
        return [{"registers": 0xFFFF}]

    def parse(self, text: str, p: Parsing) -> Expression | list[int]:
        """Return the registers of a list such as d0-d2/a0, or the mask itself."""
        if text.startswith("#"):
            return p.expression(text[1:])
        registers: list[int] = []
        for part in text.split("/"):
            ends = part.split("-")
            numbers = [number for number in map(register_number, ends) if number is not None]
            if len(numbers) < len(ends) or len(ends) > 2 or numbers[-1] < numbers[0]:
                raise Unfit(f"{part!r} is no list of registers")
            registers += range(numbers[0], numbers[-1] + 1)
        return registers

    def encode(self, e: Encoding, it: Expression | list[int]) -> None:
        reverse = e.operands["ea"].form == "-"
        if isinstance(it, list):
            e.word(sum(1 << (15 - n if reverse else n) for n in set(it)))
        else:
            e.word(constant(e, it))

    def show(self, d: Decoding, static: None, fields: list[int]) -> str:
        reverse = d.letter("m") == 4
        return "/".join(REGISTERS[15 - i if reverse else i] for i in range(16) if fields[0] >> i & 1) or "#0"


class BranchTarget(Field):
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

    def parse(self, text: str, p: Parsing) -> Expression:
        return p.expression(text)

    def encode(self, e: Encoding, it: Expression) -> None:
        """Put the shortest displacement that reaches the target, or the one that the suffix asks for."""
        offset = as_signed(e.distance(it) - 2)
        given = {"": 0, "s": 8, "b": 8, "w": 16, "l": 32}[e.suffix]
        bits = self._displacement_bits(e, offset, e.row.options.get("displacement", given))
        if bits == 8:
            e.put("i", offset & 0xFF)
            return
        if "i" in e.row.first and bits == 32:
            e.put("i", 0xFF)
        if bits == 32:
            e.word(offset >> 16)
        e.word(offset)

    def _displacement_bits(self, e: Encoding, offset: int, given: int) -> int:
        is_first = e.model == "MC68000"
        sizes = (8, 16) if is_first else (8, 16, 32)
        # of 8 bits 0 and -1 mean that a word or long word follows
        short = fits(offset, 8) and offset != 0 and (is_first or offset != -1)
        reaches = (short and given in (0, 8), fits(offset, 16) and given in (0, 16), given in (0, 32))
        form = e.choose(reaches[: len(sizes)])
        if form is None:
            if given and given not in sizes:
                raise Unfit("a branch with 32 bits: not on the MC68000", near=True)
            limit = 1 << (given or sizes[-1]) - 1
            raise Unfit(
                f"target {offset:+} bytes away: allowed {-limit}..{limit - 1}, and not 0 with 8 bits", near=True
            )
        return sizes[form]

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

    def parse(self, text: str, p: Parsing) -> Expression | int:
        number = register_number(text)
        if number is None:
            return p.expression(text.removeprefix("#"))
        if number >= 8:
            raise Unfit(f"{text}: a data register or a number")
        return number

    def encode(self, e: Encoding, it: Expression | int) -> None:
        if isinstance(it, int):
            e.put(self.flag, 1)
            e.put(self.letter, it)
            return
        first = int(self.flag == "W")
        number = e.value(it).number
        if not first <= number <= 31 + first:
            raise Unfit(f"{'width' if first else 'offset'} {number}: allowed {first}..{31 + first}", near=True)
        e.put(self.letter, number & 31)

    def show(self, d: Decoding, static: str, fields: list[int]) -> str:
        return REGISTERS[fields[0]] if static == "register" else str(fields[0] or (32 if self.flag == "W" else 0))

    def statics(self, row: Row) -> Iterable[str]:
        return ["number", "register"]


KINDS: dict[str, OperandKind] = {
    "s": Size(),
    "c": ConditionCode(),
    **{letter: Register(letter, 0) for letter in "dyukhlge"},  # g has four bits: any register
    **{letter: Register(letter, 8) for letter in "ab"},
    "n": Quick("n"),
    "i": Byte("i"),
    "t": Field("t"),
    "control": Named("x", CONTROL_NAMES),
    "cache": Named("t", CACHE_NAMES),
    "imm": Immediate(),
    "imm16": Immediate(16),
    "absolute": Absolute(32),
    "disp": Immediate(16, signed=True),
    "disp32": Immediate(32, signed=True),
    "mask": Mask(),
    "target": BranchTarget("i"),
    "ea": EffectiveAddress("m", "r"),
    "ea2": EffectiveAddress("M", "R"),
    "offset": BitField("O", "o"),
    "width": BitField("W", "w"),
}
