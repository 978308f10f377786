"""The scenario `gallery` under way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from retrosim.checks import check_integer
from retrosim.rom import Rom
from retrosim.screen.framebuffer import HEIGHT, WIDTH

from ..pictures import read_gallery
from ..scenario import FRAME, PAD_BEFORE, RANDOM, Layout, Parameters, Scenario, Target, check_span, targets_of
from . import picture, rules

GOLD, BLUE, VERDICTS, LINE = "OOOOooooYYYYyy", "CCCCccccccBBBB", "BovR", "Bb"  # letters of colours
WORDS = ("method", "broad", "handlers", "checks", "tests", "hits", "exact", "wrong", "missed")
ROWS = tuple(rules.LIMITS)
CHOICES = {"method": (0, len(rules.METHODS) - 1), "broad": (0, len(rules.BROADS) - 1)}


class State(Scenario):
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
        self._scene = rules.Scene(
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
        self._art = picture.Art(
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
        picture.draw(self._scene, self._art, screen)

    def columns(self) -> dict[str, np.ndarray | list[int]]:
        scene = self._scene
        named = {"frame": FRAME, "random": RANDOM, "pad_before": PAD_BEFORE}
        named |= {name: rules.METHOD + i for i, name in enumerate(WORDS)}
        columns = {"count": [scene.rows.shape[1]]} | {name: [self.words[i]] for name, i in named.items()}
        rows = dict(zip(ROWS, scene.rows))
        sizes = {"half_width": scene.half[0], "half_height": scene.half[1]}
        moving = {name: rows.pop(name) for name in ("vx", "vy", "turn")}
        flags = {"collided": scene.flags[rules.FOUND], "collides": scene.flags[rules.EXACT]}
        angle = {"angle": rows.pop("angle")}
        return columns | rows | sizes | angle | moving | {"z": scene.z} | flags

    def saved(self) -> list[np.ndarray]:
        return [self.words[rules.METHOD : rules.HANDLERS].astype(np.int32), self._scene.rows.astype(np.int16)]

    def targets(self) -> dict[str, Target]:
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
