"""An ELF file as a machine loads it: what goes where, what it is called, and which source line it came from."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from elftools.elf.elffile import ELFFile

from retrosim.errors import RomError
from retrosim.reading import digest_of, read_file

from .lines import LineTable, Row, read_lines
from .symbols import Symbol, SymbolTable, read_symbols

# What of a program goes where in memory, whatever format its file has: checked parts become an image's segments.
#
# Programs that may lie anywhere begin at LOAD_ADDRESS, behind the exception vectors; large ones above the stack that a
# program starts with. What a program may call and nobody supplies lies in the window from SYSTEM_START to SYSTEM_END: a
# run that gets there ends with the name of what was called.

RAM_FIRST, RAM_END = 0x400, 0x800000  # below: exception vectors; above: video memory
LOAD_ADDRESS, STACK_TOP = 0x2000, 0x100000
STACK_BYTES = 0x10000  # left free below the stack pointer at power-on
SYSTEM_START, SYSTEM_END = 0xE00000, 0xE20000
EXEC_BASE = SYSTEM_START + 0x8000  # what address 4 of an Amiga program points to; its calls lie below
MISSING_START, MISSING_BYTES = SYSTEM_START + 0x10000, 16
MAX_MISSING = (SYSTEM_END - MISSING_START) // MISSING_BYTES


@dataclass(frozen=True)
class Stretch:
    """A stretch of memory.

    address  of the first byte
    content  bytes from there on
    size     bytes in memory; zeros follow the content
    """

    address: int
    content: bytes
    size: int


def checked(
    parts: Iterable[Stretch], what: str = "segment", ram: tuple[int, int] = (RAM_FIRST, RAM_END)
) -> tuple[list[tuple[int, bytes]], list[tuple[int, int]]]:
    """Return contents and zeros by address, as an image holds them.

    what    the parts are called in messages
    ram     first address that is allowed, and the first that is not
    Errors  ValueError for a part outside RAM, and for two that overlap
    """
    segments, zeros = [], []
    first, end = ram
    last = first
    for part in sorted(parts, key=lambda part: part.address):
        start, size = part.address, part.size
        if not size:
            continue
        if start < first or start + size > end:
            raise ValueError(f"{what} {start:#x}..{start + size - 1:#x} is not inside RAM {first:#x}..{end - 1:#x}")
        if start < last:
            raise ValueError(f"{what}s overlap at {start:#x}")
        last = start + size
        if part.content:
            segments.append((start, part.content))
        if size > len(part.content):
            zeros.append((start + len(part.content), size - len(part.content)))
    return segments, zeros


def placed(sizes: Sequence[int], align: int = 4, lowest: int = LOAD_ADDRESS) -> list[int]:
    """Return addresses for the parts of a program that may lie anywhere, one behind the other.

    sizes   bytes of each
    align   each begins at a multiple
    lowest  address of the first
    Errors  ValueError for more than RAM holds
    """
    for start, end in ((LOAD_ADDRESS, STACK_TOP - STACK_BYTES), (STACK_TOP, RAM_END)):
        at, found = max(start, lowest), []
        for size in sizes:
            found.append(at)
            at += size + -size % align
        if at <= end:
            return found
    raise ValueError(f"needs {sum(sizes)} bytes of memory, and RAM has {RAM_END - max(STACK_TOP, lowest)} in one piece")


ELF_MAGIC = b"\x7fELF"
MAX_IMAGE_BYTES = 4 * 1024 * 1024  # bytes
MAX_SEGMENTS = 32
MAX_SECTIONS = 256

_LOAD, _SYMTAB, _NOBITS = "PT_LOAD", "SHT_SYMTAB", "SHT_NOBITS"
_CODE, _COMPRESSED = 0x4, 0x800  # section flags
EF_M68000 = 0x01000000  # e_flags of code that a 68000 runs too
_LINE_SECTIONS = (".debug_line", ".debug_str", ".debug_line_str")


@dataclass(frozen=True)
class Family:
    """ISAs that share a file format.

    machine     name of the ELF machine type
    byte_order  "big" or "little"
    isas        names, the one of an unmarked file first
    boots       what the CPU may start such an image in, the usual one first; "" where it has only one state
    unit        instructions lie at multiples of so many bytes
    only        ISA -> the one that it starts in, where it has no other
    """

    machine: str
    byte_order: Literal["big", "little"]
    isas: tuple[str, ...]
    boots: tuple[str, ...] = ("",)
    unit: int = 2
    only: Mapping[str, str] = field(default_factory=dict)

    def boots_of(self, isa: str) -> tuple[str, ...]:
        """Return what an ISA may start an image in."""
        return (self.only[isa],) if isa in self.only else self.boots


FAMILIES = (
    Family("EM_68K", "big", ("m68040", "m68000")),
    Family("EM_386", "little", ("i386", "i486", "i286"), boots=("flat", "real"), unit=1, only={"i286": "real"}),
    Family("EM_PPC", "big", ("ppc601",), unit=4),
)
ISAS = tuple(isa for family in FAMILIES for isa in family.isas)


@dataclass(frozen=True, repr=False)
class Image:
    """A program for one ISA, checked and ready to be copied into memory.

    isa, build  "m68040", "O2"; build is "" for a file that no manifest describes
    entry       address of the first instruction
    segments    (address, contents), in order of address, not overlapping, inside RAM
    bss         (address, size) of what starts as zeros
    sha256      64 hex digits, of the whole file
    boot        what the CPU starts it in, of its family's boots; "" for the usual one
    system      operating system that it was made for: "amiga", "atari", "dos" or ""
    registers   name -> value at its entry, where the machine's are not what it expects
    returns     does it end by returning from its entry, with a result as its exit status?
    return_address  of routines that are called from outside, None for the machine's
    missing     address -> name of a routine that it calls and does not have: a run that gets there ends
    """

    isa: str
    build: str
    entry: int
    segments: list[tuple[int, bytes]]
    bss: list[tuple[int, int]]
    sha256: str
    symbol_table: SymbolTable = field(default_factory=lambda: SymbolTable({}))
    line_table: LineTable = field(default_factory=lambda: LineTable([], []))
    boot: str = ""
    system: str = ""
    registers: Mapping[str, int] = field(default_factory=dict)
    returns: bool = False
    return_address: int | None = None
    missing: Mapping[int, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        size = sum(len(data) for _, data in self.segments) + sum(size for _, size in self.bss)
        name = f"{self.isa} {self.build}".strip()
        return f"<Image {name}: {size:,} bytes, entry {self.entry:#x}, {len(self.symbols):,} symbols>"

    @property
    def family(self) -> Family:
        """What it shares with images of other ISAs."""
        return family_of(self.isa)

    @property
    def has_stack(self) -> bool:
        """Does it say where its stack is?"""
        return not {"a7", "esp", "r1"}.isdisjoint(self.registers)

    @property
    def byte_order(self) -> Literal["big", "little"]:
        """Order of the bytes of a word: "big" or "little"."""
        return self.family.byte_order

    @property
    def symbols(self) -> dict[str, Symbol]:
        """All functions and objects by name."""
        return self.symbol_table.by_name

    @property
    def lines(self) -> list[Row]:
        """Sorted (address, file, line), one per address where a new line begins."""
        return self.line_table.rows

    def source_line(self, pc: int) -> tuple[str, int] | None:
        """Return (file, line) an instruction was compiled from, None if unknown."""
        return self.line_table.at(pc)

    def has(self, address: int) -> bool:
        """Tell whether an address lies in its contents, or in what starts as zeros."""
        parts = [*((start, len(data)) for start, data in self.segments), *self.bss]
        return any(start <= address < start + size for start, size in parts)

    def symbol_at(self, pc: int) -> tuple[str, int] | None:
        """Return (function, offset into it) of an address, None outside all functions."""
        return self.symbol_table.at(pc)


def load_raw(path: str | Path, isa: str, origin: int, boot: str = "") -> Image:
    """Load a flat binary: code as it lies in memory, without symbols or a header; its first instruction comes first.

    origin   address that its first byte goes to
    Errors   RomError; ValueError for an unknown isa, a boot that it does not have, an origin outside RAM
    """
    if isa not in ISAS:
        raise ValueError(f"isa {isa!r}: allowed {', '.join(ISAS)}")
    path, family = Path(path), family_of(isa)
    check_boot(boot, isa)
    content = read_file(path, MAX_IMAGE_BYTES, RomError)
    if not content:
        raise RomError(path, "is empty")
    last = RAM_END - len(content)
    if not RAM_FIRST <= origin <= last or origin % family.unit:
        step = f", a multiple of {family.unit}" if family.unit > 1 else ""
        raise ValueError(f"origin {origin:#x}: allowed {RAM_FIRST:#x}..{last:#x}{step}")
    return Image(isa, "", origin, [(origin, content)], [], digest_of(content), boot=boot)


def family_of(isa: str) -> Family:
    """Return the family of a known ISA."""
    return next(family for family in FAMILIES if isa in family.isas)


def isa_of(family: Family, flags: Sequence[int], wanted: str | None = None) -> str:
    """Return what an ELF file is to run on.

    flags    e_flags of the file, or of the objects that it is made of
    wanted   what the user says, None for what the file says
    Errors   ValueError for another family's
    """
    if wanted is not None and wanted not in family.isas:
        raise ValueError(f"is for {family.isas[0]}, not for {wanted}")
    is_68000 = family.machine == "EM_68K" and all(each & EF_M68000 for each in flags)
    return wanted or ("m68000" if is_68000 else family.isas[0])


def check_boot(boot: str, isa: str) -> None:
    """Errors: ValueError for something that a processor does not start in."""
    boots = family_of(isa).boots_of(isa)
    if boot and boot not in boots:
        known = [name for name in boots if name]
        allowed = ", ".join(known) if known else f"none on {isa}, which starts in one mode only"
        raise ValueError(f"boot {boot[:40]!r}: allowed {allowed}")


def read_image(path: Path, content: bytes, isa: str | None, build: str) -> Image:
    """Decode the bytes of an ELF file.

    path        for messages only
    content     the whole file
    isa, build  what the manifest says; isa None: take the file's word
    Errors      RomError, whatever the bytes are
    """
    try:
        image = _decoded(content, isa, build)
        return replace(image, segments=[*image.segments], bss=[*image.bss])  # whoever changes them changes his own
    except ValueError as error:
        raise RomError(path, str(error)) from None
    except Exception as error:  # pyelftools raises whatever its parsing meets in a damaged file
        raise RomError(path, f"is a damaged ELF file ({type(error).__name__})") from None


@lru_cache(4)
def _decoded(content: bytes, isa: str | None, build: str) -> Image:
    """Decode a file, or recall it: whoever compares settings opens the same program again and again."""
    return _Elf(content).image(isa, build)


class _Elf:
    """The parts of one file; every offset in it is checked against its length. All errors are ValueErrors."""

    def __init__(self, content: bytes) -> None:
        if content[: len(ELF_MAGIC)] != ELF_MAGIC:
            raise ValueError("is not an ELF file")
        if len(content) < 52 or content[4] != 1:
            raise ValueError("is not a 32-bit ELF file, or truncated")
        self.content = content
        elf = ELFFile(io.BytesIO(content))
        self.header, self._structs = elf.header, elf.structs
        if self.header["e_type"] != "ET_EXEC":
            raise ValueError("is not a linked executable")  # a ROM's images are
        found = [family for family in FAMILIES if family.machine == self.header["e_machine"]]
        if not found or (found[0].byte_order == "little") != elf.little_endian:
            raise ValueError(f"is for another processor ({self.header['e_machine']})")
        self.family = found[0]

    def image(self, isa: str | None, build: str) -> Image:
        """Check everything and put the image together."""
        isa = isa_of(self.family, [self.header["e_flags"]], isa)
        segments, bss = self._load()
        entry = self.header["e_entry"]
        if not any(start <= entry < start + len(data) for start, data in segments):
            raise ValueError(f"entry {entry:#x} lies outside the code")
        symbols, sections = self._sections()
        return Image(
            isa=isa,
            build=build,
            entry=entry,
            segments=segments,
            bss=bss,
            sha256=digest_of(self.content),
            symbol_table=symbols,
            line_table=read_lines(sections, self.family.byte_order),
        )

    def _slice(self, offset: int, size: int, what: str) -> bytes:
        if offset + size > len(self.content):
            raise ValueError(f"is truncated: {what} reaches beyond the end of the file")
        return self.content[offset : offset + size]

    def _headers(self, kind: str, parser: Any, maximum: int) -> list[Any]:
        """Return the program ("ph") or section ("sh") headers."""
        count, size, offset = (self.header[f"e_{kind}{field}"] for field in ("num", "entsize", "off"))
        if count > maximum:
            raise ValueError(f"has {count} segments or sections, more than {maximum}")
        if count and size != parser.sizeof():
            raise ValueError("has headers of a wrong size")
        table = self._slice(offset, count * size, "a table of headers")
        return [parser.parse(table[i * size : (i + 1) * size]) for i in range(count)]

    def _load(self) -> tuple[list[tuple[int, bytes]], list[tuple[int, int]]]:
        """Return the segments' contents and the zeros behind them."""
        parts = []
        for header in self._headers("ph", self._structs.Elf_Phdr, MAX_SEGMENTS):
            if header["p_type"] != _LOAD:
                continue
            start, size, in_file = header["p_vaddr"], header["p_memsz"], header["p_filesz"]
            if in_file > size:
                raise ValueError("a segment is larger in the file than in memory")
            parts.append(Stretch(start, self._slice(header["p_offset"], in_file, "a segment"), size))
        return checked(parts)

    def _sections(self) -> tuple[SymbolTable, dict[str, bytes]]:
        """Return the symbols and the sections with source lines; both may be empty."""
        headers = self._headers("sh", self._structs.Elf_Shdr, MAX_SECTIONS)
        if not headers:
            return SymbolTable({}), {}
        symbols = SymbolTable({})
        table = next((h for h in headers if h["sh_type"] == _SYMTAB), None)
        if table:
            strings = self._contents(headers[table["sh_link"]])
            is_code = [bool(h["sh_flags"] & _CODE) for h in headers]
            symbols = read_symbols(self._contents(table), strings, self.family.byte_order, is_code, RAM_END)
        names = self._contents(headers[self.header["e_shstrndx"]])
        sections = {}
        for header in headers:
            start = header["sh_name"]
            name = names[start : start + 32].split(b"\0")[0].decode("ascii", "replace")
            if name in _LINE_SECTIONS and not header["sh_flags"] & _COMPRESSED:
                sections[name] = self._contents(header)
        return symbols, sections

    def _contents(self, header: Any) -> bytes:
        if header["sh_type"] == _NOBITS:
            return b""
        return self._slice(header["sh_offset"], header["sh_size"], "a section")
