"""The demo scenario of the `sectors` ROM as kernels: the same integers in the same order as its machine code."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retrosim.collide.kernels.pairs.sectors import mark_four_shifts
from retrosim.jit import kernel
from retrosim.numeric.fixed import to_pixels, to_q5
from retrosim.numeric.random import advance, rand_scalar, rand_value
from retrosim.screen.framebuffer import HEIGHT, WIDTH

from ..scenario import DOWN, FIRE, FRAME, LEFT, PAD_BEFORE, RANDOM, RIGHT, UP

SIDE = 30
PX, PY, VX, VY = range(4)
LIMITS = np.array((WIDTH - SIDE, HEIGHT - SIDE))  # of the corners along x and y, pixels
MAX_X_Q5, MAX_Y_Q5 = (WIDTH - SIDE) << 5, (HEIGHT - SIDE) << 5
MAX_SPEED_Q5 = 128


class Game(NamedTuple):
    """The scenario under way.

    motion    int16[4, n]  px, py, vx, vy in Q11.5
    corners   int16[2, n]  pixels, handed to the collision check
    collided  uint8[n]     its result
    words     int64[3]     frame counter, random state, input of the frame before
    work      uint32[m]    scratch, see `collide.workspace`
    """

    motion: np.ndarray
    corners: np.ndarray
    collided: np.ndarray
    words: np.ndarray
    work: np.ndarray


@kernel
def scatter(motion, state):
    """Give every object a new position and velocity; return the new state of the generator."""
    for i in range(motion.shape[1]):
        for axis in range(2):
            state = advance(state)
            motion[PX + axis, i] = to_q5(rand_scalar(LIMITS[axis] + 1, state))
        for axis in range(2):
            state = advance(state)
            motion[VX + axis, i] = (rand_value(state) & 127) - 64
    return state


@kernel
def start(boxes, seed):
    """Power-on: all objects at random."""
    boxes.words[RANDOM] = scatter(boxes.motion, seed)


@kernel
def blow(velocities, wind):
    """Speed objects up along one axis by `wind`, Q11.5, to at most MAX_SPEED_Q5."""
    for i in range(len(velocities)):
        velocities[i] = min(max(int(velocities[i]) + wind, -MAX_SPEED_Q5), MAX_SPEED_Q5)


@kernel
def move(positions, velocities, limit):
    """Move objects along one axis and reflect those that would leave 0..limit, pixels."""
    limit_q5 = to_q5(limit)
    for i in range(len(positions)):
        velocity = int(velocities[i])
        position = int(positions[i]) + velocity
        if position < 0:
            position, velocity = -position, -velocity
        elif position > limit_q5:
            position, velocity = 2 * limit_q5 - position, -velocity
        positions[i] = position
        velocities[i] = velocity


@kernel
def run_frames(boxes, pad, frames):
    """Execute frames of the demo, all with the same input; nothing is drawn.

    Positions stay within the limits, so no check can meet an object off the screen.
    """
    motion, corners, words = boxes.motion, boxes.corners, boxes.words
    for _ in range(frames):
        if pad & FIRE and not words[PAD_BEFORE] & FIRE:
            words[RANDOM] = scatter(motion, words[RANDOM])
        words[PAD_BEFORE] = pad
        blow(motion[VX], int(pad & RIGHT != 0) - int(pad & LEFT != 0))
        blow(motion[VY], int(pad & DOWN != 0) - int(pad & UP != 0))
        for axis in range(2):
            move(motion[PX + axis], motion[VX + axis], LIMITS[axis])
            for i in range(motion.shape[1]):
                corners[axis, i] = to_pixels(int(motion[PX + axis, i]))
        mark_four_shifts(corners[0], corners[1], SIDE, True, boxes.work, boxes.collided)
        words[FRAME] = (words[FRAME] + 1) & 0xFFFFFFFF
