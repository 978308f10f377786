"""The images of the games on simulators that others wrote: every frame is the native machine's."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from retrosim.machine import NativeMachine
from retrosim.machine.world import World
from retrosim.rom import load_rom
from tests.helpers.amount import FULL
from tests.helpers.rom.simulators import EXIT, PAD, SCREEN, YIELD_FRAME, judge, screen_of, world_of

ROMS = {name: load_rom(name) for name in ("xquest", "tanks", "shooter", "tunnel", "gallery")}
FEW = {"gallery": ("m68000", "i486")}  # one of each byte order: tapes prove all of its images on our own machines
IMAGES = [
    (name, info.isa, info.build)
    for name, rom in ROMS.items()
    for info in rom.images
    if info.isa in FEW.get(name, (info.isa,))
]
MAX_OBJECTS = {name: rom.parameters["objects"].maximum for name, rom in ROMS.items()}
FIRE = 16


@cache
def native_frames(name: str, count: int, seed: int, frames: int) -> list[tuple[int, World, np.ndarray | None]]:
    """Return the pad, the world and for every eighth frame the picture; the same for all images."""
    native = NativeMachine(ROMS[name], parameters={"objects": count, "seed": seed})
    draw, pad, done = random.Random(seed), 0, []
    for frame in range(frames):
        if frame % 9 == 0:
            pad = draw.choice((1, 2, 5, 10, 0)) | draw.choice((0, FIRE, FIRE))
        native.set_input("pad", pad)
        native.run(frames=1)
        done.append((pad, native.world(), native.frame.copy() if frame % 8 == 0 else None))
    return done


@pytest.fixture(scope="module", autouse=True)
def frames_are_freed() -> Iterator[None]:
    yield
    native_frames.cache_clear()


@pytest.mark.full
@pytest.mark.parametrize(("name", "isa", "build"), IMAGES)
@pytest.mark.parametrize(
    ("is_full", "seed", "frames"),
    [(True, 2007, 33), (False, 2**32 - 1, 150)] if FULL else [(True, 2007, 25), (False, 2**32 - 1, 90)],
)
def test_frames_are_the_native_ones(name: str, isa: str, build: str, is_full: bool, seed: int, frames: int) -> None:
    rom, count = ROMS[name], MAX_OBJECTS[name] if is_full else 3
    machine = judge(rom.image(isa, build))
    machine.write(SCREEN, b"\x55" * (640 * 480))  # what the screen held before must not show
    machine.power_on(0, count, seed)
    for frame, (pad, world, picture) in enumerate(native_frames(name, count, seed, frames)):
        machine.write(PAD, struct.pack(f"{machine.order}I", pad))
        assert machine.to_service() == YIELD_FRAME
        assert World(world_of(machine, rom.world)).difference(world) is None, f"frame {frame}"
        assert picture is None or np.array_equal(screen_of(machine), picture), f"frame {frame}"


@pytest.mark.parametrize(("name", "isa", "build"), IMAGES)
@pytest.mark.parametrize(("mode", "beyond"), [(1, 0), (0, None), (0, 1)])
def test_bad_parameters_end_at_once(name: str, isa: str, build: str, mode: int, beyond: int | None) -> None:
    machine = judge(ROMS[name].image(isa, build))
    machine.power_on(mode, 0 if beyond is None else MAX_OBJECTS[name] + beyond, 1)
    assert machine.to_service() == EXIT
    assert machine.data(0) == 1
