"""The scenes that `retrosim study` puts before every method: rectangles at any angle that may move during the frame;
and the forms in which methods see them.

All of them are known exactly, in integers: centres are whole pixels, half sides Q11.5, angles 1024 to the turn, and a
frame moves a rectangle in a straight line, at constant speed, by whole pixels, without rotating it. No corner is
further than REACH from its centre, so that each fits the square of 30 pixels that Moertel 1994 has for every object.

The figures and some others are scenes that come with the ROMs (`retrosim scenes`), so that they can be watched too.

Source  figures 11 and 12: Rekaby 2011; tunnelling: Jon E P 2007
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isqrt

import numpy as np

from retrosim.collide.documents import objects
from retrosim.numeric.random import advance, rand_scalar
from retrosim.numeric.tables import FRACTION_BITS, QUARTER, TURN, cosine, sine
from retrosim.rom import load_scene
from retrosim.scenarios.tunnel.rules import (
    LANE_PITCH,
    LANE_TOP,
    MISSILE_HEIGHT,
    MISSILE_TOP,
    MISSILE_WIDTH,
    SHIP_TOP,
    SIDE,
)

from .exact import rectangles_meet

OBJECTS = 24  # of a random scene
REACH = 15 * 32  # Q11.5: of a corner from the centre, at most
MIN_HALF, MAX_HALF = 64, 464  # Q11.5
SCREEN, CROWD = (15, 15, 625, 465), (240, 180, 400, 300)  # left, top, right, bottom of the centres of random scenes
SPACING, PER_ROW, FIRST = 96, 6, (60, 60)  # pixels between couples, couples in a row, position of the first

Rectangle = tuple[int, int, int, int, int]  # x, y of the centre, half width, half height: Q11.5; angle
Moving = tuple[int, int, int, int, int, int, int]  # x, y from the couple's centre, half sides, angle, move x, move y


@dataclass(frozen=True, eq=False)
class StudyScene:
    """One frame.

    name   the kind of scene
    x, y   int16[n]     centres where the frame ends, pixels
    half   int16[n, 2]  half sides, Q11.5
    angle  int16[n]     1024 to the turn
    move   int16[n, 2]  pixels moved during the frame
    """

    name: str
    x: np.ndarray
    y: np.ndarray
    half: np.ndarray
    angle: np.ndarray
    move: np.ndarray

    def rectangle(self, i: int) -> Rectangle:
        """Return a rectangle where the frame ends."""
        return int(self.x[i]) * 32, int(self.y[i]) * 32, *self.half[i].tolist(), int(self.angle[i])

    @property
    def pairs(self) -> np.ndarray:
        """All pairs i < j in ascending order, int32[m, 2]."""
        return np.stack(np.triu_indices(len(self.x), 1), axis=1).astype(np.int32)

    def truth(self) -> np.ndarray:
        """Tell of each pair whether the rectangles have a point in common at any time of the frame: uint8[m]."""
        objects = [self.rectangle(i) for i in range(len(self.x))]
        moves = (self.move.astype(int) * 32).tolist()
        meet = [rectangles_meet(objects[i], objects[j], moves[i], moves[j]) for i, j in self.pairs]
        return np.array(meet, np.uint8)


def _scene(name: str, rows: Sequence[Moving]) -> StudyScene:
    table = np.array(rows, np.int16).reshape(-1, 7)
    columns = (np.ascontiguousarray(table[:, column]) for column in (0, 1, slice(2, 4), 4, slice(5, 7)))
    return StudyScene(name, *columns)


def random_scene(name: str, area: tuple[int, int, int, int], seed: int) -> StudyScene:
    """Place OBJECTS rectangles at random, at rest; a quarter of them upright.

    area  left, top, right, bottom of their centres, pixels
    seed  0..2**32-1
    """
    state = seed
    rows: list[tuple[int, int, int, int, int, int, int]] = []

    def below(limit: int) -> int:
        nonlocal state
        state = advance(state)
        return rand_scalar(limit, state)

    while len(rows) < OBJECTS:
        x, y = area[0] + below(area[2] - area[0]), area[1] + below(area[3] - area[1])
        width, height = (MIN_HALF + below(MAX_HALF - MIN_HALF + 1) for _ in range(2))
        angle = below(TURN)
        if below(4) == 0:
            angle -= angle % QUARTER
        if width * width + height * height <= REACH * REACH:
            rows.append((x, y, width, height, angle, 0, 0))
    return _scene(name, rows)


def random_scenes(seed: int, count: int) -> list[StudyScene]:
    """Return `count` scenes of each random kind: all over the screen, and crowded into a sixteenth of it."""
    kinds = (("random", SCREEN), ("crowded", CROWD))
    return [
        random_scene(name, area, (seed + 2 * number + kind) % 2**32)
        for number in range(count)
        for kind, (name, area) in enumerate(kinds)
    ]


def _couples(name: str, *couples: tuple[Moving, Moving]) -> StudyScene:
    """Put couples of rectangles on the screen, each far from the others."""
    rows = []
    for number, couple in enumerate(couples):
        x, y = (first + SPACING * step for first, step in zip(FIRST, (number % PER_ROW, number // PER_ROW)))
        rows += [(x + each[0], y + each[1], *each[2:]) for each in couple]
    return _scene(name, rows)


def _still(x: int, y: int, half_width: int, half_height: int, angle: int = 0) -> Moving:
    return x, y, half_width, half_height, angle, 0, 0


def _placed(name: str) -> StudyScene:
    """Return the rectangles of a scene that comes with the ROM `tanks`; their centres are whole pixels."""
    columns = load_scene(name).columns()
    names = ("x", "y", "half_width", "half_height", "angle")
    rows = [(x // 32, y // 32, *rest, 0, 0) for x, y, *rest in zip(*(columns[name].values() for name in names))]
    return _scene(name.replace("-", " "), rows)


def nested() -> StudyScene:
    """Figure 11: one rectangle inside the other, in both orders, the outer one upright or not."""
    return _placed("nested")


def cross() -> StudyScene:
    """Figure 12: the sides of two bars cross, no corner of one is inside the other."""
    return _placed("cross")


def fifth_point() -> StudyScene:
    """A corner of B sticks into a side of A; only for one angle in four is it the one that is tested."""
    squares = (_still(6, 0, 100, 100, angle + 3) for angle in (128, 384, 640, 896))
    return _couples("fifth point", *((_still(0, 0, 64, 470, 3), square) for square in squares))


def outside_corner() -> StudyScene:
    """A bar passes outside a square's corner, with opposite outcodes."""
    square = _still(0, 0, 128, 128)
    bars = ((6, -8, 100), (-6, -8, 412), (-6, 8, 100), (6, 8, 412))
    return _couples("outside corner", *((_still(x, y, 460, 16, angle), square) for x, y, angle in bars))


def touching() -> StudyScene:
    """Upright squares side to side and corner to corner, and one pixel further apart."""
    return _placed("touching")


def empty_corners() -> StudyScene:
    """Squares on their corners side by side: their boxes overlap in empty corners."""
    positions = ((14, 14), (-14, 14), (16, 12), (-12, -16))
    square = _still(0, 0, 300, 300, 128)
    return _couples("empty corners", *((square, _still(x, y, 300, 300, 128)) for x, y in positions))


def thin_bars() -> StudyScene:
    """Bars of a pixel or less: some cross, into some a box sticks one corner."""
    return _placed("thin-bars")


def mirrored() -> StudyScene:
    """Couples and their mirror images, to the right and left, above and below: equal answers are expected."""
    return _placed("mirrored")


def extremes() -> StudyScene:
    """Angles at the ends of 16 bits, the smallest rectangle inside another, the corners of a field."""
    return _placed("extremes")


def far_corners() -> StudyScene:
    """The four corners of the screen."""
    left, top, right, bottom = SCREEN
    positions = ((left, top), (right - 1, top), (left, bottom - 1), (right - 1, bottom - 1))
    return _scene("far corners", [_still(x, y, 320, 320, 30) for x, y in positions])


def seams() -> StudyScene:
    """Pairs that overlap across borders of sectors and blocks, and where four of them meet."""
    positions = ((64, 100), (192, 64), (320, 320), (96, 224), (544, 416))
    return _scene("seams", [_still(x + d, y + d, 200, 200, 60) for x, y in positions for d in (-4, 4)])


def tunnelling() -> StudyScene:
    """25 pixels a frame against a ship of 8: three missiles overlap it at neither end of the frame, one never does."""
    scene, rows = load_scene("tunnelling-missile"), []
    columns = scene.columns()
    speed, ship_top = columns["speed"][0], LANE_TOP + SHIP_TOP
    for lane in range(scene.objects):
        x, ship, down = columns["x"][lane] - speed, columns["ship"][lane], LANE_PITCH * lane
        middle = x + MISSILE_WIDTH // 2, LANE_TOP + MISSILE_TOP + MISSILE_HEIGHT // 2 + down
        rows.append((*middle, 16 * MISSILE_WIDTH, 16 * MISSILE_HEIGHT, 0, -speed, 0))
        rows.append(_still(ship + SIDE // 2, ship_top + SIDE // 2 + down, 16 * SIDE, 16 * SIDE))
    return _scene("tunnelling", rows)


ADVERSARIAL = (
    nested, cross, fifth_point, outside_corner, touching, empty_corners, thin_bars, mirrored, extremes,
    far_corners, seams, tunnelling,
)  # fmt: skip


# The forms in which methods see the objects of a scene: of each kind the smallest that holds the whole rectangle.
#
# Moertel 1994 has one size only, so its boxes are the squares of 30 pixels around the centres. Sprites have the pixels
# whose centres lie in the rectangle.

SQUARE = 30
MAX_CIRCLES = 4


def root_up(square: int) -> int:
    """Return the square root rounded up."""
    root = isqrt(square)
    return root + (root * root < square)


def to_pixels_up(length_q5: int) -> int:
    return -(-length_q5 // 32)


class Forms:
    """The objects of a scene where the frame ends, in whole pixels.

    boxes    int[n, 4]   left, top, width, height of upright boxes
    radius   int[n]      of circles around the centres
    circles  list        of each object, (x from the centre, y, radius): several along its longer side
    sprites  list        of each object, uint8[h, w], 1 where opaque; they lie at the boxes' corners
    """

    def __init__(self, scene: StudyScene) -> None:
        self.scene = scene
        self.count = len(scene.x)
        self._turns = [(cosine(angle), sine(angle)) for angle in scene.angle.tolist()]
        self._halves = [(width, height) for width, height in scene.half.tolist()]

    @cached_property
    def boxes(self) -> np.ndarray:
        rows = []
        for x, y, (half_width, half_height), (c, s) in zip(
            self.scene.x.tolist(), self.scene.y.tolist(), self._halves, self._turns, strict=True
        ):
            across, down = (
                to_pixels_up(-(-extent >> FRACTION_BITS))
                for extent in (half_width * abs(c) + half_height * abs(s), half_width * abs(s) + half_height * abs(c))
            )
            rows.append((x - across, y - down, 2 * across, 2 * down))
        return np.array(rows)

    @cached_property
    def squares(self) -> np.ndarray:
        """Left and top of the squares of Moertel 1994, int[n, 2]."""
        return np.stack([self.scene.x, self.scene.y], axis=1).astype(int) - SQUARE // 2

    @cached_property
    def radius(self) -> np.ndarray:
        return np.array([to_pixels_up(root_up(width * width + height * height)) for width, height in self._halves])

    def circle_at(self, i: int) -> tuple[int, int, int]:
        """Return x, y and radius of the circle around an object."""
        return int(self.scene.x[i]), int(self.scene.y[i]), int(self.radius[i])

    @cached_property
    def circles(self) -> list[list[tuple[int, int, int]]]:
        return [_row_of_circles(*half, *turn) for half, turn in zip(self._halves, self._turns)]

    @cached_property
    def sprites(self) -> list[np.ndarray]:
        return [self._sprite(i) for i in range(self.count)]

    def _sprite(self, i: int) -> np.ndarray:
        x, y = (np.arange(side) * 32 + 16 - side * 16 for side in self.boxes[i, 2:].tolist())  # from the centre, Q11.5
        (c, s), (half_width, half_height) = self._turns[i], self._halves[i]
        is_along = np.abs(x[None, :] * c + y[:, None] * s) <= half_width << FRACTION_BITS
        is_across = np.abs(y[:, None] * c - x[None, :] * s) <= half_height << FRACTION_BITS
        return (is_along & is_across).astype(np.uint8)

    @cached_property
    def records(self) -> tuple[np.ndarray, np.ndarray]:
        """The records and circles of Jon E P 2007."""
        flat = [circle for each in self.circles for circle in each]
        records = np.zeros(self.count, objects.OBJECT)
        records["type"], records["active"], records["detection"] = objects.ALIEN, 1, objects.DETECT_ALL
        records["x"], records["y"] = self.scene.x, self.scene.y
        records["count"] = [len(each) for each in self.circles]
        records["first"] = np.cumsum(records["count"]) - records["count"]
        return records, objects.make_circles(flat)


def _row_of_circles(half: int, half_across: int, c: int, s: int) -> list[tuple[int, int, int]]:
    """Cover a rectangle around the origin with equal circles along its longer side.

    Their centres are whole pixels; what that rounds off is added to the radius.
    """
    if half < half_across:
        half, half_across, c, s = half_across, half, -s, c
    count = min(-(-half // half_across), MAX_CIRCLES)
    rows = []
    for number in range(count):
        along = half * (2 * number + 1 - count) // count
        exact = along * c >> FRACTION_BITS, along * s >> FRACTION_BITS
        x, y = (value + 16 >> 5 for value in exact)
        missed = root_up((exact[0] - 32 * x) ** 2 + (exact[1] - 32 * y) ** 2) + 2 if along else 0
        part = -(-half // count)
        rows.append((x, y, to_pixels_up(root_up(part * part + half_across * half_across) + missed)))
    return rows
