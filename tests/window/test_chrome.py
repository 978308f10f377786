from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrosim.machine import PRESETS
from retrosim.scenarios.shapes import shapes_of
from retrosim.screen.font import text_mask, text_width
from retrosim.screen.framebuffer import BLACK, RED, WHITE
from retrosim.window.chrome import (
    MIN_WIDTH,
    ONE_LINE_WIDTH,
    ROW,
    TOOLBAR_HEIGHT,
    Readings,
    button_at,
    draw_status_bar,
    draw_toolbar,
    first_size,
    layout,
    metrics_lines,
    speed_text,
    status_bar_height,
    window_size,
)
from retrosim.window.controls import CONTROLS, GROUP_STARTS


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


@pytest.mark.parametrize(
    "screen, size",
    [
        ((640, 480), (640, 531)),
        ((1024, 768), (640, 531)),
        ((1366, 768), (640, 531)),
        ((1920, 1080), (1280, 1001)),
        ((2560, 1440), (1280, 1062)),
        ((3840, 2160), (1920, 1593)),
    ],
)
def test_first_size(screen, size):
    assert first_size(*screen) == size


@pytest.mark.parametrize("scale", [1, 2, 3, 4])
def test_a_window_made_for_a_scale_gets_it(scale):
    width, height = window_size(scale, 3840, 2160)
    areas = layout(width, height)
    assert areas.scale == scale and width == 640 * scale
    assert areas.picture[0] == 0 and areas.picture[1] == areas.toolbar[3] and areas.picture[3] == areas.status_bar[1]


def test_a_screen_may_be_too_small():
    assert window_size(2, 1366, 768) is None and window_size(4, 1920, 1080) is None


@settings(deadline=None)
@given(st.integers(640, 5000), st.integers(531, 4000))
def test_pixels_are_whole_or_halves_and_parts_do_not_overlap(width, height):
    areas = layout(width, height)
    left, top, right, bottom = areas.picture
    assert areas.scale == int(2 * areas.scale) / 2 >= 1 and (right - left, bottom - top) == (
        640 * areas.scale,
        480 * areas.scale,
    )
    assert left >= 0 and right <= width and abs(left - (width - right)) <= 1, "centred"
    assert areas.toolbar[3] <= top and bottom <= areas.status_bar[1] and areas.status_bar[3] == height
    assert areas.chrome_scale == int(areas.chrome_scale) <= areas.scale and areas.toolbar[2] >= width
    assert areas.chrome_width >= MIN_WIDTH


@settings(deadline=None)
@given(st.integers(640, 5000), st.integers(531, 4000))
def test_no_larger_pixels_would_fit(width, height):
    scale = layout(width, height).scale + 0.5
    smallest_chrome = 17 + 24
    assert 640 * scale > width or 480 * scale + smallest_chrome > height or width < 1200


@settings(deadline=None)
@given(st.integers(1, 700), st.integers(1, 600))
def test_small_windows_still_show_everything(width, height):
    areas = layout(width, height)
    assert 0 < areas.scale <= 1
    if areas.scale < 1:
        assert areas.chrome_scale == areas.scale
    assert areas.picture[2] - areas.picture[0] <= max(width, 2) + 1
    assert areas.picture[3] - areas.picture[1] <= max(height, 2) + 1


TICK_CYCLES = Fraction(25_000_000 * 704 * 370, 15_667_200)


def sectors(corners, collided):
    """What the routine of `sectors` tests in a world of boxes."""
    x, y = np.array(corners, int).reshape(-1, 2).T << 5
    return shapes_of("sectors", {"px": x, "py": y, "collided": np.array(collided, int)}, lambda *_: {})


def test_an_empty_world_has_figures_too():
    cost = metrics_lines(Readings("native", "sectors", shapes=sectors([], [])))[1]
    assert " ".join(cost.split()).endswith("0 of 0 hit 0 pairs hit 0 tests")


def test_lines_say_what_the_issue_asks_for():
    readings = Readings(
        machine="mc68040-25",
        rom="sectors",
        frame=1234,
        periods=2468,
        cycles=int(1.5 * TICK_CYCLES),
        instructions=300_000,
        period_cycles=TICK_CYCLES,
        shapes=sectors([(0, 0), (10, 10), (200, 200)], [1, 1, 0]),
        speed=Fraction(1, 4),
    )
    reached, cost = metrics_lines(readings)
    for part in ("mc68040-25 sectors", "frame 1,234", "tick 2,468", "speed 1/4x"):
        assert part in reached
    for part in ("623,468 cycles/frame", "150.0% of a tick", "CPI 2.08", "2 of 3 hit", "1 pair hit ", "4 tests"):
        assert part in cost


@pytest.mark.parametrize("name, period", [("mc68040-25", "tick"), ("i486dx2-66", "retrace")])
def test_figures_keep_their_places(name, period):
    """And the period of the frame clock is called what the machine calls it."""
    assert PRESETS[name].frame_period == period
    readings = (
        Readings(name, "sectors", n, n, n, 1 + n // 3, TICK_CYCLES, sectors([(0, 0)], [0]), Fraction(1), period)
        for n in (7, 9_876_543)
    )
    small, large = map(metrics_lines, readings)
    assert f"{period} 9,876,543 " in large[0] and f"% of a {period} " in small[1]
    for words in (("frame", period, "speed"), ("CPI", " hit")):
        line = 0 if words[0] == "frame" else 1
        assert [small[line].index(word) for word in words] == [large[line].index(word) for word in words]
    assert all(len(line) <= 104 for line in large)


@pytest.mark.parametrize("cycles", [0, 1234])
def test_without_instructions_or_cycles(cycles):
    assert "CPI -" in metrics_lines(Readings("mc68040-25", "x", cycles=cycles, period_cycles=TICK_CYCLES))[1]
    assert "no cycles" in metrics_lines(Readings("native", "sectors"))[1]


def test_speed_text():
    assert [speed_text(Fraction(*of)) for of in ((1, 64), (1, 1), (8, 1))] == ["1/64x", "1x", "8x"]


def test_where_buttons_are():
    """From five pixels on, two between buttons, seven between groups, three to either side of a text."""
    assert ROW[0].rect[0] == 5 and {button.rect[1::2] for button in ROW} == {(2, TOOLBAR_HEIGHT - 2)}
    for before, after in pairwise(ROW):
        assert after.rect[0] - before.rect[2] == (7 if after.control.action in GROUP_STARTS else 2)
    for button in ROW:
        letters = 5 if button.control.action == "normal" else len(button.text)
        assert button.rect[2] - button.rect[0] == text_width("0" * letters) + 6
    assert [button.text for button in ROW] == [control.button for control in CONTROLS if control.button]
