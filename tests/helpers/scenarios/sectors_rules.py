"""The rules of the ROM `sectors` retold in plain Python, slow and without a single shortcut.

Shares nothing with kernels and machine code.
"""

from __future__ import annotations

from tests.oracle.scenes import Random
from tests.oracle.sectors import Pair, check


class Demo:
    """The demo scenario: objects that fly in Q11.5, bounce off the sides of the screen, and show which of them collide.

    Public attributes hold the state after the last `step`; `screen` is 640x480 palette indices, row after row.
    """

    def __init__(self, count: int = 200, seed: int = 1994) -> None:
        self.count, self.random = count, Random(seed)
        self.frame = self.pad_before = 0
        self.px, self.py, self.vx, self.vy = ([0] * count for _ in range(4))
        self.collided = [0] * count
        self.drawn: list[Pair] = []
        self.screen = bytearray(640 * 480)
        self._scatter()

    def step(self, pad: int = 0) -> None:
        """Execute one frame with this input: 1 left, 2 right, 4 up, 8 down, 16 fire."""
        if pad & 16 and not self.pad_before & 16:
            self._scatter()
        self.pad_before = pad
        for i in range(self.count):
            self.vx[i] = self._blow(self.vx[i], pad & 1, pad & 2)
            self.vy[i] = self._blow(self.vy[i], pad & 4, pad & 8)
        for i in range(self.count):
            self.px[i], self.vx[i] = self._move(self.px[i], self.vx[i], 610 * 32)
            self.py[i], self.vy[i] = self._move(self.py[i], self.vy[i], 450 * 32)
        x, y = [p >> 5 for p in self.px], [p >> 5 for p in self.py]
        self.collided = check(x, y)[0]
        self._draw(x, y)
        self.frame += 1

    def columns(self) -> dict[str, list[int]]:
        """Return the world as named columns, in the order of the world hash."""
        scalars = {"count": self.count, "frame": self.frame, "random": self.random.state, "pad_before": self.pad_before}
        objects = {"px": self.px, "py": self.py, "vx": self.vx, "vy": self.vy, "collided": self.collided}
        return {name: [value] for name, value in scalars.items()} | {name: list(v) for name, v in objects.items()}

    def _scatter(self) -> None:
        for i in range(self.count):
            self.px[i] = self.random.scalar(611) * 32
            self.py[i] = self.random.scalar(451) * 32
            self.vx[i] = self.random.rand() % 128 - 64
            self.vy[i] = self.random.rand() % 128 - 64

    @staticmethod
    def _blow(velocity: int, less: int, more: int) -> int:
        if less:
            velocity -= 1
        if more:
            velocity += 1
        return max(-128, min(128, velocity))

    @staticmethod
    def _move(position: int, velocity: int, limit: int) -> Pair:
        position += velocity
        if position < 0:
            return -position, -velocity
        if position > limit:
            return 2 * limit - position, -velocity
        return position, velocity

    def _draw(self, x: list[int], y: list[int]) -> None:
        for left, top in self.drawn:
            for row in range(top, top + 30):
                for column in range(left, left + 30):
                    self._plot(column, row, 0)
        for left, top, is_outline in zip(x, y, self.collided):
            for row in range(top, top + 30):
                for column in range(left, left + 30):
                    if not is_outline:
                        self._plot(column, row, 0 if (column ^ row) & 1 else 255)
                    elif row in (top, top + 29) or column in (left, left + 29):
                        self._plot(column, row, 255)
        self.drawn = list(zip(x, y))

    def _plot(self, column: int, row: int, colour: int) -> None:
        if 0 <= column < 640 and 0 <= row < 480:
            self.screen[row * 640 + column] = colour
