"""Operand size, address size and ModR/M into code bytes: the inverse of modrm.py."""

from __future__ import annotations

from ..assembly.encoding import Encoding
from ..assembly.expressions import Expression, Unfit, Value
from .ea_text import Written
from .modes import is_real

_NO_BASE, _ESP, _EBP, _BX, _BP, _SI, _DI = 5, 4, 5, 3, 5, 6, 7
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
