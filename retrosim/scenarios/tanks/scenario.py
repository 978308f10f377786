"""The scenario `tanks` around its rules: what the ROM draws, its state, and what it tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from retrosim.checks import check_integer
from retrosim.collide.kernels.documents.blocks import Handlers
from retrosim.jit import kernel
from retrosim.numeric.fixed import to_pixels
from retrosim.numeric.tables import FRACTION_BITS, QUARTER, SINES, TURN
from retrosim.rom import Rom
from retrosim.rom.reading import MemoryReader
from retrosim.screen.framebuffer import BLACK, HEIGHT, WIDTH
from retrosim.screen.shapes import CellGrid, Columns, Shapes, pairs_of, table

from ..drawing import Pictures, draw_count, fill_rectangle, pixels_of, read_gallery
from ..scenario import Layout, Parameters, Scenario, SceneTarget, ShapeSource, check_span, targets_of
from ..shapes import both
from ..walks import CalledTest, HitFlag, ObjectRecords, WalkSource
from . import rules
from .rules import (
    BLAST_FRAMES,
    BLAST_LEFT,
    BLAST_X,
    BLAST_Y,
    BUMPS,
    COLLIDED,
    COLUMNS,
    HITS,
    LOG2_BLOCK,
    NEAR,
    PANEL,
    ROWS,
    SHELL_FLIES,
    WALL,
    ahead,
    rectangle_of,
)

# What the `tanks` ROM draws, as kernels.
#
# spans      int32[480, 2]  scratch: first and last pixel of each row
# rectangle  (x, y, half width, half height, angle), Q11.5
# ink        uint8          palette index

INKS = "gtTkqrnsfF"
GROUND, GRASS, DRY, TRACK, HATCH, OUTLINE, TICK, SHELL, BLAST, FLASH = range(len(INKS))
DECKS, TURRETS, WALLS = "blmh", "BLMH", "wWwk"
DECK = len(INKS)
TURRET = DECK + len(DECKS)
WALL_INK = TURRET + len(TURRETS)
DECK_GAP_Q5, TRACK_Q5 = 1 << 5, 3 << 5  # what the tracks show of the tank: before and behind the deck, beside it
DISTANCES = np.array((0, -2 << 5, -3 << 5))  # of deck, turret and hatch before the tank's centre, Q11.5
HATCH_HALF = np.array((2 << 5,))
FRAME_GAP_Q5, TICK_LENGTH, TICK_GAP, GUN_Q5 = 3 << 5, 3, 2, 6 << 5
HITS_AT, BUMPS_AT = np.array((260, 6, 0)), np.array((340, 6, 1))  # x, y, icon
BLAST_STEP_Q5 = 2 << 5


class Art(NamedTuple):
    """What the screen is drawn with.

    icons  int64[3]  numbers of the pictures of target, bump, the digit 0
    inks   uint8[k]  colours, by the names above
    spans  int32[480, 2]  scratch
    """

    pictures: Pictures
    icons: np.ndarray
    inks: np.ndarray
    spans: np.ndarray


@kernel
def draw_line(screen, x0, y0, x1, y1, ink):
    """Draw a line, its ends included, with a pen of 2 x 2 pixels (Bresenham)."""
    dx, dy = abs(x1 - x0), abs(y1 - y0)
    step_x, step_y = 1 if x1 > x0 else -1, 1 if y1 > y0 else -1
    error = dx - dy
    while True:
        twice = 2 * error
        screen[y0 : y0 + 2, x0 : x0 + 2] = ink
        if x0 == x1 and y0 == y1:
            return
        if twice > -dy:
            error -= dy
            x0 += step_x
        if twice < dx:
            error += dx
            y0 += step_y


@kernel
def fill_part(screen, spans, tank, distance, half_width, half_height, ink):
    """Fill a part of a tank, `distance` before its centre; Q11.5."""
    x, y = ahead(tank[0], tank[1], tank[4], distance)
    fill_rectangle(screen, spans, (x, y, half_width, half_height, tank[4]), ink)


@kernel
def draw_tank(screen, art, tank, kind, is_player):
    """Draw a tank, the lowest first: tracks, deck, turret, gun; on the player's turret a white hatch."""
    spans, inks = art.spans, art.inks
    fill_rectangle(screen, spans, tank, inks[TRACK])
    half = tank[3] >> 1
    fill_part(screen, spans, tank, DISTANCES[0], tank[2] - DECK_GAP_Q5, tank[3] - TRACK_Q5, inks[DECK + kind])
    fill_part(screen, spans, tank, DISTANCES[1], half + DECK_GAP_Q5, half, inks[TURRET + kind])
    x, y = ahead(tank[0], tank[1], tank[4], tank[2] + GUN_Q5)
    draw_line(screen, to_pixels(tank[0]), to_pixels(tank[1]), to_pixels(x), to_pixels(y), inks[TRACK])
    if is_player:
        fill_part(screen, spans, tank, DISTANCES[2], HATCH_HALF[0], HATCH_HALF[0], inks[HATCH])


@kernel
def frame_tank(screen, tank, ink):
    """Draw the frame round a tank."""
    corners = pixels_of((tank[0], tank[1], tank[2] + FRAME_GAP_Q5, tank[3] + FRAME_GAP_Q5, tank[4]))
    for k in range(4):
        p, q = corners[k], corners[(k + 1) & 3]
        draw_line(screen, p[0], p[1], q[0], q[1], ink)


@kernel
def tick_box(screen, tanks, i, ink):
    """Draw the corners of a mark round the AABB of tank `i`."""
    left, top = tanks.boxes[0, i] - TICK_GAP, tanks.boxes[1, i] - TICK_GAP
    right, bottom = left + tanks.sides[i, 0] + 2 * TICK_GAP, top + tanks.sides[i, 1] + 2 * TICK_GAP
    for k in range(TICK_LENGTH):
        for column in (left + k, right - k):
            screen[top, column] = ink
            screen[bottom, column] = ink
        for row in (top + k, bottom - k):
            screen[row, left] = ink
            screen[row, right] = ink


@kernel
def draw_blast(screen, art, words):
    """Draw a star of two squares that grows and shrinks, and a smaller one in it."""
    age = BLAST_FRAMES - words[BLAST_LEFT]
    size = (min(age, words[BLAST_LEFT]) + 1) * BLAST_STEP_Q5
    for i in range(4):
        half, ink = (size, art.inks[BLAST]) if i < 2 else (size >> 1, art.inks[FLASH])
        star = (words[BLAST_X], words[BLAST_Y], half, half, age * 16 + (i + 1) * (TURN // 8))
        fill_rectangle(screen, art.spans, star, ink)


@kernel
def draw_ground(screen, tufts, inks):
    """Draw panel, wall, ground and tufts of grass, some of them dry."""
    screen[:PANEL] = BLACK
    for i in range(WALL):
        screen[PANEL + i : HEIGHT - i, i : WIDTH - i] = inks[WALL_INK + i]
    screen[PANEL + WALL : HEIGHT - WALL, WALL : WIDTH - WALL] = inks[GROUND]
    for i in range(len(tufts)):
        x, y, ink = tufts[i, 0], tufts[i, 1], inks[GRASS if tufts[i, 2] else DRY]
        screen[y, x] = ink
        screen[y, x + 1] = ink
        screen[y - 1, x - 1] = ink
        screen[y - 1, x + 2] = ink
        if tufts[i, 2] & 1:
            screen[y - 2, x - 1] = ink
            screen[y - 2, x + 3] = ink


@kernel
def draw(game, art, screen):
    """Draw the whole screen, uint8[480, 640] palette indices."""
    tanks, words, inks = game.tanks, game.words, art.inks
    draw_ground(screen, game.tufts, inks)
    draw_count(screen, HITS_AT, words[HITS], art.pictures, art.icons)
    draw_count(screen, BUMPS_AT, words[BUMPS], art.pictures, art.icons)
    count = len(tanks.kinds)
    if words[SHELL_FLIES]:
        fill_rectangle(screen, art.spans, rectangle_of(tanks, count), inks[SHELL])
    for i in range(count):
        draw_tank(screen, art, rectangle_of(tanks, i), tanks.kinds[i], i == 0)
    for i in range(count):
        if tanks.flags[COLLIDED, i]:
            frame_tank(screen, rectangle_of(tanks, i), inks[OUTLINE])
        elif tanks.flags[NEAR, i]:
            tick_box(screen, tanks, i, inks[TICK])
    if words[BLAST_LEFT] > 0:
        draw_blast(screen, art, words)


ICONS = ("target", "bump", "digits")
HANDLERS = 4  # of a box smaller than a block
MAX_COUNT, MAX_WAIT = 0x7FFFFFFF, 0x7FFF
MAX_HALF_HEIGHT_PX = 15
NAMED = (
    *("hits", "bumps", "struck", "shell_x", "shell_y", "shell_angle", "shell_flies"),
    *("blast_x", "blast_y", "blast_left"),
)
"""Of the words from HITS on."""


WORD = -0x8000, 0x7FFF
RANGES = {
    "x": (rules.LEFT_Q5, rules.RIGHT_Q5 - 1),
    "y": (rules.TOP_Q5, rules.BOTTOM_Q5 - 1),
    **dict.fromkeys(("angle", "speed", "turn"), WORD),
    "wait": (0, MAX_WAIT),
    "kind": (rules.PLAYER, rules.HEAVY),
    "half_width": (1, max(rules.HALF_WIDTH_PX) << 5),
    "half_height": (1, MAX_HALF_HEIGHT_PX << 5),
    **dict.fromkeys(("near", "collided"), (0, 1)),
    **dict.fromkeys(("hits", "bumps"), (0, MAX_COUNT)),
    **dict.fromkeys(("struck", "shell_flies", "blast_left"), (0, 0)),
}
"""Of what a scene may place. Frame and gun of the largest tank stay within the clearance from the wall."""


class TanksScenario(Scenario):
    """See `Scenario`."""

    mark = b"RS_TANKS"
    placed_columns = ("half_width", "half_height", "kind")

    @staticmethod
    def layout(parameters: Parameters) -> Layout:
        objects = parameters["objects"]
        return [("<u4", (2,)), ("<i2", (8,)), ("<i2", (3, objects)), ("<i2", (3, objects)), ("u1", (2, objects))]

    def __init__(self, rom: Rom, parameters: Parameters) -> None:
        gallery = read_gallery(rom)
        objects, self._seed = parameters["objects"], parameters["seed"]
        self.words = np.zeros(rules.BLAST_LEFT + 1, np.int64)
        kinds = [rules.PLAYER, *(rules.CAST[i % len(rules.CAST)] for i in range(objects - 1))]
        self._tanks = rules.Tanks(
            rows=np.zeros((3, objects + 1), np.int16),
            half=np.zeros((objects + 1, 2), np.int16),
            drives=np.zeros((3, objects), np.int16),
            kinds=np.array(kinds, np.int32),
            boxes=np.zeros((2, objects + 1), np.int32),
            sides=np.zeros((objects + 1, 2), np.int32),
            flags=np.zeros((2, objects), np.uint8),
        )
        blocks, handlers = (rules.COLUMNS, rules.ROWS), HANDLERS * (objects + 1)
        self._game = rules.Game(
            self._tanks,
            self.words,
            tufts=np.zeros((rules.TUFTS, 3), np.int32),
            handlers=Handlers(
                heads=np.empty(blocks, np.int32),
                objects=np.empty(handlers, np.int32),
                links=np.empty(handlers, np.int32),
            ),
            found=np.empty((objects * (objects + 1) // 2, 2), np.int32),
            tally=np.empty(blocks, np.int64),
        )
        self._art = Art(
            gallery.pictures,
            icons=gallery.numbered(*ICONS),
            inks=gallery.inks(INKS + DECKS + TURRETS + WALLS),
            spans=np.empty((rules.HEIGHT, 2), np.int32),
        )

    def start(self) -> None:
        rules.start(self._game, self._seed)

    def run(self, pad: int, frames: int) -> None:
        rules.run_frames(self._game, pad, frames)

    def draw(self, screen: np.ndarray) -> None:
        draw(self._game, self._art, screen)

    def columns(self) -> dict[str, np.ndarray | list[int]]:
        tanks, count = self._tanks, len(self._tanks.kinds)
        columns = self.numbers(count, {name: i for i, name in enumerate(NAMED, rules.HITS)})
        columns |= dict(zip(("x", "y", "angle"), tanks.rows[:, :count]))
        columns |= dict(zip(("speed", "turn", "wait"), tanks.drives)) | {"kind": tanks.kinds}
        columns |= dict(zip(("px", "py"), tanks.boxes[:, :count] << 5))
        columns |= dict(zip(("wide", "high"), tanks.sides[:count].T))
        return columns | dict(zip(("near", "collided"), tanks.flags))

    def targets(self) -> dict[str, SceneTarget]:
        tanks, count = self._tanks, len(self._tanks.kinds)
        arrays = {name: self.words[i : i + 1] for i, name in enumerate(NAMED, rules.HITS)}
        arrays |= dict(zip(("x", "y", "angle"), tanks.rows[:, :count]))
        arrays |= dict(zip(("speed", "turn", "wait"), tanks.drives)) | {"kind": tanks.kinds}
        arrays |= dict(zip(("half_width", "half_height"), tanks.half[:count].T))
        arrays |= dict(zip(("near", "collided"), tanks.flags))
        return targets_of(arrays, RANGES)

    def auxiliary(self) -> Columns:
        half = self._tanks.half.copy()
        half[-1] = rules.SHELL_HALF_WIDTH_PX << 5, rules.SHELL_HALF_HEIGHT_PX << 5  # whether or not one has flown
        return {"half": half}

    def saved(self) -> list[np.ndarray]:
        counts, rest = self.words[rules.HITS : rules.STRUCK], self.words[rules.STRUCK :]
        return [counts, rest, self._tanks.rows[:, :-1], self._tanks.drives, self._tanks.flags]

    def restore(self, arrays: Sequence[np.ndarray], placed: Mapping[str, np.ndarray]) -> None:
        counts, rest, rows, drives, flags = arrays
        check_integer("greatest flag", flags.max(), 0, 1)
        self.start()  # for the tufts, and for kinds and sizes, which follow from the numbers of the tanks
        self.place_again(placed)
        self._check(counts, rest, rows, drives, bool(placed))
        self.words[rules.HITS : rules.STRUCK], self.words[rules.STRUCK :] = counts, rest
        self._tanks.rows[:, :-1], self._tanks.drives[:], self._tanks.flags[:] = rows, drives, flags
        rules.find_boxes(self._tanks, self.words)

    def _check(
        self, counts: np.ndarray, rest: np.ndarray, rows: np.ndarray, drives: np.ndarray, is_placed: bool
    ) -> None:
        """Refuse what no frame leaves behind. Errors: ValueError."""
        check_integer("greatest count", counts.max(), 0, MAX_COUNT)
        struck, *shell, blast_x, blast_y, blast_left = rest.tolist()
        field = [(rules.LEFT_Q5, rules.RIGHT_Q5 - 1), (rules.TOP_Q5, rules.BOTTOM_Q5 - 1)]
        check_integer("struck tank", struck, 0, len(self._tanks.kinds) - 1)
        check_integer("frames of the blast", blast_left, 0, rules.BLAST_FRAMES)
        check_integer("shell_flies", shell[3], 0, 1)
        check_integer("shell_angle", shell[2], 0, TURN - 1)
        check_span("angle", rows[rules.ANGLE], 0, TURN - 1)
        for name, row, blast, span in zip("xy", rows, (blast_x, blast_y), field):
            check_span(name, row, *span)
            if blast_left:
                check_integer(f"blast_{name}", blast, *span)
        if shell[3]:
            check_integer("shell_x", shell[0], rules.SHELL_LEFT_Q5, rules.SHELL_RIGHT_Q5 - 1)
            check_integer("shell_y", shell[1], rules.SHELL_TOP_Q5, rules.SHELL_BOTTOM_Q5 - 1)
        if is_placed:  # a scene may let tanks do what no rule lets them
            check_span("wait", drives[rules.WAIT], 0, MAX_WAIT)
            return
        fastest = rules.MAX_SPEED_Q5[rules.PLAYER]
        check_span("speed", drives[rules.SPEED], -(fastest >> 1), max(rules.MAX_SPEED_Q5))
        check_span("turn", drives[rules.TURNING], -rules.STEERING, rules.STEERING)
        check_span("wait", drives[rules.WAIT], 0, rules.MIN_WAIT + rules.WAIT_MASK)


# What the ROM `tanks` tests: AABBs that blocks bring together, then rectangles at any angle where these overlap.
#
# Rectangles are int[n, 5]: x, y of the centre, half width, half height in Q11.5, binary angle; points int[.., 2]. The
# rules are those of `collide.kernels.oriented`, for all pairs at a time and without a compiler.

RECTANGLE_BYTES, HALF_WIDTH_AT, HALF_HEIGHT_AT = 16, 8, 10  # struct rectangle, roms/shapes/src/shapes.h


def auxiliary(reader: MemoryReader, columns: Columns) -> Columns:
    """Return `half`, int[n + 1, 2]: half sides of the tanks' rectangles and of the shell's, Q11.5."""
    count = len(columns["x"]) + 1
    sides = [reader.column("gTanks", at, RECTANGLE_BYTES, "s16", count) for at in (HALF_WIDTH_AT, HALF_HEIGHT_AT)]
    if len(sides[0]) < count:
        raise ValueError(f"gTanks has {len(sides[0])} rectangles: {count} are needed")
    return {"half": np.stack(sides, axis=1)}


def block_grid(boxes: np.ndarray) -> CellGrid:
    """Return the blocks, with how many boxes reach into each. boxes: int[n, 4], left, top, right, bottom, inclusive."""
    changes = np.zeros((COLUMNS + 1, ROWS + 1), int)
    left, top, right, bottom = np.clip(boxes.T >> LOG2_BLOCK, 0, np.array([[COLUMNS, ROWS] * 2]).T - 1)
    for column, change in ((left, 1), (right + 1, -1)):
        np.add.at(changes, (column, top), change)
        np.add.at(changes, (column, bottom + 1), -change)
    return CellGrid("blocks", 0, 0, 1 << LOG2_BLOCK, changes.cumsum(axis=0).cumsum(axis=1)[:-1, :-1])


def turned(points: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Return points int[n, k, 2] turned about the origin by angles int[n], before the shift by FRACTION_BITS."""
    wrapped = angles & (TURN - 1)
    cosine, sine = (SINES[each].astype(np.int64)[:, None] for each in (wrapped + QUARTER, wrapped))
    x, y = points[..., 0], points[..., 1]
    return np.stack([x * cosine - y * sine, x * sine + y * cosine], axis=-1)


def corners_of(rectangles: np.ndarray) -> np.ndarray:
    """Return the corners, int[n, 4, 2]: unturned upper left, upper right, lower right, lower left."""
    signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    offsets = turned(rectangles[:, None, 2:4] * signs, rectangles[:, 4])
    return rectangles[:, None, :2] + (offsets >> FRACTION_BITS)


def is_upright(rectangles: np.ndarray) -> np.ndarray:
    """Tell whether their sides are parallel to the axes, bool[n]."""
    return rectangles[:, 4] & (QUARTER - 1) == 0


def seen_from(points: np.ndarray, rectangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return points int[n, k, 2] as seen from rectangles turned until they are upright, and their half sides then."""
    apart = points - rectangles[:, None, :2]
    upright = is_upright(rectangles)
    back = turned(apart, -rectangles[:, 4]) >> FRACTION_BITS
    is_lying = upright & (rectangles[:, 4] & QUARTER != 0)
    half = np.where(is_lying[:, None], rectangles[:, 3:1:-1], rectangles[:, 2:4])
    return np.where(upright[:, None, None], apart, back), half


def is_crossing(at: np.ndarray, limit: np.ndarray, along: np.ndarray, aside: np.ndarray) -> np.ndarray:
    """Tell whether lines meet a side, bool[n, 4]: where they reach `at`, are they within -limit..limit?

    along, aside  int[n, 4, 2]  both ends of the lines: the coordinate that reaches `at`, and the other one
    """
    d_along, d_aside = along[..., 1] - along[..., 0], aside[..., 1] - aside[..., 0]
    value = aside[..., 0] * d_along + (at - along[..., 0]) * d_aside
    return np.abs(value) <= limit * np.abs(d_along)


def line_hits(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Tell which pairs of rectangles, int[n, 5] each, the line algorithm finds in collision, bool[n].

    Source   Rekaby 2011, "Line algorithm 1"
    """
    is_swapped = (is_upright(a) & ~is_upright(b))[:, None]
    a, b = np.where(is_swapped, b, a), np.where(is_swapped, a, b)
    points, half = seen_from(corners_of(a), b)
    sides = half[:, None]
    before, after = points < -sides, points > sides  # [n, 4, 2]: left and up, right and down
    is_outside = np.any(before | after, axis=2)
    hit = ~np.all(is_outside, axis=1)
    ends = np.stack([points, np.roll(points, -1, axis=1)], axis=-1)  # [n, 4, 2, 2]: line, axis, end
    befores, afters = (np.stack([each, np.roll(each, -1, axis=1)], axis=-1) for each in (before, after))
    is_apart = np.any(np.all(befores, axis=-1) | np.all(afters, axis=-1), axis=2)
    is_before, is_after = np.asarray(befores.any(axis=-1)), np.asarray(afters.any(axis=-1))
    line = np.any(is_before & is_after, axis=2)
    for axis in (0, 1):
        at = np.where(is_after[..., axis], sides[..., axis], -sides[..., axis])
        is_met = is_crossing(at, sides[..., 1 - axis], ends[:, :, axis], ends[:, :, 1 - axis])
        line |= (is_before | is_after)[..., axis] & is_met
    hit |= np.any(line & ~is_apart, axis=1)
    corner, half = seen_from(corners_of(b)[:, :1], a)
    return hit | (np.abs(corner[:, 0]) <= half).all(axis=1)


def shapes(columns: Columns) -> Shapes:
    """Return AABBs and rectangles; tested are the pairs whose AABBs overlap or touch, by the line algorithm.

    The shell, object n, is there as long as it flies and in the frame in which it hits; of the tanks it meets it
    strikes the first that is not the player's, and that is its hit. Corners and pairs are not left in memory: both
    follow from the rectangles that are, by the rules of Rekaby 2011.
    """
    names, struck = ("x", "y", "angle"), int(columns["struck"][0])
    there = bool(columns["shell_flies"][0] or struck)
    x, y, angle = (np.append(columns[name], columns[f"shell_{name}"][: int(there)]) for name in names)
    count, half = len(columns["x"]), columns["half"][: len(x)]
    rectangles = np.stack([x, y, *half.T, angle], axis=1).astype(np.int64)
    points = corners_of(rectangles) >> 5
    first, last = points.min(axis=1), points.max(axis=1)
    near = ((first[:, None] <= last) & (last[:, None] >= first)).all(axis=2)
    tested = pairs_of(near)
    hit = np.append(columns["collided"], [struck] * there) != 0
    if 0 < struck < count:
        hit[struck] = True
    is_shot = tested[:, 1] == count
    judged = tested[both(hit, tested) & (~is_shot | (tested[:, 0] == struck))]
    owner = np.arange(len(x))
    return Shapes(
        hit=hit,
        centres=table(x >> 5, y >> 5),
        boxes=table(owner, *first.T, *(last.T + 1)),
        polygons=table(owner, *points.reshape(-1, 8).T),
        tested=tested,
        hits=judged[line_hits(rectangles[judged[:, 0]], rectangles[judged[:, 1]])],
        grids=(block_grid(np.concatenate([first, last], axis=1)),),
    )


SHAPES = ShapeSource(
    objects=("x", "y", "angle", "collided"),
    single=("struck", "shell_x", "shell_y", "shell_angle", "shell_flies"),
    shapes=shapes,
    auxiliary=auxiliary,
)


# How the check of the ROM `tanks` is followed: blocks have found all pairs before the line algorithm tests one.

WALK = WalkSource(
    check="DetermineClashes",
    tests=(CalledTest("LineOne", ObjectRecords("gTanks", 65)),),
    flags=(HitFlag("gHitArray", "overlap"), HitFlag("gStruck", "the shell hits")),
)
