"""The scenario `tunnel` around its rules: what the ROM draws, its state, and what it tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from retrosim.checks import check_integer
from retrosim.jit import kernel
from retrosim.rom import Rom
from retrosim.screen.framebuffer import BLACK, HEIGHT
from retrosim.screen.shapes import Columns, Shapes, table

from ..drawing import Pictures, draw_label, draw_number, draw_picture, field, label, read_gallery
from ..scenario import Layout, Parameters, Scenario, SceneTarget, ShapeSource, check_span, targets_of
from . import rules
from .rules import (
    BEGIN,
    BURST_FRAMES,
    LANE_PITCH,
    LANE_TOP,
    MAX_LANES,
    MISS,
    MISSED,
    MISSILE_HEIGHT,
    MISSILE_TOP,
    MISSILE_WIDTH,
    PLAIN,
    PLAIN_BURST,
    PLAIN_HIT,
    SHIFT,
    SHIP,
    SHIP_TOP,
    SIDE,
    SPEED,
    SWEPT,
    X,
)

# What the `tunnel` ROM draws, as kernels: the plain test in the left half, the swept test in the right one.

LINE_TOP, FIELD_TOP, DIVISION = 46, 48, 318
RIGHT_HALF = 324  # x that is 0 in the right half
PLAIN_LABEL, PLAIN_FIELD = label(16, 6, "PLAIN"), field(100, 6, digits=4)
MISSED_LABEL, MISSED_FIELD = label(16, 26, "MISSED"), field(100, 26, digits=4)
SWEPT_LABEL, SWEPT_FIELD = label(340, 6, "SWEPT"), field(424, 6, digits=4)
SPEED_LABEL, SPEED_FIELD = label(340, 26, "SPEED"), field(424, 26, digits=2)
MISS_LABELS = np.array([label(256, LANE_TOP + lane * LANE_PITCH + 5, "MISS") for lane in range(MAX_LANES)])


class Art(NamedTuple):
    """What the screen is drawn with.

    dart, spark, font  numbers of the first pictures of ship, burst and characters
    gold, blue, red    uint8[14]  colours of a text's rows
    inks               uint8[3]   the missile's last place, its path, the missile
    line               uint8[2]   below the panel, and between the halves
    """

    pictures: Pictures
    dart: int
    spark: int
    font: int
    gold: np.ndarray
    blue: np.ndarray
    red: np.ndarray
    inks: np.ndarray
    line: np.ndarray


@kernel
def draw_lane(screen, lanes, i, half, shift, art):
    """Draw one lane in one half: missile, ship, what is left of a hit; the missile's last place, or its path, dim."""
    top, left, inks = LANE_TOP + i * LANE_PITCH, half * RIGHT_HALF, art.inks
    ship, y = left + lanes[SHIP, i] + shift, top + MISSILE_TOP
    draw_picture(screen, ship, top + SHIP_TOP, art.pictures, art.dart)
    if not lanes[PLAIN_HIT + half, i]:
        now, before = left + lanes[X, i], left + lanes[BEGIN, i]
        if before > now:
            screen[y : y + MISSILE_HEIGHT, now if half else before : before + MISSILE_WIDTH] = inks[half]
        screen[y : y + MISSILE_HEIGHT, now : now + MISSILE_WIDTH] = inks[2]
    burst = lanes[PLAIN_BURST + half, i]
    if burst:
        number = art.spark + int(burst <= BURST_FRAMES // 2)
        draw_picture(screen, ship - 1, top + SHIP_TOP - 1, art.pictures, number)


@kernel
def draw(lanes, words, art, screen):
    """Draw the whole screen, uint8[480, 640] palette indices."""
    pictures, font, gold, blue = art.pictures, art.font, art.gold, art.blue
    screen[:] = BLACK
    for i in range(2):
        screen[LINE_TOP + i] = art.line[i]
        screen[FIELD_TOP:HEIGHT, DIVISION + 2 * i : DIVISION + 2 + 2 * i] = art.line[i]
    draw_label(screen, PLAIN_LABEL, pictures, font, blue)
    draw_label(screen, MISSED_LABEL, pictures, font, blue)
    draw_label(screen, SWEPT_LABEL, pictures, font, blue)
    draw_label(screen, SPEED_LABEL, pictures, font, blue)
    draw_number(screen, PLAIN_FIELD, words[PLAIN], pictures, font, gold)
    draw_number(screen, MISSED_FIELD, words[MISSED], pictures, font, gold)
    draw_number(screen, SWEPT_FIELD, words[SWEPT], pictures, font, gold)
    draw_number(screen, SPEED_FIELD, words[SPEED], pictures, font, gold)
    for i in range(lanes.shape[1]):
        if lanes[MISS, i]:
            draw_label(screen, MISS_LABELS[i], pictures, font, art.red)
        for half in range(2):
            draw_lane(screen, lanes, i, half, words[SHIFT], art)


GOLD, BLUE, RED = "OOOOooooYYYYyy", "CCCCccccccBBBB", "ppppqqqqqqRRRR"  # letters of colours
INKS, LINE = "Dtw", "Bb"
WORDS = ("speed", "shift", "flights", "plain", "swept", "missed")
LANES = ("x", "begin", "plain_hit", "swept_hit", "plain_burst", "swept_burst", "miss")
MAX_X = rules.LAUNCH + rules.LAUNCH_RANGE - 1
RANGES = {
    "speed": (1, rules.MAX_SPEED),
    "shift": (-rules.MAX_SHIFT, rules.MAX_SHIFT),
    **dict.fromkeys(WORDS[2:], (0, rules.MAX_COUNT)),
    "x": (rules.END, MAX_X),
    "begin": (0, MAX_X),
    **dict.fromkeys(("plain_hit", "swept_hit"), (0, 1)),
    **dict.fromkeys(("plain_burst", "swept_burst"), (0, rules.BURST_FRAMES)),
    "miss": (0, rules.MISS_FRAMES),
}
"""Of everything after a frame."""
SHIPS = {"ship": (rules.SHIP_LEFT, rules.SHIP_LEFT + rules.SHIP_RANGE)}


class TunnelScenario(Scenario):
    """See `Scenario`."""

    mark = b"RSTUNNEL"
    placed_columns = ("ship",)

    @staticmethod
    def layout(parameters: Parameters) -> Layout:
        objects = parameters["objects"]
        return [("<i4", (len(WORDS),)), ("<i2", (len(LANES), objects))]

    def __init__(self, rom: Rom, parameters: Parameters) -> None:
        gallery = read_gallery(rom)
        objects, self._seed = parameters["objects"], parameters["seed"]
        self.words = np.zeros(rules.WORDS, np.int64)
        self._lanes = np.zeros((len(LANES) + 1, objects), np.int32)
        self._art = Art(
            gallery.pictures,
            dart=gallery.numbers["dart"],
            spark=gallery.numbers["spark"],
            font=gallery.numbers["font"],
            gold=gallery.inks(GOLD),
            blue=gallery.inks(BLUE),
            red=gallery.inks(RED),
            inks=gallery.inks(INKS),
            line=gallery.inks(LINE),
        )

    def start(self) -> None:
        rules.power_on(self._lanes, self.words, self._seed)

    def run(self, pad: int, frames: int) -> None:
        rules.run_frames(self._lanes, self.words, pad, frames)

    def draw(self, screen: np.ndarray) -> None:
        draw(self._lanes, self.words, self._art, screen)

    def columns(self) -> dict[str, np.ndarray | list[int]]:
        own = {name: i for i, name in enumerate(WORDS, rules.SPEED)}
        return self.numbers(self._lanes.shape[1], own) | dict(zip((*LANES, "ship"), self._lanes))

    def targets(self) -> dict[str, SceneTarget]:
        arrays = {name: self.words[rules.SPEED + i :][:1] for i, name in enumerate(WORDS)}
        return targets_of(arrays | dict(zip((*LANES, "ship"), self._lanes)), RANGES | SHIPS)

    def saved(self) -> list[np.ndarray]:
        return [self.words[rules.SPEED :].astype(np.int32), self._lanes[: len(LANES)].astype(np.int16)]

    def restore(self, arrays: Sequence[np.ndarray], placed: Mapping[str, np.ndarray]) -> None:
        words, lanes = arrays
        for name, value in zip(WORDS, words):
            check_integer(name, int(value), *RANGES[name])
        for name, row in zip(LANES, lanes):
            check_span(name, row, *RANGES[name])
        self.start()  # for the places of the ships
        self.place_again(placed)
        self.words[rules.SPEED :] = words
        self._lanes[: len(LANES)] = lanes


# What the ROM `tunnel` tests: in its left half boxes where they are, in its right half boxes swept along their paths.
#
# Objects 4 i to 4 i + 3 are those of lane i: missile and ship of the plain test, missile and ship of the swept test.


def shapes(columns: Columns) -> Shapes:
    """Return boxes, and the paths of missiles; tested is a missile that has not hit its ship before.

    A hit of this frame shows in its burst, which is new. Of a missile that was launched in this frame the box that was
    tested is overwritten: it has none, and stands where its ship is. Nor does memory keep where the ship was when the
    frame began, up to 2 pixels away: the ship's box is where it ended.
    """
    lane = np.arange(len(columns["x"]))
    launched = columns["x"] == columns["begin"]
    ship_x, ship_y = columns["ship"] + columns["shift"], LANE_TOP + lane * LANE_PITCH + SHIP_TOP
    missile_y = ship_y - SHIP_TOP + MISSILE_TOP
    boxes, paths, tested = [], [], []
    hit, centres = np.zeros((len(lane), 4), bool), np.zeros((len(lane), 4, 2), int)
    for half, test in enumerate(("plain", "swept")):
        missile, ship, left = 4 * lane + 2 * half, 4 * lane + 2 * half + 1, half * RIGHT_HALF
        x, begin, target = (left + each for each in (columns["x"], columns["begin"], ship_x))
        is_hit = columns[f"{test}_burst"] == BURST_FRAMES
        is_known = ~launched & (is_hit | (columns[f"{test}_hit"] == 0))
        boxes.append(table(ship, target, ship_y, target + SIDE, ship_y + SIDE))
        for at in (x, begin)[: half + 1]:
            row = table(missile, at, missile_y, at + MISSILE_WIDTH, missile_y + MISSILE_HEIGHT)
            boxes.append(row[is_known])
        if half:
            right, bottom = begin + MISSILE_WIDTH - 1, missile_y + MISSILE_HEIGHT - 1
            paths.append(table(missile, x, missile_y, right, missile_y, right, bottom, x, bottom)[is_known])
        tested.append(table(missile, ship)[is_known | is_hit])
        hit[:, 2 * half : 2 * half + 2] = is_hit[:, None]
        middle = np.stack([target + SIDE // 2, ship_y + SIDE // 2], axis=1)
        there = np.stack([x + MISSILE_WIDTH // 2, missile_y + MISSILE_HEIGHT // 2], axis=1)
        centres[:, 2 * half] = np.where(launched[:, None], middle, there)
        centres[:, 2 * half + 1] = middle
    pairs = np.concatenate(tested)
    pairs = pairs[np.argsort(pairs[:, 0])]
    flags = hit.ravel()
    return Shapes(
        hit=flags,
        centres=table(*centres.reshape(-1, 2).T),
        boxes=np.concatenate(boxes),
        paths=np.concatenate(paths),
        tested=pairs,
        hits=pairs[flags[pairs].all(axis=1)],
    )


SHAPES = ShapeSource(
    objects=("x", "begin", "ship", "plain_hit", "swept_hit", "plain_burst", "swept_burst"),
    single=("shift",),
    shapes=shapes,
)
