from types import SimpleNamespace

import pytest

from retrosim.tape.records import Comment, Hash, Input
from retrosim.window.reel import Reel
from tests.helpers.window.fake_machine import FakeMachine

PADS = {0: 0, 3: 1, 7: 5}


def recorded(frames=12, every=4):
    """Return the records of a run with PADS, as a tape holds them."""
    machine, records = FakeMachine(), [Comment(0, "made by hand")]
    for frame in range(frames):
        if frame in PADS:
            machine.set_input("pad", PADS[frame])
            records.append(Input(frame, {"pad": PADS[frame]}))
        machine.run(frames=1)
        if (frame + 1) % every == 0:
            own = {machine.name: (machine.hash("machine"), machine.cycles)}
            records.append(Hash(frame, machine.hash("world"), own))
    return records


def reel(records, frames=12, reason=""):
    return Reel(SimpleNamespace(tape=SimpleNamespace(frames=frames, records=records), machine_reason=reason))


def replayed(tape, machine):
    """Play to the end; return what the comparisons said."""
    said = []
    while (inputs := tape.inputs(machine.frame_number)) is not None:
        for device, value in inputs.items():
            machine.set_input(device, value)
        machine.run(frames=1)
        said.append(tape.check(machine))
    return said


def test_a_tape_replays_to_itself_and_again_from_any_place():
    tape, machine = reel(recorded()), FakeMachine()
    states = {}
    for frame in range(12):
        states[frame] = machine.save()
        machine.set_input("pad", tape.inputs(frame)["pad"])
        machine.run(frames=1)
        assert tape.check(machine) is None
    assert tape.inputs(12) is None
    machine.load(states[5])
    assert replayed(tape, machine) == [None] * 7


def test_inputs_hold_until_the_next_line():
    assert [reel(recorded()).inputs(frame)["pad"] for frame in range(12)] == [0] * 3 + [1] * 4 + [5] * 5


def test_another_world_is_named_with_its_frame():
    said = replayed(reel(recorded()), FakeMachine(seed=7))
    assert [line is not None for line in said] == [frame % 4 == 3 for frame in range(12)]
    assert said[3].startswith("after frame 3 the world is ")


@pytest.mark.parametrize("reason, differs", [("", True), ("another timing revision", False)])
def test_another_timing_counts_only_where_it_is_compared(reason, differs):
    said = replayed(reel(recorded(), reason=reason), FakeMachine(steps=5))
    assert (said[3] is not None) == differs
    if differs:
        assert said[3].startswith("after frame 3 the machine is ")
