from types import SimpleNamespace

import pytest

from retrosim.window.controls import BY_CHORD, CONTROLS
from retrosim.window.pyglet_window import Inputs
from retrosim.window.session import Session
from tests.helpers.window.fake_machine import FakeMachine

BY_ACTION = {control.action: control for control in CONTROLS}


@pytest.fixture
def desk(tmp_path):
    session = Session(FakeMachine(), folder=lambda kind: tmp_path / kind, clock=lambda: 0)
    acts = []

    def act(action, argument):
        acts.append((action, argument))
        session.do(action, argument)

    return session, Inputs(lambda: session, act), acts


@pytest.mark.parametrize("chord", BY_CHORD)
def test_every_chord_does_what_the_table_says(desk, chord):
    session, inputs, acts = desk
    *modifiers, key = chord.split("+")
    key = f"_{key}" if key.isdigit() else key
    inputs.key_down(
        key,
        ctrl="Ctrl" in modifiers,
        alt="Alt" in modifiers,
        shift="Shift" in modifiers,
    )
    control, argument = BY_CHORD[chord]
    if control.at_release:
        inputs.key_up(key)
    assert (session.held == {control.action}) if control.is_held else (acts == [(control.action, argument)])


def test_keys_that_mean_nothing(desk):
    _, inputs, acts = desk
    for key in ("A", "RETURN", "LSHIFT"):
        inputs.key_down(key)
        inputs.key_up(key)
    inputs.key_down("R")
    inputs.key_down("Q")
    inputs.key_down("P", ctrl=True)
    assert acts == []


def test_pad_keys_go_to_the_machine_and_come_up(desk):
    session, inputs, acts = desk
    for key in ("LEFT", "UP", "SPACE"):
        inputs.key_down(key)
    assert session.pad.down == 1 | 4 | 16
    inputs.key_up("UP")
    inputs.key_down("RIGHT", shift=True)
    assert session.pad.down == 1 | 16 | 2 and acts == []


def test_two_keys_for_one_thing(desk):
    session, inputs, _ = desk
    inputs.key_down("COMMA")
    inputs.key_down("BACKSPACE")
    inputs.key_up("COMMA")
    assert session.held == {"rewind"}
    inputs.key_up("BACKSPACE")
    assert session.held == set()


def test_modifiers_released_first_do_not_leave_a_key_stuck(desk):
    session, inputs, _ = desk
    inputs.key_down("TAB")
    inputs.key_up("TAB")
    inputs.key_down("LEFT", shift=True)
    inputs.key_up("LEFT")
    assert session.pad.down == 0 and session.held == set()


def test_losing_the_keyboard(desk):
    session, inputs, _ = desk
    inputs.key_down("TAB")
    inputs.key_down("LEFT")
    inputs.button_down(BY_ACTION["rewind"])
    inputs.release_all()
    assert session.pad.down == 0 and session.held == set()
    inputs.key_up("LEFT")
    inputs.button_up()
    assert session.pad.down == 0 and session.held == set()


def test_question_mark_on_any_keyboard_counts_once(desk):
    session, inputs, _ = desk
    inputs.key_down("SLASH", shift=True)  # as on a US keyboard, where the text follows the key
    inputs.text("?")
    assert session.shows_help
    inputs.key_down("SSHARP", shift=True)  # as on a German one, where only the text tells
    inputs.text("?")
    assert not session.shows_help
    inputs.text("x")
    assert not session.shows_help


def test_buttons(desk):
    session, inputs, acts = desk
    inputs.button_down(BY_ACTION["save"])
    inputs.button_up()
    assert acts == [("save", 1)]
    inputs.button_down(BY_ACTION["fast"])
    assert session.held == {"fast"}
    inputs.key_down("TAB")
    inputs.button_up()
    assert session.held == {"fast"}, "the key still asks for it"
    inputs.key_up("TAB")
    assert session.held == set()


def test_a_click_beside_the_buttons_closes_the_help_and_nothing_else(desk):
    session, inputs, acts = desk
    inputs.button_down(None)
    assert acts == []
    session.do("help")
    inputs.button_down(None)
    assert acts == [("help", 0)] and not session.shows_help


def test_before_the_machine_is_there():
    acts = []
    inputs = Inputs(lambda: None, lambda action, argument: acts.append(action))
    inputs.key_down("LEFT")
    inputs.key_down("TAB")
    inputs.key_up("TAB")
    inputs.key_down("Q", ctrl=True)
    inputs.button_down(BY_ACTION["fast"])
    inputs.button_down(None)
    inputs.button_up()
    inputs.release_all()
    assert acts == ["quit"]


def test_full_screen_waits_until_its_key_comes_up(desk):
    _, inputs, acts = desk
    for times in (1, 2):
        inputs.key_down("F11")
        assert acts == [("fullscreen", 0)] * (times - 1)
        inputs.key_up("F11")
        assert acts == [("fullscreen", 0)] * times
    inputs.key_down("F11")
    inputs.release_all()
    inputs.key_up("F11")
    assert len(acts) == 2


@pytest.mark.parametrize("x, y", [(0, 0), (639, 479), (639.9, 0.5)])
def test_clicks_within_the_picture_are_the_panels(desk, x, y):
    session, inputs, _ = desk
    assert not inputs.panel_clicked(x, y), "no panel is open"
    clicks = []
    session.panel = SimpleNamespace(click=lambda *place: clicks.append(place))
    session.panel_acted = lambda: clicks.append("acted")
    assert inputs.panel_clicked(x, y) and clicks == [(x, y), "acted"]
    session.shows_help = True
    assert not inputs.panel_clicked(x, y) and len(clicks) == 2


@pytest.mark.parametrize("x, y", [(-1, 5), (640, 5), (5, -1), (5, 480)])
def test_clicks_beside_the_picture_are_not(desk, x, y):
    session, inputs, _ = desk
    session.panel = SimpleNamespace()
    assert not inputs.panel_clicked(x, y)
    assert not Inputs(lambda: None, print).panel_clicked(5, 5)
