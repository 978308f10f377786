"""`sectors` on the native machine against its rules in plain Python: world and picture; states."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from retrosim.machine import NativeMachine
from retrosim.machine.world import World
from tests.helpers.scenarios.native_checks import (
    DOWN,
    EDGES,
    LEFT,
    RIGHT,
    UP,
    check_refused,
    follow,
    forged_state,
)
from tests.helpers.scenarios.sectors_rules import Demo


def machine(objects=200, seed=1994):
    return NativeMachine("sectors", parameters={"objects": objects, "seed": seed})


@pytest.mark.first_case
@pytest.mark.without_jit
@pytest.mark.parametrize("objects, seed", [(37, 2**32 - 1), (1, 0), (200, 1994)])
def test_frames_are_those_of_the_reference(objects, seed):
    """Every input edge: held, pressed again, opposite directions together, all at once."""
    ours, demo = machine(objects, seed), Demo(objects, seed)
    screen = np.frombuffer(demo.screen, np.uint8).reshape(480, 640)
    for number in follow(ours, demo, EDGES):
        assert np.array_equal(ours.frame, screen), number


@pytest.mark.parametrize("pad", [LEFT | UP, RIGHT | DOWN, 0])
def test_long_wind_reaches_top_speed_and_the_walls(pad):
    ours, demo = machine(9, 3), Demo(9, 3)
    demo._draw = lambda x, y: None  # the world only
    ours.set_input("pad", pad)
    fastest = 0
    for _ in range(40):
        ours.run(frames=25)
        for _ in range(25):
            demo.step(pad)
        world = ours.world()
        assert world.difference(World(demo.columns())) is None
        fastest = max(fastest, *np.abs(world.columns["vx"]).tolist())
    assert (fastest == 128) == (pad != 0)


def test_world_layout():
    ours = machine(5)
    ours.set_input("pad", DOWN)
    ours.run(frames=3)
    world = ours.world()
    assert list(world.columns) == ["count", "frame", "random", "pad_before", "px", "py", "vx", "vy", "collided"]
    assert [len(column) for column in world.columns.values()] == [1] * 4 + [5] * 5
    assert [int(world.columns[name][0]) for name in ("count", "frame", "pad_before")] == [5, 3, DOWN]
    assert ours.hash() == ours.hash("world") == world.hash()


def forged(objects=1, motion=(0, 0, 0, 0), collided=0, **changes):
    content = struct.pack("<4h", *motion) * objects + bytes([collided]) * objects
    return forged_state("sectors", content, objects, **changes)


def test_a_well_made_state_is_taken():
    ours = machine()
    ours.load(forged(motion=(610 * 32, 450 * 32, -128, 128), collided=1, pad=31, pad_before=31))
    assert ours.world().columns["px"].tolist() == [19520]
    assert ours.frame[479, 639] == 255 and ours.frame[478, 638] == 0
    ours.run(frames=100)


@pytest.mark.parametrize(
    "state, message",
    [
        (b"", "begins with b''"),
        (b"RSMACHIN" + bytes(100), "begins with b'RSMACHIN'"),
        (b"RSTATE02", "only 8 bytes long"),
        (forged(spec="native 2"), "its spec is 'native 2', this machine's is 'native 1'"),
        (forged(parameters={"objects": 1}), "parameters: allowed objects, seed, all of them"),
        (forged(parameters={"objects": 1, "seed": 5, "speed": 3}), "parameters: allowed objects, seed, all of them"),
        (forged(random=1 << 32), r"random 4294967296: allowed 0\.\.4294967295"),
        (forged(objects=0), r"objects 0: allowed 1\.\.200"),
        (forged(objects=201), r"objects 201: allowed 1\.\.200"),
        (forged(pad=32), r"pad 32: allowed 0\.\.31"),
        (forged(pad_before=2**32 - 1), r"pad_before 4294967295: allowed 0\.\.31"),
        (forged(motion=(-1, 0, 0, 0)), "least px -1: allowed 0 or more"),
        (forged(motion=(610 * 32 + 1, 0, 0, 0)), r"greatest px 19521: allowed 0\.\.19520"),
        (forged(motion=(0, 450 * 32 + 1, 0, 0)), r"greatest py 14401: allowed 0\.\.14400"),
        (forged(motion=(0, -32768, 0, 0)), "least py -32768: allowed 0 or more"),
        (forged(motion=(0, 0, -32768, 0)), r"greatest speed 32768: allowed 0\.\.128"),
        (forged(motion=(0, 0, 0, 129)), r"greatest speed 129: allowed 0\.\.128"),
        (forged(collided=2), r"greatest flag 2: allowed 0\.\.1"),
    ],
)
def test_impossible_states_are_refused(state, message):
    check_refused(machine(4), state, message)
