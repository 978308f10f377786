import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrosim.window.chrome import MIN_WIDTH
from retrosim.window.layout import first_size, layout, window_size


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
    place = layout(width, height)
    assert place.scale == scale and width == 640 * scale
    assert place.picture[0] == 0 and place.picture[1] == place.toolbar[3] and place.picture[3] == place.status_bar[1]


def test_a_screen_may_be_too_small():
    assert window_size(2, 1366, 768) is None and window_size(4, 1920, 1080) is None


@settings(deadline=None)
@given(st.integers(640, 5000), st.integers(531, 4000))
def test_pixels_are_whole_and_parts_do_not_overlap(width, height):
    place = layout(width, height)
    left, top, right, bottom = place.picture
    assert place.scale == int(place.scale) >= 1 and (right - left, bottom - top) == (
        640 * place.scale,
        480 * place.scale,
    )
    assert left >= 0 and right <= width and abs(left - (width - right)) <= 1, "centred"
    assert place.toolbar[3] <= top and bottom <= place.status_bar[1] and place.status_bar[3] == height
    assert place.chrome_scale <= place.scale and place.toolbar[2] >= width
    assert place.chrome_width >= MIN_WIDTH


@settings(deadline=None)
@given(st.integers(640, 5000), st.integers(531, 4000))
def test_no_larger_pixels_would_fit(width, height):
    scale = int(layout(width, height).scale) + 1
    smallest_chrome = 17 + 24
    assert 640 * scale > width or 480 * scale + smallest_chrome > height or width < 1200


@settings(deadline=None)
@given(st.integers(1, 700), st.integers(1, 600))
def test_small_windows_still_show_everything(width, height):
    place = layout(width, height)
    assert 0 < place.scale <= 1
    if place.scale < 1:
        assert place.chrome_scale == place.scale
    assert place.picture[2] - place.picture[0] <= max(width, 2) + 1
    assert place.picture[3] - place.picture[1] <= max(height, 2) + 1
