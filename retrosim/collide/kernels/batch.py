"""Many scenes of boxes of one size in one call."""

from __future__ import annotations

import numpy as np

from retrosim.jit import kernel

from . import small
from .uniform_grid import MAX_COORDINATE, scan_plane


@kernel
def mark_scenes(x, y, starts, size, flags):
    """Flag every object that collides in its scene.

    x, y    int16[total] or int32[total]  upper-left corners, pixels, 0..MAX_COORDINATE of `uniform_grid`
    starts  int64[scenes + 1]             scene s is starts[s] .. starts[s + 1] - 1
    size    int                           side of all boxes, pixels
    flags   uint8[total]                  output
    """
    xs, ys = np.empty(small.MAX_OBJECTS, np.int16), np.empty(small.MAX_OBJECTS, np.int16)
    for s in range(len(starts) - 1):
        begin, end = starts[s], starts[s + 1]
        if small.copy_corners(x[begin:end], y[begin:end], MAX_COORDINATE, MAX_COORDINATE, xs, ys) == small.DONE:
            small.mark_small(xs, ys, end - begin, size, flags[begin:end])
        else:
            scan_plane(x[begin:end], y[begin:end], size, MAX_COORDINATE, MAX_COORDINATE, flags[begin:end], None)


@kernel
def list_scenes(x, y, starts, size, rows, keys, ends, are_keys):
    """List the pairs of all scenes; those that there is no room for are only counted. See `mark_scenes`.

    rows      int32[k, 2]    output, scene after scene
    keys      int64[k]       the same memory
    ends      int64[scenes]  output: where the pairs of each scene end
    are_keys  bool[scenes]   output: this scene has its pairs as keys, see `pair_keys`, not as rows in order
    """
    total = np.int64(0)
    xs, ys = np.empty(small.MAX_OBJECTS, np.int16), np.empty(small.MAX_OBJECTS, np.int16)
    for s in range(len(starts) - 1):
        begin, end = starts[s], starts[s + 1]
        status = small.copy_corners(x[begin:end], y[begin:end], MAX_COORDINATE, MAX_COORDINATE, xs, ys)
        are_keys[s] = status != small.DONE
        if status == small.DONE:
            total += small.list_small(xs, ys, end - begin, size, rows[total:])
        else:
            total += scan_plane(x[begin:end], y[begin:end], size, MAX_COORDINATE, MAX_COORDINATE, None, keys[total:])
        ends[s] = total
