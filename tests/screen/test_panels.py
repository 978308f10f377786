from retrosim.screen.overlay import INK, clear_overlay
from retrosim.window.compose import draw_help, draw_waiting
from tests.helpers.screen.overlay_pixels import has_text

LINES = [("Shift+F1..F10", "save state"), ("V", "shapes and hits"), ("?  H", "this list")]


def test_help_shows_every_line():
    overlay = clear_overlay()
    draw_help(overlay, LINES)
    for text in ("? or Esc closes this list", *(text for line in LINES for text in line)):
        assert has_text(overlay, text, INK), text


def test_waiting_says_what_is_done_and_moves():
    images = []
    for seconds in (0.0, 0.5, 61.0):
        images.append(clear_overlay())
        draw_waiting(images[-1], "retrosim", "compiling the 68040 (first run only) ...", seconds)
        assert has_text(images[-1], "compiling the 68040 (first run only) ...", INK)
        assert images[-1][..., 3].all(), "nothing shows through"
    assert (images[0] != images[1]).any()
    assert has_text(images[2], "61 s", INK)
