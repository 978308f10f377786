"""The scenario `shooter` under way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

import numpy as np

from retrosim.checks import check_integer
from retrosim.collide.documents.objects import DETECT_ALL, DETECT_NONE, OBJECT, make_circles
from retrosim.rom import Rom
from retrosim.screen.shapes import Columns

from ..pictures import read_gallery
from ..scenario import FRAME, PAD_BEFORE, RANDOM, Layout, Parameters, Scenario, Target, check_span, targets_of
from . import picture, rules

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


class State(Scenario):
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
        self._art = picture.Art(
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
        picture.draw(self._game, self._art, screen)

    def columns(self) -> dict[str, np.ndarray | list[int]]:
        named = {"frame": FRAME, "random": RANDOM, "pad_before": PAD_BEFORE}
        named |= {name: rules.SCORE + i for i, name in enumerate(GAME)}
        own, records = self._objects, self._objects.records
        columns = {"count": [len(records)]} | {name: [self.words[i]] for name, i in named.items()}
        columns |= {name: records[name] for name in ("type", "active", "detection", "collided", "x", "y")}
        columns |= dict(zip(("px", "py", "vx", "vy"), own.motion))
        columns |= dict(zip(("wide", "high"), own.sizes[:, own.shapes] * self._is_shown))
        return columns | dict(zip(("way", "burst"), own.states))

    def targets(self) -> dict[str, Target]:
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
