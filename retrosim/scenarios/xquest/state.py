"""The scenario `xquest` under way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from retrosim.checks import check_integer
from retrosim.collide.documents.sectors import workspace
from retrosim.collide.kernels.pairs.sector_grid import SECTORS
from retrosim.collide.masks import pack
from retrosim.rom import Rom
from retrosim.screen.shapes import Columns

from ..pictures import read_gallery
from ..scenario import FRAME, PAD_BEFORE, RANDOM, Layout, Parameters, Placed, Scenario, Target, check_span, targets_of
from . import picture, rules

CAST = (
    *(("emerald", 3), ("mine", 2), ("rock", 1), ("ruby", 3), ("crab", 1), ("emerald", 3)),
    *(("saucer", 0), ("spark", 0), ("mine", 2), ("ring", 2), ("ruby", 3), ("crab", 1)),
)
GEMS = ("emerald", "ruby")
ICONS = ("emerald", "mine", "digits")
WALL, LIGHTS, MARKS = "bBcB", "DgGc", "Gw"  # letters of colours
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


class State(Scenario):
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
        is_gem[gallery.numbered(*GEMS)] = 1
        self._cast = rules.Cast(
            members=np.array([(gallery.numbers[name], calm) for name, calm in CAST]),
            sizes=gallery.pictures.sizes,
            is_gem=is_gem,
            ship=gallery.numbers[SHIP],
        )
        self._field = rules.Field(
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
        self._art = picture.Art(
            gallery.pictures,
            icons=gallery.numbered(*ICONS),
            wall=gallery.inks(WALL),
            lights=gallery.inks(LIGHTS),
            marks=gallery.inks(MARKS),
        )

    def start(self) -> None:
        rules.start(self._game, self._seed)

    def run(self, pad: int, frames: int) -> None:
        rules.run_frames(self._game, pad, frames)

    def draw(self, screen: np.ndarray) -> None:
        picture.draw(self._game, self._art, screen)

    def columns(self) -> dict[str, np.ndarray | list[int]]:
        field = self._field
        named = {"frame": FRAME, "random": RANDOM, "pad_before": PAD_BEFORE, "gems": rules.GEMS, "bumps": rules.BUMPS}
        columns = {"count": [field.motion.shape[1]]} | {name: [self.words[i]] for name, i in named.items()}
        columns |= dict(zip(("px", "py", "vx", "vy"), field.motion))
        columns |= dict(zip(("wide", "high", "shape"), field.sprites))
        return columns | dict(zip(("near", "collided", "met"), field.flags))

    def targets(self) -> dict[str, Target]:
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
