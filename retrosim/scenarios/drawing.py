"""Kernels that draw pictures and texts of a ROM; several scenarios share them.

screen    uint8[rows, 640]  palette indices: the whole screen, or the rows of it that may be drawn on
x, y      int               upper-left corner, pixels
pictures  Pictures          all pictures of the ROM
font      int               number of the picture of "0"
colours   uint8[height]     palette index of each row of a text

Numba compiles a function anew for every literal number that it is called with: so labels and fields are arrays.
"""

from __future__ import annotations

import numpy as np

from retrosim.jit import kernel

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
