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
