"""The window: keys, mouse and OpenGL around a `Session`.

The picture stays indexed until it is drawn: one texture holds the palette indices, another the 256 colours, and the
fragment shader looks them up. Toolbar and status bar are drawn the same way, overlays as RGBA on top of the picture.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from retrosim.errors import RetrosimError
from retrosim.machine.interface import AnyMachine
from retrosim.screen.framebuffer import HEIGHT, WIDTH, Rect, macintosh_palette

from .chrome import ROW, Layout, button_at, chrome_height, first_size, layout, scaled, tip_rect, window_size
from .compose import compose, compose_waiting, draw_tip
from .controls import BY_CHORD, PAD, SCALES, Control, chord_name, tip
from .gamepads import Gamepads
from .pacer import IDLE_NS
from .seek import BAR_HEIGHT
from .session import MakeRecorder, Player, Session
from .transport import run_ahead

# Keys and clicks become commands; which keys are down is remembered, so that none of them gets stuck.


class Inputs:
    """Keyboard and mouse of one window.

    session  Callable[[], Session or None]   the session, None until the machine is ready
    act      Callable[[str, int], None]      carries out an action that does not last while a key is down
    """

    def __init__(self, session: Callable[[], Session | None], act: Callable[[str, int], None]) -> None:
        self._session, self._act = session, act
        self._down: dict[str, str | int] = {}  # key -> held action or bit of the pad
        self._at_release: dict[str, tuple[str, int]] = {}  # key that is down -> action and argument
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
        if control.at_release:
            self._at_release[key] = control.action, argument
            return
        self._asked_help = control.action == "help"
        self._act(control.action, argument)

    def key_up(self, key: str) -> None:
        """Handle a key that was released; what another key still holds down goes on."""
        if action := self._at_release.pop(key, None):
            self._act(*action)
        held = self._down.pop(key, None)
        session = self._session()
        if held is None or session is None or held in self._down.values():
            return
        if isinstance(held, int):
            session.press(held, False)
        else:
            session.hold(held, False)

    def controller_holds(self, name: str, bits: int) -> None:
        """Handle a game controller. name: tells it from others; bits: of the pad, those that it holds down now."""
        session = self._session()
        for bit in PAD.values():
            key = f"{name}, bit {bit}"
            if bits & bit and key not in self._down:
                self._down[key] = bit
                if session is not None:
                    session.press(bit, True)
            elif not bits & bit and key in self._down:
                self.key_up(key)

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
        self._at_release.clear()
        self._clicked = None
        session = self._session()
        if session is not None:
            session.release_all()


# Images are drawn into rectangles of the window with OpenGL 3.3.

HEADLESS = "retrosim run --headless --frames 120 --screenshot shot.png"

_VERTEX = """#version 330 core
out vec2 position;
void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    position = vec2(corner.x, 1.0 - corner.y);
    gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}
"""
_INDEXED = """#version 330 core
uniform usampler2D pixels;
uniform sampler2D palette;
vec4 texel(ivec2 place) {
    uint index = texelFetch(pixels, place, 0).r;
    return vec4(texelFetch(palette, ivec2(index, 0), 0).rgb, 1.0);
}
"""
_RGBA = """#version 330 core
uniform sampler2D pixels;
vec4 texel(ivec2 place) {
    return texelFetch(pixels, place, 0);
}
"""
_FRAGMENT = """
uniform vec2 texels;  // per pixel of the window, 0 where a texel fills whole pixels
in vec2 position;
out vec4 colour;
const int MOST = 16;
void main() {
    ivec2 size = textureSize(pixels, 0);
    if (texels == vec2(0.0)) {
        colour = texel(clamp(ivec2(position * size), ivec2(0), size - 1));
        return;
    }
    vec2 first = position * vec2(size) - texels / 2.0, last = first + texels;
    ivec2 begin = max(ivec2(floor(first)), ivec2(0)), end = min(ivec2(ceil(last)), min(size, begin + MOST));
    vec4 sum = vec4(0.0);
    float area = 0.0;
    for (int y = begin.y; y < end.y; y++)
        for (int x = begin.x; x < end.x; x++) {
            vec2 part = max(min(last, vec2(x + 1, y + 1)) - max(first, vec2(x, y)), 0.0);
            vec4 here = texel(ivec2(x, y));
            sum += part.x * part.y * vec4(here.rgb * here.a, here.a);
            area += part.x * part.y;
        }
    colour = vec4(sum.rgb / max(sum.a, 1e-6), sum.a / max(area, 1e-6));
}
"""
"""A pixel of the window is the mean of the texels below it, by area: sharp where a texel fills whole pixels."""


class Canvas:
    """Draws images into rectangles of the window with OpenGL 3.3."""

    def __init__(self) -> None:
        from pyglet import gl
        from pyglet.graphics.shader import Shader, ShaderProgram

        self._gl = gl
        self._programs = {
            kind: ShaderProgram(Shader(_VERTEX, "vertex"), Shader(source + _FRAGMENT, "fragment"))
            for kind, source in (("indexed", _INDEXED), ("rgba", _RGBA))
        }
        self._programs["indexed"]["palette"] = 1
        self._textures: dict[str, int] = {}
        array = gl.GLuint()
        gl.glGenVertexArrays(1, array)
        gl.glBindVertexArray(array)
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
        gl.glBlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        self._array = array

    def begin(self, width: int, height: int) -> None:
        """Start drawing in a black window of this size, pixels."""
        gl = self._gl
        self._height = height
        gl.glBindVertexArray(self._array)
        gl.glViewport(0, 0, width, height)
        gl.glClearColor(0.0, 0.0, 0.0, 1.0)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT)

    def _fill(self, name: str, unit: int, pixels: np.ndarray, formats: tuple[int, int]) -> None:
        gl = self._gl
        gl.glActiveTexture(gl.GL_TEXTURE0 + unit)
        if name not in self._textures:
            texture = gl.GLuint()
            gl.glGenTextures(1, texture)
            self._textures[name] = texture.value
            gl.glBindTexture(gl.GL_TEXTURE_2D, texture)
            for setting in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
                gl.glTexParameteri(gl.GL_TEXTURE_2D, setting, gl.GL_NEAREST)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._textures[name])
        pixels = np.ascontiguousarray(pixels)
        height, width = pixels.shape[:2]
        stored, given = formats
        gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, stored, width, height, 0, given, gl.GL_UNSIGNED_BYTE, pixels.ctypes.data)

    def indexed(self, name: str, pixels: np.ndarray, palette: np.ndarray, rect: Rect) -> None:
        """Draw palette indices, uint8[height, width], with their palette, uint8[256, 3]."""
        gl = self._gl
        self._fill(f"{name} palette", 1, palette[None], (gl.GL_RGB8, gl.GL_RGB))
        self._fill(name, 0, pixels, (gl.GL_R8UI, gl.GL_RED_INTEGER))
        self._paint("indexed", pixels, rect)

    def rgba(self, name: str, pixels: np.ndarray, rect: Rect) -> None:
        """Draw an RGBA image, uint8[height, width, 4], over what is there."""
        gl = self._gl
        self._fill(name, 0, pixels, (gl.GL_RGBA8, gl.GL_RGBA))
        gl.glEnable(gl.GL_BLEND)
        self._paint("rgba", pixels, rect)
        gl.glDisable(gl.GL_BLEND)

    def _paint(self, kind: str, pixels: np.ndarray, rect: Rect) -> None:
        left, top, right, bottom = rect
        gl, program, (height, width) = self._gl, self._programs[kind], pixels.shape[:2]
        is_sharp = not (right - left) % width and not (bottom - top) % height
        program["texels"] = (0, 0) if is_sharp else (width / max(1, right - left), height / max(1, bottom - top))
        program.use()
        gl.glViewport(left, self._height - bottom, right - left, bottom - top)
        gl.glDrawArrays(gl.GL_TRIANGLE_STRIP, 0, 4)


def open_window(size: Callable[[int, int], tuple[int, int]], title: str, **options: bool) -> tuple[Any, Any, Canvas]:
    """Open a window on the desktop: pyglet, its window, and what is drawn on.

    size     width and height of the screen -> of the window, pixels
    options  of pyglet's window
    Errors   RetrosimError  there is no display or no OpenGL 3.3
    """
    opened = None
    try:
        import pyglet

        pyglet.options["shadow_window"] = False
        from pyglet import app, display, window  # noqa: F401 - so that pyglet has them

        screen = display.get_display().get_default_screen()
        opened = window.Window(*size(screen.width, screen.height), title, resizable=True, **options)
        opened.switch_to()
        return pyglet, opened, Canvas()
    except Exception as error:  # pyglet raises many kinds: no display, no OpenGL, a broken driver
        if opened is not None:
            opened.close()
        first = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
        has_display = type(error).__name__ != "NoSuchDisplayException"
        reason = f"OpenGL 3.3 is not available ({first})" if has_display else "there is no display"
        raise RetrosimError(f"cannot open a window: {reason}; to run without one: {HEADLESS}") from error


@cache
def controller_manager() -> Any:
    """Return what tells of game controllers, one for all windows; None where the system has no such thing."""
    try:
        from pyglet.input import ControllerManager

        return ControllerManager()
    except Exception:  # of pyglet and the system, of many kinds: no such folder, no right to look into it
        return None


def held_modifiers(key: Any, modifiers: int) -> dict[str, bool]:
    """Return which of the modifiers of a chord are down. key: pyglet's module; modifiers: its bits."""
    control = key.MOD_COMMAND if sys.platform == "darwin" else key.MOD_CTRL
    bits = {"ctrl": control, "alt": key.MOD_ALT, "shift": key.MOD_SHIFT}
    return {name: bool(modifiers & bit) for name, bit in bits.items()}


REDRAW_NS = 250_000_000
"""Longest time between two drawings of the window."""
TIP_NS = 400_000_000
"""How long the mouse is over a button before its tooltip is shown."""
Report = Callable[[str], None]
MakeMachine = Callable[[Report], AnyMachine]


class Window:
    """A machine on the desktop. `run` shows it until the user closes it.

    machine   a machine, or a function that makes one: then the window opens first and the function runs in another
              thread; it gets a function to which it can give texts that tell what it is doing
    title     of the window
    subject   what is to run, "sectors on mc68040-25", until the machine itself can tell
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
        subject: str = "",
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
        self._title, self._subject, self._notice = title, subject or title, "starting the machine"
        self._inputs = Inputs(lambda: self.session, self.act)
        self._gamepads: Gamepads | None = None
        self._dirty, self._drawn = True, 0
        self._tip: tuple[str, Rect] | None = None
        self._tip_since = 0
        self._failure: BaseException | None = None
        self._made: list[AnyMachine] = []
        self._palette = macintosh_palette()
        self._opened = clock()
        self._open(f"{subject} - {title}" if subject else title, scale, is_fullscreen)
        self._worker: threading.Thread | None = None
        if callable(machine):
            self._window.draw(0.0)  # before the work begins, which may keep this thread waiting
            self._worker = threading.Thread(target=self._make, args=(machine,), name="machine")
            self._worker.start()
        else:
            self._start(machine)

    def _open(self, title: str, scale: int | None, is_fullscreen: bool) -> None:
        def size(width: int, height: int) -> tuple[int, int]:
            if scale is None:
                return first_size(width, height, self._extra)
            return WIDTH * scale, HEIGHT * scale + chrome_height(WIDTH * scale, scale, self._extra)

        opened = open_window(size, title, fullscreen=is_fullscreen, visible=False)
        self._pyglet, self._window, self._canvas = opened
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
        self.session.began = self._opened
        self._window.set_caption(f"{self.session.title} - {self._title}")
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
                self._pyglet.app.run(None)
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
        if self._gamepads is None and self.session is not None:  # not before: looking for them takes time
            self._gamepads = Gamepads(self._inputs.controller_holds, self.say)
            manager = controller_manager()
            if manager is not None:
                self._gamepads.use(manager)
        changed = self.session.advance() if self.session else True
        if changed or self._dirty or self.clock() - self._drawn > REDRAW_NS:
            self._window.draw(0.0)

    def close(self) -> None:
        """Finish the recording, if there is one, and close the window. A second call does nothing."""
        if not self.is_open:
            return
        if self.session is not None:
            self.session.close()
        if self._gamepads is not None:
            self._gamepads.close()
        self._window.close()

    # Drawing

    def on_draw(self) -> bool:
        width, height = self._window.get_framebuffer_size()
        parts = layout(width, height, self._extra)
        session, canvas = self.session, self._canvas
        canvas.begin(width, height)
        if session is None:
            seconds = (self.clock() - self._opened) / 1e9
            images = compose_waiting(self._subject, self._notice, seconds, parts.chrome_width)
        else:
            images = compose(session, parts.chrome_width)
            canvas.indexed("picture", session.machine.frame, session.machine.palette, parts.picture)
        if images.overlay is not None:
            canvas.rgba("overlay", images.overlay, parts.picture)
        canvas.indexed("toolbar", images.toolbar, self._palette, parts.toolbar)
        canvas.indexed("status bar", images.status_bar, self._palette, parts.status_bar)
        if self._tip is not None and self.clock() - self._tip_since >= TIP_NS:
            text, button = self._tip
            image = draw_tip(text)
            canvas.rgba("tip", image, tip_rect(image, button, parts))
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
            self.on_deactivate()  # on X11 it is another window now, which is not told that keys come up
        elif action == "scale":
            self._rescale(argument)
        elif self.session is not None:
            self.session.do(action, argument)
            if self.session.is_ending:
                self.close()

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
        self._inputs.key_down(key.symbol_string(symbol), **held_modifiers(key, modifiers))
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
        self._tip = None
        if button == self._pyglet.window.mouse.LEFT:
            scale, inputs = self._layout().chrome_scale, self._inputs
            if not (inputs.panel_clicked(*self._on_picture(x, y)) or inputs.bar_pressed(*self._on_bar(x, y))):
                inputs.button_down(button_at(*(each / scale for each in self._in_window(x, y))))
            self._dirty = True
        return True

    def on_mouse_motion(self, x: float, y: float, *_: object) -> bool:
        tip = self._tip_at(x, y)
        if tip != self._tip:
            self._tip, self._tip_since, self._dirty = tip, self.clock(), True
        return True

    def on_mouse_leave(self, *_: object) -> bool:
        self._tip, self._dirty = None, True
        return True

    def _tip_at(self, x: float, y: float) -> tuple[str, Rect] | None:
        """Return the tooltip of the button at a place of the mouse, and the button's rectangle in the window."""
        parts, session = self._layout(), self.session
        place = [side / parts.chrome_scale for side in self._in_window(x, y)]
        for button in ROW:
            if button_at(*place) is button.control:
                return tip(button.control), scaled(button.rect, parts.chrome_scale)
        if session is None or session.panel is None or session.shows_help or session.panel.shows_screen:
            return None
        of_panel = session.panel.tip_at(*self._on_picture(x, y))
        return of_panel and (of_panel[0], scaled(of_panel[1], parts.scale, parts.picture[:2]))

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
