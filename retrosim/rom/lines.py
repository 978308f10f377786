"""Source lines of an image: the DWARF line table (section .debug_line, versions 2 to 5, 32-bit form).

The table is read here and not by pyelftools because it may come from anywhere: every read below is bounded, so the time
is linear in the size of the section, while a library made for compilers' own output follows lengths, counts and numbers
of any size.

Source: DWARF Debugging Information Format 5, section 6.2 (and 4, section 6.2)
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import Literal

MAX_ROWS = 200_000
MAX_BYTES = 512 * 1024  # of the section: a second of decoding at most
MAX_FILES = 4096  # files and folders of one program
MAX_STRING = 4096  # bytes
MAX_LEB128_BYTES = 10  # bytes of a LEB128

Row = tuple[int, str, int]

_COPY, _ADVANCE_PC, _ADVANCE_LINE, _SET_FILE, _SET_COLUMN = 1, 2, 3, 4, 5
_CONST_ADD_PC, _FIXED_ADVANCE_PC = 8, 9
_END_SEQUENCE, _SET_ADDRESS = 1, 2
_PATH = 1  # content type of an entry: its name

_STRING, _BLOCK, _UDATA, _DATA16, _STRP, _LINE_STRP = 0x08, 0x09, 0x0F, 0x1E, 0x0E, 0x1F
_FIXED_FORMS = {0x0B: 1, 0x05: 2, 0x06: 4, 0x07: 8, _DATA16: 16}  # data1, data2, data4, data8, data16


class LineTable:
    """Which source line each address comes from.

    rows  sorted list of (address, file, line), one per address where a new line begins
    """

    def __init__(self, rows: list[Row], ends: list[int]) -> None:
        """Sort rows; of several at one address the last one counts, for only it has code.

        rows  (address, file, line) in the order of the programs
        ends  addresses just behind each run of code that the rows describe
        """
        self.rows = sorted({row[0]: row for row in rows}.values())
        self._addresses = [address for address, _, _ in self.rows]
        self._ends = sorted(ends)

    def moved(self, distance: int) -> LineTable:
        """Return the table of the same program at addresses that are larger by `distance`, modulo 2^32."""
        rows = [((address + distance) & 0xFFFFFFFF, file, line) for address, file, line in self.rows]
        return LineTable(rows, [(end + distance) & 0xFFFFFFFF for end in self._ends])

    @classmethod
    def joined(cls, tables: Iterable[LineTable]) -> LineTable:
        """Return one table of several programs that do not overlap."""
        tables = list(tables)
        return cls([row for each in tables for row in each.rows], [end for each in tables for end in each._ends])

    def at(self, pc: int) -> tuple[str, int] | None:
        """Return (file, line) of an address, None outside the code that has lines."""
        index = bisect_right(self._addresses, pc) - 1
        if index < 0:
            return None
        start, file, line = self.rows[index]
        end = bisect_right(self._ends, start)
        return (file, line) if end < len(self._ends) and pc < self._ends[end] else None


class ByteReader:
    """Bounded reads from a stretch of bytes; every read beyond its end is a ValueError."""

    def __init__(self, content: bytes, start: int, end: int, byte_order: Literal["big", "little"]) -> None:
        """Read `content` from `start` up to `end`. Errors: ValueError if that lies outside."""
        if not 0 <= start <= end <= len(content):
            raise ValueError("the line table is truncated")
        self.content, self.at, self.end, self.byte_order = content, start, end, byte_order

    def bytes(self, size: int) -> bytes:
        """Return the next bytes."""
        if size > self.end - self.at:
            raise ValueError("the line table is truncated")
        self.at += size
        return self.content[self.at - size : self.at]

    def fixed(self, size: int) -> int:
        """Return the next unsigned number of 1, 2, 4 or 8 bytes."""
        return int.from_bytes(self.bytes(size), self.byte_order)

    def number(self, signed: bool = False) -> int:
        """Return the next LEB128 number."""
        value = 0
        for shift in range(0, 7 * MAX_LEB128_BYTES, 7):
            byte = self.fixed(1)
            value |= (byte & 127) << shift
            if byte < 128:
                return value - (1 << shift + 7) if signed and byte & 64 else value
        raise ValueError("a number in the line table is too long")

    def string(self) -> str:
        """Return the next text, which ends with a zero byte."""
        stop = self.content.find(b"\0", self.at, min(self.end, self.at + MAX_STRING))
        if stop < 0:
            raise ValueError("a file name in the line table is too long")
        self.at, start = stop + 1, self.at
        return self.content[start:stop].decode("utf-8", "replace")


def read_lines(sections: dict[str, bytes], byte_order: Literal["big", "little"]) -> LineTable:
    """Decode the section .debug_line; without it the table is empty.

    sections    name -> contents: .debug_line, and .debug_str and .debug_line_str if it refers to them
    byte_order  "big" or "little"
    Errors      ValueError with the reason
    """
    content = sections.get(".debug_line", b"")
    if len(content) > MAX_BYTES:
        raise ValueError(f"the line table is longer than {MAX_BYTES} bytes")
    rows: list[Row] = []
    ends: list[int] = []
    start = 0
    while start < len(content):
        head = ByteReader(content, start, len(content), byte_order)
        length = head.fixed(4)
        if length >= 0xFFFFFFF0:
            raise ValueError("the line table is in 64-bit form")
        program = ByteReader(content, head.at, head.at + length, byte_order)
        _run_program(program, sections, rows, ends)
        start = program.end
    return LineTable(rows, ends)


def _run_program(r: ByteReader, sections: dict[str, bytes], rows: list[Row], ends: list[int]) -> None:
    """Run the line program of one compilation unit and append its rows."""
    version = r.fixed(2)
    if not 2 <= version <= 5:
        raise ValueError(f"the line table has version {version}; allowed 2..5")
    if version == 5:
        r.bytes(2)  # sizes of an address and of a segment selector
    header_length = r.fixed(4)
    code = ByteReader(r.content, r.at + header_length, r.end, r.byte_order)
    r = ByteReader(r.content, r.at, code.at, r.byte_order)
    step = r.fixed(1)
    if version >= 4:
        r.bytes(1)  # operations per instruction: 1 but on VLIW
    r.bytes(1)  # default of is_stmt
    line_base = (r.fixed(1) ^ 128) - 128
    line_range, opcode_base = r.fixed(1), r.fixed(1)
    if not line_range or not opcode_base:
        raise ValueError("the header of the line table is damaged")
    operands = [0, *r.bytes(opcode_base - 1)]
    files = _files(r, sections) if version == 5 else _old_files(r)

    address, file, line = 0, 1, 1

    def row() -> None:
        if len(rows) >= MAX_ROWS:
            raise ValueError(f"the line table has more than {MAX_ROWS} rows")
        name = files[file] if 0 <= file < len(files) else "?"
        rows.append((address & 0xFFFFFFFF, name, line & 0x7FFFFFFF))

    while code.at < code.end:
        opcode = code.fixed(1)
        if opcode >= opcode_base:
            advance, turn = divmod(opcode - opcode_base, line_range)
            address += advance * step
            line += line_base + turn
            row()
        elif opcode == 0:
            size = code.number()
            extended = ByteReader(code.content, code.at, min(code.at + size, code.end), code.byte_order)
            code.bytes(size)
            kind = extended.fixed(1)
            if kind == _END_SEQUENCE:
                ends.append(address & 0xFFFFFFFF)
                address, file, line = 0, 1, 1
            elif kind == _SET_ADDRESS:
                address = extended.fixed(min(size - 1, 8))
        elif opcode == _COPY:
            row()
        elif opcode == _ADVANCE_PC:
            address += code.number() * step
        elif opcode == _ADVANCE_LINE:
            line += code.number(signed=True)
        elif opcode == _SET_FILE:
            file = code.number()
        elif opcode == _CONST_ADD_PC:
            address += (255 - opcode_base) // line_range * step
        elif opcode == _FIXED_ADVANCE_PC:
            address += code.fixed(2)
        else:  # of no use here, or unknown: the header says how many numbers follow
            for _ in range(operands[opcode]):
                code.number()


def _old_files(r: ByteReader) -> list[str]:
    """Return the file names of a header of version 2..4; number 0 stands for none."""
    files = ["?"]
    while r.string():
        pass
    while name := r.string():
        if len(files) >= MAX_FILES:
            raise ValueError(f"the line table names more than {MAX_FILES} files")
        files.append(name)
        for _ in range(3):  # folder, time, size
            r.number()
    return files


def _files(r: ByteReader, sections: dict[str, bytes]) -> list[str]:
    """Return the file names of a header of version 5."""
    _entries(r, sections)
    return _entries(r, sections)


def _entries(r: ByteReader, sections: dict[str, bytes]) -> list[str]:
    formats = [(r.number(), r.number()) for _ in range(r.fixed(1))]
    count = r.number()
    if count > MAX_FILES or (count and not formats):
        raise ValueError(f"the line table names more than {MAX_FILES} files, or none it describes")
    names = []
    for _ in range(count):
        name = "?"
        for content, form in formats:
            value = _form(r, form, sections)
            if content == _PATH and isinstance(value, str):
                name = value
        names.append(name)
    return names


def _form(r: ByteReader, form: int, sections: dict[str, bytes]) -> str | int | bytes:
    """Return one value of a version 5 entry."""
    if form == _STRING:
        return r.string()
    if form in (_STRP, _LINE_STRP):
        texts = sections.get(".debug_str" if form == _STRP else ".debug_line_str", b"")
        return ByteReader(texts, r.fixed(4), len(texts), r.byte_order).string()
    if form == _UDATA:
        return r.number()
    if form == _BLOCK:
        return r.bytes(r.number())
    if form in _FIXED_FORMS:
        return r.bytes(_FIXED_FORMS[form])
    raise ValueError(f"the line table uses form {form:#x}")
