import numpy as np
import pytest

from retrosim.video.controls import help_lines
from retrosim.video.font import text_mask
from retrosim.video.hud import SHIFTS, Scene
from retrosim.video.overlay import (
    BLUE,
    INK,
    RED,
    clear_overlay,
    collisions_text,
    draw_collisions,
    draw_grid,
    draw_help,
    draw_tag,
    draw_waiting,
    grid_text,
)


def where(overlay, colour):
    return (overlay == np.array(colour, np.uint8)).all(axis=2)


def has_text(overlay, text, colour):
    """Find a line of text anywhere: the mask fits with every dot in that colour and no dot between."""
    mask, image = text_mask(text)[:7], where(overlay, colour)
    windows = np.lib.stride_tricks.sliding_window_view(image, mask.shape)
    first = np.argwhere(windows[:, :, mask].all(axis=2) if mask.sum() < 60 else _candidates(windows, mask))
    return any((windows[y, x] == mask).all() for y, x in first)


def _candidates(windows, mask):
    dots = np.argwhere(mask)[:60]
    found = np.ones(windows.shape[:2], bool)
    for y, x in dots:
        found &= windows[:, :, y, x]
    return found


@pytest.mark.parametrize("number", range(4))
def test_grid_lines_are_the_sector_borders_of_the_pass(number):
    overlay = clear_overlay()
    draw_grid(overlay, number)
    blue = where(overlay, BLUE)
    x_shift, y_shift = SHIFTS[number]
    assert [x for x in range(640) if blue[:440, x].all()] == [x for x in range(1, 640) if (x + x_shift) % 64 == 0]
    assert [y for y in range(440) if blue[y].all()] == [y for y in range(1, 440) if (y + y_shift) % 64 == 0]
    assert grid_text(number) == f"pass {number + 1} of 4, grid shifted by ({x_shift}, {y_shift})"


def test_grid_counts_objects_and_pair_tests():
    overlay = clear_overlay()
    at = np.array([70, 80, 90, 300])
    scene = Scene(at, at, np.zeros(4, bool))
    draw_grid(overlay, 0, scene)
    assert grid_text(0, scene).endswith(", 3 pair tests") and has_text(overlay[60:80, 60:80], "3", BLUE)
    assert not where(overlay, BLUE)[258:266, 258:266].any(), "a sector of one object costs nothing and has no number"


def test_another_pass_is_refused():
    with pytest.raises(ValueError, match=r"pass is 4, must be 0\.\.3"):
        draw_grid(clear_overlay(), 4)


def test_collided_boxes_are_thick_and_joined_the_others_thin():
    overlay = clear_overlay()
    corners = np.array([100, 110, 300])
    scene = Scene(corners, corners, np.array([True, True, False]))
    draw_collisions(overlay, scene)
    red, blue = where(overlay, RED), where(overlay, BLUE)
    assert red[100:102, 100:110].all() and red[110:130, 138:140].all()
    assert all(red[d, d] and red[d, d + 1] for d in range(115, 126)), "a line joins the centres"
    assert blue[300, 300:330].all() and blue[300:330, 329].all() and not overlay[302:328, 302:328].any()
    assert collisions_text(scene) == "2 objects hit (thick boxes), 1 pair (joined)"


def test_collisions_at_the_edge_stay_on_the_screen():
    overlay = clear_overlay()
    draw_collisions(overlay, Scene(np.array([610, 639, -9]), np.array([450, 470, -9]), np.array([True, True, False])))
    assert where(overlay, RED)[450, 610:640].all()


def test_boxes_of_different_sides_are_drawn_as_they_are():
    overlay = clear_overlay()
    scene = Scene(np.array([100, 118]), np.array([100, 105]), np.array([True, True]), np.array([[20, 8], [12, 31]]))
    draw_collisions(overlay, scene)
    red = where(overlay, RED)
    assert red[100:102, 100:120].all() and red[105:107, 118:126].all() and red[134:136, 118:126].all()
    assert not red[136:].any() and not red[:, 126:].any()
    assert red[106, 110] and red[120, 122], "the line joins the centres"


def test_help_shows_every_line_of_the_control_table():
    overlay = clear_overlay()
    draw_help(overlay, help_lines())
    for keys, meaning in help_lines():
        assert has_text(overlay, keys, INK) and has_text(overlay, meaning, INK), keys


def test_waiting_says_what_is_done_and_moves():
    images = []
    for seconds in (0.0, 0.5, 61.0):
        images.append(clear_overlay())
        draw_waiting(images[-1], "retrosim", "compiling the 68040 (first run only) ...", seconds)
        assert has_text(images[-1], "compiling the 68040 (first run only) ...", INK)
        assert images[-1][..., 3].all(), "nothing shows through"
    assert (images[0] != images[1]).any()
    assert has_text(images[2], "61 s", INK)


def test_tags_stay_inside_the_image():
    overlay = clear_overlay()
    draw_tag(overlay, 630, 475, "Corner")
    assert has_text(overlay, "Corner", INK)
