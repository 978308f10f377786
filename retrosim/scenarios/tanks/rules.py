"""The scenario of the `tanks` ROM as kernels: the same integers in the same order as its machine code.

places    int16[3, n + 1]  x, y of the middle in Q11.5, binary angle; tank 0 is the player's, n the shell
half      int16[n + 1, 2]  half of length and width, Q11.5
drives    int16[3, n]      speed in Q11.5 per frame, turn per frame, frames until it turns otherwise
kinds     int32[n]         kind of each tank
boxes     int32[2, n + 1]  upper-left corners of the boxes, pixels
sides     int32[n + 1, 2]  their widths and heights
flags     uint8[2, n]      whose box overlaps another one, whose rectangle collides with another one
words     int64[13]        frame counter, random state, input of the frame before, hits, bumps, tank that was struck (0:
                           none), shell's x, y, angle and whether it flies, blast's x, y and frames to come
tufts     int32[m, 3]      x, y, kind
work      scratch for `collide.blocks`: heads, objects, links, found, tally
"""

from __future__ import annotations

from retrosim.collide.kernels.blocks import Handlers, place_handlers, scan_blocks
from retrosim.collide.kernels.oriented import CHOICES, corners_of, is_hit, rectangle_of
from retrosim.jit import kernel
from retrosim.numeric.fixed import to_pixels, to_q5
from retrosim.numeric.random import advance, rand_scalar, rand_value
from retrosim.numeric.tables import QUARTER, TURN, cosine, rotated_x, rotated_y, sine

WIDTH, HEIGHT = 640, 480
PANEL, WALL, CLEARANCE = 24, 4, 28
LEFT_PX, TOP_PX = WALL + CLEARANCE, PANEL + WALL + CLEARANCE
RIGHT_PX, BOTTOM_PX = WIDTH - WALL - CLEARANCE, HEIGHT - WALL - CLEARANCE  # of the field, exclusive
TUFTS, TUFT_CLEARANCE = 140, 4
BLAST_FRAMES = 16
LOG2_BLOCK = 6
COLUMNS, ROWS = WIDTH >> LOG2_BLOCK, (HEIGHT >> LOG2_BLOCK) + 1
LEFT, RIGHT, UP, DOWN, FIRE = 1, 2, 4, 8, 16
PAD_MASK = LEFT | RIGHT | UP | DOWN | FIRE
PLAYER, LIGHT, MEDIUM, HEAVY = range(4)
CAST = (LIGHT, MEDIUM, HEAVY, MEDIUM, LIGHT, MEDIUM)  # of tanks 1, 2, ... in turn
HALF_WIDE_PX, HALF_HIGH_PX, FASTEST_Q5 = (14, 11, 14, 17), (9, 7, 9, 11), (48, 40, 28, 18)  # by kind
SHELL_HALF_WIDE_PX, SHELL_HALF_HIGH_PX, SHELL_CLEARANCE = 3, 1, 6
UPWARD, STEERING, THRUST_Q5, AVOIDING = 3 * QUARTER, 8, 3, 12
MIN_WAIT, WAIT_MASK, TURN_MASK = 16, 63, 7
MUZZLE_PX, SHELL_SPEED_PX = 22, 6
X, Y, ANGLE = range(3)
SPEED, TURNING, WAIT = range(3)
NEAR, COLLIDED = range(2)
FRAME, RANDOM, PAD_BEFORE, HITS, BUMPS, STRUCK = range(6)
SHELL_X, SHELL_Y, SHELL_ANGLE, SHELL_FLIES, BLAST_X, BLAST_Y, BLAST_LEFT = range(6, 13)
LINE_1 = CHOICES["line_1"]


@kernel
def make_tank(places, half, drives, i, kind, x, y, angle):
    """Put a tank of a kind somewhere; it does not turn."""
    places[X, i] = x
    places[Y, i] = y
    places[ANGLE, i] = angle
    half[i, 0] = to_q5(HALF_WIDE_PX[kind])
    half[i, 1] = to_q5(HALF_HIGH_PX[kind])
    drives[SPEED, i] = 0 if kind == PLAYER else FASTEST_Q5[kind]
    drives[TURNING, i] = 0
    drives[WAIT, i] = 0


@kernel
def place_tank(places, half, drives, kinds, flags, i, state):
    """Put tank `i` anywhere into the field, looking anywhere; return the new state of the generator."""
    state = advance(state)
    x = to_q5(LEFT_PX + rand_scalar(RIGHT_PX - LEFT_PX, state))
    state = advance(state)
    y = to_q5(TOP_PX + rand_scalar(BOTTOM_PX - TOP_PX, state))
    state = advance(state)
    make_tank(places, half, drives, i, kinds[i], x, y, rand_value(state) & (TURN - 1))
    flags[COLLIDED, i] = 0
    return state


@kernel
def scatter_tufts(tufts, state):
    """Place the tufts; return the new state of the generator."""
    clear = WALL + TUFT_CLEARANCE
    for i in range(len(tufts)):
        state = advance(state)
        tufts[i, 0] = clear + rand_scalar(WIDTH - 2 * clear, state)
        state = advance(state)
        tufts[i, 1] = PANEL + clear + rand_scalar(HEIGHT - PANEL - 2 * clear, state)
        state = advance(state)
        tufts[i, 2] = rand_value(state) & 3
    return state


@kernel
def start(places, half, drives, kinds, flags, tufts, seed):
    """Power-on: the player in the middle, all else at random; return the state of the generator."""
    state = scatter_tufts(tufts, seed)
    make_tank(places, half, drives, 0, PLAYER, to_q5(WIDTH // 2), to_q5((TOP_PX + BOTTOM_PX) // 2), UPWARD)
    for i in range(1, len(kinds)):
        state = place_tank(places, half, drives, kinds, flags, i, state)
    return state


@kernel
def ahead(x, y, angle, way):
    """Return the place so far ahead, in Q11.5."""
    c, s = cosine(angle), sine(angle)
    return x + rotated_x(way, 0, c, s), y + rotated_y(way, 0, c, s)


@kernel
def step(places, i, speed):
    """Go ahead, or back with a negative speed; return False, and go nowhere, if that leads out of the field."""
    x, y = ahead(int(places[X, i]), int(places[Y, i]), int(places[ANGLE, i]), speed)
    if x < to_q5(LEFT_PX) or x >= to_q5(RIGHT_PX) or y < to_q5(TOP_PX) or y >= to_q5(BOTTOM_PX):
        return False
    places[X, i] = x
    places[Y, i] = y
    return True


@kernel
def steered(speed, thrust):
    """Return the player's speed after a frame of thrust -1, 0 or 1; without thrust, friction."""
    if thrust == 0:
        return speed - int(speed > 0) + int(speed < 0)
    return min(max(speed + thrust * THRUST_Q5, -(FASTEST_Q5[PLAYER] >> 1)), FASTEST_Q5[PLAYER])


@kernel
def turn(places, i, angle):
    """Turn tank `i` by an angle."""
    places[ANGLE, i] = (int(places[ANGLE, i]) + angle) & (TURN - 1)


@kernel
def drive(places, drives, flags, pad, state):
    """Drive all: who collides at half speed, who cannot go on turns until he can; return the generator's new state."""
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
        turn(places, i, int(drives[TURNING, i]))
        speed = int(drives[SPEED, i])
        if not step(places, i, speed >> 1 if flags[COLLIDED, i] else speed):
            if i == 0:
                drives[SPEED, 0] = 0
            else:
                turn(places, i, AVOIDING)
    return state


@kernel
def shoot(places, words):
    """Let the player's tank shoot, if its last shell is gone."""
    if words[SHELL_FLIES]:
        return
    angle = int(places[ANGLE, 0])
    words[SHELL_X], words[SHELL_Y] = ahead(int(places[X, 0]), int(places[Y, 0]), angle, to_q5(MUZZLE_PX))
    words[SHELL_ANGLE] = angle
    words[SHELL_FLIES] = 1


@kernel
def move_shell(words):
    """Move the shell; it is gone where it comes near the wall."""
    if not words[SHELL_FLIES]:
        return
    x, y = ahead(int(words[SHELL_X]), int(words[SHELL_Y]), int(words[SHELL_ANGLE]), to_q5(SHELL_SPEED_PX))
    words[SHELL_X] = x
    words[SHELL_Y] = y
    clear = WALL + SHELL_CLEARANCE
    if x < to_q5(clear) or x >= to_q5(WIDTH - clear) or y < to_q5(PANEL + clear) or y >= to_q5(HEIGHT - clear):
        words[SHELL_FLIES] = 0


@kernel
def find_box(places, half, i, boxes, sides):
    """Find the box of rectangle `i`, in pixels."""
    a, b, c, d = corners_of(rectangle_of(places[X], places[Y], half, places[ANGLE], i), None)
    boxes[0, i] = to_pixels(min(min(a[0], b[0]), min(c[0], d[0])))
    boxes[1, i] = to_pixels(min(min(a[1], b[1]), min(c[1], d[1])))
    sides[i, 0] = to_pixels(max(max(a[0], b[0]), max(c[0], d[0]))) - boxes[0, i]
    sides[i, 1] = to_pixels(max(max(a[1], b[1]), max(c[1], d[1]))) - boxes[1, i]


@kernel
def find_boxes(places, half, words, boxes, sides):
    """Find all boxes, that of the shell last; return how many there are."""
    count = places.shape[1] - 1
    for i in range(count):
        find_box(places, half, i, boxes, sides)
    if not words[SHELL_FLIES]:
        return count
    places[X, count] = words[SHELL_X]
    places[Y, count] = words[SHELL_Y]
    places[ANGLE, count] = words[SHELL_ANGLE]
    half[count, 0] = to_q5(SHELL_HALF_WIDE_PX)
    half[count, 1] = to_q5(SHELL_HALF_HIGH_PX)
    find_box(places, half, count, boxes, sides)
    return count + 1


@kernel
def determine_clashes(places, half, boxes, sides, flags, words, work):
    """Let the blocks find boxes that overlap, and the line algorithm decide."""
    flags[:] = 0
    words[STRUCK] = 0
    there = find_boxes(places, half, words, boxes, sides)
    heads, objects, links, found, tally = work
    handlers = Handlers(heads, objects, links)
    x, y, around = boxes[0, :there], boxes[1, :there], sides[:there]
    place_handlers(x, y, around, LOG2_BLOCK, handlers)
    shell = places.shape[1] - 1
    for p in range(scan_blocks(x, y, around, LOG2_BLOCK, handlers, found, tally)):
        a, b = found[p, 0], found[p, 1]
        one = rectangle_of(places[X], places[Y], half, places[ANGLE], a)
        two = rectangle_of(places[X], places[Y], half, places[ANGLE], b)
        hit = is_hit(one, two, LINE_1, None)
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
def run_frames(places, half, drives, kinds, boxes, sides, flags, words, work, pad, frames):
    """Execute frames, all with the same input; nothing is drawn."""
    for _ in range(frames):
        was_hit = flags[COLLIDED, 0]
        if words[BLAST_LEFT] > 0:
            words[BLAST_LEFT] -= 1
        struck = words[STRUCK]
        if struck:
            words[BLAST_X] = places[X, struck]
            words[BLAST_Y] = places[Y, struck]
            words[BLAST_LEFT] = BLAST_FRAMES
            words[RANDOM] = place_tank(places, half, drives, kinds, flags, struck, words[RANDOM])
        words[RANDOM] = drive(places, drives, flags, pad, words[RANDOM])
        if pad & FIRE and not words[PAD_BEFORE] & FIRE:
            shoot(places, words)
        words[PAD_BEFORE] = pad
        move_shell(words)
        determine_clashes(places, half, boxes, sides, flags, words, work)
        if flags[COLLIDED, 0] and not was_hit:
            words[BUMPS] += 1
        if words[STRUCK]:
            words[HITS] += 1
            words[SHELL_FLIES] = 0
        words[FRAME] = (words[FRAME] + 1) & 0xFFFFFFFF
