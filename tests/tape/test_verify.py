"""Verification: every divergence named by frame and field, and the report scripts rely on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from retrosim.errors import RomError
from retrosim.tape import Recorder, Tape, exit_status, load_tape, record_script, report_lines, shortcoming, verify
from retrosim.tape.divergence import machine_difference
from retrosim.tape.format import write_start
from retrosim.tape.records import Input, write_record
from tests.helpers.tape.drift_machine import FakeImage, FakeMachine, FakeRom, Wrong, play_by_hand

SCRIPT = "0 pad=3; 7 pad=8; 60 pad=0; 61 pad=31; 119 pad=1"


class Makers:
    """Opens fake machines by name, each with the fault that was asked for."""

    def __init__(self, **wrong: Wrong | None) -> None:
        self.wrong = {name.replace("_", "-"): value for name, value in wrong.items()}
        self.opened: list[str] = []

    def __call__(self, tape: Tape, name: str) -> FakeMachine:
        if name not in ("native", "fake-25", "other-33"):
            raise ValueError(f"machine {name!r}: allowed native, fake-25, other-33")
        self.opened.append(name)
        rom = FakeRom(images=(FakeImage(isa="other", sha256="9" * 64),)) if name == "other-33" else FakeRom()
        return FakeMachine(name, rom, wrong=self.wrong.get(name))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    record_script(tmp_path / "a.rtape", FakeMachine(), 150, SCRIPT)
    return tmp_path / "a.rtape"


def single(report: dict) -> dict:
    (tape,) = report["tapes"]
    (result,) = tape["results"]
    return result


def test_report_of_a_good_tape(path):
    seen = []
    report = verify([path], ["native", "fake-25", "other-33"], opener=Makers(), on_progress=lambda *a: seen.append(a))
    (tape,) = report["tapes"]
    assert (tape["path"], tape["frames"], tape["complete"], tape["note"]) == (str(path), 150, True, "")
    shown = [[r[key] for key in ("machine", "world_ok", "machine_ok", "first_bad_frame")] for r in tape["results"]]
    assert shown == [["native", True, None, None], ["fake-25", True, True, None], ["other-33", True, None, None]]
    assert [r["compared"] for r in tape["results"]] == [3, 3, 3]
    assert all(r["verified"] for r in tape["results"])
    assert exit_status(report) == 0
    assert json.loads(json.dumps(report)) == report
    assert (str(path), "fake-25", 150, 150) in seen
    assert report_lines(report) == [
        f"{path}: 150 frames",
        "  native    world ok (3 hash lines), machine not compared; the tape has machine hashes of fake-25 only",
        "  fake-25   world ok (3 hash lines), machine ok",
        "  other-33  world ok (3 hash lines), machine not compared; the tape has machine hashes of fake-25 only",
    ]


def test_default_machines_are_the_recorded_one_and_native(path):
    report = verify([path], opener=Makers())
    assert [result["machine"] for result in report["tapes"][0]["results"]] == ["fake-25", "native"]


@pytest.mark.first_case
@pytest.mark.parametrize("failing", ["native", "fake-25", "other-33"])
@pytest.mark.parametrize("frame", [0, 1, 58, 59, 60, 61, 118, 119, 120, 148, 149])
@pytest.mark.parametrize(("column", "index"), [("px", 4), ("py", 0)])
def test_divergence_is_located_to_the_frame_and_field(path, failing, frame, column, index):
    makers = Makers(**{failing.replace("-", "_"): Wrong(frame, column, index)})
    report = verify([path], [failing], opener=makers)
    result = single(report)
    by_hand = FakeMachine()
    pads = [pad for pad, count in ((3, 7), (8, 53), (0, 1), (31, 58), (1, 31)) for _ in range(count)]
    play_by_hand(by_hand, pads[: frame + 1])
    right = int(by_hand.columns[column][index])
    assert (result["world_ok"], result["first_bad_frame"], result["exact"]) == (False, frame, True)
    assert (result["what"], result["field"], result["index"]) == ("world", column, index)
    assert (result["expected"], result["found"]) == (right, right + 7)
    assert result["trusted"] == ("fake-25" if failing == "native" else "native")
    assert result["good_frame"] == max(good for good in (-1, 59, 119) if good < frame)
    assert exit_status(report) == 3
    assert json.loads(json.dumps(report)) == report
    assert "world DIVERGED" in report_lines(report)[1]
    assert (
        f"first bad frame {frame}: {column}[{index}] is {right + 7}, {result['trusted']} has {right}"
        in report_lines(report)[1]
    )


def test_the_recorded_machine_is_asked_when_native_disagrees_with_the_tape(path):
    makers = Makers(native=Wrong(20, "px"), other_33=Wrong(30, "py", 3))
    result = single(verify([path], ["other-33"], opener=makers))
    assert (result["first_bad_frame"], result["field"], result["index"]) == (30, "py", 3)
    assert (result["trusted"], result["exact"]) == ("fake-25", True)


def test_without_a_machine_that_agrees_only_the_hash_line_is_known(path):
    makers = Makers(native=Wrong(70, "px"), fake_25=Wrong(80, "px"), other_33=Wrong(30, "py", 3))
    report = verify([path], ["native", "fake-25"], opener=makers)
    for result, other in zip(report["tapes"][0]["results"], ("fake-25", "native")):
        assert (result["world_ok"], result["first_bad_frame"], result["exact"]) == (False, 119, False)
        assert result["good_frame"] == 59
        assert "field" not in result
        assert f"{other} does not agree with the tape either: world" in result["note"]
    assert "first bad frame 119 at the latest" in report_lines(report)[1]
    assert exit_status(report) == 3


def test_a_machine_that_cannot_be_opened_is_not_asked(path):
    class NoNative(Makers):
        def __call__(self, tape: Tape, name: str) -> FakeMachine:
            if name == "native":
                raise RomError("rom.toml", "is missing")
            return super().__call__(tape, name)

    result = single(verify([path], ["fake-25"], opener=NoNative(fake_25=Wrong(80, "px"))))
    assert (result["first_bad_frame"], result["exact"]) == (119, False)
    assert "native cannot be compared with: rom.toml: is missing" in result["note"]


def test_a_divergence_that_does_not_come_again_is_called_that(path):
    class Moody(FakeMachine):
        resets = 0

        def reset(self) -> None:
            super().reset()
            Moody.resets += 1
            if Moody.resets > 2:  # opened, started by the first player, then by the second
                self.wrong = None

    def opener(tape: Tape, name: str) -> FakeMachine:
        return Moody(name, wrong=Wrong(80, "px")) if name == "fake-25" else FakeMachine(name)

    result = single(verify([path], ["fake-25"], opener=opener))
    assert (result["world_ok"], result["first_bad_frame"], result["exact"]) == (False, 119, False)
    assert "fake-25 did not diverge in the same place when replayed together with native" in result["note"]


@pytest.mark.parametrize("frame", [0, 59, 60, 100])
def test_a_program_that_stops_is_a_divergence_of_that_frame(path, frame):
    report = verify([path], ["fake-25"], opener=Makers(fake_25=Wrong(frame, "fault")))
    result = single(report)
    assert (result["world_ok"], result["first_bad_frame"], result["exact"]) == (False, frame, True)
    assert (result["what"], result["field"], result["trusted"]) == ("stop", "stop", "native")
    assert f"stopped in frame {frame} (fault: FAKE: illegal instruction at 001234" in result["found"]
    assert exit_status(report) == 3


@pytest.mark.parametrize("frame", [0, 59, 60, 100, 149])
@pytest.mark.parametrize(
    ("what", "index", "field", "at"), [("d1", 0, "d1", 0), ("memory", 40, "memory", 40), ("cycles", 0, "cycles", 0)]
)
def test_a_machine_difference_is_located_beside_a_second_one_of_its_kind(path, frame, what, index, field, at):
    makers = Makers(fake_25=Wrong(frame, what, index))
    report = verify([path], ["fake-25"], opener=makers, reference=Makers())
    result = single(report)
    assert (result["world_ok"], result["machine_ok"], result["what"]) == (True, False, "machine")
    assert (result["first_bad_frame"], result["exact"]) == (frame, True)
    assert (result["field"], result["index"], result["trusted"]) == (field, at, "the reference fake-25")
    if what == "memory":
        assert (result["expected"], result["found"]) == ("00 00 00", "80 80 80")
    assert exit_status(report) == 3


def test_a_machine_difference_without_a_second_machine_gives_the_frames(path):
    report = verify([path], ["fake-25"], opener=Makers(fake_25=Wrong(70, "d1")))
    result = single(report)
    assert (result["world_ok"], result["machine_ok"]) == (True, False)
    assert (result["first_bad_frame"], result["exact"], result["good_frame"]) == (119, False, 59)
    assert "the world agrees; the first difference is in frames 60..119" in result["note"]
    assert exit_status(report) == 3
    same = verify(
        [path], ["fake-25"], opener=Makers(fake_25=Wrong(70, "d1")), reference=Makers(fake_25=Wrong(70, "d1"))
    )
    assert "agree with each other, but not with the tape" in single(same)["note"]


def test_machine_difference_names_the_first_byte_range():
    one, two = FakeMachine(), FakeMachine()
    assert machine_difference(one, two) is None
    two.mem[[50, 51, 53]] = 1, 2, 3
    assert machine_difference(one, two) == ("memory", 50, "00 00", "01 02")
    two.mem[30:60] = 9
    assert machine_difference(one, two) == ("memory", 30, "00 " * 2 + "00 00 00 00 00 00", " ".join(["09"] * 8))
    two.regs["d1"] = 5
    assert machine_difference(one, two) == ("d1", 0, 0, 5)
    two.cycles = 3
    assert machine_difference(one, two) == ("cycles", 0, 0, 3)


def test_bad_files_are_reported_beside_good_ones(path, tmp_path):
    bad = tmp_path / "bad.rtape"
    bad.write_bytes(path.read_bytes().replace(b"|0|pad:3|", b"|0|pad:4|"))
    report = verify([bad, path, tmp_path / "none.rtape"], ["fake-25"], opener=Makers())
    assert [tape["frames"] for tape in report["tapes"]] == [0, 150, 0]
    assert report["tapes"][0]["error"] == "line 3: the checksum differs, the line is damaged"
    assert exit_status(report) == 4
    assert report_lines(report)[0] == f"{bad}: line 3: the checksum differs, the line is damaged"
    assert report_lines(report)[-1] == f"{tmp_path / 'none.rtape'}: no such file"
    diverging = verify([bad, path], ["fake-25"], opener=Makers(fake_25=Wrong(1, "px")))
    assert exit_status(diverging) == 3


def test_a_wrong_rom_is_an_error_unless_forced(path):
    def opener(tape: Tape, name: str) -> FakeMachine:
        return FakeMachine(name, FakeRom(images=(FakeImage(sha256="9" * 64),)))

    report = verify([path], ["fake-25", "native"], opener=opener)
    first, second = report["tapes"][0]["results"]
    assert (first["world_ok"], first["verified"]) == (None, False)
    assert "other fake images" in first["error"]
    assert (second["world_ok"], second["verified"]) == (True, True)
    assert exit_status(report) == 4
    assert "not played: " in report_lines(report)[1]
    forced = verify([path], ["fake-25"], opener=opener, force=True)
    assert (single(forced)["world_ok"], single(forced)["machine_ok"], single(forced)["verified"]) == (True, None, False)
    assert exit_status(forced) == 0
    assert "UNVERIFIED" in report_lines(forced)[1]


def test_unknown_machines_are_bad_arguments(path):
    with pytest.raises(ValueError, match="'i999'"):
        verify([path], ["i999"], opener=Makers())


def test_interrupted_tapes_say_so_and_tapes_without_hashes_are_not_called_good(path, tmp_path):
    torn = tmp_path / "torn.rtape"
    torn.write_bytes(path.read_bytes()[:-30])
    report = verify([torn], ["fake-25"], opener=Makers())
    assert single(report)["world_ok"] is True
    assert report["tapes"][0]["note"] == "the recording was interrupted (line 11 is torn): recovered to frame 149"
    assert report_lines(report)[1] == f"  {report['tapes'][0]['note']}"
    assert (exit_status(report), exit_status(report, allow_partial=True)) == (4, 0)
    assert "--allow-partial accepts it" in shortcoming(report["tapes"][0])
    short = tmp_path / "short.rtape"
    short.write_bytes(write_start(load_tape(path).header) + write_record(Input(0, {"pad": 3})))
    report = verify([short], ["fake-25"], opener=Makers())
    assert (single(report)["world_ok"], single(report)["note"]) == (None, "the tape has no hash line to compare")
    assert exit_status(report) == exit_status(report, allow_partial=True) == 4
    assert shortcoming(report["tapes"][0], allow_partial=True) == "not verified: nothing was compared"


def test_tapes_from_a_saved_state_play_on_their_machine_only(tmp_path):
    machine, path = FakeMachine(), tmp_path / "a.rtape"
    play_by_hand(machine, [5] * 33)
    with Recorder(path, machine, from_state=True) as recorder:
        recorder.run(90)
    report = verify([path], opener=Makers())
    first, second = report["tapes"][0]["results"]
    assert (first["world_ok"], first["machine_ok"]) == (True, True)
    assert (second["world_ok"], second["note"]) == (None, "the tape starts from a saved state of fake-25")
    assert exit_status(report) == 0
    failing = single(verify([path], ["fake-25"], opener=Makers(fake_25=Wrong(50, "px"))))
    assert (failing["first_bad_frame"], failing["exact"], failing["good_frame"]) == (59, False, 32)
