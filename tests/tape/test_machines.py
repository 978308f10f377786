"""Tapes of the shipped ROM on the real machines: one world on all of them, and a fault in one named exactly."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrosim.machine import Machine, NativeMachine, open_machine
from retrosim.rom import load_rom
from retrosim.tape import (
    Player,
    Recorder,
    Tape,
    exit_status,
    load_tape,
    open_for,
    record_script,
    report_lines,
    verify,
)

FRAMES = 70
SCRIPT = "0 pad=8; 20 pad=0; 40 pad=16; 41 pad=1; 55 pad=22"
PARAMETERS = {"objects": 40, "seed": 11}
PX_BYTES, OBJECT = 8, 3  # size of a motion record; the object that is pushed


class PushedMachine(Machine):
    """Changes one byte of memory after a chosen frame."""

    push_frame, push_symbol = -1, "gMotion"

    def run(self, frames: int | None = None, **limits: int):
        for _ in range(frames):
            result = super().run(frames=1, **limits)
            if self.frame_number - 1 == self.push_frame:
                address = self.address(self.push_symbol) + PX_BYTES * OBJECT + 1
                self.mem[address] ^= 1
        return result


@pytest.fixture(scope="module")
def tapes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("tapes")
    paths = {}
    for name in ("native", "mc68040-25"):
        paths[name] = folder / f"{name}.rtape"
        result = record_script(paths[name], open_machine(name, parameters=PARAMETERS), FRAMES, SCRIPT, hash_every=10)
        assert result.reason == "frames"
    return paths


@pytest.mark.full
def test_one_world_on_every_machine(tapes):
    native, simulated = (load_tape(path) for path in tapes.values())
    assert [(h.frame, h.world) for h in native.hashes] == [(h.frame, h.world) for h in simulated.hashes]
    assert native.inputs == simulated.inputs
    report = verify(tapes.values(), ["native", "mc68040-25"], opener=open_for)
    shown = [[r["world_ok"], r["machine_ok"]] for tape in report["tapes"] for r in tape["results"]]
    assert shown == [[True, True], [True, None], [True, None], [True, True]]
    assert exit_status(report) == 0, report_lines(report)


def test_worlds_agree_after_every_frame(tapes):
    tape = load_tape(tapes["mc68040-25"])
    players = [Player(tape, open_for(tape, name)) for name in ("native", "mc68040-25")]
    for frame in range(FRAMES):
        assert all(player.step() for player in players)
        one, two = (player.machine.world() for player in players)
        assert one.difference(two) is None, f"frame {frame}: {one.difference(two)}"


@pytest.mark.first_case
@pytest.mark.parametrize("frame", [0, 39, 40, 57])
def test_a_pushed_object_is_named(tapes, frame):
    def opener(tape: Tape, name: str) -> Machine | NativeMachine:
        if name == "native":
            return open_for(tape, name)
        machine = PushedMachine(name, load_rom(tape.scenario), build=tape.header["machines"][name]["build"])
        machine.push_frame = frame
        return machine

    report = verify([tapes["mc68040-25"]], ["mc68040-25"], opener=opener)
    result = report["tapes"][0]["results"][0]
    assert (result["world_ok"], result["exact"]) == (False, True), report_lines(report)
    assert (result["first_bad_frame"], result["field"], result["index"]) == (frame, "px", OBJECT)
    assert (result["expected"] ^ result["found"], result["trusted"]) == (1, "native")
    assert exit_status(report) == 3


def test_a_byte_outside_the_world_is_found_beside_a_second_machine(tapes):
    def opener(tape: Tape, name: str) -> Machine:
        machine = PushedMachine(name, load_rom(tape.scenario), build=tape.header["machines"][name]["build"])
        machine.push_frame, machine.push_symbol = 33, "_start"  # code that is not executed again
        return machine

    report = verify([tapes["mc68040-25"]], ["mc68040-25"], opener=opener, reference=open_for)
    result = report["tapes"][0]["results"][0]
    start = open_for(load_tape(tapes["mc68040-25"]), "mc68040-25").address("_start")
    assert (result["world_ok"], result["machine_ok"], result["first_bad_frame"]) == (True, False, 33)
    assert (result["field"], result["index"]) == ("memory", start + PX_BYTES * OBJECT + 1)


@pytest.mark.parametrize("name", ["native", "mc68040-25"])
def test_a_tape_from_a_saved_state_plays_on(tmp_path, name):
    machine = open_machine(name, parameters=PARAMETERS)
    machine.run(frames=25)
    with Recorder(tmp_path / "a.rtape", machine, from_state=True, inputs={"pad": 2}) as recorder:
        recorder.run(40)
    report = verify([tmp_path / "a.rtape"], [name])
    result = report["tapes"][0]["results"][0]
    assert (result["world_ok"], result["machine_ok"], result["compared"]) == (True, True, 2), report_lines(report)


@pytest.mark.parametrize("name", ["native", "mc68040-25"])
def test_a_tape_begun_later_with_its_history_plays_everywhere(tmp_path, name):
    machine = open_machine(name, parameters=PARAMETERS)
    machine.set_input("pad", 9)
    machine.run(frames=25)
    with Recorder(tmp_path / "a.rtape", machine, history=[(0, {"pad": 9})], inputs={"pad": 16}) as recorder:
        recorder.run(10)
    report = verify([tmp_path / "a.rtape"], ["native", "mc68040-25"])
    assert [result["world_ok"] for result in report["tapes"][0]["results"]] == [True, True], report_lines(report)


def test_another_build_shows_the_same_world(tapes):
    tape = load_tape(tapes["mc68040-25"])
    recorded = tape.header["machines"]["mc68040-25"]["build"]
    other = next(image.build for image in load_rom("sectors").images if image.build != recorded)
    player = Player(tape, open_machine("mc68040-25", build=other))
    assert player.run()
    assert (player.world_ok, player.machine_ok) == (True, None)
    assert player.machine_reason == f"recorded with ROM build '{recorded}', this is '{other}'"


def test_golden_tape_of_the_shipped_rom_plays_for_ever():
    tape = load_tape(Path(__file__).parent / "golden-1.0-sectors.rtape")
    player = Player(tape, open_for(tape, "native"))
    assert player.run()
    assert (player.world_ok, player.compared, tape.frames) == (True, 6, 300), player.world_mismatch
