"""Game controllers: d-pad, left stick and buttons are the keys of the program's pad.

They come and go while the window is open. What they are is pyglet's business: this module gets its objects.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .controls import PAD

DEAD_ZONE = 0.5
"""How far the stick is pushed, of 1, before it counts."""
FIRE_BUTTONS = ("a", "b", "x", "y", "leftshoulder", "rightshoulder")
"""Buttons that fire, by pyglet's names."""


def directions(x: float, y: float) -> int:
    """Return the bits of the pad for a place of a stick or d-pad: -1..1 each, x to the right, y upwards."""
    sides = (("LEFT", -x), ("RIGHT", x), ("DOWN", -y), ("UP", y))
    return sum(PAD[name] for name, push in sides if push > DEAD_ZONE)


class Gamepads:
    """The controllers that are connected.

    hold   hold(name, bits): bits of the pad that the controller of that name holds down from now on
    say    gets what a user is told
    """

    def __init__(self, hold: Callable[[str, int], None], say: Callable[[str], None]) -> None:
        self._hold, self._say = hold, say
        self._manager: Any = None
        self._pads: dict[int, _Gamepad] = {}  # by the identity of pyglet's controller

    def use(self, manager: Any) -> None:
        """Take the controllers of pyglet's manager, and those that are connected from now on."""
        self._manager = manager
        manager.push_handlers(on_connect=self.connect, on_disconnect=self.disconnect)
        for controller in manager.get_controllers():
            self.connect(controller)

    def connect(self, controller: Any) -> None:
        """Use a controller; one that cannot be opened is told of."""
        try:
            controller.open()
        except Exception as error:  # of pyglet and the system, of many kinds
            self._say(f"the game controller {controller.name} cannot be opened: {error}")
            return
        pad = self._pads[id(controller)] = _Gamepad(controller, self._hold)
        controller.push_handlers(**pad.handlers)
        self._say(f"game controller: {controller.name}")

    def disconnect(self, controller: Any) -> None:
        """Let go of a controller, and of what it holds down."""
        pad = self._pads.pop(id(controller), None)
        if pad is not None:
            controller.remove_handlers(**pad.handlers)
            pad.release()
            controller.close()
            self._say(f"the game controller is gone: {controller.name}")

    def close(self) -> None:
        """Let go of all of them."""
        if self._manager is not None:
            self._manager.remove_handlers(on_connect=self.connect, on_disconnect=self.disconnect)
            self._manager = None
        for pad in list(self._pads.values()):
            self.disconnect(pad.controller)


class _Gamepad:
    """What a controller holds down."""

    def __init__(self, controller: Any, hold: Callable[[str, int], None]) -> None:
        self.controller, self._hold = controller, hold
        self._name = f"controller {id(controller)}"
        self._of_dpad = self._of_stick = 0
        self._fires: set[str] = set()
        self.handlers: dict[str, Callable[..., None]] = {
            "on_dpad_motion": self._dpad_moved,
            "on_stick_motion": self._stick_moved,
            "on_button_press": self._button_down,
            "on_button_release": self._button_up,
        }

    def release(self) -> None:
        """Hold nothing down."""
        self._of_dpad = self._of_stick = 0
        self._fires.clear()
        self._tell()

    def _tell(self) -> None:
        self._hold(self._name, self._of_dpad | self._of_stick | (PAD["SPACE"] if self._fires else 0))

    def _dpad_moved(self, _: Any, vector: tuple[float, float]) -> None:
        self._of_dpad = directions(*vector)
        self._tell()

    def _stick_moved(self, _: Any, stick: str, vector: tuple[float, float]) -> None:
        if stick == "leftstick":
            self._of_stick = directions(*vector)
            self._tell()

    def _button_down(self, _: Any, button: str) -> None:
        if button in FIRE_BUTTONS:
            self._fires.add(button)
            self._tell()

    def _button_up(self, _: Any, button: str) -> None:
        self._fires.discard(button)
        self._tell()
