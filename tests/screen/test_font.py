import itertools
import string

import numpy as np
import pytest

from retrosim.screen.font import ADVANCE, FIRST, LAST, LEADING, draw_text, glyphs, text_mask, text_width


def glyph(char):
    return glyphs()[ord(char) - FIRST]


def test_every_printable_character_has_a_glyph():
    assert glyphs().shape == (LAST - FIRST + 1, 9, 5)
    blank = [chr(FIRST + i) for i, drawn in enumerate(glyphs()) if not drawn.any()]
    assert blank == [" "]


def test_glyphs_differ_by_two_pixels_or_more():
    near = [
        (a, b)
        for a, b in itertools.combinations(map(chr, range(FIRST, LAST + 1)), 2)
        if (glyph(a) ^ glyph(b)).sum() < 2
    ]
    assert near == []


def test_glyphs_keep_to_their_lines():
    for char in string.ascii_uppercase + string.digits:
        assert glyph(char)[0].any() and glyph(char)[6].any() and not glyph(char)[7:].any(), char
    for char in string.ascii_lowercase:
        assert glyph(char)[7:].any() == (char in "gjpqy"), char
        assert glyph(char)[:2].any() == (char in "bdfhijklt"), char


def test_a_known_letter():
    assert ["".join(".#"[int(dot)] for dot in row) for row in glyph("A")[:7]] == [
        ".###.",
        "#...#",
        "#...#",
        "#####",
        "#...#",
        "#...#",
        "#...#",
    ]


def test_lines_and_characters_do_not_touch():
    pixels = np.zeros((2 * LEADING, 4 * ADVANCE), np.uint8)
    draw_text(pixels, 0, 0, "MgWy", 1)
    draw_text(pixels, 0, LEADING, "MTWT", 1)
    assert not pixels[:, ADVANCE - 1 :: ADVANCE].any() and not pixels[9:LEADING].any()


@pytest.mark.parametrize("scale", [1, 2, 3])
def test_scaling_repeats_whole_pixels(scale):
    small, large = text_mask("Frame 12"), text_mask("Frame 12", scale)
    assert large.shape == (9 * scale, text_width("Frame 12", scale))
    for dy, dx in itertools.product(range(scale), repeat=2):
        assert (large[dy::scale, dx::scale] == small).all()


def test_bold_smears_by_one_pixel_and_stays_apart():
    plain, bold = text_mask("I"), text_mask("I", bold=True)
    assert bold.shape == (9, text_width("I", bold=True)) == (9, ADVANCE + 1)
    assert (bold[:, 1:] == (plain | np.pad(plain, ((0, 0), (0, 1)))[:, 1:])).all()
    assert not text_mask("MM", bold=True)[:, 6].any()


def test_text_is_clipped_at_every_edge():
    whole = np.zeros((30, 60), np.uint8)
    draw_text(whole, 10, 10, "Clip", 5)
    for x, y in [(-4, 3), (50, 3), (3, -5), (3, 26), (-40, 0), (99, 99)]:
        seen, larger = np.zeros((30, 60), np.uint8), np.zeros((230, 260), np.uint8)
        draw_text(seen, x, y, "Clip", 5)
        draw_text(larger, x + 100, y + 100, "Clip", 5)
        assert (seen == larger[100:130, 100:160]).all(), (x, y)
    assert (whole == 5).sum() == text_mask("Clip").sum()


def test_colour_may_be_rgba_and_the_next_column_is_told():
    image = np.zeros((12, 40, 4), np.uint8)
    assert draw_text(image, 2, 1, "ab", (9, 8, 7, 255)) == 2 + 2 * ADVANCE
    assert set(map(tuple, image.reshape(-1, 4))) == {(0, 0, 0, 0), (9, 8, 7, 255)}


def test_foreign_characters_show_as_question_marks():
    assert (text_mask("\u20ac\n\x7f") == text_mask("???")).all()


def test_scale_below_one_is_refused():
    with pytest.raises(ValueError, match="scale 0: allowed 1 or more"):
        text_mask("a", 0)


def test_an_empty_line_draws_nothing():
    assert text_mask("").shape == (9, 0)
