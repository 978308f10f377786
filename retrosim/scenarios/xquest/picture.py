"""What the `xquest` ROM draws, as kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retrosim.jit import kernel
from retrosim.screen.framebuffer import HEIGHT, WIDTH
from retrosim.screen.palette import BLACK

from ..drawing import draw_count, draw_picture
from ..pictures import Pictures
from .rules import BUMPS, COLLIDED, GEMS, NEAR, PANEL, SHAPE, SPRITE_HEIGHT, SPRITE_WIDTH, WALL

MARK_GAP = 2
ARMS = np.array((2, 5))  # of the corners of a mark, pixels: of boxes that overlap, of pixels that touch
GEMS_AT, BUMPS_AT = np.array((260, 6, 0)), np.array((340, 6, 1))  # x, y, icon


class Art(NamedTuple):
    """What the screen is drawn with.

    icons   int64[3]  numbers of the pictures of a gem, a mine, the digit 0
    wall    uint8[4]  colours of the wall from outside
    lights  uint8[4]  colours of the stars
    marks   uint8[2]  mark of boxes that overlap, of pixels that touch
    """

    pictures: Pictures
    icons: np.ndarray
    wall: np.ndarray
    lights: np.ndarray
    marks: np.ndarray


@kernel
def draw_mark(screen, field, i, arm, colour):
    """Draw the corners of a mark round object `i`, with arms of so many pixels."""
    left, top = field.corners[0, i] - MARK_GAP, field.corners[1, i] - MARK_GAP
    right = left + field.sprites[SPRITE_WIDTH, i] + 2 * MARK_GAP - 1
    bottom = top + field.sprites[SPRITE_HEIGHT, i] + 2 * MARK_GAP - 1
    for k in range(arm):
        for column in (left + k, right - k):
            screen[top, column] = colour
            screen[bottom, column] = colour
        for row in (top + k, bottom - k):
            screen[row, left] = colour
            screen[row, right] = colour


@kernel
def draw_wall(screen, wall):
    """Draw the wall round the field."""
    for i in range(WALL):
        screen[PANEL + i, i : WIDTH - i] = wall[i]
        screen[HEIGHT - 1 - i, i : WIDTH - i] = wall[i]
        screen[PANEL + i : HEIGHT - i, i] = wall[i]
        screen[PANEL + i : HEIGHT - i, WIDTH - 1 - i] = wall[i]


@kernel
def draw(game, art, screen):
    """Draw the whole screen, uint8[480, 640] palette indices."""
    field, stars = game.field, game.stars
    screen[:] = BLACK
    draw_wall(screen, art.wall)
    draw_count(screen, GEMS_AT, game.words[GEMS], art.pictures, art.icons)
    draw_count(screen, BUMPS_AT, game.words[BUMPS], art.pictures, art.icons)
    for i in range(len(stars)):
        screen[stars[i, 1], stars[i, 0]] = art.lights[stars[i, 2]]
    for i in range(field.corners.shape[1]):
        x, y = np.int64(field.corners[0, i]), np.int64(field.corners[1, i])
        draw_picture(screen, x, y, art.pictures, np.int64(field.sprites[SHAPE, i]))
    for i in range(field.corners.shape[1]):
        if field.flags[NEAR, i]:
            kind = int(field.flags[COLLIDED, i])
            draw_mark(screen, field, i, ARMS[kind], art.marks[kind])
