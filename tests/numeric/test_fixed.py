"""Q11.5 over its whole range."""

import pytest

from retrosim.numeric.fixed import to_pixels, to_q5

pytestmark = pytest.mark.without_jit


def test_every_word_rounds_down_to_its_pixel():
    for position in range(-32768, 32768):
        pixel = to_pixels(position)
        assert pixel * 32 <= position < (pixel + 1) * 32


def test_every_pixel_comes_back():
    for pixel in range(-1024, 1024):
        assert to_pixels(to_q5(pixel)) == pixel
        assert -32768 <= to_q5(pixel) <= 32767
