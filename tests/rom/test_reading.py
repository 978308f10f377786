"""Counts that a program writes do not decide how much is read."""

from __future__ import annotations

import numpy as np

from retrosim.rom import Symbol
from retrosim.rom.reading import MAX_ENTRIES, MemoryReader


def test_counts_lie_inside_symbols_and_bounds() -> None:
    memory = np.arange(1 << 24, dtype=np.uint32).astype(np.uint8)
    reader = MemoryReader(memory, {"few": Symbol(8, 6, "object"), "all": Symbol(0, 1 << 23, "object")}, is_big=True)
    assert reader.column("few", 0, 2, "u8", 2**32 - 1).tolist() == [8, 10, 12]
    assert reader.column("few", 5, 2, "u16", 9).tolist() == []
    assert len(reader.column("all", 0, 1, "u8", 2**32 - 1)) == MAX_ENTRIES
