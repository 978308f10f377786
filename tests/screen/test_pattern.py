import numpy as np
import pytest

from retrosim.screen.pattern import BLACK, DK_GRAY, GRAY, LT_GRAY, WHITE, pattern_bits, pattern_mask

PATTERNS = {"white": WHITE, "ltGray": LT_GRAY, "gray": GRAY, "dkGray": DK_GRAY, "black": BLACK}


def rows(bits):
    return ["".join("#" if bit else "." for bit in row) for row in bits]


def test_patterns_have_their_grey_and_their_phase():
    share = {name: pattern_bits(pattern).mean() for name, pattern in PATTERNS.items()}
    assert share == {"white": 0, "ltGray": 0.25, "gray": 0.5, "dkGray": 0.75, "black": 1}
    assert rows(pattern_bits(GRAY)[:2]) == ["#.#.#.#.", ".#.#.#.#"]
    assert rows(pattern_bits(LT_GRAY)[:2]) == ["#...#...", "..#...#."]
    assert rows(pattern_bits(DK_GRAY)[:2]) == [".###.###", "##.###.#"]


def test_pattern_of_another_length_is_refused():
    with pytest.raises(ValueError, match="has 7 bytes, must have 8"):
        pattern_bits(bytes(7))


def test_gray_is_the_chequered_board_of_the_contract():
    y, x = np.mgrid[0:480, 0:640]
    assert (pattern_mask(GRAY, 0, 0, 640, 480) == ((x ^ y) & 1 == 0)).all()
