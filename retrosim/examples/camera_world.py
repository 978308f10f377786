"""A world larger than the screen in pygame: a camera, walls of all sizes, bullets.

`retrosim.collide` says what is in view, what is in the way, and which bullets hit
which enemies, each in one call. Arrow keys steer, the space bar fires; without a
window the player steers itself.

python -m retrosim.examples.camera_world --enemies 400
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from retrosim.collide import contacts, groups
from retrosim.collide.scene import Scene
from retrosim.examples import PygameWindow, add_game_options, example_parser

WIDTH, HEIGHT, WORLD = 640, 480, 1500  # pixels; the world reaches from -WORLD to WORLD
HERO, BULLET, SPEED, BULLET_SPEED = 24, 6, 5, 12
GROUND, STONE, RED, WHITE, YELLOW = (24, 28, 36), (96, 104, 120), (221, 64, 56), (255, 255, 255), (250, 214, 80)


class Game:
    """The world, without a window.

    walls      Scene        those do not move
    hero       int64[2]     x and y of the player
    enemies    int64[n, 4]  x, y, and the pixels that each moves in a frame
    bullets    int64[m, 4]  the same
    """

    def __init__(self, enemies: int, seed: int) -> None:
        rng, self.score = np.random.default_rng(seed), 0
        self.hero = np.array([0, 0])
        x, y = rng.integers(-WORLD, WORLD, (2, 200))
        size = rng.integers(12, 160, (200, 2))
        is_free = groups.collided(x, y, self.hero[:1] - 60, self.hero[1:] - 60, size=size, other=144) == 0
        self.walls = Scene()
        self.walls.add(x[is_free], y[is_free], size=size[is_free])
        self.enemies = np.hstack([rng.integers(-WORLD, WORLD, (enemies, 2)), rng.integers(-2, 3, (enemies, 2))])
        self.sizes = rng.integers(8, 40, (enemies, 2))
        self.bullets = np.empty((0, 4), np.int64)

    def step(self, way: np.ndarray, is_firing: bool) -> None:
        """Play a frame; way: where the player steers, -1, 0 or 1 along both axes."""
        there = np.clip(self.hero + SPEED * way, -WORLD, WORLD)
        walls = self.walls.in_boxes(there[:1], there[1:], size=HERO)[:, 1]
        if len(walls):  # out of each wall again, along the shortest way
            sides = self.walls.boxes()[walls]  # ids are rows here, since nothing is removed
            both = np.vstack([[*there, HERO, HERO], sides])
            pairs = np.array([[0, k] for k in range(1, len(both))], np.int32)
            out = contacts.boxes(both[:, 0].copy(), both[:, 1].copy(), pairs, size=both[:, 2:].copy())
            there = there + out.shift[out.depth.argmax()]
            if len(self.walls.in_boxes(there[:1], there[1:], size=HERO)):
                there = self.hero
        self.hero = there
        if is_firing:
            ways = np.array([[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, 1], [1, -1], [-1, -1]])
            begin = np.broadcast_to(self.hero + (HERO - BULLET) // 2, ways.shape)
            self.bullets = np.vstack([self.bullets, np.hstack([begin, BULLET_SPEED * ways])])
        for things in (self.enemies, self.bullets):
            things[:, :2] += things[:, 2:]
        self.enemies[:, 2:] *= np.where(abs(self.enemies[:, :2]) > WORLD, -1, 1)
        x, y = self.bullets[:, 0].copy(), self.bullets[:, 1].copy()
        stopped = self.walls.in_boxes(x, y, size=BULLET)[:, 0]
        hits = groups.pairs(x, y, self.enemies[:, 0].copy(), self.enemies[:, 1].copy(), size=BULLET, other=self.sizes)
        is_over: np.ndarray = np.any(abs(self.bullets[:, :2]) > WORLD, axis=1)
        is_over[stopped] = is_over[hits[:, 0]] = True
        dead = np.unique(hits[:, 1])
        self.score += len(dead)
        self.bullets = self.bullets[~is_over]
        self.enemies, self.sizes = np.delete(self.enemies, dead, axis=0), np.delete(self.sizes, dead, axis=0)

    def camera(self) -> np.ndarray:
        """Return the corner of the picture, so that the player is in the middle."""
        return self.hero + HERO // 2 - np.array([WIDTH, HEIGHT]) // 2


def draw(game: Game, screen: Any) -> None:
    """Draw what the camera sees, found by one query each."""
    camera = game.camera()
    screen.fill(GROUND)
    view = (camera[:1], camera[1:])
    size = np.array([[WIDTH, HEIGHT]])
    for row in game.walls.in_boxes(*view, size=size)[:, 1].tolist():
        x, y, width, height = game.walls.boxes()[row].tolist()
        screen.fill(STONE, (x - camera[0], y - camera[1], width, height))
    x, y = game.enemies[:, 0].copy(), game.enemies[:, 1].copy()
    for row in groups.pairs(*view, x, y, size=size, other=game.sizes)[:, 1].tolist():
        screen.fill(RED, (*(game.enemies[row, :2] - camera), *game.sizes[row]))
    for x, y in (game.bullets[:, :2] - camera).tolist():
        screen.fill(YELLOW, (x, y, BULLET, BULLET))
    screen.fill(WHITE, (*(game.hero - camera), HERO, HERO))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the example; return the exit status."""
    parser = example_parser(__file__)
    parser.add_argument("--enemies", type=int, default=300, metavar="N", help="number of enemies; default: 300")
    add_game_options(parser, "open no window, write the last of 120 frames")
    options = parser.parse_args(argv)
    title = "retrosim.collide: a world and a camera"
    window, game = (
        PygameWindow(title, (WIDTH, HEIGHT), options.frames, options.screenshot),
        Game(options.enemies, options.seed),
    )
    keys = window.pygame
    for frame in window.frames():
        way, is_firing = np.array([1, 1 - frame // 40 % 3]), frame % 10 == 0
        if not options.screenshot:
            held = window.held()
            way = np.array([held[keys.K_RIGHT] - held[keys.K_LEFT], held[keys.K_DOWN] - held[keys.K_UP]])
            is_firing = bool(held[keys.K_SPACE]) and is_firing
        game.step(way, is_firing)
        draw(game, window.screen)
    x, y = game.hero.tolist()
    print(f"{window.done} frames, player at {x}, {y}, {game.score} enemies hit, {len(game.enemies)} left")
    return 0


if __name__ == "__main__":
    sys.exit(main())
