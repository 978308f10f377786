"""The scenario `tunnel` under way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from retrosim.checks import check_integer
from retrosim.rom import Rom

from ..pictures import read_gallery
from ..scenario import FRAME, PAD_BEFORE, RANDOM, Layout, Parameters, Scenario, Target, check_span, targets_of
from . import picture, rules

GOLD, BLUE, RED = "OOOOooooYYYYyy", "CCCCccccccBBBB", "ppppqqqqqqRRRR"  # letters of colours
INKS, LINE = "Dtw", "Bb"
WORDS = ("speed", "shift", "flights", "plain", "swept", "missed")
LANES = ("x", "begin", "plain_hit", "swept_hit", "plain_burst", "swept_burst", "miss")
MAX_X = rules.LAUNCH + rules.LAUNCH_RANGE - 1
RANGES = {
    "speed": (1, rules.MAX_SPEED),
    "shift": (-rules.MAX_SHIFT, rules.MAX_SHIFT),
    **dict.fromkeys(WORDS[2:], (0, rules.MAX_COUNT)),
    "x": (rules.END, MAX_X),
    "begin": (0, MAX_X),
    **dict.fromkeys(("plain_hit", "swept_hit"), (0, 1)),
    **dict.fromkeys(("plain_burst", "swept_burst"), (0, rules.BURST_FRAMES)),
    "miss": (0, rules.MISS_FRAMES),
}
"""Of everything after a frame."""
SHIPS = {"ship": (rules.SHIP_LEFT, rules.SHIP_LEFT + rules.SHIP_RANGE)}


class State(Scenario):
    """See `Scenario`."""

    mark = b"RSTUNNEL"
    placed_columns = ("ship",)

    @staticmethod
    def layout(parameters: Parameters) -> Layout:
        objects = parameters["objects"]
        return [("<i4", (len(WORDS),)), ("<i2", (len(LANES), objects))]

    def __init__(self, rom: Rom, parameters: Parameters) -> None:
        gallery = read_gallery(rom)
        objects, self._seed = parameters["objects"], parameters["seed"]
        self.words = np.zeros(rules.WORDS, np.int64)
        self._lanes = np.zeros((len(LANES) + 1, objects), np.int32)
        self._art = picture.Art(
            gallery.pictures,
            dart=gallery.numbers["dart"],
            spark=gallery.numbers["spark"],
            font=gallery.numbers["font"],
            gold=gallery.inks(GOLD),
            blue=gallery.inks(BLUE),
            red=gallery.inks(RED),
            inks=gallery.inks(INKS),
            line=gallery.inks(LINE),
        )

    def start(self) -> None:
        rules.power_on(self._lanes, self.words, self._seed)

    def run(self, pad: int, frames: int) -> None:
        rules.run_frames(self._lanes, self.words, pad, frames)

    def draw(self, screen: np.ndarray) -> None:
        picture.draw(self._lanes, self.words, self._art, screen)

    def columns(self) -> dict[str, np.ndarray | list[int]]:
        named = {"frame": FRAME, "random": RANDOM, "pad_before": PAD_BEFORE}
        named |= {name: rules.SPEED + i for i, name in enumerate(WORDS)}
        columns = {"count": [self._lanes.shape[1]]} | {name: [self.words[i]] for name, i in named.items()}
        return columns | dict(zip((*LANES, "ship"), self._lanes))

    def targets(self) -> dict[str, Target]:
        arrays = {name: self.words[rules.SPEED + i :][:1] for i, name in enumerate(WORDS)}
        return targets_of(arrays | dict(zip((*LANES, "ship"), self._lanes)), RANGES | SHIPS)

    def saved(self) -> list[np.ndarray]:
        return [self.words[rules.SPEED :].astype(np.int32), self._lanes[: len(LANES)].astype(np.int16)]

    def restore(self, arrays: Sequence[np.ndarray], placed: Mapping[str, np.ndarray]) -> None:
        words, lanes = arrays
        for name, value in zip(WORDS, words):
            check_integer(name, int(value), *RANGES[name])
        for name, row in zip(LANES, lanes):
            check_span(name, row, *RANGES[name])
        self.start()  # for the places of the ships
        self.place_again(placed)
        self.words[rules.SPEED :] = words
        self._lanes[: len(LANES)] = lanes
