"""Many objects on a plane of any size: the boxes of document 000, found strip by strip instead of by shifted grids.

    >>> import numpy as np
    >>> from retrosim.collide import plane
    >>> x = np.array([70000, 70029, 70058, 5], np.int32)
    >>> y = np.array([90000, 90029, 90058, 5], np.int32)
    >>> plane.collided(x, y, size=30)
    array([1, 1, 1, 0], dtype=uint8)
    >>> plane.pairs(x, y, size=30).tolist()
    [[0, 1], [1, 2]]

Flags and pairs are those of `retrosim.collide.sectors`, bit for bit, where its screen holds the objects.

The four shifts walk their lists through memory, and with many objects nearly every step misses the cache. Here the
objects are first sorted into strips, one 64-bit word each, then every strip into cells, so that all that is compared
lies close together: an object with those after it in its cell and the next one below, and with three cells of the next
strip. Large scenes are shared between two threads, by strips; the result does not depend on it.

Conventions
    x, y     int16[n] or int32[n], C-contiguous; upper-left corners, pixels, 0..2097151; up to 4194304 objects
    size     side of all boxes, 1..31 pixels; half open, touching is no collision
    threads  1 or 2; None takes 2 for TWO_THREADS objects or more
    out      where to write, instead of making an array: uint8[n] for flags, int32[m, 2] with room enough for pairs
    Errors   ValueError  wrong dtype, shape or length; a value out of range, named with the range
"""

from __future__ import annotations

from threading import Thread

import numpy as np

from retrosim.collide import arguments
from retrosim.collide.grid import LARGEST_SIDE
from retrosim.collide.results import flag_array, pair_list
from retrosim.jit import kernel

PLACE_BITS, INDEX_BITS = 21, 22  # of x and of y, and of an object's number, in one word
FARTHEST, MOST_OBJECTS = (1 << PLACE_BITS) - 1, 1 << INDEX_BITS
LOG2_CELL = 5  # at least: cells are larger than any box
TWO_THREADS = 50_000


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
def count_strips(x, begin, end, log2_strip, counts):
    """Add to counts[strip] the objects begin..end - 1 that are in it."""
    for i in range(begin, end):
        counts[np.uint64(int(x[i]) >> log2_strip)] += 1


@kernel
def fill_strips(x, y, begin, end, log2_strip, cursors, words):
    """Write the objects begin..end - 1 as words into their strips.

    cursors  int32[strips]  where the next object of each strip goes; advanced
    words    uint64[n]      output: y, x and number of an object, from the uppermost bit down
    """
    for i in range(begin, end):
        strip = np.uint64(int(x[i]) >> log2_strip)
        word = (int(y[i]) << (PLACE_BITS + INDEX_BITS)) | (int(x[i]) << INDEX_BITS) | i
        words[cursors[strip]] = word
        cursors[strip] += 1


@kernel
def load_strip(words, begin, end, log2_cell, starts, xs, ys, indices, hits):
    """Sort a strip into its cells.

    words             uint64[n]         the strip is begin..end - 1
    starts            int32[cells + 3]  output: cell c is starts[c + 1]..starts[c + 2] - 1; a cell on either side is empty
    xs, ys, indices   int32[m]          output: corners and numbers, cell by cell
    hits              uint8[m]          output: zero
    """
    starts[:] = 0
    for w in range(begin, end):
        starts[np.uint64((words[w] >> np.uint64(PLACE_BITS + INDEX_BITS + log2_cell)) + np.uint64(3))] += 1
    total = 0
    for c in range(len(starts)):
        total += starts[c]
        starts[c] = total
    for w in range(begin, end):
        word = words[w]
        y = word >> np.uint64(PLACE_BITS + INDEX_BITS)
        cell = np.uint64((y >> np.uint64(log2_cell)) + np.uint64(2))
        to = starts[cell]
        starts[cell] = to + 1
        xs[to] = (word >> np.uint64(INDEX_BITS)) & np.uint64(FARTHEST)
        ys[to] = y
        indices[to] = word & np.uint64(MOST_OBJECTS - 1)
        hits[to] = 0


@kernel
def mark_cells(cells, size, starts, xs, ys, hits, next_starts, next_xs, next_ys, next_hits):
    """Mark what collides within a strip and with the strip to its right; arguments as `load_strip` left them."""
    for c in range(cells):
        below = starts[c + 3]
        right, right_end = next_starts[c], next_starts[c + 3]
        for i in range(starts[c + 1], starts[c + 2]):
            x, y, hit = xs[i], ys[i], np.uint8(0)
            for j in range(i + 1, below):
                both = np.uint8((abs(xs[j] - x) < size) & (abs(ys[j] - y) < size))
                hits[j] |= both
                hit |= both
            for j in range(right, right_end):
                both = np.uint8((next_xs[j] - x < size) & (abs(next_ys[j] - y) < size))
                next_hits[j] |= both
                hit |= both
            hits[i] |= hit


@kernel
def write_flags(count, indices, hits, flags):
    """Set the flags of the objects that collide; two threads may do so for one strip."""
    for j in range(count):
        if hits[j]:
            flags[indices[j]] = 1


@kernel
def mark_strips(words, strips, first, last, cells, log2_cell, size, starts, xs, ys, indices, hits, flags):
    """Mark what collides in the strips first..last - 1, and between them and the strips to their right.

    words   uint64[n]             objects by strips
    strips  int32[strips + 1]     where each strip begins
    cells   int                   cells of a strip, each 1 << log2_cell high
    size    int                   side of all boxes, pixels
    starts  int32[2, cells + 3]   scratch, for this thread alone
    xs, ys, indices, hits  int32[2, m], uint8[2, m] for the last: scratch for the largest strip
    flags   uint8[n]              output, zero on entry
    """
    a_starts, b_starts, a_xs, b_xs, a_ys, b_ys = starts[0], starts[1], xs[0], xs[1], ys[0], ys[1]
    a_indices, b_indices, a_hits, b_hits = indices[0], indices[1], hits[0], hits[1]
    load_strip(words, strips[first], strips[first + 1], log2_cell, a_starts, a_xs, a_ys, a_indices, a_hits)
    for s in range(first, last):
        end = strips[min(s + 2, len(strips) - 1)]
        load_strip(words, strips[s + 1], end, log2_cell, b_starts, b_xs, b_ys, b_indices, b_hits)
        mark_cells(cells, size, a_starts, a_xs, a_ys, a_hits, b_starts, b_xs, b_ys, b_hits)
        write_flags(strips[s + 1] - strips[s], a_indices, a_hits, flags)
        a_starts, b_starts, a_xs, b_xs, a_ys, b_ys = b_starts, a_starts, b_xs, a_xs, b_ys, a_ys
        a_indices, b_indices, a_hits, b_hits = b_indices, a_indices, b_hits, a_hits
    write_flags(a_starts[cells + 2], a_indices, a_hits, flags)


def _together(*jobs):
    """Run jobs, the first in this thread, each other in its own."""
    threads = [Thread(target=routine, args=arguments) for routine, *arguments in jobs[1:]]
    for thread in threads:
        thread.start()
    jobs[0][0](*jobs[0][1:])
    for thread in threads:
        thread.join()


def _sorted(x, y, threads):
    """Sort objects into strips; return words, strips, cells and log2_cell for `mark_strips`."""
    count = len(x)
    far_x, far_y = farthest(x), farthest(y)
    log2 = LOG2_CELL
    while ((far_x >> log2) + 1) * ((far_y >> log2) + 1) > 8 * count + 1024:  # a sparse plane has larger cells
        log2 += 1
    columns = (far_x >> log2) + 1
    halves = [(count * t // threads, count * (t + 1) // threads) for t in range(threads)]
    counts = np.zeros((threads, columns), np.int32)
    _together(*[(count_strips, x, *half, log2, counts[t]) for t, half in enumerate(halves)])
    ends = np.cumsum(counts.T, dtype=np.int32).reshape(columns, threads)  # strip by strip, thread by thread
    cursors = np.ascontiguousarray((ends - counts.T).T)
    words = np.empty(count, np.uint64)
    _together(*[(fill_strips, x, y, *half, log2, cursors[t], words) for t, half in enumerate(halves)])
    strips = np.concatenate((np.zeros(1, np.int32), ends[:, -1]))
    return words, strips, (far_y >> log2) + 1, log2


def _scratch(strips, cells):
    largest = int(np.diff(strips).max(initial=0)) + 1
    return (
        np.empty((2, cells + 3), np.int32),
        *(np.empty((2, largest), np.int32) for _ in range(3)),
        np.empty((2, largest), np.uint8),
    )


def _check(x, y, size, threads):
    """Check arguments; return the number of objects, the side, the threads to use."""
    count = arguments.check_coordinates(x=x, y=y)
    if count > MOST_OBJECTS:
        raise ValueError(f"x has length {count}: allowed {MOST_OBJECTS} or less")
    if count and not (0 <= farthest(x) <= FARTHEST and 0 <= farthest(y) <= FARTHEST):
        arguments.check_range(0, FARTHEST, x=x, y=y)
    side = arguments.check_side("size", size, LARGEST_SIDE)
    if threads is None:
        return count, side, 2 if count >= TWO_THREADS else 1
    return count, side, arguments.check_side("threads", threads, 2)


def collided(
    x: np.ndarray, y: np.ndarray, *, size: int = 30, threads: int | None = None, out: np.ndarray | None = None
) -> np.ndarray:
    """Flag every object that is in some collision.

    Returns  uint8[n]  1 in a collision, else 0
    """
    count, side, threads = _check(x, y, size, threads)
    out = flag_array(out, count)
    out[:] = 0
    if count:
        words, strips, cells, log2 = _sorted(x, y, threads)
        bounds = [0, *(int(np.searchsorted(strips, count * t // threads)) for t in range(1, threads)), len(strips) - 1]
        _together(
            *[
                (mark_strips, words, strips, first, last, cells, log2, side, *_scratch(strips, cells), out)
                for first, last in zip(bounds, bounds[1:])
            ]
        )
    return out
