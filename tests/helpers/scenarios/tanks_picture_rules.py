"""The picture of the ROM `tanks` retold in plain Python, pixel by pixel into a dictionary."""

from __future__ import annotations

from tests.helpers.scenarios.tanks_rules import Battle, moved
from tests.oracle.rectangles import corners

Shape = tuple[int, int, int, int, int]


class Canvas:
    """A screen of 640x480 palette indices."""

    def __init__(self, battle: Battle) -> None:
        self.battle, self.colours = battle, battle.colours
        self.screen = bytearray([255]) * (640 * 480)

    def plot(self, x: int, y: int, letter: str) -> None:
        assert 0 <= x < 640 and 0 <= y < 480
        self.screen[y * 640 + x] = self.colours[letter]

    def polygon(self, shape: Shape, letter: str) -> None:
        """Fill from the least to the greatest x of the edges in each row; between corners an edge is cut to 1/256."""
        points = [(x >> 5, y >> 5) for x, y in corners(shape)]
        rows: dict[int, list[int]] = {}
        for one, other in zip(points, points[1:] + points[:1]):
            (x0, y0), (x1, y1) = sorted((one, other), key=lambda point: point[1])
            rows.setdefault(one[1], []).append(one[0])
            for y in range(y0 + 1, y1):
                gain = abs(x1 - x0) * 256 // (y1 - y0) * (1 if x1 > x0 else -1)
                rows.setdefault(y, []).append((x0 * 256 + 128 + gain * (y - y0)) // 256)
        for y, ends in rows.items():
            for x in range(min(ends), max(ends) + 1):
                self.plot(x, y, letter)

    def line(self, start: tuple[int, int], end: tuple[int, int], letter: str) -> None:
        (x, y), (x1, y1) = start, end
        dx, dy = abs(x1 - x), abs(y1 - y)
        error = dx - dy
        while True:
            for column, row in ((x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)):
                self.plot(column, row, letter)
            if (x, y) == (x1, y1):
                return
            before = error
            if 2 * before > -dy:
                error, x = error - dy, x + (1 if x1 > x else -1)
            if 2 * before < dx:
                error, y = error + dx, y + (1 if y1 > y else -1)

    def paste(self, x: int, y: int, name: str, number: int = 0) -> None:
        for dy, row in enumerate(self.battle.pictures[name][number]):
            for dx, index in enumerate(row):
                if index:
                    self.screen[(y + dy) * 640 + x + dx] = index

    def ground(self) -> None:
        for y in range(24, 480):
            for x in range(640):
                depth = min(x, 639 - x, y - 24, 479 - y)
                self.plot(x, y, "wWwk"[depth] if depth < 4 else "g")
        for left, count, icon in ((260, self.battle.hits, "target"), (340, self.battle.bumps, "bump")):
            picture = self.battle.pictures[icon][0]
            self.paste(left - 6 - len(picture[0]), (24 - len(picture)) // 2, icon)
            for place, figure in enumerate(f"{min(count, 999):03}"):
                self.paste(left + 8 * place, 6, "digits", int(figure))
        for x, y, kind in self.battle.tufts:
            blades = [(0, 0), (1, 0), (-1, -1), (2, -1), *([(-1, -2), (3, -2)] if kind % 2 else [])]
            for dx, dy in blades:
                self.plot(x + dx, y + dy, "t" if kind else "T")

    def part(self, shape: Shape, along: int, half_wide: int, half_high: int, letter: str) -> None:
        self.polygon((*moved(*shape[:2], shape[4], along), half_wide, half_high, shape[4]), letter)

    def tank(self, i: int) -> None:
        shape, kind = self.battle.shape(i), self.battle.tanks[i]["kind"]
        x, y, wide, high, angle = shape
        self.polygon(shape, "k")
        self.part(shape, 0, wide - 32, high - 96, "blmh"[kind])
        self.part(shape, -64, high // 2 + 32, high // 2, "BLMH"[kind])
        muzzle = moved(x, y, angle, wide + 192)
        self.line((x >> 5, y >> 5), (muzzle[0] >> 5, muzzle[1] >> 5), "k")
        if i == 0:
            self.part(shape, -96, 64, 64, "q")

    def frame(self, i: int) -> None:
        x, y, wide, high, angle = self.battle.shape(i)
        points = [(a >> 5, b >> 5) for a, b in corners((x, y, wide + 96, high + 96, angle))]
        for one, other in zip(points, points[1:] + points[:1]):
            self.line(one, other, "r")

    def ticks(self, i: int) -> None:
        left, top, right, bottom = self.battle.box(self.battle.shape(i))
        for x, across in ((left - 2, 1), (right + 2, -1)):
            for y, down in ((top - 2, 1), (bottom + 2, -1)):
                for k in range(3):
                    self.plot(x + k * across, y, "n")
                    self.plot(x, y + k * down, "n")


def picture(battle: Battle) -> bytes:
    """Return the screen after a frame."""
    canvas = Canvas(battle)
    canvas.ground()
    if battle.flies:
        canvas.polygon(battle.flying, "s")
    for i in range(len(battle.tanks)):
        canvas.tank(i)
    for i in sorted(battle.near):
        (canvas.frame if i in battle.collided else canvas.ticks)(i)
    x, y, left = battle.blast
    if left:
        size = 64 * (min(16 - left, left) + 1)
        for k, half in enumerate((size, size, size // 2, size // 2), start=1):
            canvas.polygon((x, y, half, half, 16 * (16 - left) + 128 * k), "f" if k < 3 else "F")
    return bytes(canvas.screen)
