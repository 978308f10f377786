"""Moves an executable that was linked for other addresses into RAM, by the relocations that it still has.

A position-independent one brings them for the dynamic linker; one that was linked with `ld --emit-relocs` has those of
its objects. Both are moved by a multiple of 64 KiB, so that halves of addresses stay what they are. What is asked of
shared libraries gets addresses that end a run, as in `link`.

Source: System V Application Binary Interface, edition 4.1 (1997), chapters 4 and 5, and the supplements that
`relocations` names
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from ..image import MAX_MISSING, MAX_SEGMENTS, MISSING_BYTES, MISSING_START, RAM_END, STACK_BYTES, STACK_TOP, Family
from ..symbols import MAX_SYMBOLS
from .objects import ABSOLUTE, ALLOC, MAX_RELOCATIONS, MAX_SECTIONS, REL, RELA, SYMTAB, UNDEFINED, elf_family
from .reading import Source, text
from .relocations import ADDRESS, HIGH, HIGH_ADJUSTED, LOW, RELATIVE, RULES, Rule, write

EXECUTABLE, SHARED = 2, 3  # e_type
LOAD, DYNAMIC = 1, 2  # types of segments
STEP = 0x10000
STRINGS, SYMBOLS, RELA_TABLE, RELA_BYTES, REL_TABLE, REL_BYTES = 5, 6, 7, 8, 17, 18  # tags of the dynamic section
PLT_BYTES, PLT_KIND, PLT_TABLE = 2, 20, 23
# kinds of dynamic relocations: add the distance; put in the symbol's address; that of a routine
DYNAMIC_KINDS = {"EM_68K": (22, 20, 21), "EM_386": (8, 6, 7), "EM_PPC": (22, 20, 21)}
COMPILERS = {"EM_68K": "m68k-linux-gnu", "EM_386": "i686-linux-gnu", "EM_PPC": "powerpc-linux-gnu"}


def link_line(family: Family, entry: str) -> str:
    """Return the command that links a program to where it can be loaded."""
    emulation = " -m elf_i386" if family.machine == "EM_386" else ""
    return f"{COMPILERS[family.machine]}-ld{emulation} -N -Ttext-segment=0x2000 -e {entry} -o program.elf *.o"


@dataclass(frozen=True)
class Rebased:
    """An executable that has been moved.

    content   the file with its new addresses
    distance  that it was moved by
    missing   address -> name of a routine of a shared library
    """

    content: bytes
    distance: int
    missing: dict[int, str]


class _File:
    """Headers of an executable, and its bytes, which are changed. All errors are ValueErrors."""

    def __init__(self, content: bytes) -> None:
        self.family = elf_family(content)
        self.order = ">" if self.family.byte_order == "big" else "<"
        self.source = Source(content, self.family.byte_order)
        self.bytes = bytearray(content)
        self.kind = self.number(16, 2)
        self.entry, self.segments_at, self.sections_at = (self.number(at, 4) for at in (24, 28, 32))
        count, sections = self.number(44, 2), self.number(48, 2)
        if count > MAX_SEGMENTS or sections > MAX_SECTIONS:
            raise ValueError(f"has more than {MAX_SEGMENTS} segments or {MAX_SECTIONS} sections")
        self.segments = self._table(self.segments_at, count, 8)
        self.sections = self._table(self.sections_at, sections, 10)
        loads = [segment for segment in self.segments if segment[0] == LOAD and segment[5]]
        if not loads:
            raise ValueError("has nothing to load")
        self.loads = loads
        self.first = min(segment[2] for segment in loads)
        self.end = max(segment[2] + segment[5] for segment in loads)

    def number(self, at: int, size: int) -> int:
        return int.from_bytes(self.source.slice(at, size, "a header"), self.family.byte_order)

    def _table(self, at: int, count: int, fields: int) -> list[tuple[int, ...]]:
        return list(struct.iter_unpack(f"{self.order}{fields}I", self.source.slice(at, 4 * fields * count, "a header")))

    def offset(self, address: int, size: int = 4) -> int:
        """Return where in the file something lies that will be at an address. Errors: ValueError."""
        for _, at, start, _, in_file, *_ in self.loads:
            if start <= address and address + size <= start + in_file:
                return at + address - start
        raise ValueError(f"refers to {address:#x}, outside of what it loads")

    def put(self, at: int, value: int, size: int = 4) -> None:
        if at + size > len(self.bytes):
            raise ValueError("is truncated: a segment reaches beyond the end of the file")
        self.bytes[at : at + size] = (value & (1 << 8 * size) - 1).to_bytes(size, self.family.byte_order)

    def get(self, at: int, size: int = 4) -> int:
        return int.from_bytes(self.bytes[at : at + size], self.family.byte_order)


def needs_moving(content: bytes) -> bool:
    """Tell whether an executable cannot be loaded at its addresses. Errors: ValueError."""
    file = _File(content)
    return file.kind == SHARED or file.end > RAM_END


def rebased(content: bytes) -> Rebased:
    """Move an executable into RAM. Errors: ValueError, with what to do where it has no relocations."""
    file = _File(content)
    start = STEP + file.first % STEP
    if start + file.end - file.first > STACK_TOP - STACK_BYTES:
        start = STACK_TOP + file.first % STEP
    if start + file.end - file.first > RAM_END:
        raise ValueError(f"needs {file.end - file.first} bytes of memory; RAM ends at {RAM_END:#x}")
    distance, missing = start - file.first, {}
    if file.kind == SHARED:
        missing = _move_shared(file, distance)
    else:
        _move_executable(file, distance)
    for number, segment in enumerate(file.segments):
        if segment[0] == LOAD:
            file.put(file.segments_at + 32 * number + 8, segment[2] + distance)
    for section in file.sections:
        if section[1] == SYMTAB:
            _move_symbols(file, section, distance)
    file.put(24, file.entry + distance)
    file.put(16, EXECUTABLE, 2)
    return Rebased(bytes(file.bytes), distance, {address: name for name, address in missing.items()})


def _move_symbols(file: _File, section: tuple[int, ...], distance: int) -> None:
    at, size = section[4], section[5]
    if size > 16 * MAX_SYMBOLS:
        raise ValueError(f"more than {MAX_SYMBOLS} symbols")
    table = file.source.slice(at, size - size % 16, "the symbol table")
    for number, (_, value, _, _, _, where) in enumerate(struct.iter_unpack(file.order + "IIIBBH", table)):
        if where not in (UNDEFINED, ABSOLUTE):
            file.put(at + 16 * number + 4, value + distance)


def _move_executable(file: _File, distance: int) -> None:
    """Carry out the relocations that `ld --emit-relocs` has left. Errors: ValueError where there are none."""
    found = False
    left = MAX_RELOCATIONS
    for section in file.sections:
        target = file.sections[section[7]] if section[1] in (REL, RELA) and section[7] < len(file.sections) else None
        if target is None or not target[2] & ALLOC:
            continue
        size = 12 if section[1] == RELA else 8
        table = file.source.slice(section[4], section[5] - section[5] % size, "a table of relocations")
        left -= len(table) // size
        if left < 0:
            raise ValueError(f"has more than {MAX_RELOCATIONS} relocations")
        for address, info in _entries(table, size, file.order):
            found = True
            rule = RULES[file.family.machine].get(info & 0xFF)
            if rule is None and info & 0xFF:
                raise ValueError(f"has relocation type {info & 0xFF}, which is not supported")
            if rule is not None:
                _shift(file, rule, address, distance)
    if not found:
        span = f"{file.first:#x}..{file.end - 1:#x}"
        raise ValueError(
            f"is linked for {span}, outside RAM, and has no relocations; link it there: "
            f"{link_line(file.family, 'ENTRY')}, or give its object files (.o)"
        )


def _entries(table: bytes, size: int, order: str) -> Iterator[tuple[int, int]]:
    for entry in struct.iter_unpack(order + "I" * (size // 4), table):
        yield entry[0], entry[1]


def _shift(file: _File, rule: Rule, address: int, distance: int) -> None:
    """Add the distance to what a place holds of an address; distances between places stay."""
    if rule.value == RELATIVE or (rule.value == ADDRESS and rule.part == LOW):
        return
    if rule.value != ADDRESS or (rule.size < 4 and rule.part not in (HIGH, HIGH_ADJUSTED)):
        raise ValueError(f"cannot be moved: code at {address:#x} reaches data by a table; give its object files (.o)")
    at = file.offset(address, rule.size)
    moved = file.get(at, rule.size) + (distance >> 16 if rule.size == 2 else distance)
    file.put(at, moved & rule.bits | file.get(at, rule.size) & ~rule.bits, rule.size)


def _move_shared(file: _File, distance: int) -> dict[str, int]:
    """Carry out the relocations for the dynamic linker; return name -> address of what other libraries have."""
    tags = _dynamic(file)
    add, address, routine = DYNAMIC_KINDS[file.family.machine]
    missing: dict[str, int] = {}
    order = file.family.byte_order
    for place, info, addend in _dynamic_relocations(file, tags):
        kind, number = info & 0xFF, info >> 8
        at = file.offset(place)
        if kind == add:
            file.put(at, (file.get(at) if addend is None else addend) + distance)
        elif kind in (address, routine):
            file.put(at, _dynamic_symbol(file, tags, number, distance, missing) + (addend or 0))
        elif (rule := RULES[file.family.machine].get(kind)) and rule.value in (ADDRESS, RELATIVE):
            value = _dynamic_symbol(file, tags, number, distance, missing)
            value += int.from_bytes(file.bytes[at : at + rule.size], order, signed=True) if addend is None else addend
            write(rule, file.bytes, at, value - (place + distance if rule.value == RELATIVE else 0), order)
        elif kind:
            raise ValueError(f"has dynamic relocation type {kind}, which is not supported; link it with -static")
    return missing


def _dynamic(file: _File) -> dict[int, int]:
    """Return the entries of the dynamic section."""
    tags: dict[int, int] = {}
    for kind, at, _, _, size, *_ in file.segments:
        if kind == DYNAMIC:
            table = file.source.slice(at, min(size - size % 8, 8 * 256), "the dynamic section")
            for tag, value in struct.iter_unpack(file.order + "II", table):
                tags.setdefault(tag, value)
    return tags


def _dynamic_relocations(file: _File, tags: dict[int, int]) -> Iterator[tuple[int, int, int | None]]:
    tables = [(RELA_TABLE, RELA_BYTES, True), (REL_TABLE, REL_BYTES, False)]
    tables.append((PLT_TABLE, PLT_BYTES, tags.get(PLT_KIND) == RELA_TABLE))
    for table, size_tag, has_addend in tables:
        if table not in tags or not tags.get(size_tag):
            continue
        size = tags[size_tag]
        if size > 12 * MAX_RELOCATIONS:
            raise ValueError(f"has more than {MAX_RELOCATIONS} relocations")
        content = file.source.slice(file.offset(tags[table], size), size, "a table of relocations")
        entry = struct.Struct(file.order + ("IIi" if has_addend else "II"))
        for place, info, *addend in entry.iter_unpack(content[: size - size % entry.size]):
            yield place, info, addend[0] if addend else None


def _dynamic_symbol(file: _File, tags: dict[int, int], number: int, distance: int, missing: dict[str, int]) -> int:
    """Return the address of a symbol of the dynamic linker's table."""
    if SYMBOLS not in tags or STRINGS not in tags:
        raise ValueError("has no symbols for its dynamic relocations")
    at = file.offset(tags[SYMBOLS] + 16 * number, 16)
    name_at, value, _, info, _, where = struct.unpack(
        file.order + "IIIBBH", file.source.slice(at, 16, "a dynamic symbol")
    )
    if where != UNDEFINED:
        return int(value) + distance
    if info >> 4 == 2:  # weak: may be missing
        return 0
    start = file.offset(tags[STRINGS] + name_at, 1)
    name = text(file.source.content[start : start + 256])
    if name not in missing and len(missing) >= MAX_MISSING:
        raise ValueError(f"asks shared libraries for more than {MAX_MISSING} routines; link it with -static")
    return missing.setdefault(name, MISSING_START + MISSING_BYTES * len(missing))
