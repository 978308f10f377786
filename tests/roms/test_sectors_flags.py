"""Every build on our machines has the flags of the kernel on every scene; the fast one in half the clocks at most.

--full tests 250 random scenes on each build instead of 60, and four times as many pairs across grid lines;
--times N takes N times as many scenes, and all pairs.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from retrosim.collide import collided
from retrosim.collide.documents.sectors import randomize
from retrosim.machine import Machine
from retrosim.rom import load_rom
from tests.helpers.amount import FULL, SOAK, amount
from tests.helpers.machine.flat import MACHINE_OF
from tests.helpers.rom.simulators import object_rows
from tests.oracle.sectors import check

SEED = 1994
SCENES = amount(60, 250)
EACH = 1 if SOAK else 127 if FULL else 509  # of the pairs across grid lines
BUILDS = [(MACHINE_OF[info.isa], info.build) for info in load_rom("sectors").images]


@pytest.fixture(scope="module", params=BUILDS, ids=lambda pair: f"{pair[1]} on {pair[0]}")
def machine(request) -> Machine:
    name, build = request.param
    return Machine(name, build=build, engine="interpret", timing="off")


@cache
def random_scenes(count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return scenes and their flags."""
    return [(scene, wanted(scene)) for scene in draw_scenes(count)]


def draw_scenes(count: int) -> Iterator[np.ndarray]:
    """Return scenes int16[n, 2] of 1..200 objects: spread over the screen, crowded, on grid lines, in the corners."""
    draw = np.random.default_rng(SEED)
    screen = np.array([639, 479])
    for number in range(count):
        objects = int(draw.choice([1, 2, 3, 10, 50, 100, 200]))
        places = draw.integers(0, screen + 1, (objects, 2))
        match number % 4:
            case 1:
                places = draw.integers(0, screen + 1) + draw.integers(-70, 71, (objects, 2))
            case 2:
                places = places // 32 * 32 + draw.integers(-1, 2, (objects, 2))
            case 3:
                places = draw.choice([0, 29, 30], (objects, 2)) + draw.choice([-60, 0, 639], (objects, 1))
        yield np.clip(places, 0, screen).astype(np.int16)


@cache
def edge_pairs(each: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return some of the pairs and their flags; `each` is a prime, so that all offsets are among them."""
    return [(scene, wanted(scene)) for scene in itertools.islice(all_edge_pairs(), 0, None, each)]


def all_edge_pairs() -> Iterator[np.ndarray]:
    """Return pairs 0, 29 and 30 pixels apart in x and in y, in all directions, about every crossing of grid lines."""
    apart = (-30, -29, 0, 29, 30)
    for column, row in itertools.product(range(0, 640, 32), range(0, 480, 32)):
        for (dx, dy), left, up in itertools.product(itertools.product(apart, apart), (0, 1, 29), (0, 1, 29)):
            x, y = column - left, row - up
            if 0 <= x < 640 and 0 <= y < 480 and 0 <= x + dx < 640 and 0 <= y + dy < 480:
                yield np.array([(x, y), (x + dx, y + dy)], np.int16)


def place(machine: Machine, scene: np.ndarray) -> None:
    """Write the objects of a scene, chained in order, and spoil the flags."""
    start = machine.address("gObjects")
    order = {"big": ">", "little": "<"}[machine.image.byte_order]
    types = [np.dtype(order + code) for code in object_rows(machine.image.isa)]
    rows = np.zeros(len(scene), list(zip(("x", "y", "sector_link", "link"), types)))
    rows["x"], rows["y"] = scene.T
    rows["link"][:-1] = start + rows.itemsize * np.arange(1, len(scene))
    machine.mem[start : start + rows.nbytes] = rows.view(np.uint8)
    flags = machine.address("gCollisionArray")
    machine.mem[flags : flags + 200] = 0xFF


def flags(machine: Machine, scene: np.ndarray) -> np.ndarray:
    """Let the image check a scene."""
    place(machine, scene)
    machine.measure("DetermineCollisions", warm=0)
    start = machine.address("gCollisionArray")
    found = machine.mem[start : start + 200]
    assert not found[len(scene) :].any()
    return found[: len(scene)]


def wanted(scene: np.ndarray) -> np.ndarray:
    return collided(*np.ascontiguousarray(scene.T))


def test_half_sectors_that_touch_are_those_that_share_a_sector() -> None:
    """What the method rests on, in one axis: the grids at 0 and at 32 combine to the four."""
    x = np.arange(640)
    shares = [(x[:, None] + shift) // 64 == (x + shift) // 64 for shift in (0, 32)]
    assert np.array_equal(shares[0] | shares[1], abs(x[:, None] // 32 - x // 32) <= 1)


@pytest.mark.first_case
def test_random_scenes(machine: Machine) -> None:
    hits = 0
    for number, (scene, expected) in enumerate(random_scenes(SCENES)):
        found = flags(machine, scene)
        assert np.array_equal(found, expected), f"scene {number} of seed {SEED}: {scene.tolist()}"
        hits += int(found.sum())
    assert hits > 10 * SCENES


@pytest.mark.first_case
def test_pairs_across_grid_lines(machine: Machine) -> None:
    for scene, expected in edge_pairs(EACH):
        assert np.array_equal(flags(machine, scene), expected), scene.tolist()


def odd_places() -> Iterator[np.ndarray]:
    """Return scenes that are easily wrong: nobody near, a heap, a floor of tiles, corners, lists of every length."""
    yield np.array([(0, 0)])
    for corner in ((0, 0), (639, 0), (0, 479), (639, 479), (63, 64), (32, 31), (320, 240)):
        yield np.array([corner] * 2)
        yield np.array([corner] * 200)
    yield np.array([(0, 0), (639, 0), (0, 479), (639, 479)])
    for apart in (29, 30, 31, 32):
        yield np.array([(x, y) for x in range(0, 640, apart) for y in range(0, 480, apart)][:200])
    for step in (1, 15, 29, 30):
        yield np.array([(step * i % 640, step * i % 480) for i in range(21)])


@cache
def odd_scenes() -> list[tuple[np.ndarray, list[int]]]:
    """Return scenes and their flags, about which kernel and oracle agree."""
    judged = []
    for scene in (places.astype(np.int16) for places in odd_places()):
        expected = check(*scene.T.tolist())[0]
        assert wanted(scene).tolist() == expected
        judged.append((scene, expected))
    assert sum(any(expected) for _, expected in judged) == 14 + 1 + 3  # heaps, tiles 29 apart, chains
    return judged


@pytest.mark.full
def test_scenes_that_are_easily_wrong(machine: Machine) -> None:
    for scene, expected in odd_scenes():
        assert flags(machine, scene).tolist() == expected, scene.tolist()


@pytest.fixture(scope="module")
def timed() -> list[Machine]:
    return [Machine("mc68040-25", build=build, engine="interpret") for build in ("fast", "O1")]


@pytest.mark.parametrize("objects", [1, 50, 100, 200])
def test_half_the_clocks_of_o1_at_most(timed: list[Machine], objects: int) -> None:
    """With caches empty at the beginning of every check, the worst case; scenes of the harness."""
    fast, plain = timed
    x, y = np.zeros((2, objects), np.int16)
    state, clocks = SEED, {fast: 0, plain: 0}
    for _ in range(20 if FULL else 6):
        state = randomize(x, y, state)
        for machine in clocks:
            place(machine, np.stack([x, y], 1))
            clocks[machine] += machine.measure("DetermineCollisions").cycles
    assert 2 * clocks[fast] < clocks[plain], f"{clocks[plain] / clocks[fast]:.2f} times fewer clocks"
