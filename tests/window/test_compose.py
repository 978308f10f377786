import numpy as np
import pytest

from retrosim.screen.framebuffer import RED
from retrosim.screen.overlay import INK
from retrosim.window.compose import compose, compose_waiting
from retrosim.window.controls import first_lines, help_lines
from retrosim.window.session import Session
from tests.helpers.screen.overlay_pixels import has_text
from tests.helpers.window.fake_machine import FakeMachine


@pytest.fixture
def session(tmp_path):
    machine = FakeMachine()
    machine.run(frames=1)
    return Session(machine, folder=tmp_path.joinpath, clock=lambda: 0)


def test_parts_and_overlay(session):
    plain = compose(session, 640)
    assert plain.overlay is None and plain.toolbar.shape == (17, 640) and plain.status_bar.shape == (34, 640)
    session.do("metrics")
    assert (compose(session, 640).status_bar[14:24] == 0).all(), "the second line of metrics is gone"
    for action in ("collisions", "grid", "help"):
        before = compose(session, 640).overlay
        session.do(action)
        after = compose(session, 640).overlay
        assert before is None or (before != after).any()


def test_help_shows_every_line_of_the_control_table(session):
    session.do("help")
    overlay = compose(session, 640).overlay
    for keys, meaning in help_lines():
        assert has_text(overlay, keys, INK) and has_text(overlay, meaning, INK), keys


def test_recording_shows_red(session):
    assert RED not in compose(session, 640).status_bar
    session.recording = object()
    assert RED in compose(session, 640).status_bar


def test_before_there_is_a_machine():
    images = compose_waiting("retrosim", "compiling", 2.0, 1280)
    assert images.toolbar.shape == (17, 1280) and images.overlay.shape == (480, 640, 4)
    assert (compose_waiting("retrosim", "compiling", 2.5, 1280).overlay != images.overlay).any()
    assert np.ptp(images.status_bar) > 0


def test_the_first_screen_names_what_runs_what_is_done_and_the_chief_keys():
    overlay = compose_waiting("sectors on mc68040-25", "compiling the MC68040", 2.0, 640).overlay
    for keys, meaning in first_lines():
        assert has_text(overlay, keys, INK) and has_text(overlay, meaning, INK), keys
    assert has_text(overlay, "compiling the MC68040", INK) and has_text(overlay, "2 s", INK)
    assert len(first_lines()) == 8 and ("Ctrl+Q", "quit") in first_lines()
    long = compose_waiting("tape " * 99, "compiling " * 99, 2.0, 640).overlay
    assert has_text(long, "...", INK), "a long line is shortened"


def test_the_first_screen_stays_until_there_is_a_picture(tmp_path):
    now = [0]
    machine = FakeMachine(steps=2000)
    session = Session(machine, folder=tmp_path.joinpath, clock=lambda: now[0])
    assert session.is_starting and has_text(compose(session, 640).overlay, session.starting, INK)
    now[0] += 50_000_000
    session.advance()
    machine.is_compiling = True
    assert "drawn nothing in 0.1 s of its time; it is being compiled" in session.starting
    assert has_text(compose(session, 640).overlay, session.starting, INK)
    session.do("pause")
    assert compose(session, 640).overlay is None, "who pauses looks at the machine's own screen"
    session.do("pause")
    assert session.is_starting
    machine.frame[3, 4] = 9  # the program draws
    assert not session.is_starting and compose(session, 640).overlay is None
    machine.frame[:] = 0
    assert not session.is_starting, "what was drawn once is no first screen again"


def test_a_program_that_ends_frames_without_a_picture_has_no_first_screen(tmp_path):
    session = Session(FakeMachine(), folder=tmp_path.joinpath, clock=lambda: 0)
    session.machine.run(frames=1)
    session.machine.frame[:] = 0
    assert not session.is_starting and compose(session, 640).overlay is None
