"""Small scenes of boxes of one size, every pair: 32 SIMD comparisons at once take less time than any sorting.

Corners are copied into 16 bits, once, and checked. What fills the last vector lies far away from all coordinates that
are allowed.
"""

from __future__ import annotations

import numpy as np

from retrosim.jit import Entry, kernel

from .hierarchical_grid import FIRST, NONE
from .sectors import MAX_SIDE
from .simd import ROW, lowest_bit, overlap_bits

LOG2_ROW = ROW.bit_length() - 1
MAX_OBJECTS = 256
FAR_AWAY = -32768
DONE, REFUSED, TOO_LARGE = 0, -1, -2
"""Status: success; a value is wrong; too many objects, or too far away, for these kernels."""
MAX_WORD = 32767
MAX_COORDINATE = MAX_WORD - 64  # more than a box away from FAR_AWAY, even though 16 bits wrap


@kernel
def copy_corners(x, y, max_x, max_y, xs, ys):
    """Copy corners, fill the last vector, and check what was copied. Status: DONE, REFUSED, TOO_LARGE.

    x, y          int16[n] or int32[n]  pixels; as many of both
    max_x, max_y  int                   what they may be at most
    xs, ys        int16[MAX_OBJECTS]    output
    """
    count = len(x)
    if count > MAX_OBJECTS:
        return TOO_LARGE
    if count == 0:
        return DONE
    lowest, highest_x, highest_y = x[0], x[0], y[0]  # all of the coordinates' own type, so that the loop is vectorised
    for i in range(count):
        here_x, here_y = x[np.uint64(i)], y[np.uint64(i)]
        xs[np.uint64(i)] = here_x & MAX_WORD  # what this changes is refused below
        ys[np.uint64(i)] = here_y & MAX_WORD
        lowest = min(lowest, here_x, here_y)
        highest_x = max(highest_x, here_x)
        highest_y = max(highest_y, here_y)
    for i in range(count, (count + ROW - 1) >> LOG2_ROW << LOG2_ROW):
        xs[np.uint64(i)] = FAR_AWAY
        ys[np.uint64(i)] = FAR_AWAY
    if lowest < 0 or highest_x > max_x or highest_y > max_y:
        return REFUSED
    return DONE if max(highest_x, highest_y) <= MAX_COORDINATE else TOO_LARGE


@kernel
def mark_small(xs, ys, count, size, flags):
    """Flag every object that collides.

    xs, ys  int16[MAX_OBJECTS]  what `copy_corners` made, with the status DONE
    count   int                 objects
    size    int                 side of all boxes, pixels
    flags   uint8[n]            output, all of it
    """
    rows = (count + ROW - 1) >> LOG2_ROW
    hits = np.zeros(MAX_OBJECTS // ROW, np.int64)
    for i in range(0, count, 2):  # two at a time share loads and stores
        one, two = np.uint64(i), np.uint64(i + 1)
        one_x, one_y = np.int64(xs[one]), np.int64(ys[one])
        two_x, two_y = np.int64(xs[two]), np.int64(ys[two])
        row, bit = i >> LOG2_ROW, i & (ROW - 1)
        after_one = overlap_bits(xs, ys, row << LOG2_ROW, one_x, one_y, size) & (np.int64(-2) << bit)
        after_two = overlap_bits(xs, ys, row << LOG2_ROW, two_x, two_y, size) & (np.int64(-4) << bit)
        hits[np.uint64(row)] |= after_one | after_two
        for r in range(row + 1, rows):
            near_one = overlap_bits(xs, ys, r << LOG2_ROW, one_x, one_y, size)
            near_two = overlap_bits(xs, ys, r << LOG2_ROW, two_x, two_y, size)
            hits[np.uint64(r)] |= near_one | near_two
            after_one |= near_one
            after_two |= near_two
        hits[np.uint64(row)] |= (np.int64(after_one != 0) | np.int64(after_two != 0) << 1) << bit
    for i in range(count):
        flags[np.uint64(i)] = (hits[np.uint64(i >> LOG2_ROW)] >> (i & (ROW - 1))) & 1


@kernel
def list_small(xs, ys, count, size, rows):
    """List every pair that collides, in ascending order; arguments as for `mark_small`.

    rows     int32[k, 2]  output, lower index first; pairs beyond k rows are only counted
    Returns  int          pairs
    """
    total = 0
    for i in range(count):
        here_x, here_y = np.int64(xs[np.uint64(i)]), np.int64(ys[np.uint64(i)])
        row = i >> LOG2_ROW
        later = np.int64(-2) << (i & (ROW - 1))
        for r in range(row, (count + ROW - 1) >> LOG2_ROW):
            near = overlap_bits(xs, ys, r << LOG2_ROW, here_x, here_y, size) & later
            later = np.int64(-1)
            while near:
                if total < len(rows):
                    rows[np.uint64(total), 0] = i
                    rows[np.uint64(total), 1] = (r << LOG2_ROW) + lowest_bit(near)
                total += 1
                near &= near - 1
    return total


@kernel
def number_small(xs, ys, count, size, wanted, results):
    """Count the objects that each one collides with, or find the lowest of them; arguments as for `mark_small`.

    wanted   int       COUNTS or FIRST of `hierarchical_grid`
    results  int32[n]  output
    """
    for i in range(count):
        here_x, here_y = np.int64(xs[np.uint64(i)]), np.int64(ys[np.uint64(i)])
        own, found, lowest = i >> LOG2_ROW, 0, NONE
        for r in range(((count + ROW - 1) >> LOG2_ROW) - 1, -1, -1):
            near = overlap_bits(xs, ys, r << LOG2_ROW, here_x, here_y, size)
            if r == own:
                near &= ~(np.int64(1) << (i & (ROW - 1)))
            if wanted == FIRST:
                lowest = (r << LOG2_ROW) + lowest_bit(near) if near else lowest
            else:
                while near:
                    found += 1
                    near &= near - 1
        results[np.uint64(i)] = lowest if wanted == FIRST else found


@kernel
def check_and_mark(x, y, size, max_x, max_y, flags):
    """Do what `mark_small` does, after a check of all values. Status: see `copy_corners`."""
    if len(x) != len(y) or len(x) != len(flags) or not 1 <= size <= MAX_SIDE:
        return REFUSED
    xs, ys = np.empty(MAX_OBJECTS, np.int16), np.empty(MAX_OBJECTS, np.int16)
    status = copy_corners(x, y, max_x, max_y, xs, ys)
    if status == DONE:
        mark_small(xs, ys, len(x), size, flags)
    return status


@kernel
def check_and_list(x, y, size, max_x, max_y, rows):
    """Do what `list_small` does, after a check of all values.

    Returns  int  pairs, or a status below 0, see `copy_corners`
    """
    if len(x) != len(y) or rows.shape[1] != 2 or not 1 <= size <= MAX_SIDE:
        return REFUSED
    xs, ys = np.empty(MAX_OBJECTS, np.int16), np.empty(MAX_OBJECTS, np.int16)
    status = copy_corners(x, y, max_x, max_y, xs, ys)
    return list_small(xs, ys, len(x), size, rows) if status == DONE else status


@kernel
def check_and_number(x, y, size, max_x, max_y, wanted, results):
    """Do what `number_small` does, after a check of all values. Status: see `copy_corners`."""
    if len(x) != len(y) or len(x) != len(results) or not 1 <= size <= MAX_SIDE:
        return REFUSED
    xs, ys = np.empty(MAX_OBJECTS, np.int16), np.empty(MAX_OBJECTS, np.int16)
    status = copy_corners(x, y, max_x, max_y, xs, ys)
    if status == DONE:
        number_small(xs, ys, len(x), size, wanted, results)
    return status


MARK, LIST, NUMBER = Entry(check_and_mark), Entry(check_and_list), Entry(check_and_number)
