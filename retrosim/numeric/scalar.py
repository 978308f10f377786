"""Two's complement words that wrap: what a 16-bit or 32-bit register keeps of a wider result.

Numba computes every integer in 64 bits, so a kernel says where the period's word ends by calling `wrap`. Written in
arithmetic that plain Python integers obey as well: the kernels give the same results with the compiler switched off.
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
def wrap(value: int, narrow: bool) -> int:
    """Return `value` as a 16-bit word if `narrow`, else as a 32-bit word."""
    if narrow:
        return wrap16(value)
    return wrap32(value)
