import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrosim.window.chrome import MIN_WIDTH, first_size, layout, window_size


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
def test_pixels_are_whole_and_parts_do_not_overlap(width, height):
    areas = layout(width, height)
    left, top, right, bottom = areas.picture
    assert areas.scale == int(areas.scale) >= 1 and (right - left, bottom - top) == (
        640 * areas.scale,
        480 * areas.scale,
    )
    assert left >= 0 and right <= width and abs(left - (width - right)) <= 1, "centred"
    assert areas.toolbar[3] <= top and bottom <= areas.status_bar[1] and areas.status_bar[3] == height
    assert areas.chrome_scale <= areas.scale and areas.toolbar[2] >= width
    assert areas.chrome_width >= MIN_WIDTH


@settings(deadline=None)
@given(st.integers(640, 5000), st.integers(531, 4000))
def test_no_larger_pixels_would_fit(width, height):
    scale = int(layout(width, height).scale) + 1
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
