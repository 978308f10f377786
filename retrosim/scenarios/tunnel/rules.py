"""The scenario of the `tunnel` ROM as kernels: the same integers in the same order as its machine code.

lanes   int32[8, n]   of each lane: missile's x now, and when the frame began; hit in this flight by the plain and by
                      the swept test; frames that each hit, and that a miss of the plain test, are still shown; ship's x
words   int64[9]      frame counter, random state, input of the frame before, and the scenario's own from SPEED on
"""

from __future__ import annotations

from retrosim.collide.kernels.swept import is_box_hit
from retrosim.jit import kernel
from retrosim.numeric.random import advance, rand_scalar
from retrosim.scenarios.shooter.picture import draw_number, draw_picture, draw_text, glyphs_of

LEFT, RIGHT, UP, DOWN, FIRE = 1, 2, 4, 8, 16
PAD_MASK = LEFT | RIGHT | UP | DOWN | FIRE
X, BEGIN, PLAIN_HIT, SWEPT_HIT, PLAIN_BURST, SWEPT_BURST, MISS, SHIP = range(8)
FRAME, RANDOM, PAD_BEFORE, SPEED, SHIFT, FLIGHTS, PLAIN, SWEPT, MISSED = range(9)
WORDS = 9

SIDE, MISSILE_WIDE, MISSILE_HIGH = 8, 6, 2  # pixels
LANE_TOP, LANE_PITCH, SHIP_DOWN, MISSILE_DOWN = 56, 34, 8, 11
NEAREST_SHIP, SHIP_STEP, SHIP_RANGE = 60, 53, 160
FARTHEST_SHIFT, SHIFT_STEP = 40, 2
LAUNCH, LAUNCH_RANGE, END = 276, 25, 8
FIRST_SPEED, FASTEST = 25, 40
BURST_FRAMES, MISS_FRAMES, MAX_COUNTED = 6, 9, 9999
HEIGHT, HALF, WHOLE = 480, 316, 324
PLAIN_TEXT, SWEPT_TEXT, MISSED_TEXT = glyphs_of("PLAIN"), glyphs_of("SWEPT"), glyphs_of("MISSED")
SPEED_TEXT, MISS_TEXT = glyphs_of("SPEED"), glyphs_of("MISS")


@kernel
def random_below(words, end):
    words[RANDOM] = advance(words[RANDOM])
    return rand_scalar(end, words[RANDOM])


@kernel
def launch(lanes, words, i):
    lanes[X, i] = lanes[BEGIN, i] = LAUNCH + random_below(words, LAUNCH_RANGE)
    lanes[PLAIN_HIT, i] = lanes[SWEPT_HIT, i] = 0


@kernel
def launch_all(lanes, words):
    for i in range(lanes.shape[1]):
        launch(lanes, words, i)


@kernel
def power_on(lanes, words, seed):
    """Make everything as it is before the first frame."""
    words[RANDOM] = seed
    words[SPEED] = FIRST_SPEED
    for i in range(lanes.shape[1]):
        lanes[SHIP, i] = NEAREST_SHIP + i * SHIP_STEP % SHIP_RANGE
    launch_all(lanes, words)
    for i in range(lanes.shape[1]):
        lanes[X, i] -= random_below(words, LAUNCH)


@kernel
def fly(lanes, words, i, shift, move):
    """Let a missile fly for a frame, while its ship moves."""
    for row in (PLAIN_BURST, SWEPT_BURST, MISS):
        lanes[row, i] = max(0, lanes[row, i] - 1)
    begin, ship, speed = lanes[X, i], lanes[SHIP, i] + shift, words[SPEED]
    sizes = ((MISSILE_WIDE, MISSILE_HIGH), (SIDE, SIDE))
    down = MISSILE_DOWN - SHIP_DOWN
    lanes[BEGIN, i] = begin
    if not lanes[SWEPT_HIT, i] and is_box_hit((begin - ship, down), (-speed - move, 0), *sizes):
        lanes[SWEPT_HIT, i] = 1
        lanes[SWEPT_BURST, i] = BURST_FRAMES
        words[SWEPT] = min(words[SWEPT] + 1, MAX_COUNTED)
    lanes[X, i] = begin - speed
    if not lanes[PLAIN_HIT, i] and is_box_hit((begin - speed - ship - move, down), (0, 0), *sizes):
        lanes[PLAIN_HIT, i] = 1
        lanes[PLAIN_BURST, i] = BURST_FRAMES
        words[PLAIN] = min(words[PLAIN] + 1, MAX_COUNTED)
    if lanes[X, i] >= END:
        return
    words[FLIGHTS] = min(words[FLIGHTS] + 1, MAX_COUNTED)
    if lanes[SWEPT_HIT, i] and not lanes[PLAIN_HIT, i]:
        lanes[MISS, i] = MISS_FRAMES
        words[MISSED] = min(words[MISSED] + 1, MAX_COUNTED)
    launch(lanes, words, i)


@kernel
def run_frames(lanes, words, pad, frames):
    """Execute frames, all with the same input; nothing is drawn."""
    for _ in range(frames):
        pressed = pad & ~words[PAD_BEFORE]
        words[PAD_BEFORE] = pad
        if pressed & UP:
            words[SPEED] = min(words[SPEED] + 1, FASTEST)
        if pressed & DOWN:
            words[SPEED] = max(words[SPEED] - 1, 1)
        if pressed & FIRE:
            launch_all(lanes, words)
        shift = following = words[SHIFT]
        if pad & RIGHT and following < FARTHEST_SHIFT:
            following += SHIFT_STEP
        if pad & LEFT and following > -FARTHEST_SHIFT:
            following -= SHIFT_STEP
        words[SHIFT] = following
        for i in range(lanes.shape[1]):
            fly(lanes, words, i, shift, following - shift)
        words[FRAME] = (words[FRAME] + 1) & 0xFFFFFFFF


@kernel
def draw_lane(screen, lanes, i, half, shift, dart, spark, pixels, begin, sizes, inks):
    """Draw one lane in one half: missile, ship, what is left of a hit; the missile's last place, or its way, dim."""
    top, left = LANE_TOP + i * LANE_PITCH, half * WHOLE
    ship, y = left + lanes[SHIP, i] + shift, top + MISSILE_DOWN
    draw_picture(screen, ship, top + SHIP_DOWN, pixels, begin, sizes, dart, 0)
    if not lanes[PLAIN_HIT + half, i]:
        now, before = left + lanes[X, i], left + lanes[BEGIN, i]
        if before > now:
            screen[y : y + MISSILE_HIGH, now if half else before : before + MISSILE_WIDE] = inks[1 + half]
        screen[y : y + MISSILE_HIGH, now : now + MISSILE_WIDE] = inks[3]
    burst = lanes[PLAIN_BURST + half, i]
    if burst:
        picture = spark + int(burst <= BURST_FRAMES // 2)
        draw_picture(screen, ship - 1, top + SHIP_DOWN - 1, pixels, begin, sizes, picture, 0)


@kernel
def draw(lanes, words, cast, pixels, begin, sizes, gold, blue, red, inks, line, screen):
    """Draw the whole screen.

    cast             int32[3]        first pictures: ship, spark, font
    gold, blue, red  uint8[14]       colours of a text's rows
    inks             uint8[4]        background, the missile's last place, its way, the missile
    line             uint8[2]        below the panel, and between the halves
    screen           uint8[480, 640] output, palette indices
    """
    font = cast[2]
    screen[:] = inks[0]
    for i in range(2):
        screen[46 + i] = line[i]
        screen[48:HEIGHT, HALF + 2 + 2 * i : HALF + 4 + 2 * i] = line[i]
    draw_text(screen, 16, 6, PLAIN_TEXT, pixels, begin, sizes, font, blue)
    draw_text(screen, 16, 26, MISSED_TEXT, pixels, begin, sizes, font, blue)
    draw_text(screen, 340, 6, SWEPT_TEXT, pixels, begin, sizes, font, blue)
    draw_text(screen, 340, 26, SPEED_TEXT, pixels, begin, sizes, font, blue)
    draw_number(screen, 100, 6, words[PLAIN], 4, pixels, begin, sizes, font, gold)
    draw_number(screen, 100, 26, words[MISSED], 4, pixels, begin, sizes, font, gold)
    draw_number(screen, 424, 6, words[SWEPT], 4, pixels, begin, sizes, font, gold)
    draw_number(screen, 424, 26, words[SPEED], 2, pixels, begin, sizes, font, gold)
    for i in range(lanes.shape[1]):
        if lanes[MISS, i]:
            draw_text(screen, 256, LANE_TOP + i * LANE_PITCH + 5, MISS_TEXT, pixels, begin, sizes, font, red)
        for half in range(2):
            draw_lane(screen, lanes, i, half, words[SHIFT], cast[0], cast[1], pixels, begin, sizes, inks)
