"""Draws on a screen image as QuickDraw does, with NumPy only; the colours and patterns of the Macintosh.

An image is any array whose first two axes are rows and columns: uint8[480, 640] palette indices, or
uint8[height, width, 4] RGBA. A colour is what one pixel of it holds: an index, or a tuple of four.
A rectangle is (left, top, right, bottom) and encloses the pixels left..right-1, top..bottom-1.
Source: facts/machines_1994.md section 7 (Inside Macintosh, QuickDraw).
"""

from __future__ import annotations

import numpy as np

# The 256 colours of the Macintosh. A palette is uint8[256, 3]: red, green, blue of each index.

COLOURS = 256
WHITE, BLACK, RED = 0, 255, 35
"""Indices of three colours of the Macintosh palette."""


def macintosh_palette() -> np.ndarray:
    """Return the default colour table of an 8-bit Macintosh screen.

    Indices 0..214 are a 6x6x6 cube (red slowest, blue fastest, levels FF CC 99 66 33 00), then red, green, blue and
    grey ramps of the ten levels the cube lacks, then black.

    Returns  uint8[256, 3]  red, green, blue
    Source   Inside Macintosh, Imaging: default 'clut' 8; facts/machines_1994.md section 5
    """
    levels = np.array([0xFF, 0xCC, 0x99, 0x66, 0x33, 0x00], np.uint8)
    ramp = np.array([0xEE, 0xDD, 0xBB, 0xAA, 0x88, 0x77, 0x55, 0x44, 0x22, 0x11], np.uint8)
    palette = np.zeros((COLOURS, 3), np.uint8)
    cube = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=-1).reshape(-1, 3)
    palette[:215] = cube[:215]  # the 216th colour is black and has index 255 instead
    for start, channels in ((215, [0]), (225, [1]), (235, [2]), (245, [0, 1, 2])):
        palette[start : start + 10, channels] = ramp[:, None]
    return palette


# QuickDraw's 8x8 patterns: eight bytes, one per row, leftmost pixel in the top bit, 1 = foreground.
#
# Patterns are anchored to the screen: the pixel (x, y) takes bit (x mod 8) of row (y mod 8), whatever is being filled,
# so two adjoining fills join without a seam. Source: facts/machines_1994.md section 7 (Inside Macintosh, QuickDraw).

EMPTY = bytes.fromhex("0000000000000000")
LT_GRAY = bytes.fromhex("8822882288228822")
GRAY = bytes.fromhex("AA55AA55AA55AA55")
DK_GRAY = bytes.fromhex("77DD77DD77DD77DD")
SOLID = bytes.fromhex("FFFFFFFFFFFFFFFF")


def pattern_bits(pattern: bytes) -> np.ndarray:
    """Return a pattern as bool[8, 8], indexed by row and column.

    Errors   ValueError  not eight bytes
    """
    if len(pattern) != 8:
        raise ValueError(f"pattern has {len(pattern)} bytes, must have 8")
    return np.unpackbits(np.frombuffer(pattern, np.uint8)).reshape(8, 8).astype(bool)


def pattern_mask(pattern: bytes, left: int, top: int, right: int, bottom: int) -> np.ndarray:
    """Return which pixels of a rectangle the pattern paints in the foreground colour.

    pattern  8 bytes
    left..   int         half-open rectangle on the screen, pixels
    Returns  bool[bottom - top, right - left]
    """
    return pattern_bits(pattern)[np.ix_(np.arange(top, bottom) & 7, np.arange(left, right) & 7)]


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


def frame_rect(pixels: np.ndarray, rect: Rect, *, pen: tuple[int, int] = (1, 1), foreground: Colour = BLACK) -> None:
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
        paint_rect(pixels, side, foreground=foreground)
