"""The scenario of the `xquest` ROM as kernels: the same integers in the same order as its machine code.

field  Field
cast   Cast
words  int64[5]  frame counter, random state, input of the frame before, gems, bumps
state  int       of the random generator, handed in and out
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retrosim.collide.kernels.pairs.sectors import LOG2_SECTOR, ROWS, HalfOpenBoxes, scan_four_shifts
from retrosim.collide.kernels.shapes.masks import METHODS, Masks, is_common, sprite_of
from retrosim.jit import kernel
from retrosim.numeric.fixed import to_pixels, to_q5
from retrosim.numeric.random import advance, rand_scalar, rand_value
from retrosim.screen.framebuffer import HEIGHT, WIDTH

from ..scenario import DOWN, FIRE, FRAME, LEFT, PAD_BEFORE, RANDOM, RIGHT, UP

PANEL, WALL, CLEARANCE = 24, 4, 4
LEFT_PX, TOP_PX = WALL + CLEARANCE, PANEL + WALL + CLEARANCE
RIGHT_PX, BOTTOM_PX = WIDTH - WALL - CLEARANCE, HEIGHT - WALL - CLEARANCE  # of the field, exclusive
STARTS = np.array((LEFT_PX, TOP_PX))  # of the field along x and y
ENDS = np.array((RIGHT_PX, BOTTOM_PX))
STARS = 120
POINTS_UP, POINTS_RIGHT, POINTS_DOWN, POINTS_LEFT = range(4)
MAX_SPEED_Q5, THRUST_Q5 = 128, 6
PX, PY, VX, VY = range(4)
SPRITE_WIDTH, SPRITE_HEIGHT, SHAPE = range(3)
NEAR, COLLIDED, MET = range(3)
GEMS, BUMPS = 3, 4
DWORD = METHODS.index("dword")  # the ROM's routine


class Objects(NamedTuple):
    """The objects; 0 is the ship.

    motion    int16[4, n]    px, py, vx, vy in Q11.5
    corners   int32[2, n]    pixels, handed to the collision check
    sprites   int32[3, n]    width, height, number of the picture
    flags     uint8[3, n]    whose box overlaps another one, whose pixels do, what the ship touches
    """

    motion: np.ndarray
    corners: np.ndarray
    sprites: np.ndarray
    flags: np.ndarray


class Cast(NamedTuple):
    """What there is.

    members  int64[k, 2]  picture, and how often its speed is halved, of objects 1, 2, ... in turn
    sizes    int64[2, p]  width and height of each picture
    is_gem   uint8[p]     which pictures are of gems
    ship     int          the ship's first picture
    """

    members: np.ndarray
    sizes: np.ndarray
    is_gem: np.ndarray
    ship: int


class Game(NamedTuple):
    """A game under way.

    stars    int32[m, 3]    x, y, brightness
    masks    Masks          of the pictures
    work, reports, tally    scratch, see `collide.sectors`; `reports` has room for every hit of four passes
    """

    field: Objects
    cast: Cast
    words: np.ndarray
    stars: np.ndarray
    masks: Masks
    work: np.ndarray
    reports: np.ndarray
    tally: np.ndarray


@kernel
def show(field, cast, i, picture):
    """Give an object a picture."""
    field.sprites[SPRITE_WIDTH, i] = cast.sizes[0, picture]
    field.sprites[SPRITE_HEIGHT, i] = cast.sizes[1, picture]
    field.sprites[SHAPE, i] = picture


@kernel
def place(field, cast, i, state):
    """Put object `i` anywhere into the field; return the new state of the generator."""
    motion, sprites, member = field.motion, field.sprites, (i - 1) % len(cast.members)
    calm = cast.members[member, 1]
    show(field, cast, i, cast.members[member, 0])
    for axis in range(2):
        state = advance(state)
        start = STARTS[axis]
        motion[PX + axis, i] = to_q5(start + rand_scalar(ENDS[axis] - start - sprites[axis, i] + 1, state))
    for axis in range(2):
        state = advance(state)
        motion[VX + axis, i] = ((rand_value(state) & 127) - 64) >> calm
    field.flags[MET, i] = 0
    return state


@kernel
def scatter(field, cast, state):
    """Place everything but the ship; return the new state of the generator."""
    for i in range(1, field.motion.shape[1]):
        state = place(field, cast, i, state)
    return state


@kernel
def scatter_stars(stars, state):
    """Place the stars; return the new state of the generator."""
    for i in range(len(stars)):
        for axis in range(2):
            state = advance(state)
            stars[i, axis] = STARTS[axis] + rand_scalar(ENDS[axis] - STARTS[axis], state)
        state = advance(state)
        stars[i, 2] = rand_value(state) & 3
    return state


@kernel
def start(game, seed):
    """Power-on: the ship in the middle, all else at random."""
    field, cast = game.field, game.cast
    state = scatter_stars(game.stars, seed)
    show(field, cast, 0, cast.ship + POINTS_UP)
    for axis in range(2):
        field.motion[PX + axis, 0] = to_q5((STARTS[axis] + ENDS[axis] - field.sprites[axis, 0]) // 2)
        field.motion[VX + axis, 0] = 0
    game.words[RANDOM] = scatter(field, cast, state)


@kernel
def steered(velocity, thrust):
    """Return a component of the ship's velocity after a frame of thrust -1, 0 or 1; without thrust, friction."""
    if thrust == 0:
        return velocity - int(velocity > 0) + int(velocity < 0)
    return min(max(velocity + thrust * THRUST_Q5, -MAX_SPEED_Q5), MAX_SPEED_Q5)


@kernel
def steer(field, cast, pad):
    """Accelerate and turn the ship."""
    motion = field.motion
    dx = int(pad & RIGHT != 0) - int(pad & LEFT != 0)
    dy = int(pad & DOWN != 0) - int(pad & UP != 0)
    motion[VX, 0] = steered(int(motion[VX, 0]), dx)
    motion[VY, 0] = steered(int(motion[VY, 0]), dy)
    if dx != 0:
        show(field, cast, 0, cast.ship + (POINTS_RIGHT if dx > 0 else POINTS_LEFT))
    elif dy != 0:
        show(field, cast, 0, cast.ship + (POINTS_DOWN if dy > 0 else POINTS_UP))


@kernel
def move(field, axis):
    """Move objects along one axis, reflect those that would leave the field, and write their pixels' corners."""
    positions, velocities, sides = field.motion[PX + axis], field.motion[VX + axis], field.sprites[axis]
    minimum = to_q5(STARTS[axis])
    for i in range(len(positions)):
        velocity = int(velocities[i])
        position = int(positions[i]) + velocity
        maximum = to_q5(ENDS[axis] - int(sides[i]))
        if position < minimum:
            position, velocity = 2 * minimum - position, -velocity
        elif position > maximum:
            position, velocity = 2 * maximum - position, -velocity
        positions[i] = position
        velocities[i] = velocity
        field.corners[axis, i] = to_pixels(position)


@kernel
def determine_touches(game):
    """Let the sectors find what overlaps, and the masks decide."""
    sprites, flags = game.field.sprites, game.field.flags
    flags[:] = 0
    game.tally[:] = 0
    x, y, shape = game.field.corners[0], game.field.corners[1], sprites[SHAPE]
    boxes = HalfOpenBoxes(x, y, sprites[SPRITE_WIDTH], sprites[SPRITE_HEIGHT])
    found = scan_four_shifts(boxes, False, game.work, flags[NEAR], game.reports, game.tally, LOG2_SECTOR, ROWS)
    words, first, words_per_row, width, height = game.masks
    for r in range(found):
        a, b = game.reports[r, 0], game.reports[r, 1]
        dx, dy = int(x[b]) - int(x[a]), int(y[b]) - int(y[a])
        one = sprite_of(first, words_per_row, width, height, shape[a])
        other = sprite_of(first, words_per_row, width, height, shape[b])
        if is_common(words, one, other, dx, dy, DWORD):
            flags[COLLIDED, a] = 1
            flags[COLLIDED, b] = 1
            if a == 0:
                flags[MET, b] = 1
            if b == 0:
                flags[MET, a] = 1


@kernel
def run_frames(game, pad, frames):
    """Execute frames, all with the same input; nothing is drawn."""
    field, cast, words = game.field, game.cast, game.words
    shape, met = field.sprites[SHAPE], field.flags[MET]
    before = met.copy()
    for _ in range(frames):
        if pad & FIRE and not words[PAD_BEFORE] & FIRE:
            words[RANDOM] = scatter(field, cast, words[RANDOM])
        words[PAD_BEFORE] = pad
        for i in range(1, len(met)):
            if met[i] and cast.is_gem[shape[i]]:
                words[RANDOM] = place(field, cast, i, words[RANDOM])
        steer(field, cast, pad)
        for axis in range(2):
            move(field, axis)
        for i in range(len(met)):
            before[i] = met[i]
        determine_touches(game)
        for i in range(1, len(met)):
            if met[i] and not before[i]:
                words[GEMS if cast.is_gem[shape[i]] else BUMPS] += 1
        words[FRAME] = (words[FRAME] + 1) & 0xFFFFFFFF
