import numpy as np
import pytest

from retrosim.screen.framebuffer import RED
from retrosim.screen.overlay import INK
from retrosim.window.compose import compose, compose_waiting
from retrosim.window.controls import help_lines
from retrosim.window.session import Session
from tests.helpers.screen.overlay_pixels import has_text
from tests.helpers.window.fake_machine import FakeMachine


@pytest.fixture
def session(tmp_path):
    return Session(FakeMachine(), folder=tmp_path.joinpath, clock=lambda: 0)


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
