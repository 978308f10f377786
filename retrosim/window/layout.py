"""Where the parts of the window go: toolbar above, status bar below, the machine's screen between them.

A scale is the number of window pixels per pixel of a part, in each direction. Scales are whole numbers: the picture
gets the largest that fits, toolbar and status bar the largest up to that one. Only in a window that is too small for
scale 1 everything shrinks by a fraction. Every size down to one pixel has a layout.
"""

from __future__ import annotations

from dataclasses import dataclass

from retrosim.screen.framebuffer import HEIGHT, WIDTH, Rect

from .chrome import MIN_WIDTH, TOOLBAR_HEIGHT, status_bar_height

MARGIN = 79
"""Rows of the screen left free for the desktop's own bars when a window size is chosen, pixels."""
MAX_CHROME_WIDTH = 8192
"""Width of toolbar and status bar, in their own pixels, that any graphics card takes as a texture; they end there."""


@dataclass(frozen=True)
class Layout:
    """Rectangles in pixels of the window, y downwards.

    scale         of the picture
    chrome_scale  of toolbar and status bar
    chrome_width  width of toolbar and status bar, in their own pixels
    """

    scale: float
    chrome_scale: float
    chrome_width: int
    picture: Rect
    toolbar: Rect
    status_bar: Rect


def chrome_height(width: int, scale: int, extra: int = 0) -> int:
    """Return the height of toolbar and status bar together in a window of this width, window pixels.

    extra   rows that the status bar has besides its own, in its pixels; so below
    """
    return (TOOLBAR_HEIGHT + status_bar_height(-(-width // scale)) + extra) * scale


def layout(width: int, height: int, extra: int = 0) -> Layout:
    """Return where the parts go in a window of this size, pixels."""
    for scale in range(max(1, width // WIDTH), 0, -1):
        for chrome_scale in range(scale, 0, -1):
            free = height - chrome_height(width, chrome_scale, extra)
            if WIDTH * scale <= width and HEIGHT * scale <= free:
                return _placed(width, height, scale, chrome_scale, extra)
    full = HEIGHT + chrome_height(MIN_WIDTH, 1, extra)
    fraction = max(1, min(width / WIDTH, height / full) * full) / full
    return _placed(width, height, fraction, fraction, extra)


def _placed(width: int, height: int, scale: float, chrome_scale: float, extra: int) -> Layout:
    chrome_width = min(max(MIN_WIDTH, int(-(-width // chrome_scale))), MAX_CHROME_WIDTH)
    right = round(chrome_width * chrome_scale)
    above = round(TOOLBAR_HEIGHT * chrome_scale)
    below = height - round((status_bar_height(chrome_width) + extra) * chrome_scale)
    picture_width, picture_height = round(WIDTH * scale), round(HEIGHT * scale)
    left, top = (width - picture_width) // 2, above + (below - above - picture_height) // 2
    picture = (left, top, left + picture_width, top + picture_height)
    return Layout(scale, chrome_scale, chrome_width, picture, (0, 0, right, above), (0, below, right, height))


def window_size(scale: int, screen_width: int, screen_height: int, extra: int = 0) -> tuple[int, int] | None:
    """Return the window size for a scale of the picture, None if the screen is too small for it; all in pixels.

    Toolbar and status bar get the same scale if they fit, else the largest that fits.
    """
    width = WIDTH * scale
    for chrome_scale in range(scale, 0, -1):
        height = HEIGHT * scale + chrome_height(width, chrome_scale, extra)
        if width <= screen_width and height <= screen_height - MARGIN:
            return width, height
    return None


def first_size(screen_width: int, screen_height: int, extra: int = 0) -> tuple[int, int]:
    """Return the size that a window opens with, pixels: for the largest scale, up to 3, that fits the screen."""
    sizes = [window_size(scale, screen_width, screen_height, extra) for scale in (3, 2, 1)]
    return next((size for size in sizes if size), (WIDTH, HEIGHT + chrome_height(WIDTH, 1, extra)))
