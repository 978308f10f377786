"""Replaying: the same frames again, honest about what was compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from retrosim.errors import StateError, TapeDiverged, TapeError
from retrosim.tape import Input, Player, Recorder, Tape, load_tape, record_script
from tests.helpers.tape.drift_machine import FakeImage, FakeMachine, FakeParameter, FakeRom, Wrong, play_by_hand

SCRIPT = "0 pad=3; 7 pad=8; 60 pad=0; 61 pad=31; 119 pad=1"
PADS = [3] * 7 + [8] * 53 + [0] + [31] * 58 + [1] * 31


@pytest.fixture
def tape(tmp_path: Path) -> Tape:
    record_script(tmp_path / "a.rtape", FakeMachine(), len(PADS), SCRIPT)
    return load_tape(tmp_path / "a.rtape")


def other_rom(**changes: object) -> FakeRom:
    return replace(FakeRom(), **changes)


def test_replay_reaches_the_recorded_states(tape):
    machine, seen = FakeMachine(), []
    player = Player(tape, machine)
    assert player.run(on_progress=lambda frame, frames: seen.append((frame, frames)))
    assert player.is_finished
    assert (player.world_ok, player.machine_ok) == (True, True)
    assert (player.compared, player.machine_compared) == (3, 3)
    assert machine.hash("machine") == play_by_hand(FakeMachine(), PADS)[-1][1]
    assert seen[-1] == (150, 150) and [frame for frame, _ in seen] == sorted({frame for frame, _ in seen})
    player.check()


def test_every_frame_of_a_replay_is_the_recorded_one(tape):
    by_hand = play_by_hand(FakeMachine(), PADS)
    machine = FakeMachine()
    player = Player(tape, machine)
    for frame, (world, machine_hash, cycles) in enumerate(by_hand):
        assert player.frame == frame
        assert player.step()
        assert (machine.hash("world"), machine.hash("machine"), machine.cycles) == (world, machine_hash, cycles)
    assert not player.step() and player.frame == 150
    assert (player.world_ok, player.compared) == (True, 3)


@pytest.mark.parametrize("stops", [[1], [7, 8], [60], [59, 60, 61], [119, 120], [0, 150], [500]])
def test_stopping_and_going_on_changes_nothing(tape, stops):
    player = Player(tape, FakeMachine())
    for stop in stops:
        assert player.run(stop)
        assert player.frame == min(stop, 150)
    assert player.run()
    assert (player.world_ok, player.machine_ok, player.compared) == (True, True, 3)


def test_parameters_and_seed_of_the_tape_are_applied(tmp_path):
    recorded = FakeMachine()
    recorded.parameters.update(objects=3, seed=77)
    record_script(tmp_path / "a.rtape", recorded, 30)
    tape = load_tape(tmp_path / "a.rtape")
    assert (tape.header["parameters"], tape.header["seed"]) == ({"objects": 3}, 77)
    machine = FakeMachine()
    play_by_hand(machine, [9, 9, 9])
    player = Player(tape, machine)
    assert machine.parameters == {"objects": 3, "seed": 77}
    assert player.run() and player.machine_ok


@pytest.mark.parametrize("wrong", [0, 1, 58, 59, 60, 119, 120, 149])
def test_a_world_that_differs_stops_the_replay_at_the_next_hash_line(tape, wrong):
    player = Player(tape, FakeMachine(wrong=Wrong(wrong, "px", 2)))
    line = next(frame for frame in (59, 119, 149) if frame >= wrong)
    assert player.run() == (line == 149)
    assert (player.frame, player.world_ok) == (line + 1, False)
    assert (player.world_mismatch.frame, player.world_mismatch.good) == (line, line - 60 if line < 149 else 119)
    with pytest.raises(
        TapeDiverged, match=f"a.rtape: diverged on fake-25: world .* after frame {line}, the tape has"
    ) as caught:
        player.check()
    assert caught.value.exit_status == 3
    player.run(keep_on=True)
    assert player.is_finished and player.world_mismatch.frame == line


@pytest.mark.parametrize(("what", "shown"), [("d1", "machine"), ("memory", "machine"), ("cycles", "machine")])
def test_a_machine_that_differs_does_not_stop_the_replay(tape, what, shown):
    player = Player(tape, FakeMachine(wrong=Wrong(70, what)))
    assert player.run()
    assert (player.world_ok, player.machine_ok) == (True, False)
    assert (player.machine_mismatch.frame, player.machine_mismatch.good) == (119, 59)
    assert player.machine_mismatch.what == shown
    with pytest.raises(TapeDiverged):
        player.check()


def test_cycles_are_compared_beside_the_machine_hash(tape):
    records = [
        replace(r, machines={"fake-25": (r.machines["fake-25"][0], 1)}) if r in tape.hashes else r for r in tape.records
    ]
    player = Player(replace(tape, records=tuple(records)), FakeMachine())
    assert player.run()
    assert (player.world_ok, player.machine_ok) == (True, False)
    assert (
        str(player.machine_mismatch) == f"cycles {sum(1000 + pad for pad in PADS[:60])} after frame 59, the tape has 1"
    )


def test_a_program_that_fails_diverges(tape):
    player = Player(tape, FakeMachine(wrong=Wrong(100, "fault")))
    assert not player.run()
    assert (player.frame, player.is_finished, player.world_ok) == (100, True, False)
    assert "stopped in frame 100 (fault: FAKE: illegal instruction at 001234: 4a fc)" in player.stop_reason
    assert not player.step()
    with pytest.raises(TapeDiverged, match="stopped in frame 100"):
        player.check()


def test_an_interrupted_tape_plays_to_its_last_record(tape):
    short = replace(tape, records=tuple(r for r in tape.records if r in tape.inputs), torn="line 9 is torn")
    player = Player(short, FakeMachine())
    assert player.run()
    assert (player.frame, player.world_ok, player.machine_ok) == (120, None, None)
    player.check()


@pytest.mark.parametrize(
    ("rom", "words"),
    [
        (other_rom(name="other"), "recorded with ROM 'drift', this machine runs 'other'"),
        (other_rom(images=(FakeImage(sha256="9" * 64),)), "other fake images of ROM 'drift' than 9999999999999999"),
    ],
)
def test_another_rom_is_refused_unless_forced(tape, rom, words):
    with pytest.raises(TapeError, match="it can only be replayed unverified") as caught:
        Player(tape, FakeMachine(rom=rom))
    assert words in str(caught.value)
    assert caught.value.exit_status == 4
    player = Player(tape, FakeMachine(rom=rom), force=True)
    assert player.run()
    assert (player.is_verified, player.world_ok, player.machine_ok) == (False, True, None)
    assert words in player.note and player.machine_reason == "another ROM image"


def test_other_machines_and_builds_compare_worlds_only(tape):
    other_isa = other_rom(images=(FakeImage(isa="other", sha256="9" * 64),))
    changes = {"recorded with ROM build 'O1', this is 'O2'": FakeMachine(build=1)}
    changes["the tape has machine hashes of fake-25 only"] = FakeMachine("other-33", rom=other_isa)
    for attribute, value, words in [
        ("spec_revision", "2", "recorded with spec revision 'fake-spec-1', this is '2'"),
        ("timing_revision", "2", "recorded with timing revision 'fake-timing-1', this is '2'"),
        ("clock_hz", 33_000_000, "recorded with clock [25000000, 1], this is [33000000, 1]"),
        ("tick_hz", 60, "recorded with tick rate [60147, 1000], this is [60, 1]"),
    ]:
        machine = FakeMachine()
        setattr(machine, attribute, value)
        changes[words] = machine
    for words, machine in changes.items():
        player = Player(tape, machine)
        assert player.run()
        assert (player.is_verified, player.world_ok, player.machine_ok) == (True, True, None)
        assert player.machine_reason == words


def test_settings_are_compared(tmp_path):
    record_script(tmp_path / "a.rtape", FakeMachine(), 10, sync={"timing": "none"})
    tape = load_tape(tmp_path / "a.rtape")
    assert Player(tape, FakeMachine(), sync={"timing": "none"}).machine_reason == ""
    assert "recorded with settings {'timing': 'none'}" in Player(tape, FakeMachine()).machine_reason


def test_what_the_rom_cannot_take_is_refused(tape):
    for rom, words in [
        (other_rom(parameters={"objects": FakeParameter(1, 200)}), "has no parameter 'seed'"),
        (
            other_rom(parameters={"objects": FakeParameter(1, 4), "seed": FakeParameter(0, 9999)}),
            "objects is 5, allowed 1..4",
        ),
        (other_rom(inputs=("stick",)), "has no device 'pad'"),
    ]:
        with pytest.raises(TapeError, match=words):
            Player(tape, FakeMachine(rom=rom))
    harness = FakeMachine()
    harness.mode = "harness"
    with pytest.raises(ValueError, match="in mode 'harness'"):
        Player(tape, harness)
    records = (Input(0, {"pad": 32}), *tape.records[1:])
    with pytest.raises(TapeError, match="inputs of frame 0: pad 32"):
        Player(replace(tape, records=records), FakeMachine()).run()


def test_saved_states_are_checked(tmp_path):
    machine = FakeMachine()
    play_by_hand(machine, [5] * 33)
    path = tmp_path / "a.rtape"
    with Recorder(path, machine, from_state=True) as recorder:
        recorder.run(30)
    tape, state = load_tape(path), tmp_path / "a.rtape.state"
    assert Player(tape, FakeMachine()).run()
    with pytest.raises(StateError):
        Player(tape, FakeMachine("native"))
    good = state.read_bytes()
    state.write_bytes(good[:-1])
    with pytest.raises(TapeError, match="is not the saved state"):
        Player(tape, FakeMachine())
    state.unlink()
    with pytest.raises(TapeError, match="cannot be read: No such file"):
        Player(tape, FakeMachine())
    state.write_bytes(good)
    later = replace(tape, header=tape.header | {"start": tape.header["start"] | {"frame": 34}})
    with pytest.raises(TapeError, match="starts at frame 34, the machine at 33"):
        Player(later, FakeMachine())


def play_as_the_window_does(player: Player, to: int) -> None:
    """Run frame by frame outside of the player, with its inputs and its comparison."""
    machine = player.machine
    while machine.frame_number < to:
        for device, value in player.inputs(machine.frame_number).items():
            machine.set_input(device, value)
        machine.run(frames=1)
        player.compare()


def test_inputs_of_any_frame(tape):
    player = Player(tape, FakeMachine())
    assert [player.inputs(frame)["pad"] for frame in range(150)] == PADS
    assert player.inputs(150) is None


def test_another_program_may_run_the_machine_and_take_it_back(tape):
    machine = FakeMachine()
    player = Player(tape, machine)
    play_as_the_window_does(player, 40)
    state = machine.save()
    play_as_the_window_does(player, 130)
    machine.load(state)
    player.rewound()
    play_as_the_window_does(player, 150)
    assert (player.world_ok, player.machine_ok) == (True, True)
    assert (player.compared, player.machine_compared) == (3, 3), "a line that is compared again counts once"
    assert machine.hash("machine") == play_by_hand(FakeMachine(), PADS)[-1][1]


@pytest.mark.parametrize("what", ["px", "cycles"])
def test_rewinding_forgets_the_mismatches_of_later_frames_only(tape, what):
    machine = FakeMachine(wrong=Wrong(70, what))
    player = Player(tape, machine)
    states = {}
    for frame in (65, 130):
        play_as_the_window_does(player, frame)
        states[frame] = machine.save()
    assert player.mismatch.frame == 119
    player.rewound()
    assert player.mismatch.frame == 119, "the machine has executed that frame"
    machine.load(states[65])
    player.rewound()
    assert player.mismatch is None
    play_as_the_window_does(player, 130)
    assert player.mismatch.frame == 119 and player.mismatch.good == 59
    with pytest.raises(TapeDiverged, match="after frame 119"):
        player.check()


def test_a_restart_plays_the_tape_again_from_its_beginning(tape):
    machine = FakeMachine(wrong=Wrong(70, "px"))
    player = Player(tape, machine)
    assert not player.run() and player.world_ok is False
    machine.wrong = None
    player.restart()
    assert (player.frame, player.world_ok, player.compared) == (0, None, 0)
    assert player.run() and player.world_ok


def test_a_restart_loads_the_saved_state_again(tmp_path):
    machine = FakeMachine()
    play_by_hand(machine, [5] * 33)
    with Recorder(tmp_path / "a.rtape", machine, from_state=True) as recorder:
        recorder.run(30)
    player = Player(load_tape(tmp_path / "a.rtape"), FakeMachine())
    assert player.run()
    player.restart()
    assert player.frame == 33 and player.run() and player.world_ok
