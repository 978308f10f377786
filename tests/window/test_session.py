from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from retrosim.errors import TapeError
from retrosim.machine import open_machine
from retrosim.machine.headless import picture_of
from retrosim.screen.overlay import View
from retrosim.screen.png import png_bytes
from retrosim.tape import Hash, Player, load_tape, record_script
from retrosim.window.compose import compose
from retrosim.window.controls import CONTROLS
from retrosim.window.session import KEYS_HINT, MESSAGE_NS, Session
from tests.helpers.window.fake_machine import FakeMachine, FakeNative

WINDOWS_OWN = {"fullscreen", "scale", "quit"}


class Recorder:
    """Notes what it gets, as a tape would."""

    def __init__(self, machine, history, fails=False):
        self.path, self.history, self.inputs, self.frames = Path("tape.rtape"), history, [], []
        self.machine, self.fails, self.is_closed = machine, fails, False

    def set_input(self, device, value):
        self.inputs.append((self.machine.frame_number, device, value))

    def on_frame(self):
        self.frames.append(self.machine.frame_number)
        if self.fails:
            raise TapeError(self.path, "is full")

    def close(self):
        self.is_closed = True


class Bench:
    """A session with a clock the test moves."""

    def __init__(self, tmp_path, machine=None, **given):
        self.now = 0
        self.machine = machine or FakeMachine()
        self.session = Session(self.machine, folder=lambda kind: tmp_path / kind, clock=lambda: self.now, **given)

    def ticks(self, count=1):
        for _ in range(count):
            self.now += 16_700_000
            self.session.advance()
        return self.machine.frame_number


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


def test_every_action_of_the_table_is_the_sessions_or_the_windows(bench):
    for control in CONTROLS:
        if not control.is_held:
            assert bench.session.do(control.action, control.value) == (control.action not in WINDOWS_OWN)


def test_pause_frame_and_instruction(bench):
    session = bench.session
    bench.ticks(3)
    session.do("pause")
    assert bench.ticks(5) == 3 and session.state == ("PAUSED", True) and "pause" in session.active
    session.do("frame")
    assert bench.machine.frame_number == 4
    session.do("instruction")
    assert bench.machine.instructions == 4 * 8 + 1
    assert session.message == "next 001002  2018  MOVE.L (A0)+,D1  (demo.c:2)"
    session.do("frame")
    assert bench.machine.frame_number == 5 and bench.machine.instructions == 40
    session.do("pause")
    assert bench.ticks(2) == 7 and session.state == ("RUNNING", False)


def test_stepping_pauses(bench):
    bench.session.do("instruction")
    assert bench.session.transport.is_paused and bench.ticks(3) == 0


def test_native_has_no_instructions_and_says_so(tmp_path):
    bench = Bench(tmp_path, FakeNative())
    bench.session.do("instruction")
    assert "no instructions to step through" in bench.session.message
    bench.now += MESSAGE_NS
    assert bench.session.message == KEYS_HINT


def test_speeds(bench):
    session = bench.session
    session.do("slower")
    session.do("slower")
    assert session.transport.pacer.speed == Fraction(1, 4) and session.message == "speed 1/4x"
    assert bench.ticks(16) == 4
    for _ in range(20):
        session.do("slower")
    assert session.transport.pacer.speed == Fraction(1, 64)
    for _ in range(20):
        session.do("faster")
    assert session.transport.pacer.speed == 8
    session.do("normal")
    assert session.readings().speed == 1


def test_rewind_while_held(bench):
    session = bench.session
    bench.ticks(30)
    session.hold("rewind", True)
    assert session.state == ("REWIND", False) and session.active >= {"rewind"}
    assert bench.ticks(10) == 20
    session.hold("rewind", False)
    assert bench.ticks(1) == 21
    session.hold("rewind", True)
    assert bench.ticks(40) == 0 and session.message == "cannot rewind further: frame 0 is the earliest one saved"


def test_fast_forward_while_held(bench):
    bench.session.hold("fast", True)
    assert bench.session.state == ("FAST", False) and bench.session.wait_ns() == 0
    clock = iter(range(0, 10**12, 2_000_000))
    bench.session.transport.clock = clock.__next__
    bench.session.advance()
    assert bench.machine.frame_number > 8


def test_pad_reaches_the_machine_at_the_next_frame(bench):
    session = bench.session
    bench.ticks(1)
    session.press(1, True)
    session.press(16, True)
    bench.ticks(1)
    session.press(1, False)
    bench.ticks(1)
    session.release_all()
    bench.ticks(1)
    assert bench.machine.pads == [0, 17, 16, 0]


def test_losing_the_keyboard_releases_everything(bench):
    session = bench.session
    session.press(4, True)
    session.hold("fast", True)
    session.release_all()
    assert session.pad.down == 0 and not session.held


def test_reset(bench):
    bench.ticks(9)
    bench.session.do("reset")
    assert bench.machine.frame_number == 0 and bench.session.transport.rewind.first_frame == 0
    assert bench.ticks(1) == 1 and bench.session.transport.history == [(0, {"pad": 0})]


def test_states_are_saved_by_slot_never_overwritten_and_the_newest_is_loaded(bench, tmp_path):
    session = bench.session
    bench.ticks(3)
    session.do("save", 2)
    bench.ticks(3)
    session.do("save", 2)
    session.do("save", 10)
    files = sorted(path.name for path in (tmp_path / "states").iterdir())
    assert len(files) == 3 and all(name.startswith("sectors-mc68040-25-slot") for name in files)
    bench.ticks(5)
    session.do("load", 2)
    assert bench.machine.frame_number == 6 and "loaded from slot 2" in session.message
    assert session.transport.history is None, "the inputs before are not known"
    session.do("load", 1)
    assert session.message == "slot 1 has no saved state of sectors on mc68040-25" and bench.machine.frame_number == 6


def test_a_damaged_state_is_one_line_and_changes_nothing(bench, tmp_path):
    bench.session.do("save", 1)
    (file,) = (tmp_path / "states").iterdir()
    file.write_bytes(b"no state")
    bench.ticks(2)
    bench.session.do("load", 1)
    assert bench.session.message == "saved state: damaged" and bench.machine.frame_number == 2


def test_screenshot_is_the_machines_picture(bench, tmp_path):
    bench.ticks(2)
    bench.session.do("shot")
    bench.session.do("shot")
    files = list((tmp_path / "shots").iterdir())
    assert len(files) == 2 and files[0].read_bytes() == files[1].read_bytes()
    assert files[0].name.startswith("sectors-mc68040-25-frame2-") and files[0].read_bytes()[:4] == b"\x89PNG"


def test_a_folder_that_cannot_be_written_is_one_line(bench, tmp_path):
    (tmp_path / "shots").write_bytes(b"in the way")
    bench.session.do("shot")
    assert "no file can be created in it" in bench.session.message


def test_recording_from_power_on_and_in_the_middle(tmp_path):
    made = []
    bench = Bench(tmp_path, recorder=lambda machine, history: made.append(Recorder(machine, history)) or made[-1])
    session = bench.session
    session.press(1, True)
    bench.ticks(2)
    session.do("record")
    assert made[0].history == [(0, {"pad": 1})] and "record" in session.active
    session.press(1, False)
    bench.ticks(2)
    assert made[0].inputs == [(2, "pad", 0), (3, "pad", 0)] and made[0].frames == [3, 4]
    for action in ("reset", "load"):
        session.do(action, 1)
        assert "while recording" in session.message
    session.hold("rewind", True)
    assert not session.held and bench.machine.frame_number == 4
    session.do("record")
    assert made[0].is_closed and session.recording is None and session.message == "recorded tape.rtape"


def test_a_recording_does_not_start_inside_a_frame_but_survives_single_steps(tmp_path):
    bench = Bench(tmp_path, recorder=Recorder)
    bench.session.do("instruction")
    bench.session.do("record")
    assert bench.session.recording is None and "between two frames" in bench.session.message
    bench.session.do("frame")
    bench.session.do("record")
    for _ in range(8):
        bench.session.do("instruction")
    assert bench.session.recording.frames == [2]


def test_closing_finishes_the_tape(tmp_path):
    bench = Bench(tmp_path, recorder=Recorder)
    bench.session.do("record")
    recording = bench.session.recording
    bench.session.close()
    assert recording.is_closed


def test_a_tape_that_cannot_be_written_ends_the_recording_not_the_machine(tmp_path):
    bench = Bench(tmp_path, recorder=lambda machine, history: Recorder(machine, history, fails=True))
    bench.session.do("record")
    assert bench.ticks(3) == 3
    assert bench.session.recording is None and bench.session.message == "recording stopped: tape.rtape: is full"


def test_without_a_recorder(bench):
    bench.session.do("record")
    assert bench.session.message == "this window cannot record tapes"


def replayed(tmp_path, bad=2):
    """Return a bench that replays a tape of five frames whose hash line of frame `bad` is wrong."""
    record_script(tmp_path / "a.rtape", FakeMachine(), 5, "0 pad=0; 1 pad=1; 2 pad=2; 3 pad=3; 4 pad=4", hash_every=1)
    tape, machine = load_tape(tmp_path / "a.rtape"), FakeMachine()
    records = [replace(r, world="0" * 16) if isinstance(r, Hash) and r.frame == bad else r for r in tape.records]
    return Bench(tmp_path, machine, player=Player(replace(tape, records=tuple(records)), machine))


def test_replay_shows_the_divergence_pauses_and_goes_on(tmp_path):
    bench = replayed(tmp_path)
    session = bench.session
    session.press(16, True)
    assert session.state == ("REPLAY", False)
    assert bench.ticks(9) == 3 and session.state == ("DIVERGED", True)
    assert session.message.endswith("after frame 2, the tape has 0000000000000000")
    assert bench.machine.pads == [0, 1, 2]
    session.do("pause")
    assert bench.ticks(9) == 5 and session.state[0] == "DIVERGED"
    assert session.transport.halted == "the tape ends here, after 5 frames"
    session.hold("rewind", True)
    bench.ticks(4)
    assert bench.machine.frame_number == 1 and not session.diverged
    session.hold("rewind", False)
    session.do("record")
    assert session.message == "cannot record while a tape is replayed"
    session.do("load", 1)
    assert session.message == "cannot load a state while a tape is replayed"


def test_reset_starts_the_tape_again(tmp_path):
    bench = replayed(tmp_path)
    assert bench.ticks(9) == 3 and bench.session.diverged
    bench.session.do("reset")
    assert bench.machine.frame_number == 0 and not bench.session.diverged
    bench.session.do("pause")
    assert bench.ticks(9) == 3 and bench.session.diverged


def test_an_input_that_the_machine_refuses_stops_the_replay(tmp_path):
    bench = replayed(tmp_path)

    def refuse(device, value):
        raise ValueError(f"{device} {value}: allowed 0..1")

    bench.machine.set_input = refuse
    assert bench.ticks(3) == 0
    assert bench.session.message == "inputs of frame 0: pad 0: allowed 0..1"


def test_a_fault_is_shown(tmp_path):
    bench = Bench(tmp_path, FakeMachine(fails_at=1))
    bench.ticks(3)
    assert bench.session.state == ("STOPPED", True)
    assert bench.session.message == "MC68040: no such instruction at 001000: 4a fc"


def test_grid_goes_through_the_passes_and_off(bench):
    seen = []
    for _ in range(6):
        bench.session.do("grid")
        seen.append(bench.session.view.grid)
    assert seen == [0, 1, 2, 3, None, 0]


def test_collisions_go_from_shapes_to_tested_pairs_and_off(bench):
    seen = []
    for _ in range(4):
        bench.session.do("collisions")
        seen.append((bench.session.view.shapes, bench.session.view.tested, "collisions" in bench.session.active))
    assert seen == [(True, False, True), (True, True, True), (False, False, False), (True, False, True)]


def test_a_program_without_a_grid_says_so(bench, monkeypatch):
    shapes = replace(bench.machine.shapes(), grids=())
    monkeypatch.setattr(bench.machine, "shapes", lambda: shapes)
    bench.session.do("grid")
    assert bench.session.view.grid is None and bench.session.message == "sectors has no grid"


def test_a_screenshot_shows_what_is_seen(bench, tmp_path):
    bench.ticks(1)
    bench.session.do("collisions")
    bench.session.do("shot")
    (path,) = (tmp_path / "shots").iterdir()
    assert path.read_bytes() == png_bytes(*picture_of(bench.machine, View(shapes=True)))


def test_readings(bench):
    bench.ticks(4)
    readings = bench.session.readings()
    assert (readings.machine, readings.rom, readings.frame, readings.periods) == ("mc68040-25", "sectors", 4, 4)
    assert (readings.cycles, readings.instructions) == (240_000, 8)
    assert readings.period_cycles == FakeMachine.clock_hz / FakeMachine.tick_hz
    assert len(readings.shapes.hit) == 60


def test_the_shapes_follow_rewinds_and_resets(bench):
    bench.ticks(1)
    first = bench.session.shapes.centres.copy()
    bench.ticks(40)
    bench.session.do("reset")
    bench.ticks(1)
    assert (bench.session.shapes.centres == first).all()


def test_an_image_without_a_manifest(tmp_path):
    machine = FakeMachine()
    machine.rom = None
    bench = Bench(tmp_path, machine)
    bench.session.press(2, True)
    bench.ticks(2)
    assert bench.session.shapes is None and machine.pads == [2, 2] and bench.session.readings().rom == "program"
    bench.session.do("collisions")
    assert compose(bench.session, 640).overlay is not None


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "build", "objects", "words"),
    [
        ("mc68040-25", "O2", 50, ("build O2; 1994 73,529 with 50 objects = 0.",)),
        ("mc68040-25", "O2", 60, ("build O2; 1994 73,529 with 50 objects   press",)),
        ("i486dx2-66", "O2", 5, ("clocks, build O2   press",)),
    ],
)
def test_the_last_check_is_beside_the_printed_row(tmp_path, name, build, objects, words):
    options = {"build": build, "engine": "interpret", "parameters": {"objects": objects}}
    machine, plain = open_machine(name, **options), open_machine(name, **options)
    bench = Bench(tmp_path, machine)
    assert bench.session.last_check == "" and bench.session.message == KEYS_HINT, "nothing has been checked yet"
    bench.ticks(3)
    plain.run(frames=machine.frame_number)
    assert bench.session.message.startswith("check ") and all(word in bench.session.message for word in words)
    assert len(bench.session.message) <= 104
    assert machine.save() == plain.save(), "measuring disturbs nothing"
    clocks = int(bench.session.last_check.split()[1].replace(",", ""))
    assert clocks == plain.measure("DetermineCollisions", warm=0).cycles
    bench.session.do("metrics")
    assert bench.session.message == KEYS_HINT


def test_a_frame_that_goes_on_for_long_is_told(tmp_path):
    bench = Bench(tmp_path, FakeMachine(steps=10_000_000, cost=25_000))
    bench.machine.frame[0, 0] = 1
    for _ in range(10):
        bench.session.transport.run_on()
    assert bench.session.message == KEYS_HINT
    while bench.session.transport.frame_periods < 121:
        bench.session.transport.run_on()
    assert bench.session.message.startswith("frame 1 goes on: 2 s of the machine's time so far")
    bench.session.controller = "gdb"
    assert bench.session.message == KEYS_HINT, "Tab would do nothing"
    bench.session.controller = ""
    bench.session.do("reset")
    bench.now += MESSAGE_NS
    assert bench.session.transport.frame_periods == 0 and bench.session.message == KEYS_HINT


def test_the_title_of_a_replay_names_the_tape(tmp_path):
    replaying = replayed(tmp_path).session
    assert replaying.title == f"{tmp_path / 'a.rtape'}: sectors on mc68040-25"
    assert Bench(tmp_path).session.title == "sectors on mc68040-25"


def test_nothing_runs_while_the_list_of_keys_is_shown(bench):
    assert bench.ticks(3) == 3
    bench.session.do("help")
    assert bench.ticks(5) == 3 and bench.session.state == ("PAUSED", True) and bench.session.wait_ns() > 0
    bench.session.do("leave")
    assert not bench.session.shows_help and not bench.session.transport.is_paused
    assert bench.ticks(1) == 4, "what was due meanwhile is not made up"
    bench.session.do("help")
    bench.session.hold("fast", True)
    assert bench.ticks(1) == 4


def test_escape_closes_the_list_first_and_quits_when_pressed_twice(bench):
    session = bench.session
    session.do("help")
    session.do("leave")
    assert not session.shows_help and not session.is_ending
    session.do("leave")
    assert session.message == "Esc again quits (F11 leaves full screen)" and not session.is_ending
    bench.now += MESSAGE_NS + 1
    session.do("leave")
    assert not session.is_ending, "the second time came too late"
    session.do("leave")
    assert session.is_ending
