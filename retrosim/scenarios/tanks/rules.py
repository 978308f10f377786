"""The scenario of the `tanks` ROM as kernels: the same integers in the same order as its machine code.

tanks  Tanks
words  int64[13]  frame counter, random state, input of the frame before, hits, bumps, tank that was struck (0: none),
                  shell's x, y, angle and whether it flies, blast's x, y and frames to come
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retrosim.collide.kernels.documents.blocks import Handlers, place_handlers, scan_blocks
from retrosim.collide.kernels.shapes.oriented import corners_of, is_hit_line_1
from retrosim.jit import kernel
from retrosim.numeric.fixed import to_pixels, to_q5
from retrosim.numeric.random import advance, rand_scalar, rand_value
from retrosim.numeric.tables import QUARTER, TURN, cosine, rotated_x, rotated_y, sine
from retrosim.screen.framebuffer import HEIGHT, WIDTH

from ..scenario import DOWN, FIRE, FRAME, LEFT, PAD_BEFORE, RANDOM, RIGHT, UP

PANEL, WALL, CLEARANCE = 24, 4, 28
LEFT_PX, TOP_PX = WALL + CLEARANCE, PANEL + WALL + CLEARANCE
RIGHT_PX, BOTTOM_PX = WIDTH - WALL - CLEARANCE, HEIGHT - WALL - CLEARANCE  # of the field, exclusive
LEFT_Q5, TOP_Q5, RIGHT_Q5, BOTTOM_Q5 = LEFT_PX << 5, TOP_PX << 5, RIGHT_PX << 5, BOTTOM_PX << 5
STARTS = np.array((LEFT_PX, TOP_PX))  # of the field along x and y
ENDS = np.array((RIGHT_PX, BOTTOM_PX))
TUFTS, TUFT_CLEARANCE = 140, 4
TUFT_STARTS = np.array((WALL + TUFT_CLEARANCE, PANEL + WALL + TUFT_CLEARANCE))
TUFT_ENDS = np.array((WIDTH - WALL - TUFT_CLEARANCE, HEIGHT - WALL - TUFT_CLEARANCE))
BLAST_FRAMES = 16
LOG2_BLOCK = 6
COLUMNS, ROWS = WIDTH >> LOG2_BLOCK, (HEIGHT >> LOG2_BLOCK) + 1
PLAYER, LIGHT, MEDIUM, HEAVY = range(4)
CAST = (LIGHT, MEDIUM, HEAVY, MEDIUM, LIGHT, MEDIUM)  # of tanks 1, 2, ... in turn
HALF_WIDTH_PX, HALF_HEIGHT_PX, MAX_SPEED_Q5 = (14, 11, 14, 17), (9, 7, 9, 11), (48, 40, 28, 18)  # by kind
SHELL_HALF_WIDTH_PX, SHELL_HALF_HEIGHT_PX, SHELL_CLEARANCE = 3, 1, 6
SHELL_LEFT_Q5, SHELL_TOP_Q5 = (WALL + SHELL_CLEARANCE) << 5, (PANEL + WALL + SHELL_CLEARANCE) << 5
SHELL_RIGHT_Q5, SHELL_BOTTOM_Q5 = (WIDTH - WALL - SHELL_CLEARANCE) << 5, (HEIGHT - WALL - SHELL_CLEARANCE) << 5
PLAYER_START = np.array((WIDTH // 2 << 5, (TOP_PX + BOTTOM_PX) // 2 << 5, 3 * QUARTER))  # x, y, angle: upward
STEERING, THRUST_Q5, AVOIDING = 8, 3, 12
MIN_WAIT, WAIT_MASK, TURN_MASK = 16, 63, 7
DISTANCES_Q5 = np.array((22 << 5, 6 << 5))  # from a tank to the muzzle of its gun; of a shell in a frame
MUZZLE, SHELL_SPEED = 0, 1
X, Y, ANGLE = range(3)
SPEED, TURNING, WAIT = range(3)
NEAR, COLLIDED = range(2)
HITS, BUMPS, STRUCK = 3, 4, 5
SHELL_X, SHELL_Y, SHELL_ANGLE, SHELL_FLIES, BLAST_X, BLAST_Y, BLAST_LEFT = range(6, 13)


class Tanks(NamedTuple):
    """The tanks, of which 0 is the player's, and their shell, n.

    rows      int16[3, n + 1]  x, y of the centre in Q11.5, binary angle
    half      int16[n + 1, 2]  half of length and width, Q11.5
    drives    int16[3, n]      speed in Q11.5 per frame, turn per frame, frames until it turns otherwise
    kinds     int32[n]         kind of each tank
    boxes     int32[2, n + 1]  upper-left corners of their AABBs, pixels
    sides     int32[n + 1, 2]  widths and heights of these
    flags     uint8[2, n]      whose AABB overlaps another one, whose rectangle collides with another one
    """

    rows: np.ndarray
    half: np.ndarray
    drives: np.ndarray
    kinds: np.ndarray
    boxes: np.ndarray
    sides: np.ndarray
    flags: np.ndarray


class Game(NamedTuple):
    """A game under way.

    tufts  int32[m, 3]  x, y, kind
    handlers, found, tally  scratch, see `collide.kernels.blocks`
    """

    tanks: Tanks
    words: np.ndarray
    tufts: np.ndarray
    handlers: Handlers
    found: np.ndarray
    tally: np.ndarray


@kernel
def make_tank(tanks, i, x, y, angle):
    """Put a tank somewhere; it does not turn."""
    kind = tanks.kinds[i]
    tanks.rows[X, i] = x
    tanks.rows[Y, i] = y
    tanks.rows[ANGLE, i] = angle
    tanks.half[i, 0] = HALF_WIDTH_PX[kind] << 5
    tanks.half[i, 1] = HALF_HEIGHT_PX[kind] << 5
    tanks.drives[SPEED, i] = 0 if kind == PLAYER else MAX_SPEED_Q5[kind]
    tanks.drives[TURNING, i] = 0
    tanks.drives[WAIT, i] = 0


@kernel
def place_tank(tanks, i, state):
    """Put tank `i` anywhere into the field, looking anywhere; return the new state of the generator."""
    state = advance(state)
    x = to_q5(STARTS[0] + rand_scalar(ENDS[0] - STARTS[0], state))
    state = advance(state)
    y = to_q5(STARTS[1] + rand_scalar(ENDS[1] - STARTS[1], state))
    state = advance(state)
    tanks.kinds[i] = CAST[(i - 1) % len(CAST)]
    make_tank(tanks, i, x, y, rand_value(state) & (TURN - 1))
    tanks.flags[COLLIDED, i] = 0
    return state


@kernel
def scatter_tufts(tufts, state):
    """Place the tufts; return the new state of the generator."""
    for i in range(len(tufts)):
        for axis in range(2):
            state = advance(state)
            tufts[i, axis] = TUFT_STARTS[axis] + rand_scalar(TUFT_ENDS[axis] - TUFT_STARTS[axis], state)
        state = advance(state)
        tufts[i, 2] = rand_value(state) & 3
    return state


@kernel
def start(game, seed):
    """Power-on: the player in the middle, all else at random."""
    tanks = game.tanks
    state = scatter_tufts(game.tufts, seed)
    make_tank(tanks, 0, PLAYER_START[0], PLAYER_START[1], PLAYER_START[2])
    for i in range(1, len(tanks.kinds)):
        state = place_tank(tanks, i, state)
    game.words[RANDOM] = state


@kernel
def ahead(x, y, angle, distance):
    """Return the point so far ahead, in Q11.5."""
    c, s = cosine(angle), sine(angle)
    return x + rotated_x(distance, 0, c, s), y + rotated_y(distance, 0, c, s)


@kernel
def step(tanks, i, speed):
    """Go ahead, or back with a negative speed; return False, and go nowhere, if that leads out of the field."""
    rows = tanks.rows
    x, y = ahead(np.int64(rows[X, i]), np.int64(rows[Y, i]), np.int64(rows[ANGLE, i]), speed)
    if x < LEFT_Q5 or x >= RIGHT_Q5 or y < TOP_Q5 or y >= BOTTOM_Q5:
        return False
    rows[X, i] = x
    rows[Y, i] = y
    return True


@kernel
def steered(speed, thrust):
    """Return the player's speed after a frame of thrust -1, 0 or 1; without thrust, friction."""
    if thrust == 0:
        return speed - int(speed > 0) + int(speed < 0)
    maximum = MAX_SPEED_Q5[PLAYER]
    return min(max(speed + thrust * THRUST_Q5, -(maximum >> 1)), maximum)


@kernel
def drive(tanks, pad, state):
    """Drive all; return the new state of the generator.

    A tank that collides has half its speed, one that cannot go on turns until it can.
    """
    rows, drives = tanks.rows, tanks.drives
    drives[TURNING, 0] = (int(pad & RIGHT != 0) - int(pad & LEFT != 0)) * STEERING
    drives[SPEED, 0] = steered(int(drives[SPEED, 0]), int(pad & UP != 0) - int(pad & DOWN != 0))
    for i in range(drives.shape[1]):
        if i > 0:
            if drives[WAIT, i] > 0:
                drives[WAIT, i] -= 1
            else:
                state = advance(state)
                bits = rand_value(state)
                drives[TURNING, i] = (bits & TURN_MASK) - (bits >> 3 & TURN_MASK)
                drives[WAIT, i] = MIN_WAIT + (bits >> 6 & WAIT_MASK)
        rows[ANGLE, i] = (int(rows[ANGLE, i]) + int(drives[TURNING, i])) & (TURN - 1)
        speed = np.int64(drives[SPEED, i])
        if not step(tanks, i, speed >> 1 if tanks.flags[COLLIDED, i] else speed):
            if i == 0:
                drives[SPEED, 0] = 0
            else:
                rows[ANGLE, i] = (int(rows[ANGLE, i]) + AVOIDING) & (TURN - 1)
    return state


@kernel
def shoot(rows, words):
    """Let the player's tank shoot, if its last shell is gone."""
    if words[SHELL_FLIES]:
        return
    x, y, angle = np.int64(rows[X, 0]), np.int64(rows[Y, 0]), np.int64(rows[ANGLE, 0])
    words[SHELL_X], words[SHELL_Y] = ahead(x, y, angle, DISTANCES_Q5[MUZZLE])
    words[SHELL_ANGLE] = angle
    words[SHELL_FLIES] = 1


@kernel
def move_shell(words):
    """Move the shell; it is gone where it comes near the wall."""
    if not words[SHELL_FLIES]:
        return
    x, y = ahead(words[SHELL_X], words[SHELL_Y], words[SHELL_ANGLE], DISTANCES_Q5[SHELL_SPEED])
    words[SHELL_X] = x
    words[SHELL_Y] = y
    if x < SHELL_LEFT_Q5 or x >= SHELL_RIGHT_Q5 or y < SHELL_TOP_Q5 or y >= SHELL_BOTTOM_Q5:
        words[SHELL_FLIES] = 0


@kernel
def rectangle_of(tanks, i):
    """Return the rectangle of tank `i`, or of the shell: x, y, half width, half height, angle."""
    rows, half = tanks.rows, tanks.half
    x, y, angle = np.int64(rows[X, i]), np.int64(rows[Y, i]), np.int64(rows[ANGLE, i])
    return x, y, np.int64(half[i, 0]), np.int64(half[i, 1]), angle


@kernel
def find_box(tanks, i):
    """Find the AABB of rectangle `i`, in pixels."""
    a, b, c, d = corners_of(rectangle_of(tanks, i), None)
    boxes, sides = tanks.boxes, tanks.sides
    boxes[0, i] = to_pixels(min(min(a[0], b[0]), min(c[0], d[0])))
    boxes[1, i] = to_pixels(min(min(a[1], b[1]), min(c[1], d[1])))
    sides[i, 0] = to_pixels(max(max(a[0], b[0]), max(c[0], d[0]))) - boxes[0, i]
    sides[i, 1] = to_pixels(max(max(a[1], b[1]), max(c[1], d[1]))) - boxes[1, i]


@kernel
def find_boxes(tanks, words):
    """Find all AABBs, that of the shell last; return how many there are."""
    count = len(tanks.kinds)
    tanks.rows[X, count] = words[SHELL_X]
    tanks.rows[Y, count] = words[SHELL_Y]
    tanks.rows[ANGLE, count] = words[SHELL_ANGLE]
    tanks.half[count, 0] = SHELL_HALF_WIDTH_PX << 5
    tanks.half[count, 1] = SHELL_HALF_HEIGHT_PX << 5
    there = count + int(words[SHELL_FLIES] != 0)
    for i in range(there):
        find_box(tanks, i)
    return there


@kernel
def determine_clashes(game):
    """Let the blocks find AABBs that overlap, and the line algorithm decide."""
    tanks, words, found = game.tanks, game.words, game.found
    flags, shell = tanks.flags, len(tanks.kinds)
    flags[:] = 0
    words[STRUCK] = 0
    there = find_boxes(tanks, words)
    x, y, sides = tanks.boxes[0, :there], tanks.boxes[1, :there], tanks.sides[:there]
    place_handlers(x, y, sides, LOG2_BLOCK, game.handlers)
    for p in range(scan_blocks(x, y, sides, LOG2_BLOCK, game.handlers, found, game.tally)):
        a, b = np.int64(found[p, 0]), np.int64(found[p, 1])
        hit = is_hit_line_1(rectangle_of(tanks, a), rectangle_of(tanks, b), None)
        if b == shell:
            if hit and a != 0 and (words[STRUCK] == 0 or a < words[STRUCK]):
                words[STRUCK] = a
            continue
        flags[NEAR, a] = 1
        flags[NEAR, b] = 1
        if hit:
            flags[COLLIDED, a] = 1
            flags[COLLIDED, b] = 1


@kernel
def run_frames(game, pad, frames):
    """Execute frames, all with the same input; nothing is drawn."""
    tanks, words = game.tanks, game.words
    for _ in range(frames):
        was_hit = tanks.flags[COLLIDED, 0]
        if words[BLAST_LEFT] > 0:
            words[BLAST_LEFT] -= 1
        struck = words[STRUCK]
        if struck:
            words[BLAST_X] = tanks.rows[X, struck]
            words[BLAST_Y] = tanks.rows[Y, struck]
            words[BLAST_LEFT] = BLAST_FRAMES
            words[RANDOM] = place_tank(tanks, struck, words[RANDOM])
        words[RANDOM] = drive(tanks, pad, words[RANDOM])
        if pad & FIRE and not words[PAD_BEFORE] & FIRE:
            shoot(tanks.rows, words)
        words[PAD_BEFORE] = pad
        move_shell(words)
        determine_clashes(game)
        if tanks.flags[COLLIDED, 0] and not was_hit:
            words[BUMPS] += 1
        if words[STRUCK]:
            words[HITS] += 1
            words[SHELL_FLIES] = 0
        words[FRAME] = (words[FRAME] + 1) & 0xFFFFFFFF
