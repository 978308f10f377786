"""Effective addresses: decoding of all modes, and reading, writing and modifying what they name.

Modes fall into seven classes, which are the only ones the engines know; everything else is fields:

    reg          register n
    disp         r[base] + displacement               (An) (d16,An) (xxx).W (xxx).L (d16,PC)
    post pre     r[base], moved by `step` afterwards or before
    index        r[base] + displacement + index        (d8,An,Xn) (d8,PC,Xn) (bd,An,Xn) (bd,PC,Xn)
    indirect     long at (r[base] + displacement [+ index]) [+ index] + outer; `late` says where the index goes
    imm          the value itself

Absolute and PC-relative addresses have the zero register as base. Legal modes of a row are a string of letters:
D Dn, A An, I (An), + (An)+, - -(An), d (d16,An), x indexed by An, w (xxx).W and .L, p (d16,PC), q indexed by PC, # imm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..assembly.encoding import Encoding, Parsing
from ..assembly.expressions import Unfit
from ..spec.decoding import Decoding, IllegalEncoding
from ..spec.rows import Row
from ..spec.values import Word
from .assembly import EaEncoder, Written, parse_ea

ANY = "DAI+-dxwpq#"
DATA = "DI+-dxwpq#"
MEMORY = "I+-dxwpq#"
CONTROL = "Idxwpq"
DATA_ALTERABLE = "DI+-dxw"
MEMORY_ALTERABLE = "I+-dxw"
CONTROL_ALTERABLE = "Idxw"

ZERO = 16
NAMES = (["d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "sp"], "pc")


def mode_letter(mode: int, register: int) -> str:
    """Return the letter of a mode field, or "" where none exists."""
    if mode < 7:
        return "DAI+-dx"[mode]
    return "wwpq#"[register] if register < 5 else ""


class Ea:
    """A bound effective address: its class and the words that make it up."""

    __slots__ = ("base", "cls", "disp", "index", "late", "long", "outer", "scale", "step", "value")
    base: Word  # this and the others: None where the class has none
    disp: Word
    index: Word
    late: Word
    long: Word
    outer: Word
    scale: Word
    step: Word
    value: Word

    def __init__(self, cls: str, words: dict[str, Word]) -> None:
        self.cls = cls
        for name in self.__slots__[:1] + self.__slots__[2:]:
            setattr(self, name, words.get(name))

    @property
    def address_registers(self) -> list[Word]:
        """Numbers of the registers that address calculation needs."""
        return [] if self.cls in ("reg", "imm") else [r for r in (self.base, self.index) if r is not None]


INDEXED = ("base", "disp", "index", "scale", "long")
FIELDS = {
    "reg": ("value",),
    "disp": ("base", "disp"),
    "post": ("base", "step"),
    "pre": ("base", "step"),
    "index": INDEXED,
    "indirect": (*INDEXED, "outer", "late"),
    "imm": ("value",),
}
CLASSES = {
    "D": ("reg",), "A": ("reg",), "I": ("disp",), "+": ("post",), "-": ("pre",), "d": ("disp",), "w": ("disp",),
    "p": ("disp",), "#": ("imm",), "x": ("index", "indirect"), "q": ("index", "indirect"),
}  # fmt: skip


FORMS = {
    "D": ("Dn",), "A": ("An",), "I": ("(An)",), "+": ("(An)+",), "-": ("-(An)",), "d": ("(d16,An)",),
    "w": ("(xxx).W", "(xxx).L"), "p": ("(d16,PC)",), "q": ("(d8,PC,Xn)",), "x": ("(d8,An,Xn)",), "#": ("#imm",),
}  # fmt: skip
FULL_FORMS = ("(BR,Xn)", "(bd,BR,Xn)", "([bd,BR,Xn])", "([bd,BR,Xn],od)", "([bd,BR],Xn)", "([bd,BR],Xn,od)")


class EffectiveAddress:
    """The operand kind `ea` (or `ea2`); the row's option of the same name says which modes are legal."""

    def __init__(self, mode: str, register: str) -> None:
        self.letters = mode + register
        self.option = "ea" if mode == "m" else "ea2"
        self.mode, self.register = mode, register

    def legal(self, row: Row, opcodes: np.ndarray) -> np.ndarray:
        mode = (opcodes >> (15 - row.first.rindex(self.mode))) & 7
        register = (opcodes >> (15 - row.first.rindex(self.register))) & 7
        table = np.zeros((8, 8), bool)
        for m in range(8):
            for r in range(8):
                letter = mode_letter(m, r)
                table[m, r] = letter != "" and letter in row.options[self.option]
        claimed = table[mode, register]
        if "s" in row.first or "z" in row.first or row.options.get("size") == 8:  # no byte access to An
            size, byte = ("z", 1) if "z" in row.first else ("s", 0)
            is_byte = (opcodes >> (15 - row.first.rindex(size))) & 3 == byte if size in row.first else True
            claimed &= ~((mode == 1) & is_byte)
        return claimed

    def statics(self, row: Row) -> Iterable[str]:
        return sorted({c for letter in row.options[self.option] for c in CLASSES[letter]})

    def forms(self, row: Row, model: str) -> Iterable[dict[str, str]]:
        """Name every mode that a row allows as the timing tables do."""
        letters = row.options[self.option]
        names = [name for letter in letters for name in FORMS[letter]]
        if model != "MC68000":
            bases = [base for letter, base in (("x", ""), ("q", " PC")) if letter in letters]
            names += [form + base for base in bases for form in FULL_FORMS]
        return [{self.option: name} for name in names]

    def decode(self, d: Decoding) -> tuple[str, list[int]]:
        mode, register = d.letter(self.mode), d.letter(self.register)
        letter = mode_letter(mode, register)
        if letter not in d.row.options[self.option]:
            raise IllegalEncoding
        size = d.size or 32
        step = 2 if size == 8 and register == 7 else size // 8
        match letter:
            case "D" | "A":
                return self._simple(d, "reg", ["Dn", "An"][mode], [register + 8 * mode])
            case "I":
                return self._simple(d, "disp", "(An)", [8 + register, 0])
            case "+":
                return self._simple(d, "post", "(An)+", [8 + register, step])
            case "-":
                return self._simple(d, "pre", "-(An)", [8 + register, step])
            case "d":
                return self._simple(d, "disp", "(d16,An)", [8 + register, _word(d)])
            case "w":
                return self._literal(d, *("(xxx).L", _long(d)) if register else ("(xxx).W", _word(d)))
            case "p":
                return self._literal(d, "(d16,PC)", d.end + _word(d))
            case "#":
                value = _long(d) if size == 32 else d.next_word() & ((1 << size) - 1)
                return self._simple(d, "imm", "#imm", [value])
        return self._indexed(d, base=ZERO if letter == "q" else 8 + register, pc=d.end if letter == "q" else None)

    def _simple(self, d: Decoding, cls: str, form: str, fields: list[int]) -> tuple[str, list[int]]:
        d.forms[self.option] = form
        return cls, fields

    def _literal(self, d: Decoding, form: str, address: int) -> tuple[str, list[int]]:
        if d.row.options.get("flow"):
            d.target = address & 0xFFFFFF
        return self._simple(d, "disp", form, [ZERO, address])

    def _indexed(self, d: Decoding, base: int, pc: int | None) -> tuple[str, list[int]]:
        """Decode a brief or full extension word (M68000PRM section 2.2)."""
        word = d.next_word()
        index, is_long, scale = word >> 12, word >> 11 & 1, word >> 9 & 3
        if d.model == "MC68000":
            scale, full = 0, False
        else:
            full = bool(word & 0x100)
        if not full:
            disp = (word & 0xFF) - (word << 1 & 0x100)
            d.forms[self.option] = "(d8,An,Xn)" if pc is None else "(d8,PC,Xn)"
            return "index", [base, disp + (pc or 0), index, scale, is_long]
        if word & 8 or not word >> 4 & 3 or word & 7 == 4 or (word & 0x40 and word & 7 > 4):
            raise IllegalEncoding
        bd = {1: lambda d: 0, 2: _word, 3: _signed_long}[word >> 4 & 3](d)
        outer = {0: None, 1: lambda d: 0, 2: _word, 3: _signed_long}[word & 3]
        od = outer(d) if outer else 0
        relative = 0
        if word & 0x80:
            base = ZERO
        elif pc is not None:
            relative = pc
        if word & 0x40:
            index, scale, is_long = ZERO, 0, 1
        relative_form = " PC" if pc is not None and not word & 0x80 else ""
        d.forms[self.option] = _full_form(word) + relative_form
        fields = [base, bd + relative, index, scale, is_long]
        return ("indirect", [*fields, od, word >> 2 & 1]) if word & 7 else ("index", fields)

    def parse(self, text: str, p: Parsing) -> Written:
        it = parse_ea(text, p.dialect.grammar)
        if it.form in "DAI+-#" and it.form not in p.row.options[self.option]:
            raise Unfit("such an operand cannot stand here")
        return it

    def encode(self, e: Encoding, it: Written) -> None:
        EaEncoder(e, self.mode, self.register, e.row.options[self.option]).encode(it)

    def bind(self, m: Any, static: str, take: Callable[[], Word]) -> Ea:
        return Ea(static, {name: take() for name in FIELDS[static]})

    def show(self, d: Decoding, static: str, fields: list[int]) -> str:
        names = [*NAMES[0], ""]
        form, letter = d.forms[self.option], mode_letter(d.letter(self.mode), d.letter(self.register))
        match static:
            case "reg":
                return names[fields[0]]
            case "imm":
                return f"#${fields[0]:x}"
            case "post":
                return f"({names[fields[0]]})+"
            case "pre":
                return f"-({names[fields[0]]})"
            case "disp":
                base, disp = fields
                if letter == "I":
                    return f"({names[base]})"
                if letter == "w":
                    return f"(${disp & 0xFFFFFFFF:x})"
                return f"({disp},{names[base]})" if letter == "d" else f"(${disp & 0xFFFFFFFF:x},pc)"
        base, disp, index, scale, is_long, *outer = fields
        where = "pc" if letter == "q" and "PC" in form else names[base]
        number = f"${disp & 0xFFFFFFFF:x}" if where in ("pc", "") else str(disp)
        xn = f"{names[index]}.{'wl'[is_long]}" + (f"*{1 << scale}" if scale else "") if index != ZERO else ""
        if static == "index":
            return "(" + ",".join(p for p in (number, where, xn) if p) + ")"
        inner, rest = ([number, where], [xn, str(outer[0])]) if outer[1] else ([number, where, xn], [str(outer[0])])
        return "([" + ",".join(p for p in inner if p) + "]," + ",".join(p for p in rest if p) + ")"


def _word(d: Decoding) -> int:
    value = d.next_word()
    return value - (value << 1 & 0x10000)


def _long(d: Decoding) -> int:
    return d.next_word() << 16 | d.next_word()


def _signed_long(d: Decoding) -> int:
    return (_long(d) ^ 0x80000000) - 0x80000000


def _full_form(word: int) -> str:
    """Name the mode of a full extension word as the timing tables do."""
    displaced, outer = word >> 4 & 3 > 1, word & 3 > 1
    if not word & 7:
        return "(bd,BR,Xn)" if displaced else "(BR,Xn)"
    inner = "([bd,BR],Xn" if word & 4 else "([bd,BR,Xn]"
    return inner + (",od)" if outer else ")")


def _moves_late(m: Any, ea: Ea, bits: int) -> bool:
    """Is the register of (An)+ moved after the access? Long operands of the MC68000; seen where the access aborts."""
    return m.cpu.aligned and ea.cls == "post" and bits == 32


def _move_late(m: Any, ea: Ea, bits: int) -> None:
    if _moves_late(m, ea, bits):
        m.set_reg(ea.base, m.reg(ea.base) + ea.step, stage="address")


def address(m: Any, ea: Ea, bits: int = 0, low_word_first: str = "") -> Word:
    """Return the address that an operand of `bits` names, moving the register of (An)+ and -(An).

    low_word_first   "read" or "write": how the MC68000 accesses a long operand of -(An) whose low word comes first
    """
    base = m.reg(ea.base)
    if _moves_late(m, ea, bits):
        return base
    match ea.cls:
        case "disp":
            return base + ea.disp
        case "post":
            m.set_reg(ea.base, base + ea.step, stage="address")
            return base
        case "pre":
            moved = base - ea.step
            if m.cpu.aligned and low_word_first:
                m.check_alignment(moved + 2, 32, write=low_word_first == "write")
            m.set_reg(ea.base, moved, stage="address")
            return moved
    raw = m.reg(ea.index)
    index = m.select(ea.long.trunc(1), raw, raw.trunc(16).sext(32)) << ea.scale
    if ea.cls == "index":
        return base + ea.disp + index
    zero = m.const(32, 0)
    late = ea.late.trunc(1)
    pointer = m.load(base + ea.disp + m.select(late, zero, index), 32)
    return pointer + m.select(late, index, zero) + ea.outer


def read(m: Any, ea: Ea, bits: int) -> Word:
    """Return the operand's value."""
    if ea.cls == "imm":
        return ea.value.trunc(bits)
    if ea.cls == "reg":
        return m.reg(ea.value, bits)
    value = m.load(address(m, ea, bits), bits)
    _move_late(m, ea, bits)
    return value


def write(m: Any, ea: Ea, word: Word) -> None:
    """Store a value into an operand."""
    if ea.cls == "reg":
        m.set_reg(ea.value, word)
    else:
        # the MC68000 moves (An)+ after a write of any size
        size = 32 if ea.cls == "post" else word.bits
        m.store(address(m, ea, size, "write" if word.bits == 32 else ""), word)
        _move_late(m, ea, size)


def overwrite(m: Any, ea: Ea, word: Word) -> None:
    """Store a value into an operand that the MC68000 reads first (CLR, Scc, MOVE from SR)."""
    if m.cpu.aligned:
        modify(m, ea, word.bits, lambda value: word)
    else:
        write(m, ea, word)


def modify(m: Any, ea: Ea, bits: int, function: Callable[[Word], Word]) -> None:
    """Replace an operand by function(operand), its address calculated once."""
    if ea.cls == "reg":
        m.set_reg(ea.value, function(m.reg(ea.value, bits)))
    else:
        pointer = address(m, ea, bits)
        m.store(pointer, function(m.load(pointer, bits)))
        _move_late(m, ea, bits)
