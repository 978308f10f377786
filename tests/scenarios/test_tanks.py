"""`tanks` on the native machine against its rules in plain Python: world and picture; states; refusals."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from retrosim.machine.native import NativeMachine
from retrosim.rom import load_rom
from retrosim.tape import load_tape
from tests.helpers.amount import FULL
from tests.helpers.scenarios.native_checks import EDGES, UP, check_refused, follow, forged_state, pads_of
from tests.helpers.scenarios.tanks_picture_rules import picture
from tests.helpers.scenarios.tanks_rules import Battle

ROM = load_rom("tanks")


def machine(objects: int = 24, seed: int = 2011) -> NativeMachine:
    return NativeMachine(ROM, parameters={"objects": objects, "seed": seed})


@pytest.mark.first_case
@pytest.mark.parametrize("objects, seed", [(24, 2**32 - 1), (1, 0), (64, 2011)])
def test_frames_are_those_of_the_rules(objects: int, seed: int) -> None:
    """Every input edge: held, pressed again, opposite directions together, all at once."""
    ours, rules = machine(objects, seed), Battle(ROM, objects, seed)
    for number in follow(ours, rules, EDGES):
        if number % 6 == 0:
            assert bytes(ours.frame) == picture(rules), number
    assert bytes(ours.frame) == picture(rules)


@pytest.mark.full
def test_a_game_is_that_of_the_rules() -> None:
    """The beginning of a shipped tape: shells that hit and miss, blasts, bumps, walls; pictures now and then."""
    tape = load_tape(ROM.path / "tapes" / "twenty-hits.rtape")
    objects, seed = (tape.parameters[name] for name in ("objects", "seed"))
    ours, rules = machine(objects, seed), Battle(ROM, objects, seed)
    only_near = blasts = 0
    for number in follow(ours, rules, pads_of(tape, 240 if FULL else 150)):
        only_near += len(rules.near - rules.collided)
        if number % 24 == 0:
            assert bytes(ours.frame) == picture(rules), number
            blasts += rules.blast[2] > 0
    assert rules.hits > 2 and only_near > 100 and blasts


def test_walls_stop_the_player_and_turn_the_others() -> None:
    ours = machine(8, 3)
    ours.set_input("pad", UP)
    ours.run(frames=400)
    columns = ours.world().columns
    assert columns["speed"][0] in (0, 3) and columns["y"][0] < (56 + 2) * 32  # thrust gained, and lost at the wall
    places = [(columns["x"] >> 5).tolist(), (columns["y"] >> 5).tolist()]
    assert all(32 <= x < 608 for x in places[0]) and all(56 <= y < 448 for y in places[1])


def test_who_collides_drives_at_half_speed() -> None:
    ours = machine(64, 1)
    ours.run(frames=40)
    halves = 0
    for _ in range(60):
        before = ours.world().columns
        ours.run(frames=1)
        after = ours.world().columns
        way = np.hypot(after["x"] - before["x"], after["y"] - before["y"])
        for i in range(1, 64):
            speed = before["speed"][i] >> 1 if before["collided"][i] else before["speed"][i]
            assert way[i] == 0 or abs(way[i] - speed) < 2
            halves += bool(before["collided"][i] and way[i])
    assert halves > 300


STATE = {"struck": 0, "shell_x": 0, "shell_y": 0, "shell_angle": 0, "shell_flies": 0}
STATE |= {"blast_x": 9600, "blast_y": 7680, "blast_left": 0}
TANK = {"x": 9600, "y": 7680, "angle": 0, "speed": 0, "turn": 0, "wait": 0}


def forged(frames: int = 1, rom: str = "tanks", flag: int = 0, hits: int = 0, **changes: int) -> bytes:
    assert changes.keys() <= STATE.keys() | TANK.keys()
    state = [changes.get(name, value) for name, value in STATE.items()]
    tank = [changes.get(name, value) for name, value in TANK.items()]
    content = struct.pack("<2I8h6h2B", hits, 0, *state, *tank, flag, flag)
    return forged_state(rom, content, frames=frames)


def test_a_well_made_state_is_taken() -> None:
    ours = machine()
    corner = {"x": 608 * 32 - 1, "y": 56 * 32, "angle": 1023, "speed": 48, "turn": -8, "wait": 79}
    shell = {"shell_x": 630 * 32 - 1, "shell_y": 34 * 32, "shell_angle": 1023, "shell_flies": 1}
    blast = {"blast_x": 32 * 32, "blast_y": 448 * 32 - 1, "blast_left": 16}
    ours.load(forged(flag=1, hits=999_999, **corner, **shell, **blast))
    columns = ours.world().columns
    assert {name: columns[name].tolist() for name in corner} == {name: [value] for name, value in corner.items()}
    assert columns["hits"].tolist() == [999_999] and columns["wide"][0] == 29
    ours.run(frames=100)


@pytest.mark.parametrize(
    "state, message",
    [
        (forged(rom="xquest"), "its rom is 'xquest', this machine's is 'tanks'"),
        (forged(flag=2), r"greatest flag 2: allowed 0\.\.1"),
        (forged(hits=2**31), r"greatest count 2147483648: allowed 0\.\.2147483647"),
        (forged(x=32 * 32 - 1), "least x 1023: allowed 1024 or more"),
        (forged(x=608 * 32), r"greatest x 19456: allowed 1024\.\.19455"),
        (forged(y=448 * 32), r"greatest y 14336: allowed 1792\.\.14335"),
        (forged(angle=1024), r"greatest angle 1024: allowed 0\.\.1023"),
        (forged(speed=49), r"greatest speed 49: allowed -24\.\.48"),
        (forged(turn=-9), "least turn -9: allowed -8 or more"),
        (forged(wait=80), r"greatest wait 80: allowed 0\.\.79"),
        (forged(struck=1), r"struck tank 1: allowed 0\.\.0"),
        (forged(shell_flies=2), r"shell_flies 2: allowed 0\.\.1"),
        (forged(shell_flies=1), r"shell_x 0: allowed 320\.\.20159"),
        (forged(shell_flies=1, shell_x=320, shell_y=1087), r"shell_y 1087: allowed 1088\.\.15039"),
        (forged(shell_angle=-1), r"shell_angle -1: allowed 0\.\.1023"),
        (forged(blast_left=17), r"frames of the blast 17: allowed 0\.\.16"),
        (forged(blast_left=1, blast_x=19456), r"blast_x 19456: allowed 1024\.\.19455"),
        (forged(frames=0), "frame 0 with something other than zeros"),
        (forged_state("tanks", bytes(3)), r"holds 3 bytes, with its parameters it has 38"),
    ],
)
def test_impossible_states_are_refused(state: bytes, message: str) -> None:
    check_refused(machine(4), state, message)
