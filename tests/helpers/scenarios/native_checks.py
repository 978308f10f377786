"""What the tests of native scenarios do alike: steps beside rules in plain Python, and states that are refused."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import pytest

from retrosim.errors import StateError
from retrosim.machine import NativeMachine, state_file
from retrosim.machine.world import World
from retrosim.rom import load_rom
from retrosim.tape import Tape

LEFT, RIGHT, UP, DOWN, FIRE = 1, 2, 4, 8, 16
EDGES = [0, FIRE, FIRE, FIRE | LEFT, LEFT, RIGHT, UP, DOWN, LEFT | RIGHT, UP | DOWN, RIGHT | DOWN, 0, FIRE, 0, FIRE, 31]
"""Input frame by frame: held, pressed again, opposite directions together, all at once."""


def follow(ours: NativeMachine, rules: Any, pads: list[int]) -> Iterator[int]:
    """Run both frame after frame, compare the worlds, and yield the number of the frame."""
    for number, pad in enumerate(pads):
        ours.set_input("pad", pad)
        ours.run(frames=1)
        rules.step(pad)
        assert ours.world().difference(World(rules.columns())) is None, number
        yield number


def pads_of(tape: Tape, frames: int) -> list[int]:
    """Return the input of the first frames of a tape."""
    given = {line.frame: line.states["pad"] for line in tape.inputs}
    pads = [0]
    for number in range(frames):
        pads.append(given.get(number, pads[-1]))
    return pads[1:]


def forged_state(rom: str, content: bytes, objects: int = 1, frames: int = 1, **changes: Any) -> bytes:
    """Return a saved state of a scenario whose arrays are these bytes; of the header's entries, those of `changes`."""
    known = {"objects": objects, "seed": 5}
    parameters = {name: known.get(name, each.default) for name, each in load_rom(rom).parameters.items()}
    entries = {"machine": "native", "spec": "native 1", "rom": rom, "parameters": parameters}
    entries |= {"frame_number": frames, "pad": 0, "pad_before": 0, "random": 9} | changes
    return state_file._written(entries, zlib.compress(content, 1))


def check_refused(ours: NativeMachine, state: bytes, message: str) -> None:
    """A state that is refused changes nothing."""
    ours.run(frames=1)
    before = ours.save()
    with pytest.raises(StateError, match=message):
        ours.load(state)
    assert ours.save() == before
