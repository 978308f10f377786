"""Square roots and distances: exhaustive where it is cheap, the stated error over the whole screen."""

import math
import random

import pytest

from retrosim.jit import JIT
from retrosim.numeric.tables import DISTANCE_ERROR_PX, SECANTS, distance_2d, integer_square_root
from tests.helpers.amount import FULL

pytestmark = pytest.mark.without_jit


def test_square_roots_around_every_square():
    for root in range(0, 65536, 7):
        square = root * root
        assert integer_square_root(square) == root
        assert integer_square_root(square + 2 * root) == root
        if square:
            assert integer_square_root(square - 1) == root - 1
    assert integer_square_root(2**32 - 1) == 65535
    for value in range(4096):
        assert integer_square_root(value) == math.isqrt(value)


def test_secants_are_the_nearest_words():
    for i, word in enumerate(SECANTS.tolist()):
        assert abs(word - 16384 * math.sqrt(1 + (i / 1024) ** 2)) < 0.5000001


def test_error_over_the_whole_screen():
    """Legs on a 640x480 screen: the stated bound holds and is no looser than it need be; in Python, some of them."""
    worst, where = 0.0, None
    first, step = (0, 1) if JIT or FULL else (3, 4)  # the worst one is among these too
    for dx in range(0, 640, step):
        for dy in range(first, 480, step):
            error = abs(distance_2d(0, 0, dx, dy) - math.sqrt(dx * dx + dy * dy))
            if error > worst:
                worst, where = error, (dx, dy)
    assert DISTANCE_ERROR_PX - 0.01 < worst < DISTANCE_ERROR_PX, (worst, where)


def test_distance_is_symmetric_and_exact_along_the_axes():
    numbers = random.Random(4)
    for _ in range(2000):
        x1, y1, x2, y2 = (numbers.randint(-16384, 16383) for _ in range(4))
        found = distance_2d(x1, y1, x2, y2)
        assert found == distance_2d(x2, y2, x1, y1) == distance_2d(y1, x1, y2, x2)
        assert found == pytest.approx(math.hypot(x1 - x2, y1 - y2), abs=13)
        assert distance_2d(x1, 5, x2, 5) == abs(x1 - x2)
