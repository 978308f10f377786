"""Segments and boxes: which cross, and where, as fractions of one denominator for both axes; exact in 64 bits.

Arguments of all functions here
    scene     int32[n, 6]  columns of `hierarchical_grid`; sides are part of a box
    segments  int64[q, 4]  x and y of both ends, less than 1 << 31 apart along each axis
"""

from __future__ import annotations

import numpy as np

from retrosim.jit import kernel

from .hierarchical_grid import BOTTOM, LEFT, RIGHT, TOP


@kernel
def span(way, near, far):
    """Return when a point is between two limits of one axis, both included, in steps of one unit; the last: if ever.

    way        int  how far it goes, from 0
    near, far  int  limits, near <= far
    Returns    int, int, int, bool  first and last step there, all steps
    """
    if way == 0:
        return np.int64(0), np.int64(1), np.int64(1), near <= 0 and far >= 0
    length = abs(way)
    first, last = (near, far) if way > 0 else (-far, -near)
    return max(0, min(first, length)), max(0, min(last, length)), length, first <= length and last >= 0


@kernel
def crossing(scene, box, segments, s):
    """Return where a segment enters a box: numerator, denominator, x and y of the normal; numerator -1: nowhere."""
    x, y = segments[s, 0], segments[s, 1]
    way_x, way_y = segments[s, 2] - x, segments[s, 3] - y
    enter_x, leave_x, steps_x, is_x = span(way_x, scene[box, LEFT] - x, scene[box, RIGHT] - x)
    enter_y, leave_y, steps_y, is_y = span(way_y, scene[box, TOP] - y, scene[box, BOTTOM] - y)
    enter_x, leave_x, enter_y, leave_y = enter_x * steps_y, leave_x * steps_y, enter_y * steps_x, leave_y * steps_x
    enter = max(enter_x, enter_y)
    if not (is_x and is_y) or enter > min(leave_x, leave_y):
        return np.int64(-1), np.int64(1), 0, 0
    normal_x = 0 if enter == 0 or enter_x < enter else -1 if way_x > 0 else 1
    normal_y = 0 if enter == 0 or enter_y < enter or normal_x != 0 else -1 if way_y > 0 else 1
    return enter, steps_x * steps_y, normal_x, normal_y


@kernel
def keep_crossings(scene, segments, which, keys):
    """Keep the candidates that cross, and return how many these are.

    which  int64[p]  the segment of each piece
    keys   int64[m]  piece in the upper half, box in the lower; then segment in the upper half
    """
    kept = 0
    for k in range(len(keys)):
        s, box = which[keys[k] >> 32], keys[k] & 0xFFFFFFFF
        if crossing(scene, box, segments, s)[0] >= 0:
            keys[kept] = s << 32 | box
            kept += 1
    return kept


@kernel
def list_crossings(scene, segments, keys, rows, fractions, normals):
    """Write crossings, each once, and return how many these are.

    keys       int64[m]     segment and box, in ascending order
    rows       int32[m, 2]  output: segment, box
    fractions  int64[m, 2]  output: numerator, denominator
    normals    int8[m, 2]   output
    """
    written = 0
    for k in range(len(keys)):
        if k and keys[k] == keys[k - 1]:
            continue
        s, box = keys[k] >> 32, keys[k] & 0xFFFFFFFF
        enter, steps, normal_x, normal_y = crossing(scene, box, segments, s)
        rows[written, 0], rows[written, 1] = s, box
        fractions[written, 0], fractions[written, 1] = enter, steps
        normals[written, 0], normals[written, 1] = normal_x, normal_y
        written += 1
    return written
