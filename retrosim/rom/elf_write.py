"""Writes a 32-bit ELF executable: sections with their contents, symbols, the DWARF line table, and rows of frames.

Source: System V ABI, chapter 4; DWARF Debugging Information Format 2, section 6.2, and 3, section 6.4
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from .image import EF_M68000, Image

CODE, DATA, ZEROS = "code", "data", "zeros"
_PROGBITS, _SYMTAB, _STRTAB, _NOBITS = 1, 2, 3, 8
_WRITE, _ALLOC, _EXECUTE = 1, 2, 4
_HEADER_BYTES, _SEGMENT_BYTES, _SECTION_BYTES = 52, 32, 40
MACHINES = {"EM_386": 3, "EM_68K": 4, "EM_PPC": 20}


@dataclass(frozen=True)
class ElfSection:
    """A stretch of memory.

    kind     CODE, DATA or ZEROS
    content  of CODE and DATA;  size: of ZEROS
    """

    name: str
    address: int
    kind: str
    content: bytes = b""
    size: int = 0

    @property
    def bytes(self) -> int:
        """Its size in memory."""
        return self.size if self.kind == ZEROS else len(self.content)


@dataclass(frozen=True)
class ElfSymbol:
    """A name. `kind`: "function", "object" or ""; `section`: its place in the list of sections, None for a number."""

    name: str
    value: int
    size: int = 0
    kind: str = ""
    is_global: bool = False
    section: int | None = None


def write_elf(
    machine: str,
    byte_order: Literal["big", "little"],
    entry: int,
    sections: Sequence[ElfSection],
    symbols: Iterable[ElfSymbol] = (),
    lines: Sequence[tuple[int, str, int]] = (),
    flags: int = 0,
) -> bytes:
    """Return the bytes of an executable.

    machine   "EM_68K", "EM_386" or "EM_PPC"
    lines     (address, file, line) where each line's code begins, in the order of the code
    flags     e_flags
    """
    return _Writer(">" if byte_order == "big" else "<").file(machine, entry, sections, symbols, lines, flags)


def image_elf(image: Image) -> bytes:
    """Return an image as an ELF file, with its symbols and source lines.

    A part of memory with a function or the entry in it is code. A symbol belongs to the section that it lies in, or to
    the one that it is the end of.
    """
    codes = [symbol.address for symbol in image.symbols.values() if symbol.kind == "function"] + [image.entry]
    sections = []
    for start, content in image.segments:
        is_code = any(start <= address < start + len(content) for address in codes)
        sections.append(ElfSection(".text" if is_code else ".data", start, CODE if is_code else DATA, content))
    sections += [ElfSection(".bss", start, ZEROS, size=size) for start, size in image.bss]

    def number(address: int) -> int | None:
        inside = [n for n, part in enumerate(sections) if part.address <= address < part.address + max(1, part.bytes)]
        ended = [n for n, part in enumerate(sections) if address == part.address + part.bytes]
        return next(iter(inside + ended), None)

    symbols = [
        ElfSymbol(name, symbol.address, symbol.size, symbol.kind, True, number(symbol.address))
        for name, symbol in image.symbols.items()
    ]
    family = image.family
    flags = EF_M68000 if image.isa == "m68000" else 0
    return write_elf(family.machine, family.byte_order, image.entry, sections, symbols, image.lines, flags)


class _Names:
    """A table of names, each once."""

    def __init__(self) -> None:
        self.content = bytearray(b"\0")
        self._places: dict[str, int] = {"": 0}

    def place(self, name: str) -> int:
        if name not in self._places:
            self._places[name] = len(self.content)
            self.content += name.encode(errors="surrogateescape") + b"\0"
        return self._places[name]


class _Writer:
    def __init__(self, order: str) -> None:
        self.order = order

    def pack(self, layout: str, *values: int) -> bytes:
        return struct.pack(self.order + layout, *values)

    def file(
        self,
        machine: str,
        entry: int,
        sections: Sequence[ElfSection],
        symbols: Iterable[ElfSymbol],
        lines: Sequence[tuple[int, str, int]],
        flags: int,
    ) -> bytes:
        table, first_global, names = self._symbols(symbols)
        others = [(".symtab", _SYMTAB, table), (".strtab", _STRTAB, names)]
        if lines:
            others.insert(0, (".debug_line", _PROGBITS, line_program(lines, sections, self.order)))
        count = len(sections)
        body = bytearray()
        start = _HEADER_BYTES + _SEGMENT_BYTES * count

        def place(content: bytes) -> int:
            body.extend(b"\0" * (-(start + len(body)) % 4))
            at = start + len(body)
            body.extend(content)
            return at

        section_names = _Names()
        segments = bytearray()
        headers = bytearray(_SECTION_BYTES)
        for each in sections:
            at = place(each.content)
            access = {CODE: 5, DATA: 6, ZEROS: 6}[each.kind]
            in_file = 0 if each.kind == ZEROS else each.bytes
            segments += self.pack("8I", 1, at, each.address, each.address, in_file, each.bytes, access, 1)
            kind = _NOBITS if each.kind == ZEROS else _PROGBITS
            use = _ALLOC | (_EXECUTE if each.kind == CODE else _WRITE)
            name = section_names.place(each.name)
            headers += self.pack("10I", name, kind, use, each.address, at, each.bytes, 0, 0, 1, 0)
        numbers = {other: count + 1 + index for index, (other, _, _) in enumerate(others)}
        for other, kind, content in others:
            link, info, entry_size = (numbers[".strtab"], first_global, 16) if kind == _SYMTAB else (0, 0, 0)
            placed = place(content)
            fields = (section_names.place(other), kind, 0, 0, placed, len(content), link, info, 1, entry_size)
            headers += self.pack("10I", *fields)
        last = section_names.place(".shstrtab")
        placed = place(bytes(section_names.content))
        headers += self.pack("10I", last, _STRTAB, 0, 0, placed, len(section_names.content), 0, 0, 1, 0)
        section_headers = place(bytes(headers))
        total = len(headers) // _SECTION_BYTES
        identity = b"\x7fELF" + bytes((1, 1 if self.order == "<" else 2, 1)) + bytes(9)
        header = identity + self.pack(
            "HHIIIIIHHHHHH",
            2, MACHINES[machine], 1, entry, _HEADER_BYTES, section_headers, flags,
            _HEADER_BYTES, _SEGMENT_BYTES, count, _SECTION_BYTES, total, total - 1,
        )  # fmt: skip
        return header + bytes(segments) + bytes(body)

    def _symbols(self, symbols: Iterable[ElfSymbol]) -> tuple[bytes, int, bytes]:
        """Return (table, number of the first global symbol, names)."""
        names = _Names()
        table = bytearray(16)
        ordered = sorted(symbols, key=lambda symbol: symbol.is_global)
        for symbol in ordered:
            kind = {"": 0, "object": 1, "function": 2}[symbol.kind]
            section = 0xFFF1 if symbol.section is None else symbol.section + 1
            value, info = symbol.value & 0xFFFFFFFF, symbol.is_global << 4 | kind
            table += self.pack("IIIBBH", names.place(symbol.name), value, symbol.size, info, 0, section)
        first_global = 1 + sum(not symbol.is_global for symbol in ordered)
        return bytes(table), first_global, bytes(names.content)


def leb(number: int, signed: bool = False) -> bytes:
    """Return a LEB128 number."""
    out = bytearray()
    while True:
        byte, number = number & 127, number >> 7
        if number == (-1 if signed and byte & 64 else 0):
            return bytes((*out, byte))
        out.append(byte | 128)


def line_program(rows: Sequence[tuple[int, str, int]], sections: Sequence[ElfSection], order: str) -> bytes:
    """Return a section .debug_line of version 2: one sequence for each section that has code with lines."""
    files = {file: number for number, file in enumerate(dict.fromkeys(file for _, file, _ in rows), start=1)}
    tables = b"\0" + b"".join(file.encode(errors="surrogateescape") + b"\0\0\0\0" for file in files) + b"\0"
    lengths = bytes((0, 1, 1, 1, 1, 0, 0, 0, 1))
    header = bytes((1, 1, 0xFB, 14, 10)) + lengths + tables
    program = bytearray()
    for section in sections:
        end = section.address + section.bytes
        inside = [row for row in rows if section.address <= row[0] < end]
        if not inside:
            continue
        program += b"\0\5\2" + struct.pack(order + "I", inside[0][0])
        address, current, at = inside[0][0], 1, 1
        for start, file, line in inside:
            number = files[file]
            if number != current:
                program += b"\4" + leb(number)
                current = number
            if start != address:
                program += b"\2" + leb(start - address)
            if line != at:
                program += b"\3" + leb(line - at, signed=True)
            program += b"\1"
            address, at = start, line
        program += b"\2" + leb(end - address) + b"\0\1\1"
    content = struct.pack(order + "HI", 2, len(header)) + header + bytes(program)
    return struct.pack(order + "I", len(content)) + content


# What a debugger unwinds frames by, the DWARF section .debug_frame, for an ELF file that is there.

SECTION = ".debug_frame"
UNWOUND_BY = (SECTION, ".eh_frame")
ADVANCE, UNDEFINED, SAME, REGISTER, BASE, SAVED, BASE_SIGNED = 0x04, 0x07, 0x08, 0x09, 0x0C, 0x11, 0x12
NOP, VERSION, CIE = b"\0", 3, 0xFFFFFFFF

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
