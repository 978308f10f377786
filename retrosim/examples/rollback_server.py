"""A server without a display: inputs come late, it goes back and plays again.

Two players move through a world of walls and coins of all sizes. The server does
not wait for anyone: an input that is missing is guessed to be the last one; when
the right one comes, the server takes the copy of the scene of that frame and plays
the frames since then again. In the end it has the world of a server that had all
inputs in time, to the bit.

python -m retrosim.examples.rollback_server --frames 300 --delay 8
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retrosim.collide import groups
from retrosim.collide.scene import Scene
from retrosim.examples import example_parser

PLAYERS, SPEED, SIDE, WORLD = 2, 6, 24, 700  # units, also of negative coordinates
PLAYER, WALL, COIN = 1, 2, 4  # categories


@dataclass
class State:
    """What a frame begins with: objects, and the coins that each player has."""

    scene: Scene
    coins: tuple[int, ...]

    def copy(self) -> State:
        """Return a state to come back to."""
        return State(self.scene.copy(), self.coins)


def first_state(seed: int) -> State:
    """Place players, then walls, then coins."""
    rng, scene = np.random.default_rng(seed), Scene()
    start = np.arange(PLAYERS) * 60
    scene.add(start, start, size=SIDE, category=PLAYER, mask=WALL | COIN)
    for kind, count, shortest, longest in ((WALL, 60, 20, 400), (COIN, 600, 4, 24)):
        x, y = rng.integers(-WORLD, WORLD, (2, count))
        size = rng.integers(shortest, longest, (count, 2))
        is_free = groups.collided(x, y, start[:1] - 50, start[:1] - 50, size=size, other=200) == 0
        scene.add(x[is_free], y[is_free], size=size[is_free], category=kind, mask=PLAYER)
    return State(scene, (0,) * PLAYERS)


def play(state: State, inputs: Sequence[tuple[int, int]]) -> None:
    """Play one frame: players move unless a wall is in the way, and take the coins that they touch."""
    scene, players = state.scene, np.arange(PLAYERS)
    here = scene.boxes()[:PLAYERS, :2]
    there = here + SPEED * np.array(inputs)
    walls = scene.in_boxes(there[:, 0].copy(), there[:, 1].copy(), size=SIDE, category=PLAYER, mask=WALL)
    is_blocked = np.isin(players, walls[:, 0])
    where = np.clip(np.where(is_blocked[:, None], here, there), -WORLD, WORLD)
    scene.move(players, where[:, 0].copy(), where[:, 1].copy())
    coins = list(state.coins)
    taken: dict[int, int] = {}
    for player, coin in scene.in_boxes(where[:, 0].copy(), where[:, 1].copy(), size=SIDE, category=PLAYER, mask=COIN):
        taken.setdefault(int(coin), int(player))  # the first of two players that touch it
    for player in taken.values():
        coins[player] += 1
    scene.remove(list(taken))
    state.coins = tuple(coins)


class Server:
    """Plays with the inputs that it has, and again when it has others."""

    def __init__(self, seed: int) -> None:
        self.states, self.replayed = [first_state(seed)], 0  # one for the beginning of each frame
        self.inputs: list[list[tuple[int, int]]] = []  # as played
        self.known: list[set[int]] = []  # players whose input of a frame has come

    def receive(self, frame: int, player: int, given: tuple[int, int]) -> None:
        """Take an input for a frame that has been played: if the guess was wrong, play from there again."""
        self.known[frame].add(player)
        first = None
        for number in range(frame, len(self.inputs)):
            if number > frame and player in self.known[number]:
                break
            if self.inputs[number][player] != given:
                self.inputs[number][player] = given
                first = number if first is None else first
        if first is None:
            return
        for number in range(first, len(self.inputs)):
            self.states[number + 1] = self.states[number].copy()
            play(self.states[number + 1], self.inputs[number])
            self.replayed += 1

    def step(self) -> None:
        """Play a frame; each player is guessed to go on as before."""
        self.inputs.append(list(self.inputs[-1]) if self.inputs else [(0, 0)] * PLAYERS)
        self.known.append(set())
        self.states.append(self.states[-1].copy())
        play(self.states[-1], self.inputs[-1])


def steering(frames: int, seed: int) -> list[list[tuple[int, int]]]:
    """Return what the players do: now and then another direction."""
    rng = np.random.default_rng(seed + 1)
    ways = [(int(x), int(y)) for x, y in rng.integers(-1, 2, (frames * PLAYERS, 2))]
    return [
        [ways[PLAYERS * (frame // (11 + 6 * player)) + player] for player in range(PLAYERS)] for frame in range(frames)
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the example; return the exit status."""
    parser = example_parser(__file__)
    parser.add_argument("--frames", type=int, default=200, metavar="N", help="frames to play; default: 200")
    parser.add_argument("--delay", type=int, default=6, metavar="N", help="frames that an input may take; default: 6")
    parser.add_argument("--seed", type=int, default=1994, metavar="N", help="seed of the random numbers")
    options = parser.parse_args(argv)
    inputs = steering(options.frames, options.seed)
    punctual = first_state(options.seed)
    for given in inputs:
        play(punctual, given)
    server, rng = Server(options.seed), np.random.default_rng(options.seed + 2)
    arrivals: list[tuple[int, int, int]] = []
    for frame in range(options.frames):
        server.step()
        delays = rng.integers(0, options.delay + 1, PLAYERS).tolist()
        arrivals += [(frame + delay, frame, player) for player, delay in enumerate(delays)]
        for arrival in [each for each in arrivals if each[0] <= frame]:
            arrivals.remove(arrival)
            server.receive(*arrival[1:], inputs[arrival[1]][arrival[2]])
    for _, frame, player in arrivals:
        server.receive(frame, player, inputs[frame][player])
    late, right = server.states[-1], punctual
    print(
        f"{options.frames} frames, {server.replayed} played again, coins {right.coins}, {len(right.scene)} objects left"
    )
    print(f"all inputs in time: {right.scene.hash()}")
    print(f"up to {options.delay} frames late: {late.scene.hash()}")
    return 0 if (late.scene.hash(), late.coins) == (right.scene.hash(), right.coins) else 1


if __name__ == "__main__":
    sys.exit(main())
