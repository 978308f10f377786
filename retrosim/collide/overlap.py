"""The pair test, in all builds of document 000.

`_Abs` is either an inline function of a scalar, or a macro. The difference of two coordinates is an `int`, 32 bits
wide; handing it to the inline function of the 16-bit build cuts it to 16 bits, the macro leaves it alone. So corners
at -32768 and 32760 are 8 apart in the inline build and collide; in the macro build they do not. In either width the
most negative number has no positive counterpart, stays negative and is below every side. With a 32-bit scalar both
builds are one.

Boxes are half open. With different sides, the side of the box that lies further left (or up) decides, which for equal
sides is the original's comparison with its one constant.
"""

from __future__ import annotations

import numpy as np

from retrosim.collide.arguments import check_coordinates, check_sides, is_narrow
from retrosim.collide.results import flag_array
from retrosim.jit import kernel
from retrosim.numeric.scalar import wrap


@kernel
def within(a, b, side_a, side_b, narrow):
    """Tell whether two boxes overlap along one axis.

    a, b            int   coordinates, pixels
    side_a, side_b  int   sides along that axis, pixels
    narrow          bool  differences are 16 bits wide, else 32
    Source          Moertel 1994, _Abs and _IntersectQ: strict, touching edges do not overlap
    """
    distance = wrap(int(a) - int(b), narrow)
    if distance < 0:
        return wrap(-distance, narrow) < side_a
    return distance < side_b


@kernel
def is_overlap(x, y, wide, high, narrow, a, b):
    """Tell whether boxes `a` and `b` of a scene overlap.

    x, y        int32[n]  upper-left corners, pixels
    wide, high  int32[n]  sides, pixels
    narrow      bool      differences are 16 bits wide, else 32
    """
    return within(x[a], x[b], wide[a], wide[b], narrow) and within(y[a], y[b], high[a], high[b], narrow)


@kernel
def note_hit(a, b, flags, reports, total):
    """Mark both objects of a hit, write the hit into row `total` if there is one, and return total + 1.

    flags    uint8[n]     output
    reports  int32[m, 2]  output; hits beyond m rows are only counted
    """
    flags[a] = 1
    flags[b] = 1
    if total < len(reports):
        reports[total, 0] = a
        reports[total, 1] = b
    return total + 1


@kernel
def _intersect(x0, y0, x1, y1, sides0, sides1, narrow, out):
    for i in range(len(out)):
        out[i] = within(x0[i], x1[i], sides0[0, i], sides1[0, i], narrow) and within(
            y0[i], y1[i], sides0[1, i], sides1[1, i], narrow
        )


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

    x0, y0  int16[n] or int32[n]  upper-left corners of the first boxes, pixels; the dtype is the scalar
    x1, y1  as x0, y0             upper-left corners of the second boxes
    size    int, int[n] or int[n, 2]  sides of the first boxes (square, or width and height), 1..32767 pixels
    other   as size, or None      sides of the second boxes, None for the same as the first
    abs     "inline" or "macro"   which `_Abs` the routine was built with
    out     uint8[n]              where to write, instead of making an array
    Returns uint8[n]              1 where the boxes overlap
    Errors  ValueError            wrong dtype, shape or value
    Source  Moertel 1994, _IntersectQ

    >>> x0, x1, y = (np.array(axis, np.int16) for axis in ([0, 0, -32768], [29, 30, 32760], [5, 5, 5]))
    >>> intersect(x0, y, x1, y, size=30).tolist(), intersect(x0, y, x1, y, size=30, abs="macro").tolist()
    ([1, 0, 1], [1, 0, 0])
    """
    count = check_coordinates(x0=x0, y0=y0, x1=x1, y1=y1)
    sides0 = check_sides("size", size, count, 32767)
    sides1 = sides0 if other is None else check_sides("other", other, count, 32767)
    out = flag_array(out, count)
    widened = (np.asarray(a, np.int32) for a in (x0, y0, x1, y1))
    _intersect(*widened, sides0, sides1, is_narrow(abs, x0.dtype), out)
    return out
