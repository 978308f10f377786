"""The window's own parts, in indices of the Macintosh palette: toolbar above the picture, status bar below it.

Neither hides any of the picture.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, runtime_checkable

import numpy as np

from retrosim.errors import RetrosimError
from retrosim.machine.interface import AnyMachine, Measurement, SimulatedMachine
from retrosim.report.text import counted
from retrosim.screen.font import ADVANCE, draw_text, text_width
from retrosim.screen.framebuffer import BLACK, HEIGHT, RED, WHITE, WIDTH, Rect, blank, frame_rect, paint_rect
from retrosim.screen.shapes import Shapes
from retrosim.table_1994.printed import OBJECTS, PRINTED, printed_cycles

from .controls import CONTROLS, GROUP_STARTS, Control

MIN_WIDTH = 640
ONE_LINE_WIDTH = 1200
"""From this width on, the status bar shows both lines of metrics in one row."""
TOOLBAR_HEIGHT = 17
PITCH = 10
SPEED_CHARACTERS = 5


@dataclass(frozen=True)
class Button:
    """A control on the toolbar and where it is: half-open rectangle, pixels of the toolbar."""

    control: Control
    rect: Rect
    text: str


def buttons() -> list[Button]:
    """Return the row of buttons, left to right."""
    row, left = [], 5
    for control in CONTROLS:
        if not control.button:
            continue
        if control.action in GROUP_STARTS:
            left += 5
        characters = SPEED_CHARACTERS if control.action == "normal" else len(control.button)
        right = left + text_width("0" * characters) + 6
        row.append(Button(control, (left, 2, right, TOOLBAR_HEIGHT - 2), control.button))
        left = right + 2
    return row


ROW = buttons()


def button_at(x: float, y: float) -> Control | None:
    """Return the control whose button contains a point; None where there is no button.

    x, y     pixels of the toolbar, y downwards
    """
    for button in ROW:
        left, top, right, bottom = button.rect
        if left <= x < right and top <= y < bottom:
            return button.control
    return None


def draw_toolbar(width: int, active: Collection[str], speed: str) -> np.ndarray:
    """Draw the row of buttons.

    width    int    pixels; less than 640 counts as 640
    active   actions that are on or held down: their buttons are white on black
    speed    text of the button that returns to normal speed
    Returns  uint8[17, width]  palette indices
    """
    bar = blank(max(width, MIN_WIDTH), TOOLBAR_HEIGHT)
    paint_rect(bar, (0, TOOLBAR_HEIGHT - 1, bar.shape[1], TOOLBAR_HEIGHT))
    for button in ROW:
        left, top, right, bottom = button.rect
        ink, paper = (WHITE, BLACK) if button.control.action in active else (BLACK, WHITE)
        paint_rect(bar, button.rect, foreground=paper)
        frame_rect(bar, button.rect)
        bar[[top, top, bottom - 1, bottom - 1], [left, right - 1, left, right - 1]] = WHITE  # round corners
        text = speed if button.control.action == "normal" else button.text
        centred = left + (right - left - text_width(text) + 1) // 2
        draw_text(bar, centred, top + 3, text, ink)
    return bar


def fitted(text: str, columns: int) -> str:
    """Return a text shortened to `columns` characters: "..." replaces the middle of a longer one."""
    if len(text) <= columns:
        return text
    head = columns // 3
    return f"{text[:head]}...{text[len(text) - (columns - head - 3) :]}"


def status_bar_height(width: int) -> int:
    """Return the height of the status bar of a window of this width; both in pixels of the bar."""
    return (2 if width >= ONE_LINE_WIDTH else 3) * PITCH + 4


def draw_status_bar(
    width: int, lines: Sequence[str], message: str, state: str, *, is_recording: bool = False, is_alarming: bool = False
) -> np.ndarray:
    """Draw the status bar.

    width         int        pixels; less than 640 counts as 640
    lines         list[str]  metrics, at most two lines
    message       str        what was just done, or the next instruction
    state         str        what the machine does, in capitals at the right; white on black if `is_alarming`
    is_recording  bool       show a red dot and REC to the left of the state
    Returns       uint8[status_bar_height(width), width]  palette indices
    """
    width = max(width, MIN_WIDTH)
    bar = blank(width, status_bar_height(width))
    paint_rect(bar, (0, 0, width, 1))
    rows = ["     ".join(lines), message] if width >= ONE_LINE_WIDTH else [*lines, *[""] * (2 - len(lines)), message]
    for row, line in enumerate(rows):
        draw_text(bar, 6, 4 + row * PITCH, fitted(line, (width - 12) // ADVANCE), BLACK)
    right = width - 6
    left = right - text_width(state, bold=True)
    paint_rect(bar, (left - 3, 2, right + 3, 13), foreground=BLACK if is_alarming else WHITE)
    draw_text(bar, left, 4, state, WHITE if is_alarming else BLACK, bold=True)
    if is_recording:
        left -= text_width("REC", bold=True) + 12
        paint_rect(bar, (left - 16, 2, left + 24, 13), foreground=WHITE)
        draw_text(bar, left, 4, "REC", BLACK, bold=True)
        _dot(bar, left - 13, 3)
    return bar


def _dot(pixels: np.ndarray, left: int, top: int) -> None:
    """Draw a red disc of nine pixels with a black rim."""
    down, across = np.mgrid[-4:5, -4:5]
    distance = down * down + across * across
    area = pixels[top : top + 9, left : left + 9]
    area[distance <= 20] = BLACK
    area[distance <= 11] = RED


# Where the parts of the window go: toolbar above, status bar below, the machine's screen between them.
#
# A scale is the number of window pixels per pixel of a part, in each direction. The picture gets the largest multiple
# of one half that fits, toolbar and status bar the largest whole number up to that one. Only in a window that is too
# small for scale 1 everything shrinks by a fraction. Every size down to one pixel has a layout.

MARGIN = 79
"""Rows of the screen left free for the desktop's own bars when a window size is chosen, pixels."""
MAX_CHROME_WIDTH = 8192
"""Width of toolbar and status bar, in their own pixels, that any graphics card takes as a texture; they end there."""


@dataclass(frozen=True)
class Layout:
    """Rectangles in pixels of the window, y downwards.

    scale         of the picture
    chrome_scale  of toolbar and status bar
    chrome_width  width of toolbar and status bar, in their own pixels
    """

    scale: float
    chrome_scale: float
    chrome_width: int
    picture: Rect
    toolbar: Rect
    status_bar: Rect


def chrome_height(width: int, scale: int, extra: int = 0) -> int:
    """Return the height of toolbar and status bar together in a window of this width, window pixels.

    extra   rows that the status bar has besides its own, in its pixels; so below
    """
    return (TOOLBAR_HEIGHT + status_bar_height(-(-width // scale)) + extra) * scale


def layout(width: int, height: int, extra: int = 0) -> Layout:
    """Return where the parts go in a window of this size, pixels."""
    for halves in range(max(2, 2 * width // WIDTH), 1, -1):
        scale = halves / 2
        for chrome_scale in range(halves // 2, 0, -1):
            free = height - chrome_height(width, chrome_scale, extra)
            if WIDTH * scale <= width and HEIGHT * scale <= free:
                return _placed(width, height, scale, chrome_scale, extra)
    full = HEIGHT + chrome_height(MIN_WIDTH, 1, extra)
    fraction = max(1, min(width / WIDTH, height / full) * full) / full
    return _placed(width, height, fraction, fraction, extra)


def _placed(width: int, height: int, scale: float, chrome_scale: float, extra: int) -> Layout:
    chrome_width = min(max(MIN_WIDTH, int(-(-width // chrome_scale))), MAX_CHROME_WIDTH)
    right = round(chrome_width * chrome_scale)
    above = round(TOOLBAR_HEIGHT * chrome_scale)
    below = height - round((status_bar_height(chrome_width) + extra) * chrome_scale)
    picture_width, picture_height = round(WIDTH * scale), round(HEIGHT * scale)
    left, top = (width - picture_width) // 2, above + (below - above - picture_height) // 2
    picture = (left, top, left + picture_width, top + picture_height)
    return Layout(scale, chrome_scale, chrome_width, picture, (0, 0, right, above), (0, below, right, height))


def window_size(scale: int, screen_width: int, screen_height: int, extra: int = 0) -> tuple[int, int] | None:
    """Return the window size for a scale of the picture, None if the screen is too small for it; all in pixels.

    Toolbar and status bar get the same scale if they fit, else the largest that fits.
    """
    width = WIDTH * scale
    for chrome_scale in range(scale, 0, -1):
        height = HEIGHT * scale + chrome_height(width, chrome_scale, extra)
        if width <= screen_width and height <= screen_height - MARGIN:
            return width, height
    return None


def first_size(screen_width: int, screen_height: int, extra: int = 0) -> tuple[int, int]:
    """Return the size that a window opens with, pixels: for the largest scale, up to 3, that fits the screen."""
    sizes = [window_size(scale, screen_width, screen_height, extra) for scale in (3, 2, 1)]
    return next((size for size in sizes if size), (WIDTH, HEIGHT + chrome_height(WIDTH, 1, extra)))


def scaled(rect: Rect, scale: float, corner: tuple[int, int] = (0, 0)) -> Rect:
    """Return a rectangle of a part of the window in pixels of the window.

    scale    of the part
    corner   its upper left one, in pixels of the window
    """
    left, top, right, bottom = (round(side * scale) for side in rect)
    return left + corner[0], top + corner[1], right + corner[0], bottom + corner[1]


def tip_rect(image: np.ndarray, button: Rect, parts: Layout) -> Rect:
    """Return where a tooltip goes: below its button, or left of that where the window ends; pixels of the window."""
    height, width = (round(side * parts.chrome_scale) for side in image.shape[:2])
    left = max(0, min(button[0], parts.toolbar[2] - width))
    return left, button[3] + 2, left + max(1, width), button[3] + 2 + max(1, height)


# The status bar's lines of text, made from readings of the machine.


@dataclass(frozen=True)
class Readings:
    """What the metrics are computed from. A period is one of the clock that `yield_frame` waits for.

    machine, rom   names
    frame          frames completed since power-on
    periods        periods since power-on
    cycles         CPU clocks of the last frame, 0 where none are counted
    instructions   instructions of the last frame, 0 where none are counted
    period_cycles  CPU clocks in a period, 0 where none are counted
    shapes         what the routine tested in the last frame, or None
    speed          multiple of real time
    period         what a period is called: "tick", "retrace"
    """

    machine: str
    rom: str
    frame: int = 0
    periods: int = 0
    cycles: int = 0
    instructions: int = 0
    period_cycles: Fraction = Fraction(0)
    shapes: Shapes | None = None
    speed: Fraction = Fraction(1)
    period: str = "tick"


def speed_text(speed: Fraction) -> str:
    """Return a speed as text: "1x", "1/4x", "8x"."""
    return f"{speed}x"


FIELDS = (22, 20, 17, 14, 14, 0)
"""Widths in characters of the columns of both lines, so that figures stay in place while they change."""


def metrics_lines(readings: Readings) -> list[str]:
    """Return the two lines of metrics.

    Returns  list[str]  at most 104 characters each: the time reached; the cost and the collisions of the last frame
    """
    r = readings
    reached = [
        f"{r.machine} {r.rom}",
        f"frame {r.frame:,}",
        f"{r.period} {r.periods:,}",
        f"speed {speed_text(r.speed)}",
    ]
    if r.period_cycles:
        cpi = f"{r.cycles / r.instructions:.2f}" if r.instructions else "-"
        share = float(100 * r.cycles / r.period_cycles)
        cost = [f"{r.cycles:,} cycles/frame", f"{share:.1f}% of a {r.period}", f"CPI {cpi}"]
    else:
        cost = ["native kernels", "no cycles counted", ""]
    if r.shapes is not None:
        hits, count = int(r.shapes.hit.sum()), len(r.shapes.hit)
        pairs = counted(len(r.shapes.hits), "pair")
        cost += [f"{hits} of {count} hit", f"{pairs} hit", counted(r.shapes.tests, "test")]
    return [" ".join(text.ljust(width) for text, width in zip(fields, FIELDS)).rstrip() for fields in (reached, cost)]


# The clocks of the routine of 1994 in the window: those of the last check, beside what was printed.

ROUTINES = {"sectors": "DetermineCollisions", "gallery": "DetermineCollisions"}
"""ROM -> its routine that makes a complete check."""
PRINTED_FOR = "sectors"
"""The ROM whose clocks the table of 1994 has."""
EVERY_NS = 500_000_000
"""Time between two checks that are measured: each takes some milliseconds of the host."""


@runtime_checkable
class CallableMachine(SimulatedMachine, Protocol):
    """A machine whose routines can be called."""

    def measure(self, symbol: str, *, warm: int) -> Measurement: ...


class LastCheck:
    """Measures the last frame's check again, from a snapshot that is restored, and says what it took."""

    def __init__(self) -> None:
        self._text, self._frame, self._at = "", -1, -EVERY_NS

    def text(self, machine: AnyMachine, now: int) -> str:
        """Return a line of text, "" for a machine or a program that has no such check.

        machine  between two frames
        now      host nanoseconds
        """
        program = machine.rom.name if machine.rom else ""
        if program not in ROUTINES or not machine.frame_number:
            return ""
        if machine.frame_number != self._frame and now - self._at >= EVERY_NS:
            self._frame, self._at, self._text = machine.frame_number, now, ""
            if isinstance(machine, CallableMachine):
                self._text = _text(machine, _clocks(machine, ROUTINES[program]))
        return self._text


def _clocks(machine: CallableMachine, routine: str) -> int:
    """Return the clocks of a check of the present objects, 0 if it cannot be made."""
    state = machine.snapshot()
    try:
        return machine.measure(routine, warm=0).cycles
    except RetrosimError:
        return 0
    finally:
        machine.restore(state)


def _text(machine: CallableMachine, clocks: int) -> str:
    if not clocks:
        return ""
    said = f"check {clocks:,} clocks, build {machine.image.build}"
    if machine.name not in PRINTED or machine.rom is None or machine.rom.name != PRINTED_FOR:
        return said
    objects = machine.parameters["objects"]
    nearest = min(OBJECTS, key=lambda each: (abs(each - objects), each))
    printed = printed_cycles(machine.name, nearest, int(machine.clock_hz)) or 0
    ratio = f" = {clocks / printed:.2f}" if nearest == objects else ""
    return f"{said}; 1994 {printed:,.0f} with {nearest} objects{ratio}"
