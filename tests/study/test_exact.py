"""The study's exact tests against the oracles of the kernels, which were written apart from them."""

import random

import numpy as np

from retrosim.study import exact
from tests.oracle import boxes, masks, objects, rectangles, sectors, spheres, swept

PAIRS = 3000


def agree(ours, theirs, make, pairs=PAIRS):
    """Compare two tests on random arguments; both answers must be frequent."""
    numbers, found = random.Random(1994), 0
    for _ in range(pairs):
        arguments = make(numbers)
        expected = theirs(*arguments)
        assert ours(*arguments) == expected, arguments
        found += expected
    assert 0.1 * pairs < found < 0.9 * pairs


def box(numbers, span=8, side=10):
    return (*(numbers.randint(-span, span) for _ in range(2)), *(numbers.randint(1, side) for _ in range(2)))


def circle(numbers):
    return numbers.randint(-12, 12), numbers.randint(-12, 12), numbers.randint(0, 9)


def move(numbers):
    return numbers.choice((0, numbers.randint(-20, 20))), numbers.randint(-20, 20)


def test_boxes():
    agree(exact.boxes_overlap, sectors.is_hit, lambda n: (box(n), box(n)))
    touch = lambda a, b: boxes.get_collision_result((*a, False), (*b, False), [0, 0, 0])  # noqa: E731
    agree(exact.boxes_touch, touch, lambda n: (box(n), box(n)))


def test_circles():
    def touch(a, b):
        a, b = ((x - r, y - r, 2 * r, 2 * r, True) for x, y, r in (a, b))
        return boxes.get_collision_result(a, b, [0, 0, 0])

    agree(exact.circles_touch, touch, lambda n: (circle(n), circle(n)))
    flat = lambda a, b: spheres.spheres_meet((*a[:2], 0, a[2]), (*b[:2], 0, b[2]))  # noqa: E731
    agree(exact.circles_overlap, flat, lambda n: (circle(n), circle(n)))
    near = lambda a, b: objects.by_circles(a[0] - b[0], a[1] - b[1], a, b)  # noqa: E731
    agree(exact.circles_overlap, near, lambda n: (circle(n), circle(n)))


def test_pixels():
    def make(numbers):
        sprites = [
            [[int(numbers.random() < 0.5) for _ in range(width)] for _ in range(height)]
            for width, height in ((6, 4), (3, 5))
        ]
        return sprites[0], (numbers.randint(0, 5), 0), sprites[1], (numbers.randint(0, 5), numbers.randint(-4, 4))

    agree(
        lambda a, at_a, b, at_b: exact.pixels_overlap(np.array(a), at_a, np.array(b), at_b),
        lambda *arguments: masks.by_pixels(*arguments) is not None,
        make,
    )


def test_moving_boxes_and_circles():
    def relative(a, a_move, b, b_move):
        return [p - q for p, q in zip(a[:2], b)], [p - q for p, q in zip(a_move, b_move)]

    agree(
        exact.boxes_overlap_in_frame,
        lambda a, a_move, b, b_move: swept.boxes_meet_in_frame(*relative(a, a_move, b, b_move), a[2:], b[2:]),
        lambda n: (box(n), move(n), box(n), move(n)),
    )
    agree(
        exact.circles_overlap_in_frame,
        lambda a, a_move, b, b_move: swept.circles_meet_in_frame(*relative(a, a_move, b, b_move), a[2] + b[2]),
        lambda n: (circle(n), move(n), circle(n), move(n)),
    )


def test_rectangles_at_rest():
    """Near each other and often upright, so that touching is frequent."""

    def make(numbers):
        angles = (numbers.choice((0, 256, numbers.randrange(1024))) for _ in range(2))
        return [(*box(numbers, 90, 100), angle) for angle in angles]

    agree(exact.rectangles_meet, rectangles.separating_axis, make)


def test_flags():
    found = exact.flags_of([(0, 0, 30, 30), (29, 29, 30, 30), (59, 0, 30, 30), (300, 300, 30, 30)])
    assert found == [1, 1, 0, 0]
