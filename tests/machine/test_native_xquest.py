"""`xquest` on the native machine against its rules in plain Python: world and picture; states; refusals."""

from __future__ import annotations

import hashlib
import struct

import numpy as np
import pytest
from xquest_rules import Art, Field

from retrosim.errors import StateError
from retrosim.machine.native import NativeMachine
from retrosim.machine.world import World
from retrosim.rom import load_rom
from retrosim.tape import load_tape

ROM = load_rom("xquest")
ART = Art(ROM)
LEFT, RIGHT, UP, DOWN, FIRE = 1, 2, 4, 8, 16
PADS = [0, FIRE, FIRE, FIRE | LEFT, LEFT, RIGHT, UP, DOWN, LEFT | RIGHT, UP | DOWN, RIGHT | DOWN, 0, FIRE, 0, FIRE, 31]


def machine(objects: int = 60, seed: int = 1995) -> NativeMachine:
    return NativeMachine(ROM, parameters={"objects": objects, "seed": seed})


@pytest.mark.parametrize("objects, seed", [(1, 0), (37, 2**32 - 1), (200, 1995)])
def test_frames_are_those_of_the_rules(objects: int, seed: int) -> None:
    """Every input edge: held, pressed again, opposite directions together, all at once."""
    ours, rules = machine(objects, seed), Field(ART, objects, seed)
    for number, pad in enumerate(PADS):
        ours.set_input("pad", pad)
        ours.run(frames=1)
        rules.step(pad)
        assert ours.world().difference(World(rules.columns())) is None, number
    assert bytes(ours.frame) == rules.picture()


def test_a_game_is_that_of_the_rules() -> None:
    """The beginning of a shipped tape: bounces, gems that are taken and turn up again, bumps; pictures now and then."""
    tape = load_tape(ROM.path / "tapes" / "gem-run.rtape")
    objects, seed = (tape.parameters[name] for name in ("objects", "seed"))
    pads = {line.frame: line.states["pad"] for line in tape.inputs}
    ours, rules = machine(objects, seed), Field(ART, objects, seed)
    pad = only_near = 0
    for number in range(240):
        pad = pads.get(number, pad)
        ours.set_input("pad", pad)
        ours.run(frames=1)
        rules.step(pad)
        assert ours.world().difference(World(rules.columns())) is None, number
        only_near += len(rules.near - rules.collided)
        if number % 80 == 79:
            assert bytes(ours.frame) == rules.picture(), number
    assert rules.gems > 2 and rules.bumps > 2 and only_near > 100


def test_golden_world_hashes() -> None:
    """What the world must be on every machine, for ever; a failure prints the new values."""
    found = {}
    for objects in (1, 60, 200):
        ours = machine(objects)
        ours.run(frames=100)
        ours.set_input("pad", FIRE | RIGHT)
        ours.run(frames=500)
        found[objects] = ours.hash()
    assert found == {1: "de2747c8a7e98ede", 60: "f455ab946db259b4", 200: "9ff731673f1e3ff7"}


def test_nothing_has_run_at_power_on() -> None:
    ours = machine()
    assert not ours.frame.any()
    columns = ours.world().columns
    assert {name: column.tolist() for name, column in columns.items() if len(column)} == {
        name: [0] for name in ("count", "frame", "random", "pad_before", "gems", "bumps")
    }
    assert list(columns) == [column.name for column in ROM.world]
    ours.run(frames=1)
    assert list(ours.world().columns) == [column.name for column in ROM.world]


def test_parameters_are_those_of_the_rom() -> None:
    assert NativeMachine(ROM).parameters == {"objects": 60, "seed": 1995}
    with pytest.raises(ValueError, match=r"objects 201: allowed 1\.\.200"):
        machine(201)


@pytest.mark.parametrize("before", [0, 1, 90])
def test_save_and_load_are_invisible(before: int) -> None:
    straight, broken, other = machine(40, 6), machine(40, 6), machine(7, 7)
    other.run(frames=3)
    for each in (straight, broken):
        each.set_input("pad", RIGHT | DOWN)
        each.run(frames=before)
        each.set_input("pad", FIRE | LEFT)
    state = broken.save()
    other.load(state)
    assert other.save() == state and other.parameters == {"objects": 40, "seed": 6}
    assert np.array_equal(other.frame, straight.frame)
    for each in (straight, other):
        each.run(frames=60)
    assert other.save() == straight.save() and other.hash("machine") == straight.hash("machine")
    assert other.world() == straight.world() and np.array_equal(other.frame, straight.frame)
    other.reset()
    assert other.save() == machine(40, 6).save()


HEADER = struct.Struct("<8sHHIQIII")
CENTRE = (300 * 32, 240 * 32, 0, 0)


def forged(place=CENTRE, turn=0, flag=0, frames=1, magic=b"RSXQUEST") -> bytes:
    body = HEADER.pack(magic, 1, 1, 5, frames, 0, 9, 0) + struct.pack("<3I4h", 2, 3, turn, *place) + bytes([flag] * 3)
    return body + hashlib.blake2b(body, digest_size=8).digest()


def test_a_well_made_state_is_taken() -> None:
    ours = machine()
    ours.load(forged((607 * 32, 447 * 32, -128, 128), turn=3, flag=1))
    columns = ours.world().columns
    found = {name: columns[name].tolist() for name in ("px", "shape", "gems", "bumps", "near")}
    assert found == {"px": [607 * 32], "shape": [3], "gems": [2], "bumps": [3], "near": [1]}
    ours.run(frames=100)


@pytest.mark.parametrize(
    "state, message",
    [
        (forged(magic=b"RSNATIVE"), "not b'RSXQUEST'"),
        (forged(turn=4), r"turn of the ship 4: allowed 0\.\.3"),
        (forged(flag=2), r"greatest flag 2: allowed 0\.\.1"),
        (forged((8 * 32 - 1, 7680, 0, 0)), "least px 255: allowed 256 or more"),
        (forged((607 * 32 + 1, 7680, 0, 0)), r"greatest px 19425: allowed 256\.\.19424"),
        (forged((9600, 32 * 32 - 1, 0, 0)), "least py 1023: allowed 1024 or more"),
        (forged((9600, 7680, 129, 0)), r"greatest speed 129: allowed 0\.\.128"),
        (forged(frames=0), "frame 0 with something else than zeros"),
        (forged()[:-1], "66 bytes long, a state of 1 objects has 67"),
    ],
)
def test_impossible_states_are_refused(state: bytes, message: str) -> None:
    ours = machine(4)
    ours.run(frames=1)
    before = ours.save()
    with pytest.raises(StateError, match=message):
        ours.load(state)
    assert ours.save() == before


def test_states_of_the_two_scenarios_do_not_mix() -> None:
    sectors = NativeMachine()
    with pytest.raises(StateError, match="not b'RSNATIVE'"):
        sectors.load(machine().save())
    with pytest.raises(StateError, match="not b'RSXQUEST'"):
        machine().load(sectors.save())
