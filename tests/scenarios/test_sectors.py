"""The native machine against the plain-Python demo: world and picture, frame by frame; states; refusals."""

import hashlib
import itertools
import struct

import numpy as np
import pytest

from retrosim.errors import StateError
from retrosim.machine import NativeMachine
from retrosim.machine.world import World
from retrosim.scenarios import SCENARIOS
from tests.helpers.scenarios.sectors_rules import Demo

LEFT, RIGHT, UP, DOWN, FIRE = 1, 2, 4, 8, 16
PADS = [
    0,
    0,
    FIRE,
    FIRE,
    FIRE | LEFT,
    LEFT,
    RIGHT,
    UP,
    DOWN,
    LEFT | RIGHT,
    UP | DOWN,
    RIGHT | DOWN,
    0,
    FIRE,
    0,
    FIRE,
    31,
    31,
]


def machine(objects=200, seed=1994, rom="sectors"):
    return NativeMachine(rom, parameters={"objects": objects, "seed": seed})


@pytest.mark.without_jit
@pytest.mark.parametrize("objects, seed", [(1, 0), (37, 2**32 - 1), (200, 1994)])
def test_frames_are_those_of_the_reference(objects, seed):
    """Every input edge: held, pressed again, opposite directions together, all at once."""
    ours, demo = machine(objects, seed), Demo(objects, seed)
    screen = np.frombuffer(demo.screen, np.uint8).reshape(480, 640)
    for number, pad in enumerate(PADS):
        ours.set_input("pad", pad)
        ours.run(frames=1)
        demo.step(pad)
        assert ours.world().difference(World(demo.columns())) is None, number
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


def test_nothing_has_run_at_power_on():
    ours = machine()
    assert ours.frame_number == 0
    assert not ours.frame.any()
    assert ours.world() == World(
        {"count": [0], "frame": [0], "random": [0], "pad_before": [0]}
        | {name: [] for name in ("px", "py", "vx", "vy", "collided")}
    )
    assert ours.run(frames=0).frames == 0
    assert ours.frame_number == 0


def test_attributes_of_a_machine_without_a_cpu():
    ours = machine(10)
    result = ours.run(frames=7)
    assert (result.reason, result.frames, result.cycles, result.instructions, result.pc) == ("frames", 7, 0, 0, 0)
    assert result.fault is None
    assert (ours.name, ours.frame_number, ours.cycles, ours.clock_hz) == ("native", 7, 0, 0)
    assert float(ours.tick_hz) == pytest.approx(60.147, abs=0.001)
    assert ours.palette.shape == (256, 3) and ours.palette[0].tolist() == [255] * 3
    assert ours.palette[255].tolist() == [0] * 3
    assert (ours.frame.shape, ours.frame.dtype) == ((480, 640), np.uint8)


def test_frame_is_a_live_view_that_cannot_be_written():
    ours = machine(10)
    picture = ours.frame
    ours.run(frames=1)
    assert set(np.unique(picture)) == {0, 255}
    with pytest.raises(ValueError):
        picture[0, 0] = 1
    with pytest.raises(ValueError):
        ours.palette[0, 0] = 1


def test_instances_share_nothing():
    first, second = machine(20, 1), machine(20, 1)
    second.run(frames=50)
    first.run(frames=50)
    assert first.save() == second.save()
    first.run(frames=1)
    assert second.frame_number == 50 and first.hash() != second.hash()


def test_one_call_is_many_calls():
    """Also across the stretches in which compiled code runs."""
    one, many = machine(3, 8), machine(3, 8)
    one.run(frames=40_000)
    for frames in (1, 16_383, 16_384, 7_232):
        many.run(frames=frames)
    assert one.save() == many.save()
    assert np.array_equal(one.frame, many.frame)


def test_reset_is_power_on_with_the_present_parameters():
    ours = machine(20, 1)
    ours.set_input("pad", LEFT)
    ours.run(frames=10)
    ours.reset()
    assert ours.save() == machine(20, 1).save()
    assert not ours.frame.any()
    ours.parameters.update(objects=30, seed=2)
    ours.run(frames=1)
    assert len(ours.world().columns["px"]) == 20
    ours.reset()
    assert ours.save() == machine(30, 2).save()
    ours.parameters["objects"] = 0
    with pytest.raises(ValueError, match=r"objects 0: allowed 1\.\.200"):
        ours.reset()


@pytest.mark.parametrize("before", [0, 1, 30])
def test_save_and_load_are_invisible(before):
    straight, broken, other = machine(40, 6), machine(40, 6), machine(7, 7)
    other.run(frames=3)
    for each in (straight, broken):
        each.set_input("pad", RIGHT)
        each.run(frames=before)
        each.set_input("pad", FIRE)
    state = broken.save()
    other.load(state)
    assert other.save() == state
    assert other.parameters == {"objects": 40, "seed": 6}
    assert np.array_equal(other.frame, straight.frame)
    for each in (straight, other):
        each.run(frames=20)
    assert other.save() == straight.save()
    assert other.hash("machine") == straight.hash("machine")
    assert np.array_equal(other.frame, straight.frame)
    other.reset()
    assert other.save() == machine(40, 6).save()


def test_machine_hash_sees_what_the_world_hash_does_not():
    ours, others = machine(5), machine(5)
    ours.run(frames=2)
    others.run(frames=2)
    assert ours.hash("machine") == others.hash("machine")
    others.set_input("pad", UP)
    assert ours.hash() == others.hash()
    assert ours.hash("machine") != others.hash("machine")
    with pytest.raises(ValueError, match="hash 'cycles': allowed world, machine"):
        ours.hash("cycles")


def saved(objects=3, frames=2):
    ours = machine(objects)
    ours.run(frames=frames)
    return ours.save()


def test_any_damage_is_noticed():
    ours, state = machine(4), saved()
    before = ours.save()
    for length in range(len(state)):
        with pytest.raises(StateError):
            ours.load(state[:length])
    with pytest.raises(StateError):
        ours.load(state + b"\0")
    for place, bit in itertools.product(range(len(state)), range(8)):
        damaged = bytearray(state)
        damaged[place] ^= 1 << bit
        with pytest.raises(StateError):
            ours.load(bytes(damaged))
    assert ours.save() == before


HEADER = struct.Struct("<8sHHIQIII")


def forged(objects=1, version=1, pad=0, pad_before=0, motion=(0, 0, 0, 0), collided=0):
    body = HEADER.pack(b"RSNATIVE", version, objects, 5, 1, pad, 9, pad_before)
    body += struct.pack("<4h", *motion) * objects + bytes([collided]) * objects
    return body + hashlib.blake2b(body, digest_size=8).digest()


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
        (b"RSMACHIN" + bytes(100), "not of the native machine"),
        (b"RSNATIVE", "8 bytes long, its header alone has 36"),
        (forged(version=2), "version 2, this program reads version 1"),
        (forged(objects=0), r"objects 0: allowed 1\.\.200"),
        (forged(objects=201), r"objects 201: allowed 1\.\.200"),
        (forged(pad=32), r"pad 32: allowed 0\.\.31"),
        (forged(pad_before=2**32 - 1), r"pad of the frame before 4294967295: allowed 0\.\.31"),
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
    ours = machine(4)
    ours.run(frames=1)
    before = ours.save()
    with pytest.raises(StateError, match=message):
        ours.load(state)
    assert ours.save() == before


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"objects": 0}, r"objects 0: allowed 1\.\.200"),
        ({"objects": -5}, r"objects -5: allowed 1\.\.200"),
        ({"objects": 201}, r"objects 201: allowed 1\.\.200"),
        ({"objects": 2.5}, r"objects 2\.5: allowed 1\.\.200, a whole number"),
        ({"objects": True}, "objects True"),
        ({"seed": -1}, r"seed -1: allowed 0\.\.4294967295"),
        ({"seed": 2**32}, r"seed 4294967296: allowed 0\.\.4294967295"),
        ({"size": 3}, "parameter 'size': allowed objects, seed"),
    ],
)
def test_wrong_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        NativeMachine(parameters=parameters)


def test_wrong_rom_input_and_limits():
    with pytest.raises(ValueError, match=f"rom 'masks': allowed {', '.join(SCENARIOS)}"):
        machine(rom="masks")
    assert machine().rom.name == "sectors"
    ours = machine(2)
    with pytest.raises(ValueError, match="device 'mouse': allowed pad"):
        ours.set_input("mouse", 0)
    for value in (-1, 32):
        with pytest.raises(ValueError, match=rf"pad {value}: allowed 0\.\.31"):
            ours.set_input("pad", value)
    for limits, message in (
        ({}, "frames None"),
        ({"frames": -1}, "frames -1: allowed 0 or more"),
        ({"frames": 1.5}, "frames 1.5"),
        ({"cycles": 100}, "cycles 100: allowed None"),
        ({"frames": 1, "instructions": 5}, "instructions 5: allowed None"),
        ({"until": "DetermineCollisions"}, "until 'DetermineCollisions': allowed None"),
    ):
        with pytest.raises(ValueError, match=message):
            ours.run(**limits)
    assert ours.frame_number == 0
