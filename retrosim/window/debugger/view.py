"""Draws the debugger in place of the machine's picture: uint8[480, 640, 4], and where clicks do something."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence

import numpy as np

from retrosim.console import panes
from retrosim.console.panes import PaneLine
from retrosim.debug import views
from retrosim.errors import RetrosimError
from retrosim.screen.font import ADVANCE, LEADING, draw_text, text_width
from retrosim.screen.framebuffer import HEIGHT, LT_GRAY, WIDTH, Rect, frame_rect, paint_rect
from retrosim.screen.overlay import BLUE, INK, PAPER, RED, Ink

from ..panel import Zone, draw_buttons
from .panel import MEMORY_TOP, PANES, PROMPTS, DebugPanel, code_rows

LEFT_PARTS, RIGHT_PARTS = (4, 384), (388, 636)  # first and last column
CODE_TOP, BOTTOM = 36, 462
WATCH_TOP, PANE_TOP = 246, 310
GUTTER = 14  # pixels at the left of the code: marks of breakpoints
HEADER = 13
NAME_WIDTH, VALUE_WIDTH = 7 * ADVANCE, 8 * ADVANCE  # of a register, where there is room
FIRST_OTHERS = ("sr", "pc", "cr")
"""Registers before which the general ones end."""
BYTES_PER_GROUP = 4
LOG_ROWS, LOG_COLUMNS = (BOTTOM - PANE_TOP - HEADER - 3) // LEADING, 39


def _cut(text: str, columns: int) -> str:
    return text if len(text) <= columns else f"{text[: columns - 3]}..."


class _Part:
    """A framed part of the panel with a title; text goes into its rows."""

    def __init__(self, image: np.ndarray, columns: tuple[int, int], top: int, bottom: int, title: str) -> None:
        self.image, (self.left, self.right), self.top, self.bottom = image, columns, top, bottom
        frame_rect(image, (self.left, top, self.right, bottom), foreground=INK)
        paint_rect(image, (self.left, top, self.right, top + HEADER), foreground=INK)
        draw_text(image, self.left + 4, top + 3, title, PAPER, bold=True)

    @property
    def rows(self) -> int:
        return (self.bottom - self.top - HEADER - 3) // LEADING

    def y(self, row: int) -> int:
        return self.top + HEADER + 3 + row * LEADING

    def rect(self, row: int) -> Rect:
        return self.left + 1, self.y(row) - 1, self.right - 1, self.y(row) + LEADING - 1

    def write(self, row: int, text: str, ink: Ink = INK, indent: int = 0, bold: bool = False) -> None:
        columns = (self.right - self.left - 8 - indent) // (ADVANCE + bold)
        draw_text(self.image, self.left + 4 + indent, self.y(row), _cut(text, columns), ink, bold=bold)


def draw_debugger(panel: DebugPanel) -> np.ndarray:
    """Draw a panel, and note in it where clicks do something.

    Returns  uint8[480, 640, 4]
    """
    image = np.empty((HEIGHT, WIDTH, 4), np.uint8)
    image[:] = PAPER
    paint_rect(image, (0, 0, WIDTH, HEIGHT), LT_GRAY, foreground=INK, background=PAPER)
    zones: list[Zone] = []
    panel.zones = zones
    _buttons(image, panel)
    for top, bottom, columns in (
        (CODE_TOP, MEMORY_TOP - 4, LEFT_PARTS),
        (MEMORY_TOP, BOTTOM, LEFT_PARTS),
        (CODE_TOP, WATCH_TOP - 4, RIGHT_PARTS),
        (WATCH_TOP, PANE_TOP - 4, RIGHT_PARTS),
        (PANE_TOP, BOTTOM, RIGHT_PARTS),
    ):
        paint_rect(image, (columns[0], top, columns[1], bottom), foreground=PAPER)
    _code(image, panel, zones)
    _registers(image, panel, zones)
    _watched(image, panel, zones)
    _memory(image, panel, zones)
    _pane(image, panel, zones)
    paint_rect(image, (0, BOTTOM + 3, WIDTH, HEIGHT), foreground=PAPER)
    paint_rect(image, (0, BOTTOM + 3, WIDTH, BOTTOM + 4), foreground=INK)
    entry, room = panel.entry, (WIDTH - 12) // ADVANCE
    text = _cut(panel.message, room)
    if entry.text is not None:
        prompt, help = f"{PROMPTS[entry.asks]}: ", "_   (Enter: do it, Esc: do not)"
        text = prompt + entry.text[-(room - len(prompt) - len(help)) :] + help
    draw_text(image, 6, BOTTOM + 6, text, INK)
    zones.append(Zone((0, BOTTOM + 3, WIDTH, HEIGHT), "command"))
    return image


def _buttons(image: np.ndarray, panel: DebugPanel) -> None:
    paint_rect(image, (0, 0, WIDTH, CODE_TOP - 3), foreground=PAPER)
    paint_rect(image, (0, CODE_TOP - 4, WIDTH, CODE_TOP - 3), foreground=INK)
    machine = panel.machine
    title = f"Debugger - {machine.name}, frame {machine.frame_number:,}, clock {machine.cycles:,}"
    draw_text(image, 6, 4, title, INK, bold=True)
    draw_buttons(image, panel, 4, 16)


def _code(image: np.ndarray, panel: DebugPanel, zones: list[Zone]) -> None:
    part = _Part(image, LEFT_PARTS, CODE_TOP, MEMORY_TOP - 4, f"Code  {panel.debugger.describe(panel.cursor)}")
    for number, row in enumerate(code_rows(panel.debugger, panel.texts, panel.cursor, part.rows)):
        left, top, right, bottom = part.rect(number)
        each = row.instruction
        if each is None:
            part.write(number, row.text, INK if row.is_name else BLUE, GUTTER, bold=row.is_name)
            continue
        paper, ink = (INK, PAPER) if each.is_pc else (PAPER, INK)
        paint_rect(image, (left + GUTTER, top, right, bottom), foreground=paper)
        if each.address == panel.cursor:
            frame_rect(image, (left + GUTTER, top, right, bottom), foreground=ink)
            frame_rect(image, (left + GUTTER - 1, top - 1, right, bottom + 1), foreground=INK)
        part.write(number, f"{'>' if each.is_pc else ' '} {row.text}", ink, GUTTER + 2)
        if each.point is not None:
            paint_rect(image, (left + 3, top + 2, left + 10, top + 9), foreground=RED)
            frame_rect(image, (left + 2, top + 1, left + 11, top + 10), foreground=INK)
        zones.append(Zone((left + GUTTER, top, right, bottom), "at", each.address))
        zones.append(Zone((left, top, left + GUTTER, bottom), "toggle", each.address))


def _registers(image: np.ndarray, panel: DebugPanel, zones: list[Zone]) -> None:
    part = _Part(image, RIGHT_PARTS, CODE_TOP, WATCH_TOP - 4, "Registers (underlined: changed)")
    texts = [f"{name}: {text}" for name, text in views.flags(panel.debugger)]
    lines = [line for text in texts for line in textwrap.wrap(text, LOG_COLUMNS, subsequent_indent="  ")]
    for row, line in enumerate(lines, part.rows - len(lines)):
        part.write(row, line)
    columns = register_columns(views.registers(panel.debugger, panel.before), part.rows - len(lines))
    width = (part.right - part.left - 4) // len(columns)
    for column, shown in enumerate(columns):
        for row, each in enumerate(shown):
            left, top = part.left + 4 + column * width, part.y(row)
            value = left + NAME_WIDTH + VALUE_WIDTH - text_width(each.text) - (len(columns) > 2) * 2 * ADVANCE
            draw_text(image, left, top, each.name[: (value - left) // ADVANCE], INK)
            draw_text(image, value, top, each.text, RED if each.is_changed else INK)
            if each.is_changed:
                paint_rect(image, (value, top + 8, value + text_width(each.text) - 1, top + 9), foreground=RED)
            zones.append(Zone((left, top - 1, left + width, top + LEADING - 1), "show", each.value))


def register_columns(rows: Sequence[views.RegisterRow], longest: int) -> list[list[views.RegisterRow]]:
    """Return registers in two columns of the same length, the general ones halved, the others below in pairs.

    longest  rows; where two columns are not enough, three are filled one after the other
    """
    general = next(number for number, row in enumerate(rows) if row.name in FIRST_OTHERS)
    half, others = general // 2, rows[general:]
    columns = [[*rows[:half], *others[::2]], [*rows[half:general], *others[1::2]]]
    if len(columns[0]) <= longest:
        return columns
    length = -(-len(rows) // 3)
    return [list(rows[start : start + length]) for start in range(0, len(rows), length)]


def _watched(image: np.ndarray, panel: DebugPanel, zones: list[Zone]) -> None:
    part = _Part(image, RIGHT_PARTS, WATCH_TOP, PANE_TOP - 4, "Watch")
    if not panel.watched:
        part.write(0, "W adds an expression:")
        part.write(1, "long[gFrame] + 1, byte[0x800000]")
    for row, (number, text) in enumerate(list(panel.session.displays.items())[-part.rows :]):
        try:
            value = panel.debugger.evaluate(text)
            said = f"{value:,} = {value & 0xFFFFFFFF:#x}"
        except (RetrosimError, ValueError) as error:
            said = str(error)
        part.write(row, f"{text}: {said}")
        zones.append(Zone(part.rect(row), "unwatch", number))


def _memory(image: np.ndarray, panel: DebugPanel, zones: list[Zone]) -> None:
    kind = f"{panel.width} pixels a row" if panel.shows_pixels else "hex"
    title = f"Memory {panel.memory:06X}  {kind}  (X: {'hex' if panel.shows_pixels else 'pixels'})"
    part = _Part(image, LEFT_PARTS, MEMORY_TOP, BOTTOM, title)
    zones.append(Zone((part.left, part.top, part.right, part.top + HEADER), "pixels"))
    debugger = panel.debugger
    if panel.shows_pixels:
        rows, columns = part.bottom - part.top - HEADER - 2, part.right - part.left - 4
        data = np.frombuffer(debugger.read(panel.memory, panel.width * rows), np.uint8).reshape(rows, panel.width)
        scale = max(1, columns // panel.width)
        data = data[: -(-rows // scale)].repeat(scale, axis=0)[:rows].repeat(scale, axis=1)[:, :columns]
        area = image[part.top + HEADER + 1 :, part.left + 2 :][:rows, : data.shape[1]]
        area[..., :3] = panel.machine.palette[data]
        return
    for row, each in enumerate(panel.memory_rows(part.rows)):
        text = each.data.hex(" ", BYTES_PER_GROUP)
        part.write(row, f"{each.address:06X}  {text}  {each.characters}")
        for place in each.changed:
            left = part.left + 4 + text_width("0" * (8 + 2 * place + place // BYTES_PER_GROUP))
            paint_rect(image, (left, part.y(row) + 8, left + 2 * ADVANCE - 1, part.y(row) + 9), foreground=RED)


def _pane(image: np.ndarray, panel: DebugPanel, zones: list[Zone]) -> None:
    part = _Part(image, RIGHT_PARTS, PANE_TOP, BOTTOM, "")
    left = part.left + 3
    for name in PANES:
        is_on, right = name == panel.pane, left + text_width(name) + 7
        if is_on:
            paint_rect(image, (left, part.top + 2, right, part.top + HEADER + 1), foreground=PAPER)
        draw_text(image, left + 4, part.top + 3, name, INK if is_on else PAPER)
        zones.append(Zone((left, part.top, right, part.top + HEADER), "pane", name))
        left = right
    lines = _PANES[panel.pane](panel)
    for number, (text, action, argument) in enumerate(lines[: part.rows]):
        part.write(number, text)
        if action:
            zones.append(Zone(part.rect(number), action, argument))


def _said(lines: Sequence[str]) -> list[PaneLine]:
    return [PaneLine(line) for line in lines]


def _stack(panel: DebugPanel) -> list[PaneLine]:
    return _said(["running"]) if panel.is_running else panes.stack(panel.debugger)


def _points(panel: DebugPanel) -> list[PaneLine]:
    lines = panes.points(panel.debugger)
    return lines or _said(["B, or a click left of the code, sets", "a breakpoint; a click here removes it"])


def _timer(panel: DebugPanel) -> list[PaneLine]:
    watch, describe = panel.stopwatch, panel.debugger.describe
    if watch is None:
        return _said(["T starts the watch at the cursor;", "T again ends it at the cursor then"])
    lines = [PaneLine(f"from {describe(watch.start)}", "at", watch.start)]
    if watch.end < 0:
        return [*lines, *_said(["to   (T at another instruction)"])]
    lines.append(PaneLine(f"to   {describe(watch.end)}", "at", watch.end))
    if not watch.count:
        return [*lines, *_said(["not yet passed: C continues"])]
    microseconds = watch.last * 1_000_000 / int(panel.machine.clock_hz)
    figures = [
        f"passed  {watch.count:,} times",
        f"last    {watch.last:,} clocks, {microseconds:,.1f} us",
        f"lowest  {watch.minimum:,}",
        f"mean    {watch.total / watch.count:,.1f}",
        f"highest {watch.maximum:,}",
    ]
    return [*lines, *_said(figures)]


def _hottest(panel: DebugPanel) -> list[PaneLine]:
    if panel.is_running:
        return _said(["running; C stops, and where the clocks", "went in the meantime is counted"])
    return panel.hottest() or _said(["C continues. At the next stop the clocks", "are counted, by function."])


def _causes(panel: DebugPanel) -> list[PaneLine]:
    if panel.causes:
        return [PaneLine("clocks of the last frame:"), *panel.causes]
    try:
        views.causes(panel.machine, {})
    except ValueError as error:
        return _said(str(error).split(": "))
    return _said(["clocks of the next whole frame by cause:", "C continues"])


def _log(panel: DebugPanel) -> list[PaneLine]:
    rows = [row for line in panel.log for row in textwrap.wrap(line, LOG_COLUMNS, subsequent_indent="  ") or [""]]
    return _said(rows[-LOG_ROWS:]) or _said(["E takes a command; help lists them"])


_PANES: dict[str, Callable[[DebugPanel], list[PaneLine]]] = dict(
    zip(PANES, (_stack, _points, _timer, _hottest, _causes, _log))
)
