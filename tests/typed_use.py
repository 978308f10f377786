"""What a type checker says about programs that use retrosim; `mypy` reads this file, nothing runs it.

Every `type: ignore` is a mistake that must be found: mypy reports one that is not (warn_unused_ignores).
"""

from __future__ import annotations

from typing import assert_type

import numpy as np

import retrosim
from retrosim import collide, machine, rom, tape
from retrosim.collide import contacts, world
from retrosim.collide.scene import Events, Scene
from retrosim.machine import Machine


def correct() -> None:
    """The README's calls, with the types they have."""
    opened = retrosim.open_machine("mc68040-25", parameters={"objects": 100})
    assert_type(opened, retrosim.Machine)
    assert_type(opened.run(frames=60).cycles, int)
    assert_type(opened.measure("DetermineCollisions"), retrosim.Measurement)
    assert_type(opened.hash("world"), str)
    assert_type(retrosim.open_machine("native", "sectors"), retrosim.NativeMachine)
    assert_type(retrosim.MACHINE_NAMES, tuple[str, ...])
    assert_type(retrosim.load_rom("sectors"), rom.Rom)
    assert_type(retrosim.load_tape("mine.rtape"), tape.Tape)
    assert_type(machine.PRESETS["mc68040-25"], machine.Preset)
    x, y = np.array([10, 30], np.int16), np.array([10, 20], np.int16)
    print(collide.collided(x, y, size=30), collide.pairs(x, y, size=30))
    assert_type(contacts.boxes(x, y, world.pairs(x, y, size=30), size=30), contacts.Contacts)
    assert_type(Scene(closed=True).events(), Events)


def mistaken(opened: Machine) -> None:
    """Names that are not there, and arguments of a wrong kind."""
    print(retrosim.Machine.rnu)  # type: ignore[attr-defined]
    retrosim.open_machien("mc68040-25")  # type: ignore[attr-defined]
    print(retrosim.machine.Machin)  # type: ignore[attr-defined]
    print(machine.open_machien)  # type: ignore[attr-defined]
    print(opened.frame_cycels)  # type: ignore[attr-defined]
    opened.run(frame=3)  # type: ignore[call-arg]
    world.pairs([1, 2], [3, 4], size=30)  # type: ignore[arg-type]
    opened.run(frames="3")  # type: ignore[arg-type]
    print(opened.run(frames=3).cylces)  # type: ignore[attr-defined]
    print(collide.colided)  # type: ignore[attr-defined]
    print(tape.load_tpae)  # type: ignore[attr-defined]
    retrosim.open_machine("native").measure("DetermineCollisions")  # type: ignore[attr-defined]
