"""What the `shooter` ROM draws, as kernels; arrays as in `shooter`."""

from __future__ import annotations

import numpy as np

from retrosim.collide.objects import ALIEN, MISSILE, SHIP
from retrosim.jit import kernel
from retrosim.scenarios.shooter.rules import (
    BEST,
    BURST,
    DIVE_WAIT,
    FIRST_BOMB,
    FIRST_DIVE,
    FIRST_SHOT,
    FRAME,
    HEIGHT,
    PLAYING,
    SCORE,
    SHIELD,
    SHIPS,
    TOP,
    WAVE,
    WIDTH,
)

CELL, GLYPH_WIDE = 12, 10
TEXT_TOP, LINE_TOP = 6, 25
SCORE_LEFT, BEST_LEFT, WAVE_LEFT = 8, 216, 412
SPARE_LEFT, SPARE_TOP, SPARE_STEP = 600, 8, 16
MESSAGE_TOP, MESSAGE_MIDDLE, WAVE_MESSAGE_LEFT = 226, 250, 278
MESSAGE_FRAMES = 60
FONT = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def glyphs_of(text: str) -> np.ndarray:
    """Return the numbers of a text's characters in the font, -1 for a space."""
    return np.array([FONT.find(each) for each in text], np.int32)


SCORE_TEXT, BEST_TEXT, WAVE_TEXT = glyphs_of("SCORE"), glyphs_of("HIGH"), glyphs_of("WAVE")
OVER_TEXT, FIRE_TEXT = glyphs_of("GAME OVER"), glyphs_of("PRESS FIRE")


@kernel
def draw_picture(screen, x, y, pixels, begin, sizes, picture, top):
    """Draw what of a picture lies between `top` and the bottom of the screen; colour 0 is transparent.

    pixels  uint8[t]  of all pictures, row after row
    begin   int32[p]  where each picture's pixels begin
    """
    wide = sizes[0, picture]
    for row in range(max(0, top - y), min(sizes[1, picture], HEIGHT - y)):
        for column in range(wide):
            colour = pixels[begin[picture] + row * wide + column]
            if colour:
                screen[y + row, x + column] = colour


@kernel
def draw_glyph(screen, x, y, pixels, begin, sizes, glyph, colours):
    """Draw a character in the colours of a text's rows. `glyph`: number of its picture."""
    for row in range(sizes[1, glyph]):
        for column in range(GLYPH_WIDE):
            if pixels[begin[glyph] + row * GLYPH_WIDE + column]:
                screen[y + row, x + column] = colours[row]


@kernel
def draw_text(screen, x, y, text, pixels, begin, sizes, font, colours):
    for i in range(len(text)):
        if text[i] >= 0:
            draw_glyph(screen, x + i * CELL, y, pixels, begin, sizes, font + text[i], colours)


@kernel
def draw_number(screen, x, y, number, figures, pixels, begin, sizes, font, colours):
    for i in range(figures - 1, -1, -1):
        draw_glyph(screen, x + i * CELL, y, pixels, begin, sizes, font + number % 10, colours)
        number //= 10


@kernel
def draw_panel(screen, words, pixels, begin, sizes, spare, font, gold, blue, line):
    screen[LINE_TOP] = line[0]
    screen[LINE_TOP + 1] = line[1]
    draw_text(screen, SCORE_LEFT, TEXT_TOP, SCORE_TEXT, pixels, begin, sizes, font, blue)
    draw_text(screen, BEST_LEFT, TEXT_TOP, BEST_TEXT, pixels, begin, sizes, font, blue)
    draw_text(screen, WAVE_LEFT, TEXT_TOP, WAVE_TEXT, pixels, begin, sizes, font, blue)
    draw_number(screen, SCORE_LEFT + 6 * CELL, TEXT_TOP, 10 * words[SCORE], 6, pixels, begin, sizes, font, gold)
    draw_number(screen, BEST_LEFT + 5 * CELL, TEXT_TOP, 10 * words[BEST], 6, pixels, begin, sizes, font, gold)
    draw_number(screen, WAVE_LEFT + 5 * CELL, TEXT_TOP, words[WAVE], 2, pixels, begin, sizes, font, gold)
    for i in range(words[SHIPS]):
        draw_picture(screen, SPARE_LEFT + i * SPARE_STEP, SPARE_TOP, pixels, begin, sizes, spare, 0)


@kernel
def picture_of(records, states, shapes, shield, frame, burst, spark, i):
    """Return the picture of a record, -1 if it has none now. `burst`, `spark`: their first pictures."""
    kind = records[i]["type"]
    if states[BURST, i]:
        step = states[BURST, i] >> (3 if kind == SHIP else 2)
        if kind == MISSILE:
            return spark + step if step < 2 else -1
        return burst + step if step < 6 else -1
    if not records[i]["active"] or (i == 0 and shield & 4):
        return -1
    if FIRST_SHOT <= i < FIRST_BOMB:
        return shapes[i]
    return shapes[i] + (frame >> (4 if kind == ALIEN else 2) & 1)


@kernel
def draw(records, states, words, shapes, stars, cast, pixels, begin, sizes, gold, blue, lights, line, screen):
    """Draw the whole screen.

    cast        int32[10]          first pictures: .., burst 6, spark 7, spare ship 8, font 9
    gold, blue  uint8[14]          colours of a text's rows
    lights      uint8[3]           of the stars, by their speed
    line        uint8[3]           below the panel, and the background
    screen      uint8[480, 640]    output, palette indices
    """
    screen[:] = line[2]
    for star in range(len(stars)):
        fallen = stars[star, 1] - TOP + stars[star, 2] * words[FRAME]
        screen[TOP + fallen % (HEIGHT - TOP), stars[star, 0]] = lights[stars[star, 2] - 1]
    draw_panel(screen, words, pixels, begin, sizes, cast[8], cast[9], gold, blue, line)
    for i in range(len(records) - 1, -1, -1):
        picture = picture_of(records, states, shapes, words[SHIELD], words[FRAME] - 1, cast[6], cast[7], i)
        if picture < 0:
            continue
        x, y = records[i]["x"], records[i]["y"]
        if states[BURST, i]:
            x += (sizes[0, shapes[i]] - sizes[0, picture]) >> 1
            y += (sizes[1, shapes[i]] - sizes[1, picture]) >> 1
            x = min(max(x, 0), WIDTH - sizes[0, picture])
        draw_picture(screen, x, y, pixels, begin, sizes, picture, TOP)
    middle = MESSAGE_MIDDLE
    if not words[PLAYING]:
        draw_text(screen, 266, MESSAGE_TOP + 4, OVER_TEXT, pixels, begin, sizes, cast[9], gold)
        draw_text(screen, 260, middle + 4, FIRE_TEXT, pixels, begin, sizes, cast[9], blue)
    elif words[DIVE_WAIT] > FIRST_DIVE - MESSAGE_FRAMES:
        draw_text(screen, WAVE_MESSAGE_LEFT, middle - 7, WAVE_TEXT, pixels, begin, sizes, cast[9], blue)
        x = WAVE_MESSAGE_LEFT + 5 * CELL
        draw_number(screen, x, middle - 7, words[WAVE], 2, pixels, begin, sizes, cast[9], gold)
