"""What the tests of native scenarios do alike: steps beside rules in plain Python, and states that are refused."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from typing import Any

import pytest

from retrosim.errors import StateError
from retrosim.machine import NativeMachine
from retrosim.machine.world import World
from retrosim.tape import Tape

LEFT, RIGHT, UP, DOWN, FIRE = 1, 2, 4, 8, 16
EDGES = [0, FIRE, FIRE, FIRE | LEFT, LEFT, RIGHT, UP, DOWN, LEFT | RIGHT, UP | DOWN, RIGHT | DOWN, 0, FIRE, 0, FIRE, 31]
"""Input frame by frame: held, pressed again, opposite directions together, all at once."""
HEADER = struct.Struct("<8sHHIQIII")  # magic, version, parameters, ticks, frames, ...: see NativeMachine.save


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


def signed(body: bytes) -> bytes:
    """Return a saved state with the digest it needs."""
    return body + hashlib.blake2b(body, digest_size=8).digest()


def check_refused(ours: NativeMachine, state: bytes, message: str) -> None:
    """A state that is refused changes nothing."""
    ours.run(frames=1)
    before = ours.save()
    with pytest.raises(StateError, match=message):
        ours.load(state)
    assert ours.save() == before
