"""Amiga executables, hunk by hunk: what each kind of hunk means, and what is refused."""

import struct

import pytest

from retrosim.rom.formats import hunk
from retrosim.rom.formats.hunk import load
from retrosim.rom.image import LOAD_ADDRESS, Image
from tests.helpers.rom.program_files import hunk_lines, hunk_symbols, longs

CODE = longs(0x3E9, 2, 0x4E714E71, 0x4E754E75)
END = longs(0x3F2)
SECOND = LOAD_ADDRESS + 8


def program(*blocks: bytes, sizes: tuple[int, ...] = (2,)) -> Image:
    """Load hunks of so many long words."""
    return load(longs(0x3F3, 0, len(sizes), 0, len(sizes) - 1, *sizes) + b"".join(blocks))


def number_at(image: Image, address: int) -> int:
    start, content = next((at, data) for at, data in image.segments if at <= address < at + len(data))
    return int.from_bytes(content[address - start : address - start + 4], "big")


def test_code_data_and_zeros() -> None:
    image = program(CODE, END, longs(0x3EA, 1, 7), END, longs(0x3EB, 3), END, sizes=(2, 2, 3))
    assert (image.entry, image.system, image.returns, image.isa) == (LOAD_ADDRESS, "amiga", True, "m68000")
    assert image.segments == [(LOAD_ADDRESS, CODE[8:]), (SECOND, longs(7))]
    assert image.bss == [(SECOND + 4, 4), (SECOND + 8, 12)]  # what the header has beyond the contents is zeros


def test_kinds_of_memory() -> None:
    """Two bits above a size say what memory is wanted; where both are set, a word more does."""
    for bits, more in ((0, ()), (1, ()), (2, ()), (3, (0x12345,))):
        image = load(longs(0x3F3, 0, 1, 0, 0, bits << 30 | 2, *more) + longs(bits << 30 | 0x3E9, 2) + CODE[8:])
        assert image.segments == [(LOAD_ADDRESS, CODE[8:])]


@pytest.mark.parametrize("kind", [0x3EC, 0x3F7, 0x3FC])
def test_relocations(kind: int) -> None:
    def table(*numbers: int) -> bytes:
        short = struct.pack(f">{len(numbers)}H", *numbers)
        return longs(kind) + (longs(*numbers) if kind == 0x3EC else short + bytes(-len(short) % 4))

    data = longs(0x3EA, 2, 4, 0xFFFFFFFF)
    image = program(CODE, END, data, table(1, 0, 0, 1, 1, 4, 0), END, sizes=(2, 2))
    assert number_at(image, SECOND) == LOAD_ADDRESS + 4
    assert number_at(image, SECOND + 4) == SECOND - 1
    with pytest.raises(ValueError, match="refers to hunk 2; there are 2"):
        program(CODE, END, data, table(1, 2, 0, 0), END, sizes=(2, 2))
    with pytest.raises(ValueError, match="has a relocation outside hunk 1"):
        program(CODE, END, data, table(1, 0, 5, 0), END, sizes=(2, 2))
    after = hunk_symbols({"after": 4})
    assert program(CODE, table(2, 0, 0, 4, 0), after, END).symbols["after"].address == LOAD_ADDRESS + 4


def test_symbols(monkeypatch: pytest.MonkeyPatch) -> None:
    names = hunk_symbols({"first": 0, "last": 8, "beyond": 9}) + longs(0x3F0, 1, 0, 2, 0)
    again = hunk_symbols({"first": 4, "number": 0})
    image = program(CODE, names, END, longs(0x3EA, 1, 7), again, END, sizes=(2, 1))
    symbols = {name: (symbol.address, symbol.kind) for name, symbol in image.symbols.items()}
    assert symbols == {
        "first": (LOAD_ADDRESS, "function"), "last": (LOAD_ADDRESS + 8, "function"), "number": (SECOND, "object"),
    }  # fmt: skip
    monkeypatch.setattr(hunk, "MAX_SYMBOLS", 2)
    assert len(program(CODE, hunk_symbols({"a": 0, "b": 4}), END).symbols) == 2
    with pytest.raises(ValueError, match="more than 2 symbols"):
        program(CODE, hunk_symbols({"a": 0, "b": 4, "c": 4}), END)


def test_source_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = hunk_lines("work:src\\main.c", {0: 0xFF00000C, 4: 13, 8: 14})
    image = program(CODE, lines, END)
    assert list(image.lines) == [(LOAD_ADDRESS, "main.c", 12), (LOAD_ADDRESS + 4, "main.c", 13)]
    assert image.source_line(LOAD_ADDRESS + 8) is None
    at_four = bytearray(hunk_lines("a", {0: 5}))
    at_four[11] = 4  # the first offset is counted from here
    assert list(program(CODE, bytes(at_four), END).lines) == [(LOAD_ADDRESS + 4, "a", 5)]
    for other in (longs(0x3F1, 3, 0, 0x48454144, 0), longs(0x3F1, 1, 0), longs(0x3F1, 0), longs(0x3F1, 2, 0, 0)):
        assert not program(other, CODE, other, END).lines
    monkeypatch.setattr(hunk, "MAX_ROWS", 2)
    assert len(program(CODE, hunk_lines("a", {0: 1, 4: 2}), END).lines) == 2
    with pytest.raises(ValueError, match="more than 2 source lines"):
        program(CODE, hunk_lines("a", {0: 1, 4: 2, 6: 3}), END)


def test_what_is_passed_over() -> None:
    name = longs(0x3E8, 1, 0x61626364)
    assert program(name, CODE, END, longs(0x3F6), longs(0x999)).segments == [(LOAD_ADDRESS, CODE[8:])]
    assert program(CODE, END, b"\0\0\3").entry == LOAD_ADDRESS


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (longs(0x3F3, 1, 0), "asks for resident libraries"),
        (longs(0x3F3, 0, 1, 1, 1, 2), r"has hunks 1\.\.1; allowed 0\.\.1023"),
        (longs(0x3F3, 0, 1, 0, 1024, 2), r"has hunks 0\.\.1024; allowed 0\.\.1023"),
        (longs(0x3F3, 0, 1, 1, 0, 2), r"has hunks 1\.\.0; allowed"),
        (longs(0x3F3, 0, 1, 0, 0, 2), "is truncated: its header names 1 hunks, the file has 0"),
        (longs(0x3F3, 0, 2, 0, 1, 2, 2) + CODE + END, "is truncated: its header names 2 hunks, the file has 1"),
        (longs(0x3F3, 0, 1, 0, 0, 2) + CODE + CODE, "has more hunks than the 1 that its header names"),
        (longs(0x3F3, 0, 1, 0, 0, 2) + CODE + END + END, "ends more hunks than the 1 that its header names"),
        (longs(0x3F3, 0, 1, 0, 0, 1) + CODE, "hunk 0 is larger than its header says"),
        (longs(0x3F3, 0, 1, 0, 0, 2, 0x3E9, 2, 0), "is truncated: hunk 0 reaches beyond the end of the file"),
        (longs(0x3F3, 0, 1, 0, 0, 2, 0x3F5), "is an Amiga program with overlays"),
        (longs(0x3F3, 0, 1, 0, 0, 2, 0x3EC), "has hunk kind 0x3ec before any code"),
        (longs(0x3F3, 0, 1, 0, 0, 2) + CODE + longs(0x3E7), "has hunk kind 0x3e7, which is not part of an executable"),
        (longs(0x3F3, 0, 1, 0, 0, 2, 0x3EA, 2, 1, 2), "its first hunk is not code"),
        (longs(0x3F3, 0, 1, 0, 0, 2, 0x3E9, 0), "its first hunk is not code"),
    ],
)  # fmt: skip
def test_refusals(content: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        load(content)


def test_as_many_hunks_as_are_allowed() -> None:
    sizes = (2, *[1] * 1023)
    assert len(program(CODE, *[longs(0x3EB, 1)] * 1023, sizes=sizes).bss) == 1023
