"""What the `tanks` ROM draws, as kernels.

spans      int32[480, 2]  scratch: first and last pixel of each row
rectangle  (x, y, half width, half height, angle), Q11.5
ink        uint8          palette index
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retrosim.jit import kernel
from retrosim.numeric.fixed import to_pixels
from retrosim.numeric.tables import TURN
from retrosim.screen.framebuffer import HEIGHT, WIDTH
from retrosim.screen.palette import BLACK

from ..drawing import draw_count, fill_rectangle, pixels_of
from ..pictures import Pictures
from .rules import (
    BLAST_FRAMES,
    BLAST_LEFT,
    BLAST_X,
    BLAST_Y,
    BUMPS,
    COLLIDED,
    HITS,
    NEAR,
    PANEL,
    SHELL_FLIES,
    WALL,
    ahead,
    rectangle_of,
)

INKS = "gtTkqrnsfF"
GROUND, GRASS, DRY, TRACK, HATCH, FRAME, TICK, SHELL, BLAST, FLASH = range(len(INKS))
DECKS, TURRETS, WALLS = "blmh", "BLMH", "wWwk"
DECK = len(INKS)
TURRET = DECK + len(DECKS)
WALL_INK = TURRET + len(TURRETS)
DECK_GAP_Q5, TRACK_Q5 = 1 << 5, 3 << 5  # what the tracks show of the tank: before and behind the deck, beside it
DISTANCES = np.array((0, -2 << 5, -3 << 5))  # of deck, turret and hatch before the tank's centre, Q11.5
HATCH_HALF = np.array((2 << 5,))
FRAME_GAP_Q5, TICK_LENGTH, TICK_GAP, GUN_Q5 = 3 << 5, 3, 2, 6 << 5
HITS_AT, BUMPS_AT = np.array((260, 6, 0)), np.array((340, 6, 1))  # x, y, icon
BLAST_STEP_Q5 = 2 << 5


class Art(NamedTuple):
    """What the screen is drawn with.

    icons  int64[3]  numbers of the pictures of target, bump, the digit 0
    inks   uint8[k]  colours, by the names above
    spans  int32[480, 2]  scratch
    """

    pictures: Pictures
    icons: np.ndarray
    inks: np.ndarray
    spans: np.ndarray


@kernel
def draw_line(screen, x0, y0, x1, y1, ink):
    """Draw a line, its ends included, with a pen of 2 x 2 pixels (Bresenham)."""
    dx, dy = abs(x1 - x0), abs(y1 - y0)
    step_x, step_y = 1 if x1 > x0 else -1, 1 if y1 > y0 else -1
    error = dx - dy
    while True:
        twice = 2 * error
        screen[y0 : y0 + 2, x0 : x0 + 2] = ink
        if x0 == x1 and y0 == y1:
            return
        if twice > -dy:
            error -= dy
            x0 += step_x
        if twice < dx:
            error += dx
            y0 += step_y


@kernel
def fill_part(screen, spans, tank, distance, half_width, half_height, ink):
    """Fill a part of a tank, `distance` before its centre; Q11.5."""
    x, y = ahead(tank[0], tank[1], tank[4], distance)
    fill_rectangle(screen, spans, (x, y, half_width, half_height, tank[4]), ink)


@kernel
def draw_tank(screen, art, tank, kind, is_player):
    """Draw a tank, the lowest first: tracks, deck, turret, gun; on the player's turret a white hatch."""
    spans, inks = art.spans, art.inks
    fill_rectangle(screen, spans, tank, inks[TRACK])
    half = tank[3] >> 1
    fill_part(screen, spans, tank, DISTANCES[0], tank[2] - DECK_GAP_Q5, tank[3] - TRACK_Q5, inks[DECK + kind])
    fill_part(screen, spans, tank, DISTANCES[1], half + DECK_GAP_Q5, half, inks[TURRET + kind])
    x, y = ahead(tank[0], tank[1], tank[4], tank[2] + GUN_Q5)
    draw_line(screen, to_pixels(tank[0]), to_pixels(tank[1]), to_pixels(x), to_pixels(y), inks[TRACK])
    if is_player:
        fill_part(screen, spans, tank, DISTANCES[2], HATCH_HALF[0], HATCH_HALF[0], inks[HATCH])


@kernel
def frame_tank(screen, tank, ink):
    """Draw the frame round a tank."""
    corners = pixels_of((tank[0], tank[1], tank[2] + FRAME_GAP_Q5, tank[3] + FRAME_GAP_Q5, tank[4]))
    for k in range(4):
        p, q = corners[k], corners[(k + 1) & 3]
        draw_line(screen, p[0], p[1], q[0], q[1], ink)


@kernel
def tick_box(screen, tanks, i, ink):
    """Draw the corners of a mark round the AABB of tank `i`."""
    left, top = tanks.boxes[0, i] - TICK_GAP, tanks.boxes[1, i] - TICK_GAP
    right, bottom = left + tanks.sides[i, 0] + 2 * TICK_GAP, top + tanks.sides[i, 1] + 2 * TICK_GAP
    for k in range(TICK_LENGTH):
        for column in (left + k, right - k):
            screen[top, column] = ink
            screen[bottom, column] = ink
        for row in (top + k, bottom - k):
            screen[row, left] = ink
            screen[row, right] = ink


@kernel
def draw_blast(screen, art, words):
    """Draw a star of two squares that grows and shrinks, and a smaller one in it."""
    age = BLAST_FRAMES - words[BLAST_LEFT]
    size = (min(age, words[BLAST_LEFT]) + 1) * BLAST_STEP_Q5
    for i in range(4):
        half, ink = (size, art.inks[BLAST]) if i < 2 else (size >> 1, art.inks[FLASH])
        star = (words[BLAST_X], words[BLAST_Y], half, half, age * 16 + (i + 1) * (TURN // 8))
        fill_rectangle(screen, art.spans, star, ink)


@kernel
def draw_ground(screen, tufts, inks):
    """Draw panel, wall, ground and tufts of grass, some of them dry."""
    screen[:PANEL] = BLACK
    for i in range(WALL):
        screen[PANEL + i : HEIGHT - i, i : WIDTH - i] = inks[WALL_INK + i]
    screen[PANEL + WALL : HEIGHT - WALL, WALL : WIDTH - WALL] = inks[GROUND]
    for i in range(len(tufts)):
        x, y, ink = tufts[i, 0], tufts[i, 1], inks[GRASS if tufts[i, 2] else DRY]
        screen[y, x] = ink
        screen[y, x + 1] = ink
        screen[y - 1, x - 1] = ink
        screen[y - 1, x + 2] = ink
        if tufts[i, 2] & 1:
            screen[y - 2, x - 1] = ink
            screen[y - 2, x + 3] = ink


@kernel
def draw(game, art, screen):
    """Draw the whole screen, uint8[480, 640] palette indices."""
    tanks, words, inks = game.tanks, game.words, art.inks
    draw_ground(screen, game.tufts, inks)
    draw_count(screen, HITS_AT, words[HITS], art.pictures, art.icons)
    draw_count(screen, BUMPS_AT, words[BUMPS], art.pictures, art.icons)
    count = len(tanks.kinds)
    if words[SHELL_FLIES]:
        fill_rectangle(screen, art.spans, rectangle_of(tanks, count), inks[SHELL])
    for i in range(count):
        draw_tank(screen, art, rectangle_of(tanks, i), tanks.kinds[i], i == 0)
    for i in range(count):
        if tanks.flags[COLLIDED, i]:
            frame_tank(screen, rectangle_of(tanks, i), inks[FRAME])
        elif tanks.flags[NEAR, i]:
            tick_box(screen, tanks, i, inks[TICK])
    if words[BLAST_LEFT] > 0:
        draw_blast(screen, art, words)
