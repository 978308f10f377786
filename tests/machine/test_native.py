"""The native machine: what it has of a machine, limits of a run, states that are cut off or damaged, refusals."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from retrosim.errors import StateError
from retrosim.machine import NativeMachine, native
from retrosim.machine.world import World
from retrosim.rom import load_rom
from retrosim.rom.manifest import Parameter
from retrosim.scenarios import SCENARIOS, load_scenario
from tests.helpers.scenarios.native_checks import LEFT, UP


def machine(objects=200, seed=1994, rom="sectors"):
    return NativeMachine(rom, parameters={"objects": objects, "seed": seed})


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


SPEED = Parameter(word=3, default=25, minimum=1, maximum=40)


def with_speed(rom="tunnel"):
    whole = load_rom(rom)
    return replace(whole, parameters=whole.parameters | {"speed": SPEED})


def test_a_parameter_that_kernels_do_not_take_is_refused():
    """Other machines play it, so that the native one would be in another world."""
    message = "parameter 'speed' of tunnel: its native kernels do not take it; allowed objects, seed"
    for parameters in ({}, {"speed": 10}):
        with pytest.raises(ValueError, match=message) as refused:
            NativeMachine(with_speed(), parameters=parameters)
        assert "\n" not in str(refused.value)
    fewer = replace(load_rom("tunnel"), parameters={"objects": load_rom("tunnel").parameters["objects"]})
    with pytest.raises(ValueError, match="parameter 'seed' of tunnel: its native kernels need it"):
        NativeMachine(fewer)


def test_kernels_get_every_parameter_by_name(monkeypatch):
    """Saved states and machine hashes hold it as well."""

    class State(load_scenario("tunnel")):
        takes = ("objects", "seed", "speed")

        def __init__(self, rom, parameters):
            super().__init__(rom, parameters)
            self.speed = parameters["speed"]

    monkeypatch.setattr(native, "load_scenario", lambda name: State)
    slow, fast = (NativeMachine(with_speed(), parameters={"objects": 3, "speed": speed}) for speed in (10, 40))
    assert (slow._scenario.speed, slow.parameters) == (10, {"objects": 3, "seed": 25, "speed": 10})
    assert slow.hash("machine") != fast.hash("machine") and slow.save() != fast.save()
    slow.run(frames=3)
    fast.load(slow.save())
    assert (fast._scenario.speed, fast.parameters) == (10, slow.parameters)
    assert fast.save() == slow.save() and fast.hash("machine") == slow.hash("machine")
    with pytest.raises(ValueError, match=r"speed 41: allowed 1\.\.40"):
        NativeMachine(with_speed(), parameters={"speed": 41})
    monkeypatch.undo()
    with pytest.raises(StateError, match="parameters: allowed objects, seed, all of them"):
        NativeMachine("tunnel").load(slow.save())


@pytest.mark.parametrize(
    "rom, digest",
    [
        ("sectors", "8e4d584256b962e3"),
        ("tunnel", "7a27a4a551cd9353"),
        ("xquest", "bd0ad4561f2dcae3"),
        ("tanks", "9a02b60d16b0f580"),
    ],
)
def test_machine_hashes_of_revision_1(rom, digest):
    """Tapes have them: they cover the same bytes as long as the revision is the same."""
    ours = machine(5, 7, rom)
    ours.set_input("pad", UP)
    ours.run(frames=9)
    assert ours.hash("machine") == digest


def test_the_machine_hash_covers_the_scene():
    ours = NativeMachine("xquest", scene="mirrored-masks")
    ours.run(frames=3)
    assert ours.hash("machine") == "c0bc45822ffcedc5"


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
