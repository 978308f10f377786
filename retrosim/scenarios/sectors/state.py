"""The scenario `sectors` under way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from retrosim.checks import check_integer
from retrosim.collide.documents.sectors import workspace
from retrosim.rom import Rom

from ..scenario import FRAME, PAD_BEFORE, RANDOM, Layout, Parameters, Scenario, Target, check_span, targets_of
from . import picture, rules

SPEED = -rules.MAX_SPEED_Q5, rules.MAX_SPEED_Q5
RANGES = {"px": (0, rules.MAX_X_Q5), "py": (0, rules.MAX_Y_Q5), "vx": SPEED, "vy": SPEED, "collided": (0, 1)}


class State(Scenario):
    """See `Scenario`."""

    mark = b"RSNATIVE"

    @staticmethod
    def layout(parameters: Parameters) -> Layout:
        objects = parameters["objects"]
        return [("<i2", (4, objects)), ("u1", (objects,))]

    def __init__(self, rom: Rom, parameters: Parameters) -> None:
        objects, self._seed = parameters["objects"], parameters["seed"]
        self.words = np.zeros(3, np.int64)
        self._boxes = rules.Boxes(
            motion=np.zeros((4, objects), np.int16),
            corners=np.zeros((2, objects), np.int16),
            collided=np.zeros(objects, np.uint8),
            words=self.words,
            work=workspace(objects),
        )

    def start(self) -> None:
        rules.start(self._boxes, self._seed)

    def run(self, pad: int, frames: int) -> None:
        rules.run_frames(self._boxes, pad, frames)

    def draw(self, screen: np.ndarray) -> None:
        picture.draw(self._boxes, screen)

    def columns(self) -> dict[str, np.ndarray | list[int]]:
        named = {"frame": FRAME, "random": RANDOM, "pad_before": PAD_BEFORE}
        columns = {"count": [len(self._boxes.collided)]} | {name: [self.words[i]] for name, i in named.items()}
        return columns | dict(zip(("px", "py", "vx", "vy"), self._boxes.motion)) | {"collided": self._boxes.collided}

    def targets(self) -> dict[str, Target]:
        arrays = dict(zip(("px", "py", "vx", "vy"), self._boxes.motion)) | {"collided": self._boxes.collided}
        return targets_of(arrays, RANGES)

    def saved(self) -> list[np.ndarray]:
        return [self._boxes.motion, self._boxes.collided]

    def restore(self, arrays: Sequence[np.ndarray], placed: Mapping[str, np.ndarray]) -> None:
        motion, collided = arrays
        check_span("px", motion[0], *RANGES["px"])
        check_span("py", motion[1], *RANGES["py"])
        check_integer("greatest speed", np.abs(motion[2:].astype(int)).max(), 0, rules.MAX_SPEED_Q5)
        check_integer("greatest flag", collided.max(), 0, 1)
        self._boxes.motion[:], self._boxes.collided[:] = motion, collided
        self._boxes.corners[:] = motion[:2] >> 5
