"""What of a program goes where in memory, whatever format its file has: checked parts become an image's segments.

Programs that may lie anywhere begin at LOAD_ADDRESS, behind the exception vectors; large ones above the stack that a
program starts with. What a program may call and nobody supplies lies in the window from SYSTEM_START to SYSTEM_END: a
run that gets there ends with the name of what was called.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

RAM_FIRST, RAM_END = 0x400, 0x800000  # below: exception vectors; above: video memory
LOAD_ADDRESS, STACK_TOP = 0x2000, 0x100000
STACK_BYTES = 0x10000  # left free below the stack pointer at power-on
SYSTEM_START, SYSTEM_END = 0xE00000, 0xE20000
EXEC_BASE = SYSTEM_START + 0x8000  # what address 4 of an Amiga program points to; its calls lie below
MISSING_START, MISSING_BYTES = SYSTEM_START + 0x10000, 16
MAX_MISSING = (SYSTEM_END - MISSING_START) // MISSING_BYTES


@dataclass(frozen=True)
class Part:
    """A stretch of memory.

    address  of the first byte
    content  bytes from there on
    size     bytes in memory; zeros follow the content
    """

    address: int
    content: bytes
    size: int


def checked(
    parts: Iterable[Part], what: str = "segment", ram: tuple[int, int] = (RAM_FIRST, RAM_END)
) -> tuple[list[tuple[int, bytes]], list[tuple[int, int]]]:
    """Return contents and zeros by address, as an image holds them.

    what    the parts are called in messages
    ram     first address that is allowed, and the first that is not
    Errors  ValueError for a part outside RAM, and for two that overlap
    """
    segments, zeros = [], []
    first, end = ram
    last = first
    for part in sorted(parts, key=lambda part: part.address):
        start, size = part.address, part.size
        if not size:
            continue
        if start < first or start + size > end:
            raise ValueError(f"{what} {start:#x}..{start + size - 1:#x} is not inside RAM {first:#x}..{end - 1:#x}")
        if start < last:
            raise ValueError(f"{what}s overlap at {start:#x}")
        last = start + size
        if part.content:
            segments.append((start, part.content))
        if size > len(part.content):
            zeros.append((start + len(part.content), size - len(part.content)))
    return segments, zeros


def placed(sizes: Sequence[int], align: int = 4, lowest: int = LOAD_ADDRESS) -> list[int]:
    """Return addresses for the parts of a program that may lie anywhere, one behind the other.

    sizes   bytes of each
    align   each begins at a multiple
    lowest  address of the first
    Errors  ValueError for more than RAM holds
    """
    for start, end in ((LOAD_ADDRESS, STACK_TOP - STACK_BYTES), (STACK_TOP, RAM_END)):
        at, found = max(start, lowest), []
        for size in sizes:
            found.append(at)
            at += size + -size % align
        if at <= end:
            return found
    raise ValueError(f"needs {sum(sizes)} bytes of memory, and RAM has {RAM_END - max(STACK_TOP, lowest)} in one piece")
