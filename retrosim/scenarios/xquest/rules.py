"""The scenario of the `xquest` ROM as kernels: the same integers in the same order as its machine code.

motion    int16[4, n]    px, py, vx, vy in Q11.5; object 0 is the ship
corners   int32[2, n]    pixels, handed to the collision check
sprites   int32[3, n]    width, height, number of the picture
flags     uint8[3, n]    whose box overlaps another one, whose pixels do, what the ship touches
words     int64[5]       frame counter, random state, input of the frame before, gems, bumps
stars     int32[m, 3]    x, y, brightness
cast      int32[k, 2]    picture, and how often its speed is halved, of objects 1, 2, ... in turn
sizes     int32[2, p]    width and height of each picture
masks     the columns of `collide.masks.Masks`, in its order
"""

from __future__ import annotations

from retrosim.collide.kernels.four_shifts import scan_four_shifts
from retrosim.collide.kernels.masks import is_common, sprite_of
from retrosim.collide.kernels.overlap import Boxes
from retrosim.jit import kernel
from retrosim.numeric.fixed import to_pixels, to_q5
from retrosim.numeric.random import advance, rand_scalar, rand_value

WIDTH, HEIGHT = 640, 480
PANEL, WALL, CLEARANCE = 24, 4, 4
LEFT_PX, TOP_PX = WALL + CLEARANCE, PANEL + WALL + CLEARANCE
RIGHT_PX, BOTTOM_PX = WIDTH - WALL - CLEARANCE, HEIGHT - WALL - CLEARANCE  # of the field, exclusive
STARS = 120
LEFT, RIGHT, UP, DOWN, FIRE = 1, 2, 4, 8, 16
PAD_MASK = LEFT | RIGHT | UP | DOWN | FIRE
POINTS_UP, POINTS_RIGHT, POINTS_DOWN, POINTS_LEFT = range(4)
TOP_SPEED_Q5, THRUST_Q5 = 128, 6
PX, PY, VX, VY = range(4)
WIDE, HIGH, SHAPE = range(3)
NEAR, COLLIDED, MET = range(3)
FRAME, RANDOM, PAD_BEFORE, GEMS, BUMPS = range(5)
DWORD = 1  # index into `collide.masks.METHODS`: the ROM's routine
BRACKET, TICK, MARK_DISTANCE = 5, 2, 2
FIGURES, MAX_SHOWN = 3, 999
GEMS_LEFT, BUMPS_LEFT, FIGURES_TOP, BETWEEN = 260, 340, 6, 6


@kernel
def show(sprites, sizes, i, picture):
    """Give an object a picture."""
    sprites[WIDE, i] = sizes[0, picture]
    sprites[HIGH, i] = sizes[1, picture]
    sprites[SHAPE, i] = picture


@kernel
def place(motion, sprites, flags, cast, sizes, i, state):
    """Put object `i` anywhere into the field; return the new state of the generator."""
    part = (i - 1) % len(cast)
    show(sprites, sizes, i, cast[part, 0])
    state = advance(state)
    motion[PX, i] = to_q5(LEFT_PX + rand_scalar(RIGHT_PX - LEFT_PX - sprites[WIDE, i] + 1, state))
    state = advance(state)
    motion[PY, i] = to_q5(TOP_PX + rand_scalar(BOTTOM_PX - TOP_PX - sprites[HIGH, i] + 1, state))
    state = advance(state)
    motion[VX, i] = ((rand_value(state) & 127) - 64) >> cast[part, 1]
    state = advance(state)
    motion[VY, i] = ((rand_value(state) & 127) - 64) >> cast[part, 1]
    flags[MET, i] = 0
    return state


@kernel
def scatter(motion, sprites, flags, cast, sizes, state):
    """Place everything but the ship; return the new state of the generator."""
    for i in range(1, motion.shape[1]):
        state = place(motion, sprites, flags, cast, sizes, i, state)
    return state


@kernel
def scatter_stars(stars, state):
    """Place the stars; return the new state of the generator."""
    for i in range(len(stars)):
        state = advance(state)
        stars[i, 0] = LEFT_PX + rand_scalar(RIGHT_PX - LEFT_PX, state)
        state = advance(state)
        stars[i, 1] = TOP_PX + rand_scalar(BOTTOM_PX - TOP_PX, state)
        state = advance(state)
        stars[i, 2] = rand_value(state) & 3
    return state


@kernel
def start(motion, sprites, flags, stars, cast, sizes, ship, seed):
    """Power-on: the ship in the middle, all else at random; return the state of the generator. `ship`: its picture."""
    state = scatter_stars(stars, seed)
    show(sprites, sizes, 0, ship + POINTS_UP)
    motion[:, 0] = 0
    motion[PX, 0] = to_q5((LEFT_PX + RIGHT_PX - sprites[WIDE, 0]) // 2)
    motion[PY, 0] = to_q5((TOP_PX + BOTTOM_PX - sprites[HIGH, 0]) // 2)
    return scatter(motion, sprites, flags, cast, sizes, state)


@kernel
def steered(velocity, thrust):
    """Return a component of the ship's velocity after a frame of thrust -1, 0 or 1; without thrust, friction."""
    if thrust == 0:
        return velocity - int(velocity > 0) + int(velocity < 0)
    return min(max(velocity + thrust * THRUST_Q5, -TOP_SPEED_Q5), TOP_SPEED_Q5)


@kernel
def steer(motion, sprites, sizes, ship, pad):
    """Accelerate and turn the ship."""
    dx = int(pad & RIGHT != 0) - int(pad & LEFT != 0)
    dy = int(pad & DOWN != 0) - int(pad & UP != 0)
    motion[VX, 0] = steered(int(motion[VX, 0]), dx)
    motion[VY, 0] = steered(int(motion[VY, 0]), dy)
    if dx != 0:
        show(sprites, sizes, 0, ship + (POINTS_RIGHT if dx > 0 else POINTS_LEFT))
    elif dy != 0:
        show(sprites, sizes, 0, ship + (POINTS_DOWN if dy > 0 else POINTS_UP))


@kernel
def move(positions, velocities, sides, least_px, end_px, corners):
    """Move objects along one axis, reflect those that would leave least_px..end_px, and write their pixels' corners."""
    least = to_q5(least_px)
    for i in range(len(positions)):
        velocity = int(velocities[i])
        position = int(positions[i]) + velocity
        most = to_q5(end_px - int(sides[i]))
        if position < least:
            position, velocity = 2 * least - position, -velocity
        elif position > most:
            position, velocity = 2 * most - position, -velocity
        positions[i] = position
        velocities[i] = velocity
        corners[i] = to_pixels(position)


@kernel
def determine_touches(corners, sprites, flags, masks, work, reports, tally):
    """Let the sectors find what overlaps, and the masks decide; `reports` has room for every hit of four passes."""
    flags[:] = 0
    tally[:] = 0
    x, y = corners[0], corners[1]
    boxes = Boxes(x, y, sprites[WIDE], sprites[HIGH])
    found = scan_four_shifts(boxes, False, work, flags[NEAR], reports, tally)
    words, first, across, wide, high = masks
    shape = sprites[SHAPE]
    for r in range(found):
        a, b = reports[r, 0], reports[r, 1]
        dx, dy = int(x[b]) - int(x[a]), int(y[b]) - int(y[a])
        one, two = sprite_of(first, across, wide, high, shape[a]), sprite_of(first, across, wide, high, shape[b])
        if is_common(words, one, two, dx, dy, DWORD):
            flags[COLLIDED, a] = 1
            flags[COLLIDED, b] = 1
            if a == 0:
                flags[MET, b] = 1
            if b == 0:
                flags[MET, a] = 1


@kernel
def run_frames(
    motion, corners, sprites, flags, words, cast, sizes, is_gem, ship, masks, work, reports, tally, pad, frames
):
    """Execute frames, all with the same input; nothing is drawn.

    is_gem  uint8[p]  which pictures are of gems
    ship    int       the ship's first picture
    work, reports, tally  scratch, see `determine_touches` and `collide.sectors`
    """
    before = flags[MET].copy()
    for _ in range(frames):
        if pad & FIRE and not words[PAD_BEFORE] & FIRE:
            words[RANDOM] = scatter(motion, sprites, flags, cast, sizes, words[RANDOM])
        words[PAD_BEFORE] = pad
        for i in range(1, motion.shape[1]):
            if flags[MET, i] and is_gem[sprites[SHAPE, i]]:
                words[RANDOM] = place(motion, sprites, flags, cast, sizes, i, words[RANDOM])
        steer(motion, sprites, sizes, ship, pad)
        move(motion[PX], motion[VX], sprites[WIDE], LEFT_PX, RIGHT_PX, corners[0])
        move(motion[PY], motion[VY], sprites[HIGH], TOP_PX, BOTTOM_PX, corners[1])
        before[:] = flags[MET]
        determine_touches(corners, sprites, flags, masks, work, reports, tally)
        for i in range(1, motion.shape[1]):
            if flags[MET, i] and not before[i]:
                words[GEMS if is_gem[sprites[SHAPE, i]] else BUMPS] += 1
        words[FRAME] = (words[FRAME] + 1) & 0xFFFFFFFF


@kernel
def draw_picture(screen, x, y, pixels, begin, sizes, picture):
    """Draw a picture; colour 0 is transparent.

    pixels  uint8[t]  of all pictures, row after row
    begin   int32[p]  where each picture's pixels begin
    """
    place = begin[picture]
    for row in range(sizes[1, picture]):
        for column in range(sizes[0, picture]):
            if pixels[place]:
                screen[y + row, x + column] = pixels[place]
            place += 1


@kernel
def draw_mark(screen, x, y, wide, high, length, colour):
    """Draw the corners of a mark round a box, with arms of `length` pixels."""
    left, top = x - MARK_DISTANCE, y - MARK_DISTANCE
    right, bottom = x + wide + MARK_DISTANCE - 1, y + high + MARK_DISTANCE - 1
    for i in range(length):
        for column in (left + i, right - i):
            screen[top, column] = colour
            screen[bottom, column] = colour
        for row in (top + i, bottom - i):
            screen[row, left] = colour
            screen[row, right] = colour


@kernel
def draw_count(screen, left, count, pixels, begin, sizes, digits):
    """Write a number with three figures; `digits` is the picture of 0."""
    rest = min(count, MAX_SHOWN)
    for figure in range(FIGURES):
        x = left + (FIGURES - 1 - figure) * sizes[0, digits]
        draw_picture(screen, x, FIGURES_TOP, pixels, begin, sizes, digits + rest % 10)
        rest //= 10


@kernel
def draw_icon(screen, left, pixels, begin, sizes, picture):
    """Draw what a count stands for."""
    draw_picture(
        screen, left - BETWEEN - sizes[0, picture], (PANEL - sizes[1, picture]) >> 1, pixels, begin, sizes, picture
    )


@kernel
def draw(corners, sprites, flags, words, stars, pixels, begin, sizes, icons, wall, lights, inks, screen):
    """Draw the whole screen.

    icons   int32[3]          pictures: gem and mine of the counts, figure 0
    wall    uint8[4]          colours of the wall from outside
    lights  uint8[4]          colours of the stars
    inks    uint8[3]          background, mark of pixels that touch, mark of boxes that overlap
    screen  uint8[480, 640]   output, palette indices
    """
    screen[:] = inks[0]
    for i in range(WALL):
        screen[PANEL + i, i : WIDTH - i] = wall[i]
        screen[HEIGHT - 1 - i, i : WIDTH - i] = wall[i]
        screen[PANEL + i : HEIGHT - i, i] = wall[i]
        screen[PANEL + i : HEIGHT - i, WIDTH - 1 - i] = wall[i]
    draw_icon(screen, GEMS_LEFT, pixels, begin, sizes, icons[0])
    draw_icon(screen, BUMPS_LEFT, pixels, begin, sizes, icons[1])
    draw_count(screen, GEMS_LEFT, words[GEMS], pixels, begin, sizes, icons[2])
    draw_count(screen, BUMPS_LEFT, words[BUMPS], pixels, begin, sizes, icons[2])
    for i in range(len(stars)):
        screen[stars[i, 1], stars[i, 0]] = lights[stars[i, 2]]
    for i in range(corners.shape[1]):
        draw_picture(screen, corners[0, i], corners[1, i], pixels, begin, sizes, sprites[SHAPE, i])
    for i in range(corners.shape[1]):
        x, y, wide, high = corners[0, i], corners[1, i], sprites[WIDE, i], sprites[HIGH, i]
        if flags[COLLIDED, i]:
            draw_mark(screen, x, y, wide, high, BRACKET, inks[1])
        elif flags[NEAR, i]:
            draw_mark(screen, x, y, wide, high, TICK, inks[2])
