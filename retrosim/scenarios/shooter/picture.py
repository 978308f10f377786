"""What the `shooter` ROM draws, as kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retrosim.collide.kernels.documents.objects import ALIEN, MISSILE, SHIP
from retrosim.jit import kernel
from retrosim.screen.framebuffer import HEIGHT, WIDTH
from retrosim.screen.palette import BLACK

from ..drawing import draw_label, draw_number, draw_picture, field, label
from ..pictures import Pictures
from ..scenario import FRAME
from .rules import (
    BEST,
    BURST,
    DIVE_WAIT,
    FIRST_BOMB,
    FIRST_DIVE,
    FIRST_SHOT,
    PLAYING,
    RESERVE,
    SCORE,
    SHIELD,
    SHIPS,
    TOP,
    WAVE,
)

LINE_TOP = 25
SCORE_LABEL, SCORE_FIELD = label(8, 6, "SCORE"), field(80, 6, digits=6)
BEST_LABEL, BEST_FIELD = label(216, 6, "HIGH"), field(276, 6, digits=6)
WAVE_LABEL, WAVE_FIELD = label(412, 6, "WAVE"), field(472, 6, digits=2)
NEXT_LABEL, NEXT_FIELD = label(278, 243, "WAVE"), field(338, 243, digits=2)
OVER_LABEL, FIRE_LABEL = label(266, 230, "GAME OVER"), label(260, 254, "PRESS FIRE")
SPARES = np.array([(600 + 16 * i, 8) for i in range(RESERVE)])  # x, y of the ships in reserve
MESSAGE_FRAMES = 60


class Art(NamedTuple):
    """What the screen is drawn with.

    burst, spark, spare, font  numbers of their first pictures
    gold, blue  uint8[14]  colours of a text's rows
    lights      uint8[3]   of the stars, by their speed
    line        uint8[2]   below the panel
    """

    pictures: Pictures
    burst: int
    spark: int
    spare: int
    font: int
    gold: np.ndarray
    blue: np.ndarray
    lights: np.ndarray
    line: np.ndarray


@kernel
def draw_panel(screen, words, art):
    """Draw score, best score, wave, and the ships in reserve."""
    pictures, font, gold, blue = art.pictures, art.font, art.gold, art.blue
    screen[LINE_TOP] = art.line[0]
    screen[LINE_TOP + 1] = art.line[1]
    draw_label(screen, SCORE_LABEL, pictures, font, blue)
    draw_label(screen, BEST_LABEL, pictures, font, blue)
    draw_label(screen, WAVE_LABEL, pictures, font, blue)
    draw_number(screen, SCORE_FIELD, 10 * words[SCORE], pictures, font, gold)
    draw_number(screen, BEST_FIELD, 10 * words[BEST], pictures, font, gold)
    draw_number(screen, WAVE_FIELD, words[WAVE], pictures, font, gold)
    for i in range(words[SHIPS]):
        draw_picture(screen, SPARES[i, 0], SPARES[i, 1], pictures, art.spare)


@kernel
def picture_of(objects, words, art, i):
    """Return the picture of a record, -1 if it has none now."""
    kind, burst, shape = objects.records[i]["type"], np.int64(objects.states[BURST, i]), np.int64(objects.shapes[i])
    if burst:
        step = burst >> (3 if kind == SHIP else 2)
        if kind == MISSILE:
            return art.spark + step if step < 2 else -1
        return art.burst + step if step < 6 else -1
    if not objects.records[i]["active"] or (i == 0 and words[SHIELD] & 4):
        return -1
    if FIRST_SHOT <= i < FIRST_BOMB:
        return shape
    return shape + (words[FRAME] - 1 >> (4 if kind == ALIEN else 2) & 1)


@kernel
def draw_objects(screen, objects, words, art):
    """Draw all objects, the ship last; bursts about the middle of what they are left of."""
    sizes = objects.sizes
    for i in range(len(objects.records) - 1, -1, -1):
        number = picture_of(objects, words, art, i)
        if number < 0:
            continue
        x, y, shape = np.int64(objects.records[i]["x"]), np.int64(objects.records[i]["y"]), objects.shapes[i]
        if objects.states[BURST, i]:
            x += (sizes[0, shape] - sizes[0, number]) >> 1
            y += (sizes[1, shape] - sizes[1, number]) >> 1
            x = min(max(x, 0), WIDTH - sizes[0, number])
        draw_picture(screen[TOP:], x, y - TOP, art.pictures, number)


@kernel
def draw(game, art, screen):
    """Draw the whole screen, uint8[480, 640] palette indices."""
    words, stars, pictures, font = game.words, game.stars, art.pictures, art.font
    screen[:] = BLACK
    for star in range(len(stars)):
        fallen = stars[star, 1] - TOP + stars[star, 2] * words[FRAME]
        screen[TOP + fallen % (HEIGHT - TOP), stars[star, 0]] = art.lights[stars[star, 2] - 1]
    draw_panel(screen, words, art)
    draw_objects(screen, game.objects, words, art)
    if not words[PLAYING]:
        draw_label(screen, OVER_LABEL, pictures, font, art.gold)
        draw_label(screen, FIRE_LABEL, pictures, font, art.blue)
    elif words[DIVE_WAIT] > FIRST_DIVE - MESSAGE_FRAMES:
        draw_label(screen, NEXT_LABEL, pictures, font, art.blue)
        draw_number(screen, NEXT_FIELD, words[WAVE], pictures, font, art.gold)
