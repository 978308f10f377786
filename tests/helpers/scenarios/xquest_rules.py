"""The rules of the ROM `xquest` retold in plain Python: pixels are compared one by one, all pairs are looked at.

Shares nothing with kernels and machine code but the drawings.
"""

from __future__ import annotations

from typing import Any

from retrosim.rom.drawings import read_colours, read_pictures
from retrosim.screen.framebuffer import macintosh_palette
from tests.oracle.masks import by_pixels
from tests.oracle.scenes import Random

CAST = "emerald/3 mine/2 rock/1 ruby/3 crab/1 emerald/3 saucer/0 spark/0 mine/2 ring/2 ruby/3 crab/1"
FIELD = (8, 32, 632, 472)  # left, top, right, bottom
FIRE = 16


class Art:
    """The pictures of a ROM by number, where each drawing begins, and the colours."""

    def __init__(self, rom: Any) -> None:
        self.colours = read_colours(rom.drawings, macintosh_palette())
        self.pictures, self.first = [], {}
        for name, pictures in read_pictures(rom.drawings, self.colours).items():
            self.first[name] = len(self.pictures)
            self.pictures += pictures


class Field:
    """One game. Objects are lists of [px, py, vx, vy, picture]; object 0 is the ship."""

    def __init__(self, art: Art, count: int, seed: int) -> None:
        self.art, self.random = art, Random(seed)
        self.cast = [(art.first[name], int(calm)) for name, calm in (part.split("/") for part in CAST.split())]
        self.gem = {art.first["emerald"], art.first["ruby"]}
        self.frame = self.pad_before = self.gems = self.bumps = 0
        self.stars = [(8 + self.random.scalar(624), 32 + self.random.scalar(440), self.bits(3)) for _ in range(120)]
        wide, high = self.size(art.first["ship"])
        self.objects = [[(640 - wide) // 2 * 32, (504 - high) // 2 * 32, 0, 0, art.first["ship"]]]
        self.objects += [self.dealt(i) for i in range(1, count)]
        self.near, self.collided, self.met = set(), set(), set()

    def bits(self, mask: int) -> int:
        return self.random.rand() & mask

    def size(self, picture: int) -> tuple[int, int]:
        rows = self.art.pictures[picture]
        return len(rows[0]), len(rows)

    def dealt(self, i: int) -> list[int]:
        picture, calm = self.cast[(i - 1) % len(self.cast)]
        wide, high = self.size(picture)
        left, top, right, bottom = FIELD
        px = (left + self.random.scalar(right - wide - left + 1)) * 32
        py = (top + self.random.scalar(bottom - high - top + 1)) * 32
        return [px, py, (self.bits(127) - 64) // 2**calm, (self.bits(127) - 64) // 2**calm, picture]

    def step(self, pad: int) -> None:
        if pad & FIRE and not self.pad_before & FIRE:
            self.objects[1:] = [self.dealt(i) for i in range(1, len(self.objects))]
            self.met = set()
        self.pad_before = pad
        for i in sorted(self.met):
            if self.objects[i][4] in self.gem:
                self.objects[i] = self.dealt(i)
                self.met.remove(i)
        self.steer(pad)
        for each in self.objects:
            for axis in (0, 1):
                self.move(each, axis)
        before = self.met
        self.touch()
        begun = [self.objects[i][4] in self.gem for i in self.met - before]
        self.gems, self.bumps = self.gems + sum(begun), self.bumps + len(begun) - sum(begun)
        self.frame += 1

    def steer(self, pad: int) -> None:
        ship, turns = self.objects[0], [(pad >> 1 & 1) - (pad & 1), (pad >> 3 & 1) - (pad >> 2 & 1)]
        for axis, thrust in enumerate(turns, start=2):
            speed = ship[axis] + 6 * thrust
            if not thrust:
                speed -= (speed > 0) - (speed < 0)
            ship[axis] = max(-128, min(128, speed))
        if turns != [0, 0]:
            way = {(1, 0): 1, (-1, 0): 3, (0, 1): 2, (0, -1): 0}[(turns[0], 0) if turns[0] else (0, turns[1])]
            ship[4] = self.art.first["ship"] + way

    def move(self, each: list[int], axis: int) -> None:
        minimum, maximum = FIELD[axis] * 32, (FIELD[axis + 2] - self.size(each[4])[axis]) * 32
        place = each[axis] + each[axis + 2]
        if not minimum <= place <= maximum:
            place = 2 * (minimum if place < minimum else maximum) - place
            each[axis + 2] *= -1
        each[axis] = place

    def touch(self) -> None:
        self.near, self.collided, self.met = set(), set(), set()
        seen = [(px // 32, py // 32, picture) for px, py, _, _, picture in self.objects]
        for b, (x2, y2, second) in enumerate(seen):
            for a, (x1, y1, first) in enumerate(seen[:b]):
                (w1, h1), (w2, h2) = self.size(first), self.size(second)
                if not (x1 < x2 + w2 and x2 < x1 + w1 and y1 < y2 + h2 and y2 < y1 + h1):
                    continue
                self.near |= {a, b}
                pictures = self.art.pictures
                if by_pixels(pictures[first], (x1, y1), pictures[second], (x2, y2)):
                    self.collided |= {a, b}
                    self.met |= {b} if a == 0 else set()

    def columns(self) -> dict[str, list[int]]:
        """Return the world."""
        scalars = {"count": len(self.objects), "frame": self.frame, "random": self.random.state}
        scalars |= {"pad_before": self.pad_before, "gems": self.gems, "bumps": self.bumps}
        columns = {name: [value] for name, value in scalars.items()}
        columns |= {name: list(each) for name, each in zip(("px", "py", "vx", "vy"), zip(*self.objects))}
        sizes = [self.size(each[4]) for each in self.objects]
        columns |= {"wide": [wide for wide, _ in sizes], "high": [high for _, high in sizes]}
        columns["shape"] = [each[4] for each in self.objects]
        for name, flags in (("near", self.near), ("collided", self.collided), ("met", self.met)):
            columns[name] = [int(i in flags) for i in range(len(self.objects))]
        return columns

    def picture(self) -> bytearray:
        """Return 640x480 palette indices."""
        colour = self.art.colours
        screen = bytearray([255]) * (640 * 480)

        def plot(x: int, y: int, index: int) -> None:
            screen[y * 640 + x] = index

        def paste(x: int, y: int, picture: int) -> None:
            for dy, row in enumerate(self.art.pictures[picture]):
                for dx, index in enumerate(row):
                    if index:
                        plot(x + dx, y + dy, index)

        for y in range(24, 480):
            for x in range(640):
                depth = min(x, 639 - x, y - 24, 479 - y)
                if depth < 4:
                    plot(x, y, colour["bBcB"[depth]])
        for left, count, icon in ((260, self.gems, "emerald"), (340, self.bumps, "mine")):
            wide, high = self.size(self.art.first[icon])
            paste(left - 6 - wide, (24 - high) // 2, self.art.first[icon])
            for place, figure in enumerate(f"{min(count, 999):03}"):
                paste(left + 8 * place, 6, self.art.first["digits"] + int(figure))
        for x, y, bright in self.stars:
            plot(x, y, colour["DgGc"[bright]])
        for px, py, _, _, picture in self.objects:
            paste(px // 32, py // 32, picture)
        for i in range(len(self.objects)):
            if i in self.near:
                self.mark(plot, self.objects[i], *((5, colour["w"]) if i in self.collided else (2, colour["G"])))
        return screen

    def mark(self, plot: Any, each: list[int], length: int, index: int) -> None:
        (wide, high), left, top = self.size(each[4]), each[0] // 32 - 2, each[1] // 32 - 2
        for x, across in ((left, 1), (left + wide + 3, -1)):
            for y, down in ((top, 1), (top + high + 3, -1)):
                for i in range(length):
                    plot(x + i * across, y, index)
                    plot(x, y + i * down, index)
