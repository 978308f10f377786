"""Relocatable ELF objects (.o), and archives of them (.a), as the linker reads them.

Source: System V Application Binary Interface, edition 4.1 (1997), chapter 4, and chapter 7 for archives
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Literal

from ..elf_write import MACHINES
from ..image import ELF_MAGIC, FAMILIES, Family
from ..symbols import MAX_SYMBOLS, symbol_name
from .reading import Source, text

ARCHIVE_MAGIC = b"!<arch>\n"
MAX_SECTIONS, MAX_RELOCATIONS, MAX_MEMBERS = 4096, 200_000, 2048

SYMTAB, RELA, NOTE, NOBITS, REL = 2, 4, 7, 8, 9  # section types
WRITE, ALLOC, EXECUTE, COMPRESSED = 1, 2, 4, 0x800  # section flags
UNDEFINED, ABSOLUTE, COMMON = 0, 0xFFF1, 0xFFF2  # section numbers
LOCAL, GLOBAL, WEAK = range(3)  # binding
OBJECT, FUNCTION, SECTION = 1, 2, 3  # kinds of symbols
LINE_SECTIONS = (".debug_line", ".debug_str", ".debug_line_str")


@dataclass(frozen=True)
class Relocation:
    """A place that the linker fills; addend None: what the place holds."""

    offset: int
    kind: int
    symbol: int
    addend: int | None


@dataclass
class LinkedSection:
    """A section that is linked: code, data, zeros or source lines."""

    name: str
    kind: int
    flags: int
    content: bytes
    size: int
    align: int
    relocations: list[Relocation] = field(default_factory=list)


@dataclass(frozen=True)
class ObjectSymbol:
    """A name in an object; `section` is its number, UNDEFINED, ABSOLUTE or COMMON."""

    name: str
    value: int
    size: int
    binding: int
    kind: int
    section: int


@dataclass
class Object:
    """One object file.

    name      for messages
    flags     of the ELF header
    sections  by number, None where the linker has no use for one
    """

    name: str
    family: Family
    flags: int
    sections: list[LinkedSection | None]
    symbols: list[ObjectSymbol]


def elf_family(content: bytes) -> Family:
    """Return the family of a 32-bit ELF file. Errors: ValueError for what is none, and for another processor."""
    if content[:4] != ELF_MAGIC:
        raise ValueError("is not an ELF file")
    if len(content) < 52 or content[4] != 1:
        raise ValueError("is not a 32-bit ELF file, or truncated; compile for a 32-bit processor (gcc -m32)")
    order: Literal["big", "little"] = "little" if content[5] == 1 else "big"
    number = int.from_bytes(content[18:20], order)
    for family in FAMILIES:
        if MACHINES[family.machine] == number and family.byte_order == order:
            return family
    raise ValueError(f"is for another processor (ELF machine {number}); allowed 68K, i386, 32-bit PowerPC")


def read_object(name: str, content: bytes) -> Object:
    """Decode an object file. Errors: ValueError."""
    family = elf_family(content)
    source = Source(content, family.byte_order)
    order = ">" if family.byte_order == "big" else "<"
    start = struct.unpack(order + "I", content[32:36])[0]
    flags = struct.unpack(order + "I", content[36:40])[0]
    size, count, names_at = struct.unpack(order + "HHH", content[46:52])
    if count > MAX_SECTIONS:
        raise ValueError(f"has {count} sections, more than {MAX_SECTIONS}")
    if size != 40:
        raise ValueError("has headers of a wrong size")
    table = source.slice(start, 40 * count, "the table of sections")
    headers = list(struct.iter_unpack(order + "10I", table))

    def contents(number: int) -> bytes:
        if number >= len(headers):
            raise ValueError(f"refers to section {number}, which does not exist")
        _, kind, _, _, at, size, *_ = headers[number]
        return b"" if kind == NOBITS else source.slice(at, size, "a section")

    names = contents(names_at)
    sections: list[LinkedSection | None] = []
    for number, (name_at, kind, sort, _, _, size, _, _, align, _) in enumerate(headers):
        title = text(names[name_at : name_at + 64])
        is_loaded = sort & ALLOC and kind not in (NOTE, RELA, REL) and not title.startswith((".eh_frame", ".note"))
        if is_loaded or (title in LINE_SECTIONS and not sort & COMPRESSED):
            if kind == NOBITS and size > 1 << 24:
                raise ValueError(f"section {title!r} has {size} bytes")
            if not 0 <= align <= 4096:
                raise ValueError(f"section {title!r} is aligned to {align} bytes")
            sections.append(LinkedSection(title, kind, sort, contents(number), size, max(align, 1)))
        else:
            sections.append(None)
    found = next((i for i, header in enumerate(headers) if header[1] == SYMTAB), None)
    symbols = [] if found is None else _symbols(contents(found), contents(headers[found][6]), order)
    left = MAX_RELOCATIONS
    for number, header in enumerate(headers):
        target = sections[header[7]] if header[1] in (REL, RELA) and header[7] < len(sections) else None
        if target is not None:
            target.relocations = _relocations(contents(number), header[1] == RELA, order, len(symbols), target, left)
            left -= len(target.relocations)
    return Object(name, family, flags, sections, symbols)


def _symbols(table: bytes, names: bytes, order: str) -> list[ObjectSymbol]:
    if len(table) > MAX_SYMBOLS * 16 or len(table) % 16:
        raise ValueError(f"has a damaged symbol table, or more than {MAX_SYMBOLS} symbols")
    return [
        ObjectSymbol(symbol_name(names, at).decode("utf-8", "replace"), value, size, info >> 4, info & 15, section)
        for at, value, size, info, _, section in struct.iter_unpack(order + "IIIBBH", table)
    ]


def _relocations(
    table: bytes, has_addend: bool, order: str, symbols: int, target: LinkedSection, left: int
) -> list[Relocation]:
    entry = struct.Struct(order + ("IIi" if has_addend else "II"))
    if len(table) % entry.size:
        raise ValueError("has a damaged table of relocations")
    if len(table) // entry.size > left:
        raise ValueError(f"has more than {MAX_RELOCATIONS} relocations")
    found = []
    for offset, info, *addend in entry.iter_unpack(table):
        if info >> 8 >= symbols or offset >= max(target.size, 1):
            raise ValueError(f"has a relocation outside section {target.name!r} or its symbols")
        found.append(Relocation(offset, info & 0xFF, info >> 8, addend[0] if addend else None))
    return found


def read_archive(content: bytes) -> list[Object]:
    """Decode the objects of an archive; what else it holds is passed over. Errors: ValueError."""
    source = Source(content, "big", len(ARCHIVE_MAGIC))
    names, found, members = b"", [], 0
    while source.left >= 60:
        header = source.take(60, "a member")
        digits = header[48:58].strip()
        if header[58:] != b"`\n" or not digits.isdigit():
            raise ValueError("is a damaged archive")
        body = source.take(int(digits), "a member")
        source.at += source.at % 2
        members += 1
        if members > MAX_MEMBERS:
            raise ValueError(f"has more than {MAX_MEMBERS} members")
        name = header[:16].rstrip()
        if name == b"//":
            names = body
        elif body[:4] == ELF_MAGIC:
            if name[:1] == b"/" and name[1:].isdigit():
                name = names[int(name[1:]) :][:256].split(b"/")[0]
            found.append(read_object(text(name.rstrip(b"/")), body))
    if not found:
        raise ValueError("is an archive without ELF objects")
    return found
