"""Recording: which frame gets which input and hash, nothing lost, nothing overwritten."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from retrosim.errors import TapeError
from retrosim.tape import (
    Comment,
    End,
    Hash,
    Input,
    Player,
    Recorder,
    load_tape,
    numbered_path,
    parse_script,
    record_script,
)
from tests.helpers.tape.drift_machine import PAD_ADDRESS, FakeMachine, FakeRom, Wrong, play_by_hand

PADS = [8, 8, 0, 0, 0, 16, 1, 1, 1, 1, 4, 4]


def record_pads(path: Path, pads: list[int], machine: FakeMachine | None = None, **options: object) -> FakeMachine:
    """Record one frame per pad value through the hooks of the window."""
    machine = machine or FakeMachine()
    with Recorder(path, machine, **options) as recorder:
        for pad in pads:
            recorder.set_input("pad", pad)
            machine.run(frames=1)
            recorder.on_frame()
    return machine


def test_inputs_are_recorded_on_the_frames_that_execute_them(tmp_path):
    record_pads(tmp_path / "a.rtape", PADS)
    tape = load_tape(tmp_path / "a.rtape")
    shown = [(record.frame, record.states["pad"]) for record in tape.inputs]
    assert shown == [(0, 8), (2, 0), (5, 16), (6, 1), (10, 4)]
    assert tape.frames == len(PADS)


def test_input_of_frame_0_is_recorded_even_when_nothing_is_pressed(tmp_path):
    record_pads(tmp_path / "a.rtape", [0, 0])
    assert load_tape(tmp_path / "a.rtape").inputs == [Input(0, {"pad": 0})]


@pytest.mark.parametrize("every", [1, 2, 5, 11, 12, 13, 60])
def test_hash_of_frame_f_is_the_state_after_f_and_before_the_inputs_of_f_plus_1(tmp_path, every):
    by_hand = play_by_hand(FakeMachine(), PADS)
    record_pads(tmp_path / "a.rtape", PADS, hash_every=every)
    tape = load_tape(tmp_path / "a.rtape")
    expected = sorted({*range(every - 1, len(PADS), every), len(PADS) - 1})
    assert [record.frame for record in tape.hashes] == expected
    for record_ in tape.hashes:
        world, machine, cycles = by_hand[record_.frame]
        assert record_ == Hash(record_.frame, world, {"fake-25": (machine, cycles)})
    assert tape.records[-1] == End(len(PADS), by_hand[-1][0])


def test_closing_after_the_next_input_was_set_still_hashes_the_frame_before_it(tmp_path):
    by_hand = play_by_hand(FakeMachine(), [3, 3])
    machine = FakeMachine()
    recorder = Recorder(tmp_path / "a.rtape", machine)
    recorder.set_input("pad", 3)
    machine.run(frames=2)
    recorder.on_frame()
    recorder.set_input("pad", 31)
    recorder.close()
    assert load_tape(tmp_path / "a.rtape").hashes == [Hash(1, by_hand[1][0], {"fake-25": by_hand[1][1:]})]
    assert play_by_hand(machine, [31]) == play_by_hand_after([3, 3], 31)  # and 31 is still pressed


def play_by_hand_after(pads: list[int], pad: int) -> list[tuple[str, str, int]]:
    return play_by_hand(FakeMachine(), [*pads, pad])[-1:]


def test_changes_between_two_frames_leave_only_the_last_one(tmp_path):
    machine = FakeMachine()
    with Recorder(tmp_path / "a.rtape", machine) as recorder:
        for values in ([1, 2, 4], [8, 4], [4, 16]):
            for value in values:
                recorder.set_input("pad", value)
            machine.run(frames=1)
            recorder.on_frame()
    assert load_tape(tmp_path / "a.rtape").inputs == [Input(0, {"pad": 4}), Input(2, {"pad": 16})]


def test_a_forgotten_on_frame_is_made_up_by_the_next_input(tmp_path):
    machine = FakeMachine()
    with Recorder(tmp_path / "a.rtape", machine, hash_every=2) as recorder:
        machine.run(frames=3)
        recorder.set_input("pad", 1)
        machine.run(frames=3)
        recorder.set_input("pad", 2)
    tape = load_tape(tmp_path / "a.rtape")
    assert tape.inputs == [Input(0, {"pad": 0}), Input(3, {"pad": 1})]
    player = Player(tape, FakeMachine())
    assert player.run()
    assert (player.world_ok, player.machine_ok) == (True, True)


@pytest.mark.parametrize("every", [1, 7, 60, 1000])
def test_scripted_recordings_are_equal_files_and_equal_to_those_of_the_window(tmp_path, every):
    script = "0 pad=8; 2 pad=0\n5 pad=16;6 pad=0x1 ; 10 pad=4"
    for name in ("a", "b"):
        result = record_script(tmp_path / f"{name}.rtape", FakeMachine(), len(PADS), script, hash_every=every)
        assert result.reason == "frames"
    record_pads(tmp_path / "c.rtape", PADS, hash_every=every)
    assert (tmp_path / "a.rtape").read_bytes() == (tmp_path / "b.rtape").read_bytes()
    assert (tmp_path / "a.rtape").read_bytes() == (tmp_path / "c.rtape").read_bytes()


def test_scripted_recording_runs_in_long_stretches_and_reports_progress(tmp_path):
    machine, seen = FakeMachine(), []
    record_script(tmp_path / "a.rtape", machine, 150, "0 pad=1; 100 pad=2", on_progress=seen.append)
    assert machine.runs[:6] == [1, 2, 4, 8, 16, 29] and sum(machine.runs) == 150  # up to a hash line at 60
    assert {60, 100, 120, 150} <= set(seen)


def test_a_script_ends_where_the_program_does(tmp_path):
    """Steps after it set nothing, and run nothing."""
    machine = FakeMachine(wrong=Wrong(5, "fault"))
    assert record_script(tmp_path / "a.rtape", machine, 20, "0 pad=1; 10 pad=2; 15 pad=3").reason == "fault"
    tape = load_tape(tmp_path / "a.rtape")
    assert machine.frame_number == 5 and tape.inputs == [Input(0, {"pad": 1})]
    assert machine.mem[PAD_ADDRESS] == 1 and machine.runs == [1, 2, 4], "nothing is run again"


def test_a_used_machine_is_reset_first(tmp_path):
    machine = FakeMachine()
    play_by_hand(machine, [31, 31, 31])
    record_script(tmp_path / "a.rtape", machine, 5)
    record_script(tmp_path / "b.rtape", FakeMachine(), 5)
    assert (tmp_path / "a.rtape").read_bytes() == (tmp_path / "b.rtape").read_bytes()


def test_a_machine_inside_its_first_frame_is_reset(tmp_path):
    machine = FakeMachine()
    machine.cycles, machine.regs["d1"] = 500, 7
    with Recorder(tmp_path / "a.rtape", machine) as recorder:
        recorder.run(5)
    player = Player(load_tape(tmp_path / "a.rtape"), FakeMachine())
    assert player.run() and player.machine_ok


@pytest.mark.parametrize(
    ("frames", "script", "words"),
    [
        (0, "", "frames is 0, allowed 1 or more"),
        (-3, "", "frames is -3"),
        (10, "10 pad=1", "input step of frame 10 is not in the recorded frames 0..9"),
        (10, "0 stick=1", "stick"),
        (10, "0 pad=32", "0..31"),
        (10, "pad=1", "'pad=1' is not a frame number"),
        (10, "0", "'0' is not a frame number"),
        (10, "0 pad", "'pad' is not one device=value"),
        (10, "0 pad=-1", "'pad=-1' is not one"),
        (10, "0 pad=1 pad=2", "'pad=2' is not one"),
        (10, "5 pad=1; 5 pad=2", "frame 5 does not come after frame 5"),
        (10, "5 pad=1; 4 pad=2", "frame 4 does not come after frame 5"),
        (10, "-1 pad=1", "not a frame number"),
    ],
)
def test_bad_scripts_leave_no_file(tmp_path, frames, script, words):
    with pytest.raises(ValueError) as caught:
        record_script(tmp_path / "a.rtape", FakeMachine(), frames, script)
    assert words in str(caught.value)
    assert os.listdir(tmp_path) == []


def test_script_grammar():
    assert parse_script("") == parse_script(" ;\n; ") == []
    assert parse_script("0 pad=8; 60 pad=0x10 stick=3") == [(0, {"pad": 8}), (60, {"pad": 16, "stick": 3})]


def test_nothing_is_overwritten(tmp_path):
    path = tmp_path / "a.rtape"
    record_pads(path, PADS)
    before = path.read_bytes()
    for again in (path, tmp_path / "link.rtape"):
        if again != path:
            again.symlink_to(path)
        with pytest.raises(TapeError, match="never overwrites"):
            Recorder(again, FakeMachine())
    assert path.read_bytes() == before
    with pytest.raises(TapeError, match="cannot be created"):
        Recorder(tmp_path / "missing" / "a.rtape", FakeMachine())


def test_numbered_names(tmp_path):
    assert numbered_path(tmp_path, "sectors").name == "sectors-001.rtape"
    record_pads(numbered_path(tmp_path, "sectors"), PADS)
    (tmp_path / "sectors-002.rtape").symlink_to("nowhere")
    assert numbered_path(tmp_path, "sectors").name == "sectors-003.rtape"
    assert numbered_path(tmp_path, "other").name == "other-001.rtape"
    for stem in ("", "../up", "a/b", ".hidden"):
        with pytest.raises(ValueError, match="plain file name"):
            numbered_path(tmp_path, stem)


def test_inputs_inside_a_frame_wait_for_its_end(tmp_path):
    machine = FakeMachine()
    with Recorder(tmp_path / "a.rtape", machine) as recorder:
        recorder.run(3)
        machine.cycles += 500  # as after single instructions
        recorder.set_input("pad", 9)
        assert machine.mem[PAD_ADDRESS] == 0
        machine.cycles -= 500
        recorder.run(1)
        assert machine.mem[PAD_ADDRESS] == 9
        recorder.run(1)
    tape = load_tape(tmp_path / "a.rtape")
    assert tape.inputs == [Input(0, {"pad": 0}), Input(4, {"pad": 9})]
    player = Player(tape, FakeMachine())
    assert player.run() and player.machine_ok


def test_an_input_still_waiting_reaches_the_machine_at_the_end(tmp_path):
    machine = FakeMachine()
    with Recorder(tmp_path / "a.rtape", machine) as recorder:
        recorder.run(3)
        machine.cycles += 500
        recorder.set_input("pad", 9)
    assert machine.mem[PAD_ADDRESS] == 9
    assert load_tape(tmp_path / "a.rtape").inputs == [Input(0, {"pad": 0})]


def test_going_back_is_refused(tmp_path):
    machine = FakeMachine()
    recorder = Recorder(tmp_path / "a.rtape", machine)
    recorder.run(5)
    machine.reset()
    with pytest.raises(ValueError, match="went back to frame 0, the tape is at 5"):
        recorder.on_frame()
    recorder.close()
    assert not load_tape(tmp_path / "a.rtape").is_complete


def test_bad_inputs_are_refused_and_change_nothing(tmp_path):
    machine = FakeMachine()
    with Recorder(tmp_path / "a.rtape", machine) as recorder:
        for device, value in [("stick", 1), ("pad", -1), ("pad", 2**32), ("pad", 32)]:
            with pytest.raises(ValueError, match=device):
                recorder.set_input(device, value)
        with pytest.raises(TypeError):
            recorder.set_input("pad", 1.5)
        recorder.run(1)
        with pytest.raises(ValueError, match="frames is 0"):
            recorder.run(0)
    assert load_tape(tmp_path / "a.rtape").inputs == [Input(0, {"pad": 0})]


def test_only_demos_of_roms_with_a_manifest_are_recorded(tmp_path):
    harness, bare = FakeMachine(), FakeMachine()
    harness.mode, bare.rom = "harness", None
    for machine, words in ((harness, "in mode 'harness'"), (bare, "a ROM with a manifest")):
        with pytest.raises(ValueError, match=words):
            Recorder(tmp_path / "a.rtape", machine)
    assert os.listdir(tmp_path) == []


def test_several_devices_and_none(tmp_path):
    machine = FakeMachine(rom=FakeRom(inputs=("pad", "key")))
    with Recorder(tmp_path / "a.rtape", machine, inputs={"key": 3}) as recorder:
        recorder.run(2)
        recorder.set_input("pad", 1)
        recorder.run(1)
    assert load_tape(tmp_path / "a.rtape").inputs == [Input(0, {"pad": 0, "key": 3}), Input(2, {"pad": 1, "key": 3})]
    machine = FakeMachine(rom=FakeRom(inputs=()))
    with Recorder(tmp_path / "b.rtape", machine) as recorder:
        recorder.run(2)
    tape = load_tape(tmp_path / "b.rtape")
    assert (tape.inputs, tape.frames, tape.is_complete) == ([], 2, True)


def test_comments_and_an_empty_recording(tmp_path):
    machine = FakeMachine()
    with Recorder(tmp_path / "a.rtape", machine) as recorder:
        recorder.run(3)
        recorder.comment("it hits the wall")
        with pytest.raises(ValueError, match="comment"):
            recorder.comment("two\nlines")
        recorder.run(1)
    tape = load_tape(tmp_path / "a.rtape")
    assert [entry for entry in tape.records if isinstance(entry, Comment)] == [Comment(3, "it hits the wall")]
    with Recorder(tmp_path / "b.rtape", FakeMachine()):
        pass
    tape = load_tape(tmp_path / "b.rtape")
    assert (tape.frames, tape.records, tape.note) == (0, (End(0, ""),), "")


@pytest.mark.parametrize("start", [1, 2, 59, 60, 61])
def test_recording_can_begin_later_with_the_history_of_inputs(tmp_path, start):
    pads = [(frame // 9) % 32 for frame in range(start + 80)]
    machine = FakeMachine()
    play_by_hand(machine, pads[:start])
    history = [(at, {"pad": pads[at]}) for at in range(start) if at == 0 or pads[at - 1] != pads[at]]
    machine.set_input("pad", pads[start])
    with Recorder(tmp_path / "a.rtape", machine, history=history, inputs={"pad": pads[start]}) as recorder:
        for pad in pads[start:]:
            recorder.set_input("pad", pad)
            machine.run(frames=1)
            recorder.on_frame()
    tape = load_tape(tmp_path / "a.rtape")
    by_hand = play_by_hand(FakeMachine(), pads)
    expected = sorted({start - 1, 59, 119, len(pads) - 1} & set(range(start - 1, len(pads))))
    assert [entry.frame for entry in tape.hashes] == expected
    for entry in tape.hashes:
        world, machine_hash, cycles = by_hand[entry.frame]
        assert entry == Hash(entry.frame, world, {"fake-25": (machine_hash, cycles)})
    assert tape.frames == len(pads)
    record_pads(tmp_path / "b.rtape", pads)
    assert tape.inputs == load_tape(tmp_path / "b.rtape").inputs


def test_history_is_checked(tmp_path):
    machine = FakeMachine()
    machine.run(frames=10)
    with pytest.raises(ValueError, match="at frame 10"):
        Recorder(tmp_path / "a.rtape", machine)
    for history in ([(10, {"pad": 1})], [(-1, {"pad": 1})], [(3, {"pad": 1}), (3, {"pad": 2})], [(0, {"stick": 1})]):
        with pytest.raises(ValueError, match=r"history frame|stick"):
            Recorder(tmp_path / "a.rtape", machine, history=history)
    with pytest.raises(ValueError, match="not both"):
        Recorder(tmp_path / "a.rtape", machine, history=[], from_state=True)
    assert os.listdir(tmp_path) == []
    Recorder(tmp_path / "a.rtape", machine, history=[]).close()
    tape = load_tape(tmp_path / "a.rtape")
    assert (tape.inputs, tape.frames, tape.is_complete) == ([Input(0, {"pad": 0})], 10, True)


def test_recording_from_a_saved_state(tmp_path):
    machine = FakeMachine()
    play_by_hand(machine, [5] * 33)
    with Recorder(tmp_path / "a.rtape", machine, from_state=True, inputs={"pad": 2}) as recorder:
        recorder.run(90)
    tape = load_tape(tmp_path / "a.rtape")
    assert (tape.first_frame, tape.frames) == (33, 123)
    assert [entry.frame for entry in tape.hashes] == [59, 119, 122]
    player = Player(tape, FakeMachine())
    assert player.run()
    assert (player.world_ok, player.machine_ok) == (True, True)
    assert player.machine.hash("machine") == play_by_hand(FakeMachine(), [5] * 33 + [2] * 90)[-1][1]
