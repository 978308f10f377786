"""Writes files in the form of github.com/SingleStepTests/m68000, v1, as its README and ours describe it."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass, field

Cells = list[tuple[int, int]]


@dataclass
class Test:
    """One test as the file holds it: 19 registers, two prefetched words, memory, and a log of the bus."""

    __test__ = False  # not one for pytest

    name: str
    before: list[int]
    after: list[int]
    ram: Cells
    out: Cells
    cycles: int
    transactions: list[tuple[int, ...]] = field(default_factory=lambda: [(2, 4, 6, 0x1000, 1, 0), (0, 2)])


def block(magic: int, content: bytes) -> bytes:
    """Return a block: its size, its magic number, its content."""
    return struct.pack("<II", len(content) + 8, magic) + content


def _state(registers: list[int], cells: Cells) -> bytes:
    memory = b"".join(struct.pack("<IH", *cell) for cell in cells)
    return block(0x01234567, struct.pack("<21II", *registers, 0, 0, len(cells)) + memory)


def _test(test: Test) -> bytes:
    name = test.name.encode()
    log = b"".join(struct.pack(f"<B{len(t) - 1}I", *t) for t in test.transactions)
    content = block(0x89ABCDEF, struct.pack("<I", len(name)) + name)
    content += _state(test.before, test.ram) + _state(test.after, test.out)
    content += block(0x456789AB, struct.pack("<II", test.cycles, len(test.transactions)) + log)
    return block(0xABC12367, content)


def upstream_file(tests: Iterable[Test]) -> bytes:
    """Return the bytes of NAME.json.bin."""
    written = [_test(test) for test in tests]
    return struct.pack("<II", 0x1A3F5D71, len(written)) + b"".join(written)
