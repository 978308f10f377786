"""The pair test of Moertel 1994, in all of its builds.

`_Abs` is either an inline function of a `scalar`, or a macro. The difference of two coordinates is an `int`, 32 bits
wide; the inline function of the 16-bit build cuts it to 16 bits, the macro leaves it alone. So corners at -32768 and
32760 are 8 apart in the inline build and collide; in the macro build they do not. In either width the most negative
number has no positive counterpart, stays negative and is below every side. With a 32-bit scalar both builds are one.

Boxes are half open: touching is no collision. With different sides, the side of the box that lies further left (or up)
decides, which for equal sides is the original's comparison with its one constant.
"""

from __future__ import annotations

import numpy as np

from .._arguments import apart_from, check_vectors, is_16_bit, sides_of
from .._results import flag_array
from ..kernels.pairs.overlap import mark_overlaps

MAX_SIDE_ANYWHERE = 32767


def intersect(
    x0: np.ndarray,
    y0: np.ndarray,
    x1: np.ndarray,
    y1: np.ndarray,
    *,
    size: int | np.ndarray = 30,
    other: int | np.ndarray | None = None,
    abs: str = "inline",
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Test box i of one list against box i of another, anywhere on or off the screen.

    x0, y0   int16[n] or int32[n]      upper-left corners of the first boxes, pixels; the dtype is the scalar
    x1, y1   as x0, y0                 upper-left corners of the second boxes
    size     int, int[n] or int[n, 2]  sides of the first boxes (square, or width and height), 1..32767 pixels
    other    as size, or None          sides of the second boxes, None for the same as the first
    abs      "inline" or "macro"       which `_Abs` the routine was built with
    out      uint8[n]                  where to write, instead of making an array
    Returns  uint8[n]                  1 where the boxes overlap
    Errors   ValueError                wrong dtype, shape or value
    Source   Moertel 1994, _IntersectQ

    >>> x0, x1, y = (np.array(axis, np.int16) for axis in ([0, 0, -32768], [29, 30, 32760], [5, 5, 5]))
    >>> intersect(x0, y, x1, y, size=30).tolist(), intersect(x0, y, x1, y, size=30, abs="macro").tolist()
    ([1, 0, 1], [1, 0, 0])
    """
    count = check_vectors(x0=x0, y0=y0, x1=x1, y1=y1)
    first = sides_of("size", size, count, MAX_SIDE_ANYWHERE)
    second = first if other is None else sides_of("other", other, count, MAX_SIDE_ANYWHERE)
    out, is_short = flag_array(out, count), is_16_bit(abs, x0.dtype)
    x0, y0, x1, y1 = (apart_from(out, corner).astype(np.int32, copy=False) for corner in (x0, y0, x1, y1))
    mark_overlaps(x0, y0, first, x1, y1, second, is_short, out)
    return out
