"""Many boxes of one size on a plane of any size: the boxes of Moertel 1994, by a uniform grid instead of shifted ones.

    >>> import numpy as np
    >>> from retrosim.collide import plane
    >>> x = np.array([70000, 70029, 70058, 5], np.int32)
    >>> y = np.array([90000, 90029, 90058, 5], np.int32)
    >>> plane.collided(x, y, size=30)
    array([1, 1, 1, 0], dtype=uint8)
    >>> plane.pairs(x, y, size=30).tolist()
    [[0, 1], [1, 2]]

Where the objects are on the screen, flags and pairs are exactly those of `retrosim.collide.documents.sectors`.

The four shifts of `sectors` follow linked lists through memory, and with many objects nearly every step misses the
cache. Here up to 256 objects are all compared with each other, 32 at once. More of them are sorted into the columns of
a uniform grid, one 64-bit word each, then every column into cells, so that what is compared lies close together, and is
compared eight at once. Very large scenes are divided between two threads; the result does not depend on it.

Conventions
    x, y     int16[n] or int32[n], C-contiguous; upper-left corners, pixels, 0..1048575; up to 4194304 objects
    size     side of all boxes, 1..31 pixels; half open, touching is no collision
    threads  1 or 2; None takes 2 from TWO_THREADS objects on
    out      where to write, instead of making an array: uint8[n] for flags, int32[m, 2] with enough rows for pairs
    Errors   ValueError  wrong dtype, shape or length; a value out of range, named with the range
"""

from __future__ import annotations

import numpy as np

from retrosim.checks import check_integer

from ._equal_boxes import TWO_THREADS, list_pairs, mark
from .kernels.pairs.uniform_grid import MAX_COORDINATE, MAX_OBJECTS

__all__ = ["MAX_COORDINATE", "MAX_OBJECTS", "TWO_THREADS", "collided", "pairs"]


def collided(
    x: np.ndarray, y: np.ndarray, *, size: int = 30, threads: int | None = None, out: np.ndarray | None = None
) -> np.ndarray:
    """Flag every object that is in some collision.

    Returns  uint8[n]  1 in a collision, else 0

    >>> x, y = np.array([10, 30, 300], np.int32), np.array([10, 20, 40], np.int32)
    >>> collided(x, y, size=30).tolist()
    [1, 1, 0]
    """
    if threads is not None:
        check_integer("threads", threads, 1, 2)
    return mark(x, y, size, MAX_COORDINATE, MAX_COORDINATE, threads, out)


def pairs(
    x: np.ndarray, y: np.ndarray, *, size: int = 30, threads: int | None = None, out: np.ndarray | None = None
) -> np.ndarray:
    """List every overlapping pair once.

    Returns  int32[m, 2]  indices, the lower one first, in ascending order

    >>> x, y = np.array([10, 30, 300], np.int32), np.array([10, 20, 40], np.int32)
    >>> pairs(x, y, size=30).tolist()
    [[0, 1]]
    """
    if threads is not None:
        check_integer("threads", threads, 1, 2)
    return list_pairs(x, y, size, MAX_COORDINATE, MAX_COORDINATE, threads, out)
