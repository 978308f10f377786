"""The images of `shooter` on simulators that others wrote: every frame is the native machine's."""

from __future__ import annotations

import random
import struct

import numpy as np
import pytest
from simulators import EXIT, PAD, SCREEN, YIELD_FRAME, judge, screen_of, world_of

from retrosim.machine import NativeMachine
from retrosim.machine.world import World
from retrosim.rom import load_rom

ROM = load_rom("shooter")
IMAGES = [(info.isa, info.build) for info in ROM.images]
FIRE = 16


@pytest.mark.parametrize(("isa", "build"), IMAGES)
@pytest.mark.parametrize(("count", "seed", "frames"), [(50, 2007, 60), (3, 2**32 - 1, 400)])
def test_frames_are_the_native_ones(isa: str, build: str, count: int, seed: int, frames: int) -> None:
    native = NativeMachine(ROM, parameters={"objects": count, "seed": seed})
    machine, draw, pad = judge(ROM.image(isa, build)), random.Random(seed), 0
    machine.write(SCREEN, b"\x55" * (640 * 480))  # what the screen held before must not show
    machine.power_on(0, count, seed)
    for frame in range(frames):
        if frame % 9 == 0:
            pad = draw.choice((1, 2, 5, 10, 0)) | draw.choice((0, FIRE, FIRE))
        machine.write(PAD, struct.pack(f"{machine.order}I", pad))
        assert machine.to_service() == YIELD_FRAME
        native.set_input("pad", pad)
        native.run(frames=1)
        assert World(world_of(machine, ROM.world)).difference(native.world()) is None, f"frame {frame}"
        if frame % 8 == 0:
            assert np.array_equal(screen_of(machine), native.frame), f"frame {frame}"


@pytest.mark.parametrize(("isa", "build"), IMAGES)
@pytest.mark.parametrize(("mode", "count"), [(1, 10), (0, 0), (0, 51)])
def test_bad_parameters_end_at_once(isa: str, build: str, mode: int, count: int) -> None:
    machine = judge(ROM.image(isa, build))
    machine.power_on(mode, count, 1)
    assert machine.to_service() == EXIT
    assert machine.data(0) == 1
