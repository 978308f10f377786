"""SIMD comparisons against plain ones, at every difference that matters."""

import numpy as np
import pytest

from retrosim.collide.kernels.simd import ROW, SQUARES_AT_ONCE, lowest_bit, overlap_bits, square_bits
from retrosim.jit import kernel

pytestmark = pytest.mark.without_jit


@kernel
def bits_of(xs, ys, at, x, y, size):
    return overlap_bits(xs, ys, at, x, y, size)


@kernel
def lowest_of(bits):
    return lowest_bit(bits)


@kernel
def squares_of(corners, at, corner, size):
    return square_bits(corners, at, corner, size)


@pytest.mark.parametrize("here", [500, -1, 65536 * 3 - 7])
def test_vectors_are_what_they_say(here):
    """All differences about a side, in both axes, and far ones; the result is bits from any index on."""
    rng = np.random.default_rng(1)
    for size in (1, 2, 8, 30, 31):
        near = np.concatenate([np.arange(-33, 34), rng.integers(-5000, 5000, 61)])
        for axis in range(2):
            xs, ys = (here + near, rng.integers(here - size, here + size + 1, len(near)))[:: 1 - 2 * axis]
            corners = ((ys & 0xFFFF) << 16 | (xs & 0xFFFF)).astype(np.uint32).view(np.int32)
            overlaps = (abs(xs - here) < size) & (abs(ys - here) < size)
            for at in range(0, len(near) - ROW + 1, 3):
                expected = sum(int(bit) << k for k, bit in enumerate(overlaps[at : at + ROW]))
                if here == 500:  # 16 bits hold it
                    small = xs.astype(np.int16), ys.astype(np.int16)
                    assert bits_of(*small, at, here, here, size) == expected, (size, at)
                found = squares_of(corners, at, (here & 0xFFFF) * 0x10001, size)
                assert found == expected & (1 << SQUARES_AT_ONCE) - 1, (size, at)


def test_lowest_bits():
    for bit in range(33):
        for rest in (0, 1, 5, 1 << 20):
            assert lowest_of((rest << (bit + 1)) | (1 << bit)) == bit
