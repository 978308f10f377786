"""The assembly language of the x86: Intel's syntax as nasm takes it, 16 and 32 bits; operands read and encoded."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ..assembly.dialect import Dialect
from ..assembly.encoding import Encoding
from ..assembly.expressions import C_NUMBERS, Expression, Grammar, Numbers, Unfit, Value
from .modes import is_real

# Operands as they are written, with the "ptr" of other assemblers:
#
# eax  [ebx+ecx*4+8]  dword [es:bx]  word ptr fs:[bx+si-2]  [0x1234]

CODES = {
    8: ("al", "cl", "dl", "bl", "ah", "ch", "dh", "bh"),
    16: ("ax", "cx", "dx", "bx", "sp", "bp", "si", "di"),
    32: ("eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"),
}
REGISTERS = {name: (code, bits) for bits, names in CODES.items() for code, name in enumerate(names)}
SEGMENTS = {name: number for number, name in enumerate(("es", "cs", "ss", "ds", "fs", "gs"))}
SIZES = {"byte": 8, "word": 16, "dword": 32, "fword": None}
_SIZE = re.compile(r"(byte|word|dword|fword)\b\s*(?:ptr\b)?\s*", re.IGNORECASE)
_SEGMENT = re.compile(r"%?([c-gs]s)\s*:\s*", re.IGNORECASE)
_ESP = 4


@dataclass(frozen=True)
class Written:
    """An operand: a register, or memory.

    size      bits: of a register, or as written before memory; None where nothing says
    code      of a register, None for memory
    bits      of the registers in an address, None where there are none
    base, index  their codes, None where missing;  scale: 1 2 4 8
    """

    size: int | None
    code: int | None = None
    disp: Expression | None = None
    base: int | None = None
    index: int | None = None
    scale: int = 1
    bits: int | None = None
    segment: int | None = None


def register(text: str) -> tuple[int, int] | None:
    """Return (code, bits) of a register, None where the text is none."""
    return REGISTERS.get(text.strip().lower().removeprefix("%"))


def sized(text: str) -> tuple[int | None, str]:
    """Split off a size before an operand: (bits or None, the rest)."""
    found = _SIZE.match(text)
    return (SIZES[found[1].lower()], text[found.end() :].strip()) if found else (None, text.strip())


@lru_cache(maxsize=16384)
def parse_operand(text: str, grammar: Grammar) -> Written:
    """Return a register or a memory operand. Errors: Unfit."""
    size, rest = sized(text)
    found = register(rest)
    if found:
        return Written(found[1], found[0])
    segment = None
    override = _SEGMENT.match(rest)
    if override:
        segment, rest = SEGMENTS[override[1].lower()], rest[override.end() :]
    start = rest.find("[")
    if start < 0 or not rest.endswith("]"):
        if size and "ptr" in text.lower() and "[" not in rest:
            return Written(size, disp=grammar.parse(rest), segment=segment)
        raise Unfit(f"{text!r} is no register and no memory operand")
    inside = rest[start + 1 : -1].replace("][", "+").strip()
    override = _SEGMENT.match(inside)
    if override:
        segment, inside = SEGMENTS[override[1].lower()], inside[override.end() :]
    if rest[:start].strip():  # sym[ebx]
        inside = f"{inside}+{rest[:start].strip()}"
    return _address(inside, size, segment, grammar)


def _terms(text: str) -> list[tuple[str, str]]:
    """Split an address at + and - outside brackets: (sign, term)."""
    found, depth, start, sign = [], 0, 0, "+"
    for at, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c in "+-" and not depth and text[start:at].strip() and text[start:at].rstrip()[-1:] not in "*/+-<>|&^~%":
            found.append((sign, text[start:at].strip()))
            sign, start = c, at + 1
    return [*found, (sign, text[start:].strip())]


def _address(inside: str, size: int | None, segment: int | None, grammar: Grammar) -> Written:
    registers: list[tuple[int, int, int]] = []  # code, bits, scale
    rest = []
    for sign, term in _terms(inside):
        part = _register_term(term)
        if part is None:
            rest.append(f"{sign}{term}")
        elif sign == "-":
            raise Unfit(f"[{inside}]: a register cannot be subtracted")
        else:
            registers.append(part)
    disp = grammar.parse("".join(rest).removeprefix("+")) if rest else None
    widths = {bits for _, bits, _ in registers}
    if len(widths) > 1 or 8 in widths or len(registers) > 2:
        raise Unfit(f"[{inside}] is no address")
    bits = widths.pop() if widths else None
    if bits == 16 and any(scale > 1 for _, _, scale in registers):
        raise Unfit(f"[{inside}]: registers of 16 bits have no scale")
    base, index, scale = _base_and_index(registers, inside)
    return Written(size, None, disp, base, index, scale, bits, segment)


def _register_term(term: str) -> tuple[int, int, int] | None:
    left, star, right = (part.strip() for part in term.partition("*"))
    if star and register(right) and not register(left):
        left, right = right, left
    found = register(left)
    if not found:
        return None
    if star and right not in ("1", "2", "3", "4", "5", "8", "9"):
        raise Unfit(f"{term}: allowed scales 1, 2, 4, 8")
    return (*found, int(right) if star else 1)


def _base_and_index(registers: list[tuple[int, int, int]], inside: str) -> tuple[int | None, int | None, int]:
    """Return base, index and scale; one scaled register alone becomes two where that is shorter."""
    if not registers:
        return None, None, 1
    if len(registers) == 1:
        code, _, scale = registers[0]
        if scale == 1:
            return code, None, 1
        if scale in (2, 3, 5, 9):
            return code, code, scale - 1
        return None, code, scale
    (first, _, one), (second, _, other) = registers
    if one != 1 or (second == _ESP and other == 1):
        first, second, one, other = second, first, other, one
    if one != 1 or other not in (1, 2, 4, 8):
        raise Unfit(f"[{inside}]: one register can have a scale: 1, 2, 4, 8")
    return first, second, other


SEGMENT_WORDS = {name: ("segment", number) for number, name in enumerate(("es", "cs", "ss", "ds", "fs", "gs"))}
SIZE_NAMES = (("CBW", "CBWw"), ("CWDE", "CBWd"), ("CWD", "CWDw"), ("CDQ", "CWDd"))
ALIASES = (
    *SIZE_NAMES,
    # which of two codes of one length: what nasm takes
    *((f"{name} {{ea}},{{simm}}",) * 2 for name in ["ADD", "OR", "ADC", "SBB", "AND", "SUB", "XOR", "CMP"]),
    ("TEST {ea},{g}", "TEST {ea},{g}"),
    ("TEST {g},{ea}", "TEST {ea},{g}"),
    ("XCHG {g},{ea}", "XCHG {ea},{g}"),
    ("XCHG {d},{acc}", "XCHG {acc},{d}"),
    ("IMUL {g},{imm}", "IMUL {g},{g},{imm}"),
    ("IMUL {g},{simm}", "IMUL {g},{g},{simm}"),
    ("SAL {ea},{imm8}", "SHL {ea},{imm8}"),
    ("SAL {ea},{one}", "SHL {ea},{one}"),
    ("SAL {ea},cl", "SHL {ea},cl"),
    ("LOOPZ {target}", "LOOPE {target}"),
    ("LOOPNZ {target}", "LOOPNE {target}"),
    ("AAM", "AAM 10"),
    ("AAD", "AAD 10"),
    ("XLATB", "XLAT"),
    ("FWAIT", "WAIT"),
    ("ICEBP", "INT1"),
    ("RETN", "RET"),
    ("RETN {imm16}", "RET {imm16}"),
)
NUMBERS = Numbers(
    (
        ("0[xXhH]([0-9a-fA-F_]+)", 16),
        ("([0-9][0-9a-fA-F_]*)[hH]", 16),
        ("\\$([0-9][0-9a-fA-F_]*)", 16),
        ("0[bByY]([01_]+)", 2),
        ("([01][01_]*)[yY]", 2),
        ("0[oOqQ]([0-7_]+)", 8),
        ("([0-7][0-7_]*)[oOqQ]", 8),
        C_NUMBERS[-1],
    ),
    here=("$", "."),
    text_order="little",
    quotes="'\"`",
    escaping="`",
    true=1,
)
DIALECT = Dialect(
    numbers=NUMBERS,
    comments=(";", "#"),
    aliases=ALIASES,
    shown=SIZE_NAMES,
    prefixes=SEGMENT_WORDS
    | {"lock": ("lock", 1), "a16": ("address", 16), "a32": ("address", 32), "o16": ("data", 16), "o32": ("data", 32)}
    | {"addr16": ("address", 16), "addr32": ("address", 32), "data16": ("data", 16), "data32": ("data", 32)},
    prefix_order=("lock", "rep", "segment", "data", "address"),
    sizes={"word": 2},
    nop=b"\x90",
    percent_arguments=True,
    words=re.compile(
        "|".join((r"[cdt]r\d|st\d?|ptr|short|near|far|offset|strict|flat", *REGISTERS, *SEGMENTS, *SIZES))
    ),
)


# Operand size, address size and ModR/M into code bytes: the inverse of modrm.py.

_NO_BASE, _EBP, _BX, _BP, _SI, _DI = 5, 5, 3, 5, 6, 7
WORD_FORMS = {
    (_BX, _SI): 0, (_BX, _DI): 1, (_BP, _SI): 2, (_BP, _DI): 3, (_SI, None): 4, (_DI, None): 5, (_BP, None): 6,
    (_BX, None): 7,
}  # fmt: skip
DATA_SIZE, ADDRESS_SIZE = 0x66, 0x67
SEGMENT_CODES = (0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65)


def default_size(e: Encoding) -> int:
    return 16 if is_real(e.model) else 32


def choose_size(e: Encoding, bits: int | None) -> int:
    """Settle the operand size; 16 or 32 bits, where not that of the mode, take a prefix. Errors: Unfit."""
    given = e.given.pop("data", None)
    if given and bits and bits != given:
        raise Unfit(f"o{given} before an operand of {bits} bits", near=True)
    size = bits or given or default_size(e)
    if size != 8 and size != default_size(e):
        e.prefix("data", DATA_SIZE)
    e.size = size
    return size


def choose_address_size(e: Encoding, bits: int | None) -> int:
    """Settle the address size. Errors: Unfit."""
    given = e.given.pop("address", None)
    if given and bits and bits != given:
        raise Unfit(f"a{given} before an address of {bits} bits", near=True)
    size = bits or given or default_size(e)
    if size != default_size(e):
        e.prefix("address", ADDRESS_SIZE)
    return size


def number(e: Encoding, value: int, size: int) -> None:
    """Append a number of `size` bytes, low byte first."""
    for byte in (value & (1 << 8 * size) - 1).to_bytes(size, "little"):
        e.word(byte)


def as_signed(value: int, bits: int) -> int:
    """Read a number that may be unsigned with its sign."""
    return value - (1 << bits) if 1 << bits - 1 <= value < 1 << bits else value


def immediate(e: Encoding, it: Expression, bits: int) -> None:
    """Append an immediate, signed or unsigned. Errors: Unfit."""
    value = e.value(it).number
    if not -(1 << bits - 1) <= value < 1 << bits:
        raise Unfit(f"immediate {value}: allowed {-(1 << bits - 1)}..{(1 << bits) - 1}", near=True)
    number(e, value, bits // 8)


def fits_byte(value: Value, bits: int) -> bool:
    """Is it a number, no address, that its low byte stands for when its sign is extended?"""
    return value.section is None and -128 <= as_signed(value.number, bits) < 128


def encode_memory(e: Encoding, it: Written) -> None:
    """Put a memory operand into fields m and e, and append SIB and displacement. Errors: Unfit."""
    if it.segment is not None:
        e.prefix("segment", SEGMENT_CODES[it.segment])
    bits = choose_address_size(e, it.bits)
    value = e.value(it.disp) if it.disp else Value(0)
    number_ = as_signed(value.number, bits)
    if not -(1 << bits - 1) <= number_ < 1 << bits:
        raise Unfit(f"displacement {value.number}: allowed {-(1 << bits - 1)}..{(1 << bits) - 1}", near=True)
    disp = Value(number_, value.section)
    if bits == 16:
        _encode_word(e, it, disp)
    else:
        _encode_long(e, it, disp)


def _mode(e: Encoding, disp: Value, needs_one: bool) -> int:
    """Return the mode for a displacement: 0 without one, 1 for a byte, 2 for a whole one."""
    plain = disp == Value(0) and not needs_one
    form = e.choose((plain, fits_byte(disp, 32), True))
    return 2 if form is None else form


def _encode_word(e: Encoding, it: Written, disp: Value) -> None:
    if it.base is None:
        e.put("m", 0)
        e.put("e", 6)
        number(e, disp.number, 2)
        return
    pair = (it.base, it.index)
    code = WORD_FORMS.get(pair, WORD_FORMS.get((it.index, it.base)) if it.index is not None else None)
    if code is None:
        raise Unfit("an address of 16 bits: allowed are bx or bp, si or di, or one of each", near=True)
    mode = _mode(e, disp, needs_one=code == 6)
    e.put("m", mode)
    e.put("e", code)
    number(e, disp.number, mode)


def _encode_long(e: Encoding, it: Written, disp: Value) -> None:
    if it.base is None and it.index is None:
        e.put("m", 0)
        e.put("e", _NO_BASE)
        number(e, disp.number, 4)
        return
    if it.index == _ESP:
        raise Unfit("esp cannot be an index", near=True)
    if it.base is None:
        mode, size = 0, 4
    else:
        mode = _mode(e, disp, needs_one=it.base == _EBP)
        size = (0, 1, 4)[mode]
    e.put("m", mode)
    if it.index is None and it.base != _ESP:
        e.put("e", it.base if it.base is not None else _NO_BASE)
    else:
        e.put("e", _ESP)
        index = _ESP if it.index is None else it.index
        base = _NO_BASE if it.base is None else it.base
        e.word((it.scale.bit_length() - 1) << 6 | index << 3 | base)
    number(e, disp.number, size)
