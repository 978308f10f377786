"""The line table, against pyelftools on real compilers' output, and version 5, which our images do not use."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from retrosim.rom import load_rom
from retrosim.rom.lines import LineTable, read_lines


def program(version: int, files: bytes, code: bytes, *, line_base: int = -5, line_range: int = 14) -> bytes:
    """Return one line program, big-endian, instructions of two bytes."""
    lengths = bytes((0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1))
    rest = bytes((2, *((1,) if version >= 4 else ()), 1, line_base & 255, line_range, 13)) + lengths + files
    head = struct.pack(">H", version) + (b"\4\0" if version == 5 else b"") + struct.pack(">I", len(rest))
    body = head + rest + code
    return struct.pack(">I", len(body)) + body


def address(value: int) -> bytes:
    return b"\0\5\2" + struct.pack(">I", value)


OLD_FILES = b"folder\0\0first.c\0\1\0\0second.c\0\1\0\0\0"
END = b"\0\1\1"
CODE = (
    address(0x1000)
    + b"\3\x0a\1"  # line 11, a row
    + bytes((13 + 3 * 14 + 6,))  # 3 instructions and 1 line on, a row: 0x1006, 12
    + b"\4\2\3\x7b\2\4\1"  # second file, 5 lines back, 4 instructions on: 0x100e, 7
    + b"\6\x0a\7\5\3"  # is_stmt off, basic block, column
    + b"\x08"  # 17 instructions on (255 - 13) // 14
    + b"\x09\0\2"  # 2 bytes on
    + b"\x0c\5\x0b\x0a"  # isa, epilogue, prologue
    + b"\0\2\4\7"  # discriminator
    + b"\1"  # row: 0x1032, 7
    + b"\2\1"
    + END
)
ROWS = [(0x1000, "first.c", 11), (0x1006, "first.c", 12), (0x100E, "second.c", 7), (0x1032, "second.c", 7)]


@pytest.mark.parametrize("version", [2, 3, 4])
def test_every_opcode(version: int) -> None:
    table = read_lines({".debug_line": program(version, OLD_FILES, CODE)}, "big")
    assert table.rows == ROWS
    assert [table.at(pc) for pc in (0xFFF, 0x1000, 0x1005, 0x1006, 0x1033, 0x1034)] == [
        *(None, ("first.c", 11), ("first.c", 11), ("first.c", 12), ("second.c", 7), None)
    ]


@pytest.mark.parametrize(
    ("form", "stored"),
    [(0x08, b"first.c\0"), (0x0E, struct.pack(">I", 4)), (0x1F, struct.pack(">I", 4))],
    ids=["string", "strp", "line_strp"],
)
def test_version_5_names(form: int, stored: bytes) -> None:
    folders = b"\1\1\x08" + b"\1" + b"folder\0"
    files = b"\5" + bytes((1, form, 2, 0x0B, 5, 0x1E, 3, 0x0F, 4, 0x09)) + b"\2"
    entry = b"\0" + b"m" * 16 + b"\x81\1" + b"\2xx"
    content = program(5, folders + files + stored + entry + stored + entry, address(0x1000) + b"\1" + END)
    texts = {".debug_str": b"xyz\0first.c\0", ".debug_line_str": b"xyz\0first.c\0"}
    assert read_lines({".debug_line": content, **texts}, "big").rows == [(0x1000, "first.c", 1)]


def test_two_programs_and_gaps() -> None:
    """Programs may come in any order; between the end of one and the start of the next there are no lines."""
    later = program(4, OLD_FILES, address(0x2000) + b"\1" + b"\2\4" + END)
    earlier = program(4, OLD_FILES, address(0x1000) + b"\3\4\1" + b"\2\2" + END)
    table = read_lines({".debug_line": later + earlier}, "big")
    assert table.rows == [(0x1000, "first.c", 5), (0x2000, "first.c", 1)]
    assert [table.at(pc) for pc in (0x1003, 0x1004, 0x1FFF, 0x2007, 0x2008)] == [
        *(("first.c", 5), None, None, ("first.c", 1), None)
    ]


def test_the_last_row_of_an_address_counts() -> None:
    table = LineTable([(8, "a", 1), (8, "a", 2), (4, "a", 3)], [12])
    assert table.rows == [(4, "a", 3), (8, "a", 2)]


def test_no_lines() -> None:
    assert read_lines({}, "big").rows == []
    assert read_lines({}, "big").at(0) is None


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\0\0", "truncated"),
        (b"\0\0\0\x7f", "truncated"),
        (b"\xff" * 12, "64-bit form"),
        (program(6, OLD_FILES, CODE), "version 6"),
        (program(1, OLD_FILES, CODE), "version 1"),
        (program(4, OLD_FILES, CODE, line_range=0), "damaged"),
        (program(4, OLD_FILES, b"\2" + b"\x80" * 20), "number in the line table is too long"),
        (program(4, OLD_FILES, b"\0\x7f\1"), "truncated"),
        (program(4, OLD_FILES, b"\0\0"), "truncated"),
        (program(4, b"\0" + b"x" * 5000, CODE), "name in the line table is too long"),
        (program(4, b"\0" + b"f\0\0\0\0" * 4096 + b"\0", CODE), "more than 4096 files"),
        (program(4, OLD_FILES, b"\1" * 200_001), "more than 200000 rows"),
        (program(5, b"\0\xff\xff\3", CODE), "files"),
        (program(5, b"\0\1", CODE), "files"),
        (program(5, b"\1\1\x55\1", CODE), "form 0x55"),
        (program(5, b"\1\1\x0e\1\0\0\0\x09", CODE), "truncated|too long"),
    ],
)
def test_damaged_tables(content: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_lines({".debug_line": content, ".debug_str": b"x\0"}, "big")


def test_files_with_no_name_are_a_question_mark() -> None:
    content = program(4, OLD_FILES, address(0x1000) + b"\4\x63\1" + END)
    assert read_lines({".debug_line": content}, "big").rows == [(0x1000, "?", 1)]


def rows_of_pyelftools(path: Path) -> list[tuple[int, str, int]]:
    """Return the last row of each address that is not an end."""
    rows = {}
    with path.open("rb") as file:
        dwarf = ELFFile(file).get_dwarf_info()
        for unit in dwarf.iter_CUs():
            found = dwarf.line_program_for_CU(unit)
            for entry in found.get_entries():
                state = entry.state
                if state is not None and not state.end_sequence:
                    rows[state.address] = (found.header["file_entry"][state.file - 1].name.decode(), state.line)
    return sorted((where, *row) for where, row in rows.items())


@pytest.mark.parametrize("build", ["O0", "O1", "O2"])
def test_agrees_with_pyelftools(build: str) -> None:
    rom = load_rom("sectors")
    path = rom.path / rom.image_info("m68040", build).file
    assert rom.image("m68040", build).lines == rows_of_pyelftools(path)
