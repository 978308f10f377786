"""Reads variables of a program by their symbols, as the memory of its machine holds them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .symbols import Symbol

MAX_ENTRIES = 1 << 16  # of a column, whatever the program says
KINDS = {"u": "u", "s": "i"}  # first letter of a column's type -> NumPy's


class MemoryReader:
    """Memory seen through a symbol table.

    memory   uint8[2**24], a view
    symbols  of the image
    is_big   the byte order
    """

    def __init__(self, memory: np.ndarray, symbols: Mapping[str, Symbol], *, is_big: bool) -> None:
        self._memory, self._symbols, self._order = memory, symbols, ">" if is_big else "<"

    def _find(self, name: str) -> Symbol:
        if name not in self._symbols:
            raise ValueError(f"symbol {name!r}: not in the image")
        return self._symbols[name]

    def column(self, symbol: str, offset: int, stride: int, type: str, count: int) -> np.ndarray:
        """Return entries at symbol + offset + i * stride: `count` of them, or as many as lie inside the symbol
        and are not more than MAX_ENTRIES.

        type     u8, s8, u16, s16, u32 or s32, in the byte order of the CPU
        count    0 or more
        Errors   ValueError for a symbol that is not in the image
        """
        found, width = self._find(symbol), int(type[1:]) // 8
        capacity = (found.size - offset - width) // stride + 1
        return self.entries(
            found.address + offset + stride * np.arange(max(0, min(count, capacity, MAX_ENTRIES))), type
        )

    def entries(self, addresses: np.ndarray, type: str) -> np.ndarray:
        """Return what lies at some addresses, int[...] of their shape; they wrap at 24 bits."""
        width = int(type[1:]) // 8
        every = np.asarray(addresses, np.int64)[..., None] + np.arange(width)
        return self._memory[every % len(self._memory)].view(f"{self._order}{KINDS[type[0]]}{width}")[..., 0]

    def capacity(self, symbol: str, stride: int) -> int:
        """Return how many entries of `stride` bytes lie inside a symbol. Errors: ValueError if it is not there."""
        return self._find(symbol).size // stride
