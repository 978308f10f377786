"""Turns keys and clicks into commands, and remembers which keys are down so that none of them gets stuck."""

from __future__ import annotations

from collections.abc import Callable

from retrosim.screen.framebuffer import HEIGHT, WIDTH

from .controls import BY_CHORD, PAD, Control, chord_name
from .seek import BAR_HEIGHT
from .session import Session


class Inputs:
    """Keyboard and mouse of one window.

    session  Callable[[], Session or None]   the session, None until the machine is ready
    act      Callable[[str, int], None]      carries out an action that does not last while a key is down
    """

    def __init__(self, session: Callable[[], Session | None], act: Callable[[str, int], None]) -> None:
        self._session, self._act = session, act
        self._down: dict[str, str | int] = {}  # key -> held action or bit of the pad
        self._clicked: Control | None = None
        self._asked_help = False
        self._drags = False

    def key_down(self, key: str, *, ctrl: bool = False, alt: bool = False, shift: bool = False) -> None:
        """Handle a key that went down.

        key      pyglet's name of it
        """
        session = self._session()
        self._asked_help = False
        if session and session.panel is not None and session.panel.key(key, ctrl=ctrl, alt=alt, shift=shift):
            session.panel_acted()
            return
        if key in PAD and not (ctrl or alt):
            self._down[key] = PAD[key]
            if session:
                session.press(PAD[key], True)
            return
        control, argument = BY_CHORD.get(chord_name(key, ctrl=ctrl, alt=alt, shift=shift), (None, 0))
        if control is None:
            return
        if control.is_held:
            self._down[key] = control.action
            if session:
                session.hold(control.action, True)
            return
        self._asked_help = control.action == "help"
        self._act(control.action, argument)

    def key_up(self, key: str) -> None:
        """Handle a key that was released; what another key still holds down goes on."""
        held = self._down.pop(key, None)
        session = self._session()
        if held is None or session is None or held in self._down.values():
            return
        if isinstance(held, int):
            session.press(held, False)
        else:
            session.hold(held, False)

    def text(self, text: str) -> None:
        """Handle typed text: "?" shows or hides the help panel, wherever it is on the keyboard."""
        session = self._session()
        if session is not None and session.panel is not None and session.panel.text(text):
            return
        if text == "?" and not self._asked_help:
            self._act("help", 0)
        self._asked_help = False

    def button_down(self, control: Control | None) -> None:
        """Handle a click on a button, or outside of all buttons (None), which closes the help panel."""
        session = self._session()
        if control is None:
            if session is not None and session.shows_help:
                self._act("help", 0)
        elif not control.is_held:
            self._act(control.action, control.value)
        elif session is not None:
            self._clicked = control
            session.hold(control.action, True)

    def panel_clicked(self, x: float, y: float) -> bool:
        """Handle a click on a panel, if one is open. x, y: its pixels; what lies outside is not its."""
        session = self._session()
        inside = 0 <= x < WIDTH and 0 <= y < HEIGHT
        if session is None or session.panel is None or session.shows_help or not inside:
            return False
        session.panel.click(x, y)
        session.panel_acted()
        return True

    def bar_pressed(self, x: float, y: float, width: int) -> bool:
        """Handle a press on the bar of a tape's places, if there is one. x, y: pixels of the status bar; width: its."""
        session = self._session()
        self._drags = session is not None and session.seek is not None and 0 <= y < BAR_HEIGHT
        self.bar_dragged(x, width)
        return self._drags

    def bar_dragged(self, x: float, width: int) -> None:
        """Handle the mouse while its button is down: after a press on the bar, the tape goes to the place below it."""
        session = self._session()
        if self._drags and session is not None and session.seek is not None:
            frame = session.seek.frame_at(x, width)
            if frame != session.seek.here:
                self._act("seek", frame)

    def panel_scrolled(self, y: float, rows: int) -> None:
        """Handle the mouse wheel over a panel. y: its pixels; rows: downwards."""
        session = self._session()
        if session is not None and session.panel is not None:
            session.panel.scroll(y, rows)

    def button_up(self) -> None:
        """Handle the release of the mouse button, wherever it happens."""
        session, clicked = self._session(), self._clicked
        self._clicked, self._drags = None, False
        if clicked is not None and session is not None and clicked.action not in self._down.values():
            session.hold(clicked.action, False)

    def release_all(self) -> None:
        """Release every key and button: the window lost the keyboard focus."""
        self._down.clear()
        self._clicked = None
        session = self._session()
        if session is not None:
            session.release_all()
