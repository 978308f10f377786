"""Every build of the ROM: both engines agree on all state and clocks, and its world is the native machine's.

With full timing two of them and fewer frames, each image of a game on one machine; with --full everything.
"""

from __future__ import annotations

import numpy as np
import pytest

from retrosim.machine import Machine, NativeMachine, open_machine
from retrosim.rom import load_rom
from tests.helpers.amount import FULL, usually
from tests.helpers.cpu.cores import differences
from tests.helpers.machine.flat import FLAT_MACHINES

MACHINE = "mc68040-25"
BUILDS = [info.build for info in load_rom("sectors").images if info.isa == "m68040"]
WITH_FULL_TIMING = usually(("O2", "period"), BUILDS)
FRAMES = 100 if FULL else 48
HELD = 3 if FULL else 2  # frames of a game with the same keys
MACHINES = [name for name in FLAT_MACHINES if FULL or name != "mc68000-mac"]  # which runs the image of mc68000-8
PADS = (0, 1, 1, 5, 5, 16, 16, 0, 10, 10, 2, 8, 16, 31, 31, 0)


def test_there_are_builds() -> None:
    assert {"O0", "O1", "O2"} <= set(BUILDS)


def same(first: Machine, second: Machine) -> None:
    assert dict(first.regs) == dict(second.regs)
    assert (first.cycles, first.instructions, first.frame_cycles) == (
        second.cycles,
        second.instructions,
        second.frame_cycles,
    )
    assert differences(first.core, second.core) == []


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("build", "timing"), [*((build, "table") for build in BUILDS), *((build, "full") for build in WITH_FULL_TIMING)]
)
def test_engines_agree(build: str, timing: str) -> None:
    """The first instructions from power-on, and a whole frame behind the one that clears the screen."""
    parameters = {"objects": 1, "seed": 11}
    fast, slow = (
        open_machine(MACHINE, build=build, timing=timing, parameters=parameters, engine=engine)
        for engine in ("interpret", "evaluate")
    )
    for each in (fast, slow):
        assert each.run(instructions=1500).instructions == 1500
    same(fast, slow)
    if timing == "full":
        fast.run(frames=1)
        state = fast.save()
        for each in (fast, slow):
            each.load(state)
            each.set_input("pad", 16)
            assert each.run(frames=1).reason == "frames"
        same(fast, slow)


@pytest.mark.first_case
@pytest.mark.parametrize("build", BUILDS)
def test_the_world_is_the_native_one(build: str) -> None:
    """Frames with wind from all sides and new random places, compared after each."""
    parameters = {"objects": 40, "seed": 77}
    ours = open_machine(MACHINE, build=build, timing="off", parameters=parameters)
    native = NativeMachine(parameters=parameters)
    for frame in range(FRAMES):
        for each in (ours, native):
            each.set_input("pad", PADS[frame // 3 % len(PADS)])
            each.run(frames=1)
        assert ours.world().difference(native.world()) is None, frame
        assert ours.hash() == native.hash()
    assert np.array_equal(ours.frame, native.frame)
    assert ours.frame_number == native.frame_number == FRAMES


@pytest.mark.first_case
@pytest.mark.parametrize("name, objects", [("xquest", 80), ("tanks", 50), ("shooter", 50), ("tunnel", 12)])
@pytest.mark.parametrize("machine", MACHINES)
def test_games_are_the_native_ones(machine: str, name: str, objects: int) -> None:
    """World and picture, frame by frame, with fire and every way to steer."""
    rom, parameters = load_rom(name), {"objects": objects, "seed": 77}
    ours = open_machine(machine, rom, timing="off", parameters=parameters)
    native = NativeMachine(rom, parameters=parameters)
    for frame in range(HELD * len(PADS)):
        for each in (ours, native):
            each.set_input("pad", PADS[frame // HELD])
            each.run(frames=1)
        assert ours.world().difference(native.world()) is None, frame
        assert np.array_equal(ours.frame, native.frame), frame
    assert ours.hash() == native.hash()
