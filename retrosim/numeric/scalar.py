"""Two's complement words that wrap: what a 16-bit or 32-bit register keeps of a wider result.

Numba computes every integer in 64 bits, so a kernel calls `wrap` where a word of the period would overflow. The
formulas also hold for Python's unbounded integers: kernels give the same results with the compiler switched off.
"""

from __future__ import annotations

from retrosim.jit import kernel


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
