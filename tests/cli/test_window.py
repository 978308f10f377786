"""The commands that open the window: with a stand-in that a test drives, and once on a real X server."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import pytest

from retrosim.errors import RetrosimError
from retrosim.screen.overlay import View
from retrosim.tape import Input, load_tape
from retrosim.window.controls import PAD
from retrosim.window.session import Session

TICK_NS = 16_700_000


class Desk:
    """Stands for `Window`: the same hooks and calls, a clock of its own, closed after `turns` turns.

    pads     turn -> input word from there on
    actions  turn -> action of the control table
    """

    turns, pads, actions, opened = 40, {}, {}, []

    def __init__(self, machine, *, recorder=None, player=None, subject="", scale=None, is_fullscreen=False):
        self.make, self.recorder, self.player = machine, recorder, player
        self.scale, self.is_fullscreen = scale, is_fullscreen
        self.session, self.now, self.count, self.is_open, self.said = None, 0, 0, True, []
        type(self).opened.append(self)

    def clock(self):
        return self.now

    def turn(self):
        if self.session is None:
            machine = self.make(self.said.append)
            player = self.player(machine) if self.player else None
            self.session = Session(machine, folder=Path, clock=self.clock, recorder=self.recorder, player=player)
            return
        self.now += TICK_NS
        self.count += 1
        for bit in PAD.values():
            self.session.press(bit, bool(self.pads.get(self.count, self.session.pad.down) & bit))
        if self.count in self.actions:
            self.session.do(self.actions[self.count])
        self.session.advance()

    def run(self):
        while self.is_open and self.count < self.turns:
            self.turn()
        self.close()

    def close(self):
        if self.is_open and self.session is not None:
            self.session.close()
        self.is_open = False


@pytest.fixture
def desk(run, monkeypatch, tmp_path) -> type[Desk]:
    """A display, and the stand-in instead of the window; processes that are started find no compiled code."""

    class Mine(Desk):
        """A class for every test, which may set what happens."""

    Mine.opened = []
    import_module("retrosim.cache.sources")  # the compile cache stays where it is
    monkeypatch.setenv("DISPLAY", ":7")
    monkeypatch.setenv("RETROSIM_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("retrosim.window.pyglet_window.Window", Mine)
    return Mine


def test_run_opens_a_window(run, desk, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("retrosim.cpu.engines.tiers.is_ready", lambda *arguments: False)  # as on the first run
    ran = run("run", "--objects", 9, "--speed", "1/4", "--scale", 2, "--fullscreen", "--build", "O1")
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    (window,) = desk.opened
    assert (window.scale, window.is_fullscreen) == (2, True)
    assert window.session.transport.pacer.speed == Fraction(1, 4)
    assert window.session.machine.image.build == "O1"
    assert 8 <= window.session.machine.frame_number <= 12, "a quarter of 40 ticks"
    assert any("compiling" in text for text in window.said)
    assert list(tmp_path.iterdir()) == []


def test_the_overlay_is_there_from_the_start(run, desk) -> None:
    assert run("run", "--machine", "native", "--overlay", "tested,grid3").status == 0
    assert desk.opened[0].session.view == View(tested=True, grid=2)


def test_at_its_own_speed_by_default(run, desk) -> None:
    assert run("run", "--machine", "native").status == 0
    assert desk.opened[0].session.transport.pacer.speed == 1
    assert 38 <= desk.opened[0].session.machine.frame_number <= 42


def test_recording_from_the_window_of_run(run, desk, tmp_path) -> None:
    desk.actions, desk.pads = {10: "record", 30: "record"}, {5: 2, 15: 16, 16: 0}
    assert run("run", "--objects", 9).status == 0
    (tape,) = (tmp_path / "home" / "data" / "tapes").iterdir()
    assert re.fullmatch(r"sectors-\d{8}-\d{6}-001\.rtape", tape.name)
    assert load_tape(tape).is_complete
    assert run("verify", tape, "--on", "all", "--jobs", 1).status == 0


def test_headless_options_open_no_window(run, desk) -> None:
    for options in (("--headless",), ("--frames", 5), ("--screenshot", "a.png"), ("--json",)):
        assert run("run", "--machine", "native", *options).status == 0
    assert desk.opened == []


@pytest.mark.parametrize("command", [("run", "--machine", "z80"), ("run", "--build", "O9"), ("run", "--objects", 0)])
def test_bad_arguments_open_no_window(run, desk, command) -> None:
    run(*command).is_refused(2, "allowed")
    assert desk.opened == []


def test_record_in_the_window(run, desk, tmp_path) -> None:
    desk.pads = {6: 8, 20: 24, 21: 8}
    ran = run("record", "mine.rtape", "--objects", 9, "--title", "By hand")
    assert (ran.status, ran.err) == (0, "")
    tape = load_tape(tmp_path / "mine.rtape")
    assert ran.out == f"mine.rtape: {tape.frames} frames on mc68040-25, 4 input lines\n"
    assert tape.frames >= 38 and tape.is_complete and tape.title == "By hand"
    assert [line.states["pad"] for line in tape.inputs] == [0, 8, 24, 8]
    assert run("verify", "mine.rtape", "--on", "all", "--jobs", 1).status == 0


def test_going_on_with_a_recording_in_the_window(run, desk, tmp_path) -> None:
    whole = ("record", "whole.rtape", "--machine", "native", "--frames", 30, "--input", "0 pad=2; 9 pad=1; 12 pad=0")
    assert run(*whole, "--hash-every", 10).status == 0
    (tmp_path / "mine.rtape").write_bytes((tmp_path / "whole.rtape").read_bytes()[:-30])
    desk.pads, desk.actions = {12: 4}, {30: "record", 35: "record"}
    ran = run("record", "mine.rtape", "--continue")
    assert (ran.status, ran.err) == (0, "")
    tape = load_tape(tmp_path / "mine.rtape")
    assert tape.is_complete and 45 < tape.frames < 75
    assert [line.states["pad"] for line in tape.inputs] == [2, 1, 0, 4]
    (other,) = (tmp_path / "home" / "data" / "tapes").glob("*.rtape")
    assert run("verify", "mine.rtape", other, "--on", "native").status == 0
    run("record", "whole.rtape", "--continue").is_refused(4, "nothing to continue")


def test_a_window_closed_before_the_machine_is_ready(run, desk, tmp_path) -> None:
    desk.turns = 0
    run("record", "mine.rtape").is_refused(1, "nothing was recorded: the window was closed before")
    assert not (tmp_path / "mine.rtape").exists()


CLOSED_WHILE_BUSY = """
import sys, threading, time
from retrosim import cli
from retrosim.cli.commands import run

def compile_for_long(*_):
    threading.Timer(0.3, closed.append, [time.monotonic()]).start()
    time.sleep(200)

def turn(window):
    if closed:
        print(closed[0])
        window.close()

closed = []
run.Chosen.open = compile_for_long
from retrosim.window.pyglet_window import Window
Window.turn = turn
sys.argv = ["retrosim", "run"]
cli.run_process()
"""


def test_closing_the_window_ends_the_process(environment, screen) -> None:
    """Without a wait for the thread that compiles, which takes minutes here."""
    command = [sys.executable, "-c", CLOSED_WHILE_BUSY]
    ended = subprocess.run(
        command, env=environment | {"DISPLAY": screen}, capture_output=True, text=True, timeout=180, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert time.monotonic() - float(ended.stdout) < 120


def test_second_recording_in_the_same_window(run, desk, tmp_path) -> None:
    desk.actions = {15: "record", 20: "record"}
    assert run("record", "mine.rtape", "--machine", "native").status == 0
    (other,) = (tmp_path / "home" / "data" / "tapes").iterdir()
    assert load_tape(tmp_path / "mine.rtape").frames < load_tape(other).frames
    assert run("verify", "mine.rtape", other).status == 0


def test_recording_that_cannot_begin(run, desk, tmp_path, monkeypatch) -> None:
    desk.turn = _creating(desk.turn, tmp_path / "mine.rtape")
    run("record", "mine.rtape").is_refused(1, "mine.rtape", "exists already")
    assert not desk.opened[0].is_open
    assert (tmp_path / "mine.rtape").read_text() == "precious"


def _creating(turn, path: Path):
    """Let another program make the file while the window opens."""

    def creating_turn(self):
        if self.session is None:
            path.write_text("precious")
        turn(self)

    return creating_turn


def test_replay_in_the_window(run, desk, tmp_path) -> None:
    run("record", "mine.rtape", "--frames", 30, "--input", "10 pad=2", "--hash-every", 5, "--objects", 9)
    desk.turns = 60
    ran = run("replay", "mine.rtape")
    assert (ran.status, ran.err) == (0, "")
    (window,) = desk.opened
    assert window.session.machine.frame_number == 30
    assert window.session.machine.hash("world") == load_tape(tmp_path / "mine.rtape").hashes[-1].world


def test_replay_that_diverges_in_the_window(run, desk, tmp_path) -> None:
    run("record", "mine.rtape", "--frames", 30, "--input", "10 pad=2", "--hash-every", 5, "--objects", 9)
    tape = load_tape("mine.rtape")
    records = [
        replace(line, states={"pad": 1}) if isinstance(line, Input) and line.frame == 10 else line
        for line in tape.records
    ]
    (tmp_path / "bad.rtape").write_bytes(replace(tape, records=tuple(records)).encode())
    run("replay", "bad.rtape").is_refused(3, "bad.rtape: diverged on mc68040-25: world ", " after frame 14, the tape")


def test_replay_of_another_rom_in_the_window(run, desk, tmp_path) -> None:
    run("record", "mine.rtape", "--frames", 5)
    tape = load_tape("mine.rtape")
    roms = [entry | {"sha256": "0" * 64} for entry in tape.header["roms"]]
    (tmp_path / "other.rtape").write_bytes(replace(tape, header=tape.header | {"roms": roms}).encode())
    run("replay", "other.rtape").is_refused(4, "other.rtape", "other m68040 images")


def test_window_that_does_not_open(run, desk, monkeypatch, tmp_path) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise RetrosimError("cannot open a window: OpenGL 3.3 is not available (old driver); to run without one: ...")

    monkeypatch.setattr("retrosim.window.pyglet_window.Window.__init__", refuse)
    ran = run("run", "--machine", "native")
    reason = "OpenGL 3.3 is not available (old driver)"
    assert (ran.status, ran.err) == (0, f"retrosim: {reason}; running 120 frames without a window\n")
    assert (tmp_path / "retrosim-sectors.png").exists()
    run("record", "mine.rtape").is_refused(1, reason, "retrosim record TAPE --headless")


@pytest.mark.full
def test_a_real_window(run, start, screen, tmp_path) -> None:
    """A person records: right for a while, fire once, Ctrl+Q."""
    process = start("record", "mine.rtape", "--objects", "40", DISPLAY=screen)

    def type_keys(*words: str) -> None:
        done = subprocess.run(["xdotool", *words], env={"DISPLAY": screen}, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def has_window() -> bool:
        search = ["xdotool", "search", "--name", "^sectors on mc68040-25"]
        return subprocess.run(search, env={"DISPLAY": screen}, capture_output=True, check=False).returncode == 0

    tape, end = tmp_path / "mine.rtape", time.monotonic() + 180
    while not (has_window() and tape.exists()) and time.monotonic() < end and process.poll() is None:
        time.sleep(0.1)
    assert process.poll() is None, process.communicate()[1]
    type_keys("search", "--name", "^sectors on", "windowfocus", "keydown", "Right", "sleep", "0.4", "keyup", "Right")
    time.sleep(0.4)
    type_keys("keydown", "space", "sleep", "0.4", "keyup", "space", "sleep", "0.4", "key", "ctrl+q")
    out, err = process.communicate(timeout=180)
    assert (process.returncode, err) == (0, ""), err
    pads = [line.states["pad"] for line in load_tape(tape).inputs]  # who presses before the first frame has no 0 first
    assert pads[-4:] == [2, 0, 16, 0] and pads[:-4] in ([], [0]), out
    ran = run("verify", "mine.rtape", "--on", "all", "--jobs", 1)
    assert ran.status == 0, ran.out
