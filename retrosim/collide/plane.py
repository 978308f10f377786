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

The four shifts walk their lists through memory, and with many objects nearly every step misses the cache. Here up to
256 objects are all compared with each other, 32 at once (`kernels.few`). More of them are first sorted into
strips, one 64-bit word each, then every strip into cells, so that what is compared lies close together, eight at once
(`kernels.strips`). Very large scenes are shared between two threads, by strips; the result does not depend on
it. Types are looked at when a call first meets them; later calls of the same types go straight to compiled code.

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
from retrosim.collide.kernels.few import DONE, FARTHEST_FEW, LIST_FEW, MARK_FEW, MOST_FEW, REFUSED
from retrosim.collide.kernels.grid import LARGEST_SIDE
from retrosim.collide.kernels.strips import (
    INDEX_BITS,
    PLACE_BITS,
    begin_strips,
    count_strips,
    farthest,
    fill_strips,
    list_alone,
    mark_alone,
    plan_strips,
    scan_strips,
)
from retrosim.collide.results import flag_array, pair_list, sorted_pairs
from retrosim.jit import UNKNOWN, Ready, kernel

FARTHEST, MOST_OBJECTS = (1 << PLACE_BITS) - 1, 1 << INDEX_BITS
TWO_THREADS = 500_000  # tens of milliseconds of work: three threads start for it, late if other programs are busy


@kernel
def mark_checked(x, y, size, flags):
    """Do what `mark_alone` does, after a check of all values. Status: DONE or REFUSED."""
    if len(x) != len(y) or len(x) != len(flags) or len(x) > MOST_OBJECTS or not 1 <= size <= LARGEST_SIDE:
        return REFUSED
    return DONE if mark_alone(x, y, size, flags) else REFUSED


MARK = Ready(mark_checked)


def _check(x, y, size):
    """Check arguments; return the side, and whether `retrosim.collide.kernels.few` has room for these objects."""
    count = arguments.check_coordinates(x=x, y=y)
    side = arguments.check_side("size", size, LARGEST_SIDE)
    if count > MOST_OBJECTS:
        raise ValueError(f"x has length {count}: allowed {MOST_OBJECTS} or less")
    far_x, far_y = farthest(x), farthest(y)
    if count and not (0 <= far_x <= FARTHEST and 0 <= far_y <= FARTHEST):
        arguments.check_range(0, FARTHEST, x=x, y=y)
    return side, count <= MOST_FEW and max(far_x, far_y) <= FARTHEST_FEW


def _threads(threads, count):
    """Check and return how many threads to take for so many objects."""
    if threads is None:
        return 2 if count >= TWO_THREADS else 1
    return arguments.check_side("threads", threads, 2)


def _together(routine: Callable, first: tuple, second: tuple) -> tuple:
    """Call a compiled routine with two lists of arguments at the same time; return both results."""
    results: list = []
    thread = Thread(target=lambda: results.append(routine(*second)))
    thread.start()
    mine = routine(*first)
    thread.join()
    return mine, results[0]


def _scan_by_two(x, y, size, flags, first_keys, second_keys):
    """Sort and compare in two threads: each takes half of the objects, then half of the strips; see `scan_strips`."""
    columns, cells, log2 = plan_strips(x, y)
    count, half = len(x), len(x) // 2
    counts, strips = np.zeros((2, columns), np.int32), np.empty(columns + 1, np.int32)
    words = np.empty(count, np.int64)
    _together(count_strips, (x, 0, half, log2, counts[0]), (x, half, count, log2, counts[1]))
    begin_strips(counts, strips)
    _together(fill_strips, (x, y, 0, half, log2, counts[0], words), (x, y, half, count, log2, counts[1], words))
    middle = int(np.searchsorted(strips, half))
    first = (words, strips, 0, middle, cells, log2, size, flags, first_keys)
    second = (words, strips, middle, columns, cells, log2, size, flags, second_keys)
    return _together(scan_strips, first, second)


def _list_by_two(x, y, size, keys):
    """Do what `list_alone` does in two threads."""
    room = len(keys) // 2
    first, second = _scan_by_two(x, y, size, None, keys[:room], keys[room:])
    if first <= room and second <= len(keys) - room:
        keys[first : first + second] = keys[room : room + second]
    elif first + second <= len(keys):  # together there is room enough, so one thread has it
        list_alone(x, y, size, keys)
    return first + second


def collided(
    x: np.ndarray, y: np.ndarray, *, size: int = 30, threads: int | None = None, out: np.ndarray | None = None
) -> np.ndarray:
    """Flag every object that is in some collision.

    Returns  uint8[n]  1 in a collision, else 0
    """
    if threads is None and type(size) is int:
        try:
            count = len(x)
            flags = np.empty(count, np.uint8) if out is None else out
            if count <= MOST_FEW:
                status = MARK_FEW.call(x, y, FARTHEST_FEW, FARTHEST_FEW, size, flags)
            else:
                status = MARK.call(x, y, size, flags) if count < TWO_THREADS else REFUSED
            if status == DONE:
                return flags
        except UNKNOWN:
            pass
    side, is_few = _check(x, y, size)
    threads = _threads(threads, len(x))
    out = flag_array(out, len(x))
    if threads == 2:
        _scan_by_two(x, y, side, out, None, None)
    elif is_few:
        MARK_FEW.admit(x, y, FARTHEST_FEW, FARTHEST_FEW, side, out)
    else:
        MARK.admit(x, y, side, out)
    return out


def pairs(
    x: np.ndarray, y: np.ndarray, *, size: int = 30, threads: int | None = None, out: np.ndarray | None = None
) -> np.ndarray:
    """List every overlapping pair once.

    Returns  int32[m, 2]  indices, the lower one first, in ascending order
    """
    if threads is None and type(size) is int:
        try:
            count = len(x)
            if count <= MOST_FEW:
                rows = np.empty((4 * count, 2), np.int32) if out is None else out
                total = LIST_FEW.call(x, y, FARTHEST_FEW, FARTHEST_FEW, size, rows)
                if 0 <= total <= len(rows):
                    return rows[:total]
        except UNKNOWN:
            pass
    side, is_few = _check(x, y, size)
    threads = _threads(threads, len(x))
    if is_few and threads == 1:
        limits = FARTHEST_FEW, FARTHEST_FEW
        return pair_list(lambda rows: LIST_FEW.admit(x, y, *limits, side, rows), out, 4 * len(x))
    routine = list_alone if threads == 1 else _list_by_two
    return sorted_pairs(lambda keys: routine(x, y, side, keys), out, 2 * len(x))
