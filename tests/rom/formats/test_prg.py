"""Atari executables: their basepage, relocations and symbols, and what is refused."""

import struct

import pytest

from retrosim.rom.formats import prg
from retrosim.rom.formats.prg import STACK_BYTES, load
from retrosim.rom.image import LOAD_ADDRESS, Image
from tests.helpers.rom.program_files import longs

PAGE, START = LOAD_ADDRESS, LOAD_ADDRESS + 256
TEXT, DATA, BSS = 0xA200, 0xA400, 0xA100
CODE = bytes.fromhex("4e714e714e714e75")


def program(
    text: bytes = CODE, data: bytes = b"data", zeros: int = 8, symbols: bytes = b"", fixups: bytes = b"", fixed: int = 0
) -> Image:
    header = b"\x60\x1a" + longs(len(text), len(data), zeros, len(symbols), 0, 0) + fixed.to_bytes(2, "big")
    return load(header + text + data + symbols + fixups)


def symbol(name: str, kind: int, value: int) -> bytes:
    raw = name.encode()
    is_long = len(raw) > 8
    first = struct.pack(">8sHI", raw[:8], kind | (0x48 if is_long else 0), value)
    return first + (struct.pack(">14s", raw[8:]) if is_long else b"")


def bytes_at(image: Image, address: int, size: int) -> bytes:
    start, content = next((at, data) for at, data in image.segments if at <= address < at + len(data))
    return content[address - start : address - start + size]


def test_where_a_program_lies() -> None:
    image = program()
    assert (image.entry, image.isa, image.system, image.returns) == (START, "m68000", "atari", True)
    end = START + 8 + 4 + 8
    top = end + STACK_BYTES
    page = longs(PAGE, top, START, 8, START + 8, 4, START + 12, 8)
    assert bytes_at(image, PAGE, 32) == page and bytes_at(image, START, 12) == CODE + b"data"
    assert image.registers == {"a7": top - 4} and bytes_at(image, top - 4, 4) == longs(PAGE)
    assert image.bss == [(PAGE + 32, 256 - 32), (START + 12, 8 + STACK_BYTES - 4)]
    with pytest.raises(ValueError, match="has no code"):
        program(b"")
    with pytest.raises(ValueError, match="text and data reaches beyond the end"):
        load(b"\x60\x1a" + longs(8, 0, 0, 0, 0, 0) + b"\0\0" + CODE[:-1])


def test_relocations() -> None:
    """The first by its offset, the others by steps; 1 is 254 bytes without one."""
    text = bytes(600) + CODE
    image = program(text, fixups=longs(2) + bytes([6, 1, 1, 4, 0, 8]))
    for at in (2, 8, 8 + 508 + 4):
        assert bytes_at(image, START + at, 4) == longs(START), at
    assert bytes_at(image, START + 12, 508) == bytes(508) and bytes_at(image, START + 524, 76) == bytes(76)
    at_zero = program(text, fixups=longs(0) + bytes([2, 0]))
    assert bytes_at(at_zero, START, 600) == bytes(600)  # an offset of 0: there are none
    assert program(text, fixups=b"\0\0\0").segments == at_zero.segments
    assert bytes_at(program(text, fixups=longs(2) + b"\6\0", fixed=1), START, 16) == bytes(16)
    carried = program(b"\xff\xff\xff\xff" + CODE, fixups=longs(0x8) + b"\0")
    assert bytes_at(carried, START + 8, 4) == longs(int.from_bytes(CODE[4:], "big") + START)
    size = len(text) + 4
    program(text, fixups=longs(size - 4) + b"\0")
    for at in (3, size - 3, size - 2, size):
        with pytest.raises(ValueError, match=f"has a relocation at {at:#x}; allowed are even offsets in text and data"):
            program(text, fixups=longs(at) + b"\0")


def test_symbols(monkeypatch: pytest.MonkeyPatch) -> None:
    table = b"".join(
        symbol(*row)
        for row in (
            ("start", TEXT, 0), ("a_long_name_of_22_char", TEXT, 2), ("text", DATA, 8), ("zeros", BSS, 12),
            ("end", BSS, 20), ("beyond", BSS, 21), ("main.o", TEXT, 0), ("lib.a", TEXT, 0), ("dir/x", TEXT, 0),
            ("number", 0xC000, 3), ("local", 0x2200, 4), ("start", TEXT, 6), ("", TEXT, 2),
        )
    )  # fmt: skip
    symbols = {name: (each.address - START, each.kind) for name, each in program(symbols=table).symbols.items()}
    assert symbols == {
        "start": (0, "function"), "a_long_name_of_22_char": (2, "function"), "text": (8, "object"),
        "zeros": (12, "object"), "end": (20, "object"),
    }  # fmt: skip
    monkeypatch.setattr(prg, "MAX_SYMBOLS", 2)
    assert len(program(symbols=symbol("a", TEXT, 0) + symbol("b", TEXT, 2) + bytes(13)).symbols) == 2
    with pytest.raises(ValueError, match="more than 2 symbols"):
        program(symbols=symbol("a", TEXT, 0) * 3)


def test_symbols_that_are_counted_from_their_sections() -> None:
    table = symbol("code", TEXT, 4) + symbol("text", DATA, 2) + symbol("zeros", BSS, 8)
    addresses = {name: each.address - START for name, each in program(symbols=table).symbols.items()}
    assert addresses == {"code": 4, "text": 8 + 2, "zeros": 12 + 8}
    table = symbol("code", TEXT, 4) + symbol("text", DATA, 8)
    assert program(symbols=table).symbols["text"].address == START + 8
