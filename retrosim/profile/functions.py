"""Which function an address lies in, for many addresses at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retrosim.rom.symbols import SymbolTable

NO_FUNCTION = -1


class Functions:
    """The functions of an image, numbered by address; what lies outside all of them is NO_FUNCTION.

    names    of the functions
    starts   their first addresses
    """

    def __init__(self, symbols: SymbolTable) -> None:
        ranges = symbols.ranges()
        self.names = [name for _, _, name in ranges]
        self.starts = [start for start, _, _ in ranges]
        marks = {0: NO_FUNCTION}
        for number, (start, end, _) in enumerate(ranges):
            marks[start] = number
            if (
                end is not None
                and end not in self.starts
                and (number + 1 == len(ranges) or end < ranges[number + 1][0])
            ):
                marks[end] = NO_FUNCTION
        ordered = sorted(marks.items())
        self._addresses = np.array([address for address, _ in ordered], np.int64)
        self._numbers = np.array([number for _, number in ordered], np.int64)

    def numbers(self, addresses: np.ndarray | Sequence[int]) -> np.ndarray:
        """Return int64[n], the number of the function that each address lies in."""
        return self._numbers[np.searchsorted(self._addresses, np.asarray(addresses, np.int64), "right") - 1]

    def number(self, address: int) -> int:
        """Return the number of the function that an address lies in."""
        return int(self._numbers[np.searchsorted(self._addresses, address, "right") - 1])

    def entry(self, number: int, address: int) -> int:
        """Return what a call is known by: the function's first address, or where it went outside all functions."""
        return address if number == NO_FUNCTION else self.starts[number]
