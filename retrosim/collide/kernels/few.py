"""A few boxes, every pair: 32 comparisons at once are sooner done than any sorting.

Corners are copied into 16 bits. What fills the last vector lies far from all that is allowed.
"""

from __future__ import annotations

import numpy as np

from retrosim.collide.kernels.grid import LARGEST_SIDE
from retrosim.collide.kernels.lanes import LANES, lowest_bit, near_lanes
from retrosim.jit import Ready, kernel

ROW = LANES[16]
LOG2_ROW = ROW.bit_length() - 1
MOST_FEW = 256  # objects
NOWHERE = -32768
FARTHEST_FEW = 32767 - 64  # more than any box away from NOWHERE, round the corner of 16 bits
DONE, REFUSED, OUTSIDE = 0, -1, -2


@kernel
def status_of(x, y, rightmost, lowest, size):
    """Check values: DONE, REFUSED for a wrong number of objects or a wrong side, OUTSIDE - i if object i is outside."""
    count = len(x)
    if count > MOST_FEW or count != len(y) or not 1 <= size <= LARGEST_SIDE:
        return REFUSED
    if count == 0:
        return DONE
    least, most_x, most_y = x[0], x[0], y[0]  # all of the coordinates' own type, so that vectors are full of them
    for i in range(count):
        here_x, here_y = x[np.uint64(i)], y[np.uint64(i)]
        least = min(least, here_x, here_y)
        most_x = max(most_x, here_x)
        most_y = max(most_y, here_y)
    if least < 0 or most_x > rightmost or most_y > lowest:
        for i in range(count):
            if not (0 <= x[i] <= rightmost and 0 <= y[i] <= lowest):
                return OUTSIDE - i
    return DONE


@kernel
def copy_few(x, y, xs, ys):
    """Copy corners, and fill the last vector.

    x, y    int16[n] or int32[n]  pixels, 0..FARTHEST_FEW; n <= MOST_FEW
    xs, ys  int16[MOST_FEW]       output
    """
    count = len(x)
    for i in range(count):
        xs[np.uint64(i)] = x[np.uint64(i)]
        ys[np.uint64(i)] = y[np.uint64(i)]
    for i in range(count, (count + ROW - 1) >> LOG2_ROW << LOG2_ROW):
        xs[np.uint64(i)] = NOWHERE
        ys[np.uint64(i)] = NOWHERE


@kernel
def mark_few(x, y, size, flags):
    """Flag every object that collides.

    x, y    int16[n] or int32[n]  upper-left corners, pixels, 0..FARTHEST_FEW; n <= MOST_FEW
    size    int                   side of all boxes, pixels
    flags   uint8[n]              output, all of it
    """
    count = len(x)
    rows = (count + ROW - 1) >> LOG2_ROW
    xs, ys, hits = np.empty(MOST_FEW, np.int16), np.empty(MOST_FEW, np.int16), np.zeros(MOST_FEW // ROW, np.int64)
    copy_few(x, y, xs, ys)
    for i in range(0, count, 2):  # two at a time share loads and stores
        one, two = np.uint64(i), np.uint64(i + 1)
        one_x, one_y = np.int64(xs[one]), np.int64(ys[one])
        two_x, two_y = np.int64(xs[two]), np.int64(ys[two])
        row, bit = i >> LOG2_ROW, i & (ROW - 1)
        after_one = near_lanes(xs, ys, row << LOG2_ROW, one_x, one_y, size) & (np.int64(-2) << bit)
        after_two = near_lanes(xs, ys, row << LOG2_ROW, two_x, two_y, size) & (np.int64(-4) << bit)
        hits[np.uint64(row)] |= after_one | after_two
        for r in range(row + 1, rows):
            near_one = near_lanes(xs, ys, r << LOG2_ROW, one_x, one_y, size)
            near_two = near_lanes(xs, ys, r << LOG2_ROW, two_x, two_y, size)
            hits[np.uint64(r)] |= near_one | near_two
            after_one |= near_one
            after_two |= near_two
        hits[np.uint64(row)] |= (np.int64(after_one != 0) | np.int64(after_two != 0) << 1) << bit
    for i in range(count):
        flags[np.uint64(i)] = (hits[np.uint64(i >> LOG2_ROW)] >> (i & (ROW - 1))) & 1


@kernel
def list_few(x, y, size, rows):
    """List every pair that collides, in ascending order; see `mark_few`.

    rows     int32[k, 2]  output, lower index first; pairs beyond k rows are only counted
    Returns  int          pairs
    """
    count, total = len(x), 0
    xs, ys = np.empty(MOST_FEW, np.int16), np.empty(MOST_FEW, np.int16)
    copy_few(x, y, xs, ys)
    for i in range(count):
        here_x, here_y = np.int64(xs[np.uint64(i)]), np.int64(ys[np.uint64(i)])
        row = i >> LOG2_ROW
        keep = np.int64(-2) << (i & (ROW - 1))
        for r in range(row, (count + ROW - 1) >> LOG2_ROW):
            near = near_lanes(xs, ys, r << LOG2_ROW, here_x, here_y, size) & keep
            keep = np.int64(-1)
            while near:
                if total < len(rows):
                    rows[np.uint64(total), 0] = i
                    rows[np.uint64(total), 1] = (r << LOG2_ROW) + lowest_bit(near)
                total += 1
                near &= near - 1
    return total


@kernel
def mark_checked(x, y, rightmost, lowest, size, flags):
    """Do what `mark_few` does, after a check of all values; corners must be in 0..rightmost, 0..lowest.

    Status   int  see `status_of`
    """
    status = status_of(x, y, rightmost, lowest, size)
    if status == DONE and len(flags) != len(x):
        status = REFUSED
    if status == DONE:
        mark_few(x, y, size, flags)
    return status


@kernel
def list_checked(x, y, rightmost, lowest, size, rows):
    """Do what `list_few` does, after a check of all values; corners must be in 0..rightmost, 0..lowest.

    Returns  int  pairs, or a status below 0, see `status_of`
    """
    status = status_of(x, y, rightmost, lowest, size)
    if status == DONE and rows.shape[1] != 2:
        status = REFUSED
    return list_few(x, y, size, rows) if status == DONE else status


MARK_FEW, LIST_FEW = Ready(mark_checked), Ready(list_checked)
