"""The images of `tanks` on simulators that others wrote: every frame is the native machine's."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from simulators import EXIT, PAD, SCREEN, YIELD_FRAME, judge, screen_of, world_of

from retrosim.machine import NativeMachine
from retrosim.machine.world import World
from retrosim.rom import load_rom

ROM = load_rom("tanks")
IMAGES = [(info.isa, info.build) for info in ROM.images]
FIRE = 16
PADS = [0, 4, 5, FIRE, FIRE | 2, 0, 8, FIRE | 15, 6]  # fire pressed twice, held once; opposite directions


@pytest.mark.parametrize(("isa", "build"), IMAGES)
@pytest.mark.parametrize(("count", "seed"), [(24, 2011), (64, 7), (1, 2**32 - 1)])
def test_frames_are_the_native_ones(isa: str, build: str, count: int, seed: int) -> None:
    native = NativeMachine(ROM, parameters={"objects": count, "seed": seed})
    machine = judge(ROM.image(isa, build))
    machine.write(SCREEN, b"\x55" * (640 * 480))  # what the screen held before must not show
    machine.power_on(0, count, seed)
    for frame, pad in enumerate(PADS):
        machine.write(PAD, struct.pack(f"{machine.order}I", pad))
        assert machine.to_service() == YIELD_FRAME
        native.set_input("pad", pad)
        native.run(frames=1)
        assert World(world_of(machine, ROM.world)).difference(native.world()) is None, f"frame {frame}"
        assert np.array_equal(screen_of(machine), native.frame), f"frame {frame}"


@pytest.mark.parametrize(("isa", "build"), IMAGES)
@pytest.mark.parametrize(("mode", "count"), [(1, 10), (0, 0), (0, 65)])
def test_bad_parameters_end_at_once(isa: str, build: str, mode: int, count: int) -> None:
    machine = judge(ROM.image(isa, build))
    machine.power_on(mode, count, 1)
    assert machine.to_service() == EXIT
    assert machine.data(0) == 1
