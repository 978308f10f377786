"""The scenario `tanks` under way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from retrosim.checks import check_integer
from retrosim.collide.kernels.documents.blocks import Handlers
from retrosim.numeric.tables import TURN
from retrosim.rom import Rom
from retrosim.screen.shapes import Columns

from ..pictures import read_gallery
from ..scenario import FRAME, PAD_BEFORE, RANDOM, Layout, Parameters, Scenario, Target, check_span, targets_of
from . import picture, rules

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


class State(Scenario):
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
        self._art = picture.Art(
            gallery.pictures,
            icons=gallery.numbered(*ICONS),
            inks=gallery.inks(picture.INKS + picture.DECKS + picture.TURRETS + picture.WALLS),
            spans=np.empty((rules.HEIGHT, 2), np.int32),
        )

    def start(self) -> None:
        rules.start(self._game, self._seed)

    def run(self, pad: int, frames: int) -> None:
        rules.run_frames(self._game, pad, frames)

    def draw(self, screen: np.ndarray) -> None:
        picture.draw(self._game, self._art, screen)

    def columns(self) -> dict[str, np.ndarray | list[int]]:
        tanks, count = self._tanks, len(self._tanks.kinds)
        numbers = {"frame": FRAME, "random": RANDOM, "pad_before": PAD_BEFORE}
        numbers |= {name: i for i, name in enumerate(NAMED, rules.HITS)}
        columns = {"count": [count]} | {name: [self.words[i]] for name, i in numbers.items()}
        columns |= dict(zip(("x", "y", "angle"), tanks.rows[:, :count]))
        columns |= dict(zip(("speed", "turn", "wait"), tanks.drives)) | {"kind": tanks.kinds}
        columns |= dict(zip(("px", "py"), tanks.boxes[:, :count] << 5))
        columns |= dict(zip(("wide", "high"), tanks.sides[:count].T))
        return columns | dict(zip(("near", "collided"), tanks.flags))

    def targets(self) -> dict[str, Target]:
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
