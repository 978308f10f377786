"""Sines, cosines and distances read from tables (No-collision boxes 2011 advises against computing them in a game).

Angles are binary, 1024 to the turn (`_bam`), and wrap by masking; an angle with 256 to the turn becomes one of these by
`angle << 2`. A sine is in Q1.14, a 16-bit word, 16384 for 1. The table is built from integers only, so it is the same
on every host. It covers a turn and a quarter: the cosine is the same table, read a quarter turn further on.

    >>> from retrosim.numeric.tables import cosine, rotated_x, rotated_y, sine
    >>> sine(256), cosine(0), sine(512), sine(-256)
    (16384, 16384, 0, -16384)
    >>> rotated_x(100, 0, cosine(128), sine(128)), rotated_y(100, 0, cosine(128), sine(128))
    (70, 70)
    >>> from retrosim.numeric.tables import distance_2d, integer_square_root
    >>> integer_square_root(15), integer_square_root(16), integer_square_root(2**32 - 1)
    (3, 4, 65535)
    >>> distance_2d(100, 100, 103, 96), distance_2d(0, 0, 639, 479)  # the second is 798.6
    (5, 799)
"""

from __future__ import annotations

from math import isqrt

import numpy as np

from retrosim.jit import kernel

TURN = 1024
QUARTER = TURN // 4
FRACTION_BITS = 14
ONE = 1 << FRACTION_BITS
PI_Q64 = 57952155664616982739  # the integer next to pi * 2**64


def _quarter_wave() -> list[int]:
    """Return the sines of 0..QUARTER, rounded to nearest: the power series in integers with 64 fractional bits."""
    wave = []
    for angle in range(QUARTER + 1):
        radians = PI_Q64 * 2 * angle // TURN
        square = radians * radians >> 64
        term, total = radians, 0
        for order in range(1, 30, 2):  # what comes after is below 2**-64
            total += -term if order & 2 else term
            term = (term * square >> 64) // ((order + 1) * (order + 2))
        wave.append((total + (1 << 64 - FRACTION_BITS - 1)) >> 64 - FRACTION_BITS)
    return wave


def _sines() -> np.ndarray:
    wave = _quarter_wave()
    half = wave + wave[-2:0:-1]
    turn = half + [-value for value in half]
    return np.array(turn + turn[:QUARTER], np.int16)


SINES = _sines()


@kernel
def sine(angle_bam: int) -> int:
    """Return the sine of any angle, Q1.14: -16384..16384."""
    return int(SINES[np.uint64(angle_bam & (TURN - 1))])


@kernel
def cosine(angle_bam: int) -> int:
    """Return the cosine of any angle, Q1.14: -16384..16384."""
    return int(SINES[np.uint64((angle_bam & (TURN - 1)) + QUARTER)])


@kernel
def rotated_x(x: int, y: int, cosine_q14: int, sine_q14: int) -> int:
    """Return the x of a point rotated about the origin: on the screen, where y grows downward, clockwise.

    x, y     int  16-bit words; the products have 32 bits, and so has their sum
    Returns  int  in the unit of x and y, rounded towards minus infinity by the shift back
    Source   Rekaby 2011, the rotation formulas under "Point algorithm 1"
    """
    return (x * cosine_q14 - y * sine_q14) >> FRACTION_BITS


@kernel
def rotated_y(x: int, y: int, cosine_q14: int, sine_q14: int) -> int:
    """Return the y of a point rotated about the origin; arguments as for `rotated_x`."""
    return (x * sine_q14 + y * cosine_q14) >> FRACTION_BITS


# Distances in integers: the integer square root, and a distance without a square root (Jon E P 2007).
#
# Jon E P 2007 names `integer_square_root()` and `distance_2D()` and prints neither; it says that the second finds the
# distance by trigonometry, to avoid a square root. Here the longer of |dx| and |dy| is the leg of a right triangle next
# to its smaller angle, the ratio of the legs is the tangent of that angle, and a table gives the secant for each of
# 1025 tangents: one division and one multiplication of 16-bit words.

TANGENTS = 1024
DISTANCE_ERROR_PX = 0.68  # at most, over the whole screen: legs up to 639 and 479 pixels; tests/numeric measures it

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
