"""Many scenes of boxes of one size in one call."""

from __future__ import annotations

import numpy as np

from retrosim.jit import kernel

from . import small
from .uniform_grid import MAX_COORDINATE, highest, scan_plane


@kernel
def is_small(x, y):
    """Tell whether corners that are not negative are such as `small.mark_small` takes."""
    return len(x) <= small.MAX_OBJECTS and max(highest(x), highest(y)) <= small.MAX_COORDINATE


@kernel
def mark_scenes(x, y, starts, size, flags):
    """Flag every object that collides in its scene.

    x, y    int16[total] or int32[total]  upper-left corners, pixels, 0..MAX_COORDINATE of `uniform_grid`
    starts  int64[scenes + 1]             scene s is starts[s] .. starts[s + 1] - 1
    size    int                           side of all boxes, pixels
    flags   uint8[total]                  output
    """
    for s in range(len(starts) - 1):
        begin, end = starts[s], starts[s + 1]
        if is_small(x[begin:end], y[begin:end]):
            small.mark_small(x[begin:end], y[begin:end], size, flags[begin:end])
        else:
            scan_plane(x[begin:end], y[begin:end], size, MAX_COORDINATE, MAX_COORDINATE, flags[begin:end], None)


@kernel
def list_scenes(x, y, starts, size, rows, keys, ends, are_keys):
    """List the pairs of scenes until one has more than there is room for; see `mark_scenes`.

    rows      int32[k, 2]    output, scene after scene
    keys      int64[k]       the same memory
    ends      int64[scenes]  output: where the pairs of each scene end
    are_keys  bool[scenes]   output: this scene has its pairs as keys, see `pair_keys`, not as rows in order
    Returns   int, int       scenes listed, and how many pairs the next one has
    """
    total = np.int64(0)
    for s in range(len(starts) - 1):
        begin, end = starts[s], starts[s + 1]
        are_keys[s] = not is_small(x[begin:end], y[begin:end])
        if not are_keys[s]:
            found = small.list_small(x[begin:end], y[begin:end], size, rows[total:])
        else:
            found = scan_plane(x[begin:end], y[begin:end], size, MAX_COORDINATE, MAX_COORDINATE, None, keys[total:])
        if total + found > len(rows):
            return s, found
        total += found
        ends[s] = total
    return len(starts) - 1, 0
