"""The scenario of the `gallery` ROM as kernels: the same integers in the same order as its machine code.

words   int64[12]  frame counter, random state, input of the frame before, and the scenario's own from METHOD on
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retrosim.collide.kernels.shapes.boxes import box_exit, is_touching
from retrosim.collide.kernels.shapes.oriented import corners_of, is_hit_line_1, is_hit_point_1, is_hit_point_2
from retrosim.collide.kernels.shapes.spheres import is_meeting
from retrosim.jit import kernel
from retrosim.numeric.fixed import to_pixels, to_q5
from retrosim.numeric.tables import FRACTION_BITS, TURN, cosine, rotated_x, rotated_y, sine
from retrosim.screen.framebuffer import HEIGHT, WIDTH

from ..drawing import find_spans
from ..random import random_below
from ..scenario import DOWN, FIRE, FRAME, LEFT, PAD_BEFORE, RANDOM, RIGHT, UP

METHOD, BROAD, HANDLERS, CHECKS, TESTS, HITS, EXACT_HITS, WRONG, MISSED = range(3, 12)
WORDS = 12
X, Y, VX, VY, ANGLE, SPIN = range(6)
FOUND, EXACT = range(2)

METHODS = ("boxes", "circles", "compound", "spheres", "points 1", "points 2", "lines", "bitmap")
BOXES, CIRCLES, COMPOUND, SPHERES, POINTS_1, POINTS_2, LINES, BITMAP = range(len(METHODS))
BROADS = ("all pairs", "sectors", "blocks 16", "blocks 32", "blocks 64", "blocks 128", "blocks 256")
ALL_PAIRS, SECTORS, BLOCKS_16 = range(3)
LOG2_BLOCK_16 = 4

HALF_WIDTH_PX, HALF_HEIGHT_PX, RADIUS_PX = np.array(((13, 12, 9, 14), (7, 4, 9, 2), (15, 13, 13, 15)))
"""Of the kinds of objects, in turn."""
PARTS = 3
LEFT_PX, TOP_PX, WIDE_PX, HIGH_PX = 16, 88, 608, 376  # of the field
RANGES = np.array((WIDE_PX, HIGH_PX, TURN, 2 * 48 + 1, 2 * 8 + 1))
MAX_SPEED_Q5, MAX_SPIN = 48, 8
MAX_Z_PX = 45
LOG2_SECTOR, SECTOR_ROWS, SHIFT = 6, 9, 32
REACH_Q5, THICKNESS_PX = 30 << 5, 8
MAX_BLOCKS = (WIDTH // 16 + 1) * (HEIGHT // 16 + 1)

LIMITS = {
    "x": (LEFT_PX << 5, (LEFT_PX + WIDE_PX << 5) - 1),
    "y": (TOP_PX << 5, (TOP_PX + HIGH_PX << 5) - 1),
    **dict.fromkeys(("vx", "vy"), (-MAX_SPEED_Q5, MAX_SPEED_Q5)),
    "angle": (0, TURN - 1),
    "turn": (-MAX_SPIN, MAX_SPIN),
}
"""What every object's motion is within after a frame, by the names of the world; in the order of `Game.rows`."""


class Game(NamedTuple):
    """The scenario under way.

    rows    int32[6, n]   x, y, velocities in Q11.5; angle and its change
    half    int32[2, n]   half sides, Q11.5
    z       int32[n]      heights, pixels
    flags   uint8[2, n]   found by the method; colliding
    boxes   int32[4, n]   left, top, width, height; pixels
    words   int64[12]
    blocks  int32[k]      scratch: handlers in each block
    screen  uint8[480, 640]  scratch of the method that looks at colours, 0 between two checks
    spans   int32[480, 2]    scratch
    """

    rows: np.ndarray
    half: np.ndarray
    z: np.ndarray
    flags: np.ndarray
    boxes: np.ndarray
    words: np.ndarray
    blocks: np.ndarray
    screen: np.ndarray
    spans: np.ndarray


@kernel
def scatter(scene):
    """Place all objects at random."""
    rows, words = scene.rows, scene.words
    for i in range(rows.shape[1]):
        rows[X, i] = to_q5(LEFT_PX + random_below(words, RANGES[0]))
        rows[Y, i] = to_q5(TOP_PX + random_below(words, RANGES[1]))
        rows[ANGLE, i] = random_below(words, RANGES[2])
        rows[VX, i] = random_below(words, RANGES[3]) - MAX_SPEED_Q5
        rows[VY, i] = random_below(words, RANGES[3]) - MAX_SPEED_Q5
        rows[SPIN, i] = random_below(words, RANGES[4]) - MAX_SPIN


@kernel
def size_objects(scene):
    """Give every object the size of its kind, and its height."""
    for i in range(scene.rows.shape[1]):
        scene.half[0, i] = to_q5(HALF_WIDTH_PX[i & 3])
        scene.half[1, i] = to_q5(HALF_HEIGHT_PX[i & 3])
        scene.z[i] = (i * 5 & 15) * 3


@kernel
def power_on(scene, seed):
    """Make everything as it is before the first frame."""
    scene.words[RANDOM] = seed
    size_objects(scene)
    scatter(scene)


@kernel
def bounce(rows, place, velocity, i, first, last):
    """Step one coordinate; beyond a side of the field it is reflected and the velocity reversed."""
    following = rows[place, i] + rows[velocity, i]
    if following < first:
        following = 2 * first - following
        rows[velocity, i] = -rows[velocity, i]
    elif following > last:
        following = 2 * last - following
        rows[velocity, i] = -rows[velocity, i]
    rows[place, i] = following


@kernel
def move(rows):
    """Move and turn all objects."""
    for i in range(rows.shape[1]):
        bounce(rows, X, VX, i, to_q5(LEFT_PX), to_q5(LEFT_PX + WIDE_PX) - 1)
        bounce(rows, Y, VY, i, to_q5(TOP_PX), to_q5(TOP_PX + HIGH_PX) - 1)
        rows[ANGLE, i] = (rows[ANGLE, i] + rows[SPIN, i]) & (TURN - 1)


@kernel
def rectangle_of(scene, i):
    """Return object `i` as the tuple that tests take."""
    rows, half = scene.rows, scene.half
    x, y, angle = np.int64(rows[X, i]), np.int64(rows[Y, i]), np.int64(rows[ANGLE, i])
    return x, y, np.int64(half[0, i]), np.int64(half[1, i]), angle


@kernel
def find_box(scene, i):
    """Find the AABB of object `i`."""
    a, b, c, d = corners_of(rectangle_of(scene, i), None)
    boxes = scene.boxes
    boxes[0, i] = to_pixels(min(min(a[0], b[0]), min(c[0], d[0])))
    boxes[1, i] = to_pixels(min(min(a[1], b[1]), min(c[1], d[1])))
    boxes[2, i] = to_pixels(max(max(a[0], b[0]), max(c[0], d[0]))) - boxes[0, i]
    boxes[3, i] = to_pixels(max(max(a[1], b[1]), max(c[1], d[1]))) - boxes[1, i]


@kernel
def box_of(scene, i):
    """Return the AABB of object `i` as a tuple."""
    boxes = scene.boxes
    return np.int64(boxes[0, i]), np.int64(boxes[1, i]), np.int64(boxes[2, i]), np.int64(boxes[3, i])


@kernel
def circle_of(x, y, radius):
    """Return a circle as the box around it, which tests take."""
    return x - radius, y - radius, 2 * radius, 2 * radius


@kernel
def part_of(scene, i, k):
    """Return one of the three circles along object `i`."""
    rows, half = scene.rows, scene.half
    along, angle = (k - 1) * (half[0, i] - half[1, i]), rows[ANGLE, i]
    c, s = cosine(angle), sine(angle)
    x = to_pixels(rows[X, i]) + to_pixels(rotated_x(along, 0, c, s))
    y = to_pixels(rows[Y, i]) + to_pixels(rotated_y(along, 0, c, s))
    return circle_of(x, y, to_pixels(half[1, i]))


@kernel
def is_pair_found(scene, a, b):
    """Tell whether the method finds two objects in collision."""
    method, rows = scene.words[METHOD], scene.rows
    if method == BOXES:
        return box_exit(box_of(scene, a), box_of(scene, b)) == 0
    if method == CIRCLES:
        one = circle_of(to_pixels(rows[X, a]), to_pixels(rows[Y, a]), RADIUS_PX[a & 3])
        other = circle_of(to_pixels(rows[X, b]), to_pixels(rows[Y, b]), RADIUS_PX[b & 3])
        return is_touching(one, other, 1)
    if method == COMPOUND:
        for p in range(PARTS):
            for q in range(PARTS):
                if is_touching(part_of(scene, a, p), part_of(scene, b, q), 1):
                    return True
        return False
    if method == SPHERES:
        ball = (to_pixels(rows[X, a]), to_pixels(rows[Y, a]), scene.z[a], RADIUS_PX[a & 3])
        return is_meeting(ball, (to_pixels(rows[X, b]), to_pixels(rows[Y, b]), scene.z[b], RADIUS_PX[b & 3]))
    one, other = rectangle_of(scene, a), rectangle_of(scene, b)
    if method == POINTS_1:
        return is_hit_point_1(one, other, None)
    if method == POINTS_2:
        return is_hit_point_2(one, other, None)
    return is_hit_line_1(one, other, None)


@kernel
def shared_sectors(boxes, a, b):
    """Return in how many of the four passes two objects are in one sector."""
    shared = 0
    for dx in range(0, 2 * SHIFT, SHIFT):
        for dy in range(0, 2 * SHIFT, SHIFT):
            is_column = (boxes[0, a] + dx) >> LOG2_SECTOR == (boxes[0, b] + dx) >> LOG2_SECTOR
            is_row = (boxes[1, a] + dy) >> LOG2_SECTOR == (boxes[1, b] + dy) >> LOG2_SECTOR
            shared += int(is_column and is_row)
    return shared


@kernel
def count_in_blocks(scene, log2_block):
    """Count the handlers of all objects, and the checks of boxes in the blocks."""
    boxes, blocks, words = scene.boxes, scene.blocks, scene.words
    rows = (HEIGHT >> log2_block) + 1
    blocks[:] = 0
    for i in range(boxes.shape[1]):
        for column in range(boxes[0, i] >> log2_block, ((boxes[0, i] + boxes[2, i]) >> log2_block) + 1):
            for row in range(boxes[1, i] >> log2_block, ((boxes[1, i] + boxes[3, i]) >> log2_block) + 1):
                words[CHECKS] += blocks[column * rows + row]
                words[HANDLERS] += 1
                blocks[column * rows + row] += 1


@kernel
def test_pairs(scene):
    """Let the broad phase list pairs, and the method test them."""
    words, flags, broad = scene.words, scene.flags, scene.words[BROAD]
    for i in range(scene.rows.shape[1]):
        find_box(scene, i)
    for a in range(scene.rows.shape[1]):
        for b in range(a + 1, scene.rows.shape[1]):
            times = 1
            if broad == SECTORS:
                times = shared_sectors(scene.boxes, a, b)
            elif broad >= BLOCKS_16:
                times = int(box_exit(box_of(scene, a), box_of(scene, b)) == 0)
            words[TESTS] += times
            if times and is_pair_found(scene, a, b):
                flags[FOUND, a] = 1
                flags[FOUND, b] = 1
    if broad >= BLOCKS_16:
        count_in_blocks(scene, broad - BLOCKS_16 + LOG2_BLOCK_16)
    else:
        words[CHECKS] = words[TESTS]


@kernel
def look_and_paint(screen, spans, rectangle):
    """Tell whether anything is where a rectangle is to be drawn, and draw it."""
    top, bottom = find_spans(spans, rectangle)
    found = 0
    for row in range(top, bottom):
        for column in range(spans[row, 0], spans[row, 1] + 1):
            found |= screen[row, column]
            screen[row, column] = 1
    return found


@kernel
def test_by_bitmap(scene):
    """Draw one object after the other, and see whether something is there before; wipe the scratch screen."""
    words, screen, spans = scene.words, scene.screen, scene.spans
    for i in range(scene.rows.shape[1]):
        scene.flags[FOUND, i] = look_and_paint(screen, spans, rectangle_of(scene, i))
    screen[:] = 0
    words[TESTS] = words[CHECKS] = scene.rows.shape[1]


@kernel
def is_separated(one, other):
    """Tell whether a side of the first rectangle separates it from the other: 14 more binary places."""
    c, s, turned = cosine(one[4]), sine(one[4]), one[4] - other[4]
    dot, cross = abs(cosine(turned)), abs(sine(turned))
    dx, dy = one[0] - other[0], one[1] - other[1]
    if abs(dx * c + dy * s) > (one[2] << FRACTION_BITS) + other[2] * dot + other[3] * cross:
        return True
    return abs(dy * c - dx * s) > (one[3] << FRACTION_BITS) + other[2] * cross + other[3] * dot


@kernel
def is_colliding(scene, a, b):
    """Tell whether two rectangles have a point in common; as solids, if the method has three axes."""
    one, other = rectangle_of(scene, a), rectangle_of(scene, b)
    if abs(one[0] - other[0]) > REACH_Q5 or abs(one[1] - other[1]) > REACH_Q5:
        return False
    if scene.words[METHOD] == SPHERES and abs(scene.z[a] - scene.z[b]) > THICKNESS_PX:
        return False
    return not is_separated(one, other) and not is_separated(other, one)


@kernel
def judge(scene):
    """Find what is exact, and how the method compares with it; by colours, only the later of two objects is found."""
    words, flags = scene.words, scene.flags
    count = scene.rows.shape[1]
    for a in range(count):
        for b in range(a + 1, count):
            if is_colliding(scene, a, b):
                flags[EXACT, b] = 1
                if words[METHOD] != BITMAP:
                    flags[EXACT, a] = 1
    for i in range(count):
        found, exact = flags[FOUND, i], flags[EXACT, i]
        words[HITS] += found
        words[EXACT_HITS] += exact
        words[WRONG] += int(found > exact)
        words[MISSED] += int(exact > found)


@kernel
def check(scene):
    """Do all that follows from positions, method and broad phase."""
    scene.flags[:] = 0
    scene.words[HANDLERS:] = 0
    if scene.words[METHOD] == BITMAP:
        test_by_bitmap(scene)
    else:
        test_pairs(scene)
    judge(scene)


@kernel
def chosen(choice, back, on, choices):
    """Return one of a number of choices, on or back by one, round and round."""
    if on:
        return (choice + 1) % choices
    if back:
        return (choice + choices - 1) % choices
    return choice


@kernel
def run_frames(scene, pad, frames):
    """Execute frames, all with the same input; nothing is drawn."""
    words = scene.words
    for _ in range(frames):
        pressed = pad & ~words[PAD_BEFORE]
        words[PAD_BEFORE] = pad
        words[METHOD] = chosen(words[METHOD], pressed & LEFT, pressed & RIGHT, len(METHODS))
        words[BROAD] = chosen(words[BROAD], pressed & UP, pressed & DOWN, len(BROADS))
        if pressed & FIRE:
            scatter(scene)
        move(scene.rows)
        check(scene)
        words[FRAME] = (words[FRAME] + 1) & 0xFFFFFFFF
