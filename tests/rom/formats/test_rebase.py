"""Executables that are moved, beside what pyelftools finds in them; and what is refused."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection

from retrosim.rom.formats import rebase
from retrosim.rom.formats.rebase import STEP, needs_moving, rebased
from retrosim.rom.image import MISSING_START, RAM_END, STACK_BYTES, STACK_TOP

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
ORDERS = {"m68k": ">", "i386": "<", "ppc": ">"}
WHOLE = {"m68k": {1}, "i386": {1}, "ppc": {1, 24}}  # kinds of 32 bits that hold an address
UPPER = {"m68k": set(), "i386": set(), "ppc": {5, 6}}  # of 16 bits: upper halves
ADD, SYMBOL, ROUTINE = {"m68k": 22, "i386": 8, "ppc": 22}, {"m68k": 20, "i386": 6, "ppc": 20}, {"m68k": 21, "i386": 7}


def sample(name: str) -> bytes:
    return (SAMPLES / f"count-{name}.elf").read_bytes()


def parts_of(content: bytes) -> tuple[ELFFile, list[RelocationSection]]:
    elf = ELFFile(io.BytesIO(content))
    return elf, [section for section in elf.iter_sections() if isinstance(section, RelocationSection)]


@pytest.mark.parametrize("family", ORDERS)
def test_an_executable_with_the_relocations_of_its_objects(family: str) -> None:
    """What holds an address is moved, and nothing else."""
    content, order = sample(f"{family}-relocs"), ORDERS[family]
    moved = rebased(content)
    elf, tables = parts_of(content)
    distance, expected = moved.distance, bytearray(content)
    assert distance % STEP == 0 and not moved.missing
    loads = [segment for segment in elf.iter_segments() if segment["p_type"] == "PT_LOAD"]

    def add(at: int, amount: int, layout: str) -> None:
        (old,) = struct.unpack_from(order + layout, expected, at)
        struct.pack_into(order + layout, expected, at, old + amount & (0xFFFF if layout == "H" else 0xFFFFFFFF))

    for table in tables:
        if not elf.get_section(table["sh_info"])["sh_flags"] & 2:
            continue
        for entry in table.iter_relocations():
            place = entry["r_offset"]
            (at,) = (
                segment["p_offset"] + place - segment["p_vaddr"]
                for segment in loads
                if segment["p_vaddr"] <= place < segment["p_vaddr"] + segment["p_filesz"]
            )
            if entry["r_info_type"] in WHOLE[family]:
                add(at, distance, "I")
            elif entry["r_info_type"] in UPPER[family]:
                add(at, distance >> 16, "H")
    for number, segment in enumerate(elf.iter_segments()):
        if segment in loads or segment["p_type"] == "PT_LOAD":
            add(elf["e_phoff"] + 32 * number + 8, distance, "I")
    symbols = elf.get_section_by_name(".symtab")
    for number, symbol in enumerate(symbols.iter_symbols()):
        if symbol["st_shndx"] not in ("SHN_UNDEF", "SHN_ABS"):
            add(symbols["sh_offset"] + 16 * number + 4, distance, "I")
    add(24, distance, "I")
    assert moved.content == bytes(expected)
    first = min(segment["p_vaddr"] for segment in loads if segment["p_memsz"])
    assert first + distance == STEP + first % STEP


@pytest.mark.parametrize("family", ORDERS)
def test_a_shared_object(family: str) -> None:
    content, order = sample(f"{family}-shared"), ORDERS[family]
    moved = rebased(content)
    assert (
        moved.distance == STEP and moved.missing == {MISSING_START: "draw"} and moved.content[16:18] != content[16:18]
    )
    elf, tables = parts_of(content)
    names = elf.get_section_by_name(".dynsym")
    checked = 0
    for table in tables:
        for entry in table.iter_relocations():
            place, kind = entry["r_offset"], entry["r_info_type"]
            (at,) = elf.address_offsets(place, 4)
            (value,) = struct.unpack_from(order + "I", moved.content, at)
            (before,) = struct.unpack_from(order + "I", content, at)
            addend = entry["r_addend"] if entry.is_RELA() else before
            if kind == ADD[family]:
                assert value == addend + moved.distance & 0xFFFFFFFF
                checked += 1
            elif kind in (SYMBOL[family], ROUTINE.get(family)):
                symbol = names.get_symbol(entry["r_info_sym"])
                weak = symbol["st_info"]["bind"] == "STB_WEAK"
                undefined = symbol["st_shndx"] == "SHN_UNDEF"
                target = symbol["st_value"] + moved.distance
                assert value == (0 if undefined and weak else MISSING_START if undefined else target)
                checked += 1
    assert checked >= 1


def test_what_needs_moving() -> None:
    content = bytearray(sample("i386-relocs"))
    assert needs_moving(bytes(content)) and needs_moving(sample("i386-shared"))
    assert not needs_moving(rebased(bytes(content)).content)


def changed(content: bytes, *numbers: tuple[int, str, int]) -> bytes:
    """Return a file with some numbers of its headers changed: offset, layout, value."""
    result = bytearray(content)
    for at, layout, value in numbers:
        struct.pack_into(layout, result, at, value)
    return bytes(result)


def segment_at(content: bytes, kind: int = 1) -> int:
    """Return where the header of the first segment of a kind stands in a file of the 386."""
    start, count = struct.unpack_from("<I", content, 28)[0], struct.unpack_from("<H", content, 44)[0]
    return next(at for at in range(start, start + 32 * count, 32) if struct.unpack_from("<I", content, at)[0] == kind)


def test_where_it_goes() -> None:
    """Below the stack if there is room, else above it."""
    content = sample("i386-shared")
    elf, _ = parts_of(content)
    last = [segment for segment in elf.iter_segments() if segment["p_type"] == "PT_LOAD"][-1]
    at = max(
        start for start in range(elf["e_phoff"], elf["e_phoff"] + 32 * elf["e_phnum"], 32)
        if struct.unpack_from("<I", content, start) == (1,)
    )  # fmt: skip
    room = STACK_TOP - STACK_BYTES - STEP - last["p_vaddr"]
    maximum = RAM_END - STACK_TOP - last["p_vaddr"]
    for size, distance in ((room, STEP), (room + 1, STACK_TOP), (maximum, STACK_TOP)):
        assert rebased(changed(content, (at + 20, "<I", size))).distance == distance
    with pytest.raises(ValueError, match=rf"needs {RAM_END - STACK_TOP + 1} bytes of memory; RAM ends at 0x800000"):
        rebased(changed(content, (at + 20, "<I", maximum + 1)))


def test_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    content = sample("i386-shared")
    dynamic = segment_at(content, 2)
    tags_at = struct.unpack_from("<I", content, dynamic + 4)[0]
    tags = {struct.unpack_from("<I", content, at)[0]: at for at in range(tags_at, tags_at + 8 * 24, 8)}
    with pytest.raises(ValueError, match="has no symbols for its dynamic relocations"):
        rebased(changed(content, (tags[rebase.SYMBOLS], "<I", 0x70000000)))
    table = struct.unpack_from("<I", content, tags[rebase.REL_TABLE] + 4)[0]
    (at,) = ELFFile(io.BytesIO(content)).address_offsets(table, 4)
    with pytest.raises(
        ValueError, match="has dynamic relocation type 99, which is not supported; link it with -static"
    ):
        rebased(changed(content, (at + 4, "<I", 99)))
    with pytest.raises(ValueError, match="refers to 0x123456, outside of what it loads"):
        rebased(changed(content, (at, "<I", 0x123456)))
    assert rebased(changed(content, (at + 4, "<I", 0))).distance == STEP
    monkeypatch.setattr(rebase, "MAX_MISSING", 0)
    with pytest.raises(ValueError, match="asks shared libraries for more than 0 routines"):
        rebased(content)
    for at, limit in ((44, rebase.MAX_SEGMENTS), (48, rebase.MAX_SECTIONS)):
        with pytest.raises(ValueError, match="has more than 32 segments or 4096 sections"):
            rebased(changed(content, (at, "<H", limit + 1)))
    with pytest.raises(ValueError, match="has nothing to load"):
        rebased(changed(content, (44, "<H", 0)))


def test_an_executable_without_relocations() -> None:
    content = sample("i386-relocs")
    with pytest.raises(
        ValueError, match=r"is linked for 0x8048000\.\.0x804b01f, outside RAM.*i686-linux-gnu-ld -m elf_i"
    ):
        rebased(changed(content, (48, "<H", 0)))
    for family, command in (("m68k", "m68k-linux-gnu-ld -N"), ("ppc", "powerpc-linux-gnu-ld -N")):
        with pytest.raises(ValueError, match=f"{command} -Ttext-segment=0x2000 -e ENTRY -o program.elf"):
            rebased(changed(sample(f"{family}-relocs"), (48, ">H", 0)))


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    content = sample("i386-relocs")
    _, tables = parts_of(content)
    loaded = [table for table in tables if not table.name.startswith((".rel.debug", ".rela.debug"))]
    count = sum(table.num_relocations() for table in loaded)
    monkeypatch.setattr(rebase, "MAX_RELOCATIONS", count)
    rebased(content)
    monkeypatch.setattr(rebase, "MAX_RELOCATIONS", count - 1)
    with pytest.raises(ValueError, match=f"has more than {count - 1} relocations"):
        rebased(content)
    monkeypatch.setattr(rebase, "MAX_RELOCATIONS", count)
    monkeypatch.setattr(rebase, "MAX_SYMBOLS", 3)
    with pytest.raises(ValueError, match="more than 3 symbols"):
        rebased(content)
