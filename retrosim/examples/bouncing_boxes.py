"""Bouncing boxes in pygame; `retrosim.collide` finds those that overlap.

python -m retrosim.examples.bouncing_boxes --objects 400
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import numpy as np

from retrosim.collide import collided
from retrosim.examples import PygameWindow, add_game_options, example_parser

WIDTH, HEIGHT, SIDE = 640, 480, 30  # pixels
WHITE, BLACK, RED = (255, 255, 255), (0, 0, 0), (221, 8, 6)


class Boxes:
    """Squares that fly about the screen.

    x, y            int16[n]  upper left corners, pixels
    step_x, step_y  int16[n]  pixels a frame
    hits            uint8[n]  1: the square overlaps another one
    """

    def __init__(self, count: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.x, self.y = (rng.integers(0, size - SIDE, count, np.int16) for size in (WIDTH, HEIGHT))
        self.step_x, self.step_y = (rng.integers(-3, 4, count, np.int16) for _ in range(2))
        self.hits = np.zeros(count, np.uint8)

    def move(self) -> None:
        """Move by a frame, and turn round at the sides of the screen."""
        for position, step, last in ((self.x, self.step_x, WIDTH - SIDE), (self.y, self.step_y, HEIGHT - SIDE)):
            position += step
            np.clip(position, 0, last, out=position)
            step[(position == 0) | (position == last)] *= -1

    def find_overlaps(self) -> None:
        """Set `hits`."""
        collided(self.x, self.y, size=SIDE, out=self.hits)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the example; return the exit status."""
    parser = example_parser(__file__)
    parser.add_argument("--objects", type=int, default=100, metavar="N", help="number of boxes; default: 100")
    add_game_options(parser, "open no window, write the last of 120 frames")
    options = parser.parse_args(argv)
    window = PygameWindow("retrosim.collide", (WIDTH, HEIGHT), options.frames, options.screenshot)
    boxes, seconds = Boxes(options.objects, options.seed), 0.0
    boxes.find_overlaps()  # compiles, the first time ever
    for _ in window.frames():
        boxes.move()
        begun = time.perf_counter()
        boxes.find_overlaps()
        seconds += time.perf_counter() - begun
        window.screen.fill(WHITE)
        for x, y, hit in zip(boxes.x.tolist(), boxes.y.tolist(), boxes.hits.tolist(), strict=True):
            color, width = (RED, 3) if hit else (BLACK, 1)
            window.pygame.draw.rect(window.screen, color, (x, y, SIDE, SIDE), width)
    overlapping = int(boxes.hits.sum())
    print(f"{window.done} frames, {overlapping} of {options.objects} boxes overlap in the last one")
    print(f"finding them takes {1e6 * seconds / max(window.done, 1):.1f} us a frame")
    return 0


if __name__ == "__main__":
    sys.exit(main())
