"""Wrapping words against the words of the host's C compiler."""

import ctypes

import pytest

from retrosim.numeric.fixed import wrap, wrap16, wrap32

pytestmark = pytest.mark.without_jit


def test_16_bits_exhaustively():
    """Every difference of two 16-bit numbers, and more."""
    for value in range(-(1 << 17), 1 << 17):
        assert wrap16(value) == ctypes.c_int16(value).value


@pytest.mark.parametrize("turn", range(-3, 4))
def test_32_bits_around_every_edge(turn):
    for edge in (-(1 << 31), 0, 1 << 31):
        for near in range(-300, 301):
            value = (turn << 32) + edge + near
            assert wrap32(value) == ctypes.c_int32(value).value


def test_width_is_chosen():
    assert wrap(40_000, True) == 40_000 - 65_536
    assert wrap(40_000, False) == 40_000


def test_most_negative_word_has_no_positive_counterpart():
    assert wrap16(-wrap16(-32768)) == -32768
    assert wrap32(-wrap32(-(1 << 31))) == -(1 << 31)
