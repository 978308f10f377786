"""Game controllers, with ones that a test plays."""

import sys

from retrosim.window import pyglet_window
from retrosim.window.gamepads import DEAD_ZONE, Gamepads, directions
from retrosim.window.pyglet_window import Inputs
from retrosim.window.session import Session
from tests.helpers.window.fake_machine import FakeMachine


class Dispatcher:
    """Handlers of events, as pyglet's objects have them."""

    def __init__(self):
        self.handlers = {}

    def push_handlers(self, **handlers):
        assert not handlers.keys() & self.handlers.keys()
        self.handlers |= handlers

    def remove_handlers(self, **handlers):
        for name, handler in handlers.items():
            assert self.handlers.pop(name) == handler


class Controller(Dispatcher):
    """A controller that a test moves; fails: opening it does."""

    def __init__(self, name="Pad", fails=False):
        super().__init__()
        self.name, self.fails, self.is_open = name, fails, False

    def open(self):
        if self.fails:
            raise OSError("it is in use")
        self.is_open = True

    def close(self):
        self.is_open = False

    def dpad(self, x, y):
        self.handlers["on_dpad_motion"](self, (x, y))

    def stick(self, x, y, name="leftstick"):
        self.handlers["on_stick_motion"](self, name, (x, y))

    def down(self, button):
        self.handlers["on_button_press"](self, button)

    def up(self, button):
        self.handlers["on_button_release"](self, button)


class Manager(Dispatcher):
    """What tells of controllers."""

    def __init__(self, *controllers):
        super().__init__()
        self.controllers = controllers

    def get_controllers(self):
        return list(self.controllers)


class Desk:
    """A session with its inputs and the controllers."""

    def __init__(self, tmp_path, *controllers):
        self.session = Session(FakeMachine(), folder=tmp_path.joinpath, clock=lambda: 0)
        self.inputs, self.said = Inputs(lambda: self.session, self.session.do), []
        self.gamepads, self.manager = Gamepads(self.inputs.controller_holds, self.said.append), Manager(*controllers)
        self.gamepads.use(self.manager)

    @property
    def down(self):
        return self.session.pad.down


def test_directions():
    places = ((0, 0), (-1, 0), (1, 0), (0, 1), (0, -1), (1, 1), (-0.9, -0.9), (DEAD_ZONE, -DEAD_ZONE))
    assert [directions(*place) for place in places] == [0, 1, 2, 4, 8, 6, 9, 0]


def test_dpad_stick_and_buttons_are_the_pad(tmp_path):
    controller = Controller()
    desk = Desk(tmp_path, controller)
    assert controller.is_open and desk.said == ["game controller: Pad"]
    controller.dpad(-1, 0)
    assert desk.down == 1
    controller.stick(-0.8, 0.7)
    controller.down("a")
    controller.down("rightshoulder")
    assert desk.down == 1 | 4 | 16
    controller.dpad(0, 0)
    controller.up("a")
    assert desk.down == 1 | 4 | 16, "the stick and the other button hold on"
    controller.stick(0, 0)
    controller.up("rightshoulder")
    assert desk.down == 0
    controller.stick(1, 1, "rightstick")
    controller.down("guide")
    assert desk.down == 0


def test_keys_and_two_controllers_hold_on_for_each_other(tmp_path):
    first, second = Controller(), Controller()
    desk = Desk(tmp_path, first, second)
    desk.inputs.key_down("LEFT")
    first.dpad(-1, 0)
    second.dpad(-1, 0)
    first.dpad(0, 0)
    desk.inputs.key_up("LEFT")
    assert desk.down == 1
    second.dpad(0, 0)
    assert desk.down == 0


def test_controllers_come_and_go(tmp_path):
    desk, controller = Desk(tmp_path), Controller("Stick")
    assert desk.said == []
    for _ in range(2):
        desk.manager.handlers["on_connect"](controller)
        controller.dpad(1, 0)
        assert desk.down == 2
        desk.manager.handlers["on_disconnect"](controller)
        assert desk.down == 0 and not controller.is_open and not controller.handlers
    assert desk.said[-2:] == ["game controller: Stick", "the game controller is gone: Stick"]
    desk.manager.handlers["on_disconnect"](Controller("one that was never there"))


def test_one_that_cannot_be_opened_is_told_of(tmp_path):
    desk = Desk(tmp_path, Controller(fails=True))
    assert desk.said == ["the game controller Pad cannot be opened: it is in use"]


def test_closing_lets_go_of_all(tmp_path):
    controller = Controller()
    desk = Desk(tmp_path, controller)
    controller.down("a")
    desk.gamepads.close()
    desk.gamepads.close()
    assert desk.down == 0 and not controller.handlers and not desk.manager.handlers


def test_losing_the_keyboard_focus_lets_go_until_it_moves_again(tmp_path):
    controller = Controller()
    desk = Desk(tmp_path, controller)
    controller.dpad(1, 0)
    desk.inputs.release_all()
    assert desk.down == 0
    controller.dpad(1, 1)
    assert desk.down == 2 | 4


def test_a_system_without_controllers_has_none(monkeypatch):
    def fails():
        raise FileNotFoundError("/dev/input")

    monkeypatch.setitem(sys.modules, "pyglet.input", type("Input", (), {"ControllerManager": fails}))
    assert pyglet_window.controller_manager.__wrapped__() is None
