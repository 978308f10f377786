"""The ANSI C generator."""

import pytest

from retrosim.numeric.random import RAND_MAX, advance, rand_scalar, rand_value

pytestmark = pytest.mark.without_jit


def test_first_numbers_of_seed_1():
    """The sequence that the standard's sample code prints everywhere."""
    state, drawn = 1, []
    for _ in range(5):
        state = advance(state)
        drawn.append(rand_value(state))
    assert drawn == [16838, 5758, 10113, 17515, 31051]


def test_state_stays_a_32_bit_word():
    for state in (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF):
        for _ in range(1000):
            following = advance(state)
            assert following == (state * 1103515245 + 12345) % 2**32
            state = following


@pytest.mark.parametrize("maximum", [1, 451, 479, 611, 639])
def test_scaled_numbers_cover_their_range(maximum):
    """Every number the generator can give, scaled: all below the maximum, none missing, none far more often."""
    counts = [0] * maximum
    for value in range(RAND_MAX + 1):
        counts[rand_scalar(maximum, value << 16)] += 1
    assert max(counts) - min(counts) <= 1


def test_largest_maximum_stays_within_the_c_unsigned_long():
    assert 131076 * RAND_MAX < 2**32 <= 131077 * RAND_MAX
    assert rand_scalar(131076, RAND_MAX << 16) == 131076 * 32767 // 32768
