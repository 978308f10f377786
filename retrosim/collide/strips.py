"""The kernels of `retrosim.collide.plane`: objects sorted into strips, strips into cells, cells compared.

A strip is 1 << log2_cell pixels wide, a cell as high; both are at least as large as a box. An object is one word of 64
bits: y, x and its number, from the top down. An object is compared with those after it in its cell, with the cell
below, and with three cells of the strip to the right. How many that is varies from object to object, and a loop of so
few rounds costs more in mispredicted branches than in comparisons. So ROUNDS candidates each are written down without
asking, the count moves on only by as many as there are, and the list is compared in one long loop.
"""

from __future__ import annotations

import numpy as np

from retrosim.jit import kernel

PLACE_BITS, INDEX_BITS = 20, 22  # of x and of y, and of an object's number
X_SHIFT, Y_SHIFT = INDEX_BITS, INDEX_BITS + PLACE_BITS
PLACE_MASK, INDEX_MASK = (1 << PLACE_BITS) - 1, (1 << INDEX_BITS) - 1
LOG2_CELL = 5
ROUNDS = 5
CANDIDATES = 2048


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
def load_strip(words, begin, end, log2_cell, here, starts, xs, ys, indices, hits):
    """Sort a strip into its cells.

    words            int64[n]          the strip is begin..end - 1
    here             int               where it goes in xs, ys, indices and hits
    starts           int32[cells + 3]  output: cell c is here + starts[c + 1]..starts[c + 2] - 1, with an empty cell on
                                       either side of the real ones
    xs, ys, indices  int32[m]          output: corners and numbers, cell by cell
    hits             uint8[m]          output: zero
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
        hits[to] = 0


@kernel
def settle(candidates, count, size, xs, ys, hits, indices, rows, total):
    """Compare the listed candidates.

    candidates  int64[CANDIDATES + ..]  two places in xs and ys each, one in either half of the word
    hits        uint8[m]                1 is written where an object collides (and at place 0, which is nobody's)
    rows        int32[k, 2] or None     output: indices, lower first; pairs beyond k rows are only counted; a row after
                                        the last pair may be written as well
    total       int                     pairs so far; returned with the new ones if `rows` is given
    """
    for c in range(count):
        pair = candidates[np.uint64(c)]
        i, j = np.uint64(pair >> 32), np.uint64(pair & 0xFFFFFFFF)
        both = np.uint64((abs(int(xs[j]) - int(xs[i])) < size) & (abs(int(ys[j]) - int(ys[i])) < size))
        if rows is None:
            hits[i * both] = 1
            hits[j * both] = 1
        if rows is not None:  # no `else`: this way Numba compiles only what is needed
            if total < len(rows):  # written in any case, kept if it is a pair
                rows[np.uint64(total), 0] = min(indices[i], indices[j])
                rows[np.uint64(total), 1] = max(indices[i], indices[j])
            total += np.int64(both)
    return total


@kernel
def list_range(candidates, count, word, length, size, xs, ys, hits, indices, rows, total):
    """List `length` candidates from `word` on, comparing what is listed whenever the list is full.

    Returns  int, int  candidates in the list now, `total`
    """
    for k in range(length):
        if count >= CANDIDATES:
            total = settle(candidates, count, size, xs, ys, hits, indices, rows, total)
            count = 0
        candidates[np.uint64(count)] = word + k
        count += 1
    return count, total


@kernel
def compare_strip(
    here, starts, there, next_starts, cells, log2_cell, size, candidates, xs, ys, hits, indices, rows, total
):
    """Compare the objects of a strip with each other and with the strip to its right, as `load_strip` left them.

    here, there  int  where the strip and the next one begin in xs, ys, hits and indices
    Returns      int  `total`, see `settle`
    """
    count = 0
    for i in range(here, here + starts[cells + 2]):
        cell = np.uint64(ys[np.uint64(i)] >> log2_cell)
        below = here + starts[cell + np.uint64(3)] - (i + 1)
        right = there + next_starts[cell]
        beside = there + next_starts[cell + np.uint64(3)] - right
        first, second = (np.int64(i) << 32) + (i + 1), (np.int64(i) << 32) + right
        if below > ROUNDS or beside > ROUNDS:
            count, total = list_range(candidates, count, first, below, size, xs, ys, hits, indices, rows, total)
            count, total = list_range(candidates, count, second, beside, size, xs, ys, hits, indices, rows, total)
        else:
            for k in range(ROUNDS):
                candidates[np.uint64(count + k)] = first + k
            count += below
            for k in range(ROUNDS):
                candidates[np.uint64(count + k)] = second + k
            count += beside
        if count >= CANDIDATES:
            total = settle(candidates, count, size, xs, ys, hits, indices, rows, total)
            count = 0
    return settle(candidates, count, size, xs, ys, hits, indices, rows, total)


@kernel
def scan_strips(words, strips, first, last, cells, log2_cell, size, flags, rows):
    """Compare the strips first..last - 1 among themselves and with those to their right; give flags or pairs.

    words   int64[n]              objects by strips
    strips  int32[columns + 1]    where each strip begins
    cells   int                   of a strip
    size    int                   side of all boxes, pixels
    flags   uint8[n] or None      output: 1 is written where an object collides, by two threads at once if need be
    rows    int32[k, 2] or None   output, see `settle`
    Returns int                   pairs if `rows` is given
    """
    if first >= last:
        return 0
    largest = 0
    for s in range(first, min(last + 1, len(strips) - 1)):
        largest = max(largest, strips[s + 1] - strips[s])
    starts = np.empty((2, cells + 3), np.int32)
    xs, ys = np.empty(2 * largest + 1, np.int32), np.empty(2 * largest + 1, np.int32)
    indices, hits = np.empty(2 * largest + 1, np.int32), np.empty(2 * largest + 1, np.uint8)
    candidates = np.empty(CANDIDATES + 2 * ROUNDS, np.int64)
    here, there, total = 1, 1 + largest, 0
    own, beside = starts[0], starts[1]
    load_strip(words, strips[first], strips[first + 1], log2_cell, here, own, xs, ys, indices, hits)
    for s in range(first, last):
        end = strips[min(s + 2, len(strips) - 1)]
        load_strip(words, strips[s + 1], end, log2_cell, there, beside, xs, ys, indices, hits)
        total = compare_strip(
            here, own, there, beside, cells, log2_cell, size, candidates, xs, ys, hits, indices, rows, total
        )
        if flags is not None:
            write_flags(here, own[cells + 2], indices, hits, flags)
        here, there, own, beside = there, here, beside, own
    if flags is not None:
        write_flags(here, own[cells + 2], indices, hits, flags)
    return total


@kernel
def write_flags(here, count, indices, hits, flags):
    """Set the flags of a strip's objects that collide."""
    for i in range(here, here + count):
        if hits[np.uint64(i)]:
            flags[np.uint64(indices[np.uint64(i)])] = 1


@kernel
def sort_alone(x, y, columns, log2_cell, strips):
    """Sort all objects into strips; return their words. strips is int32[columns + 1], output."""
    counts, words = np.zeros((1, columns), np.int32), np.empty(len(x), np.int64)
    count_strips(x, 0, len(x), log2_cell, counts[0])
    begin_strips(counts, strips)
    fill_strips(x, y, 0, len(x), log2_cell, counts[0], words)
    return words


@kernel
def mark_alone(x, y, size, columns, cells, log2_cell, flags):
    """Flag every object that collides.

    x, y            int16[n] or int32[n]  upper-left corners, pixels, 0..PLACE_MASK; n at most INDEX_MASK + 1
    size            int                   side of all boxes, 1..1 << LOG2_CELL pixels
    columns, cells  int                   strips, and cells of a strip, up to the farthest corner
    log2_cell       int                   LOG2_CELL or more
    flags           uint8[n]              output, zero on entry
    """
    strips = np.empty(columns + 1, np.int32)
    words = sort_alone(x, y, columns, log2_cell, strips)
    scan_strips(words, strips, 0, columns, cells, log2_cell, size, flags, None)


@kernel
def list_alone(x, y, size, columns, cells, log2_cell, rows):
    """List every pair that collides, strip by strip; the other arguments are those of `mark_alone`.

    rows     int32[k, 2]  output, lower index first; pairs beyond k rows are only counted
    Returns  int          pairs
    """
    strips = np.empty(columns + 1, np.int32)
    words = sort_alone(x, y, columns, log2_cell, strips)
    return scan_strips(words, strips, 0, columns, cells, log2_cell, size, None, rows)
