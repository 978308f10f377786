"""What holds for all scenarios of the native machine: their worlds for ever, power-on, parameters, saved states."""

from __future__ import annotations

import hashlib
import random

import numpy as np
import pytest

from retrosim.machine import NativeMachine
from retrosim.rom import load_rom
from retrosim.scenarios import SCENARIOS
from tests.helpers.scenarios.native_checks import DOWN, FIRE, LEFT, RIGHT, UP

GOLDEN = {
    "sectors": {50: "5516b69b3c10df78", 100: "bd26982e23a31fbb", 200: "cd56e7adacd4af7c"},
    "xquest": {1: "de2747c8a7e98ede", 60: "f455ab946db259b4", 200: "9ff731673f1e3ff7"},
    "tanks": {1: "9636e0e2acad4d5a", 24: "3d34c99719d1f475", 64: "dd6968b7f2e7a96d"},
    "shooter": {1: "e5bf6ca9f430e033", 40: "458d520542b759f2", 50: "001181f3fc61dcd6"},
    "gallery": {1: "0fea06ebd3537510", 48: "567fbed620ecbb0f"},
    "tunnel": {1: "0c9a9d2518941e0d", 12: "1fffab0a92373ca4"},
}
"""World hashes after 600 frames, by ROM and objects."""
KEYS = {"tanks": FIRE | RIGHT | UP}  # held from frame 100 on, where not FIRE | RIGHT


def machine(name: str, objects: int, seed: int | None = None) -> NativeMachine:
    given = {"objects": objects} | ({} if seed is None else {"seed": seed})
    return NativeMachine(name, parameters=given)


@pytest.mark.full
@pytest.mark.parametrize("name", SCENARIOS)
def test_golden_world_hashes(name: str) -> None:
    """What the world must be on every machine, for ever; a failure prints the new values, also of a new scenario."""
    known = GOLDEN.get(name, dict.fromkeys((1, load_rom(name).parameters["objects"].default), "?"))
    found = {}
    for objects in known:
        ours = machine(name, objects)
        ours.run(frames=100)
        ours.set_input("pad", KEYS.get(name, FIRE | RIGHT))
        ours.run(frames=500)
        found[objects] = ours.hash()
    assert found == known


PLAYED = {
    "gallery": ("c1ca5c2ac1f6d594", "8a4315bba83da8d9"),
    "sectors": ("e5ba460a85e7fda3", "0cbc6e7795064de1"),
    "shooter": ("16b1c0d2ef07ccea", "dd200febbcdd0b6a"),
    "tanks": ("334935326d9386b0", "7b6f6a32d2f9aca0"),
    "tunnel": ("59fb540724b761a9", "443a432cd8a65644"),
    "xquest": ("06d25ec7ba1c83b5", "1e876a7ca2bf2342"),
}
"""World hash, and a digest of some pictures, of a short game at random, by ROM."""


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_short_game_at_random(name: str) -> None:
    """As above, with pictures, every key and as many objects as there may be, up to 20."""
    ours, draw = machine(name, min(20, load_rom(name).parameters["objects"].maximum), 1994), random.Random(name)
    pictures = hashlib.blake2b(digest_size=8)
    for number in range(50):
        ours.set_input("pad", draw.choice((0, LEFT, RIGHT, UP, DOWN, FIRE)) | draw.choice((0, FIRE, UP, RIGHT)))
        ours.run(frames=4)
        if number % 5 == 0:
            pictures.update(ours.frame.tobytes())
    assert (ours.hash(), pictures.hexdigest()) == PLAYED.get(name, ("?", "?"))


@pytest.mark.parametrize("name", SCENARIOS)
def test_nothing_has_run_at_power_on(name: str) -> None:
    rom = load_rom(name)
    ours = NativeMachine(rom)
    assert not ours.frame.any()
    columns = ours.world().columns
    assert {name: len(column) for name, column in columns.items()} == {
        column.name: int(column.count == "1") for column in rom.world
    }
    assert not any(column.any() for column in columns.values())
    ours.run(frames=1)
    assert list(ours.world().columns) == [column.name for column in rom.world]


@pytest.mark.parametrize("name", SCENARIOS)
def test_parameters_are_those_of_the_rom(name: str) -> None:
    rom = load_rom(name)
    assert NativeMachine(rom).parameters == {key: each.default for key, each in rom.parameters.items()}
    maximum = rom.parameters["objects"].maximum
    with pytest.raises(ValueError, match=rf"objects {maximum + 1}: allowed 1\.\.{maximum}"):
        machine(name, maximum + 1)


@pytest.mark.first_case
@pytest.mark.parametrize("before", [0, 1, 90])
@pytest.mark.parametrize("name", SCENARIOS)
def test_save_and_load_are_invisible(name: str, before: int) -> None:
    straight, broken, other = machine(name, 10, 6), machine(name, 10, 6), machine(name, 7, 7)
    other.run(frames=3)
    for each in (straight, broken):
        each.set_input("pad", RIGHT | FIRE)
        each.run(frames=before)
        each.set_input("pad", FIRE | LEFT)
    state = broken.save()
    other.load(state)
    assert other.save() == state and other.parameters == {"objects": 10, "seed": 6}
    assert np.array_equal(other.frame, straight.frame)
    for each in (straight, other):
        each.run(frames=300)
    assert other.save() == straight.save() and other.hash("machine") == straight.hash("machine")
    assert other.world() == straight.world() and np.array_equal(other.frame, straight.frame)
    other.reset()
    assert other.save() == machine(name, 10, 6).save()
