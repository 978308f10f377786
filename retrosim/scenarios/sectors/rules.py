"""The demo scenario of the `sectors` ROM as kernels: the same integers in the same order as its machine code.

State is a struct of arrays: `motion` int16[4, n] holds px, py, vx, vy in Q11.5, `corners` int16[2, n] the pixels handed
to the collision check, `words` int64[3] the frame counter, the random state and the input of the frame before.
"""

from __future__ import annotations

from retrosim.collide.kernels.four_shifts import mark_four_shifts
from retrosim.jit import kernel
from retrosim.numeric.fixed import to_pixels, to_q5
from retrosim.numeric.random import advance, rand_scalar, rand_value

WIDTH, HEIGHT = 640, 480
SIDE = 30
MAX_OBJECTS = 200
WHITE, BLACK = 0, 255
LEFT, RIGHT, UP, DOWN, FIRE = 1, 2, 4, 8, 16
PAD_MASK = LEFT | RIGHT | UP | DOWN | FIRE
PX, PY, VX, VY = range(4)
FRAME, RANDOM, PAD_BEFORE = range(3)
LIMIT_X_Q5, LIMIT_Y_Q5 = (WIDTH - SIDE) << 5, (HEIGHT - SIDE) << 5
TOP_SPEED_Q5 = 128


@kernel
def scatter(motion, state):
    """Give every object a new place and velocity; return the new state of the generator."""
    for i in range(motion.shape[1]):
        state = advance(state)
        motion[PX, i] = to_q5(rand_scalar(WIDTH - SIDE + 1, state))
        state = advance(state)
        motion[PY, i] = to_q5(rand_scalar(HEIGHT - SIDE + 1, state))
        state = advance(state)
        motion[VX, i] = (rand_value(state) & 127) - 64
        state = advance(state)
        motion[VY, i] = (rand_value(state) & 127) - 64
    return state


@kernel
def blow(velocities, less, more):
    """Speed objects up along one axis by one unit, down if `less`, up if `more`, to at most TOP_SPEED_Q5."""
    wind = int(more) - int(less)
    for i in range(len(velocities)):
        velocities[i] = min(max(int(velocities[i]) + wind, -TOP_SPEED_Q5), TOP_SPEED_Q5)


@kernel
def move(positions, velocities, limit):
    """Move objects along one axis and reflect those that would leave 0..limit, Q11.5."""
    for i in range(len(positions)):
        velocity = int(velocities[i])
        position = int(positions[i]) + velocity
        if position < 0:
            position, velocity = -position, -velocity
        elif position > limit:
            position, velocity = 2 * limit - position, -velocity
        positions[i] = position
        velocities[i] = velocity


@kernel
def run_frames(motion, corners, collided, words, work, pad, frames):
    """Execute frames of the demo, all with the same input; nothing is drawn.

    motion    int16[4, n]    in and out
    corners   int16[2, n]    output, pixels
    collided  uint8[n]       output
    words     int64[3]       in and out
    work      uint32[m]      scratch, see `collide.grid`
    pad       int            input word, 0..31
    frames    int            0 or more
    Positions stay within the limits, so no check can meet an object off the screen.
    """
    for _ in range(frames):
        if pad & FIRE and not words[PAD_BEFORE] & FIRE:
            words[RANDOM] = scatter(motion, words[RANDOM])
        words[PAD_BEFORE] = pad
        blow(motion[VX], pad & LEFT != 0, pad & RIGHT != 0)
        blow(motion[VY], pad & UP != 0, pad & DOWN != 0)
        move(motion[PX], motion[VX], LIMIT_X_Q5)
        move(motion[PY], motion[VY], LIMIT_Y_Q5)
        for i in range(motion.shape[1]):
            corners[0, i] = to_pixels(int(motion[PX, i]))
            corners[1, i] = to_pixels(int(motion[PY, i]))
        mark_four_shifts(corners[0], corners[1], SIDE, True, work, collided)
        words[FRAME] = (words[FRAME] + 1) & 0xFFFFFFFF


@kernel
def draw(corners, collided, screen):
    """Draw the objects in order on a white screen: colliding ones as a black outline, others in 50 % grey.

    corners   int16[2, n]        upper-left corners, 0..610 and 0..450 pixels, so that nothing needs clipping
    collided  uint8[n]           which are drawn as an outline, with their interior left as it is
    screen    uint8[480, 640]    output, palette indices
    Source    Moertel 1994, _DrawObject: FrameRect in black, PaintRect in the pattern AA 55, anchored to the screen
    """
    screen[:] = WHITE
    for i in range(len(collided)):
        left, top = int(corners[0, i]), int(corners[1, i])
        for row in range(top, top + SIDE):
            line = screen[row, left : left + SIDE]
            if not collided[i]:
                for column in range(SIDE):
                    line[column] = BLACK * (~(row ^ (left + column)) & 1)
            elif row == top or row == top + SIDE - 1:
                line[:] = BLACK
            else:
                line[0] = BLACK
                line[SIDE - 1] = BLACK
