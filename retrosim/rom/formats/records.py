"""S-records and Intel hex: lines of text that say which bytes lie where.

Layouts: Motorola, M68000 Family Programmer's Reference Manual (1992), appendix C; Intel, Hexadecimal Object File Format
Specification (revision A, 1988).
"""

from __future__ import annotations

from dataclasses import dataclass

from retrosim.reading import digest_of

from ..image import Image, Stretch, checked, family_of

MAX_STRETCHES = 4096  # separate stretches of memory
MAX_LINE = 600  # characters; 255 bytes and what is around them
ADDRESS_BYTES = {b"1": 2, b"2": 3, b"3": 4, b"9": 2, b"8": 3, b"7": 4}  # of an S-record, by its kind
DATA, END, SEGMENT, START_SEGMENT, LINEAR, START_LINEAR = range(6)  # kinds of an Intel record


@dataclass
class Contents:
    """What has been read: stretches of bytes, each behind the one before it as long as that is so."""

    stretches: list[tuple[int, bytearray]]
    entry: int | None = None

    def put(self, address: int, data: bytes) -> None:
        start, last = self.stretches[-1] if self.stretches else (0, bytearray())
        if last and start + len(last) == address:
            last.extend(data)
        elif data:
            if len(self.stretches) >= MAX_STRETCHES:
                raise ValueError(f"has more than {MAX_STRETCHES} separate stretches of memory")
            self.stretches.append((address, bytearray(data)))


def _bytes(digits: bytes, number: int) -> bytes:
    """Return the bytes of a line's hexadecimal digits. Errors: ValueError."""
    try:
        return bytes.fromhex(digits.decode("ascii"))
    except ValueError:
        raise ValueError(f"line {number}: is not hexadecimal digits") from None


def _lines(content: bytes) -> list[tuple[int, bytes]]:
    found = [(number, line.strip()) for number, line in enumerate(content.split(b"\n"), 1)]
    for number, line in found:
        if len(line) > MAX_LINE:
            raise ValueError(f"line {number}: is longer than {MAX_LINE} characters")
    return [(number, line) for number, line in found if line]


def read_srec(content: bytes) -> Contents:
    """Read S-records. Errors: ValueError with the line."""
    memory = Contents([])
    for number, line in _lines(content):
        kind = line[1:2]
        if line[:1] not in b"Ss" or kind not in b"0123456789":
            raise ValueError(f"line {number}: is not an S-record")
        data = _bytes(line[2:], number)
        if not data or data[0] != len(data) - 1:
            raise ValueError(f"line {number}: has another length than it says")
        if sum(data) & 0xFF != 0xFF:
            raise ValueError(f"line {number}: has a wrong checksum")
        size = ADDRESS_BYTES.get(kind)
        if size is None:
            continue
        if len(data) < size + 2:
            raise ValueError(f"line {number}: is too short for its address")
        address = int.from_bytes(data[1 : size + 1], "big")
        if kind in b"123":
            memory.put(address, data[size + 1 : -1])
        elif address:
            memory.entry = address
    return memory


def read_ihex(content: bytes) -> Contents:
    """Read Intel hex. Errors: ValueError with the line."""
    memory, base = Contents([]), 0
    for number, line in _lines(content):
        if line[:1] != b":":
            raise ValueError(f"line {number}: is not an Intel hex record")
        record = _bytes(line[1:], number)
        if len(record) < 5 or record[0] != len(record) - 5:
            raise ValueError(f"line {number}: has another length than it says")
        if sum(record) & 0xFF:
            raise ValueError(f"line {number}: has a wrong checksum")
        kind, offset, data = record[3], int.from_bytes(record[1:3], "big"), record[4:-1]
        if kind > START_LINEAR or (kind > END and len(data) != (2 if kind in (SEGMENT, LINEAR) else 4)):
            raise ValueError(f"line {number}: is a record of kind {kind} and {len(data)} bytes")
        value = int.from_bytes(data, "big")
        if kind == DATA:
            memory.put(base + offset, data)
        elif kind == END:
            break
        elif kind in (SEGMENT, LINEAR):
            base = value << (4 if kind == SEGMENT else 16)
        else:
            memory.entry = value if kind == START_LINEAR else ((value >> 16) << 4) + (value & 0xFFFF)
    return memory


def image_of(content: bytes, contents: Contents, isa: str) -> Image:
    """Return what records say as an image; it begins where they say, else at the lowest address. Errors: ValueError."""
    parts = [Stretch(address, bytes(data), len(data)) for address, data in contents.stretches]
    if not parts:
        raise ValueError("holds no data")
    segments, bss = checked(parts, "data")
    entry = segments[0][0] if contents.entry is None else contents.entry
    unit = family_of(isa).unit
    if entry % unit or not any(start <= entry < start + len(data) for start, data in segments):
        raise ValueError(f"entry {entry:#x} lies outside the data, or is not a multiple of {unit}")
    return Image(isa, "", entry, segments, bss, digest_of(content))
