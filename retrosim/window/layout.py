"""Where the parts of the window go: bar of buttons above, strip of figures below, the machine's screen between them.

Both sizes are whole pixels per pixel: the picture takes the largest that fits, the window's own parts the largest up to
that. Only a window too small for everything at size 1 shrinks it all by a fraction.
"""

from __future__ import annotations

from dataclasses import dataclass

from retrosim.screen.framebuffer import HEIGHT, WIDTH, Rect

from .chrome import BAR_HEIGHT, MINIMUM_WIDTH, strip_height

MARGIN = 79
"""Rows of a screen left for the desktop's own bars when a window size is chosen."""


@dataclass(frozen=True)
class Layout:
    """Rectangles in pixels of the window, y downwards.

    scale         window pixels per pixel of the picture
    chrome_scale  window pixels per pixel of bar and strip
    chrome_width  width of bar and strip in their own pixels
    """

    scale: float
    chrome_scale: float
    chrome_width: int
    picture: Rect
    bar: Rect
    strip: Rect


def chrome_height(width: int, scale: int) -> int:
    """Return the rows that bar and strip take in a window of this width, window pixels."""
    return (BAR_HEIGHT + strip_height(-(-width // scale))) * scale


def layout(width: int, height: int) -> Layout:
    """Return where things go in a window of this size, pixels."""
    most = max(1, width // WIDTH)
    for scale in range(most, 0, -1):
        for chrome_scale in range(scale, 0, -1):
            room = height - chrome_height(width, chrome_scale)
            if WIDTH * scale <= width and HEIGHT * scale <= room:
                return _placed(width, height, scale, chrome_scale)
    full = HEIGHT + chrome_height(MINIMUM_WIDTH, 1)
    fraction = max(1, min(width / WIDTH, height / full) * full) / full
    return _placed(width, height, fraction, fraction)


def _placed(width: int, height: int, scale: float, chrome_scale: float) -> Layout:
    chrome_width = max(MINIMUM_WIDTH, int(-(-width // chrome_scale)))
    across = round(chrome_width * chrome_scale)
    bar = (0, 0, across, round(BAR_HEIGHT * chrome_scale))
    top = height - round(strip_height(chrome_width) * chrome_scale)
    picture_width, picture_height = round(WIDTH * scale), round(HEIGHT * scale)
    left = (width - picture_width) // 2
    upper = bar[3] + (top - bar[3] - picture_height) // 2
    picture = (left, upper, left + picture_width, upper + picture_height)
    return Layout(scale, chrome_scale, chrome_width, picture, bar, (0, top, across, height))


def window_size(scale: int, screen_width: int, screen_height: int) -> tuple[int, int] | None:
    """Return the window size for a picture of `scale` pixels per pixel, None if the screen is too small for it.

    Bar and strip get the same scale if there is room, else the largest there is room for.
    """
    width = WIDTH * scale
    for chrome_scale in range(scale, 0, -1):
        height = HEIGHT * scale + chrome_height(width, chrome_scale)
        if width <= screen_width and height <= screen_height - MARGIN:
            return width, height
    return None


def first_size(screen_width: int, screen_height: int) -> tuple[int, int]:
    """Return the size a window opens with: the largest of 1, 2 and 3 pixels per pixel that the screen holds."""
    sizes = [window_size(scale, screen_width, screen_height) for scale in (3, 2, 1)]
    return next((size for size in sizes if size), (WIDTH, HEIGHT + chrome_height(WIDTH, 1)))
