"""The picture of the `tanks` ROM as kernels; the arrays are those of `machine.tanks`.

spans  int32[480, 2]    scratch: first and last pixel of each row
inks   uint8[k]         colours, by the names below
screen uint8[480, 640]  palette indices
"""

from __future__ import annotations

from retrosim.collide.kernels.oriented import corners_of, rectangle_of
from retrosim.jit import kernel
from retrosim.numeric.fixed import to_pixels, to_q5
from retrosim.numeric.tables import TURN
from retrosim.scenarios.tanks import rules as tanks
from retrosim.scenarios.tanks.rules import ANGLE, COLLIDED, HEIGHT, NEAR, PANEL, WALL, WIDTH, X, Y, ahead
from retrosim.scenarios.xquest.rules import draw_count, draw_icon
from retrosim.screen.palette import BLACK

INKS = "gtTkqrnsfF"
GROUND, GRASS, DRY, TRACK, HATCH, FRAME, TICK, SHELL, BLAST, FLASH = range(len(INKS))
DECKS, TURRETS, WALLS = "blmh", "BLMH", "wWwk"
DECK = len(INKS)
TURRET = DECK + len(DECKS)
WALL_INK = TURRET + len(TURRETS)
FRAME_DISTANCE, TICK_LENGTH, TICK_DISTANCE, TRACK_PX, GUN_PX = 3, 3, 2, 3, 6
HITS_LEFT, BUMPS_LEFT = 260, 340
BLAST_STEP_PX = 2


@kernel
def slope(across, down):
    """Return how far an edge leads to the right in a row, 8 binary places, cut towards zero."""
    if across < 0:
        return -((-across << 8) // down)
    return (across << 8) // down


@kernel
def trace_edge(spans, x0, y0, x1, y1):
    """Widen the spans to an edge: going clockwise, what leads down is right and what leads up is left."""
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
def fill_rectangle(screen, spans, r, ink):
    """Fill a rectangle (x, y, half width, half height, angle)."""
    a, b, c, d = corners_of(r, None)
    corners = (
        (to_pixels(a[0]), to_pixels(a[1])), (to_pixels(b[0]), to_pixels(b[1])),
        (to_pixels(c[0]), to_pixels(c[1])), (to_pixels(d[0]), to_pixels(d[1])),
    )  # fmt: skip
    top, bottom = corners[0][1], corners[0][1]
    for corner in corners:
        top, bottom = min(top, corner[1]), max(bottom, corner[1])
    for row in range(top, bottom + 1):
        spans[row, 0] = WIDTH
        spans[row, 1] = 0
    for k in range(4):
        one, other = corners[k], corners[(k + 1) & 3]
        trace_edge(spans, one[0], one[1], other[0], other[1])
    for row in range(top, bottom + 1):
        for column in range(spans[row, 0], spans[row, 1] + 1):
            screen[row, column] = ink


@kernel
def draw_line(screen, x0, y0, x1, y1, ink):
    """Draw a line, its ends included, with a pen of 2 x 2 pixels (Bresenham)."""
    dx, dy = abs(x1 - x0), abs(y1 - y0)
    across, down = 1 if x1 > x0 else -1, 1 if y1 > y0 else -1
    error = dx - dy
    while True:
        twice = 2 * error
        screen[y0 : y0 + 2, x0 : x0 + 2] = ink
        if x0 == x1 and y0 == y1:
            return
        if twice > -dy:
            error -= dy
            x0 += across
        if twice < dx:
            error += dx
            y0 += down


@kernel
def fill_part(screen, spans, whole, along, half_wide, half_high, ink):
    """Fill a rectangle that is part of another, `along` Q11.5 from its middle in its direction."""
    x, y = ahead(whole[0], whole[1], whole[4], along)
    fill_rectangle(screen, spans, (x, y, half_wide, half_high, whole[4]), ink)


@kernel
def draw_tank(screen, spans, tank, kind, inks, is_player):
    """Draw a tank, the lowest first: tracks, deck, turret, gun; on the player's turret a white hatch."""
    half = tank[3] >> 1
    fill_rectangle(screen, spans, tank, inks[TRACK])
    fill_part(screen, spans, tank, 0, tank[2] - to_q5(1), tank[3] - to_q5(TRACK_PX), inks[DECK + kind])
    fill_part(screen, spans, tank, -to_q5(2), half + to_q5(1), half, inks[TURRET + kind])
    x, y = ahead(tank[0], tank[1], tank[4], tank[2] + to_q5(GUN_PX))
    draw_line(screen, to_pixels(tank[0]), to_pixels(tank[1]), to_pixels(x), to_pixels(y), inks[TRACK])
    if is_player:
        fill_part(screen, spans, tank, -to_q5(3), to_q5(2), to_q5(2), inks[HATCH])


@kernel
def frame_tank(screen, tank, ink):
    """Draw the frame round a tank."""
    corners = corners_of(
        (tank[0], tank[1], tank[2] + to_q5(FRAME_DISTANCE), tank[3] + to_q5(FRAME_DISTANCE), tank[4]), None
    )
    for k in range(4):
        one, other = corners[k], corners[(k + 1) & 3]
        draw_line(screen, to_pixels(one[0]), to_pixels(one[1]), to_pixels(other[0]), to_pixels(other[1]), ink)


@kernel
def tick_box(screen, x, y, wide, high, ink):
    """Draw the corners of a mark round a box."""
    left, top = x - TICK_DISTANCE, y - TICK_DISTANCE
    right, bottom = x + wide + TICK_DISTANCE, y + high + TICK_DISTANCE
    for i in range(TICK_LENGTH):
        for column in (left + i, right - i):
            screen[top, column] = ink
            screen[bottom, column] = ink
        for row in (top + i, bottom - i):
            screen[row, left] = ink
            screen[row, right] = ink


@kernel
def draw_blast(screen, spans, x, y, left, inks):
    """Draw a star of two squares that grows and shrinks, and a smaller one in it."""
    age = tanks.BLAST_FRAMES - left
    size = (min(age, left) + 1) * to_q5(BLAST_STEP_PX)
    for i in range(4):
        half, ink = (size, inks[BLAST]) if i < 2 else (size >> 1, inks[FLASH])
        fill_rectangle(screen, spans, (x, y, half, half, age * 16 + (i + 1) * (TURN // 8)), ink)


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
def draw(places, half, kinds, boxes, sides, flags, words, tufts, pixels, begin, sizes, icons, inks, spans, screen):
    """Draw the whole screen.

    pixels, begin, sizes  the pictures, as `machine.xquest` has them
    icons                 int32[3]: pictures of target and bump, figure 0
    """
    draw_ground(screen, tufts, inks)
    draw_icon(screen, HITS_LEFT, pixels, begin, sizes, icons[0])
    draw_icon(screen, BUMPS_LEFT, pixels, begin, sizes, icons[1])
    draw_count(screen, HITS_LEFT, words[tanks.HITS], pixels, begin, sizes, icons[2])
    draw_count(screen, BUMPS_LEFT, words[tanks.BUMPS], pixels, begin, sizes, icons[2])
    x, y, angle, count = places[X], places[Y], places[ANGLE], len(kinds)
    if words[tanks.SHELL_FLIES]:
        fill_rectangle(screen, spans, rectangle_of(x, y, half, angle, count), inks[SHELL])
    for i in range(count):
        draw_tank(screen, spans, rectangle_of(x, y, half, angle, i), kinds[i], inks, i == 0)
    for i in range(count):
        if flags[COLLIDED, i]:
            frame_tank(screen, rectangle_of(x, y, half, angle, i), inks[FRAME])
        elif flags[NEAR, i]:
            tick_box(screen, boxes[0, i], boxes[1, i], sides[i, 0], sides[i, 1], inks[TICK])
    if words[tanks.BLAST_LEFT] > 0:
        draw_blast(screen, spans, words[tanks.BLAST_X], words[tanks.BLAST_Y], words[tanks.BLAST_LEFT], inks)
