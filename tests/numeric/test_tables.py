"""The table of sines against the mathematics, and rotations at the edges of their words."""

import math

import numpy as np
import pytest

from retrosim.numeric.tables import SINES, cosine, rotated_x, rotated_y, sine

pytestmark = pytest.mark.without_jit


def test_every_entry_is_the_nearest_word():
    assert SINES.dtype == np.int16 and len(SINES) == 1280
    for angle, word in enumerate(SINES.tolist()):
        exact = 16384 * math.sin(2 * math.pi * angle / 1024)
        assert abs(word - exact) < 0.5, angle
        assert abs(exact - math.floor(exact) - 0.5) > 1e-6 or angle % 512 == 0  # no entry hangs on a last digit


def test_angles_wrap():
    for angle in range(-2048, 2048):
        assert sine(angle) == SINES[angle % 1024]
        assert cosine(angle) == SINES[(angle + 256) % 1024]
    assert [sine(a << 2) for a in (0, 64, 128, 192)] == [0, 16384, 0, -16384]  # 256 to the turn


def test_quarter_turns_are_exact():
    turned = {0: (7, -5), 256: (5, 7), 512: (-7, 5), 768: (-5, -7)}
    for angle, (x, y) in turned.items():
        assert rotated_x(7, -5, cosine(angle), sine(angle)) == x
        assert rotated_y(7, -5, cosine(angle), sine(angle)) == y


def test_rotations_stay_within_32_bits_and_near_the_truth():
    worst = 0.0
    for angle in range(1024):
        c, s = cosine(angle), sine(angle)
        for x, y in ((32767, 32767), (-32768, 32767), (-32768, -32768), (31367, 0), (1, 1)):
            for product in (x * c - y * s, x * s + y * c):
                assert -(2**31) <= product < 2**31
            a = 2 * math.pi * angle / 1024
            worst = max(worst, abs(rotated_x(x, y, c, s) - (x * math.cos(a) - y * math.sin(a))))
            worst = max(worst, abs(rotated_y(x, y, c, s) - (x * math.sin(a) + y * math.cos(a))))
    assert 1 < worst < 3  # half a unit of Q1.14 in both factors of 32768, and the cut
