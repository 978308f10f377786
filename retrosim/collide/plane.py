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
objects are first sorted into strips, one 64-bit word each, then every strip into cells (`retrosim.collide.strips`), so
that what is compared lies close together. Large scenes are shared between two threads, by strips; the result does not
depend on it.

Conventions
    x, y     int16[n] or int32[n], C-contiguous; upper-left corners, pixels, 0..1048575; up to 4194304 objects
    size     side of all boxes, 1..31 pixels; half open, touching is no collision
    threads  1 or 2; None takes 2 from TWO_THREADS objects on
    out      where to write, instead of making an array: uint8[n] for flags, int32[m, 2] with room enough for pairs
    Errors   ValueError  wrong dtype, shape or length; a value out of range, named with the range
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

import numpy as np

from retrosim.collide import arguments
from retrosim.collide.grid import LARGEST_SIDE
from retrosim.collide.results import flag_array, sorted_pairs
from retrosim.collide.strips import (
    INDEX_BITS,
    LOG2_CELL,
    PLACE_BITS,
    begin_strips,
    count_strips,
    farthest,
    fill_strips,
    list_alone,
    mark_alone,
    scan_strips,
)

FARTHEST, MOST_OBJECTS = (1 << PLACE_BITS) - 1, 1 << INDEX_BITS
TWO_THREADS = 100_000  # a few milliseconds of work; starting three threads takes 0.2 ms


def _check(x, y, size):
    """Check arguments; return the side, the number of strips, of cells in each, and log2 of the side of both."""
    count = arguments.check_coordinates(x=x, y=y)
    side = arguments.check_side("size", size, LARGEST_SIDE)
    if count > MOST_OBJECTS:
        raise ValueError(f"x has length {count}: allowed {MOST_OBJECTS} or less")
    far_x, far_y = farthest(x), farthest(y)
    if count and not (0 <= far_x <= FARTHEST and 0 <= far_y <= FARTHEST):
        arguments.check_range(0, FARTHEST, x=x, y=y)
    log2 = LOG2_CELL
    while ((far_x >> log2) + 1) * ((far_y >> log2) + 1) > 8 * count + 1024:  # a sparse plane has larger cells
        log2 += 1
    return side, (far_x >> log2) + 1, (far_y >> log2) + 1, log2


def _together(routine: Callable, first: tuple, second: tuple) -> None:
    """Call a compiled routine with two lists of arguments at the same time."""
    thread = Thread(target=routine, args=second)
    thread.start()
    routine(*first)
    thread.join()


def _mark_by_two(x, y, size, columns, cells, log2, flags):
    """Do what `mark_alone` does in two threads: each takes half of the objects, then half of the strips."""
    count, half = len(x), len(x) // 2
    counts, strips = np.zeros((2, columns), np.int32), np.empty(columns + 1, np.int32)
    words = np.empty(count, np.int64)
    _together(count_strips, (x, 0, half, log2, counts[0]), (x, half, count, log2, counts[1]))
    begin_strips(counts, strips)
    _together(fill_strips, (x, y, 0, half, log2, counts[0], words), (x, y, half, count, log2, counts[1], words))
    middle = int(np.searchsorted(strips, half))
    common = (cells, log2, size, flags, None)
    _together(scan_strips, (words, strips, 0, middle, *common), (words, strips, middle, columns, *common))


def collided(
    x: np.ndarray, y: np.ndarray, *, size: int = 30, threads: int | None = None, out: np.ndarray | None = None
) -> np.ndarray:
    """Flag every object that is in some collision.

    Returns  uint8[n]  1 in a collision, else 0
    """
    side, columns, cells, log2 = _check(x, y, size)
    if threads is None:
        threads = 2 if len(x) >= TWO_THREADS else 1
    threads = arguments.check_side("threads", threads, 2)
    out = flag_array(out, len(x))
    out[:] = 0
    routine = mark_alone if threads == 1 else _mark_by_two
    routine(x, y, side, columns, cells, log2, out)
    return out


def pairs(x: np.ndarray, y: np.ndarray, *, size: int = 30, out: np.ndarray | None = None) -> np.ndarray:
    """List every overlapping pair once.

    Returns  int32[m, 2]  indices, the lower one first, in ascending order
    """
    side, columns, cells, log2 = _check(x, y, size)
    return sorted_pairs(lambda keys: list_alone(x, y, side, columns, cells, log2, keys), out, 2 * len(x))
