"""The `rand` printed in the ANSI C standard: 32 bits of state, 15 bits of result.

The state is a plain integer 0..2**32-1 that callers pass in and get back, so it can be saved and hashed with a world.
"""

from __future__ import annotations

from retrosim.jit import kernel

RAND_MAX = 32767


@kernel
def advance(state: int) -> int:
    """Return the state after one more call of `rand`; `srand(seed)` is the state `seed` itself."""
    return (state * 1103515245 + 12345) & 0xFFFFFFFF


@kernel
def rand_value(state: int) -> int:
    """Return the number that `rand` gives in this state: 0..RAND_MAX."""
    return (state >> 16) & RAND_MAX


@kernel
def rand_scalar(maximum: int, state: int) -> int:
    """Scale the number of this state to 0..maximum-1.

    maximum  int  1..131076, so that the product stays below 2**32 as in the C of the time
    Source   Moertel 1994, _RandScalar
    """
    return maximum * rand_value(state) // (RAND_MAX + 1)
