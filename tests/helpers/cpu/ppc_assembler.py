"""Words of PowerPC instructions, from the patterns of the rows."""

from __future__ import annotations

from retrosim.cpu import ppc

PATTERNS = {row.name: row.first for row in reversed(ppc.cpu("MPC601").table.rows)}


def encode(name: str, oe: int = 0, rc: int = 0, **fields: int) -> int:
    """Return the word of an instruction; fields by the letters of its pattern, 0 where none is given."""
    return encode_pattern(PATTERNS[name], o=oe, c=rc, **fields)


def encode_pattern(pattern: str, **fields: int) -> int:
    word = int("".join("1" if c == "1" else "0" for c in pattern), 2)
    for letter in set(pattern) - set("01-"):
        width, low = pattern.count(letter), 31 - pattern.rindex(letter)
        word |= (fields.get(letter, 0) & (1 << width) - 1) << low
    return word


def code(*words: int) -> bytes:
    return b"".join(word.to_bytes(4, "big") for word in words)


def addi(d: int, a: int, i: int) -> int:
    return encode("addi", d=d, a=a, i=i)


def lwz(d: int, a: int, i: int = 0) -> int:
    return encode("lwz", d=d, a=a, i=i)


def stw(s: int, a: int, i: int = 0) -> int:
    return encode("stw", d=s, a=a, i=i)


def cmpwi(field: int, a: int, i: int) -> int:
    return encode("cmpi", f=field, a=a, i=i)


def mtspr(number: int, s: int) -> int:
    return encode("mtspr", d=s, p=(number & 31) << 5 | number >> 5)


def b(offset: int) -> int:
    return 0x48000000 | offset & 0x03FFFFFC


def bc(bo: int, bi: int, offset: int) -> int:
    """Branch when BO and BI say so: 12 and 4 for a bit that is set and clear, 16 for CTR, + 1 for the y bit."""
    return 0x40000000 | bo << 21 | bi << 16 | offset & 0xFFFC


def bdnz(offset: int) -> int:
    return bc(16, 0, offset)


BLR, BCTR = 0x4E800020, 0x4E800420
