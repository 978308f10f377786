"""The scenario `shooter` for the native machine."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from retrosim.checks import check_integer
from retrosim.collide.objects import DETECT_ALL, DETECT_NONE, OBJECT, make_circles
from retrosim.scenarios.drawings import read_gallery
from retrosim.scenarios.scenario import FRAME, PAD_BEFORE, RANDOM, Layout, Scenario, check_span
from retrosim.scenarios.shooter import picture as shooter_picture
from retrosim.scenarios.shooter import rules as shooter
from retrosim.screen.palette import BLACK
from retrosim.screen.shapes import Columns

CAST = ("fighter", "shot", "bomb", "captain", "hornet", "grub", "burst", "spark", "spare", "font")
CIRCLES = (
    ((13, 6, 5), (13, 16, 8), (5, 18, 4), (21, 18, 4)),
    ((2, 4, 3),),
    ((3, 4, 3),),
    ((9, 11, 8), (18, 11, 8)),
    ((13, 10, 9), (4, 8, 4), (21, 8, 4)),
    ((10, 9, 9),),
)
"""Of the first six: centre x, y from the upper left corner, radius; pixels."""
GOLD, BLUE, LIGHTS, LINE = "OOOOooooYYYYyy", "CCCCccccccBBBB", "Dgs", "Bb"  # letters of colours
GAME = (
    *("score", "best", "wave", "ships", "playing", "sway", "sway_step"),
    *("dive_wait", "bomb_wait", "reload", "shield", "pause"),
)
RANGES = (
    *((0, shooter.MAX_SCORE), (0, shooter.MAX_SCORE), (1, shooter.MAX_WAVES), (0, shooter.RESERVE), (0, 1)),
    *((-shooter.FARTHEST_SWAY_Q5, shooter.FARTHEST_SWAY_Q5), (-shooter.SWAY_STEP_Q5, shooter.SWAY_STEP_Q5)),
    *((1, shooter.FIRST_DIVE), (1, shooter.FIRST_BOMB_FALL), (0, shooter.RELOAD_FRAMES), (0, shooter.SHIELD_FRAMES)),
    (0, shooter.PAUSE_FRAMES - 1),
)
"""Of the words of GAME after a frame."""
FLAGS = (("active", 1), ("collided", 1), ("way", shooter.COMING), ("burst", shooter.SHIP_BURST))  # and the greatest


class Shooter(Scenario):
    """See `scenario.Scenario`, and `shooter` for the arrays."""

    magic = b"RSSHOOTR"
    pad_mask = shooter.PAD_MASK

    @staticmethod
    def layout(objects: int) -> Layout:
        count = shooter.FIRST_ALIEN + objects
        return [("<i4", (len(GAME),)), ("<i2", (4, count)), ("u1", (len(FLAGS), count))]

    def __init__(self, rom: Any, objects: int, seed: int) -> None:
        count = shooter.FIRST_ALIEN + objects
        self._seed = seed
        self.words = np.zeros(shooter.WORDS, np.int64)
        self._records = np.zeros(count, OBJECT)
        self._motion = np.zeros((4, count), np.int16)
        self._states = np.zeros((2, count), np.uint8)
        self._homes = np.zeros((3, objects), np.int32)
        self._shapes = np.zeros(count, np.int32)
        self._stars = np.zeros((shooter.STARS, 3), np.int32)
        self._found = np.empty((count // 2, 2), np.int32)
        self._circles = make_circles([circle for circles in CIRCLES for circle in circles])
        counts = [len(circles) for circles in CIRCLES]
        self._owned = np.array([list(accumulate(counts[:-1], initial=0)), counts], np.int32).T.copy()
        self._draw_from(rom)

    def _draw_from(self, rom: Any) -> None:
        """Read the drawings. Errors: RomError."""
        gallery = read_gallery(rom)
        self._sizes, self._begin, self._pixels = gallery.sizes, gallery.begin, gallery.pixels
        self._cast = np.array([gallery.numbers[name] for name in CAST], np.int32)
        inks = [gallery.inks(letters) for letters in (GOLD, BLUE, LIGHTS, LINE)]
        inks[-1].append(BLACK)
        self._inks = [np.array(each, np.uint8) for each in inks]

    def start(self) -> None:
        parts = (self._records, self._motion, self._states, self.words, self._homes, self._shapes)
        shooter.power_on(*parts, self._sizes, self._stars, self._cast, self._owned, self._seed)

    def run(self, pad: int, frames: int) -> None:
        parts = (self._records, self._motion, self._states, self.words, self._homes, self._shapes)
        shooter.run_frames(*parts, self._sizes, self._cast, self._circles, self._found, pad, frames)

    def draw(self, screen: np.ndarray) -> None:
        parts = (self._records, self._states, self.words, self._shapes, self._stars, self._cast)
        shooter_picture.draw(*parts, self._pixels, self._begin, self._sizes, *self._inks, screen)

    def columns(self) -> dict[str, np.ndarray | list[int]]:
        named = {"frame": FRAME, "random": RANDOM, "pad_before": PAD_BEFORE}
        named |= {name: shooter.SCORE + i for i, name in enumerate(GAME)}
        records, is_there = self._records, self._records["active"] | self._records["collided"]
        columns = {"count": [len(records)]} | {name: [self.words[i]] for name, i in named.items()}
        columns |= {name: records[name] for name in ("type", "active", "detection", "collided", "x", "y")}
        columns |= dict(zip(("px", "py", "vx", "vy"), self._motion))
        columns |= dict(zip(("wide", "high"), self._sizes[:, self._shapes] * is_there))
        return columns | dict(zip(("way", "burst"), self._states))

    def beside(self) -> Columns:
        return {"first": self._records["first"], "count": self._records["count"], "circles": self._circles[:, :3]}

    def saved(self) -> list[np.ndarray]:
        flags = np.stack([self._records["active"], self._records["collided"], *self._states])
        return [self.words[shooter.SCORE :].astype(np.int32), self._motion, flags]

    def restore(self, arrays: Sequence[np.ndarray], *, has_run: bool) -> None:
        game, motion, flags = arrays
        if not has_run and any(array.any() for array in arrays):
            raise ValueError("frame 0 with something else than zeros: nothing has run before it")
        for (name, most), row in zip(FLAGS, flags):
            check_span(name, row, 0, most)
        if not has_run:
            return
        for name, value, (least, most) in zip(GAME, game, RANGES):
            check_integer(name, int(value), least, most)
        if abs(int(game[GAME.index("sway_step")])) != shooter.SWAY_STEP_Q5:
            raise ValueError(f"sway_step {game[GAME.index('sway_step')]}: allowed -16 or 16")
        self.start()  # for the stars, and for what records never change
        beyond = (motion[0] < 0) | (motion[0] > shooter.WIDTH - self._sizes[0, self._shapes] << 5)
        beyond &= (flags[:2] != 0).any(axis=0)
        if beyond.any():
            raise ValueError(f"px[{np.flatnonzero(beyond)[0]}] is beyond the field")
        check_span("py", motion[1], -shooter.HEIGHT << 5, shooter.HEIGHT << 5)
        check_integer("greatest speed", int(np.abs(motion[2:].astype(int)).max()), 0, shooter.SHOT_Q5)
        self.words[shooter.SCORE :] = game
        self._motion[:], self._states[:] = motion, flags[2:]
        self._records["active"], self._records["collided"] = flags[:2]
        self._records["x"], self._records["y"] = motion[:2] >> 5
        self._records["detection"][0] = DETECT_NONE if self.words[shooter.SHIELD] else DETECT_ALL
