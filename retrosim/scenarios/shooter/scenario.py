"""The scenario `shooter` around its rules: what the ROM draws, its state, and what it tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from retrosim.checks import check_integer
from retrosim.collide.documents.objects import DETECT_ALL, DETECT_NONE, DETECT_SHIP, MAX_RADIUS, OBJECT, make_circles
from retrosim.collide.kernels.documents.objects import ALIEN, MISSILE, SHIP
from retrosim.jit import kernel
from retrosim.rom import Rom
from retrosim.rom.reading import MemoryReader
from retrosim.screen.framebuffer import BLACK, HEIGHT, WIDTH
from retrosim.screen.shapes import Columns, Shapes, pairs_of, table

from ..drawing import Pictures, draw_label, draw_number, draw_picture, field, label, read_gallery
from ..scenario import FRAME, Layout, Parameters, Scenario, SceneTarget, ShapeSource, check_span, targets_of
from ..walks import HitFlag, ObjectRecords, ReadTest, WalkSource
from . import rules
from .rules import (
    BEST,
    BURST,
    DIVE_WAIT,
    FIRST_BOMB,
    FIRST_DIVE,
    FIRST_SHOT,
    PLAYING,
    RESERVE,
    SCORE,
    SHIELD,
    SHIPS,
    TOP,
    WAVE,
)

# What the `shooter` ROM draws, as kernels.

LINE_TOP = 25
SCORE_LABEL, SCORE_FIELD = label(8, 6, "SCORE"), field(80, 6, digits=6)
BEST_LABEL, BEST_FIELD = label(216, 6, "HIGH"), field(276, 6, digits=6)
WAVE_LABEL, WAVE_FIELD = label(412, 6, "WAVE"), field(472, 6, digits=2)
NEXT_LABEL, NEXT_FIELD = label(278, 243, "WAVE"), field(338, 243, digits=2)
OVER_LABEL, FIRE_LABEL = label(266, 230, "GAME OVER"), label(260, 254, "PRESS FIRE")
SPARES = np.array([(600 + 16 * i, 8) for i in range(RESERVE)])  # x, y of the ships in reserve
MESSAGE_FRAMES = 60


class Art(NamedTuple):
    """What the screen is drawn with.

    burst, spark, spare, font  numbers of their first pictures
    gold, blue  uint8[14]  colours of a text's rows
    lights      uint8[3]   of the stars, by their speed
    line        uint8[2]   below the panel
    """

    pictures: Pictures
    burst: int
    spark: int
    spare: int
    font: int
    gold: np.ndarray
    blue: np.ndarray
    lights: np.ndarray
    line: np.ndarray


@kernel
def draw_panel(screen, words, art):
    """Draw score, best score, wave, and the ships in reserve."""
    pictures, font, gold, blue = art.pictures, art.font, art.gold, art.blue
    screen[LINE_TOP] = art.line[0]
    screen[LINE_TOP + 1] = art.line[1]
    draw_label(screen, SCORE_LABEL, pictures, font, blue)
    draw_label(screen, BEST_LABEL, pictures, font, blue)
    draw_label(screen, WAVE_LABEL, pictures, font, blue)
    draw_number(screen, SCORE_FIELD, 10 * words[SCORE], pictures, font, gold)
    draw_number(screen, BEST_FIELD, 10 * words[BEST], pictures, font, gold)
    draw_number(screen, WAVE_FIELD, words[WAVE], pictures, font, gold)
    for i in range(words[SHIPS]):
        draw_picture(screen, SPARES[i, 0], SPARES[i, 1], pictures, art.spare)


@kernel
def picture_of(objects, words, art, i):
    """Return the picture of a record, -1 if it has none now."""
    kind, burst, shape = objects.records[i]["type"], np.int64(objects.states[BURST, i]), np.int64(objects.shapes[i])
    if burst:
        step = burst >> (3 if kind == SHIP else 2)
        if kind == MISSILE:
            return art.spark + step if step < 2 else -1
        return art.burst + step if step < 6 else -1
    if not objects.records[i]["active"] or (i == 0 and words[SHIELD] & 4):
        return -1
    if FIRST_SHOT <= i < FIRST_BOMB:
        return shape
    return shape + (words[FRAME] - 1 >> (4 if kind == ALIEN else 2) & 1)


@kernel
def draw_objects(screen, objects, words, art):
    """Draw all objects, the ship last; bursts about the middle of what they are left of."""
    sizes = objects.sizes
    for i in range(len(objects.records) - 1, -1, -1):
        number = picture_of(objects, words, art, i)
        if number < 0:
            continue
        x, y, shape = np.int64(objects.records[i]["x"]), np.int64(objects.records[i]["y"]), objects.shapes[i]
        if objects.states[BURST, i]:
            x += (sizes[0, shape] - sizes[0, number]) >> 1
            y += (sizes[1, shape] - sizes[1, number]) >> 1
            x = min(max(x, 0), WIDTH - sizes[0, number])
        draw_picture(screen[TOP:], x, y - TOP, art.pictures, number)


@kernel
def draw(game, art, screen):
    """Draw the whole screen, uint8[480, 640] palette indices."""
    words, stars, pictures, font = game.words, game.stars, art.pictures, art.font
    screen[:] = BLACK
    for star in range(len(stars)):
        fallen = stars[star, 1] - TOP + stars[star, 2] * words[FRAME]
        screen[TOP + fallen % (HEIGHT - TOP), stars[star, 0]] = art.lights[stars[star, 2] - 1]
    draw_panel(screen, words, art)
    draw_objects(screen, game.objects, words, art)
    if not words[PLAYING]:
        draw_label(screen, OVER_LABEL, pictures, font, art.gold)
        draw_label(screen, FIRE_LABEL, pictures, font, art.blue)
    elif words[DIVE_WAIT] > FIRST_DIVE - MESSAGE_FRAMES:
        draw_label(screen, NEXT_LABEL, pictures, font, art.blue)
        draw_number(screen, NEXT_FIELD, words[WAVE], pictures, font, art.gold)


CAST = ("fighter", "shot", "bomb", "captain", "hornet", "grub")
CIRCLES = (
    ((13, 6, 5), (13, 16, 8), (5, 18, 4), (21, 18, 4)),
    ((2, 4, 3),),
    ((3, 4, 3),),
    ((9, 11, 8), (18, 11, 8)),
    ((13, 10, 9), (4, 8, 4), (21, 8, 4)),
    ((10, 9, 9),),
)
"""Of each of these: centre x, y from the upper left corner, radius; pixels."""
GOLD, BLUE, LIGHTS, LINE = "OOOOooooYYYYyy", "CCCCccccccBBBB", "Dgs", "Bb"  # letters of colours
GAME = (
    *("score", "best", "wave", "ships", "playing", "sway", "sway_step"),
    *("dive_wait", "bomb_wait", "reload", "shield", "pause"),
)
RANGES = (
    *((0, rules.MAX_SCORE), (0, rules.MAX_SCORE), (1, rules.MAX_WAVE), (0, rules.RESERVE), (0, 1)),
    *((-rules.MAX_SWAY_Q5, rules.MAX_SWAY_Q5), (-rules.SWAY_STEP_Q5, rules.SWAY_STEP_Q5)),
    *((1, rules.FIRST_DIVE), (1, rules.FIRST_BOMB_FALL), (0, rules.RELOAD_FRAMES), (0, rules.SHIELD_FRAMES)),
    (0, rules.PAUSE_FRAMES - 1),
)
"""Of the words of GAME after a frame."""
FLAGS = (("active", 1), ("collided", 1), ("way", rules.COMING), ("burst", rules.SHIP_BURST))  # and the greatest


MAX_SIDE = 32  # pixels, of all that is drawn
PLACED = {
    **{name: (0, maximum) for name, maximum in FLAGS},
    **dict.fromkeys(("wide", "high"), (0, 1)),
    "detection": (DETECT_NONE, DETECT_ALL),
    "px": (0, (rules.WIDTH - MAX_SIDE) << 5),
    "py": (rules.TOP_Q5, (rules.HEIGHT - MAX_SIDE) << 5),
    **dict.fromkeys(("vx", "vy"), (-rules.SHOT_SPEED_Q5, rules.SHOT_SPEED_Q5)),
}
"""Of the objects that a scene may place."""


class ShooterScenario(Scenario):
    """See `Scenario`."""

    mark = b"RSSHOOTR"
    placed_columns = ("wide", "detection")
    besides = rules.FIRST_ALIEN

    @staticmethod
    def layout(parameters: Parameters) -> Layout:
        count = rules.FIRST_ALIEN + parameters["objects"]
        return [("<i4", (len(GAME),)), ("<i2", (4, count)), ("u1", (len(FLAGS), count))]

    def __init__(self, rom: Rom, parameters: Parameters) -> None:
        objects = parameters["objects"]
        count, gallery = rules.FIRST_ALIEN + objects, read_gallery(rom)
        self._seed = parameters["seed"]
        self.words = np.zeros(rules.WORDS, np.int64)
        self._objects = rules.Objects(
            records=np.zeros(count, OBJECT),
            motion=np.zeros((4, count), np.int16),
            states=np.zeros((2, count), np.uint8),
            roles=np.zeros(count, np.int32),
            shapes=np.zeros(count, np.int32),
            sizes=gallery.pictures.sizes,
        )
        self._is_shown = np.zeros(count, np.uint8)  # drawn after the last frame
        self._game = rules.Game(
            self._objects,
            self.words,
            homes=np.zeros((3, objects), np.int32),
            stars=np.zeros((rules.STARS, 3), np.int32),
            circles=make_circles([circle for circles in CIRCLES for circle in circles]),
            found=np.empty((count // 2, 2), np.int32),
        )
        counts = [len(circles) for circles in CIRCLES]
        first = list(accumulate(counts[:-1], initial=0))
        self._cast = np.array([gallery.numbered(*CAST), first, counts]).T.copy()
        self._art = Art(
            gallery.pictures,
            burst=gallery.numbers["burst"],
            spark=gallery.numbers["spark"],
            spare=gallery.numbers["spare"],
            font=gallery.numbers["font"],
            gold=gallery.inks(GOLD),
            blue=gallery.inks(BLUE),
            lights=gallery.inks(LIGHTS),
            line=gallery.inks(LINE),
        )

    def start(self) -> None:
        rules.power_on(self._game, self._cast, self._seed)

    def run(self, pad: int, frames: int) -> None:
        rules.run_frames(self._game, pad, frames)
        self._note_shown()

    def _note_shown(self) -> None:
        records = self._objects.records
        self._is_shown[:] = records["active"] | records["collided"]

    def draw(self, screen: np.ndarray) -> None:
        draw(self._game, self._art, screen)

    def columns(self) -> dict[str, np.ndarray | list[int]]:
        own, records = self._objects, self._objects.records
        columns = self.numbers(len(records), {name: i for i, name in enumerate(GAME, rules.SCORE)})
        columns |= {name: records[name] for name in ("type", "active", "detection", "collided", "x", "y")}
        columns |= dict(zip(("px", "py", "vx", "vy"), own.motion))
        columns |= dict(zip(("wide", "high"), own.sizes[:, own.shapes] * self._is_shown))
        return columns | dict(zip(("way", "burst"), own.states))

    def targets(self) -> dict[str, SceneTarget]:
        own = self._objects
        arrays = {name: self.words[rules.SCORE + i :][:1] for i, name in enumerate(GAME)}
        arrays |= {name: own.records[name] for name in ("active", "detection", "collided")}
        arrays |= dict(zip(("px", "py", "vx", "vy"), own.motion)) | dict(zip(("way", "burst"), own.states))
        arrays |= dict.fromkeys(("wide", "high"), self._is_shown)
        return targets_of(arrays, dict(zip(GAME, RANGES)) | PLACED)

    def auxiliary(self) -> Columns:
        records = self._objects.records
        return {"first": records["first"], "count": records["count"], "circles": self._game.circles[:, :3]}

    def saved(self) -> list[np.ndarray]:
        own = self._objects
        flags = np.stack([own.records["active"], own.records["collided"], *own.states])
        return [self.words[rules.SCORE :].astype(np.int32), own.motion, flags]

    def restore(self, arrays: Sequence[np.ndarray], placed: Mapping[str, np.ndarray]) -> None:
        words, motion, flags = arrays
        for (name, maximum), row in zip(FLAGS, flags):
            check_span(name, row, 0, maximum)
        for name, value, (minimum, maximum) in zip(GAME, words, RANGES):
            check_integer(name, int(value), minimum, maximum)
        if abs(int(words[GAME.index("sway_step")])) != rules.SWAY_STEP_Q5:
            raise ValueError(f"sway_step {words[GAME.index('sway_step')]}: allowed -16 or 16")
        self.start()  # for the stars, and for what records never change
        own, records = self._objects, self._objects.records
        is_beyond = (motion[0] < 0) | (motion[0] > rules.WIDTH - own.sizes[0, own.shapes] << 5)
        is_beyond &= (flags[:2] != 0).any(axis=0)
        if is_beyond.any():
            raise ValueError(f"px[{np.flatnonzero(is_beyond)[0]}] is beyond the field")
        check_span("py", motion[1], -rules.HEIGHT << 5, rules.HEIGHT << 5)
        check_integer("greatest speed", int(np.abs(motion[2:].astype(int)).max()), 0, rules.SHOT_SPEED_Q5)
        self.words[rules.SCORE :] = words
        own.motion[:], own.states[:] = motion, flags[2:]
        records["active"], records["collided"] = flags[:2]
        records["x"], records["y"] = motion[:2] >> 5
        records["detection"][0] = DETECT_NONE if self.words[rules.SHIELD] else DETECT_ALL
        self._note_shown()
        self.place_again(placed)


# What the ROM `shooter` tests: the collision circles of its object records, all pairs that the records allow.

RECORD_BYTES, FIRST_AT, COUNT_AT, CIRCLE_BYTES = 16, 12, 14, 8  # structs object and circle, roms/objects/src/objects.h
MAX_OF_ONE, MAX_CIRCLES = 16, 1024  # memory may hold anything, and more would only cost time
NEVER = np.iinfo(np.int64).max


def auxiliary(reader: MemoryReader, columns: Columns) -> Columns:
    """Return `first` and `count`, int[n]: the circles of each record; `circles`, int[m, 3]: x, y, radius of each."""
    first, count = (
        reader.column("gRecords", at, RECORD_BYTES, "s16", len(columns["x"])) for at in (FIRST_AT, COUNT_AT)
    )
    if len(first) < len(columns["x"]):
        raise ValueError(f"gRecords has {len(first)} records: {len(columns['x'])} are needed")
    capacity = min(reader.capacity("gCircles", CIRCLE_BYTES), MAX_CIRCLES)
    circles = [reader.column("gCircles", at, CIRCLE_BYTES, "s16", capacity) for at in (0, 2, 4)]
    return {"first": first, "count": count, "circles": np.stack(circles, axis=1)}


def touching(owner: np.ndarray, circles: np.ndarray, count: int) -> np.ndarray:
    """Tell which of `count` objects have circles that overlap, bool[count, count].

    owner    int[c]     object of each circle
    circles  int[c, 3]  x and y of the centre on the screen, radius
    """
    x, y, radius = circles.T.astype(np.int64)
    squared = (x[:, None] - x) ** 2 + (y[:, None] - y) ** 2
    one, other = np.nonzero(squared < (radius[:, None] + radius) ** 2)
    found = np.zeros((count, count), bool)
    found[owner[one], owner[other]] = True
    return found


def hits_in_turn(pairs: np.ndarray, turn: np.ndarray) -> list[tuple[int, int]]:
    """Return which object hit which, the lower first: the first pair in turn of each that is still in the game.

    pairs  int[m, 2]  all that could meet, by their circles
    turn   int[n, n]  when the loop tests a pair
    """
    gone: set[int] = set()
    hits = []
    for a, b in sorted(pairs.tolist(), key=lambda pair: turn[pair[0], pair[1]]):
        if a != b and not {a, b} & gone:
            gone |= {a, b}
            hits.append((min(a, b), max(a, b)))
    return sorted(hits)


def shapes(columns: Columns) -> Shapes:
    """Return the circles of all objects in the game when they were tested; tested are all pairs that the loop got to.

    An object that was hit has left the game when the frame ends; that it was hit in this frame shows in its burst,
    which is 1. With these put back the rule of Jon E P 2007 gives the rest: a pair is tested when either order of it
    comes up while both are in the game. The pairs are found among the objects that were hit.
    """
    n, circles = len(columns["x"]), columns["circles"]
    x, y, is_ship, detection = columns["x"], columns["y"], columns["type"] == SHIP, columns["detection"]
    hit = (columns["collided"] != 0) & (columns["burst"] == 1)
    there = (columns["active"] != 0) | hit
    first = np.clip(columns["first"][:n], 0, len(circles))  # the native machine has records before the first frame
    count = np.clip(columns["count"][:n], 0, np.minimum(len(circles) - first, MAX_OF_ONE))
    owned = [circles[begin : begin + number] for begin, number in zip(first, count)]
    owner = np.repeat(np.arange(n), np.where(there, count, 0))
    shown = np.concatenate([np.empty((0, 3), int), *(owned[i] for i in np.flatnonzero(there))])
    placed = np.stack([x[owner] + shown[:, 0], y[owner] + shown[:, 1], shown[:, 2]], axis=1)

    seen = there & (detection != DETECT_NONE)
    allowed = seen[:, None] & seen & (is_ship[:, None] | (detection != DETECT_SHIP)[:, None] | is_ship)
    turn = np.where(allowed, np.arange(n * n).reshape(n, n), NEVER)  # the order of the loop
    of_hit = hit[owner]
    met = touching(owner[of_hit], placed[of_hit], n) & allowed
    hits = np.array(hits_in_turn(np.argwhere(met), turn), np.int32).reshape(-1, 2)
    gone = np.full(n, NEVER)
    for a, b in hits.tolist():
        gone[[a, b]] = min(turn[a, b], turn[b, a])
    is_reached = allowed & (turn <= np.minimum(gone[:, None], gone))

    middle = np.array([each[:, :2].mean(axis=0) if len(each) else (0, 0) for each in owned], int).reshape(-1, 2)
    radius = np.clip(placed[:, 2], 0, MAX_RADIUS)
    return Shapes(
        hit=hit,
        centres=table(x + middle[:, 0], y + middle[:, 1]),
        circles=table(owner, *placed[:, :2].T, radius),
        tested=pairs_of(is_reached | is_reached.T),
        hits=hits,
    )


SHAPES = ShapeSource(
    objects=("type", "active", "detection", "collided", "x", "y", "burst"),
    single=(),
    shapes=shapes,
    auxiliary=auxiliary,
)


# How the check of the ROM `shooter` is followed: every pair of records, in both orders, whose types allow it.

RECORDS = ObjectRecords("gRecords", 63, first=4, last=12)

WALK = WalkSource(check="CheckAllObjects", tests=(ReadTest(RECORDS),), flags=(HitFlag("gRecords", "circles overlap"),))
