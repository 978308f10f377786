"""The alternative that Moertel 1994 argues against: one unshifted grid, each sector together with its neighbours.

There are three readings of "together with". The article's formula takes all nine sectors as one list and tests every
pair of it: L(L-1)/2 tests with L = 9K. But only pairs with an object in the middle sector need a test: K(K-1)/2 + 8K^2.
And each pair of neighbours meets twice that way, so half of the neighbours are enough: K(K-1)/2 + 4K^2.
"""

from __future__ import annotations

import numpy as np

from retrosim.jit import kernel

from .overlap import box_of, is_overlap, note_hit
from .sector_grid import COLUMNS, END, ROWS, SECTORS, first_of, next_of, place

# Column and row of a neighbour, relative; the first four come after the sector itself, column by column.
NEIGHBOURS = ((0, 1), (1, -1), (1, 0), (1, 1), (0, -1), (-1, 1), (-1, 0), (-1, -1))


@kernel
def scan_neighbours(boxes, is_16_bit, work, flags, reports, tally, neighbours):
    """Test each sector's objects among themselves, then against those of its first `neighbours` neighbours.

    neighbours  int  4 or 8, how many of NEIGHBOURS
    The other arguments and the result are those of `scan_four_shifts`.
    """
    x, y, width, height = boxes
    heads = work[:SECTORS]
    links = work[SECTORS:]
    place(x, y, 0, 0, heads, links)
    total = 0
    for column in range(COLUMNS):
        for row in range(ROWS):
            sector = np.uint64(column * ROWS + row)
            tests = 0
            a = first_of(heads, sector, len(x))
            while a != END:
                b = next_of(links, a)
                while b != END:
                    tests += 1
                    if is_overlap(box_of(x, y, width, height, a), box_of(x, y, width, height, b), is_16_bit):
                        total = note_hit(flags, reports, total, a, b)
                    b = next_of(links, b)
                for n in range(neighbours):
                    near_column = column + NEIGHBOURS[n][0]
                    near_row = row + NEIGHBOURS[n][1]
                    if 0 <= near_column < COLUMNS and 0 <= near_row < ROWS:
                        b = first_of(heads, np.uint64(near_column * ROWS + near_row), len(x))
                        while b != END:
                            tests += 1
                            if is_overlap(box_of(x, y, width, height, a), box_of(x, y, width, height, b), is_16_bit):
                                total = note_hit(flags, reports, total, a, b)
                            b = next_of(links, b)
                a = next_of(links, a)
            tally[sector] += tests
    return total


@kernel
def scan_nine(boxes, is_16_bit, work, flags, reports, tally):
    """Gather each sector and its eight neighbours into one list, and test every pair of the list.

    Sectors without objects of their own are skipped. The arguments and the result are those of `scan_four_shifts`.
    """
    x, y, width, height = boxes
    count = len(x)
    heads = work[:SECTORS]
    links = work[SECTORS : SECTORS + count]
    gathered = np.empty(count, np.uint32)
    place(x, y, 0, 0, heads, links)
    total = 0
    for column in range(COLUMNS):
        for row in range(ROWS):
            sector = np.uint64(column * ROWS + row)
            if first_of(heads, sector, count) == END:
                continue
            length = 0
            for near_column in range(max(column - 1, 0), min(column + 2, COLUMNS)):
                for near_row in range(max(row - 1, 0), min(row + 2, ROWS)):
                    o = first_of(heads, np.uint64(near_column * ROWS + near_row), count)
                    while o != END and length < count:
                        gathered[length] = o
                        length += 1
                        o = next_of(links, o)
            for i in range(length):
                a = gathered[i]
                for j in range(i + 1, length):
                    b = gathered[j]
                    if is_overlap(box_of(x, y, width, height, a), box_of(x, y, width, height, b), is_16_bit):
                        total = note_hit(flags, reports, total, a, b)
                tally[sector] += length - 1 - i
    return total
