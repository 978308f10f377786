"""Effective addresses into code words: the shortest mode and displacement that hold a written operand."""

from __future__ import annotations

from ..assembly.encoding import Encoding
from ..assembly.expressions import Expression, Unfit, Value
from .ea_text import PC, Written

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
            raise Unfit(_NOT_LEGAL[letter])
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


_NOT_LEGAL = {
    "D": "a data register cannot stand here",
    "A": "an address register cannot stand here",
    "I": "(An) cannot stand here",
    "+": "(An)+ cannot stand here",
    "-": "-(An) cannot stand here",
    "d": "(d16,An) cannot stand here",
    "x": "(d8,An,Xn) cannot stand here",
    "w": "an absolute address cannot stand here",
    "p": "(d16,PC) cannot stand here",
    "q": "(d8,PC,Xn) cannot stand here",
    "#": "an immediate cannot stand here",
}
