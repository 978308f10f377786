"""The scenario of the `tunnel` ROM as kernels: the same integers in the same order as its machine code.

lanes   int32[8, n]   of each lane: missile's x now, and when the frame began; hit in this flight by the plain and by
                      the swept test; frames that each hit, and that a miss of the plain test, are still shown; ship's x
words   int64[9]      frame counter, random state, input of the frame before, and the scenario's own from SPEED on
"""

from __future__ import annotations

import numpy as np

from retrosim.collide.kernels.documents.swept import is_box_hit
from retrosim.jit import kernel

from ..random import random_below
from ..scenario import DOWN, FIRE, FRAME, LEFT, PAD_BEFORE, RANDOM, RIGHT, UP

X, BEGIN, PLAIN_HIT, SWEPT_HIT, PLAIN_BURST, SWEPT_BURST, MISS, SHIP = range(8)
SPEED, SHIFT, FLIGHTS, PLAIN, SWEPT, MISSED = range(3, 9)
WORDS = 9

SIDE, MISSILE_WIDTH, MISSILE_HEIGHT = 8, 6, 2  # pixels
MAX_LANES, LANE_TOP, LANE_PITCH, SHIP_TOP, MISSILE_TOP = 12, 56, 34, 8, 11  # the last two from the top of a lane
SHIP_LEFT, SHIP_STEP, SHIP_RANGE = 60, 53, 160
MAX_SHIFT, SHIFT_STEP = 40, 2
LAUNCH, LAUNCH_RANGE, END = 276, 25, 8
FIRST_SPEED, MAX_SPEED = 25, 40
BURST_FRAMES, MISS_FRAMES, MAX_COUNT = 6, 9, 9999
RANGES = np.array((LAUNCH_RANGE, LAUNCH))  # of the random places of missiles: at launch, at power-on


@kernel
def launch(lanes, words, i):
    """Let the next missile of a lane begin."""
    lanes[X, i] = lanes[BEGIN, i] = LAUNCH + random_below(words, RANGES[0])
    lanes[PLAIN_HIT, i] = lanes[SWEPT_HIT, i] = 0


@kernel
def launch_all(lanes, words):
    """Let the next missiles of all lanes begin."""
    for i in range(lanes.shape[1]):
        launch(lanes, words, i)


@kernel
def power_on(lanes, words, seed):
    """Make everything as it is before the first frame."""
    words[RANDOM] = seed
    words[SPEED] = FIRST_SPEED
    for i in range(lanes.shape[1]):
        lanes[SHIP, i] = SHIP_LEFT + i * SHIP_STEP % SHIP_RANGE
    launch_all(lanes, words)
    for i in range(lanes.shape[1]):
        lanes[X, i] -= random_below(words, RANGES[1])


@kernel
def fly(lanes, words, i, shift, move):
    """Let a missile fly for a frame, while its ship moves; see whether the plain or the swept test finds a hit."""
    for row in range(PLAIN_BURST, MISS + 1):
        lanes[row, i] = max(0, lanes[row, i] - 1)
    begin, ship, speed = lanes[X, i], lanes[SHIP, i] + shift, words[SPEED]
    lanes[BEGIN, i] = begin
    lanes[X, i] = begin - speed
    for test in range(2):
        dx, vx = begin - ship, -speed - move
        if test == 0:
            dx, vx = dx + vx, 0
        is_hit = is_box_hit((dx, MISSILE_TOP - SHIP_TOP), (vx, 0), (MISSILE_WIDTH, MISSILE_HEIGHT), (SIDE, SIDE))
        if is_hit and not lanes[PLAIN_HIT + test, i]:
            lanes[PLAIN_HIT + test, i] = 1
            lanes[PLAIN_BURST + test, i] = BURST_FRAMES
            words[PLAIN + test] = min(words[PLAIN + test] + 1, MAX_COUNT)
    if lanes[X, i] >= END:
        return
    words[FLIGHTS] = min(words[FLIGHTS] + 1, MAX_COUNT)
    if lanes[SWEPT_HIT, i] and not lanes[PLAIN_HIT, i]:
        lanes[MISS, i] = MISS_FRAMES
        words[MISSED] = min(words[MISSED] + 1, MAX_COUNT)
    launch(lanes, words, i)


@kernel
def run_frames(lanes, words, pad, frames):
    """Execute frames, all with the same input; nothing is drawn."""
    for _ in range(frames):
        pressed = pad & ~words[PAD_BEFORE]
        words[PAD_BEFORE] = pad
        if pressed & UP:
            words[SPEED] = min(words[SPEED] + 1, MAX_SPEED)
        if pressed & DOWN:
            words[SPEED] = max(words[SPEED] - 1, 1)
        if pressed & FIRE:
            launch_all(lanes, words)
        shift = following = words[SHIFT]
        if pad & RIGHT and following < MAX_SHIFT:
            following += SHIFT_STEP
        if pad & LEFT and following > -MAX_SHIFT:
            following -= SHIFT_STEP
        words[SHIFT] = following
        for i in range(lanes.shape[1]):
            fly(lanes, words, i, shift, following - shift)
        words[FRAME] = (words[FRAME] + 1) & 0xFFFFFFFF
