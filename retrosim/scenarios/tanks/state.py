"""The scenario `tanks` for the native machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from retrosim.checks import check_integer
from retrosim.numeric.tables import TURN
from retrosim.scenarios.drawings import read_gallery
from retrosim.scenarios.scenario import FRAME, PAD_BEFORE, RANDOM, Layout, Scenario, check_span
from retrosim.scenarios.tanks import picture as tanks_picture
from retrosim.scenarios.tanks import rules as tanks
from retrosim.screen.shapes import Columns

ICONS = ("target", "bump", "digits")
HANDLERS = 4  # of a box smaller than a block
MAX_COUNT = 0x7FFFFFFF


class Tanks(Scenario):
    """See `scenario.Scenario`, and `tanks` for the arrays."""

    magic = b"RS_TANKS"
    pad_mask = tanks.PAD_MASK

    @staticmethod
    def layout(objects: int) -> Layout:
        return [("<u4", (2,)), ("<i2", (8,)), ("<i2", (3, objects)), ("<i2", (3, objects)), ("u1", (2, objects))]

    def __init__(self, rom: Any, objects: int, seed: int) -> None:
        self._seed = seed
        self.words = np.zeros(tanks.BLAST_LEFT + 1, np.int64)
        self._places = np.zeros((3, objects + 1), np.int16)
        self._half = np.zeros((objects + 1, 2), np.int16)
        self._drives = np.zeros((3, objects), np.int16)
        self._kinds = np.array([tanks.PLAYER, *(tanks.CAST[i % len(tanks.CAST)] for i in range(objects - 1))], np.int32)
        self._boxes = np.zeros((2, objects + 1), np.int32)
        self._sides = np.zeros((objects + 1, 2), np.int32)
        self._flags = np.zeros((2, objects), np.uint8)
        self._tufts = np.zeros((tanks.TUFTS, 3), np.int32)
        blocks, handlers = (tanks.COLUMNS, tanks.ROWS), HANDLERS * (objects + 1)
        found = np.empty((objects * (objects + 1) // 2, 2), np.int32)
        handed = (np.empty(handlers, np.int32), np.empty(handlers, np.int32))
        self._work = (np.empty(blocks, np.int32), *handed, found, np.empty(blocks, np.int64))
        self._draw_from(rom)

    def _draw_from(self, rom: Any) -> None:
        """Read the drawings. Errors: RomError."""
        gallery = read_gallery(rom)
        letters = tanks_picture.INKS + tanks_picture.DECKS + tanks_picture.TURRETS + tanks_picture.WALLS
        self._art = (
            gallery.pixels,
            gallery.begin,
            gallery.sizes,
            np.array([gallery.numbers[name] for name in ICONS], np.int32),
            np.array(gallery.inks(letters), np.uint8),
            np.empty((tanks.HEIGHT, 2), np.int32),
        )

    def start(self) -> None:
        parts = (self._places, self._half, self._drives, self._kinds, self._flags, self._tufts)
        self.words[RANDOM] = tanks.start(*parts, self._seed)

    def run(self, pad: int, frames: int) -> None:
        parts = (self._places, self._half, self._drives, self._kinds, self._boxes, self._sides, self._flags)
        tanks.run_frames(*parts, self.words, self._work, pad, frames)

    def draw(self, screen: np.ndarray) -> None:
        parts = (self._places, self._half, self._kinds, self._boxes, self._sides, self._flags, self.words)
        tanks_picture.draw(*parts, self._tufts, *self._art, screen)

    def columns(self) -> dict[str, np.ndarray | list[int]]:
        numbers = {"frame": FRAME, "random": RANDOM, "pad_before": PAD_BEFORE}
        names = "hits bumps struck shell_x shell_y shell_angle shell_flies blast_x blast_y blast_left"
        numbers |= {name: i for i, name in enumerate(names.split(), tanks.HITS)}
        count = len(self._kinds)
        columns = {"count": [count]} | {name: [self.words[i]] for name, i in numbers.items()}
        columns |= dict(zip(("x", "y", "angle"), self._places[:, :count]))
        columns |= dict(zip(("speed", "turn", "wait"), self._drives)) | {"kind": self._kinds}
        columns |= dict(zip(("px", "py"), self._boxes[:, :count] << 5))
        columns |= dict(zip(("wide", "high"), self._sides[:count].T))
        return columns | dict(zip(("near", "collided"), self._flags))

    def beside(self) -> Columns:
        half = self._half.copy()
        half[-1] = tanks.SHELL_HALF_WIDE_PX << 5, tanks.SHELL_HALF_HIGH_PX << 5  # whether or not one has flown
        return {"half": half}

    def saved(self) -> list[np.ndarray]:
        counts, state = self.words[tanks.HITS : tanks.STRUCK], self.words[tanks.STRUCK :]
        return [counts, state, self._places[:, :-1], self._drives, self._flags]

    def restore(self, arrays: Sequence[np.ndarray], *, has_run: bool) -> None:
        counts, state, places, drives, flags = arrays
        check_integer("greatest flag", flags.max(), 0, 1)
        if not has_run and any(array.any() for array in arrays):
            raise ValueError("frame 0 with something else than zeros: nothing has run before it")
        if has_run:
            self.start()  # for the tufts, and for the sizes, which follow from the numbers of the tanks
            self._check(counts, state, places, drives)
        self.words[tanks.HITS : tanks.STRUCK], self.words[tanks.STRUCK :] = counts, state
        self._places[:, :-1], self._drives[:], self._flags[:] = places, drives, flags
        if has_run:
            tanks.find_boxes(self._places, self._half, self.words, self._boxes, self._sides)

    def _check(self, counts: np.ndarray, state: np.ndarray, places: np.ndarray, drives: np.ndarray) -> None:
        """Refuse what no frame leaves behind. Errors: ValueError."""
        check_integer("greatest count", counts.max(), 0, MAX_COUNT)
        struck, *shell, blast_x, blast_y, blast_left = state.tolist()
        field = [(tanks.LEFT_PX, tanks.RIGHT_PX), (tanks.TOP_PX, tanks.BOTTOM_PX)]
        check_integer("struck tank", struck, 0, len(self._kinds) - 1)
        check_integer("frames of the blast", blast_left, 0, tanks.BLAST_FRAMES)
        check_integer("shell_flies", shell[3], 0, 1)
        check_integer("shell_angle", shell[2], 0, TURN - 1)
        check_span("angle", places[tanks.ANGLE], 0, TURN - 1)
        for name, row, blast, (least, end) in zip("xy", places, (blast_x, blast_y), field):
            check_span(name, row, least << 5, (end << 5) - 1)
            if blast_left:
                check_integer(f"blast_{name}", blast, least << 5, (end << 5) - 1)
        if shell[3]:
            clear = tanks.WALL + tanks.SHELL_CLEARANCE
            check_integer("shell_x", shell[0], clear << 5, ((tanks.WIDTH - clear) << 5) - 1)
            check_integer("shell_y", shell[1], (tanks.PANEL + clear) << 5, ((tanks.HEIGHT - clear) << 5) - 1)
        check_span("speed", drives[tanks.SPEED], -(tanks.FASTEST_Q5[tanks.PLAYER] >> 1), max(tanks.FASTEST_Q5))
        check_span("turn", drives[tanks.TURNING], -tanks.STEERING, tanks.STEERING)
        check_span("wait", drives[tanks.WAIT], 0, tanks.MIN_WAIT + tanks.WAIT_MASK)
