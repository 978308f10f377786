"""The oracle of random positions: the `rand` of the ANSI C standard, and the harness of Moertel 1994."""

from __future__ import annotations


class Random:
    """The `rand` of the ANSI C standard, with its `next` as `state`."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def rand(self) -> int:
        self.state = (self.state * 1103515245 + 12345) % 2**32
        return self.state // 2**16 % 2**15

    def scalar(self, maximum: int) -> int:
        """Return `_RandScalar(maximum)`: 0..maximum-1."""
        return maximum * self.rand() // 32768


def randomize_objects(count: int, random: Random) -> tuple[list[int], list[int]]:
    """Place objects as the harness of 1994 does, x and y in turn: 0..638 and 0..478."""
    x, y = [], []
    for _ in range(count):
        x.append(random.scalar(639))
        y.append(random.scalar(479))
    return x, y
