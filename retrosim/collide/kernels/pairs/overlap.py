"""The pair test of Moertel 1994, in both of its builds; see `retrosim.collide.documents.overlap`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retrosim.jit import kernel
from retrosim.numeric.fixed import wrap


class Boxes(NamedTuple):
    """Axis-aligned boxes, half open.

    x, y           int32[n]  upper-left corners, pixels
    width, height  int32[n]  sides, pixels
    """

    x: np.ndarray
    y: np.ndarray
    width: np.ndarray
    height: np.ndarray


@kernel
def is_overlap_along(a, b, side_a, side_b, is_16_bit):
    """Tell whether two boxes overlap along one axis.

    a, b            int   coordinates, pixels
    side_a, side_b  int   sides along that axis, pixels
    is_16_bit       bool  differences are 16 bits wide, else 32
    Source          Moertel 1994, _Abs and _IntersectQ: strict, touching edges do not overlap
    """
    distance = wrap(int(a) - int(b), is_16_bit)
    if distance < 0:
        return wrap(-distance, is_16_bit) < side_a
    return distance < side_b


@kernel
def is_overlap(a, b, is_16_bit):
    """Tell whether two boxes (x, y, width, height) overlap; as `is_overlap_along`, in both axes."""
    return is_overlap_along(a[0], b[0], a[2], b[2], is_16_bit) and is_overlap_along(a[1], b[1], a[3], b[3], is_16_bit)


@kernel
def box_of(x, y, width, height, i):
    """Return box `i` of a scene."""
    return x[i], y[i], width[i], height[i]


@kernel
def note_hit(flags, reports, total, a, b):
    """Flag both objects of a hit, write the hit into row `total` of the reports, if there is one; return total + 1."""
    flags[a] = 1
    flags[b] = 1
    if total < len(reports):
        reports[total, 0] = a
        reports[total, 1] = b
    return total + 1


@kernel
def mark_overlaps(x0, y0, sides0, x1, y1, sides1, is_16_bit, out):
    """Write 1 where box i of one list overlaps box i of another, else 0.

    x0, y0, x1, y1  int32[n]     upper-left corners, pixels
    sides0, sides1  int32[2, n]  widths, then heights
    is_16_bit       bool         as for `is_overlap_along`
    out             uint8[n]     output
    """
    for i in range(len(out)):
        a, b = box_of(x0, y0, sides0[0], sides0[1], i), box_of(x1, y1, sides1[0], sides1[1], i)
        out[i] = is_overlap(a, b, is_16_bit)


# Every object against every other: no grid, no limits on position or size, and a check on the other methods.


@kernel
def scan_all_pairs(boxes, is_16_bit, flags, reports, tally):
    """Test every pair once, in the order (0,1) (0,2) .. (1,2) ..; flag and report those that overlap.

    boxes      Boxes     anywhere
    is_16_bit  bool      differences are 16 bits wide, else 32
    others               as for `four_shifts.scan_four_shifts`; all tests are counted in tally[0]
    Returns    int       reports
    """
    x, y, width, height = boxes
    total = 0
    for a in range(len(x)):
        for b in range(a + 1, len(x)):
            tally[0] += 1
            if is_overlap(box_of(x, y, width, height, a), box_of(x, y, width, height, b), is_16_bit):
                total = note_hit(flags, reports, total, a, b)
    return total
