"""ELF files, good and bad: an image comes out, or RomError; never another exception, never a long wait."""

from __future__ import annotations

import contextlib
import hashlib
import random
import time
from pathlib import Path

import pytest
from fuzzing.work import scaled

from retrosim.errors import RomError
from retrosim.rom import Image, load_elf, load_rom
from retrosim.rom.image import MAX_IMAGE_BYTES, RAM_END, RAM_FIRST, read_image
from tests.helpers.amount import FULL
from tests.helpers.rom.elf_builder import elf, symbol

BUILDS = ("O0", "O1", "O2")
CODE = bytes.fromhex("4e71 4e75")
GLOBAL_FUNCTION, GLOBAL_LABEL, LOCAL_FUNCTION, GLOBAL_OBJECT = 0x12, 0x10, 0x02, 0x11
WORLD = ("gNumObjects", "gFrame", "gRandNext", "gPadBefore", "gMotion", "gCollisionArray", "gObjects", "gSectorArray")
ROUTINE = (
    *("DetermineCollisions", "UpdateSectors", "UpdateCollisionArray", "CalcCollisionsInSector"),
    *("RandomizeObjects", "GetMyFirstObject", "ClearCollisionArray", "_start"),
)


def read(content: bytes, isa: str | None = None) -> Image:
    return read_image(Path("file.elf"), content, isa, "")


def shipped(build: str) -> bytes:
    rom = load_rom("sectors")
    return (rom.path / rom.image_info("m68040", build).file).read_bytes()


@pytest.mark.parametrize("build", BUILDS)
def test_shipped_image(build: str) -> None:
    rom = load_rom("sectors")
    image = rom.image("m68040", build)
    assert (image.isa, image.build, image.byte_order, image.entry) == ("m68040", build, "big", 0x1000)
    assert image.sha256 == hashlib.sha256(shipped(build)).hexdigest() == rom.image_info("m68040", build).sha256
    assert {name: image.symbols[name].kind for name in WORLD} == dict.fromkeys(WORLD, "object")
    assert {name: image.symbols[name].kind for name in ROUTINE} == dict.fromkeys(ROUTINE, "function")
    assert image.symbols["gObjects"].size == 200 * 12
    assert image.symbols["gMotion"].size == 200 * 8
    assert image.symbols["gSectorArray"].size == 11 * 9 * 4


@pytest.mark.parametrize("build", BUILDS)
def test_data_keeps_off_the_pages_of_code(build: str) -> None:
    image = load_rom("sectors").image("m68040", build)
    (start, content), *others = image.segments
    assert start == 0x1000
    assert not others
    code_end = start + len(content)
    data = [symbol.address for symbol in image.symbols.values() if symbol.kind == "object"]
    assert min(data) // 256 > (code_end - 1) // 256


@pytest.mark.parametrize("build", BUILDS)
def test_no_nops(build: str) -> None:
    """GCC's unoptimised code holds them for the debugger; they would count as instructions of the routine."""
    (_, content), *_ = load_rom("sectors").image("m68040", build).segments
    words = [content[i : i + 2] for i in range(0, len(content), 2)]
    assert b"\x4e\x71" not in words


@pytest.mark.parametrize("build", BUILDS)
def test_source_lines_and_functions_of_addresses(build: str) -> None:
    rom = load_rom("sectors")
    image = rom.image("m68040", build)
    assert {file for _, file, _ in image.lines} >= {"sectors.c", "demo.c", "draw.c", "start_m68k.S"}
    assert [address for address, _, _ in image.lines] == sorted({address for address, _, _ in image.lines})
    for name in ("DetermineCollisions", "UpdateSectors", "CalcCollisionsInSector"):
        found = image.symbols[name]
        file, line = image.source_line(found.address)
        assert file == "sectors.c"
        opening = (rom.path / "src" / file).read_text().splitlines()[line - 2 : line]
        assert f" {name}(" in opening[0] and opening[1] == "{"
        assert image.symbol_at(found.address) == (name, 0)
        assert image.symbol_at(found.address + found.size - 2) == (name, found.size - 2)
    assert image.source_line(0x0FFE) is None
    assert image.source_line(image.symbols["gObjects"].address) is None
    assert image.symbol_at(0x0FFE) is None
    assert image.symbol_at(image.symbols["gObjects"].address) is None


def test_file_of_the_users_own(tmp_path: Path) -> None:
    path = tmp_path / "own.elf"
    path.write_bytes(elf([(0x2000, b"data", 12), (0x1000, CODE, 4)], flags=0x01000000))
    image = load_elf(path)
    assert (image.isa, image.build, image.entry) == ("m68000", "", 0x1000)
    assert image.segments == [(0x1000, CODE), (0x2000, b"data")]
    assert image.bss == [(0x2004, 8)]
    assert not image.symbols
    assert not image.lines
    assert image.source_line(0x1000) is None
    assert image.symbol_at(0x1000) is None
    assert load_elf(path, "m68040").isa == "m68040"
    with pytest.raises(ValueError, match="'z80': allowed m68040"):
        load_elf(path, "z80")


@pytest.mark.parametrize(
    ("machine", "order", "isa"), [(4, ">", "m68040"), (20, ">", "ppc601"), (3, "<", "i386")], ids=["m68k", "ppc", "x86"]
)
def test_families(machine: int, order: str, isa: str) -> None:
    image = read(elf([(0x1000, CODE, 4)], machine=machine, order=order))
    assert image.isa == isa
    assert image.byte_order == ("big" if order == ">" else "little")
    with pytest.raises(RomError, match="another processor"):
        read(elf([(0x1000, CODE, 4)], machine=machine, order="<" if order == ">" else ">"))


def test_symbols_with_and_without_sizes() -> None:
    names = b"\0first\0second\0data\0outside\0"
    at = {name: names.index(name) for name in (b"first", b"second", b"data", b"outside")}
    table = b"".join(
        [
            symbol(0, 0, 0, 0, 0),
            symbol(at[b"second"], 0x1004, 0, LOCAL_FUNCTION, 1),
            symbol(at[b"first"], 0x1000, 2, GLOBAL_FUNCTION, 1),
            symbol(at[b"second"], 0x1002, 0, GLOBAL_LABEL, 1),
            symbol(at[b"data"], 0x1008, 4, GLOBAL_OBJECT, 1),
            symbol(at[b"outside"], 0x5000, 0, GLOBAL_FUNCTION, 0),
        ]
    )
    code = (".text", 1, 6, b"", 0)
    image = read(elf([(0x1000, CODE, 16)], sections=[code, (".symtab", 2, 0, table, 3), (".strtab", 3, 0, names, 0)]))
    assert {name: (s.address, s.size, s.kind) for name, s in image.symbols.items()} == {
        "first": (0x1000, 2, "function"),
        "second": (0x1002, 0, "function"),  # the global one, not the local
        "data": (0x1008, 4, "object"),
    }
    assert image.symbol_at(0x1001) == ("first", 1)
    assert image.symbol_at(0x1006) == ("second", 4)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not an ELF"),
        (b"MZ" + bytes(100), "not an ELF"),
        (b"\x7fELF\x02" + bytes(100), "32-bit"),
        (b"\x7fELF\x01\x02", "truncated"),
        (elf([(0x1000, CODE, 4)], kind=1), "linked executable"),
        (elf([(0x1000, CODE, 4)], machine=62), "another processor"),
        (elf([]), "entry"),
        (elf([(0x1000, CODE, 4)], entry=0x1004), "entry 0x1004"),
        (elf([(0x1000, CODE, 2)]), "larger in the file"),
        (elf([(0x3FE, CODE, 4)], entry=0x3FE), "not inside RAM 0x400"),
        (elf([(RAM_END - 2, CODE, 4)], entry=RAM_END - 2), "not inside RAM"),
        (elf([(0x80000000, CODE, 4)], entry=0x80000000), "not inside RAM"),
        (elf([(0x1000, CODE, 0xFFFFFFFF)]), "not inside RAM"),
        (elf([(0x1000, CODE, 4), (0x1002, CODE, 4)]), "overlap at 0x1002"),
        (elf([(0x1000 + 8 * i, CODE, 4) for i in range(33)]), "more than 32"),
        (elf([(0x1000, CODE, 4)], sections=[("x", 1, 0, b"", 0)] * 260), "more than 256"),
        (elf([(0x1000, CODE, 4)], sections=[(".symtab", 2, 0, bytes(17), 1)]), "symbol table is truncated"),
        (elf([(0x1000, CODE, 4)], sections=[(".symtab", 2, 0, symbol(1 << 31, 0, 0, 18, 1), 2)]), "name"),
        (elf([(0x1000, CODE, 4)], sections=[(".symtab", 2, 0, symbol(0, 0, 0, 18, 99), 2)]), "does not exist"),
        (elf([(0x1000, CODE, 4)], sections=[(".symtab", 2, 0, symbol(1, 0x2000, 1 << 31, 17, 1), 2)]), "beyond RAM"),
        (elf([(0x1000, CODE, 4)], sections=[(".symtab", 2, 0, b"", 99)]), "damaged"),
        (elf([(0x1000, CODE, 4)], sections=[(".symtab", 2, 0, bytes(16) * 65537, 2)]), "more than 65536 symbols"),
        (elf([(0x1000, CODE, 4)], sections=[(".debug_line", 1, 0, b"\0\0\1\0\0\4", 0)]), "line table is truncated"),
    ],
)
def test_foreign_and_hostile_files(content: bytes, reason: str) -> None:
    with pytest.raises(RomError, match=reason):
        read(content)


def test_wrong_processor_for_the_manifest() -> None:
    with pytest.raises(RomError, match="is for ppc601, not for m68040"):
        read(elf([(0x1000, CODE, 4)], machine=20), "m68040")


@pytest.mark.parametrize("build", BUILDS)
def test_every_truncation(build: str) -> None:
    content = shipped(build)
    for length in [*range(0, len(content), 64 if FULL else 192), len(content) - 1]:
        with pytest.raises(RomError):
            read(content[:length], "m68040")


def test_damaged_bytes() -> None:
    """Whatever is changed, the answer is an image inside RAM or RomError."""
    content = shipped("O2")
    draw = random.Random(1994)
    headers = [*range(84), *range(len(content) - 440, len(content))]
    refused, count = 0, 1000 if FULL else 350
    for _ in range(count):
        damaged = bytearray(content)
        for _ in range(draw.choice((1, 2, 8))):
            place = draw.choice(headers) if draw.random() < 0.7 else draw.randrange(len(content))
            damaged[place] = draw.choice((0, 1, 0x7F, 0x80, 0xFF, draw.randrange(256)))
        try:
            image = read(bytes(damaged), draw.choice((None, "m68040")))
        except RomError:
            refused += 1
            continue
        assert all(start >= RAM_FIRST and start + len(data) <= RAM_END for start, data in image.segments)
        assert all(start >= RAM_FIRST and start + size <= RAM_END for start, size in image.bss)
    assert count // 5 < refused < count


def test_random_bytes_behind_a_good_start() -> None:
    draw = random.Random(2)
    start = shipped("O2")[:52]
    for _ in range(500 if FULL else 200):
        with pytest.raises(RomError):
            read(start + draw.randbytes(draw.choice((0, 40, 400, 40_000))))


def test_hostile_files_take_no_long_time() -> None:
    """Numbers without an end, names without an end, tables that repeat: all are bounded by the file's length."""
    endless = b"\x80" * 3_000_000
    header = bytes.fromhex("0002 00000010 02 01 fb 0e 0a 0001010101000000 00 00".replace(" ", ""))
    hostile = [
        (".debug_line", 1, 0, (len(header) + len(endless)).to_bytes(4, "big") + header + endless, 0),
        (".debug_line", 1, 0, (b"\0\0\0\x16" + header + b"\0\0") * 100_000, 0),
    ]
    names = b"x" * 2_000_000
    unnamed = [
        (".text", 1, 6, b"", 0),
        (".symtab", 2, 0, symbol(0, 0x1000, 0, 18, 1) * 60_000, 3),
        (".strtab", 3, 0, names, 0),
    ]
    for sections in ([hostile[0]], [hostile[1]], unnamed):
        started = time.process_time()
        content = elf([(0x1000, CODE, 4)], sections=sections)
        assert len(content) <= MAX_IMAGE_BYTES
        with contextlib.suppress(RomError):
            read(content)
        assert time.process_time() - started < scaled(5)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    big = tmp_path / "big.elf"
    with big.open("wb") as file:
        file.truncate(MAX_IMAGE_BYTES + 1)
    for path, reason in [
        (tmp_path / "missing.elf", "no such file"),
        (tmp_path, "not a regular file"),
        (Path("/dev/zero"), "not a regular file"),
        (big, f"longer than {MAX_IMAGE_BYTES} bytes"),
        (tmp_path / "zero\0byte", "no such file|cannot be read"),
    ]:
        with pytest.raises(RomError, match=reason):
            load_elf(path)
