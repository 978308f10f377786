"""The scenario `sectors` for the native machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from retrosim.checks import check_integer
from retrosim.collide import workspace
from retrosim.scenarios.scenario import FRAME, PAD_BEFORE, RANDOM, Layout, Ranges, Scenario, check_span
from retrosim.scenarios.sectors import rules as demo
from retrosim.screen.shapes import Columns


class Sectors(Scenario):
    """See `scenario.Scenario`, and `demo` for the arrays."""

    magic = b"RSNATIVE"
    pad_mask = demo.PAD_MASK

    @staticmethod
    def ranges(rom: Any) -> Ranges:
        return {"objects": (200, 1, demo.MAX_OBJECTS), "seed": (1994, 0, 2**32 - 1)}

    @staticmethod
    def layout(objects: int) -> Layout:
        return [("<i2", (4, objects)), ("u1", (objects,))]

    def __init__(self, rom: Any, objects: int, seed: int) -> None:
        self._seed = seed
        self.words = np.zeros(3, np.int64)
        self._motion = np.zeros((4, objects), np.int16)
        self._corners = np.zeros((2, objects), np.int16)
        self._collided = np.zeros(objects, np.uint8)
        self._work = workspace(objects)

    def start(self) -> None:
        self.words[RANDOM] = demo.scatter(self._motion, self._seed)

    def run(self, pad: int, frames: int) -> None:
        demo.run_frames(self._motion, self._corners, self._collided, self.words, self._work, pad, frames)

    def draw(self, screen: np.ndarray) -> None:
        demo.draw(self._corners, self._collided, screen)

    def columns(self) -> dict[str, np.ndarray | list[int]]:
        columns = {
            "count": [len(self._collided)],
            "frame": [self.words[FRAME]],
            "random": [self.words[RANDOM]],
            "pad_before": [self.words[PAD_BEFORE]],
        }
        return columns | dict(zip(("px", "py", "vx", "vy"), self._motion)) | {"collided": self._collided}

    def beside(self) -> Columns:
        return {}

    def saved(self) -> list[np.ndarray]:
        return [self._motion, self._collided]

    def restore(self, arrays: Sequence[np.ndarray], *, has_run: bool) -> None:
        motion, collided = arrays
        check_span("px", motion[0], 0, demo.LIMIT_X_Q5)
        check_span("py", motion[1], 0, demo.LIMIT_Y_Q5)
        check_integer("greatest speed", np.abs(motion[2:].astype(int)).max(), 0, demo.TOP_SPEED_Q5)
        check_integer("greatest flag", collided.max(), 0, 1)
        self._motion[:], self._collided[:] = motion, collided
        self._corners[:] = motion[:2] >> 5
