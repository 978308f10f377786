"""The scenario `xquest` for the native machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from retrosim.checks import check_integer
from retrosim.collide import masks, workspace
from retrosim.collide.kernels.sector_grid import SECTORS
from retrosim.scenarios.drawings import read_gallery
from retrosim.scenarios.scenario import FRAME, PAD_BEFORE, RANDOM, Layout, Scenario, check_span
from retrosim.scenarios.xquest import rules as xquest
from retrosim.screen.palette import BLACK
from retrosim.screen.shapes import Columns

CAST = (
    *(("emerald", 3), ("mine", 2), ("rock", 1), ("ruby", 3), ("crab", 1), ("emerald", 3)),
    *(("saucer", 0), ("spark", 0), ("mine", 2), ("ring", 2), ("ruby", 3), ("crab", 1)),
)
GEMS = ("emerald", "ruby")
ICONS = ("emerald", "mine", "digits")
WALL, LIGHTS, MARKS = "bBcB", "DgGc", "wG"  # letters of colours
SHIP = "ship"
TURNS = 4


class Xquest(Scenario):
    """See `scenario.Scenario`, and `xquest` for the arrays."""

    magic = b"RSXQUEST"
    pad_mask = xquest.PAD_MASK

    @staticmethod
    def layout(objects: int) -> Layout:
        return [("<u4", (3,)), ("<i2", (4, objects)), ("u1", (3, objects))]

    def __init__(self, rom: Any, objects: int, seed: int) -> None:
        self._seed = seed
        self.words = np.zeros(5, np.int64)
        self._motion = np.zeros((4, objects), np.int16)
        self._corners = np.zeros((2, objects), np.int32)
        self._sprites = np.zeros((3, objects), np.int32)
        self._flags = np.zeros((3, objects), np.uint8)
        self._stars = np.zeros((xquest.STARS, 3), np.int32)
        self._draw_from(rom)
        self._sprites[xquest.SHAPE, 0] = self._ship
        reports = np.empty((2 * objects * (objects - 1), 2), np.int32)  # every pair in every pass
        self._scratch = (workspace(objects), reports, np.empty(SECTORS, np.int64))

    def _draw_from(self, rom: Any) -> None:
        """Read the drawings. Errors: RomError."""
        gallery = read_gallery(rom)
        self._sizes, self._begin, self._pixels = gallery.sizes, gallery.begin, gallery.pixels
        self._masks = tuple(masks.pack(gallery.images))
        self._ship = gallery.numbers[SHIP]
        self._cast = np.array([(gallery.numbers[name], calm) for name, calm in CAST], np.int32)
        self._is_gem = np.zeros(len(gallery.images), np.uint8)
        self._is_gem[[gallery.numbers[name] for name in GEMS]] = 1
        self._icons = np.array([gallery.numbers[name] for name in ICONS], np.int32)
        self._inks = [np.array(gallery.inks(letters), np.uint8) for letters in (WALL, LIGHTS, MARKS)]
        self._inks[2] = np.insert(self._inks[2], 0, BLACK)

    def start(self) -> None:
        parts = (self._motion, self._sprites, self._flags, self._stars, self._cast, self._sizes)
        self.words[RANDOM] = xquest.start(*parts, self._ship, self._seed)

    def run(self, pad: int, frames: int) -> None:
        parts = (self._motion, self._corners, self._sprites, self._flags, self.words)
        rules = (self._cast, self._sizes, self._is_gem, self._ship, self._masks)
        xquest.run_frames(*parts, *rules, *self._scratch, pad, frames)

    def draw(self, screen: np.ndarray) -> None:
        parts = (self._corners, self._sprites, self._flags, self.words, self._stars)
        xquest.draw(*parts, self._pixels, self._begin, self._sizes, self._icons, *self._inks, screen)

    def columns(self) -> dict[str, np.ndarray | list[int]]:
        named = {"frame": FRAME, "random": RANDOM, "pad_before": PAD_BEFORE, "gems": xquest.GEMS, "bumps": xquest.BUMPS}
        columns = {"count": [self._motion.shape[1]]} | {name: [self.words[i]] for name, i in named.items()}
        columns |= dict(zip(("px", "py", "vx", "vy"), self._motion))
        columns |= dict(zip(("wide", "high", "shape"), self._sprites))
        return columns | dict(zip(("near", "collided", "met"), self._flags))

    def beside(self) -> Columns:
        words, first, _, _, high = self._masks
        rows = np.arange(32)
        places = np.minimum(first[:, None] + rows, len(words) - 1)
        return {"masks": np.where(rows < high[:, None], words[places], 0)}

    def saved(self) -> list[np.ndarray]:
        turn = self._sprites[xquest.SHAPE, 0] - self._ship
        return [np.array([*self.words[xquest.GEMS :], turn], np.uint32), self._motion, self._flags]

    def restore(self, arrays: Sequence[np.ndarray], *, has_run: bool) -> None:
        counts, motion, flags = arrays
        check_integer("turn of the ship", counts[2], 0, TURNS - 1)
        check_integer("greatest flag", flags.max(), 0, 1)
        if not has_run and any(array.any() for array in arrays):
            raise ValueError("frame 0 with something else than zeros: nothing has run before it")
        if has_run:
            self.start()  # for the stars, and for the pictures, which follow from the numbers of the objects
            xquest.show(self._sprites, self._sizes, 0, self._ship + int(counts[2]))
            lefts = xquest.RIGHT_PX - self._sprites[xquest.WIDE]
            tops = xquest.BOTTOM_PX - self._sprites[xquest.HIGH]
            for name, row, least, most in (("px", 0, xquest.LEFT_PX, lefts), ("py", 1, xquest.TOP_PX, tops)):
                check_span(name, motion[row], least << 5, int(most.max()) << 5)
                beyond = np.flatnonzero(motion[row] > most << 5)
                if len(beyond):
                    raise ValueError(f"{name}[{beyond[0]}] is beyond the field")
            check_integer("greatest speed", np.abs(motion[2:].astype(int)).max(), 0, xquest.TOP_SPEED_Q5)
        self.words[xquest.GEMS :] = counts[:2]
        self._motion[:], self._flags[:] = motion, flags
        self._corners[:] = motion[:2] >> 5
