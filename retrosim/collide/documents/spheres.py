"""Spheres around objects, in three axes (Rekaby 2011): L < r1 + r2, without a square root.

Touching is no collision: this comparison is strict as printed, while for Rekaby's rectangles touching counts.

    >>> import numpy as np
    >>> from retrosim.collide.documents import spheres
    >>> x, y, z = (np.array(axis, np.int16) for axis in ([0, 3, 60], [0, 4, 0], [0, 0, 0]))
    >>> spheres.pairs(x, y, z, radius=3).tolist()
    [[0, 1]]
    >>> spheres.pairs(x, y, z, radius=np.array([3, 2, 9])).tolist()  # 5 apart, radii 3 and 2
    []
    >>> z[1] = 4
    >>> spheres.hits(x, y, z, np.array([[0, 1], [1, 2]], np.int32), radius=3).tolist()
    [0, 0]

Conventions
    x, y, z  int16[n] or int32[n], C-contiguous; centres, pixels, -16384..16383
    radius   pixels, 0..16383: one number, or int[n]
    out      where to write, instead of making an array: uint8[m] for flags, int32[m, 2] with enough rows for pairs
    Errors   ValueError  wrong dtype, shape or length; a value out of range, named with the range
    Source   Rekaby, "Study of Collision Detection Algorithms in Strategic Games", 5 June 2011

The sum of three squares fits 32 bits unsigned.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from .._arguments import MAX_COORDINATE, own_pairs, own_positions, word_per_object
from .._results import flag_array
from .._shape_pairs import around, near_pairs
from ..kernels.shapes.spheres import Spheres, mark_pairs, scan_pairs


def _check(x, y, z, radius):
    x, y, z = own_positions(x=x, y=y, z=z)
    return Spheres(x, y, z, word_per_object("radius", radius, len(x), np.uint16, MAX_COORDINATE))


def hits(
    x: np.ndarray,
    y: np.ndarray,
    z: np.ndarray,
    pairs: np.ndarray,
    *,
    radius: int | np.ndarray,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Test the listed pairs.

    pairs    int32[m, 2]  indices
    Returns  uint8[m]     1 where the pair collides
    """
    spheres = _check(x, y, z, radius)
    pairs = own_pairs(pairs, len(x))
    out = flag_array(out, len(pairs))
    mark_pairs(spheres, pairs, out)
    return out


def pairs(
    x: np.ndarray, y: np.ndarray, z: np.ndarray, *, radius: int | np.ndarray, out: np.ndarray | None = None
) -> np.ndarray:
    """List every colliding pair once.

    Returns  int32[m, 2]  indices, the lower one first, in ascending order
    """
    spheres = _check(x, y, z, radius)
    scan, mark = partial(scan_pairs, spheres), partial(mark_pairs, spheres)
    return near_pairs(len(spheres.x), lambda: around(spheres.x, spheres.y, spheres.radius), scan, mark, out)
