"""The kernels of `retrosim.collide.plane`: objects sorted into strips, strips into cells, cells compared.

A strip is 1 << log2_cell pixels wide, a cell as high; both are at least as large as a box. An object is one word of 64
bits: y, x and its number, from the top down. What overlaps an object is in its own cell and the eight around it: in
three runs of neighbours, since the cells of a strip lie one after the other. A run rarely has more than ROW objects, so
it is compared by one vector, whatever its length: those after its end are just as real, and too far away to overlap.
For flags all three runs are looked at; then an object's flag is known at once and written once. For pairs it is the
rest of its own run and the run to the right; of their hits, ROUNDS are written down without asking whether they are
any, and the count moves on only by those that are, which costs less than branches that cannot be predicted.
"""

from __future__ import annotations

import numpy as np

from retrosim.collide.kernels.lanes import LANES, lowest_bit, near_lanes
from retrosim.jit import kernel

PLACE_BITS, INDEX_BITS = 20, 22  # of x and of y, and of an object's number
X_SHIFT, Y_SHIFT = INDEX_BITS, INDEX_BITS + PLACE_BITS
PLACE_MASK, INDEX_MASK = (1 << PLACE_BITS) - 1, (1 << INDEX_BITS) - 1
LOG2_CELL = 5
ROW = LANES[32]
LAST = 1 << (2 * ROW - 1)  # a bit for `lowest_bit` to find in any case
ROUNDS = 3
NOWHERE = -(1 << 28)


@kernel
def farthest(values):
    """Return the largest entry, or -1 if there is none or any is negative."""
    most, signs = -1, 0
    for i in range(len(values)):
        value = int(values[i])
        most = max(most, value)
        signs |= value
    return most if signs >= 0 else -1


@kernel
def plan_strips(x, y):
    """Choose strips and cells.

    x, y     int16[n] or int32[n]  upper-left corners, pixels
    Returns  int, int, int         strips, cells in each, log2 of the side of both; no strips if a corner lies outside
                                   0..PLACE_MASK
    """
    far_x, far_y = farthest(x), farthest(y)
    if len(x) == 0:
        return 1, 1, LOG2_CELL
    if far_x < 0 or far_y < 0 or far_x > PLACE_MASK or far_y > PLACE_MASK:
        return 0, 0, 0
    log2 = LOG2_CELL
    while ((far_x >> log2) + 1) * ((far_y >> log2) + 1) > 8 * len(x) + 1024:  # a sparse plane has larger cells
        log2 += 1
    return (far_x >> log2) + 1, (far_y >> log2) + 1, log2


@kernel
def count_strips(x, begin, end, log2_cell, counts):
    """Add the objects begin..end - 1 to the count of their strips.

    x       int16[n] or int32[n]  pixels, not negative
    counts  int32[columns]        added to
    """
    for i in range(begin, end):
        counts[np.uint64(int(x[np.uint64(i)]) >> log2_cell)] += 1


@kernel
def begin_strips(counts, strips):
    """Turn counts into the places where each thread's part of each strip begins.

    counts  int32[threads, columns]  changed
    strips  int32[columns + 1]       output: where each strip begins, and the number of objects
    """
    total = 0
    for s in range(counts.shape[1]):
        strips[s] = total
        for t in range(counts.shape[0]):
            count = counts[t, s]
            counts[t, s] = total
            total += count
    strips[counts.shape[1]] = total


@kernel
def fill_strips(x, y, begin, end, log2_cell, cursors, words):
    """Write the objects begin..end - 1 as words into their strips.

    cursors  int32[columns]  where the next object of each strip goes; advanced
    words    int64[n]        output
    """
    for i in range(begin, end):
        at_x = int(x[np.uint64(i)])
        strip = np.uint64(at_x >> log2_cell)
        to = cursors[strip]
        cursors[strip] = to + 1
        words[np.uint64(to)] = (int(y[np.uint64(i)]) << Y_SHIFT) | (at_x << X_SHIFT) | i


@kernel
def load_strip(words, begin, end, log2_cell, here, starts, xs, ys, indices):
    """Sort a strip into its cells.

    words            int64[n]          the strip is begin..end - 1
    here             int               where it goes in xs, ys and indices
    starts           int32[cells + 3]  output: cell c is here + starts[c + 1]..starts[c + 2] - 1, with an empty cell on
                                       either side of the real ones
    xs, ys, indices  int32[m]          output: corners and numbers, cell by cell; after the last, a vector of nowhere
    """
    starts[:] = 0
    shift = Y_SHIFT + log2_cell
    for w in range(begin, end):
        starts[np.uint64((words[np.uint64(w)] >> shift) + 3)] += 1
    total = 0
    for c in range(len(starts)):
        total += starts[c]
        starts[c] = total
    for w in range(begin, end):
        word = words[np.uint64(w)]
        cell = np.uint64((word >> shift) + 2)
        to = np.uint64(here + starts[cell])
        starts[cell] += 1
        xs[to] = (word >> X_SHIFT) & PLACE_MASK
        ys[to] = word >> Y_SHIFT
        indices[to] = word & INDEX_MASK
    for k in range(here + total, here + total + ROW):
        xs[np.uint64(k)] = NOWHERE


@kernel
def is_near(xs, ys, begin, end, x, y, size, others):
    """Tell whether more than `others` of the objects begin..end - 1, and those after them in the strip, overlap one."""
    for at in range(begin, end, ROW):
        near = near_lanes(xs, ys, at, x, y, size)
        while near:
            if others == 0:
                return True
            others -= 1
            near &= near - 1
    return False


@kernel
def mark_strip(lefts, left, heres, here, rights, right, count, log2_cell, size, xs, ys, indices, flags):
    """Flag the objects of a strip that collide with each other or with those of the strips beside it.

    lefts, heres, rights  int32[cells + 3]  where the cells of the three strips start, see `load_strip`
    left, here, right     int               where the strips begin in xs, ys and indices
    count                 int               objects of the strip
    flags                 uint8[n]          output, for all of them
    """
    for i in range(here, here + count):
        x, y = np.int64(xs[np.uint64(i)]), np.int64(ys[np.uint64(i)])
        above = np.uint64(y >> log2_cell)
        below = above + np.uint64(3)
        a, b, c = left + lefts[above], here + heres[above], right + rights[above]
        near = near_lanes(xs, ys, b, x, y, size)
        near &= near - 1  # one of them is the object itself
        near |= near_lanes(xs, ys, a, x, y, size) | near_lanes(xs, ys, c, x, y, size)
        a_end, b_end, c_end = left + lefts[below], here + heres[below], right + rights[below]
        if (ROW - (a_end - a)) | (ROW - (b_end - b)) | (ROW - (c_end - c)) < 0 and near == 0:  # crowded
            near = (
                is_near(xs, ys, b, b_end, x, y, size, 1)
                or is_near(xs, ys, a, a_end, x, y, size, 0)
                or is_near(xs, ys, c, c_end, x, y, size, 0)
            )
        flags[np.uint64(indices[np.uint64(i)])] = near != 0


@kernel
def list_near(near, i, first, second, indices, keys, total):
    """List the pairs of the object at place i that two vectors of comparisons have found.

    near           int       ROW bits for the places from `first` on, then ROW for those from `second` on
    keys           int64[k]  output: lower index above, higher below; pairs beyond k are only counted
    total          int       pairs so far
    Returns        int       pairs now
    """
    index = np.int64(indices[np.uint64(i)])
    if total + ROUNDS <= len(keys):
        for _ in range(ROUNDS):  # written in any case, kept if it is a pair: there is no branch to guess
            lane = lowest_bit(near | LAST)
            other = np.int64(indices[np.uint64((first if lane < ROW else second - ROW) + lane)])
            keys[np.uint64(total)] = (min(index, other) << 32) | max(index, other)
            total += np.int64(near != 0)
            near &= near - 1
    while near:
        lane = lowest_bit(near)
        other = np.int64(indices[np.uint64((first if lane < ROW else second - ROW) + lane)])
        if total < len(keys):
            keys[np.uint64(total)] = (min(index, other) << 32) | max(index, other)
        total += 1
        near &= near - 1
    return total


@kernel
def list_strip(heres, here, rights, right, count, log2_cell, size, xs, ys, indices, keys, total):
    """List the pairs of a strip with itself and with the strip to its right; see `mark_strip` and `list_near`."""
    for i in range(here, here + count):
        x, y = np.int64(xs[np.uint64(i)]), np.int64(ys[np.uint64(i)])
        above = np.uint64(y >> log2_cell)
        below = above + np.uint64(3)
        first, first_end = i + 1, here + heres[below]
        second, second_end = right + rights[above], right + rights[below]
        near = near_lanes(xs, ys, first, x, y, size) | (near_lanes(xs, ys, second, x, y, size) << ROW)
        total = list_near(near, i, first, second, indices, keys, total)
        for at in range(first + ROW, first_end, ROW):  # crowded
            total = list_near(near_lanes(xs, ys, at, x, y, size), i, at, at, indices, keys, total)
        for at in range(second + ROW, second_end, ROW):
            total = list_near(near_lanes(xs, ys, at, x, y, size), i, at, at, indices, keys, total)
    return total


@kernel
def scan_strips(words, strips, first, last, cells, log2_cell, size, flags, keys):
    """Compare the strips first..last - 1 among themselves and with their neighbours; give flags or pairs.

    words   int64[n]             objects by strips
    strips  int32[columns + 1]   where each strip begins
    cells   int                  of a strip
    size    int                  side of all boxes, pixels
    flags   uint8[n] or None     output, for all objects of these strips
    keys    int64[k] or None     output, see `list_strip`
    Returns int                  pairs if `keys` is given
    """
    columns = len(strips) - 1
    largest, total = 0, 0
    for s in range(max(first - 1, 0), min(last + 1, columns)):
        largest = max(largest, strips[s + 1] - strips[s])
    starts = np.zeros((3, cells + 3), np.int32)  # of a strip that is not there, all cells are empty
    room = largest + 2 * ROW
    xs, ys, indices = np.full(3 * room, NOWHERE, np.int32), np.empty(3 * room, np.int32), np.empty(3 * room, np.int32)
    for s in range(max(first - 1, 0), last + 1):
        slot = s % 3
        if s < columns:
            load_strip(words, strips[s], strips[s + 1], log2_cell, slot * room, starts[slot], xs, ys, indices)
        else:
            starts[slot] = 0
        if s <= first:
            continue
        here, left = (s + 2) % 3, (s + 1) % 3
        count = strips[s] - strips[s - 1]
        if flags is not None:
            mark_strip(
                starts[left], left * room, starts[here], here * room, starts[slot], slot * room,
                count, log2_cell, size, xs, ys, indices, flags,
            )  # fmt: skip
        if keys is not None:
            total = list_strip(
                starts[here], here * room, starts[slot], slot * room,
                count, log2_cell, size, xs, ys, indices, keys, total,
            )  # fmt: skip
    return total


@kernel
def sort_alone(x, y, columns, log2_cell, strips):
    """Sort all objects into strips; return their words. strips is int32[columns + 1], output."""
    counts, words = np.zeros((1, columns), np.int32), np.empty(len(x), np.int64)
    count_strips(x, 0, len(x), log2_cell, counts[0])
    begin_strips(counts, strips)
    fill_strips(x, y, 0, len(x), log2_cell, counts[0], words)
    return words


@kernel
def mark_alone(x, y, size, flags):
    """Flag every object that collides.

    x, y     int16[n] or int32[n]  upper-left corners, pixels; n at most INDEX_MASK + 1
    size     int                   side of all boxes, 1..1 << LOG2_CELL pixels
    flags    uint8[n]              output, all of it
    Returns  bool                  False if a corner lies outside 0..PLACE_MASK; nothing is written then
    """
    columns, cells, log2 = plan_strips(x, y)
    if columns == 0:
        return False
    strips = np.empty(columns + 1, np.int32)
    words = sort_alone(x, y, columns, log2, strips)
    scan_strips(words, strips, 0, columns, cells, log2, size, flags, None)
    return True


@kernel
def list_alone(x, y, size, keys):
    """List every pair that collides, strip by strip, of corners that are in 0..PLACE_MASK; see `mark_alone`.

    keys     int64[k]  output, see `list_near`
    Returns  int       pairs
    """
    columns, cells, log2 = plan_strips(x, y)
    strips = np.empty(columns + 1, np.int32)
    words = sort_alone(x, y, columns, log2, strips)
    return scan_strips(words, strips, 0, columns, cells, log2, size, None, keys)
