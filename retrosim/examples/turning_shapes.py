"""Turning shapes in pyglet: triangles, bars, discs and capsules push each other.

`collide.world` finds which may touch, `collide.convex` which do, how deep, and the
shortest way out. Shapes in contact are drawn in red.

python -m retrosim.examples.turning_shapes --objects 80
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from retrosim.collide import convex, world
from retrosim.examples import add_game_options, example_parser, need

WIDTH, HEIGHT, ANGLES = 640, 480, 48
SCALE = 16  # units in a pixel
OUTLINES = (
    ([(-16, -12), (20, 0), (-16, 12)], 0),  # a ship
    ([(-24, -5), (24, -5), (24, 5), (-24, 5)], 0),  # a bar
    ([(0, 0)], 13),  # a disc
    ([(-14, 0), (14, 0)], 7),  # a capsule
    ([(14, 0), (4, 13), (-11, 8), (-11, -8), (4, -13)], 3),  # a rock with round corners
)
RED, WHITE, GROUND = (221, 64, 56, 255), (214, 220, 232, 255), (24, 28, 36, 255)


def turned(outline: Sequence[tuple[int, int]], angle: int) -> list[tuple[int, int]]:
    """Return an outline at one of ANGLES angles, in units."""
    c, s = math.cos(angle * math.tau / ANGLES), math.sin(angle * math.tau / ANGLES)
    return [(round(SCALE * (x * c - y * s)), round(SCALE * (x * s + y * c))) for x, y in outline]


class Shapes:
    """Shapes that drift about and turn.

    x, y, step_x, step_y  int64[n]  units, units a frame
    kind, angle           int32[n]  of OUTLINES; 0..ANGLES - 1
    hit                   bool[n]   in contact with another one
    """

    def __init__(self, count: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.x, self.y = (rng.integers(0, SCALE * side, count) for side in (WIDTH, HEIGHT))
        self.step_x, self.step_y = rng.integers(-20, 21, (2, count))
        self.kind, self.angle = rng.integers(0, len(OUTLINES), count), rng.integers(0, ANGLES, count)
        self.turn, self.hit = rng.choice([-1, 1], count), np.zeros(count, bool)
        self.vertices = [turned(outline, angle) for outline, _ in OUTLINES for angle in range(ANGLES)]
        self.polygons = convex.pack(
            self.vertices, radius=[SCALE * radius for _, radius in OUTLINES for _ in range(ANGLES)]
        )

    def shape(self) -> np.ndarray:
        """Return the outline of each in `polygons`."""
        return (self.kind * ANGLES + self.angle).astype(np.int32)

    def step(self, frame: int) -> int:
        """Move, turn, and push apart what overlaps; return the contacts."""
        self.x, self.y = (self.x + self.step_x) % (SCALE * WIDTH), (self.y + self.step_y) % (SCALE * HEIGHT)
        if frame % 3 == 0:
            self.angle = (self.angle + self.turn) % ANGLES
        placed = self.x, self.y, self.shape(), self.polygons
        left, top, size = convex.bounds(*placed)
        close = world.pairs(left, top, size=size)
        found = convex.contacts(*placed, close)
        touching = close[found.hit > 0]
        self.hit[:] = False
        self.hit[touching.ravel()] = True
        half = found.shift // 2  # each gives way by half
        for axis, place in enumerate((self.x, self.y)):
            np.add.at(place, close[:, 0], half[:, axis])
            np.subtract.at(place, close[:, 1], half[:, axis])
        return len(touching)


def drawn(shapes: Shapes, kinds: Any, batch: Any) -> list[object]:
    """Return what pyglet draws, from its module `shapes`: y upwards there."""
    made: list[object] = []
    for x, y, kind, shape, hit in zip(
        *(v.tolist() for v in (shapes.x, shapes.y, shapes.kind, shapes.shape(), shapes.hit))
    ):
        corners = [((x + u) / SCALE, HEIGHT - (y + v) / SCALE) for u, v in shapes.vertices[shape]]
        radius, color = OUTLINES[kind][1], RED if hit else WHITE
        if len(corners) > 2:
            made.append(kinds.Polygon(*corners, color=color, batch=batch))
        if radius:
            for begin, end in zip(corners, corners[1:] + corners[:1]):
                made.append(kinds.Line(*begin, *end, 2 * radius, color=color, batch=batch))
            made += [kinds.Circle(*corner, radius, color=color, batch=batch) for corner in corners]
    return made


def main(argv: Sequence[str] | None = None) -> int:
    """Run the example; return the exit status."""
    parser = example_parser(__file__)
    parser.add_argument("--objects", type=int, default=60, metavar="N", help="number of shapes; default: 60")
    add_game_options(parser, "write the last frame")
    options = parser.parse_args(argv)
    pyglet, kinds = need("pyglet"), need("pyglet.shapes")
    shapes, done, contacts = Shapes(options.objects, options.seed), 0, 0
    try:
        window = pyglet.window.Window(WIDTH, HEIGHT, "retrosim.collide: shapes that turn")
    except Exception as error:  # of many kinds, as the platform has it
        raise SystemExit(f"no window can be opened ({type(error).__name__}: {error}); xvfb-run gives one") from None

    def frame(_seconds: float = 0) -> None:
        nonlocal done, contacts
        contacts = shapes.step(done)
        done += 1
        if done == options.frames:
            pyglet.app.exit()

    @window.event
    def on_draw() -> None:
        pyglet.gl.glClearColor(*(part / 255 for part in GROUND))
        window.clear()
        batch = pyglet.graphics.Batch()
        made = drawn(shapes, kinds, batch)
        batch.draw()
        made.clear()

    pyglet.clock.schedule_interval(frame, 1 / 60)
    pyglet.app.run()
    if options.screenshot:
        window.switch_to()
        on_draw()
        pyglet.image.get_buffer_manager().get_color_buffer().save(options.screenshot)
    window.close()
    print(f"{done} frames, {contacts} contacts in the last one")
    return 0


if __name__ == "__main__":
    sys.exit(main())
