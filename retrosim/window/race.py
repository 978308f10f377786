"""A race in a window: machines that play one tape, side by side. Its picture, pace and keys, and the window itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from retrosim.screen.font import draw_text, text_width
from retrosim.screen.framebuffer import HEIGHT, WIDTH, Rect
from retrosim.screen.overlay import clear_overlay
from retrosim.tape.race import Race, Racer

from .chrome import MARGIN
from .compose import draw_help
from .controls import RACE, chord_name
from .pacer import IDLE_NS, SPEEDS
from .pyglet_window import held_modifiers, open_window
from .session import KEYS_HINT

# The picture: that of every machine, below it its name, frame, how busy it is with the frame that is shown, with a bar,
# and how much of all its frames was work and how much it waited for its screen.

STRIP = 68  # pixels below a picture
COLUMNS = 2
WHITE, BLACK, GREEN, RED = (255, 255, 255), (0, 0, 0), (0, 136, 0), (204, 0, 0)
BAR = (400, 28, 624, 40)  # left, top, right, bottom within the strip
FULL = 160  # pixels of the bar that are one frame's clocks


def draw_race(race: Race) -> np.ndarray:
    """Return the picture: uint8[height, width, 3] RGB, two machines side by side, four in two rows."""
    racers = race.racers
    columns, rows = min(COLUMNS, len(racers)), -(-len(racers) // COLUMNS)
    picture = np.zeros((rows * (HEIGHT + STRIP), columns * WIDTH, 3), np.uint8)
    for number, racer in enumerate(racers):
        top, left = number // COLUMNS * (HEIGHT + STRIP), number % COLUMNS * WIDTH
        shown = racer.shown
        picture[top : top + HEIGHT, left : left + WIDTH] = shown.palette[shown.pixels]
        _draw_strip(picture[top + HEIGHT : top + HEIGHT + STRIP, left : left + WIDTH], racer, race)
    return picture


def _draw_strip(strip: np.ndarray, racer: Racer, race: Race) -> None:
    shown, available = racer.shown, racer.frame_clocks
    strip[:] = WHITE
    strip[0] = strip[:, 0] = BLACK
    draw_text(strip, 10, 8, racer.name, BLACK, bold=True, scale=1)
    draw_text(strip, 200, 8, f"frame {shown.frame:,}", BLACK)
    state = f"finished at {float(shown.seconds):.2f} s" if racer.is_finished else f"{float(race.time):.2f} s"
    draw_text(strip, WIDTH - 16 - text_width(state), 8, state, BLACK, bold=False)
    if not available:
        draw_text(strip, 10, 28, "no CPU: kernels", BLACK)
        return
    share = float(100 * shown.clocks / available)
    work = f"{float(1000 * shown.clocks / racer.machine.clock_hz):.2f} ms of work"
    draw_text(strip, 10, 28, f"{shown.clocks:,} clocks, {work}, {share:,.0f} % of a period", BLACK)
    if racer.work is not None:
        screen = f"{racer.wait:.2f} ms wait for the screen of {float(racer.machine.frame_hz):.3f} Hz"
        draw_text(strip, 10, 48, f"per frame so far: {racer.work:.2f} ms of work, {screen}", BLACK)
    left, top, right, bottom = BAR
    strip[top:bottom, left:right] = BLACK
    strip[top + 1 : bottom - 1, left + 1 : right - 1] = WHITE
    end = left + 1 + min(right - left - 2, int(FULL * shown.clocks / available))
    strip[top + 1 : bottom - 1, left + 1 : end] = GREEN if shown.clocks <= available else RED
    strip[top - 2 : bottom + 2, left + 1 + FULL] = BLACK


STEP = Fraction(1, 60)
"""Simulated seconds between two looks at the racers; in step, a frame."""
LATE_NS = 200_000_000
"""What the host is behind by is dropped beyond this: a race that it cannot keep up with runs slower."""
HINT = 18  # pixels of the line below
LEAVING_NS = 4_000_000_000
"""Time in which Esc, pressed again, quits."""


class RaceSession:
    """A race in use.

    clock  Callable[[], int]  host nanoseconds
    """

    def __init__(self, race: Race, clock: Callable[[], int] = time.perf_counter_ns) -> None:
        self.race, self.clock = race, clock
        self.speed, self.is_paused, self.is_open = Fraction(1), False, True
        self.shows_help = False  # then nothing runs
        self._due, self._leaves_until = clock(), 0

    def advance(self) -> bool:
        """Run what is due; return whether anything moved. Errors: TapeError."""
        now = self.clock()
        if self.is_paused or self.shows_help or self.race.is_finished:
            self._due = now
            return False
        period = int(STEP * 1_000_000_000 / self.speed)
        moved = False
        while self._due <= now and not self.race.is_finished:
            self.race.advance(STEP)
            self._due += period
            moved, now = True, self.clock()
            if now - self._due > LATE_NS:
                self._due = now
                break
        return moved

    def wait_ns(self) -> int:
        """Return the nanoseconds until `advance` should be called again."""
        return min(IDLE_NS, max(0, self._due - self.clock()))

    def press(self, chord: str) -> bool:
        """Do what a chord asks for; return whether it means anything. Errors: TapeError."""
        action = next((command.action for command in RACE if chord in command.chords), None)
        if action is not None:
            getattr(self, f"_do_{action}")()
        return action is not None

    def _do_pause(self) -> None:
        self.is_paused = not self.is_paused

    def _do_frame(self) -> None:
        self.is_paused = True
        self.race.advance(STEP)

    def _do_slower(self) -> None:
        self.speed = SPEEDS[max(0, SPEEDS.index(self.speed) - 1)]

    def _do_normal(self) -> None:
        self.speed = Fraction(1)

    def _do_faster(self) -> None:
        self.speed = SPEEDS[min(len(SPEEDS) - 1, SPEEDS.index(self.speed) + 1)]

    def _do_help(self) -> None:
        self.shows_help = not self.shows_help

    def _do_leave(self) -> None:
        if self.shows_help:
            self.shows_help = False
        elif self.clock() < self._leaves_until:
            self.is_open = False
        else:
            self._leaves_until = self.clock() + LEAVING_NS

    def _do_quit(self) -> None:
        self.is_open = False

    def picture(self) -> np.ndarray:
        """Return what the window shows: uint8[height, width, 3] RGB."""
        race = draw_race(self.race)
        line = np.empty((HINT, race.shape[1], 3), np.uint8)
        line[:] = WHITE
        line[0] = BLACK
        finished = "finished" + (f": {verdict}" if (verdict := self.race.verdict()) else "")
        stopped = self.is_paused or self.shows_help
        state = finished if self.race.is_finished else "paused" if stopped else f"speed {self.speed}x"
        hint = "Esc again quits" if self.clock() < self._leaves_until else KEYS_HINT
        draw_text(line, 10, 6, f"{state}   {hint}", BLACK)
        if self.shows_help:
            _draw_keys(race)
        return np.concatenate([race, line])


def _draw_keys(picture: np.ndarray) -> None:
    """Draw the list of keys into the middle of a picture."""
    overlay = clear_overlay()
    draw_help(overlay, [(command.shown, command.does) for command in RACE], "Keys of the race")
    top, left = ((whole - part) // 2 for whole, part in zip(picture.shape, overlay.shape[:2]))
    area, is_drawn = picture[top : top + HEIGHT, left : left + WIDTH], overlay[..., 3] > 0
    area[is_drawn] = overlay[is_drawn, :3]


OPAQUE = 255


class RaceWindow:
    """A race on the desktop. `run` shows it until the user closes it. Errors: RetrosimError: no display, no OpenGL."""

    def __init__(self, session: RaceSession) -> None:
        self.session = session
        height, width = session.picture().shape[:2]

        def size(across: int, down: int) -> tuple[int, int]:
            left, top, right, bottom = _fit(width, height, across, down - MARGIN)
            return right - left, bottom - top

        self._pyglet, self._window, self._canvas = open_window(size, "retrosim race")
        self._window.push_handlers(self)

    def run(self) -> None:
        """Show the window until it is closed. Errors: TapeError."""
        self._window.draw(0.0)  # before the machines run, which may keep the window waiting
        self._pyglet.clock.schedule_once(self._turn, 0)
        try:
            self._pyglet.app.run(None)
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

    def on_key_press(self, symbol: int, modifiers: int) -> bool:
        key = self._pyglet.window.key
        if self.session.press(chord_name(key.symbol_string(symbol), **held_modifiers(key, modifiers))):
            self._window.draw(0.0)
        return True

    def on_close(self) -> bool:
        self.session.is_open = False
        return True


def _fit(width: int, height: int, across: int, down: int) -> Rect:
    """Return where a picture goes in a window: in the middle, in multiples of half its size if it fits."""
    scale = min(across / width, down / height)
    scale = int(2 * scale) / 2 if scale >= 1 else scale
    columns, rows = max(1, round(width * scale)), max(1, round(height * scale))
    left, top = (across - columns) // 2, (down - rows) // 2
    return left, top, left + columns, top + rows
