"""Operands in registers and memory: decoding of ModR/M and SIB, and reading, writing and modifying what they name.

Operands fall into four classes, which are the only ones the engines know; everything else is fields:

    reg      register `number`; a byte register lies `shift` bits up (AH is register 0, 8 bits up)
    word     16-bit address: r[base] + r[index] + displacement, modulo 64 KiB
    disp     32-bit address: r[base] + displacement
    index    32-bit address: r[base] + r[index] << scale + displacement

What is missing is the zero register. In real mode a memory operand also has the number of its segment register.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..assembly.encoding import Encoding, Parsing
from ..assembly.expressions import Unfit
from ..spec.decoding import Decoding, IllegalEncoding
from ..spec.rows import Row
from ..spec.values import Word
from .assembly import CODES, SEGMENT_CODES, Written, choose_address_size, encode_memory, immediate, parse_operand
from .modes import is_real
from .segments import DS, SEGMENT_NAMES, SS, linear, load, store

EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI, ZERO = range(9)

NAMES = CODES | {bits: (*CODES[bits], "") for bits in (16, 32)}  # "" for the register that is always 0
SIZE_NAMES = {8: "byte ", 16: "word ", 32: "dword "}
WORD_BASES = (  # Intel 386 PRM table 17-2
    (EBX, ESI), (EBX, EDI), (EBP, ESI), (EBP, EDI), (ESI, ZERO), (EDI, ZERO), (EBP, ZERO), (EBX, ZERO),
)  # fmt: skip

FIELDS = {
    "reg": ("number", "shift"),
    "word": ("base", "index", "disp"),
    "disp": ("base", "disp"),
    "index": ("base", "index", "scale", "disp"),
}


class Ea:
    """A bound operand: its class and the words that make it up."""

    __slots__ = ("base", "cls", "disp", "index", "number", "scale", "segment", "shift")
    base: Word  # this and the others: None where the class has none
    disp: Word
    index: Word
    number: Word
    scale: Word
    segment: Word
    shift: Word

    def __init__(self, cls: str, words: dict[str, Word]) -> None:
        self.cls = cls
        for name in self.__slots__:
            if name != "cls":
                setattr(self, name, words.get(name))

    @property
    def address_registers(self) -> list[Word]:
        """Numbers of the registers that address calculation needs."""
        return [r for r in (self.base, self.index) if r is not None]


def operand_size(d: Decoding) -> int:
    """Return the operand size, 16 or 32 bits, of an instruction that is not a byte instruction."""
    return 16 if is_real(d.model) ^ ("data" in d.prefixes) else 32


def address_size(d: Decoding) -> int:
    return 16 if is_real(d.model) ^ ("address" in d.prefixes) else 32


def number(d: Decoding, size: int, signed: bool = False) -> int:
    """Read a number of `size` bytes that follows in the code, low byte first."""
    value = sum(d.next_word() << 8 * i for i in range(size))
    return value - (value >> (8 * size - 1) << 8 * size) if signed else value


def register_fields(code: int, bits: int) -> list[int]:
    """Return the fields of the register with a three-bit code."""
    return [code & 3, 8 * (code >> 2)] if bits == 8 else [code, 0]


class MemoryOperand:
    """Base of the operand kinds that can be in memory."""

    letters = ""

    def bind(self, m: Any, static: str, take: Callable[[], Word]) -> Ea:
        names = FIELDS[static]
        if static != "reg" and is_real(m.cpu.model):
            names = (*names, "segment")
        return Ea(static, {name: take() for name in names})

    def with_segment(self, d: Decoding, cls: str, fields: list[int], default: int) -> tuple[str, list[int]]:
        d.forms["ea"] = "mem"
        named = (number for name, number in zip(FIELDS[cls], fields) if name in ("base", "index") and number != ZERO)
        d.forms["registers"] = sum(1 << number for number in set(named))
        return cls, [*fields, d.prefixes.get("segment", default)] if is_real(d.model) else fields

    def show_memory(self, d: Decoding, static: str, fields: list[int], size: str) -> str:
        words = dict(zip(FIELDS[static], fields))
        bits = 16 if static == "word" else 32
        names = NAMES[bits]
        parts = [names[words["base"]]]
        if words.get("index", ZERO) != ZERO:
            parts.append(names[words["index"]] + ("", "*2", "*4", "*8")[words.get("scale", 0)])
        text = "+".join(part for part in parts if part)
        disp = words["disp"]
        if not text:
            text = f"{disp & ((1 << bits) - 1):#x}"
        elif disp:
            text += f"{'-' if disp < 0 else '+'}{abs(disp):#x}"
        segment = SEGMENT_NAMES[d.prefixes["segment"]] + ":" if "segment" in d.prefixes else ""
        return f"{size}[{segment}{text}]"


class ModRM(MemoryOperand):
    """The operand kind `ea`: fields m and e of the ModR/M byte, SIB byte, displacement.

    Row options: ea="mem" or "reg" where only one of the two is an instruction; ea_size=8 or 16 where the size is not
    that of the instruction.
    """

    letters = "me"

    def forms(self, row: Row, model: str) -> Iterable[dict[str, str]]:
        kinds = row.options.get("ea", "any")
        return [{"ea": form} for form in ("reg", "mem") if kinds in ("any", form)]

    def statics(self, row: Row) -> Iterable[str]:
        kinds = row.options.get("ea", "any")
        return (("reg",) if kinds != "mem" else ()) + (("word", "disp", "index") if kinds != "reg" else ())

    def decode(self, d: Decoding) -> tuple[str, list[int]]:
        mode, code = d.letter("m"), d.letter("e")
        kinds = d.row.options.get("ea", "any")
        if kinds != "any" and (mode == 3) != (kinds == "reg"):
            raise IllegalEncoding
        if mode == 3:
            d.forms["ea"] = "reg"
            return "reg", register_fields(code, d.row.options.get("ea_size", d.size))
        return self._word(d, mode, code) if address_size(d) == 16 else self._long(d, mode, code)

    def _displacement(self, d: Decoding, size: int) -> int:
        d.forms["disp"] = size
        return number(d, size, signed=True) if size else 0

    def _word(self, d: Decoding, mode: int, code: int) -> tuple[str, list[int]]:
        base, index = WORD_BASES[code]
        if mode == 0 and code == 6:
            return self.with_segment(d, "word", [ZERO, ZERO, self._displacement(d, 2)], DS)
        disp = self._displacement(d, mode)
        d.forms["pair"] = d.forms["two"] = index != ZERO
        return self.with_segment(d, "word", [base, index, disp], SS if base == EBP else DS)

    def _long(self, d: Decoding, mode: int, code: int) -> tuple[str, list[int]]:
        base, index, scale = code, ZERO, 0
        if code == ESP:
            sib = d.next_word()
            base, scale = sib & 7, sib >> 6
            index = ZERO if sib >> 3 & 7 == ESP else sib >> 3 & 7
        size = (0, 1, 4)[mode]
        if mode == 0 and base == EBP:
            base, size = ZERO, 4
        disp = self._displacement(d, size)
        default = SS if base in (ESP, EBP) else DS
        if index == ZERO:
            return self.with_segment(d, "disp", [base, disp], default)
        d.forms["index" if scale else "pair"] = True
        d.forms["two"] = base != ZERO
        return self.with_segment(d, "index", [base, index, scale, disp], default)

    def parse(self, text: str, p: Parsing) -> Written:
        it = parse_operand(text, p.dialect.grammar)
        kinds = p.row.options.get("ea", "any")
        if kinds != "any" and (it.code is not None) != (kinds == "reg"):
            raise Unfit(f"{text!r}: {'a register' if kinds == 'reg' else 'memory'} is expected")
        return it

    def encode(self, e: Encoding, it: Written) -> None:
        size = e.row.options.get("ea_size", e.size)
        if it.code is not None:
            if it.size != size:
                raise Unfit(f"a register of {it.size} bits, where {size} are expected")
            e.put("m", 3)
            e.put("e", it.code)
            return
        if "ea_size" in e.row.options and it.size != size:
            raise Unfit(f"memory of {size} bits: write {SIZE_NAMES[size].strip()}", near=it.size is None)
        if it.size not in (None, size) and not e.row.options.get("word_in_memory") and not e.row.options.get("unsized"):
            raise Unfit(f"memory of {it.size} bits, where {size} are expected")
        encode_memory(e, it)

    def show(self, d: Decoding, static: str, fields: list[int]) -> str:
        size = d.row.options.get("ea_size", d.size)
        if static == "reg":
            code = fields[0] | fields[1] >> 1
            return NAMES[size][code]
        if d.row.options.get("word_in_memory"):
            size = 16
        plain = ("g" in d.row.pattern and "ea_size" not in d.row.options) or d.row.options.get("unsized")
        return self.show_memory(d, static, fields, "" if plain else SIZE_NAMES.get(size, ""))


class Offset(MemoryOperand):
    """The operand kind `moffs`: an address in the code, of the address size."""

    def statics(self, row: Row) -> Iterable[str]:
        return ("word", "disp")

    def decode(self, d: Decoding) -> tuple[str, list[int]]:
        size = address_size(d) // 8
        disp = number(d, size)
        d.forms["disp"] = size
        cls, fields = ("word", [ZERO, ZERO, disp]) if size == 2 else ("disp", [ZERO, disp])
        return self.with_segment(d, cls, fields, DS)

    def parse(self, text: str, p: Parsing) -> Written:
        it = parse_operand(text, p.dialect.grammar)
        if it.code is not None or it.bits is not None or it.disp is None:
            raise Unfit(f"{text!r}: an address without registers is expected")
        return it

    def encode(self, e: Encoding, it: Written) -> None:
        if it.segment is not None:
            e.prefix("segment", SEGMENT_CODES[it.segment])
        bits = choose_address_size(e, None)
        assert it.disp is not None
        immediate(e, it.disp, bits)

    def show(self, d: Decoding, static: str, fields: list[int]) -> str:
        return self.show_memory(d, static, fields, "")


def register(n: int, m: Any) -> Ea:
    """Return the accumulator, or another register, as an operand."""
    return Ea("reg", {"number": m.const(32, n), "shift": m.const(32, 0)})


def address(m: Any, ea: Ea, popped: int = 0) -> Word:
    """Return the offset of a memory operand; `popped` bytes have left a stack whose pointer has not moved yet."""
    if ea.cls == "word":
        return (m.reg(ea.base, 16) + m.reg(ea.index, 16) + ea.disp.trunc(16)).zext(32)
    offset = m.reg(ea.base) + ea.disp
    if popped:
        offset = offset + m.select(ea.base.eq(ESP), m.const(32, popped), m.const(32, 0))
    if ea.cls == "index":
        offset = offset + (m.reg(ea.index) << ea.scale)
    return offset


def behind(ea: Ea, offset: Word, size: int) -> Word:
    """Return an offset `size` bytes on, modulo 64 KiB with 16-bit addresses."""
    return (offset + size) & 0xFFFF if ea.cls == "word" else offset + size


def read(m: Any, ea: Ea, bits: int) -> Word:
    """Return the operand's value."""
    if ea.cls != "reg":
        return load(m, ea.segment, address(m, ea), bits)
    if bits == 8:
        return (m.reg(ea.number, 16) >> ea.shift.trunc(16)).trunc(8)
    m.timing.whole_register(ea.number)
    return m.reg(ea.number, bits)


def write(m: Any, ea: Ea, word: Word) -> None:
    """Store a value into an operand."""
    if ea.cls != "reg":
        store(m, ea.segment, address(m, ea), word)
    elif word.bits == 8:
        shift = ea.shift.trunc(16)
        rest = m.reg(ea.number, 16) & ~(m.const(16, 0xFF) << shift)
        m.set_reg(ea.number, rest | word.zext(16) << shift, stage="byte")
    else:
        m.set_reg(ea.number, word)


def modify(m: Any, ea: Ea, bits: int, function: Callable[[Word], Word]) -> None:
    """Replace an operand by function(operand), its address calculated and checked once."""
    if ea.cls == "reg":
        write(m, ea, function(read(m, ea, bits)))
    else:
        pointer = linear(m, ea.segment, address(m, ea), bits)
        m.store(pointer, function(m.load(pointer, bits)))
