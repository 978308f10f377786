"""The window: keys, mouse and OpenGL around a `Session`.

The picture stays indexed until it is drawn: one texture holds the palette indices, another the 256 colours, and the
fragment shader looks them up. Toolbar and status bar are drawn the same way, overlays as RGBA on top of the picture.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from retrosim.machine.interface import AnyMachine
from retrosim.screen.framebuffer import HEIGHT, WIDTH, macintosh_palette

from .canvas import Canvas, cannot_open
from .chrome import button_at
from .compose import compose, compose_waiting
from .controls import SCALES
from .inputs import Inputs
from .layout import Layout, chrome_height, first_size, layout, window_size
from .pacer import IDLE_NS
from .seek import BAR_HEIGHT
from .session import MakeRecorder, Player, Session
from .transport import run_ahead

REDRAW_NS = 250_000_000
"""Longest time between two drawings of the window."""
Report = Callable[[str], None]
MakeMachine = Callable[[Report], AnyMachine]


class Window:
    """A machine on the desktop. `run` shows it until the user closes it.

    machine   a machine, or a function that makes one: then the window opens first and the function runs in another
              thread; it gets a function to which it can give texts that tell what it is doing
    title     of the window
    recorder  MakeRecorder or None                 starts a tape
    player    Callable[[machine], Player] or None  replays a tape
    folder    Callable[[str], Path]                folder for files of a kind ("states", "shots")
    scale     1..4 or None                         window pixels per pixel; default: the largest that fits the screen
    clock     Callable[[], int]                    host nanoseconds

    Errors    RetrosimError  there is no display or no OpenGL 3.3; ValueError  scale
    """

    def __init__(
        self,
        machine: AnyMachine | MakeMachine,
        *,
        title: str = "retrosim",
        recorder: MakeRecorder | None = None,
        player: Callable[[AnyMachine], Player] | None = None,
        folder: Callable[[str], Path] | None = None,
        scale: int | None = None,
        is_fullscreen: bool = False,
        clock: Callable[[], int] = time.perf_counter_ns,
    ) -> None:
        if scale is not None and scale not in SCALES:
            raise ValueError(f"scale {scale}: allowed {SCALES[0]}..{SCALES[-1]}")
        self.clock = clock
        self.session: Session | None = None
        self._extra = BAR_HEIGHT if player is not None else 0
        self._recorder, self._player, self._folder = recorder, player, folder or _data_folder
        self._title, self._notice = title, "starting the machine"
        self._inputs = Inputs(lambda: self.session, self.act)
        self._dirty, self._drawn = True, 0
        self._failure: BaseException | None = None
        self._made: list[AnyMachine] = []
        self._palette = macintosh_palette()
        self._open(title, scale, is_fullscreen)
        self._opened = clock()
        self._worker: threading.Thread | None = None
        if callable(machine):
            self._worker = threading.Thread(target=self._make, args=(machine,), name="machine")
            self._worker.start()
        else:
            self._start(machine)

    def _open(self, title: str, scale: int | None, is_fullscreen: bool) -> None:
        opened = None
        try:
            import pyglet

            pyglet.options["shadow_window"] = False
            from pyglet import app, display, window

            self._pyglet = pyglet
            screen = display.get_display().get_default_screen()
            if scale is None:
                width, height = first_size(screen.width, screen.height, self._extra)
            else:
                width, height = WIDTH * scale, HEIGHT * scale + chrome_height(WIDTH * scale, scale, self._extra)
            opened = window.Window(width, height, title, resizable=True, fullscreen=is_fullscreen, visible=False)
            opened.switch_to()
            self._app, self._window, self._canvas = app, opened, Canvas()
        except Exception as error:  # pyglet raises many kinds: no display, no OpenGL, a broken driver
            if opened is not None:
                opened.close()
            raise cannot_open(error) from error
        self._window.push_handlers(self)
        self._window.set_minimum_size(WIDTH // 2, HEIGHT // 2)
        self._window.set_visible(True)

    # Making the machine

    def _make(self, factory: MakeMachine) -> None:
        try:
            machine = factory(self.say)
            run_ahead(machine)
            self._made.append(machine)
        except BaseException as error:  # raised again by `run`, in the main thread
            self._failure = error

    def _start(self, machine: AnyMachine) -> None:
        player = self._player(machine) if self._player else None
        self.session = Session(machine, folder=self._folder, clock=self.clock, recorder=self._recorder, player=player)
        self._window.set_caption(f"{self.session.program} on {machine.name} - {self._title}")
        self._dirty = True

    def say(self, text: str) -> None:
        """Show what is happening: in a box until the machine is ready, later as a message for a few seconds."""
        self._notice = text
        if self.session is not None:
            self.session.say(text)

    # The loop

    def run(self) -> None:
        """Show the window until it is closed.

        Errors   whatever was raised when the machine was made
        """
        self._pyglet.clock.schedule_once(self._turn_again, 0)
        try:
            if self.is_open:
                self._app.run(None)
        finally:
            self._pyglet.clock.unschedule(self._turn_again)
            self.close()
        if self._failure is not None:
            raise self._failure

    def _turn_again(self, _: float) -> None:
        self.turn()
        if self.is_open:
            wait = self.session.wait_ns() if self.session else IDLE_NS
            self._pyglet.clock.schedule_once(self._turn_again, wait / 1e9)

    @property
    def is_open(self) -> bool:
        """Whether the window is on the desktop."""
        return self._window.context is not None

    def turn(self) -> None:
        """Run what is due and draw if anything changed."""
        if self.session is None and self._made:
            self._start(self._made.pop())
        if self._failure is not None:
            self.close()
        if not self.is_open:
            return
        changed = self.session.advance() if self.session else True
        if changed or self._dirty or self.clock() - self._drawn > REDRAW_NS:
            self._window.draw(0.0)

    def close(self) -> None:
        """Finish the recording, if there is one, and close the window. A second call does nothing."""
        if not self.is_open:
            return
        if self.session is not None:
            self.session.close()
        self._window.close()

    # Drawing

    def on_draw(self) -> bool:
        width, height = self._window.get_framebuffer_size()
        parts = layout(width, height, self._extra)
        session, canvas = self.session, self._canvas
        canvas.begin(width, height)
        if session is None:
            seconds = (self.clock() - self._opened) / 1e9
            images = compose_waiting(self._title, self._notice, seconds, parts.chrome_width)
        else:
            images = compose(session, parts.chrome_width)
            canvas.indexed("picture", session.machine.frame, session.machine.palette, parts.picture)
        if images.overlay is not None:
            canvas.rgba("overlay", images.overlay, parts.picture)
        canvas.indexed("toolbar", images.toolbar, self._palette, parts.toolbar)
        canvas.indexed("status bar", images.status_bar, self._palette, parts.status_bar)
        self._dirty, self._drawn = False, self.clock()
        return True

    def on_resize(self, width: int, height: int) -> bool:
        self._dirty = True
        return True

    on_scale = on_resize

    def on_expose(self) -> None:
        self._dirty = True

    on_show = on_expose

    # What the user does

    def act(self, action: str, argument: int = 0) -> None:
        """Carry out an action of the control table."""
        self._dirty = True
        if action == "quit":
            self.close()
        elif action == "fullscreen":
            self._window.set_fullscreen(not self._window.fullscreen)
        elif action == "scale":
            self._rescale(argument)
        elif self.session is not None:
            self.session.do(action, argument)

    def _rescale(self, scale: int) -> None:
        screen, ratio = self._window.screen, self._window.get_pixel_ratio()
        size = window_size(scale, round(screen.width * ratio), round(screen.height * ratio), self._extra)
        if size is None:
            self.say(f"this screen ({screen.width}x{screen.height}) is too small for scale {scale}")
        elif self._window.fullscreen:
            self.say("leave full screen (F11) to change the size")
        else:
            self._window.set_size(*(round(side / ratio) for side in size))

    def on_close(self) -> bool:
        self.close()
        return True

    def on_key_press(self, symbol: int, modifiers: int) -> bool:
        key = self._pyglet.window.key
        control = key.MOD_COMMAND if sys.platform == "darwin" else key.MOD_CTRL
        self._inputs.key_down(
            key.symbol_string(symbol),
            ctrl=bool(modifiers & control),
            alt=bool(modifiers & key.MOD_ALT),
            shift=bool(modifiers & key.MOD_SHIFT),
        )
        self._dirty = True
        return True

    def on_key_release(self, symbol: int, _: int) -> bool:
        # On X11, pyglet names a key pressed with Shift after its character (GREATER), but its release without (PERIOD).
        # GREATER then stays in its set of keys that are down, and every further press counts as a repetition.
        if symbol not in self._pressed_keys():
            self._pressed_keys().clear()
        self._inputs.key_up(self._pyglet.window.key.symbol_string(symbol))
        self._dirty = True
        return True

    def _pressed_keys(self) -> set[int]:
        """The set itself; only pyglet's windows on X11 have one."""
        return getattr(self._window, "pressed_keys", set())

    def on_text(self, text: str) -> bool:
        self._inputs.text(text)
        return True

    def on_mouse_press(self, x: float, y: float, button: int, _: int) -> bool:
        if button == self._pyglet.window.mouse.LEFT:
            scale, inputs = self._layout().chrome_scale, self._inputs
            if not (inputs.panel_clicked(*self._on_picture(x, y)) or inputs.bar_pressed(*self._on_bar(x, y))):
                inputs.button_down(button_at(*(each / scale for each in self._in_window(x, y))))
            self._dirty = True
        return True

    def on_mouse_drag(self, x: float, y: float, *_: object) -> bool:
        self._inputs.bar_dragged(*self._on_bar(x, y)[::2])
        self._dirty = True
        return True

    def _layout(self) -> Layout:
        width, height = self._window.get_framebuffer_size()
        return layout(width, height, self._extra)

    def _in_window(self, x: float, y: float) -> tuple[float, float]:
        """Return a place of the mouse in pixels of the window, y downwards."""
        ratio = self._window.get_pixel_ratio()
        return x * ratio, self._window.get_framebuffer_size()[1] - 1 - y * ratio

    def _on_picture(self, x: float, y: float) -> tuple[float, float]:
        """Return a place of the mouse in pixels of the machine's picture; it may lie outside."""
        (across, down), parts = self._in_window(x, y), self._layout()
        left, top, *_ = parts.picture
        return (across - left) / parts.scale, (down - top) / parts.scale

    def _on_bar(self, x: float, y: float) -> tuple[float, float, int]:
        """Return a place of the mouse in pixels of the status bar, where it may lie outside, and the bar's width."""
        (across, down), parts = self._in_window(x, y), self._layout()
        return across / parts.chrome_scale, (down - parts.status_bar[1]) / parts.chrome_scale, parts.chrome_width

    def on_mouse_scroll(self, x: float, y: float, _: float, rows: float) -> bool:
        self._inputs.panel_scrolled(self._on_picture(x, y)[1], -round(rows))
        self._dirty = True
        return True

    def on_mouse_release(self, *_: object) -> bool:
        self._inputs.button_up()
        self._dirty = True
        return True

    def on_deactivate(self) -> None:
        self._pressed_keys().clear()
        self._inputs.release_all()
        self._dirty = True

    on_hide = on_deactivate


def _data_folder(kind: str) -> Path:
    from retrosim.cache.folders import user_folder

    return user_folder("data") / kind
