"""Which uses of memory are plain hits of a data cache, by address: what subroutines that look up lines have found.

For each address there is a byte, with a bit for each size of an aligned access that begins there: READS for loads,
WRITES for stores. While a bit is 1, such an access finds its line, which is complete, and changes nothing but what the
model says. So an engine need not look the line up. Where a bit is 0, it has to. One more bit, PRESENT, is for caches in
which only the line of a set that was used last has plain hits: such an access finds its line, which is complete, and
makes it that line.

The bits are no part of the simulated machine. Code that changes what they depend on in a cache clears them; all of them
are cleared when the host has replaced the state (Core.check_hits).
"""

from __future__ import annotations

from typing import Any

from .values import Word

FIELD = "hits"  # of the state: tells Core.check_hits whether the bits belong to it
WRITE_SHIFT = 3  # from the bit of a load to that of a store
READS = int.from_bytes(bytes([7, 1, 3, 1] * 2), "little")  # of eight addresses: the sizes that are aligned there
WRITES = READS << WRITE_SHIFT
PRESENT = int.from_bytes(bytes([1 << 6] * 8), "little")
SIZES = (1, 2, 4)  # bytes of an access


def is_hit(m: Any, address: Word, size: int, write: bool) -> Word:
    """Tell whether an access is a plain hit for certain.

    address  anywhere in memory, or within a KB of it
    size     of SIZES
    """
    return (m.hits_at(address, 8) & (size << WRITE_SHIFT if write else size)).ne(0)


def is_line_hit(m: Any, address: Word, write: bool) -> Word:
    """Tell whether aligned accesses within the line, or sector, that begins at an address are."""
    return is_hit(m, address, 1, write)


def add_hits(m: Any, address: Word, length: int, hits: int) -> None:
    """Note that accesses to `length` bytes from an address on are plain hits; both are multiples of 8."""
    for place in _places(address, length):
        m.set_hits(place, m.hits_at(place, 64) | hits)


def put_hits(m: Any, address: Word, length: int, hits: Word) -> None:
    """Note that just these accesses are certain there; 64 bits, for each eight addresses the same."""
    for place in _places(address, length):
        m.set_hits(place, hits)


def keep_presence(m: Any, address: Word, length: int) -> None:
    """Note that accesses there are no plain hits any more; what was PRESENT still is."""
    for place in _places(address, length):
        m.set_hits(place, m.hits_at(place, 64) & PRESENT)


def clear_hits(m: Any, address: Word, length: int) -> None:
    """Note that nothing is certain there any more."""
    put_hits(m, address, length, m.const(64, 0))


def is_present(m: Any, address: Word) -> Word:
    """Tell whether the line at an address is there and complete for certain."""
    return (m.hits_at(address, 8) & (PRESENT & 0xFF)).ne(0)


def _places(address: Word, length: int) -> list[Word]:
    return [address + offset for offset in range(0, length, 8)]
