"""What all panels have in common that stand in place of the picture while the debugger runs the machine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from retrosim.errors import RetrosimError
from retrosim.screen.font import draw_text, text_width
from retrosim.screen.framebuffer import Rect, frame_rect, paint_rect
from retrosim.screen.overlay import INK, PAPER

from .controls import PanelCommand, chord_name, panel_lines, tip
from .pad import Pad

if TYPE_CHECKING:
    from retrosim.machine import Machine
    from retrosim.tape.play import Player


class Zone(NamedTuple):
    """A rectangle of a panel in which a click carries out a command with an argument."""

    rect: Rect
    action: str
    argument: int | str = 0


class Panel(ABC):
    """A machine under the debugger, with the keys that are pressed and the tape that it plays.

    machine, pad, player  as for `DebugPanel`

    title         what the status bar calls it, in capitals
    commands      all it has
    message       what went wrong last, or how the machine stopped
    is_running    does the machine run, or walk, by itself?
    is_closing    the panel asks to be closed
    shows_screen  is the machine's picture to be seen in place of the panel?
    zones         where clicks do something, as drawn last
    """

    title: str
    commands: ClassVar[tuple[PanelCommand, ...]]
    message: str

    def __init__(self, machine: Machine, pad: Pad, player: Player | None = None) -> None:
        self._is_first = "debugger" not in vars(machine)  # else somebody else debugs the machine too
        self.machine, self.debugger, self._player, self._pad = machine, machine.debugger, player, pad
        if player is not None:
            self.debugger.play(player)
        self._given: int | None = None
        self._has_pad = machine.rom is None or "pad" in machine.rom.inputs
        self.is_running = self.is_closing = self.shows_screen = False
        self.zones: list[Zone] = []

    @property
    def _is_at_end_of_tape(self) -> bool:
        return self._player is not None and self.machine.frame_number >= self._player.tape.frames

    def _press(self) -> None:
        """Give the machine its keys; in the past, history has them."""
        is_present = self.debugger.time == self.debugger.end
        if self._player is None and self._has_pad and is_present:
            word = self._pad.word(self.machine.frame_number, begins=False)
            if self._given != word:
                self._given = word
                self.machine.set_input("pad", word)

    def click(self, x: float, y: float) -> None:
        """Handle a click on the panel; x, y: its pixels."""
        if self.shows_screen:
            self.do("screen")
            return
        for zone in reversed(self.zones):
            left, top, right, bottom = zone.rect
            if left <= x < right and top <= y < bottom:
                self.do(zone.action, zone.argument)
                return

    def tip_at(self, x: float, y: float) -> tuple[str, Rect] | None:
        """Return what the tooltip says of the button at a place, and the button's rectangle; None without a button."""
        buttons = {command.action: command for command in self.commands if command.button}
        for (left, top, right, bottom), action, _ in reversed(self.zones):
            if left <= x < right and top <= y < bottom:
                return (tip(buttons[action]), (left, top, right, bottom)) if action in buttons else None
        return None

    @abstractmethod
    def advance(self, due: int, clock: Callable[[], int]) -> bool:
        """Run so many periods of the frame clock, if the machine runs; return whether anything changed."""

    def do(self, action: str, argument: int | str = 0) -> None:
        """Carry out a command of the panel, or of a zone; what is refused becomes its message."""
        try:
            self._act(action, argument)
        except (RetrosimError, ValueError) as error:
            self.message = str(error)

    def _act(self, action: str, argument: int | str) -> None:
        """Carry out a command. Errors: RetrosimError, ValueError."""
        getattr(self, f"_do_{action}")(argument)

    def key(self, key: str, *, ctrl: bool = False, alt: bool = False, shift: bool = False) -> bool:
        """Handle a key that went down; return whether it was the panel's."""
        chord = chord_name(key, ctrl=ctrl, alt=alt, shift=shift)
        action = next((command.action for command in self.commands if chord in command.chords), None)
        if action is not None:
            self.do(action)
        return action is not None

    def text(self, text: str) -> bool:
        """Handle typed text; return whether it was the panel's."""
        return False

    @abstractmethod
    def scroll(self, y: float, rows: int) -> None:
        """Handle the wheel. y: pixels of the panel; rows: downwards."""

    def help(self) -> list[tuple[str, str]]:
        """Return the rows of the help panel, (keys, meaning)."""
        return panel_lines(self.commands)

    @abstractmethod
    def close(self) -> list[str] | None:
        """Take the debugger off the machine if it was the panel's alone.

        Returns  places of breakpoints, to be set when a debugger is opened next; None leaves those as they are
        """


def draw_buttons(image: np.ndarray, panel: Panel, left: int, top: int, pressed: Collection[str] = ()) -> None:
    """Draw a row of the panel's buttons, those of some commands pressed, and note where they are clicked."""
    for command in panel.commands:
        if not command.button:
            continue
        stops = command.action == "go" and panel.is_running
        text, is_on = "Stop" if stops else command.button, stops or command.action in pressed
        rect = (left, top, left + text_width(text) + 7, top + 15)
        paint_rect(image, rect, foreground=INK if is_on else PAPER)
        frame_rect(image, rect, foreground=INK)
        draw_text(image, left + 4, top + 3, text, PAPER if is_on else INK)
        panel.zones.append(Zone(rect, command.action))
        left = rect[2] + 2
