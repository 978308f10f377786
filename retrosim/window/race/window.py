"""The window of a race: keys and OpenGL around a `RaceSession`."""

from __future__ import annotations

import numpy as np

from retrosim.screen.framebuffer import Rect

from ..canvas import Canvas, cannot_open
from ..layout import MARGIN
from .session import RaceSession

OPAQUE = 255


class RaceWindow:
    """A race on the desktop. `run` shows it until the user closes it. Errors: RetrosimError: no display, no OpenGL."""

    def __init__(self, session: RaceSession) -> None:
        self.session = session
        height, width = session.picture().shape[:2]
        opened = None
        try:
            import pyglet

            pyglet.options["shadow_window"] = False
            from pyglet import app, display, window

            screen = display.get_display().get_default_screen()
            left, top, right, bottom = _fit(width, height, screen.width, screen.height - MARGIN)
            opened = window.Window(right - left, bottom - top, "retrosim race", resizable=True)
            opened.switch_to()
            self._pyglet, self._app, self._window, self._canvas = pyglet, app, opened, Canvas()
        except Exception as error:  # pyglet raises many kinds: no display, no OpenGL, a broken driver
            if opened is not None:
                opened.close()
            raise cannot_open(error) from error
        self._window.push_handlers(self)

    def run(self) -> None:
        """Show the window until it is closed. Errors: TapeError."""
        self._pyglet.clock.schedule_once(self._turn, 0)
        try:
            self._app.run(None)
        finally:
            self._pyglet.clock.unschedule(self._turn)
            if self._window.context is not None:
                self._window.close()

    def _turn(self, _: float) -> None:
        session = self.session
        if session.advance():
            self._window.draw(0.0)
        if not session.is_open:
            self._window.close()
            return
        self._pyglet.clock.schedule_once(self._turn, session.wait_ns() / 1e9)

    def on_draw(self) -> bool:
        picture = self.session.picture()
        height, width = picture.shape[:2]
        across, down = self._window.get_framebuffer_size()
        self._canvas.begin(across, down)
        image = np.full((height, width, 4), OPAQUE, np.uint8)
        image[:, :, :3] = picture
        self._canvas.rgba("race", image, _fit(width, height, across, down))
        return True

    def on_key_press(self, symbol: int, _: int) -> bool:
        if self.session.press(self._pyglet.window.key.symbol_string(symbol)):
            self._window.draw(0.0)
        return True

    def on_close(self) -> bool:
        self.session.is_open = False
        return True


def _fit(width: int, height: int, across: int, down: int) -> Rect:
    """Return where a picture goes in a window: in the middle, in whole multiples of its size if it fits."""
    scale = min(across / width, down / height)
    scale = max(1, int(scale)) if scale >= 1 else scale
    columns, rows = max(1, round(width * scale)), max(1, round(height * scale))
    left, top = (across - columns) // 2, (down - rows) // 2
    return left, top, left + columns, top + rows
