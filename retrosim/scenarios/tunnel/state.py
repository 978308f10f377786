"""The scenario `tunnel` for the native machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from retrosim.checks import check_integer
from retrosim.scenarios.drawings import read_gallery
from retrosim.scenarios.scenario import FRAME, PAD_BEFORE, RANDOM, Layout, Scenario, check_span
from retrosim.scenarios.tunnel import rules as tunnel
from retrosim.screen.palette import BLACK
from retrosim.screen.shapes import Columns

CAST = ("dart", "spark", "font")
TEXTS = ("OOOOooooYYYYyy", "CCCCccccccBBBB", "ppppqqqqqqRRRR")  # letters of colours
INKS, LINE = "Dtw", "Bb"
WORDS = ("speed", "shift", "flights", "plain", "swept", "missed")
LANES = ("x", "begin", "plain_hit", "swept_hit", "plain_burst", "swept_burst", "miss")
FARTHEST = tunnel.LAUNCH + tunnel.LAUNCH_RANGE - 1
RANGES = {
    "speed": (1, tunnel.FASTEST),
    "shift": (-tunnel.FARTHEST_SHIFT, tunnel.FARTHEST_SHIFT),
    **dict.fromkeys(WORDS[2:], (0, tunnel.MAX_COUNTED)),
    "x": (tunnel.END, FARTHEST),
    "begin": (0, FARTHEST),
    **dict.fromkeys(("plain_hit", "swept_hit"), (0, 1)),
    **dict.fromkeys(("plain_burst", "swept_burst"), (0, tunnel.BURST_FRAMES)),
    "miss": (0, tunnel.MISS_FRAMES),
}
"""Of everything after a frame."""


class Tunnel(Scenario):
    """See `scenario.Scenario`, and `tunnel` for the arrays."""

    magic = b"RSTUNNEL"
    pad_mask = tunnel.PAD_MASK

    @staticmethod
    def layout(objects: int) -> Layout:
        return [("<i4", (len(WORDS),)), ("<i2", (len(LANES), objects))]

    def __init__(self, rom: Any, objects: int, seed: int) -> None:
        self._seed = seed
        self.words = np.zeros(tunnel.WORDS, np.int64)
        self._lanes = np.zeros((len(LANES) + 1, objects), np.int32)
        self._draw_from(rom)

    def _draw_from(self, rom: Any) -> None:
        """Read the drawings. Errors: RomError."""
        gallery = read_gallery(rom)
        self._sizes, self._begin, self._pixels = gallery.sizes, gallery.begin, gallery.pixels
        self._cast = np.array([gallery.numbers[name] for name in CAST], np.int32)
        inks = [gallery.inks(letters) for letters in (*TEXTS, INKS, LINE)]
        inks[3].insert(0, BLACK)
        self._inks = [np.array(each, np.uint8) for each in inks]

    def start(self) -> None:
        tunnel.power_on(self._lanes, self.words, self._seed)

    def run(self, pad: int, frames: int) -> None:
        tunnel.run_frames(self._lanes, self.words, pad, frames)

    def draw(self, screen: np.ndarray) -> None:
        tunnel.draw(self._lanes, self.words, self._cast, self._pixels, self._begin, self._sizes, *self._inks, screen)

    def columns(self) -> dict[str, np.ndarray | list[int]]:
        named = {"frame": FRAME, "random": RANDOM, "pad_before": PAD_BEFORE}
        named |= {name: tunnel.SPEED + i for i, name in enumerate(WORDS)}
        columns = {"count": [self._lanes.shape[1]]} | {name: [self.words[i]] for name, i in named.items()}
        return columns | dict(zip((*LANES, "ship"), self._lanes))

    def beside(self) -> Columns:
        return {}

    def saved(self) -> list[np.ndarray]:
        return [self.words[tunnel.SPEED :].astype(np.int32), self._lanes[: len(LANES)].astype(np.int16)]

    def restore(self, arrays: Sequence[np.ndarray], *, has_run: bool) -> None:
        words, lanes = arrays
        if not has_run:
            if words.any() or lanes.any():
                raise ValueError("frame 0 with something else than zeros: nothing has run before it")
            return
        for name, value in zip(WORDS, words):
            check_integer(name, int(value), *RANGES[name])
        for name, row in zip(LANES, lanes):
            check_span(name, row, *RANGES[name])
        self.start()  # for the places of the ships
        self.words[tunnel.SPEED :] = words
        self._lanes[: len(LANES)] = lanes
