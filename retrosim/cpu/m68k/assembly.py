"""The assembly language of the 68K: Motorola's, as vasm and GNU as take it; effective addresses read and encoded."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from ..assembly.dialect import Dialect, split_operands
from ..assembly.encoding import Encoding
from ..assembly.expressions import C_NUMBERS, Expression, Grammar, Numbers, Unfit, Value
from ..spec.rows import Row

# of MOVEC (M68000PRM table 6-1)
CONTROL_NAMES = {
    0x000: "sfc", 0x001: "dfc", 0x002: "cacr", 0x003: "tc", 0x004: "itt0", 0x005: "itt1", 0x006: "dtt0", 0x007: "dtt1",
    0x800: "usp", 0x801: "vbr", 0x803: "msp", 0x804: "isp", 0x805: "mmusr", 0x806: "urp", 0x807: "srp",
}  # fmt: skip
CACHE_NAMES = {0: "nc", 1: "dc", 2: "ic", 3: "bc"}
SUFFIXES = {8: "b", 16: "w", 32: "l"}


def suffixes(row: Row) -> Iterable[str]:
    """Return what may follow a mnemonic that shows no size: that of a branch's displacement, or of the operands."""
    if "target" in dict(row.operands):
        return "w" if "displacement" in row.options else "sbwl"
    return row.options.get("suffix") or SUFFIXES.get(row.options.get("size", 0), "")


SHIFTS = ("ASL", "ASR", "LSL", "LSR", "ROL", "ROR", "ROXL", "ROXR")
ALIASES = [
    ("MOVE.l {i},{d}", "MOVEQ {i},{d}"),
    ("MOVE.{s} {ea},{a}", "MOVEA.{s} {ea},{a}"),
    ("MOVE {b},usp", "MOVE.l {b},usp"),
    ("MOVE usp,{b}", "MOVE.l usp,{b}"),
    *((f"{name}.{{s}} {{n}},{{ea}}", f"{name}Q.{{s}} {{n}},{{ea}}") for name in ("ADD", "SUB")),
    *((f"{name}.{{s}} {{n}},{{b}}", f"{name}Q.{{s}} {{n}},{{b}}") for name in ("ADD", "SUB")),
    *(
        (f"{name}.{{s}} {{imm}},{{ea}}", f"{name}I.{{s}} {{imm}},{{ea}}")
        for name in ["ADD", "SUB", "CMP", "AND", "OR", "EOR"]
    ),
    *((f"{name} {{imm}},{to}", f"{name}I {{imm}},{to}") for name in ("AND", "OR", "EOR") for to in ("ccr", "sr")),
    *((f"{name}.{{s}} {{ea}},{{a}}", f"{name}A.{{s}} {{ea}},{{a}}") for name in ("ADD", "SUB", "CMP")),
    ("CMP.{s} ({b})+,({a})+", "CMPM.{s} ({b})+,({a})+"),
    ("EXG {b},{d}", "EXG {d},{b}"),
    ("LINK {b},#{disp32}", "LINK.l {b},#{disp32}"),
    *((f"{name}.l {{ea}},{{l}}", f"{name}L.l {{ea}},{{l}}:{{l}}") for name in ("DIVU", "DIVS")),
    *((f"{name}.{{s}} {{y}}", f"{name}.{{s}} #1,{{y}}") for name in SHIFTS),
    *((f"{name}.w #1,{{ea}}", f"{name}.w {{ea}}") for name in SHIFTS),
    *((f"MOVEP.{s} {{d}},{{disp}}({{b}})", f"MOVEP.{s} {{d}},({{disp}},{{b}})") for s in "wl"),
    *((f"MOVEP.{s} {{disp}}({{b}}),{{d}}", f"MOVEP.{s} ({{disp}},{{b}}),{{d}}") for s in "wl"),
    *((f"MOVEP.{s} {{d}},({{b}})", f"MOVEP.{s} {{d}},(0,{{b}})") for s in "wl"),
    *((f"MOVEP.{s} ({{b}}),{{d}}", f"MOVEP.{s} (0,{{b}}),{{d}}") for s in "wl"),
    *((f"MOVE16 {text},{{absolute}}", f"MOVE16 {text},({{absolute}})") for text in ("({b})+", "({b})")),
    *((f"MOVE16 {{absolute}},{text}", f"MOVE16 ({{absolute}}),{text}") for text in ("({b})+", "({b})")),
    ("DBRA {y},{target}", "DBF {y},{target}"),
    # GNU's names of branches that reach anywhere
    ("JRA {target}", "BRA {target}"),
    ("JBRA {target}", "BRA {target}"),
    ("JBSR {target}", "BSR {target}"),
    ("JBSR {ea}", "JSR {ea}"),
    ("J{c} {target}", "B{c} {target}"),
]

DIALECT = Dialect(
    numbers=Numbers(
        (("\\$([0-9a-fA-F]+)", 16), ("%([01]+)", 2), ("@([0-7]+)", 8), *C_NUMBERS),
        here=(".", "*"),
    ),
    comments=(";", " |", "\t|"),
    line_comments=("*", "#", "|"),
    signed_names="line-a",
    aliases=tuple(ALIASES),
    default_suffixes=("w", "l", "b"),
    suffixes=suffixes,
    sizes={"word": 2},
    nop=b"\x4e\x71",
    words=re.compile("|".join((r"[ad]\d|za\d|z?pc|sp|fp", *CONTROL_NAMES.values(), *CACHE_NAMES.values()))),
)


# Effective addresses as they are written: Motorola's syntax, old and new, and GNU's marks (%d0, sym:w).
#
# d0 a0 sp #1 (a0) (a0)+ -(a0) 4(a0) (4,a0) 4(a0,d0.w) (4,a0,d0.w*2) 4(pc) (sym).w sym.l sym ([4,a0],d0.l*2,8)

REGISTER_NUMBERS = {f"d{n}": n for n in range(8)} | {f"a{n}": 8 + n for n in range(8)} | {"sp": 15, "fp": 14}
_REGISTER = re.compile(r"%?(d[0-7]|a[0-7]|sp|fp)", re.IGNORECASE)
_BASE = re.compile(r"%?(a[0-7]|sp|fp|pc|zpc|za[0-7])", re.IGNORECASE)
_INDEX = re.compile(r"%?([da][0-7]|sp|fp)(?:[.:]([wl]))?(?:[*:]([1248]))?", re.IGNORECASE)
_SIZED = re.compile(r"(.*\S)\s*[.:]([wlWL])")
_SIMPLE = tuple(
    (form, re.compile(pattern))
    for form, pattern in (("I", r"\(%?(\w+)\)"), ("+", r"\(%?(\w+)\)\s*\+"), ("-", r"-\s*\(%?(\w+)\)"))
)
PC = 16  # in place of an address register


def register_number(text: str) -> int | None:
    """Return the number of a register, 8 and up for address registers, or None where the text is none."""
    found = _REGISTER.fullmatch(text.strip())
    return REGISTER_NUMBERS[found[1].lower()] if found else None


@dataclass(frozen=True)
class Written:
    """An operand as it is written.

    form    letter of a simple mode (D A I + - #), "w" for a plain address, "d" for a base or index with displacement,
            "[" for memory indirect
    base    register 8..15, PC, or None
    disp    displacement, address or immediate, and the size that is given for it ("w", "l" or "")
    index   (register, is long, log2 of the scale) or None
    outer   the second displacement of memory indirect;  late: is the index added behind the brackets?
    """

    form: str
    base: int | None = None
    disp: Expression | None = None
    size: str = ""
    index: tuple[int, int, int] | None = None
    outer: Expression | None = None
    outer_size: str = ""
    late: bool = False


@lru_cache(maxsize=16384)
def parse_ea(text: str, grammar: Grammar) -> Written:
    """Return what a text names. Errors: Unfit."""
    text = text.strip()
    if text.startswith("#"):
        return Written("#", disp=grammar.parse(text[1:]))
    register = register_number(text)
    if register is not None:
        return Written("A" if register >= 8 else "D", base=register)
    for form, pattern in _SIMPLE:
        found = pattern.fullmatch(text)
        number = register_number(found[1]) if found else None
        if number is not None and number >= 8:
            return Written(form, base=number)
    if text.startswith("([") and text.endswith(")"):
        return _indirect(text[1:-1], grammar)
    if text.endswith(")"):
        start = _opening(text)
        parts = list(split_operands(text[start + 1 : -1]))
        outside = text[:start].strip()
        if any(_BASE.fullmatch(part) or _INDEX.fullmatch(part) for part in parts):
            return _based(parts, outside, grammar)
    return _address(text, grammar)


def _opening(text: str) -> int:
    """Return where the bracket opens that the last character closes."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] == ")") - (text[at] == "(")
        if not depth:
            return at
    raise Unfit(f"{text!r}: ( is missing")


def _sized(text: str, grammar: Grammar) -> tuple[Expression, str]:
    found = _SIZED.fullmatch(text)
    if found:
        return grammar.parse(found[1]), found[2].lower()
    return grammar.parse(text), ""


def _address(text: str, grammar: Grammar) -> Written:
    value, size = _sized(text, grammar)
    if not size and text.startswith("(") and text.endswith(")") and _opening(text) == 0:
        value, size = _sized(text[1:-1], grammar)
    return Written("w", disp=value, size=size)


def _based(parts: list[str], outside: str, grammar: Grammar) -> Written:
    disp, size = _sized(outside, grammar) if outside else (None, "")
    base, index = None, None
    for part in parts:
        found = _BASE.fullmatch(part)
        if found and base is None:
            base = _base_number(found[1])
        elif index is None and (indexed := _INDEX.fullmatch(part)):
            index = _index(indexed)
        elif disp is None and base is None and index is None:
            disp, size = _sized(part, grammar)
        else:
            raise Unfit(f"{part!r} is no part of an address")
    return Written("d", base=base, disp=disp, size=size, index=index)


def _base_number(name: str) -> int:
    name = name.lower()
    if name.startswith("z"):
        raise Unfit(f"{name}: write the address without a base")
    return PC if name == "pc" else REGISTER_NUMBERS[name]


def _index(found: re.Match[str]) -> tuple[int, int, int]:
    is_long = int((found[2] or "w").lower() == "l")
    return REGISTER_NUMBERS[found[1].lower()], is_long, (found[3] and int(found[3]).bit_length() - 1) or 0


def _indirect(text: str, grammar: Grammar) -> Written:
    """Parse [bd,base,index],outer or [bd,base],index,outer."""
    inside, _, behind = text[1:].rpartition("]")
    inner = _based_or_plain(list(split_operands(inside)), grammar)
    index, outer, outer_size, late = inner.index, None, "", False
    for part in split_operands(behind.lstrip(" ,")):
        found = _INDEX.fullmatch(part)
        if found and index is None:
            index, late = _index(found), True
        elif outer is None:
            outer, outer_size = _sized(part, grammar)
        else:
            raise Unfit(f"{part!r} is no part of an address")
    return Written("[", inner.base, inner.disp, inner.size, index, outer, outer_size, late)


def _based_or_plain(parts: list[str], grammar: Grammar) -> Written:
    return _based([part for part in parts if part], "", grammar)


# Effective addresses into code words: the shortest mode and displacement that hold a written operand.

MODE_NUMBERS = {"D": 0, "A": 1, "I": 2, "+": 3, "-": 4, "d": 5, "x": 6, "w": 7, "p": 7, "q": 7, "#": 7}
PC_DISPLACED, PC_INDEXED, IMMEDIATE = 2, 3, 4
SIZES = (0, 16, 32)  # of a displacement in a full extension word, in bits


def fits(number: int, bits: int) -> bool:
    """Is it a number of so many bits with a sign?"""
    return -(1 << bits - 1) <= number < 1 << bits - 1


def as_signed(number: int) -> int:
    """Read an unsigned number of 32 bits with its sign."""
    return number - (1 << 32) if 1 << 31 <= number < 1 << 32 else number


def immediate(e: Encoding, expression: Expression, bits: int) -> None:
    """Append an immediate, signed or unsigned. Errors: Unfit."""
    number = e.value(expression).number
    if not -(1 << bits - 1) <= number < 1 << bits:
        raise Unfit(f"immediate {number}: allowed {-(1 << bits - 1)}..{(1 << bits) - 1}", near=True)
    if bits == 32:
        e.word(number >> 16)
    e.word(number & 0xFF if bits == 8 else number)


class EaEncoder:
    """Encodes the operand kind with mode and register in fields `mode` and `register`, for `legal` modes."""

    def __init__(self, e: Encoding, mode: str, register: str, legal: str) -> None:
        self.e, self.mode, self.register, self.legal_modes = e, mode, register, legal
        self.is_first = e.model == "MC68000"

    def encode(self, it: Written) -> None:
        """Put the operand into the pattern and append its words. Errors: Unfit."""
        if it.form in "DAI+-":
            assert it.base is not None
            self._put(it.form, it.base & 7)
        elif it.form == "#":
            self._put("#", IMMEDIATE)
            assert it.disp is not None
            immediate(self.e, it.disp, self.e.size or 32)
        elif it.form == "w":
            self._absolute(it)
        elif it.form == "[":
            self._full(it)
        elif it.base is not None and it.index is None:
            self._displaced(it)
        else:
            self._indexed(it)

    def _put(self, letter: str, register: int) -> None:
        if letter not in self.legal_modes:
            raise Unfit(f"{_OPERANDS[letter]} cannot stand here")
        self.e.put(self.mode, MODE_NUMBERS[letter])
        self.e.put(self.register, register)

    def _absolute(self, it: Written) -> None:
        """A number is short where it can be; a label is reached from PC where the row can, as with GNU as."""
        value = self._value(it.disp)
        number = as_signed(value.number)
        is_label = value.section is not None
        near = is_label and "p" in self.legal_modes and value.section in ("", self.e.scope.section)
        from_pc = number - self.e.end if near else 0
        form = self.e.choose(
            (
                not it.size and near and fits(from_pc, 16),
                it.size == "w" or (not it.size and not is_label and fits(number, 16)),
                it.size != "w",
            )
        )
        if form == 0:
            self._put("p", PC_DISPLACED)
            self.e.word(from_pc)
        elif form == 1:
            if not fits(number, 16):
                raise Unfit(f"address {value.number:#x}.w: allowed 0..0x7fff, 0xffff8000..0xffffffff", near=True)
            self._put("w", 0)
            self.e.word(number)
        else:
            if not -(1 << 31) <= value.number < 1 << 32:
                raise Unfit(f"address {value.number:#x} has more than 32 bits", near=True)
            self._put("w", 1)
            self._long(value.number)

    def _value(self, expression: Expression | None) -> Value:
        return Value(0) if expression is None else self.e.value(expression)

    def _long(self, number: int) -> None:
        self.e.word(number >> 16)
        self.e.word(number)

    def _displacement(self, it: Written) -> int:
        """Return the displacement; before PC a label is where it leads, as with GNU as."""
        value = self._value(it.disp)
        relative = it.base == PC and value.section is not None
        return as_signed(value.number) - (self.e.end if relative else 0)

    def _displaced(self, it: Written) -> None:
        """(An), (d16,An), (d16,PC) or, where 16 bits do not do, (bd,An) and (bd,PC)."""
        number, is_pc = self._displacement(it), it.base == PC
        letter = "p" if is_pc else "d"
        value = self._value(it.disp)
        plain = not is_pc and "I" in self.legal_modes and not number and value.section is None and not it.size
        form = self.e.choose((plain, it.size != "l" and fits(number, 16), True))
        if form == 0:
            assert it.base is not None
            self._put("I", it.base & 7)
        elif form == 1:
            self._put(letter, PC_DISPLACED if is_pc else int(it.base or 0) & 7)
            self.e.word(number)
        elif self.is_first:
            raise Unfit(f"displacement {number}: allowed -32768..32767 on the MC68000", near=True)
        else:
            self._full(it)

    def _indexed(self, it: Written) -> None:
        """The brief format if it does, else the full one."""
        assert it.index is not None or it.base is None
        if it.base is None or it.index is None:
            self._full(it)
            return
        number = self._displacement(it)
        register, is_long, scale = it.index
        if self.is_first and scale:
            raise Unfit("a scaled index: not on the MC68000", near=True)
        is_brief = self.e.choose((not it.size and fits(number, 8), True)) == 0
        if is_brief:
            self._put_base(it.base)
            self.e.word(register << 12 | is_long << 11 | scale << 9 | number & 0xFF)
        elif self.is_first:
            raise Unfit(f"displacement {number}: allowed -128..127 on the MC68000", near=True)
        else:
            self._full(it)

    def _put_base(self, base: int | None) -> None:
        if base == PC:
            self._put("q", PC_INDEXED)
        else:
            self._put("x", int(base or 0) & 7)

    def _full(self, it: Written) -> None:
        """The full extension word (M68000PRM section 2.2)."""
        if self.is_first:
            raise Unfit("this addressing mode: not on the MC68000", near=True)
        self._put_base(it.base)
        number = self._displacement(it)
        value = self._value(it.disp)
        is_constant = value.section is None or it.base == PC
        word = 0x100 | (0x80 if it.base is None else 0)
        if it.index is None:
            word |= 0x40
        else:
            register, is_long, scale = it.index
            word |= register << 12 | is_long << 11 | scale << 9
        size = self._size(number, it.size, is_constant, it.disp is not None)
        word |= (size + 1) << 4
        outer = 0
        outer_size = 0
        if it.form == "[":
            outer_value = self._value(it.outer)
            outer = as_signed(outer_value.number)
            outer_size = self._size(outer, it.outer_size, outer_value.section is None, it.outer is not None)
            word |= (outer_size + 1) | (4 if it.late else 0)
        self.e.word(word)
        for value_size, displacement in ((size, number), (outer_size, outer)):
            if value_size == 1:
                self.e.word(displacement)
            elif value_size == 2:
                self._long(displacement)

    def _size(self, number: int, given: str, is_constant: bool, is_there: bool) -> int:
        """Return which of SIZES a displacement takes."""
        none = not given and is_constant and not number
        form = self.e.choose((none, given != "l" and fits(number, 16), given != "w"))
        if form is None or not fits(number, SIZES[form] or 8):
            raise Unfit(f"displacement {number}: allowed -32768..32767", near=True)
        return form


_OPERANDS = {
    "D": "a data register", "A": "an address register", "I": "(An)", "+": "(An)+", "-": "-(An)", "d": "(d16,An)",
    "x": "(d8,An,Xn)", "w": "an absolute address", "p": "(d16,PC)", "q": "(d8,PC,Xn)", "#": "an immediate",
}  # fmt: skip
