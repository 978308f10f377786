"""The scenario `xquest` around its rules: what the ROM draws, its state, and what it tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from retrosim.checks import check_integer
from retrosim.collide.documents.sectors import workspace
from retrosim.collide.kernels.pairs.sectors import ROWS, SECTORS
from retrosim.collide.masks import pack
from retrosim.jit import kernel
from retrosim.rom import Rom
from retrosim.rom.reading import MemoryReader
from retrosim.screen.framebuffer import BLACK, HEIGHT, WIDTH
from retrosim.screen.shapes import Columns, Shapes, pairs_of, table

from ..drawing import Pictures, draw_count, draw_picture, read_gallery
from ..scenario import Layout, Parameters, Placed, Scenario, SceneTarget, ShapeSource, check_span, targets_of
from ..sectors.scenario import LOG2_SIDE, OBJECTS, passes
from ..shapes import both, centres, overlapping
from ..walks import CalledTest, HitFlag, Sectors, WalkSource
from . import rules
from .rules import BUMPS, COLLIDED, GEMS, NEAR, PANEL, SHAPE, SPRITE_HEIGHT, SPRITE_WIDTH, WALL

# What the `xquest` ROM draws, as kernels.

MARK_GAP = 2
ARMS = np.array((2, 5))  # of the corners of a mark, pixels: of boxes that overlap, of pixels that touch
GEMS_AT, BUMPS_AT = np.array((260, 6, 0)), np.array((340, 6, 1))  # x, y, icon


class Art(NamedTuple):
    """What the screen is drawn with.

    icons   int64[3]  numbers of the pictures of a gem, a mine, the digit 0
    wall    uint8[4]  colours of the wall from outside
    lights  uint8[4]  colours of the stars
    marks   uint8[2]  mark of boxes that overlap, of pixels that touch
    """

    pictures: Pictures
    icons: np.ndarray
    wall: np.ndarray
    lights: np.ndarray
    marks: np.ndarray


@kernel
def draw_mark(screen, field, i, arm, colour):
    """Draw the corners of a mark round object `i`, with arms of so many pixels."""
    left, top = field.corners[0, i] - MARK_GAP, field.corners[1, i] - MARK_GAP
    right = left + field.sprites[SPRITE_WIDTH, i] + 2 * MARK_GAP - 1
    bottom = top + field.sprites[SPRITE_HEIGHT, i] + 2 * MARK_GAP - 1
    for k in range(arm):
        for column in (left + k, right - k):
            screen[top, column] = colour
            screen[bottom, column] = colour
        for row in (top + k, bottom - k):
            screen[row, left] = colour
            screen[row, right] = colour


@kernel
def draw_wall(screen, wall):
    """Draw the wall round the field."""
    for i in range(WALL):
        screen[PANEL + i, i : WIDTH - i] = wall[i]
        screen[HEIGHT - 1 - i, i : WIDTH - i] = wall[i]
        screen[PANEL + i : HEIGHT - i, i] = wall[i]
        screen[PANEL + i : HEIGHT - i, WIDTH - 1 - i] = wall[i]


@kernel
def draw(game, art, screen):
    """Draw the whole screen, uint8[480, 640] palette indices."""
    field, stars = game.field, game.stars
    screen[:] = BLACK
    draw_wall(screen, art.wall)
    draw_count(screen, GEMS_AT, game.words[GEMS], art.pictures, art.icons)
    draw_count(screen, BUMPS_AT, game.words[BUMPS], art.pictures, art.icons)
    for i in range(len(stars)):
        screen[stars[i, 1], stars[i, 0]] = art.lights[stars[i, 2]]
    for i in range(field.corners.shape[1]):
        x, y = np.int64(field.corners[0, i]), np.int64(field.corners[1, i])
        draw_picture(screen, x, y, art.pictures, np.int64(field.sprites[SHAPE, i]))
    for i in range(field.corners.shape[1]):
        if field.flags[NEAR, i]:
            kind = int(field.flags[COLLIDED, i])
            draw_mark(screen, field, i, ARMS[kind], art.marks[kind])


CAST = (
    *(("emerald", 3), ("mine", 2), ("rock", 1), ("ruby", 3), ("crab", 1), ("emerald", 3)),
    *(("saucer", 0), ("spark", 0), ("mine", 2), ("ring", 2), ("ruby", 3), ("crab", 1)),
)
GEM_NAMES = ("emerald", "ruby")
ICONS = ("emerald", "mine", "digits")
WALL_INKS, LIGHTS, MARKS = "bBcB", "DgGc", "Gw"  # letters of colours
SHIP = "ship"
TURNS = 4


MAX_SIDE = 31  # pixels, of all pictures
SPEED = -rules.MAX_SPEED_Q5, rules.MAX_SPEED_Q5
RANGES = {
    "px": (rules.LEFT_PX << 5, (rules.RIGHT_PX - MAX_SIDE) << 5),
    "py": (rules.TOP_PX << 5, (rules.BOTTOM_PX - MAX_SIDE) << 5),
    **dict.fromkeys(("vx", "vy"), SPEED),
    **dict.fromkeys(("near", "collided", "met"), (0, 1)),
    **dict.fromkeys(("gems", "bumps"), (0, 0x7FFFFFFF)),
}
"""Of what a scene may place."""


class XquestScenario(Scenario):
    """See `Scenario`."""

    mark = b"RSXQUEST"
    placed_columns = ("wide", "high", "shape")

    @staticmethod
    def layout(parameters: Parameters) -> Layout:
        objects = parameters["objects"]
        return [("<u4", (3,)), ("<i2", (4, objects)), ("u1", (3, objects))]

    def __init__(self, rom: Rom, parameters: Parameters) -> None:
        gallery = read_gallery(rom)
        objects, self._seed = parameters["objects"], parameters["seed"]
        self.words = np.zeros(5, np.int64)
        is_gem = np.zeros(len(gallery.images), np.uint8)
        is_gem[gallery.numbered(*GEM_NAMES)] = 1
        self._cast = rules.Cast(
            members=np.array([(gallery.numbers[name], calm) for name, calm in CAST]),
            sizes=gallery.pictures.sizes,
            is_gem=is_gem,
            ship=gallery.numbers[SHIP],
        )
        self._field = rules.Objects(
            motion=np.zeros((4, objects), np.int16),
            corners=np.zeros((2, objects), np.int32),
            sprites=np.zeros((3, objects), np.int32),
            flags=np.zeros((3, objects), np.uint8),
        )
        self._field.sprites[rules.SHAPE, 0] = self._cast.ship
        self._game = rules.Game(
            self._field,
            self._cast,
            self.words,
            stars=np.zeros((rules.STARS, 3), np.int32),
            masks=pack(gallery.images),
            work=workspace(objects),
            reports=np.empty((2 * objects * (objects - 1), 2), np.int32),  # every pair in every pass
            tally=np.empty(SECTORS, np.int64),
        )
        self._art = Art(
            gallery.pictures,
            icons=gallery.numbered(*ICONS),
            wall=gallery.inks(WALL_INKS),
            lights=gallery.inks(LIGHTS),
            marks=gallery.inks(MARKS),
        )

    def start(self) -> None:
        rules.start(self._game, self._seed)

    def run(self, pad: int, frames: int) -> None:
        rules.run_frames(self._game, pad, frames)

    def draw(self, screen: np.ndarray) -> None:
        draw(self._game, self._art, screen)

    def columns(self) -> dict[str, np.ndarray | list[int]]:
        field = self._field
        columns = self.numbers(field.motion.shape[1], {"gems": rules.GEMS, "bumps": rules.BUMPS})
        columns |= dict(zip(("px", "py", "vx", "vy"), field.motion))
        columns |= dict(zip(("wide", "high", "shape"), field.sprites))
        return columns | dict(zip(("near", "collided", "met"), field.flags))

    def targets(self) -> dict[str, SceneTarget]:
        field, numbers = self._field, {"gems": rules.GEMS, "bumps": rules.BUMPS}
        arrays = {name: self.words[i : i + 1] for name, i in numbers.items()}
        arrays |= dict(zip(("px", "py", "vx", "vy"), field.motion))
        arrays |= dict(zip(("wide", "high", "shape"), field.sprites))
        arrays |= dict(zip(("near", "collided", "met"), field.flags))
        sizes = self._cast.sizes
        shapes = {"wide": (1, int(sizes[0].max())), "high": (1, int(sizes[1].max())), "shape": (0, sizes.shape[1] - 1)}
        return targets_of(arrays, RANGES | shapes)

    def check_placed(self, columns: Placed) -> None:
        super().check_placed(columns)
        given = {name: columns[name] for name in self.placed_columns if name in columns}
        for index, shape in given.get("shape", {}).items():
            sides = [given.get(name, {}).get(index) for name in ("wide", "high")]
            if sides != self._cast.sizes[:, shape].tolist():
                raise ValueError(f"wide, high of object {index}: allowed only the size of its picture")
        if len({tuple(given.get(name, {})) for name in self.placed_columns}) > 1:
            raise ValueError("shape, wide, high: allowed only together")

    def auxiliary(self) -> Columns:
        masks = self._game.masks
        rows = np.arange(32)
        numbers = np.minimum(masks.first[:, None] + rows, len(masks.words) - 1)
        return {"masks": np.where(rows < masks.height[:, None], masks.words[numbers], 0)}

    def saved(self) -> list[np.ndarray]:
        turn = int(self._field.sprites[rules.SHAPE, 0]) - self._cast.ship
        turn = turn if 0 <= turn < TURNS else 0  # a scene has given it another picture, which is saved besides
        return [np.array([*self.words[rules.GEMS :], turn], np.uint32), self._field.motion, self._field.flags]

    def restore(self, arrays: Sequence[np.ndarray], placed: Mapping[str, np.ndarray]) -> None:
        counts, motion, flags = arrays
        field, sprites = self._field, self._field.sprites
        check_integer("turn of the ship", counts[2], 0, TURNS - 1)
        check_integer("greatest flag", flags.max(), 0, 1)
        self.start()  # for the stars, and for the pictures, which follow from the numbers of the objects
        rules.show(field, self._cast, 0, self._cast.ship + int(counts[2]))
        self.place_again(placed)
        if not np.array_equal(self._cast.sizes[:, sprites[rules.SHAPE]], sprites[: rules.SHAPE]):
            raise ValueError("wide, high: allowed only the size of the picture")
        for axis, name in enumerate(("px", "py")):
            minimum, maxima = int(rules.STARTS[axis]), rules.ENDS[axis] - sprites[axis]
            check_span(name, motion[axis], minimum << 5, int(maxima.max()) << 5)
            beyond = np.flatnonzero(motion[axis] > maxima << 5)
            if len(beyond):
                raise ValueError(f"{name}[{beyond[0]}] is beyond the field")
        check_integer("greatest speed", np.abs(motion[2:].astype(int)).max(), 0, rules.MAX_SPEED_Q5)
        self.words[rules.GEMS :] = counts[:2]
        field.motion[:], field.flags[:] = motion, flags
        field.corners[:] = motion[:2] >> 5


# What the ROM `xquest` tests: boxes that sectors bring together, then masks of a bit per pixel where boxes overlap.

MAX_ROWS, BITS = 32, 32  # of a mask
PICTURE_BYTES, HEIGHT_AT, MASK_AT = 12, 2, 8  # struct picture, as tools/draw_sprites.py writes it
MAX_PICTURES = 256
EMPTY_MASK = np.zeros((1, MAX_ROWS), np.uint32)


def auxiliary(reader: MemoryReader, _: Columns) -> Columns:
    """Return `masks`, uint32[p, 32]: the rows of each picture's mask where its address points to, 0 below the last."""
    count = min(reader.capacity("gPictures", PICTURE_BYTES), MAX_PICTURES)
    height = reader.column("gPictures", HEIGHT_AT, PICTURE_BYTES, "s16", count)
    first = reader.column("gPictures", MASK_AT, PICTURE_BYTES, "u32", count).astype(np.int64)
    rows = np.arange(MAX_ROWS)
    words = reader.entries(first[:, None] + 4 * rows, "u32")
    return {"masks": np.where(rows < height[:, None], words, 0).astype(np.uint32)}


def bits_of(masks: np.ndarray) -> np.ndarray:
    """Return masks as bool[p, 32, 32], leftmost pixel first: bit 31."""
    return (masks[..., None] >> np.arange(BITS - 1, -1, -1, dtype=np.uint32) & 1).astype(bool)


def outlines_of(masks: np.ndarray) -> np.ndarray:
    """Return the outlines of masks, int[k, 3]: picture, x, y of pixels with a neighbour that is not of the mask."""
    bits = bits_of(masks)
    around = np.pad(bits, ((0, 0), (1, 1), (1, 1)))
    inner = around[:, :-2, 1:-1] & around[:, 2:, 1:-1] & around[:, 1:-1, :-2] & around[:, 1:-1, 2:]
    return np.argwhere(bits & ~inner)[:, [0, 2, 1]]


def outlines_at(masks: np.ndarray, shape: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the outlines of objects, int32[q, 3]: object, x, y."""
    outlines = outlines_of(masks)
    first = np.searchsorted(outlines[:, 0], np.arange(len(masks) + 1))
    counts = (first[1:] - first[:-1])[shape]
    owner = np.repeat(np.arange(len(shape)), counts)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    which = first[shape[owner]] + within
    return table(owner, x[owner] + outlines[which, 1], y[owner] + outlines[which, 2])


def touching(masks: np.ndarray, shape: np.ndarray, x: np.ndarray, y: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Tell which pairs have a pixel in common, bool[m]: the left one's rows shifted and ANDed with the right one's.

    The rule is that of `collide.masks`, for all pairs at a time and without a compiler.
    Source   Mackey 1995
    """
    a, b = pairs.T
    left, right = np.where(x[a] <= x[b], (a, b), (b, a))
    top, rows = np.maximum(y[a], y[b])[:, None], np.arange(MAX_ROWS)
    padded = np.pad(masks, ((0, 0), (0, 1)))  # a row of zeros, for those that a mask does not have
    ours, theirs = (
        padded[shape[which][:, None], np.minimum(top + rows - y[which][:, None], MAX_ROWS)] for which in (left, right)
    )
    shift = np.minimum(x[right] - x[left], BITS)[:, None].astype(np.uint64)
    return (ours.astype(np.uint64) << shift & theirs).any(axis=1)


def shapes(columns: Columns) -> Shapes:
    """Return boxes and outlines of masks; tested, to the pixel, are the pairs whose boxes overlap."""
    x, y, width, height = columns["px"] >> 5, columns["py"] >> 5, columns["wide"], columns["high"]
    hit, masks = columns["collided"] != 0, columns["masks"] if len(columns["masks"]) else EMPTY_MASK
    shape = np.clip(columns["shape"], 0, len(masks) - 1)
    grids, shared = passes(x, y)
    near = pairs_of(shared)
    tested = near[overlapping((x, y, width, height), *near.T)]
    judged = tested[both(hit, tested)]
    return Shapes(
        hit=hit,
        centres=centres((x, y, width, height)),
        boxes=table(np.arange(len(x)), x, y, x + width, y + height),
        outlines=outlines_at(masks, shape, x, y),
        tested=tested,
        hits=judged[touching(masks, shape, x, y, judged)],
        grids=grids,
    )


SHAPES = ShapeSource(
    objects=("px", "py", "wide", "high", "shape", "collided"), single=(), shapes=shapes, auxiliary=auxiliary
)


# How the check of the ROM `xquest` is followed: boxes first, masks where these overlap.

WALK = WalkSource(
    check="DetermineTouches",
    tests=(CalledTest("BoxesOverlap", OBJECTS),),
    flags=(
        HitFlag("gBoxArray", "boxes overlap, but no pixel does", is_hit=False),
        HitFlag("gCollisionArray", "pixels overlap"),
    ),
    passes="UpdateSectors",
    sectors=Sectors("CalcTouchesInSector", ROWS, 1 << LOG2_SIDE),
)
