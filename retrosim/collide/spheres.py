"""Spheres about objects, in three axes (document 003): L < r1 + r2, without a square root.

Touching is no collision: the document's comparison is strict here, while its rectangles count their edges in.

    >>> import numpy as np
    >>> from retrosim.collide import spheres
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
    out      where to write, instead of making an array: uint8[m] for flags, int32[m, 2] with room enough for pairs
    Errors   ValueError  wrong dtype, shape or length; a value out of range, named with the range
    Source   Rekaby, "Study of Collision Detection Algorithms in Strategic Games", 5 June 2011

The sum of three squares fits 32 bits unsigned.
"""

from __future__ import annotations

import numpy as np

from retrosim.collide import arguments
from retrosim.collide.results import flag_array, pair_list
from retrosim.jit import kernel


@kernel
def is_meeting(x, y, z, radius, a, b):
    """Tell whether spheres `a` and `b` collide; arguments as for `mark_pairs`.

    Source  document 003, "Sphere algorithms"
    """
    dx, dy, dz = int(x[a]) - int(x[b]), int(y[a]) - int(y[b]), int(z[a]) - int(z[b])
    reach = int(radius[a]) + int(radius[b])
    return dx * dx + dy * dy + dz * dz < reach * reach


@kernel
def mark_pairs(x, y, z, radius, pairs, out):
    """Write 1 for each listed pair that collides, else 0. Callable from compiled code.

    x, y, z  int16[n] or int32[n]  centres, pixels
    radius   uint16[n]             pixels
    pairs    int32[m, 2]           indices
    out      uint8[m]              output
    """
    for p in range(len(pairs)):
        out[p] = is_meeting(x, y, z, radius, pairs[p, 0], pairs[p, 1])


@kernel
def scan_pairs(x, y, z, radius, found):
    """List every pair i < j that collides; return how many there are.

    found  int32[m, 2]  output; collisions beyond m rows are only counted
    """
    total = 0
    for a in range(len(x)):
        for b in range(a + 1, len(x)):
            if is_meeting(x, y, z, radius, a, b):
                if total < len(found):
                    found[total, 0] = a
                    found[total, 1] = b
                total += 1
    return total


def _check(x, y, z, radius):
    count = arguments.check_places(x=x, y=y, z=z)
    return count, arguments.word_per_object("radius", radius, count, np.uint16, arguments.MOST)


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
    count, radii = _check(x, y, z, radius)
    out = flag_array(out, arguments.check_pairs(pairs, count))
    mark_pairs(x, y, z, radii, pairs, out)
    return out


def pairs(
    x: np.ndarray, y: np.ndarray, z: np.ndarray, *, radius: int | np.ndarray, out: np.ndarray | None = None
) -> np.ndarray:
    """List every colliding pair once.

    Returns  int32[m, 2]  indices, the lower one first, in ascending order
    """
    count, radii = _check(x, y, z, radius)
    return pair_list(lambda found: scan_pairs(x, y, z, radii, found), out, 4 * count)
