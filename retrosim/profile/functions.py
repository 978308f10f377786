"""Which function an address lies in."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise

import numpy as np

from retrosim.rom.symbols import SymbolTable

NO_FUNCTION = -1


class Functions:
    """The functions of an image, numbered by address; what lies outside all of them is NO_FUNCTION.

    names    of the functions
    starts   int64[functions + 1], their first addresses
    places   int64[n], sorted addresses from which on another function, or none, begins; the first is 0
    numbers  int64[n], of the functions there
    """

    def __init__(self, symbols: SymbolTable) -> None:
        ranges = symbols.ranges()
        self.names = [name for _, _, name in ranges]
        self.starts = np.array([*(start for start, _, _ in ranges), 0], np.int64)
        marks = {end: NO_FUNCTION for _, end, _ in ranges if end is not None}
        marks = {0: NO_FUNCTION, **marks} | {start: number for number, (start, _, _) in enumerate(ranges)}
        for (_, end, _), (following, _, _) in pairwise(ranges):
            if end is not None and end > following:
                marks.pop(end, None)  # overlaps the next one, which has the address
        self._marks = dict(sorted(marks.items()))
        self.places = np.array(list(self._marks), np.int64)
        self.numbers = np.array(list(self._marks.values()), np.int64)
        self._places = list(self._marks)

    def at(self, address: int) -> int:
        """Return the number of the function that an address lies in."""
        return self._marks[self._places[bisect_right(self._places, address) - 1]]
