"""Kernels that draw pictures, texts and rectangles at any angle; several scenarios share them.

screen    uint8[rows, 640]  palette indices: the whole screen, or the rows of it that may be drawn on
x, y      int               upper-left corner, pixels
pictures  Pictures          all pictures of the ROM
font      int               number of the picture of "0"
colours   uint8[height]     palette index of each row of a text
spans     int32[480, 2]     scratch: first and last pixel of each row
rectangle (x, y, half width, half height, angle), Q11.5

Numba compiles a function anew for every literal number that it is called with: so labels and fields are arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from retrosim.collide.kernels.shapes.oriented import corners_of
from retrosim.errors import RomError
from retrosim.jit import kernel
from retrosim.numeric.fixed import to_pixels
from retrosim.rom import Rom
from retrosim.rom.drawings import read_colours, read_pictures
from retrosim.screen.framebuffer import WIDTH, macintosh_palette

CELL, GLYPH_WIDTH = 12, 10  # pixels from one character to the next, and of the character itself
FONT = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS, MAX_COUNT = 3, 999  # of a count in a panel
PANEL_HEIGHT, ICON_GAP = 24, 6


def label(x: int, y: int, text: str) -> np.ndarray:
    """Return what `draw_label` draws: int64[2 + n], x, y, and the characters' numbers in the font, -1 for a space."""
    return np.array([x, y, *(FONT.find(each) for each in text)])


def field(x: int, y: int, digits: int) -> np.ndarray:
    """Return where `draw_number` draws, int64[3]."""
    return np.array([x, y, digits])


@kernel
def draw_picture(screen, x, y, pictures, number):
    """Draw the rows of a picture that are on the screen; colour 0 is transparent."""
    width, first = pictures.sizes[0, number], pictures.first[number]
    for row in range(max(0, -y), min(pictures.sizes[1, number], len(screen) - y)):
        line, pixels = screen[y + row], pictures.pixels[first + row * width : first + (row + 1) * width]
        for column in range(width):
            if pixels[column]:
                line[x + column] = pixels[column]


@kernel
def draw_glyph(screen, x, y, pictures, number, colours):
    """Draw a character in the colours of a text's rows. `number`: of its picture."""
    first = pictures.first[number]
    for row in range(pictures.sizes[1, number]):
        line, pixels = screen[y + row], pictures.pixels[first + row * GLYPH_WIDTH : first + (row + 1) * GLYPH_WIDTH]
        for column in range(GLYPH_WIDTH):
            if pixels[column]:
                line[x + column] = colours[row]


@kernel
def draw_label(screen, text, pictures, font, colours):
    """Draw a text. `text`: see `label`."""
    for i in range(2, len(text)):
        if text[i] >= 0:
            draw_glyph(screen, text[0] + (i - 2) * CELL, text[1], pictures, font + text[i], colours)


@kernel
def draw_number(screen, place, number, pictures, font, colours):
    """Draw the last digits of a number in the characters of a text. `place`: see `field`."""
    for i in range(place[2] - 1, -1, -1):
        draw_glyph(screen, place[0] + i * CELL, place[1], pictures, font + number % 10, colours)
        number //= 10


@kernel
def draw_count(screen, place, count, pictures, icons):
    """Draw a number of three digits in a panel, and what it stands for.

    place  int64[3]  x and y of the number, and which of the icons
    icons  int64[k]  numbers of pictures; the last is that of the digit 0
    """
    icon, zero, rest = icons[place[2]], icons[-1], min(count, MAX_COUNT)
    left, top = place[0] - ICON_GAP - pictures.sizes[0, icon], (PANEL_HEIGHT - pictures.sizes[1, icon]) >> 1
    draw_picture(screen, left, top, pictures, icon)
    for digit in range(DIGITS - 1, -1, -1):
        draw_picture(screen, place[0] + digit * pictures.sizes[0, zero], place[1], pictures, zero + rest % 10)
        rest //= 10


@kernel
def slope(dx, dy):
    """Return how far a side leads to the right in a row, 8 binary places, cut towards zero."""
    if dx < 0:
        return -((-dx << 8) // dy)
    return (dx << 8) // dy


@kernel
def trace_side(spans, x0, y0, x1, y1):
    """Widen the spans to a side: going clockwise, what leads down is right and what leads up is left."""
    spans[y0, 0] = min(spans[y0, 0], x0)
    spans[y0, 1] = max(spans[y0, 1], x0)
    if y0 < y1:
        gain = slope(x1 - x0, y1 - y0)
        for row in range(y0 + 1, y1):
            spans[row, 1] = max(spans[row, 1], ((x0 << 8) + 128 + gain * (row - y0)) >> 8)
    elif y0 > y1:
        gain = slope(x0 - x1, y0 - y1)
        for row in range(y1 + 1, y0):
            spans[row, 0] = min(spans[row, 0], ((x1 << 8) + 128 + gain * (row - y1)) >> 8)


@kernel
def pixels_of(rectangle):
    """Return the corners of a rectangle, pixels."""
    a, b, c, d = corners_of(rectangle, None)
    return (
        (to_pixels(a[0]), to_pixels(a[1])), (to_pixels(b[0]), to_pixels(b[1])),
        (to_pixels(c[0]), to_pixels(c[1])), (to_pixels(d[0]), to_pixels(d[1])),
    )  # fmt: skip


@kernel
def find_spans(spans, rectangle):
    """Find the pixels of a rectangle row by row; return its first row and the one after its last."""
    corners = pixels_of(rectangle)
    top, bottom = corners[0][1], corners[0][1]
    for corner in corners:
        top, bottom = min(top, corner[1]), max(bottom, corner[1])
    for row in range(top, bottom + 1):
        spans[row, 0] = WIDTH
        spans[row, 1] = 0
    for k in range(4):
        p, q = corners[k], corners[(k + 1) & 3]
        trace_side(spans, p[0], p[1], q[0], q[1])
    return top, bottom + 1


@kernel
def fill_rectangle(screen, spans, rectangle, ink):
    """Fill a rectangle. `screen`: uint8[480, 640]; `ink`: uint8, palette index."""
    top, end = find_spans(spans, rectangle)
    for row in range(top, end):
        for column in range(spans[row, 0], spans[row, 1] + 1):
            screen[row, column] = ink


# The drawings of a ROM as arrays, for kernels that draw.


class Pictures(NamedTuple):
    """All pictures of a ROM, one after the other, by number.

    pixels   uint8[total]       palette indices, row by row; 0 is transparent
    first    int64[pictures]    where each picture's pixels begin
    sizes    int64[2, pictures] widths and heights
    """

    pixels: np.ndarray
    first: np.ndarray
    sizes: np.ndarray


@dataclass(frozen=True)
class Gallery:
    """What a ROM's drawing files hold.

    pictures  as kernels read them
    images    the same as uint8[height, width] each
    numbers   name of a drawing -> number of its first picture
    colours   letter -> palette index
    """

    pictures: Pictures
    images: list[np.ndarray]
    numbers: dict[str, int]
    colours: dict[str, int]

    def inks(self, letters: str) -> np.ndarray:
        """Return uint8[n]: the palette indices of some letters."""
        return np.array([self.colours[letter] for letter in letters], np.uint8)

    def numbered(self, *names: str) -> np.ndarray:
        """Return int64[n]: the numbers of the first pictures of some drawings."""
        return np.array([self.numbers[name] for name in names])


def read_gallery(rom: Rom) -> Gallery:
    """Read the drawings of a ROM. Errors: RomError."""
    if rom.drawings is None:
        raise RomError(rom.path, "has no drawings")
    colours = read_colours(rom.drawings, macintosh_palette().tolist())
    drawings = read_pictures(rom.drawings, colours)
    images = [np.array([list(row) for row in picture], np.uint8) for each in drawings.values() for picture in each]
    return Gallery(
        Pictures(
            np.concatenate([image.ravel() for image in images]),
            np.cumsum([0, *(image.size for image in images)])[:-1],
            np.array([image.shape[::-1] for image in images]).T.copy(),
        ),
        images,
        dict(zip(drawings, accumulate(map(len, drawings.values()), initial=0))),
        colours,
    )
