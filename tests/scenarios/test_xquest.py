"""`xquest` on the native machine against its rules in plain Python: world and picture; states; refusals."""

from __future__ import annotations

import struct

import pytest

from retrosim.errors import StateError
from retrosim.machine.native import NativeMachine
from retrosim.rom import load_rom
from retrosim.tape import load_tape
from tests.helpers.scenarios.native_checks import EDGES, check_refused, follow, forged_state, pads_of
from tests.helpers.scenarios.xquest_rules import Art, Field

ROM = load_rom("xquest")
ART = Art(ROM)


def machine(objects: int = 60, seed: int = 1995) -> NativeMachine:
    return NativeMachine(ROM, parameters={"objects": objects, "seed": seed})


@pytest.mark.parametrize("objects, seed", [(1, 0), (37, 2**32 - 1), (200, 1995)])
def test_frames_are_those_of_the_rules(objects: int, seed: int) -> None:
    """Every input edge: held, pressed again, opposite directions together, all at once."""
    ours, rules = machine(objects, seed), Field(ART, objects, seed)
    for _ in follow(ours, rules, EDGES):
        pass
    assert bytes(ours.frame) == rules.picture()


@pytest.mark.full
def test_a_game_is_that_of_the_rules() -> None:
    """The beginning of a shipped tape: bounces, gems that are taken and turn up again, bumps; pictures now and then."""
    tape = load_tape(ROM.path / "tapes" / "gem-run.rtape")
    objects, seed = (tape.parameters[name] for name in ("objects", "seed"))
    ours, rules = machine(objects, seed), Field(ART, objects, seed)
    only_near = 0
    for number in follow(ours, rules, pads_of(tape, 240)):
        only_near += len(rules.near - rules.collided)
        if number % 80 == 79:
            assert bytes(ours.frame) == rules.picture(), number
    assert rules.gems > 2 and rules.bumps > 2 and only_near > 100


CENTRE = (300 * 32, 240 * 32, 0, 0)


def forged(place=CENTRE, turn=0, flag=0, frames=1, rom="xquest") -> bytes:
    content = struct.pack("<3I4h", 2, 3, turn, *place) + bytes([flag] * 3)
    return forged_state(rom, content, frames=frames)


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
        (forged(rom="sectors"), "its rom is 'sectors', this machine's is 'xquest'"),
        (forged(turn=4), r"turn of the ship 4: allowed 0\.\.3"),
        (forged(flag=2), r"greatest flag 2: allowed 0\.\.1"),
        (forged((8 * 32 - 1, 7680, 0, 0)), "least px 255: allowed 256 or more"),
        (forged((607 * 32 + 1, 7680, 0, 0)), r"greatest px 19425: allowed 256\.\.19424"),
        (forged((9600, 32 * 32 - 1, 0, 0)), "least py 1023: allowed 1024 or more"),
        (forged((9600, 7680, 129, 0)), r"greatest speed 129: allowed 0\.\.128"),
        (forged(frames=0), "frame 0 with something other than zeros"),
        (forged_state("xquest", bytes(22)), "holds 22 bytes, with its parameters it has 23"),
    ],
)
def test_impossible_states_are_refused(state: bytes, message: str) -> None:
    check_refused(machine(4), state, message)


def test_states_of_the_two_scenarios_do_not_mix() -> None:
    sectors = NativeMachine()
    with pytest.raises(StateError, match="its rom is 'xquest', this machine's is 'sectors'"):
        sectors.load(machine().save())
    with pytest.raises(StateError, match="its rom is 'sectors', this machine's is 'xquest'"):
        machine().load(sectors.save())
