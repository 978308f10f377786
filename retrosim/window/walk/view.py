"""Draws the walk through a check over the machine's picture: uint8[480, 640, 4], and where clicks do something.

The picture is that of the frame before, faded; the shapes are where the objects are now. The sector is lit, the shapes
of the pair are thick. What is known of the moment stands in a box, in the half of the picture where nothing is lit.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from retrosim.debug import views
from retrosim.debug.walk import Moment
from retrosim.report.text import counted
from retrosim.screen.font import ADVANCE, LEADING, draw_text, text_width
from retrosim.screen.framebuffer import HEIGHT, LT_GRAY, WIDTH, Rect, frame_rect, paint_rect
from retrosim.screen.overlay import INK, ON_LIGHT, PAPER, PEN, RED, Ink, Inks, draw_shapes, inks_for, join
from retrosim.screen.shapes import Shapes

from ..chrome import fitted
from ..panel import Zone, draw_buttons
from .panel import WalkPanel

BOX_HEIGHT = 174
CODE_ROWS = 7
MIDDLE = 318  # column between source and instructions
BAR_TOP, BAR_HEIGHT, BAR_PIECES = 50, 8, 157  # of the box
BAR = (6, 634)
LIGHT = np.array((255, 224, 64))  # of the sector, mixed with the picture
GREEN: Ink = (0, 102, 51, 255)


def draw_walk(panel: WalkPanel) -> np.ndarray:
    """Draw a panel, and note in it where clicks do something.

    Returns  uint8[480, 640, 4]
    """
    machine = panel.machine
    inks = inks_for(machine.frame, machine.palette)
    image = np.full((HEIGHT, WIDTH, 4), 255, np.uint8)
    paper = 255 if inks is ON_LIGHT else 0
    image[..., :3] = (machine.palette[machine.frame].astype(int) + 2 * paper) // 3
    panel.zones = []
    if not panel.walk.is_complete:
        _waiting(image, panel)
        return image
    moment = panel.moment
    shapes = machine.shapes()
    lit = _lit(panel, moment, shapes)
    if panel.walk.source.sectors is not None and moment.passes:
        _grid(image, panel.walk.source.sectors.side, moment.shift, inks.grid)
    if moment.sector is not None and lit is not None:
        _light(image, lit)
    if shapes is not None:
        _pair(image, moment, shapes, inks)
    middle = HEIGHT // 2 if lit is None else (lit[1] + lit[3]) // 2
    _box(image, panel, 0 if lit is not None and middle > HEIGHT // 2 else HEIGHT - BOX_HEIGHT)
    return image


def _waiting(image: np.ndarray, panel: WalkPanel) -> None:
    rect = (120, 200, 520, 260)
    paint_rect(image, rect, foreground=PAPER)
    frame_rect(image, rect, pen=(2, 2), foreground=INK)
    draw_text(image, 136, 212, f"following {panel.walk.source.check} on the machine", INK)
    paint_rect(image, (136, 232, 504, 244), LT_GRAY, foreground=INK, background=PAPER)
    paint_rect(image, (136, 232, 136 + int(368 * panel.done), 244), foreground=INK)


def sector_rect(side: int, moment: Moment) -> Rect:
    """Return the rectangle of a moment's sector, pixels; parts may lie off the screen."""
    column, row = moment.sector or (0, 0)
    left, top = column * side - moment.shift[0], row * side - moment.shift[1]
    return left, top, left + side, top + side


def _lit(panel: WalkPanel, moment: Moment, shapes: Shapes | None) -> Rect | None:
    """Return where something is to be seen, None where that is everywhere."""
    if moment.sector is not None and panel.walk.source.sectors is not None:
        return sector_rect(panel.walk.source.sectors.side, moment)
    known = [] if shapes is None else [each for each in moment.pair or () if each < len(shapes.centres)]
    if shapes is None or not known:
        return None
    x, y = shapes.centres[known].T
    return int(x.min()), int(y.min()), int(x.max()), int(y.max())


def _grid(image: np.ndarray, side: int, shift: tuple[int, int], ink: Ink) -> None:
    for column in range(side - shift[0], WIDTH, side):
        paint_rect(image, (column, 0, column + 1, HEIGHT), foreground=ink)
    for row in range(side - shift[1], HEIGHT, side):
        paint_rect(image, (0, row, WIDTH, row + 1), foreground=ink)


def _light(image: np.ndarray, rect: Rect) -> None:
    left, top, right, bottom = max(0, rect[0]), max(0, rect[1]), min(WIDTH, rect[2]), min(HEIGHT, rect[3])
    area = image[top:bottom, left:right, :3]
    area[...] = (area.astype(int) + 2 * LIGHT) // 3
    frame_rect(image, rect, pen=(2, 2), foreground=RED)


def _pair(image: np.ndarray, moment: Moment, shapes: Shapes, inks: Inks) -> None:
    """Draw the shapes of all objects thin, those of the pair thick."""
    is_tested = np.zeros(len(shapes.hit), bool)
    known = [each for each in moment.pair or () if each < len(is_tested)]
    is_tested[known] = True
    tested_ink = inks.hit if moment.is_hit else inks.fine
    draw_shapes(image, replace(shapes, hit=is_tested), replace(inks, hit=tested_ink))
    if len(known) == 2:
        join(image, shapes.centres, np.array([known]), tested_ink, pen=PEN)
    for number in known:
        x, y = shapes.centres[number].tolist()
        text = str(number)
        rect = (x - text_width(text) // 2 - 2, y - 6, x + text_width(text) // 2 + 2, y + 6)
        paint_rect(image, rect, foreground=PAPER)
        frame_rect(image, rect, foreground=tested_ink)
        draw_text(image, rect[0] + 2, y - 3, text, INK)


def place_text(panel: WalkPanel, moment: Moment) -> str:
    """Return where in the check a moment is, in words."""
    parts = []
    passes, (dx, dy) = panel.count("pass"), moment.shift
    if moment.passes:
        parts.append(f"pass {moment.passes} of {passes}, grid shifted by ({dx}, {dy})")
    elif passes:
        parts.append(f"before the first of {passes} passes")
    if moment.sector is not None:
        column, row = moment.sector
        number = sum(each.level == "sector" for each in panel.walk.moments[: panel.number + 1])
        parts.append(f"sector {number} of {panel.count('sector')} with pairs: column {column}, row {row}")
    return "   ".join(parts) or f"{panel.count('pair')} pair tests, in the order of the program"


def verdict_text(panel: WalkPanel, moment: Moment) -> tuple[str, Ink]:
    """Return what is tested and found at a moment, and its ink."""
    if moment.level == "end":
        found = len({frozenset(each.pair) for each in panel.walk.moments if each.pair and each.is_hit})
        return f"end of the check: {panel.count('pair')} tests, {found} different pairs in collision", INK
    if moment.pair is None:
        return {"check": "the check begins", "pass": "a pass begins", "sector": "a sector begins"}[moment.level], INK
    a, b = moment.pair
    what = f"pair test {moment.number} of {panel.count('pair')}: objects {a} and {b}:"
    return f"{what} {moment.verdict.upper() or 'NO COLLISION'}", RED if moment.is_hit else GREEN


def clocks_text(panel: WalkPanel, moment: Moment) -> str:
    """Return the clocks so far, and those to the next moment."""
    share = 100 * panel.clocks / max(1, panel.all_clocks)
    text = f"clock {panel.clocks:,} of {panel.all_clocks:,} ({share:.1f}%)"
    if moment.level == "end":
        return text
    step = panel.machine.instructions - moment.instructions
    inside = f"   {counted(step, 'instruction')} into it" if step else ""
    return f"{text}   this {moment.level} to the next moment: {panel.lasts():,} clocks{inside}"


def _box(image: np.ndarray, panel: WalkPanel, top: int) -> None:
    moment, machine = panel.moment, panel.machine
    paint_rect(image, (0, top, WIDTH, top + BOX_HEIGHT), foreground=PAPER)
    frame_rect(image, (0, top, WIDTH, top + BOX_HEIGHT), pen=(2, 2), foreground=INK)
    columns = (WIDTH - 12) // ADVANCE
    build = f" ({machine.image.build})" if machine.image.build else ""
    title = f"{panel.walk.source.check} on {machine.name}{build}, frame {panel.walk.start.frame + 1:,}"
    draw_text(image, 6, top + 5, fitted(title, columns // 2), INK, bold=True)
    way = "backwards" if panel.is_backwards else "forwards"
    pace = f"{'walking' if panel.is_running else 'stopped'}, {way}, {panel.pace} moments a second"
    draw_text(image, WIDTH - 6 - text_width(pace), top + 5, pace, INK)
    draw_text(image, 6, top + 16, fitted(place_text(panel, moment), columns), INK)
    verdict, ink = verdict_text(panel, moment)
    draw_text(image, 6, top + 27, fitted(verdict, (WIDTH - 12) // (ADVANCE + 1)), ink, bold=True)
    draw_text(image, 6, top + 38, fitted(panel.message or clocks_text(panel, moment), columns), INK)
    _bar(image, panel, top + BAR_TOP)
    _source(image, panel, top + BAR_TOP + BAR_HEIGHT + 4)
    _instructions(image, panel, top + BAR_TOP + BAR_HEIGHT + 4)
    draw_buttons(image, panel, 5, top + BOX_HEIGHT - 19, ["backwards"] if panel.is_backwards else [])


def _bar(image: np.ndarray, panel: WalkPanel, top: int) -> None:
    """Draw how much of the check is done, with the beginnings of its passes; a click goes there."""
    left, right = BAR
    first, last = panel.walk.start.instructions, panel.walk.end.instructions
    span = max(1, last - first)
    paint_rect(image, (left, top, right, top + BAR_HEIGHT), LT_GRAY, foreground=INK, background=PAPER)
    done = left + (right - left) * (panel.machine.instructions - first) // span
    paint_rect(image, (left, top, done, top + BAR_HEIGHT), foreground=INK)
    for moment in panel.walk.moments:
        if moment.level == "pass":
            x = left + (right - left) * (moment.instructions - first) // span
            paint_rect(image, (x, top - 2, x + 2, top + BAR_HEIGHT + 2), foreground=RED)
    for piece in range(BAR_PIECES):
        begin, end = (left + (right - left) * n // BAR_PIECES for n in (piece, piece + 1))
        panel.zones.append(Zone((begin, top - 2, end, top + BAR_HEIGHT + 2), "place", 1000 * piece // BAR_PIECES))


def _source(image: np.ndarray, panel: WalkPanel, top: int) -> None:
    """Draw the source line that the machine is at, and those around it."""
    columns = (MIDDLE - 14) // ADVANCE
    found = panel.debugger.source_line(panel.machine.regs["pc"])
    if found is None:
        draw_text(image, 6, top, "no source line is known here", INK)
        return
    file, line = found
    name, text = file.rpartition("/")[2], panel.texts.get(file)
    if text is None:
        draw_text(image, 6, top, f"{name}:{line} (its text is not beside the program)", INK)
        return
    start = max(1, min(line - CODE_ROWS // 2, len(text) - CODE_ROWS + 1))
    for row, number in enumerate(range(start, min(start + CODE_ROWS, len(text) + 1))):
        label = f"{name}:{number}" if number == line else str(number)
        shown = f"{label:>{len(name) + 5}} {text[number - 1].expandtabs(4)}"[:columns].rstrip()
        _row(image, (6, MIDDLE - 8), top + row * LEADING, shown, number == line)


def _instructions(image: np.ndarray, panel: WalkPanel, top: int) -> None:
    """Draw the instruction that comes next, and those around it, with their base clocks."""
    pc = panel.machine.regs["pc"]
    rows = views.code(panel.debugger, pc, CODE_ROWS, CODE_ROWS // 2)[:CODE_ROWS]
    columns = (WIDTH - 10 - MIDDLE) // ADVANCE
    for row, each in enumerate(rows):
        text = f"{each.address:06X} {each.clocks:>5} {each.text.lower()}"[:columns]
        _row(image, (MIDDLE, WIDTH - 6), top + row * LEADING, text, each.is_pc)


def _row(image: np.ndarray, columns: tuple[int, int], y: int, text: str, is_here: bool) -> None:
    if is_here:
        paint_rect(image, (columns[0] - 2, y - 2, columns[1], y + LEADING - 2), foreground=INK)
    draw_text(image, columns[0], y, text, PAPER if is_here else INK)
