"""Distances in integers: the integer square root, and a distance without a square root (Jon E P 2007).

Jon E P 2007 names `integer_square_root()` and `distance_2D()` and prints neither; it says that the second finds the
distance by trigonometry, to avoid a square root. Here the longer of |dx| and |dy| is the leg of a right triangle next
to its smaller angle, the ratio of the legs is the tangent of that angle, and a table gives the secant for each of 1025
tangents: one division and one multiplication of 16-bit words.

Over the whole screen (legs up to 639 and 479 pixels) the result is less than DISTANCE_ERROR_PX from the true distance.

    >>> from retrosim.numeric.distance import distance_2d, integer_square_root
    >>> integer_square_root(15), integer_square_root(16), integer_square_root(2**32 - 1)
    (3, 4, 65535)
    >>> distance_2d(100, 100, 103, 96), distance_2d(0, 0, 639, 479)  # the second is 798.6
    (5, 799)
"""

from __future__ import annotations

from math import isqrt

import numpy as np

from retrosim.jit import kernel

TANGENTS = 1024
FRACTION_BITS = 14
DISTANCE_ERROR_PX = 0.68  # worst case over the screen, tests/numeric/test_distance.py measures it

# round(2**14 * sqrt(1 + (i / 1024)**2)): 16384..23170 fit a 16-bit word
SECANTS = np.array([(isqrt(4 * 256 * (TANGENTS**2 + i**2)) + 1) // 2 for i in range(TANGENTS + 1)], np.int16)


@kernel
def integer_square_root(value: int) -> int:
    """Return the integer part of the square root: one bit of the result per step, no division.

    value    int  0..2**32-1
    Returns  int  0..65535
    """
    root = 0
    bit = 1 << 30
    while bit > value:
        bit >>= 2
    while bit:
        if value >= root + bit:
            value -= root + bit
            root = (root >> 1) + bit
        else:
            root >>= 1
        bit >>= 2
    return root


@kernel
def distance_2d(x1: int, y1: int, x2: int, y2: int) -> int:
    """Return the distance between two points by the table of secants, rounded.

    x1, y1, x2, y2  int  pixels; differences of at most 32767
    Returns         int  pixels, 0..46340
    """
    long = abs(x1 - x2)
    short = abs(y1 - y2)
    if long < short:
        long, short = short, long
    if long == 0:
        return 0
    tangent = ((short << 10) + (long >> 1)) // long
    return (long * int(SECANTS[np.uint64(tangent)]) + (1 << (FRACTION_BITS - 1))) >> FRACTION_BITS
