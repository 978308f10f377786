"""What the `tunnel` ROM draws, as kernels: the plain test in the left half, the swept test in the right one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retrosim.jit import kernel
from retrosim.screen.framebuffer import HEIGHT
from retrosim.screen.palette import BLACK

from ..drawing import draw_label, draw_number, draw_picture, field, label
from ..pictures import Pictures
from .rules import (
    BEGIN,
    BURST_FRAMES,
    LANE_PITCH,
    LANE_TOP,
    MAX_LANES,
    MISS,
    MISSED,
    MISSILE_HEIGHT,
    MISSILE_TOP,
    MISSILE_WIDTH,
    PLAIN,
    PLAIN_BURST,
    PLAIN_HIT,
    SHIFT,
    SHIP,
    SHIP_TOP,
    SPEED,
    SWEPT,
    X,
)

LINE_TOP, FIELD_TOP, DIVISION = 46, 48, 318
RIGHT_HALF = 324  # x that is 0 in the right half
PLAIN_LABEL, PLAIN_FIELD = label(16, 6, "PLAIN"), field(100, 6, digits=4)
MISSED_LABEL, MISSED_FIELD = label(16, 26, "MISSED"), field(100, 26, digits=4)
SWEPT_LABEL, SWEPT_FIELD = label(340, 6, "SWEPT"), field(424, 6, digits=4)
SPEED_LABEL, SPEED_FIELD = label(340, 26, "SPEED"), field(424, 26, digits=2)
MISS_LABELS = np.array([label(256, LANE_TOP + lane * LANE_PITCH + 5, "MISS") for lane in range(MAX_LANES)])


class Art(NamedTuple):
    """What the screen is drawn with.

    dart, spark, font  numbers of the first pictures of ship, burst and characters
    gold, blue, red    uint8[14]  colours of a text's rows
    inks               uint8[3]   the missile's last place, its path, the missile
    line               uint8[2]   below the panel, and between the halves
    """

    pictures: Pictures
    dart: int
    spark: int
    font: int
    gold: np.ndarray
    blue: np.ndarray
    red: np.ndarray
    inks: np.ndarray
    line: np.ndarray


@kernel
def draw_lane(screen, lanes, i, half, shift, art):
    """Draw one lane in one half: missile, ship, what is left of a hit; the missile's last place, or its path, dim."""
    top, left, inks = LANE_TOP + i * LANE_PITCH, half * RIGHT_HALF, art.inks
    ship, y = left + lanes[SHIP, i] + shift, top + MISSILE_TOP
    draw_picture(screen, ship, top + SHIP_TOP, art.pictures, art.dart)
    if not lanes[PLAIN_HIT + half, i]:
        now, before = left + lanes[X, i], left + lanes[BEGIN, i]
        if before > now:
            screen[y : y + MISSILE_HEIGHT, now if half else before : before + MISSILE_WIDTH] = inks[half]
        screen[y : y + MISSILE_HEIGHT, now : now + MISSILE_WIDTH] = inks[2]
    burst = lanes[PLAIN_BURST + half, i]
    if burst:
        number = art.spark + int(burst <= BURST_FRAMES // 2)
        draw_picture(screen, ship - 1, top + SHIP_TOP - 1, art.pictures, number)


@kernel
def draw(lanes, words, art, screen):
    """Draw the whole screen, uint8[480, 640] palette indices."""
    pictures, font, gold, blue = art.pictures, art.font, art.gold, art.blue
    screen[:] = BLACK
    for i in range(2):
        screen[LINE_TOP + i] = art.line[i]
        screen[FIELD_TOP:HEIGHT, DIVISION + 2 * i : DIVISION + 2 + 2 * i] = art.line[i]
    draw_label(screen, PLAIN_LABEL, pictures, font, blue)
    draw_label(screen, MISSED_LABEL, pictures, font, blue)
    draw_label(screen, SWEPT_LABEL, pictures, font, blue)
    draw_label(screen, SPEED_LABEL, pictures, font, blue)
    draw_number(screen, PLAIN_FIELD, words[PLAIN], pictures, font, gold)
    draw_number(screen, MISSED_FIELD, words[MISSED], pictures, font, gold)
    draw_number(screen, SWEPT_FIELD, words[SWEPT], pictures, font, gold)
    draw_number(screen, SPEED_FIELD, words[SPEED], pictures, font, gold)
    for i in range(lanes.shape[1]):
        if lanes[MISS, i]:
            draw_label(screen, MISS_LABELS[i], pictures, font, art.red)
        for half in range(2):
            draw_lane(screen, lanes, i, half, words[SHIFT], art)
