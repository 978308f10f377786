"""The rules of the ROM `tanks` retold in plain Python: all pairs are looked at, by the oracle of Rekaby 2011.

Shares nothing with kernels and machine code but the drawings. Tanks are dicts; tank 0 is the player's.
"""

from __future__ import annotations

from typing import Any

from retrosim.rom.drawings import read_colours, read_pictures
from retrosim.screen.framebuffer import macintosh_palette
from tests.oracle.rectangles import Study, corners, cosine, sine
from tests.oracle.scenes import Random

KINDS = [(448, 288, 48), (352, 224, 40), (448, 288, 28), (544, 352, 18)]  # half length, half width, speed: 1/32 pixel
CAST = [1, 2, 3, 2, 1, 2]
FIELD = (32 * 32, 56 * 32, 608 * 32, 448 * 32)  # left, top, right, bottom of the tanks' middles, ends exclusive
SKY = (10 * 32, 34 * 32, 630 * 32, 470 * 32)  # of the shell's
FIRE = 16


def is_inside(place: tuple[int, int], area: tuple[int, int, int, int]) -> bool:
    return area[0] <= place[0] < area[2] and area[1] <= place[1] < area[3]


def moved(x: int, y: int, angle: int, way: int) -> tuple[int, int]:
    return x + (way * cosine(angle) >> 14), y + (way * sine(angle) >> 14)


class Battle:
    """One game."""

    def __init__(self, rom: Any, count: int, seed: int) -> None:
        self.random = Random(seed)
        self.frame = self.pad_before = self.hits = self.bumps = self.struck = 0
        self.shell, self.flies, self.blast = (0, 0, 0), False, (0, 0, 0)
        scalar = self.random.scalar
        self.tufts = [(8 + scalar(624), 32 + scalar(440), self.random.rand() & 3) for _ in range(140)]
        self.tanks = [self.tank(0, 320 * 32, 252 * 32, 768)]
        self.tanks += [self.dealt(i) for i in range(1, count)]
        self.near, self.collided = set(), set()
        self.colours = read_colours(rom.drawings, macintosh_palette())
        self.pictures = read_pictures(rom.drawings, self.colours)

    def tank(self, kind: int, x: int, y: int, angle: int) -> dict[str, int]:
        speed = KINDS[kind][2] if kind else 0
        return {"x": x, "y": y, "angle": angle, "speed": speed, "turn": 0, "wait": 0, "kind": kind}

    def dealt(self, i: int) -> dict[str, int]:
        x, y = (32 + self.random.scalar(576)) * 32, (56 + self.random.scalar(392)) * 32
        return self.tank(CAST[(i - 1) % 6], x, y, self.random.rand() % 1024)

    def step(self, pad: int) -> None:
        was_hit = 0 in self.collided
        self.blast = (*self.blast[:2], max(self.blast[2] - 1, 0))
        if self.struck:
            tank = self.tanks[self.struck]
            self.blast = (tank["x"], tank["y"], 16)
            self.tanks[self.struck] = self.dealt(self.struck)
            self.collided.discard(self.struck)
        for i, tank in enumerate(self.tanks):
            self.drive(i, tank, pad)
        if pad & FIRE and not self.pad_before & FIRE and not self.flies:
            me = self.tanks[0]
            self.shell, self.flies = (*moved(me["x"], me["y"], me["angle"], 22 * 32), me["angle"]), True
        self.pad_before = pad
        if self.flies:
            self.shell = (*moved(*self.shell, 6 * 32), self.shell[2])
            self.flies = is_inside(self.shell[:2], SKY)
        self.clash()
        self.bumps += 0 in self.collided and not was_hit
        if self.struck:
            self.hits, self.flies = self.hits + 1, False
        self.frame += 1

    def drive(self, i: int, tank: dict[str, int], pad: int) -> None:
        if i == 0:
            tank["turn"] = 8 * ((pad >> 1 & 1) - (pad & 1))
            thrust = (pad >> 2 & 1) - (pad >> 3 & 1)
            if thrust:
                tank["speed"] = max(-24, min(48, tank["speed"] + 3 * thrust))
            else:
                tank["speed"] -= (tank["speed"] > 0) - (tank["speed"] < 0)
        elif tank["wait"]:
            tank["wait"] -= 1
        else:
            bits = self.random.rand()
            tank["turn"], tank["wait"] = bits % 8 - bits // 8 % 8, 16 + bits // 64 % 64
        tank["angle"] = (tank["angle"] + tank["turn"]) % 1024
        place = moved(tank["x"], tank["y"], tank["angle"], tank["speed"] // (2 if i in self.collided else 1))
        if is_inside(place, FIELD):
            tank["x"], tank["y"] = place
        elif i:
            tank["angle"] = (tank["angle"] + 12) % 1024
        else:
            tank["speed"] = 0

    def shape(self, i: int) -> tuple[int, int, int, int, int]:
        tank = self.tanks[i]
        return (tank["x"], tank["y"], *KINDS[tank["kind"]][:2], tank["angle"])

    @property
    def flying(self) -> tuple[int, int, int, int, int]:
        return (*self.shell[:2], 96, 32, self.shell[2])

    def box(self, shape: tuple[int, int, int, int, int]) -> tuple[int, int, int, int]:
        """Return left, top, right and bottom in pixels, right and bottom included."""
        across, down = zip(*corners(shape))
        return min(across) >> 5, min(down) >> 5, max(across) >> 5, max(down) >> 5

    def overlap(self, one: tuple, other: tuple) -> bool:
        a, b = self.box(one), self.box(other)
        return a[0] <= b[2] and b[0] <= a[2] and a[1] <= b[3] and b[1] <= a[3]

    def clash(self) -> None:
        self.near, self.collided = set(), set()
        shapes = [self.shape(i) for i in range(len(self.tanks))]
        for b, second in enumerate(shapes):
            for a, first in enumerate(shapes[:b]):
                if self.overlap(first, second):
                    self.near |= {a, b}
                    if Study(first, second).line_1():
                        self.collided |= {a, b}
        struck = [
            i
            for i, shape in enumerate(shapes)
            if i and self.flies and self.overlap(shape, self.flying) and Study(shape, self.flying).line_1()
        ]
        self.struck = struck[0] if struck else 0

    def columns(self) -> dict[str, list[int]]:
        """Return the world."""
        scalars = {"count": len(self.tanks), "frame": self.frame, "random": self.random.state}
        scalars |= {"pad_before": self.pad_before, "hits": self.hits, "bumps": self.bumps, "struck": self.struck}
        scalars |= dict(zip(("shell_x", "shell_y", "shell_angle", "shell_flies"), (*self.shell, int(self.flies))))
        scalars |= dict(zip(("blast_x", "blast_y", "blast_left"), self.blast))
        columns = {name: [value] for name, value in scalars.items()}
        columns |= {name: [tank[name] for tank in self.tanks] for name in self.tanks[0]}
        boxes = [self.box(self.shape(i)) for i in range(len(self.tanks))]
        columns |= {"px": [box[0] * 32 for box in boxes], "py": [box[1] * 32 for box in boxes]}
        columns |= {"wide": [box[2] - box[0] for box in boxes], "high": [box[3] - box[1] for box in boxes]}
        for name, members in (("near", self.near), ("collided", self.collided)):
            columns[name] = [int(i in members) for i in range(len(self.tanks))]
        return columns
