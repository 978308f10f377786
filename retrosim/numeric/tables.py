"""Sines and cosines in Q1.14, read from a table (No-collision boxes 2011 advises against computing them in a game).

Angles are binary, 1024 to the turn (`_bam`), and wrap by masking; an angle with 256 to the turn becomes one of these by
`angle << 2`. A sine is a 16-bit word, 16384 for 1. The table is built from integers only, so it is the same on every
host. It covers a turn and a quarter: the cosine is the same table, read a quarter turn further on.

    >>> from retrosim.numeric.tables import cosine, rotated_x, rotated_y, sine
    >>> sine(256), cosine(0), sine(512), sine(-256)
    (16384, 16384, 0, -16384)
    >>> rotated_x(100, 0, cosine(128), sine(128)), rotated_y(100, 0, cosine(128), sine(128))
    (70, 70)
"""

from __future__ import annotations

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
