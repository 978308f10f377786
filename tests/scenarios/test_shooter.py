"""`shooter` on the native machine against its rules in plain Python: world and picture; states; refusals."""

from __future__ import annotations

import random
import struct

import pytest

from retrosim.machine.native import NativeMachine
from retrosim.machine.world import World
from retrosim.rom import load_rom
from retrosim.tape import load_tape
from tests.helpers.amount import usually
from tests.helpers.scenarios.native_checks import (
    DOWN,
    FIRE,
    LEFT,
    RIGHT,
    UP,
    check_refused,
    follow,
    forged_state,
    pads_of,
)
from tests.helpers.scenarios.shooter_rules import Art, Battle

ROM = load_rom("shooter")
ART = Art(ROM)
SEED = 2007


def machine(objects: int = 40, seed: int = SEED) -> NativeMachine:
    return NativeMachine(ROM, parameters={"objects": objects, "seed": seed})


def played(objects: int, frames: int, seed: int):
    """Play at random on both; check every world and some pictures; return the rules, and the greatest of each count."""
    ours, rules, draw, pad = machine(objects, seed), Battle(ART, objects, seed), random.Random(seed), 0
    greatest = dict.fromkeys(rules.game, 0)
    for number in range(frames):
        if number % 11 == 0:
            pad = draw.choice((0, LEFT, RIGHT, UP | RIGHT, DOWN | LEFT, LEFT | RIGHT)) | draw.choice((0, FIRE, FIRE))
        ours.set_input("pad", pad)
        ours.run(frames=1)
        rules.step(pad)
        assert ours.world().difference(World(rules.columns())) is None, f"frame {number} of seed {seed}"
        if number % 97 == 0 or number == frames - 1:
            assert bytes(ours.frame) == rules.picture(), f"frame {number} of seed {seed}"
        greatest = {name: max(greatest[name], value) for name, value in rules.game.items()}
    return rules, greatest


@pytest.mark.first_case
@pytest.mark.parametrize(
    "objects, frames, seed",
    usually(
        [(17, 350, 2**32 - 1), (1, 500, 0), (50, 170, 1994)],
        [(17, 900, 2**32 - 1), (1, 900, 0), (50, 500, 1994)],
    ),
)
def test_frames_are_those_of_the_rules(objects: int, frames: int, seed: int) -> None:
    _, greatest = played(objects, frames, seed)
    assert greatest["score"] > 0 and (objects > 1 or greatest["wave"] > 1)


@pytest.mark.full
@pytest.mark.parametrize("name", usually(["three-ships"], ["first-wave", "three-ships"]))
def test_a_game_is_that_of_the_rules(name: str) -> None:
    """A shipped tape from its beginning to its end: hits, dives, deaths, the end of a game and the next one."""
    tape = load_tape(ROM.path / "tapes" / f"{name}.rtape")
    objects, seed = (tape.parameters[each] for each in ("objects", "seed"))
    ours, rules, seen = machine(objects, seed), Battle(ART, objects, seed), set()
    for number in follow(ours, rules, pads_of(tape, tape.frames)):
        if number % 60 == 59:
            assert bytes(ours.frame) == rules.picture(), number
        seen |= {("playing", rules.game["playing"]), ("ship", rules.ship["active"]), ("ships", rules.game["ships"])}
        seen |= {("way", alien["way"]) for alien in rules.aliens}
    assert ours.hash() == tape.hashes[-1].world
    assert rules.game["best"] > 30 and {("way", 1), ("way", 2), ("ships", 2)} <= seen
    if name == "three-ships":
        assert {("playing", 0), ("playing", 1), ("ship", 0), ("ships", 0)} <= seen and rules.game["playing"]


def test_whom_an_object_collides_with() -> None:
    """Aliens and what they drop ask for ships only: they pass through each other, but not through the player's."""
    rules = Battle(ART, 2, 1)
    for each in rules.objects:
        each["active"] = 0
    for each in (rules.bombs[0], rules.aliens[0], rules.aliens[1]):
        each |= {"active": 1, "px": 3200, "py": 6400}
    rules.bombs[0] |= {"vx": 0, "vy": 0}
    rules.ship["active"] = 0
    rules.step(0)
    assert not any(each["collided"] for each in rules.objects)
    rules.shots[0] |= {"active": 1, "px": rules.aliens[1]["px"] + 300, "py": rules.aliens[1]["py"] + 400, "vy": 0}
    rules.step(0)
    assert rules.shots[0]["collided"] and sum(each["collided"] for each in rules.objects) == 2


def test_a_shield_keeps_everything_off() -> None:
    ours = machine(50, 3)
    for pad in (UP, UP | LEFT, UP | RIGHT) * 13:
        ours.set_input("pad", pad)
        ours.run(frames=3)
        world = ours.world().columns
        assert world["detection"][0] == 0 and world["active"][0] == 1 and world["shield"][0] > 0
    ours.run(frames=3)
    assert ours.world().columns["detection"][0] == 2


GAME = {"score": 5, "best": 9, "wave": 1, "ships": 2, "playing": 1, "sway": 0, "sway_step": 16}
GAME |= {"dive_wait": 1, "bomb_wait": 1, "reload": 0, "shield": 9, "pause": 0}


def forged(px=9600, py=7680, speed=0, flags=(1, 0, 0, 0), frames=1, **game: int) -> bytes:
    """A state of one alien."""
    content = struct.pack("<12i56h", *(GAME | game).values(), *[px] * 14, *[py] * 14, *[speed] * 28)
    return forged_state("shooter", content + bytes(flag for flag in flags for _ in range(14)), frames=frames)


def test_a_well_made_state_is_taken() -> None:
    for state in (forged(py=-480 * 32), forged(py=480 * 32, flags=(0, 1, 2, 72)), forged(px=-5, flags=(0, 0, 0, 3))):
        ours = machine()
        ours.load(state)
        ours.run(frames=200)


@pytest.mark.parametrize(
    "state, message",
    [
        (forged(score=65536), r"score 65536: allowed 0\.\.65535"),
        (forged(wave=0), r"wave 0: allowed 1\.\.99"),
        (forged(ships=3), r"ships 3: allowed 0\.\.2"),
        (forged(sway=1921), r"sway 1921: allowed -1920\.\.1920"),
        (forged(sway_step=3), "sway_step 3: allowed -16 or 16"),
        (forged(bomb_wait=0), r"bomb_wait 0: allowed 1\.\.120"),
        (forged(flags=(2, 0, 0, 0)), r"greatest active 2: allowed 0\.\.1"),
        (forged(flags=(1, 0, 3, 0)), r"greatest way 3: allowed 0\.\.2"),
        (forged(flags=(1, 0, 0, 73)), r"greatest burst 73: allowed 0\.\.72"),
        (forged(px=-1), r"px\[0\] is beyond the field"),
        (forged(px=614 * 32), r"px\[0\] is beyond the field"),
        (forged(py=480 * 32 + 1), "greatest py 15361"),
        (forged(speed=-225), r"greatest speed 225: allowed 0\.\.224"),
        (forged(frames=0), "frame 0 with something other than zeros"),
        (forged_state("shooter", bytes(4)), "holds 4 bytes, with its parameters it has 216"),
    ],
)
def test_impossible_states_are_refused(state: bytes, message: str) -> None:
    check_refused(machine(4), state, message)
