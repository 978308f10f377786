"""Q11.5 fixed point: positions and velocities in 16 bits, in units of 1/32 pixel, from -1024 to almost 1024 pixels."""

from __future__ import annotations

from retrosim.jit import kernel

FRACTION_BITS = 5


@kernel
def to_q5(pixels: int) -> int:
    """Return a whole number of pixels, -1024..1023, as Q11.5."""
    return pixels << FRACTION_BITS


@kernel
def to_pixels(position_q5: int) -> int:
    """Return the pixel that a Q11.5 position lies in: an arithmetic shift, so it rounds towards minus infinity."""
    return position_q5 >> FRACTION_BITS


# Two's complement words that wrap: what a 16-bit or 32-bit register keeps of a wider result.
#
# Numba computes every integer in 64 bits, so a kernel calls `wrap` where a word of the period would overflow. The
# formulas also hold for Python's unbounded integers: kernels give the same results with the compiler switched off.


@kernel
def wrap16(value: int) -> int:
    """Return what a 16-bit word keeps of `value`, read as two's complement: -32768..32767."""
    return ((value & 0xFFFF) ^ 0x8000) - 0x8000


@kernel
def wrap32(value: int) -> int:
    """Return what a 32-bit word keeps of `value`, read as two's complement: -2147483648..2147483647."""
    return ((value & 0xFFFFFFFF) ^ 0x80000000) - 0x80000000


@kernel
def wrap(value: int, is_16_bit: bool) -> int:
    """Return `value` as a 16-bit word if `is_16_bit`, else as a 32-bit word."""
    if is_16_bit:
        return wrap16(value)
    return wrap32(value)
