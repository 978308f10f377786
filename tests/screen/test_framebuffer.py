import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrosim.screen.framebuffer import (
    BLACK,
    DK_GRAY,
    EMPTY,
    GRAY,
    LT_GRAY,
    RED,
    SOLID,
    WHITE,
    blank,
    clipped,
    frame_rect,
    macintosh_palette,
    paint_rect,
    pattern_bits,
    pattern_mask,
)

PATTERNS = {"white": EMPTY, "ltGray": LT_GRAY, "gray": GRAY, "dkGray": DK_GRAY, "black": SOLID}
SIDES = st.integers(-700, 1300)
RECTS = st.tuples(SIDES, SIDES, SIDES, SIDES)


def picture(pixels):
    return ["".join("#" if pixel == 255 else "." if pixel == 0 else "?" for pixel in row) for row in pixels]


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS)
def test_patterns_are_anchored_to_the_screen(pattern):
    whole, parts = blank(), blank()
    paint_rect(whole, (0, 0, 640, 480), pattern)
    for rect in ((0, 0, 211, 480), (211, 0, 640, 133), (211, 133, 640, 480)):
        paint_rect(parts, rect, pattern)
    assert (whole == parts).all(), "adjoining fills join without a seam"
    y, x = np.mgrid[0:480, 0:640]
    assert ((whole == 255) == pattern_bits(pattern)[y & 7, x & 7]).all()


def test_paint_rect_is_half_open_and_pat_copy():
    pixels = np.full((4, 8), 7, np.uint8)
    paint_rect(pixels, (1, 1, 5, 3), GRAY)
    assert picture(pixels) == ["????????", "?#.#.???", "?.#.#???", "????????"]


def test_frame_rect_lies_inside_and_leaves_the_interior():
    pixels = np.full((5, 8), 7, np.uint8)
    frame_rect(pixels, (1, 0, 7, 5))
    assert picture(pixels) == ["?######?", "?#????#?", "?#????#?", "?#????#?", "?######?"]
    frame_rect(pixels, (1, 0, 7, 5), pen=(2, 1), foreground=0)
    assert picture(pixels) == ["?......?", "?..??..?", "?..??..?", "?..??..?", "?......?"]


def test_frame_rect_smaller_than_its_pen_is_filled():
    pixels = blank(6, 4)
    frame_rect(pixels, (1, 1, 3, 2), pen=(5, 5))
    assert picture(pixels) == ["......", ".##...", "......", "......"]


def test_clip_keeps_what_lies_outside():
    pixels = blank(6, 4)
    paint_rect(pixels, (-9, -9, 99, 99), clip=(2, 1, 4, 3))
    assert picture(pixels) == ["......", "..##..", "..##..", "......"]


@settings(deadline=None)
@given(RECTS, RECTS)
def test_clipped_is_the_intersection(rect, clip):
    seen = clipped(blank(), rect, clip)
    inside = [
        max(0, rect[0], clip[0]),
        max(0, rect[1], clip[1]),
        min(640, rect[2], clip[2]),
        min(480, rect[3], clip[3]),
    ]
    assert seen == (tuple(inside) if inside[0] < inside[2] and inside[1] < inside[3] else None)


@settings(deadline=None)
@given(RECTS, st.sampled_from(list(PATTERNS.values())))
def test_painting_equals_the_rule_pixel_by_pixel(rect, pattern):
    pixels = np.full((480, 640), 9, np.uint8)
    paint_rect(pixels, rect, pattern)
    y, x = np.mgrid[0:480, 0:640]
    inside = (x >= rect[0]) & (x < rect[2]) & (y >= rect[1]) & (y < rect[3])
    assert (pixels == np.where(inside, np.where(pattern_bits(pattern)[y & 7, x & 7], 255, 0), 9)).all()


def test_images_may_be_rgba():
    image = np.zeros((4, 4, 4), np.uint8)
    paint_rect(image, (0, 0, 2, 1), GRAY, foreground=(1, 2, 3, 255), background=(9, 9, 9, 255))
    assert image[0, :3].tolist() == [[1, 2, 3, 255], [9, 9, 9, 255], [0, 0, 0, 0]]


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


KNOWN = {
    WHITE: "FFFFFF",
    1: "FFFFCC",
    5: "FFFF00",
    6: "FFCCFF",
    RED: "FF0000",
    36: "CCFFFF",
    214: "000033",
    215: "EE0000",
    224: "110000",
    225: "00EE00",
    234: "001100",
    235: "0000EE",
    244: "000011",
    245: "EEEEEE",
    249: "888888",
    254: "111111",
    BLACK: "000000",
}


def test_known_entries_of_the_macintosh_colour_table():
    palette = macintosh_palette()
    assert palette.shape == (256, 3) and palette.dtype == np.uint8
    assert {index: palette[index].tobytes().hex().upper() for index in KNOWN} == KNOWN


def test_every_colour_stands_once():
    assert len(np.unique(macintosh_palette(), axis=0)) == 256


def test_cube_formula():
    palette, levels = macintosh_palette(), (0xFF, 0xCC, 0x99, 0x66, 0x33, 0)
    for index in range(215):
        wanted = levels[index // 36], levels[index // 6 % 6], levels[index % 6]
        assert tuple(palette[index]) == wanted, index
