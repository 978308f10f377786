"""The scenario `gallery` around its rules: what the ROM draws, its state, and what it tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from retrosim.checks import check_integer
from retrosim.jit import kernel
from retrosim.rom import Rom
from retrosim.screen.framebuffer import BLACK, HEIGHT, WIDTH
from retrosim.screen.shapes import CellGrid, Columns, Shapes, no_rows, pairs_of, table

from ..drawing import Pictures, draw_label, draw_number, field, fill_rectangle, find_spans, label, read_gallery
from ..scenario import Layout, Parameters, Scenario, SceneTarget, ShapeSource, check_span, targets_of
from ..sectors.scenario import passes
from ..shapes import both
from ..tanks.scenario import corners_of
from ..walks import CalledTest, HitFlag, Sectors, WalkSource
from . import rules
from .rules import (
    BROAD,
    BROADS,
    CHECKS,
    EXACT,
    EXACT_HITS,
    FOUND,
    HANDLERS,
    HITS,
    LOG2_SECTOR,
    METHOD,
    METHODS,
    MISSED,
    SECTOR_ROWS,
    TESTS,
    WRONG,
    rectangle_of,
)

# What the `gallery` ROM draws, as kernels: rectangles in the colour of their verdict, figures above them.

LINE_TOP, TEXT_ROWS = 66, (6, 26, 46)
NAME_WIDTH = 10  # characters
METHOD_LABELS = np.array([label(16, TEXT_ROWS[0], name.upper().ljust(NAME_WIDTH)) for name in METHODS])
BROAD_LABELS = np.array([label(16, TEXT_ROWS[1], name.upper().ljust(NAME_WIDTH)) for name in BROADS])
COUNT_LABELS = np.array([label(196, y, name) for y, name in zip(TEXT_ROWS, ("CHECKS  ", "TESTS   ", "HANDLERS"))])
COUNT_FIELDS, COUNTS = np.array([field(304, y, digits=4) for y in TEXT_ROWS]), np.array((CHECKS, TESTS, HANDLERS))
FOUND_LABEL, EXACT_LABEL = label(388, TEXT_ROWS[0], "FOUND"), label(388, TEXT_ROWS[1], "EXACT")
WRONG_LABEL, MISSED_LABEL = label(520, TEXT_ROWS[0], "WRONG"), label(520, TEXT_ROWS[1], "MISSED")
VERDICT_FIELDS = np.array([field(x, y, digits=3) for x in (460, 600) for y in TEXT_ROWS[:2]])
VERDICT_WORDS = np.array((HITS, EXACT_HITS, WRONG, MISSED))


class Art(NamedTuple):
    """What the screen is drawn with.

    font        number of the picture of "0"
    gold, blue  uint8[14]     colours of a text's rows
    verdicts    uint8[4, 14]  the same of what was found: nothing, wrong, missed, right
    line        uint8[2]      below the panel
    spans       int32[480, 2] scratch
    """

    pictures: Pictures
    font: int
    gold: np.ndarray
    blue: np.ndarray
    verdicts: np.ndarray
    line: np.ndarray
    spans: np.ndarray


@kernel
def draw(scene, art, screen):
    """Draw the whole screen, uint8[480, 640] palette indices."""
    pictures, font, words = art.pictures, art.font, scene.words
    screen[:] = BLACK
    for i in range(2):
        screen[LINE_TOP + i] = art.line[i]
    draw_label(screen, METHOD_LABELS[words[METHOD]], pictures, font, art.gold)
    draw_label(screen, BROAD_LABELS[words[BROAD]], pictures, font, art.gold)
    for i in range(len(COUNTS)):
        draw_label(screen, COUNT_LABELS[i], pictures, font, art.blue)
        draw_number(screen, COUNT_FIELDS[i], words[COUNTS[i]], pictures, font, art.gold)
    draw_label(screen, FOUND_LABEL, pictures, font, art.blue)
    draw_label(screen, EXACT_LABEL, pictures, font, art.verdicts[3])
    draw_label(screen, WRONG_LABEL, pictures, font, art.verdicts[1])
    draw_label(screen, MISSED_LABEL, pictures, font, art.verdicts[2])
    for i in range(len(VERDICT_WORDS)):
        draw_number(screen, VERDICT_FIELDS[i], words[VERDICT_WORDS[i]], pictures, font, art.gold)
    for i in range(scene.rows.shape[1]):
        verdict = scene.flags[FOUND, i] + 2 * scene.flags[EXACT, i]
        fill_rectangle(screen, art.spans, rectangle_of(scene, i), art.verdicts[verdict, 0])


GOLD, BLUE, VERDICTS, LINE = "OOOOooooYYYYyy", "CCCCccccccBBBB", "BovR", "Bb"  # letters of colours
WORDS = ("method", "broad", "handlers", "checks", "tests", "hits", "exact", "wrong", "missed")
ROWS = tuple(rules.LIMITS)
CHOICES = {"method": (0, len(rules.METHODS) - 1), "broad": (0, len(rules.BROADS) - 1)}


class GalleryScenario(Scenario):
    """See `Scenario`."""

    mark = b"RSGALLRY"

    @staticmethod
    def layout(parameters: Parameters) -> Layout:
        objects = parameters["objects"]
        return [("<i4", (2,)), ("<i2", (len(ROWS), objects))]

    def __init__(self, rom: Rom, parameters: Parameters) -> None:
        gallery = read_gallery(rom)
        objects, self._seed = parameters["objects"], parameters["seed"]
        self.words = np.zeros(rules.WORDS, np.int64)
        self._scene = rules.Game(
            rows=np.zeros((len(ROWS), objects), np.int32),
            half=np.zeros((2, objects), np.int32),
            z=np.zeros(objects, np.int32),
            flags=np.zeros((2, objects), np.uint8),
            boxes=np.zeros((4, objects), np.int32),
            words=self.words,
            blocks=np.zeros(rules.MAX_BLOCKS, np.int32),
            screen=np.zeros((HEIGHT, WIDTH), np.uint8),
            spans=np.zeros((HEIGHT, 2), np.int32),
        )
        self._art = Art(
            gallery.pictures,
            font=gallery.numbers["font"],
            gold=gallery.inks(GOLD),
            blue=gallery.inks(BLUE),
            verdicts=np.repeat(gallery.inks(VERDICTS)[:, None], len(GOLD), axis=1),
            line=gallery.inks(LINE),
            spans=np.zeros((HEIGHT, 2), np.int32),
        )

    def start(self) -> None:
        rules.power_on(self._scene, self._seed)

    def run(self, pad: int, frames: int) -> None:
        rules.run_frames(self._scene, pad, frames)

    def draw(self, screen: np.ndarray) -> None:
        draw(self._scene, self._art, screen)

    def columns(self) -> dict[str, np.ndarray | list[int]]:
        scene = self._scene
        columns = self.numbers(scene.rows.shape[1], {name: i for i, name in enumerate(WORDS, rules.METHOD)})
        rows = dict(zip(ROWS, scene.rows))
        sizes = {"half_width": scene.half[0], "half_height": scene.half[1]}
        moving = {name: rows.pop(name) for name in ("vx", "vy", "turn")}
        flags = {"collided": scene.flags[rules.FOUND], "collides": scene.flags[rules.EXACT]}
        angle = {"angle": rows.pop("angle")}
        return columns | rows | sizes | angle | moving | {"z": scene.z} | flags

    def saved(self) -> list[np.ndarray]:
        return [self.words[rules.METHOD : rules.HANDLERS].astype(np.int32), self._scene.rows.astype(np.int16)]

    def targets(self) -> dict[str, SceneTarget]:
        arrays = {name: self.words[rules.METHOD + i :][:1] for i, name in enumerate(CHOICES)}
        return targets_of(arrays | dict(zip(ROWS, self._scene.rows)), CHOICES | rules.LIMITS)

    def restore(self, arrays: Sequence[np.ndarray], placed: Mapping[str, np.ndarray]) -> None:
        choices, rows = arrays
        for (name, limits), choice in zip(CHOICES.items(), choices):
            check_integer(name, int(choice), *limits)
        for name, row in zip(ROWS, rows):
            check_span(name, row, *rules.LIMITS[name])
        self.words[rules.METHOD : rules.HANDLERS] = choices
        self._scene.rows[:] = rows
        rules.size_objects(self._scene)
        rules.check(self._scene)


# What the ROM `gallery` tests: the shapes of the chosen method, on the pairs of the chosen broad phase.
#
# Neither is left in memory; both follow from the objects, by the kernels of `rules`.

FINE = (rules.POINTS_1, rules.POINTS_2, rules.LINES, rules.BITMAP)  # methods that see the rectangles themselves


def block_grid(boxes: np.ndarray, log2_block: int) -> CellGrid:
    """Return the blocks, with how many boxes reach into each. boxes: int[n, 4], left, top, right, bottom, inclusive."""
    columns, rows = (WIDTH >> log2_block) + 1, (HEIGHT >> log2_block) + 1
    counts = np.zeros((columns, rows), int)
    for left, top, right, bottom in (boxes >> log2_block).tolist():
        counts[max(0, left) : right + 1, max(0, top) : bottom + 1] += 1
    return CellGrid(f"blocks of {1 << log2_block} pixels", 0, 0, 1 << log2_block, counts)


def scene_of(columns: Columns) -> rules.Game:
    """Return what the kernels need to test pairs. Memory may hold anything: values outside their ranges are limited."""
    words = np.zeros(rules.WORDS, np.int64)
    words[rules.METHOD] = min(max(0, int(columns["method"][0])), len(rules.METHODS) - 1)
    words[rules.BROAD] = min(max(0, int(columns["broad"][0])), len(rules.BROADS) - 1)
    count, kinds = len(columns["x"]), (("half_width", rules.HALF_WIDTH_PX), ("half_height", rules.HALF_HEIGHT_PX))
    half = [np.clip(columns[name], known.min() << 5, known.max() << 5) for name, known in kinds]
    return rules.Game(
        rows=np.stack([np.clip(columns[name], *limits) for name, limits in rules.LIMITS.items()]).astype(np.int32),
        half=np.stack(half).astype(np.int32),
        z=np.clip(columns["z"], 0, rules.MAX_Z_PX).astype(np.int32),
        flags=np.zeros((2, count), np.uint8),
        boxes=np.zeros((4, count), np.int32),
        words=words,
        blocks=np.zeros(rules.MAX_BLOCKS, np.int32),
        screen=np.zeros((HEIGHT, WIDTH), np.uint8),
        spans=np.zeros((HEIGHT, 2), np.int32),
    )


def circles_of(scene: rules.Game, method: int) -> np.ndarray:
    """Return the circles that a method tests, int32[c, 4]."""
    count = scene.rows.shape[1]
    if method == rules.COMPOUND:
        parts = [(i, *rules.part_of(scene, i, k)) for i in range(count) for k in range(rules.PARTS)]
        return np.array([(i, x + width // 2, y + width // 2, width // 2) for i, x, y, width, _ in parts], np.int32)
    number = np.arange(count)
    return table(number, *(scene.rows[:2] >> 5), rules.RADIUS_PX[number & 3])


def painted(scene: rules.Game, i: int) -> dict[int, tuple[int, int]]:
    """Return the pixels of an object: row -> first and last column."""
    top, end = find_spans(scene.spans, rules.rectangle_of(scene, i))
    return {row: (int(scene.spans[row, 0]), int(scene.spans[row, 1])) for row in range(top, end)}


def is_pixel_shared(scene: rules.Game, a: int, b: int) -> bool:
    """Tell whether two objects have a pixel in common."""
    one, other = painted(scene, a), painted(scene, b)
    both_rows = one.keys() & other.keys()
    return any(max(one[row][0], other[row][0]) <= min(one[row][1], other[row][1]) for row in both_rows)


def shapes(columns: Columns) -> Shapes:
    """Return AABBs, and the circles or rectangles that the method tests; hits are pairs that it finds.

    The colours on the screen have no pairs: shown as hits are those with a pixel in common. Only the later object of
    such a pair is found.
    """
    scene = scene_of(columns)
    method, broad = int(scene.words[rules.METHOD]), int(scene.words[rules.BROAD])
    count, hit = len(columns["x"]), columns["collided"] != 0
    for i in range(count):
        rules.find_box(scene, i)
    left, top, width, height = scene.boxes.astype(np.int64)
    boxes = np.stack([left, top, left + width, top + height], axis=1)
    near = np.asarray(((boxes[:, None, :2] <= boxes[:, 2:]) & (boxes[:, None, 2:] >= boxes[:, :2])).all(axis=2))
    grids: tuple[CellGrid, ...] = ()
    related = np.ones((count, count), bool)
    if method == rules.BITMAP:
        related = near
    elif broad == rules.SECTORS:
        grids, related = passes(left, top)
    elif broad >= rules.BLOCKS_16:
        grids, related = (block_grid(boxes, broad - rules.BLOCKS_16 + rules.LOG2_BLOCK_16),), near
    tested = pairs_of(related)
    judged = tested[hit[tested[:, 1]] if method == rules.BITMAP else both(hit, tested)].tolist()
    find = is_pixel_shared if method == rules.BITMAP else rules.is_pair_found
    owner, (x, y) = np.arange(count), scene.rows[:2] >> 5
    rectangles = np.stack([*scene.rows[:2], *scene.half, scene.rows[rules.ANGLE]], axis=1).astype(np.int64)
    return Shapes(
        hit=hit,
        centres=table(x, y),
        boxes=table(owner, *boxes[:, :2].T, *(boxes[:, 2:].T + 1)),
        polygons=table(owner, *(corners_of(rectangles) >> 5).reshape(-1, 8).T) if method in FINE else no_rows(9),
        circles=no_rows(4) if method in (*FINE, rules.BOXES) else circles_of(scene, method),
        tested=tested,
        hits=np.array([pair for pair in judged if find(scene, *pair)], np.int32).reshape(-1, 2),
        grids=grids,
    )


SHAPES = ShapeSource(
    objects=(*rules.LIMITS, "half_width", "half_height", "z", "collided"), single=("method", "broad"), shapes=shapes
)


# How the check of the ROM `gallery` is followed: passes and sectors where it uses these, pair tests in any case.

WALK = WalkSource(
    check="DetermineCollisions",
    tests=(CalledTest("TestPair"),),
    flags=(HitFlag("gFound", "collision"),),
    passes="UpdateSectors",
    sectors=Sectors("CalcCollisionsInSector", SECTOR_ROWS, 1 << LOG2_SECTOR),
)
