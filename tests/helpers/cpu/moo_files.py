"""Files of single-instruction tests in the MOO format, written for tests from what is known of them."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

from moo import MooTest

CODES = {14: (b"REGS", b"RMSK", 2), 20: (b"RG32", b"RM32", 4)}


def chunk(name: bytes, content: bytes) -> bytes:
    """Return a chunk."""
    return name + struct.pack("<I", len(content)) + content


def registers(values: dict[int, int], width: int) -> bytes:
    """Return the content of a list of registers, or of masks, by number."""
    listed = sum(1 << n for n in values)
    return listed.to_bytes(width, "little") + b"".join(values[n].to_bytes(width, "little") for n in sorted(values))


def state(test: MooTest, is_before: bool) -> bytes:
    """Return the content of INIT or FINA."""
    name, mask_name, width = CODES[len(test.before)]
    values = test.before if is_before else test.after
    chosen = {n: v for n, v in enumerate(values) if is_before or v != test.before[n]}
    cells = test.ram if is_before else test.out
    memory = struct.pack("<I", len(cells)) + b"".join(struct.pack("<IB", *cell) for cell in cells)
    masks = {n: mask for n, mask in enumerate(test.masks) if mask != (1 << 8 * width) - 1}
    shown = b"" if is_before or not masks else chunk(mask_name, registers(masks, width))
    return chunk(name, registers(chosen, width)) + shown + chunk(b"RAM ", memory) + chunk(b"QUEU", bytes(4))


def packed(cpu: str, tests: list[MooTest]) -> bytes:
    """Return a file of tests, as it is before compression."""
    parts = [chunk(b"MOO ", struct.pack("<BBHI4s", 1, 1, 0, len(tests), cpu.encode().ljust(4)))]
    parts.append(chunk(b"META", bytes(36)))
    for test in tests:
        inner = [
            chunk(b"NAME", struct.pack("<I", 3) + b"???"),
            chunk(b"BYTS", struct.pack("<I", len(test.code)) + test.code),
            chunk(b"INIT", state(test, True)),
            chunk(b"FINA", state(test, False)),
            chunk(b"CYCL", struct.pack("<I", test.clocks) + bytes(15 * test.clocks)),
        ]
        if test.exception is not None:
            inner.append(chunk(b"EXCP", struct.pack("<BI", test.exception, test.flags_at)))
        inner.append(chunk(b"HASH", bytes.fromhex(test.digest)))
        parts.append(chunk(b"TEST", struct.pack("<I", test.index) + b"".join(inner)))
    return b"".join(parts)


def write(path: Path, cpu: str, tests: list[MooTest]) -> Path:
    """Write a file, compressed where its name says so; return its path."""
    data = packed(cpu, tests)
    path.write_bytes(gzip.compress(data, 1) if path.suffix == ".gz" else data)
    return path
