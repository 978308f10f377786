"""SIMD comparisons against plain ones, at every difference that matters."""

import numpy as np
import pytest

from retrosim.collide.kernels.simd import VECTOR, lowest_bit, overlap_bits
from retrosim.jit import kernel

pytestmark = pytest.mark.without_jit


@kernel
def bits_of(xs, ys, at, x, y, size):
    return overlap_bits(xs, ys, at, x, y, size)


@kernel
def lowest_of(bits):
    return lowest_bit(bits)


@pytest.mark.parametrize("dtype", [np.int16, np.int32])
def test_vectors_are_what_they_say(dtype):
    """All differences about a side, in both axes, and far ones; the result is bits from any index on."""
    length, rng = VECTOR[8 * np.dtype(dtype).itemsize], np.random.default_rng(1)
    for size in (1, 2, 8, 30, 31):
        near = np.concatenate([np.arange(-33, 34), rng.integers(-5000, 5000, 61)])
        for axis in range(2):
            coordinates = [500 + near, rng.integers(500 - size, 500 + size + 1, len(near))]
            xs, ys = (each.astype(dtype) for each in (coordinates if axis == 0 else coordinates[::-1]))
            overlaps = (abs(xs - 500) < size) & (abs(ys - 500) < size)
            for at in range(0, len(near) - length + 1, 3):
                expected = sum(int(bit) << k for k, bit in enumerate(overlaps[at : at + length]))
                assert bits_of(xs, ys, at, 500, 500, size) == expected, (size, at)


def test_lowest_bits():
    for bit in range(33):
        for rest in (0, 1, 5, 1 << 20):
            assert lowest_of((rest << (bit + 1)) | (1 << bit)) == bit
