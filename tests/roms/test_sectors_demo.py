"""Demo and harness inside each shipped image, on simulators of others, against a plain retelling of their rules."""

from __future__ import annotations

import struct
from functools import cache

import numpy as np
import pytest

from retrosim.machine import NativeMachine, open_machine
from retrosim.rom import load_rom
from tests.helpers.amount import FULL, SOAK
from tests.helpers.rom.simulators import EXIT, MICROSECONDS, PAD, SCREEN, YIELD_FRAME, judge, screen_of, world_of

IMAGES = [(info.isa, info.build) for info in load_rom("sectors").images]
LONG = {(isa, build): build in ("O1", "O2") for isa, build in IMAGES}  # which run all cases of the harness
WIDTH, HEIGHT, SIDE = 640, 480, 30
LIMITS = (610 * 32, 450 * 32)  # Q11.5 pixels
FIRE = 16
PADS = [0, 1, 9, 6, FIRE, FIRE | 2, 0, FIRE | 15, 0]  # fire pressed twice, held once; opposite directions


class Generator:
    """The ROM's random numbers."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def bits(self) -> int:
        self.state = (self.state * 1103515245 + 12345) % 2**32
        return self.state >> 16 & 32767

    def below(self, limit: int) -> int:
        return limit * self.bits() // 32768


class Demo:
    """The demo's rules: objects [n, 2] of place and velocity, Q11.5."""

    def __init__(self, seed: int, count: int) -> None:
        self.random, self.count, self.frame, self.pad_before = Generator(seed), count, 0, 0
        self.scatter()

    def scatter(self) -> None:
        draw = self.random
        rows = [
            (draw.below(611) * 32, draw.below(451) * 32, (draw.bits() & 127) - 64, (draw.bits() & 127) - 64)
            for _ in range(self.count)
        ]
        self.place, self.velocity = np.array(rows)[:, :2], np.array(rows)[:, 2:]

    def run_frame(self, pad: int) -> None:
        if pad & FIRE & ~self.pad_before:
            self.scatter()
        self.pad_before = pad
        wind = np.array([(pad >> 1 & 1) - (pad & 1), (pad >> 3 & 1) - (pad >> 2 & 1)])
        self.velocity = np.clip(self.velocity + wind, -128, 128)
        moved = self.place + self.velocity
        low, high = moved < 0, moved > LIMITS
        self.place = np.where(low, -moved, np.where(high, 2 * np.array(LIMITS) - moved, moved))
        self.velocity = np.where(low | high, -self.velocity, self.velocity)
        self.collided = touching(self.place >> 5)
        self.frame += 1

    def columns(self) -> dict[str, list[int]]:
        return {
            "count": [self.count],
            "frame": [self.frame],
            "random": [self.random.state],
            "pad_before": [self.pad_before],
            "px": self.place[:, 0].tolist(),
            "py": self.place[:, 1].tolist(),
            "vx": self.velocity[:, 0].tolist(),
            "vy": self.velocity[:, 1].tolist(),
            "collided": self.collided.tolist(),
        }


def touching(corners: np.ndarray) -> np.ndarray:
    near = (np.abs(corners[:, None] - corners[None]) < SIDE).all(2)
    np.fill_diagonal(near, False)
    return near.any(1).astype(int)


@cache
def grid() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows, columns and grey of the screen."""
    rows, columns = np.mgrid[:HEIGHT, :WIDTH]
    return rows, columns, np.where((rows ^ columns) & 1, 0, 255).astype(np.uint8)


def picture(corners: np.ndarray, collided: np.ndarray) -> np.ndarray:
    """Draw objects on white: outlines of those that collided, grey squares for the others."""
    rows, columns, grey = grid()
    screen = np.zeros((HEIGHT, WIDTH), np.uint8)
    for (x, y), outlined in zip(corners, collided):
        here = slice(y, y + SIDE), slice(x, x + SIDE)
        if outlined:
            dx, dy = columns[here] - x, rows[here] - y
            screen[here][(dx % (SIDE - 1) == 0) | (dy % (SIDE - 1) == 0)] = 255
        else:
            screen[here] = grey[here]
    return screen


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("isa", "build", "count", "seed"),
    [(*image, *case) for image in IMAGES for case in [(200, 1994), (40, 7), (1, 2**32 - 1)][: 1 + 2 * LONG[image]]],
)
def test_demo_frame_by_frame(isa: str, build: str, count: int, seed: int) -> None:
    rom = load_rom("sectors")
    machine, demo = judge(rom.image(isa, build)), Demo(seed, count)
    machine.write(SCREEN, b"\x55" * (WIDTH * HEIGHT))  # what the screen held before must not show
    machine.power_on(0, count, seed)
    for frame, pad in enumerate(PADS):
        machine.write(PAD, struct.pack(f"{machine.order}I", pad))
        assert machine.to_service() == YIELD_FRAME
        demo.run_frame(pad)
        assert world_of(machine, rom.world) == demo.columns(), f"frame {frame}"
        assert np.array_equal(screen_of(machine), picture(demo.place >> 5, demo.collided)), f"frame {frame}"


@pytest.mark.parametrize(("isa", "build"), IMAGES)
def test_demo_at_the_edges(isa: str, build: str) -> None:
    """Objects in all corners, at top speed, so that every bounce happens in the first frames."""
    machine, demo = judge(load_rom("sectors").image(isa, build)), Demo(3, 4)
    machine.power_on(0, 4, 3)
    assert machine.to_service() == YIELD_FRAME
    demo.run_frame(0)
    demo.place = np.array([[1, 1], [LIMITS[0], 0], [0, LIMITS[1] - 1], [LIMITS[0] - 5, LIMITS[1]]])
    demo.velocity = np.array([[-128, -1], [128, -128], [0, 2], [5, 1]])
    content = np.hstack([demo.place, demo.velocity]).astype(f"{machine.order}i2").tobytes()
    machine.write(machine.address("gMotion"), content)
    for pad in (0, 2, 2, 9, 9, 0):
        machine.write(PAD, struct.pack(f"{machine.order}I", pad))
        assert machine.to_service() == YIELD_FRAME
        demo.run_frame(pad)
        found = np.frombuffer(machine.read(machine.address("gMotion"), 32), f"{machine.order}i2").reshape(4, 4)
        assert found.tolist() == np.hstack([demo.place, demo.velocity]).tolist()
        assert np.array_equal(screen_of(machine), picture(demo.place >> 5, demo.collided))


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("isa", "build", "count", "first"),
    [
        (*image, *case)
        for image in IMAGES
        for case in [(60, 2**32 - 1_000_000), (200, 0), (0, 5)][: 1 + 2 * LONG[image]]
    ],
)
def test_harness_counts_thirty_seconds(isa: str, build: str, count: int, first: int) -> None:
    """Every clock read takes 180 ms here and nothing else takes time: all else follows from the rules of 1994.

    With --full it takes 60 ms, with --times 20 ms.
    """
    step = 20_000 if SOAK else 60_000 if FULL else 180_000
    machine = judge(load_rom("sectors").image(isa, build))
    machine.power_on(1, count, 1994)
    reads = 0
    while (service := machine.to_service()) == MICROSECONDS:
        now = first + step * reads
        machine.data(0, now % 2**32)
        machine.data(1, now >> 32)
        reads += 1
    assert service == EXIT
    assert machine.data(0) == 0

    now, iterations, scenes = step, 0, 0  # the first call reads twice

    def clock() -> int:
        nonlocal now
        now += step
        return now - step

    end = clock() + 30_000_000
    while clock() < end:
        before = clock()
        scenes += 1
        end += clock() - before
        checks = 0
        while checks < 50 and clock() < end:
            checks += 1
        iterations += checks
    assert machine.word("gIterations") == iterations
    assert machine.word("gTotalTime") == 30_000_000 + clock() - end

    draw = Generator(1994)
    corners = [(0, 0)] * count
    for _ in range(scenes):
        corners = [(draw.below(639), draw.below(479)) for _ in range(count)]
    corners = np.array(corners).reshape(count, 2)
    assert np.array_equal(screen_of(machine), picture(corners, touching(corners)))


@pytest.mark.first_case
@pytest.mark.parametrize(("isa", "build"), IMAGES)
@pytest.mark.parametrize(("mode", "count"), [(2, 10), (0, 201), (1, 2**32 - 1)])
def test_bad_parameters_end_at_once(isa: str, build: str, mode: int, count: int) -> None:
    machine = judge(load_rom("sectors").image(isa, build))
    machine.power_on(mode, count, 1)
    assert machine.to_service() == EXIT
    assert machine.data(0) == 1


@pytest.mark.parametrize(("isa", "build"), [image for image in IMAGES if image[0] == "m68000"])
def test_the_68000_on_our_own_machine(isa: str, build: str) -> None:
    """Ours, unlike Musashi, stops at a word at an odd address."""
    parameters = {"objects": 60, "seed": 5}
    ours = open_machine("mc68000-8", build=build, timing="off", parameters=parameters)
    native = NativeMachine(parameters=parameters)
    assert ours.image.isa == isa
    for pad in PADS * 4:
        for machine in (ours, native):
            machine.set_input("pad", pad)
            assert machine.run(frames=1).reason == "frames"
        assert ours.world().difference(native.world()) is None
        assert np.array_equal(ours.frame, native.frame)
