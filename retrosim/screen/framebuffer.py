"""Draws on a screen image as QuickDraw does, with NumPy only.

An image is any array whose first two axes are rows and columns: uint8[480, 640] palette indices, or
uint8[height, width, 4] RGBA. A colour is what one pixel of it holds: an index, or a tuple of four.
A rectangle is (left, top, right, bottom) and encloses the pixels left..right-1, top..bottom-1.
Source: facts/machines_1994.md section 7 (Inside Macintosh, QuickDraw).
"""

from __future__ import annotations

import numpy as np

from .palette import BLACK, WHITE
from .pattern import BLACK as SOLID
from .pattern import pattern_mask

WIDTH, HEIGHT = 640, 480

Rect = tuple[int, int, int, int]
Colour = int | tuple[int, ...]


def blank(width: int = WIDTH, height: int = HEIGHT) -> np.ndarray:
    """Return a white screen, uint8[height, width] palette indices."""
    return np.full((height, width), WHITE, np.uint8)


def clipped(pixels: np.ndarray, rect: Rect, clip: Rect | None = None) -> Rect | None:
    """Return the part of `rect` inside the image and inside `clip`, or None if nothing is left."""
    height, width = pixels.shape[:2]
    left, top, right, bottom = clip or (0, 0, width, height)
    left, top = max(0, left, rect[0]), max(0, top, rect[1])
    right, bottom = min(width, right, rect[2]), min(height, bottom, rect[3])
    return (left, top, right, bottom) if left < right and top < bottom else None


def paint_rect(
    pixels: np.ndarray,
    rect: Rect,
    pattern: bytes = SOLID,
    *,
    clip: Rect | None = None,
    foreground: Colour = BLACK,
    background: Colour = WHITE,
) -> None:
    """Fill a rectangle with a pattern in mode patCopy: 1 bits in the foreground, 0 bits in the background colour.

    pixels   image, changed in place
    rect     half-open rectangle, pixels; may lie outside the image
    pattern  8 bytes, anchored to the upper left corner of the image
    clip     half-open rectangle outside of which nothing changes
    """
    seen = clipped(pixels, rect, clip)
    if seen is None:
        return
    left, top, right, bottom = seen
    area = pixels[top:bottom, left:right]
    if pattern == SOLID:
        area[...] = foreground
    else:
        area[...] = background
        area[pattern_mask(pattern, left, top, right, bottom)] = foreground


def frame_rect(
    pixels: np.ndarray,
    rect: Rect,
    pattern: bytes = SOLID,
    *,
    pen: tuple[int, int] = (1, 1),
    clip: Rect | None = None,
    foreground: Colour = BLACK,
    background: Colour = WHITE,
) -> None:
    """Draw the border of a rectangle just inside it; the interior stays untouched.

    pen      width of the vertical sides, height of the horizontal ones; pixels
    The other arguments are those of `paint_rect`.
    """
    left, top, right, bottom = rect
    across, down = min(pen[0], right - left), min(pen[1], bottom - top)
    for side in (
        (left, top, right, top + down),
        (left, bottom - down, right, bottom),
        (left, top, left + across, bottom),
        (right - across, top, right, bottom),
    ):
        paint_rect(pixels, side, pattern, clip=clip, foreground=foreground, background=background)
