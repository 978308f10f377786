"""What a linker writes for each kind of relocation, of the three families that GCC compiles for.

Sources: m68k: System V ABI, Motorola 68000 Processor Family Supplement (1990), chapter 4; i386: System V ABI, Intel386
Architecture Processor Supplement (1997), chapter 4, and R_386_GOT32X of version 1.0 (2015); PowerPC: System V ABI,
PowerPC Processor Supplement (1995), chapter 4, and PowerPC Embedded ABI (1995), chapter 4 (SDA21, SDAREL). REL16
and its halves: Power Architecture 32-bit ABI Supplement 1.0 (2011).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

# What is written: the symbol and its addend; the same from the place on; its entry of the GOT, from the GOT's start or
# from the place on; the symbol from the GOT's start on; the GOT itself from the place on; the symbol from the start of
# the small data on.
ADDRESS, RELATIVE, GOT_ENTRY, GOT_RELATIVE, FROM_GOT, GOT_ITSELF, SMALL_DATA = range(7)
WHOLE, LOW, HIGH, HIGH_ADJUSTED = range(4)  # which part of it


@dataclass(frozen=True)
class Rule:
    """How a kind of relocation is written.

    value    one of the above
    size     bytes of the place
    mask     its bits that are replaced
    part     of the value
    is_call  does only an instruction that calls or jumps have it?
    opens    bytes just before the place that make it a call or a jump
    """

    value: int
    size: int
    mask: int = 0
    part: int = WHOLE
    is_call: bool = False
    opens: tuple[bytes, ...] = ()

    @property
    def bits(self) -> int:
        """The bits of the place that are replaced."""
        return self.mask or (1 << 8 * self.size) - 1


JSR, PC_JUMP = (b"\x4e\xb9", b"\x4e\xf9"), (b"\x61\x00", b"\x60\x00", b"\x4e\xba", b"\x4e\xfa")
LONG_BRANCH, CALL = (b"\x61\xff", b"\x60\xff"), (b"\xe8", b"\xe9")
WORD_24, WORD_14 = 0x03FFFFFC, 0xFFFC

M68K = {
    1: Rule(ADDRESS, 4, opens=JSR),
    2: Rule(ADDRESS, 2),
    3: Rule(ADDRESS, 1),
    4: Rule(RELATIVE, 4, opens=LONG_BRANCH),
    5: Rule(RELATIVE, 2, opens=PC_JUMP),
    6: Rule(RELATIVE, 1),
    7: Rule(GOT_RELATIVE, 4),
    8: Rule(GOT_RELATIVE, 2),
    9: Rule(GOT_RELATIVE, 1),
    10: Rule(GOT_ENTRY, 4),
    11: Rule(GOT_ENTRY, 2),
    12: Rule(GOT_ENTRY, 1),
    13: Rule(RELATIVE, 4, is_call=True),
    14: Rule(RELATIVE, 2, is_call=True),
    15: Rule(RELATIVE, 1, is_call=True),
}
I386 = {
    1: Rule(ADDRESS, 4),
    2: Rule(RELATIVE, 4, opens=CALL),
    3: Rule(GOT_ENTRY, 4),
    4: Rule(RELATIVE, 4, is_call=True),
    9: Rule(FROM_GOT, 4),
    10: Rule(GOT_ITSELF, 4),
    20: Rule(ADDRESS, 2),
    21: Rule(RELATIVE, 2, opens=CALL),
    22: Rule(ADDRESS, 1),
    23: Rule(RELATIVE, 1),
    43: Rule(GOT_ENTRY, 4),
}
PPC = {
    1: Rule(ADDRESS, 4),
    2: Rule(ADDRESS, 4, WORD_24, is_call=True),
    3: Rule(ADDRESS, 2),
    4: Rule(ADDRESS, 2, part=LOW),
    5: Rule(ADDRESS, 2, part=HIGH),
    6: Rule(ADDRESS, 2, part=HIGH_ADJUSTED),
    **{kind: Rule(ADDRESS, 4, WORD_14) for kind in (7, 8, 9)},
    10: Rule(RELATIVE, 4, WORD_24, is_call=True),
    **{kind: Rule(RELATIVE, 4, WORD_14) for kind in (11, 12, 13)},
    14: Rule(GOT_ENTRY, 2),
    15: Rule(GOT_ENTRY, 2, part=LOW),
    16: Rule(GOT_ENTRY, 2, part=HIGH),
    17: Rule(GOT_ENTRY, 2, part=HIGH_ADJUSTED),
    18: Rule(RELATIVE, 4, WORD_24, is_call=True),
    23: Rule(RELATIVE, 4, WORD_24, is_call=True),
    24: Rule(ADDRESS, 4),
    25: Rule(ADDRESS, 2),
    26: Rule(RELATIVE, 4),
    32: Rule(SMALL_DATA, 2),
    109: Rule(SMALL_DATA, 4, 0x1FFFFF),
    249: Rule(RELATIVE, 2),
    250: Rule(RELATIVE, 2, part=LOW),
    251: Rule(RELATIVE, 2, part=HIGH),
    252: Rule(RELATIVE, 2, part=HIGH_ADJUSTED),
}
RULES: Mapping[str, Mapping[int, Rule]] = {"EM_68K": M68K, "EM_386": I386, "EM_PPC": PPC}
PLTREL24, MAX_PLT_ADDEND = 18, 0x8000  # from here on the addend says where the GOT of that code is, not where to go


def part_of(value: int, part: int) -> int:
    """Return the part of a value that goes into a place of 16 bits, or the whole."""
    if part == LOW:
        return value & 0xFFFF
    if part == HIGH:
        return value >> 16 & 0xFFFF
    return (value + 0x8000) >> 16 & 0xFFFF if part == HIGH_ADJUSTED else value


def write(rule: Rule, content: bytearray, offset: int, value: int, order: Literal["big", "little"]) -> None:
    """Put a value into a place. Errors: ValueError where it does not fit."""
    if offset + rule.size > len(content):
        raise ValueError("a relocation reaches beyond its section")
    bits = rule.bits
    value = part_of(value, rule.part)
    width = bits.bit_length()
    if rule.part == WHOLE and width < 32:
        low = -(1 << width - 1)
        high = (1 << width if rule.value == ADDRESS else 1 << width - 1) - 1
        if not low <= value <= high:
            raise ValueError(f"{value:#x} does not fit into the {width} bits that the code has for it")
    old = int.from_bytes(content[offset : offset + rule.size], order)
    new = old & ~bits | value & bits
    content[offset : offset + rule.size] = (new & (1 << 8 * rule.size) - 1).to_bytes(rule.size, order)
