"""Writes what a debugger unwinds frames by, the DWARF section .debug_frame, and adds it to an ELF file.

Source: DWARF Debugging Information Format 3, section 6.4; System V ABI, chapter 4
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from .elf_write import leb

SECTION = ".debug_frame"
UNWOUND_BY = (SECTION, ".eh_frame")
ADVANCE, UNDEFINED, SAME, REGISTER, BASE, SAVED, BASE_SIGNED = 0x04, 0x07, 0x08, 0x09, 0x0C, 0x11, 0x12
NOP, VERSION, CIE = b"\0", 3, 0xFFFFFFFF
_SECTION_BYTES = 40

Rule = tuple[int, int]
"""(SAVED, offset from the frame), (REGISTER, number), (UNDEFINED, 0) or (SAME, 0)."""


@dataclass(frozen=True)
class FrameRow:
    """How to unwind from an address on: the frame begins at register `base` + `offset`; rules by register number."""

    address: int
    base: int
    offset: int
    rules: Mapping[int, Rule]


def frame_section(
    byte_order: Literal["big", "little"], back: int, routines: Sequence[tuple[int, int, Sequence[FrameRow]]]
) -> bytes:
    """Return the section's contents.

    back      number of the column for the address that a routine returns to
    routines  (start, end, rows)
    """
    order = ">" if byte_order == "big" else "<"
    head = struct.pack("B", VERSION) + b"\0" + leb(1) + leb(-1, signed=True) + leb(back)
    content = _entry(order, struct.pack(order + "I", CIE) + head)
    for start, end, rows in routines:
        where = struct.pack(order + "III", 0, start, end - start)
        content += _entry(order, where + _program(order, rows))
    return content


def _entry(order: str, content: bytes) -> bytes:
    content += NOP * (-len(content) % 4)
    return struct.pack(order + "I", len(content)) + content


def _program(order: str, rows: Sequence[FrameRow]) -> bytes:
    """Return the instructions that make one row after another."""
    content, address, rules = b"", rows[0].address, dict[int, Rule]()
    for row in rows:
        if row.address > address:
            content += struct.pack(order + "BI", ADVANCE, row.address - address)
            address = row.address
        if row.offset >= 0:
            content += bytes((BASE,)) + leb(row.base) + leb(row.offset)
        else:
            content += bytes((BASE_SIGNED,)) + leb(row.base) + leb(-row.offset, signed=True)
        for number in sorted({*rules, *row.rules}):
            rule = row.rules.get(number, (SAME, 0))
            if rules.get(number, (SAME,)) != rule:
                content += bytes((rule[0],)) + leb(number)
                content += (
                    leb(-rule[1], signed=True) if rule[0] == SAVED else leb(rule[1]) if rule[0] == REGISTER else b""
                )
        rules = dict(row.rules)
    return content


def with_frames(elf: bytes, section: bytes) -> bytes:
    """Return a 32-bit ELF file with .debug_frame; one that has such a section, or no table of sections, as it is."""
    try:
        return _with_section(elf, section)
    except (struct.error, IndexError):  # a program can be run without a table of sections
        return elf


def _with_section(elf: bytes, section: bytes) -> bytes:
    order = "<" if elf[5] == 1 else ">"
    (table,) = struct.unpack_from(order + "I", elf, 32)
    count, names_at = struct.unpack_from(order + "HH", elf, 48)
    headers = [list(struct.unpack_from(order + "10I", elf, table + _SECTION_BYTES * number)) for number in range(count)]
    _, _, _, _, at, size, *_ = headers[names_at]
    names = elf[at : at + size]
    known = {names[each[0] :].split(b"\0", 1)[0].decode("latin-1") for each in headers}
    if known & set(UNWOUND_BY):
        return elf
    body = bytearray(elf)

    def placed(content: bytes) -> int:
        body.extend(NOP * (-len(body) % 4))
        place = len(body)
        body.extend(content)
        return place

    headers.append([len(names), 1, 0, 0, placed(section), len(section), 0, 0, 4, 0])
    names += SECTION.encode() + b"\0"
    headers[names_at][4:6] = placed(names), len(names)
    table = placed(b"".join(struct.pack(order + "10I", *each) for each in headers))
    struct.pack_into(order + "I", body, 32, table)
    struct.pack_into(order + "H", body, 48, len(headers))
    return bytes(body)
