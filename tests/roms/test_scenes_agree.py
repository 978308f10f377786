"""Every shipped scene on every machine: one world and one picture after each frame.

The short form takes one simulated machine for each scene, in turn; --full takes all.
"""

from __future__ import annotations

import pytest

from retrosim.machine import open_machine
from retrosim.machine.interface import AnyMachine
from retrosim.machine.presets import machines_for
from retrosim.rom import load_rom, load_scene, shipped_scenes
from tests.helpers.amount import FULL

FRAMES, PADS = 6, {3: 16, 4: 10}
SCENES = [path.stem for path in shipped_scenes()]


def machines_of(scene: str) -> list[str]:
    """Return the machines that run a scene's ROM: all, or one of them in turn."""
    names = machines_for({info.isa for info in load_rom(load_scene(scene).rom).images})
    return names if FULL else [names[SCENES.index(scene) % len(names)]]


def played(machine: AnyMachine) -> list[tuple[str, bytes]]:
    seen = []
    for frame in range(FRAMES):
        machine.set_input("pad", PADS.get(frame, 0))
        machine.run(frames=1)
        seen.append((machine.hash("world"), machine.frame.tobytes()))
    return seen


@pytest.mark.first_case
@pytest.mark.parametrize("name", SCENES)
def test_one_world_and_one_picture_on_every_machine(name: str) -> None:
    expected = played(open_machine("native", scene=name))
    for machine_name in machines_of(name):
        found = played(open_machine(machine_name, scene=name, engine="interpret"))
        assert [world for world, _ in found] == [world for world, _ in expected], machine_name
        assert found == expected, machine_name
