import numpy as np
import pytest

from retrosim.screen.font import text_mask
from retrosim.screen.framebuffer import BLACK, RED, WHITE
from retrosim.window.chrome import (
    MIN_WIDTH,
    ONE_LINE_WIDTH,
    ROW,
    TOOLBAR_HEIGHT,
    button_at,
    draw_status_bar,
    draw_toolbar,
    status_bar_height,
)


def shows(pixels, text, bold=False, ink=BLACK):
    mask = text_mask(text, bold=bold)[:7]
    windows = np.lib.stride_tricks.sliding_window_view(pixels == ink, mask.shape)
    rows = [y for y in range(windows.shape[0]) if any((windows[y, x] == mask).all() for x in range(windows.shape[1]))]
    return bool(rows)


def test_buttons_fit_and_do_not_touch():
    sides = [side for button in ROW for side in (button.rect[0], button.rect[2])]
    assert sides == sorted(set(sides)) and sides[-1] <= MIN_WIDTH - 5
    for button in ROW:
        left, top, right, bottom = button.rect
        assert 0 < top < bottom < TOOLBAR_HEIGHT
        assert button_at(left, top) is button_at(right - 1, bottom - 1) is button.control
        assert button_at(right, top) is None and button_at(left, bottom) is None
    assert button_at(-1, 5) is None and button_at(10_000, 5) is None


@pytest.mark.parametrize("button", ROW, ids=lambda button: button.control.action)
def test_each_button_shows_its_text_and_inverts_when_active(button):
    left, top, right, bottom = button.rect
    speed = "1/64x"
    text = speed if button.control.action == "normal" else button.text
    for active, ink in (((), BLACK), ({button.control.action}, WHITE)):
        area = draw_toolbar(640, active, speed)[top:bottom, left:right]
        assert shows(area, text, ink=ink)
        assert (area[1, 1] == WHITE) == (ink == BLACK)


def test_toolbar_spans_the_window():
    assert draw_toolbar(1000, (), "1x").shape == (TOOLBAR_HEIGHT, 1000)
    assert draw_toolbar(100, (), "1x").shape == (TOOLBAR_HEIGHT, MIN_WIDTH)
    assert (draw_toolbar(1000, (), "1x")[-1] == BLACK).all()


@pytest.mark.parametrize("width", [640, ONE_LINE_WIDTH])
def test_status_bar_shows_lines_message_and_state(width):
    bar = draw_status_bar(width, ["first line", "second line"], "the message", "RUNNING")
    assert bar.shape == (status_bar_height(width), width)
    assert shows(bar, "first line") and shows(bar, "second line") and shows(bar, "the message")
    assert shows(bar, "RUNNING", bold=True) and RED not in bar
    assert draw_status_bar(width, [], "", "X").shape == bar.shape, "switching the metrics off moves nothing"


def test_what_stands_still_is_white_on_black():
    bar = draw_status_bar(640, [], "", "PAUSED", is_alarming=True)
    assert shows(bar, "PAUSED", bold=True, ink=WHITE) and not shows(bar, "PAUSED", bold=True)


def test_recording_is_a_red_dot_and_letters():
    bar = draw_status_bar(640, ["x" * 104], "", "RUNNING", is_recording=True)
    assert shows(bar, "REC", bold=True)
    red = np.argwhere(bar == RED)
    assert len(red) > 20 and np.ptp(red, axis=0).max() < 9
