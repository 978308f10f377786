"""Object files and archives: what is read of them, beside pyelftools, and what is refused."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection

from retrosim.rom.formats import objects
from retrosim.rom.formats.objects import ALLOC, LINE_SECTIONS, NOBITS, elf_family, read_archive, read_object

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
NAMES = ("m68k", "i386", "ppc", "i386-pic", "ppc-small")
OBJECT = (SAMPLES / "count-i386.o").read_bytes()
SECTIONS_AT = struct.unpack_from("<I", OBJECT, 32)[0]


def changed(*numbers: tuple[int, str, int], content: bytes = OBJECT) -> bytes:
    """Return a file with some numbers changed: offset, layout, value."""
    result = bytearray(content)
    for at, layout, value in numbers:
        struct.pack_into(layout, result, at, value)
    return bytes(result)


@pytest.mark.parametrize("name", NAMES)
def test_an_object(name: str) -> None:
    content = (SAMPLES / f"count-{name}.o").read_bytes()
    elf = ELFFile(io.BytesIO(content))
    one = read_object("one", content)
    assert (one.name, one.flags, one.family.byte_order == "little") == ("one", elf["e_flags"], elf.little_endian)
    assert one.family is elf_family(content) and len(one.sections) == elf.num_sections()
    for section, other in zip(one.sections, elf.iter_sections(), strict=True):
        is_table = other["sh_type"] in ("SHT_NOTE", "SHT_RELA", "SHT_REL") or other.name.startswith((".eh_", ".note"))
        is_used = (other["sh_flags"] & ALLOC and not is_table) or other.name in LINE_SECTIONS
        assert (section is not None) == is_used, other.name
        if section is not None:
            assert (section.name, section.flags, section.size) == (other.name, other["sh_flags"], other["sh_size"])
            assert section.align == max(other["sh_addralign"], 1)
            assert section.content == (b"" if section.kind == NOBITS else other.data())
    symbols = elf.get_section_by_name(".symtab").iter_symbols()
    for symbol, other in zip(one.symbols, symbols, strict=True):
        assert (symbol.name, symbol.value, symbol.size) == (other.name, other["st_value"], other["st_size"])
        kinds = ("STT_NOTYPE", "STT_OBJECT", "STT_FUNC", "STT_SECTION", "STT_FILE")
        assert kinds[symbol.kind] == other["st_info"]["type"]
        assert ("STB_LOCAL", "STB_GLOBAL", "STB_WEAK")[symbol.binding] == other["st_info"]["bind"]
        number = other["st_shndx"]
        special = {"SHN_UNDEF": objects.UNDEFINED, "SHN_ABS": objects.ABSOLUTE, "SHN_COMMON": objects.COMMON}
        assert symbol.section == special.get(number, number)
    for table in elf.iter_sections():
        section = one.sections[table["sh_info"]] if isinstance(table, RelocationSection) else None
        if section is not None:
            others = [
                (
                    entry["r_offset"],
                    entry["r_info_type"],
                    entry["r_info_sym"],
                    entry["r_addend"] if "r_addend" in entry.entry else None,
                )
                for entry in table.iter_relocations()
            ]
            assert [(each.offset, each.kind, each.symbol, each.addend) for each in section.relocations] == others


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"\x7fELG" + OBJECT[4:], "is not an ELF file"),
        (OBJECT[:51], "is not a 32-bit ELF file, or truncated"),
        (changed((4, "B", 2)), "is not a 32-bit ELF file, or truncated"),
        (changed((5, "B", 2)), r"is for another processor \(ELF machine 768\)"),
        (changed((18, "<H", 62)), r"is for another processor \(ELF machine 62\); allowed"),
        (changed((48, "<H", 4097)), "has 4097 sections, more than 4096"),
        (changed((46, "<H", 64)), "has headers of a wrong size"),
        (changed((48, "<H", 200)), "the table of sections reaches beyond"),
        (changed((50, "<H", 100)), "refers to section 100, which does not exist"),
    ],
)
def test_refused_headers(content: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_object("x", content)


def header_of(name: str, field: int) -> int:
    """Return where a field of a section's header stands."""
    names = [section.name for section in ELFFile(io.BytesIO(OBJECT)).iter_sections()]
    return SECTIONS_AT + 40 * names.index(name) + 4 * field


def test_refused_sections(monkeypatch: pytest.MonkeyPatch) -> None:
    size, align = header_of(".bss", 5), header_of(".text", 8)
    table, entries, symbols = header_of(".rel.text", 4), header_of(".rel.text", 5), header_of(".symtab", 5)
    assert read_object("x", changed((size, "<I", 1 << 24), (align, "<I", 4096))).sections
    assert read_object("x", changed((align, "<I", 0))).sections[1].align == 1
    for numbers, why in (
        ((size, "<I", (1 << 24) + 1), r"section '\.bss' has 16777217 bytes"),
        ((align, "<I", 4097), r"section '\.text' is aligned to 4097 bytes"),
        ((header_of(".text", 4), "<I", len(OBJECT)), "a section reaches beyond the end of the file"),
        ((entries, "<I", 9), "has a damaged table of relocations"),
        ((symbols, "<I", 17), "has a damaged symbol table"),
        ((struct.unpack_from("<I", OBJECT, table)[0], "<I", 0x1000), r"a relocation outside section '\.text' or its s"),
        ((struct.unpack_from("<I", OBJECT, table)[0] + 4, "<I", 0xFF01), "a relocation outside section"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=why):
            read_object("x", changed(numbers))
    one = read_object("x", OBJECT)
    count = sum(len(section.relocations) for section in one.sections if section)
    monkeypatch.setattr(objects, "MAX_RELOCATIONS", count)
    assert read_object("x", OBJECT) == one
    monkeypatch.setattr(objects, "MAX_RELOCATIONS", count - 1)
    with pytest.raises(ValueError, match=f"has more than {count - 1} relocations"):
        read_object("x", OBJECT)
    monkeypatch.setattr(objects, "MAX_RELOCATIONS", count)
    monkeypatch.setattr(objects, "MAX_SYMBOLS", len(one.symbols))
    assert read_object("x", OBJECT) == one
    monkeypatch.setattr(objects, "MAX_SYMBOLS", len(one.symbols) - 1)
    with pytest.raises(ValueError, match="has a damaged symbol table, or more than"):
        read_object("x", OBJECT)


def archive(*members: tuple[str, bytes]) -> bytes:
    parts = [b"!<arch>\n"]
    for name, content in members:
        parts.append(f"{name:<16}{'0':<32}{len(content):<10}`\n".encode() + content + b"\n" * (len(content) % 2))
    return b"".join(parts)


def test_archives(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = b"text!"
    content = archive(
        ("/", b"\0\0\0\0"), ("//", b"ignored.o/\na_name_of_many_letters.o/\n"), ("notes/", odd), ("one.o/", OBJECT),
        ("/11", OBJECT),
    )  # fmt: skip
    found = read_archive(content)
    assert [one.name for one in found] == ["one.o", "a_name_of_many_letters.o"]
    assert found[1].symbols == read_object("", OBJECT).symbols
    assert len(read_archive(content + b" " * 59)) == 2
    monkeypatch.setattr(objects, "MAX_MEMBERS", 5)
    assert len(read_archive(content)) == 2
    monkeypatch.setattr(objects, "MAX_MEMBERS", 4)
    with pytest.raises(ValueError, match="has more than 4 members"):
        read_archive(content)
    for damaged, why in (
        (archive(("notes/", odd)), "is an archive without ELF objects"),
        (b"!<arch>\n", "is an archive without ELF objects"),
        (content.replace(b"`\n", b"'\n", 1), "is a damaged archive"),
        (content.replace(b"4         `", b"x         `", 1), "is a damaged archive"),
        (content[:-1], "a member reaches beyond the end of the file"),
    ):
        with pytest.raises(ValueError, match=why):
            read_archive(damaged)
