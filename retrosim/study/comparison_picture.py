"""The study as a picture of bars: a screen of 640x480 in the palette of the Macintosh, drawn as the machines draw."""

from __future__ import annotations

from math import log10
from typing import Any

import numpy as np

from retrosim.screen.font import draw_text, text_width
from retrosim.screen.framebuffer import WIDTH, blank, frame_rect, paint_rect
from retrosim.screen.palette import BLACK, macintosh_palette
from retrosim.screen.pattern import GRAY

# Left edges and widths of the three parts, pixels
NAMES, ERRORS, ERRORS_WIDTH, CLOCKS, CLOCKS_WIDTH = 8, 104, 150, 284, 346
TOP, BOTTOM, LEGEND = 58, 448, 456
MIN_DECADE = 1  # clocks per pair: bars begin at 10
GRID = 248  # a light grey of the grey ramp


def _nearest(red: int, green: int, blue: int) -> int:
    """Return the index of a colour of the palette's cube."""
    palette = macintosh_palette().astype(int)
    return int(np.abs(palette - (red, green, blue)).sum(axis=1).argmin())


FALSE_POSITIVE, FALSE_NEGATIVE = _nearest(0xFF, 0x99, 0), _nearest(0xCC, 0, 0)
MACHINES = [
    _nearest(*colour)
    for colour in (
        (0, 0x33, 0x99),
        (0x33, 0x99, 0xFF),
        (0x66, 0xCC, 0xFF),
        (0, 0x66, 0),
        (0x66, 0xCC, 0),
        (0x99, 0x33, 0x99),
    )
]


def draw_comparison(result: dict[str, Any]) -> np.ndarray:
    """Draw what `compare_methods` found: errors as seen, and clocks per pair on each machine.

    Returns  uint8[480, 640] palette indices
    """
    pixels, rows, settings = blank(), result["rows"], result["method"]
    draw_text(pixels, NAMES, 8, "Collision methods compared", BLACK, bold=True)
    about = f"seed {settings['seed']}, {settings['scenes']} scenes of each random kind and the named ones"
    draw_text(pixels, NAMES, 21, about, BLACK)
    draw_text(pixels, ERRORS, 40, "wrong pairs, as seen", BLACK, bold=True)
    draw_text(pixels, CLOCKS, 40, f"clocks per pair of {settings['objects']} objects, each line x10", BLACK, bold=True)
    step = min((BOTTOM - TOP) // len(rows), 48)
    bottom = TOP + step * len(rows)
    maximum = max(1, *(value for row in rows for value in row["seen"].values()))
    decades = _decades(result)
    _draw_grid(pixels, decades, bottom)
    for number, row in enumerate(rows):
        top = TOP + number * step
        draw_text(pixels, NAMES, top + (step - 9) // 2, row["method"], BLACK)
        _draw_errors(pixels, row["seen"], maximum, top, step)
        _draw_clocks(pixels, row["cycles"], result["machines"], decades, top, step)
    _draw_legend(pixels, result["machines"])
    return pixels


def _decades(result: dict[str, Any]) -> int:
    """Return how many powers of ten the scale of clocks has."""
    clocks = [cell["cycles_per_pair"] for row in result["rows"] for cell in row["cycles"].values()]
    return max(1, int(np.ceil(log10(max([10.0 ** (MIN_DECADE + 1), *clocks])))) - MIN_DECADE)


def _draw_grid(pixels: np.ndarray, decades: int, bottom: int) -> None:
    for decade in range(decades + 1):
        x, label = CLOCKS + CLOCKS_WIDTH * decade // decades, str(10 ** (MIN_DECADE + decade))
        paint_rect(pixels, (x, TOP - 4, x + 1, bottom), GRAY, foreground=GRID)
        left = x if decade == 0 else min(x - text_width(label) // 2, WIDTH - text_width(label))
        draw_text(pixels, left, bottom + 1, label, BLACK)
    paint_rect(pixels, (ERRORS - 1, TOP - 4, ERRORS, bottom))
    paint_rect(pixels, (CLOCKS - 1, TOP - 4, CLOCKS, bottom))


def _bar(pixels: np.ndarray, left: int, top: int, width: int, height: int, colour: int) -> None:
    paint_rect(pixels, (left, top, left + width, top + height), foreground=colour)
    if width > 2 and height > 6:
        frame_rect(pixels, (left, top, left + width, top + height))


def _draw_errors(pixels: np.ndarray, errors: dict[str, int], maximum: int, top: int, step: int) -> None:
    height = (step - 6) // 2
    for part, (kind, colour) in enumerate((("false_positives", FALSE_POSITIVE), ("false_negatives", FALSE_NEGATIVE))):
        width = -(-errors[kind] * (ERRORS_WIDTH - 30) // maximum)
        y = top + 3 + part * height
        _bar(pixels, ERRORS, y, width, height, colour)
        draw_text(pixels, ERRORS + width + 3, y + (height - 9) // 2 + 1, str(errors[kind]), BLACK)


def _draw_clocks(
    pixels: np.ndarray, cycles: dict[str, Any], machines: list[str], decades: int, top: int, step: int
) -> None:
    if not machines:
        draw_text(pixels, CLOCKS + 4, top + (step - 9) // 2, "not measured", BLACK)
        return
    height = (step - 4) // len(machines)
    for number, name in enumerate(machines):
        if name not in cycles:  # no ROM code
            continue
        clocks = max(cycles[name]["cycles_per_pair"], 10.0**MIN_DECADE)
        width = max(1, round((log10(clocks) - MIN_DECADE) * CLOCKS_WIDTH / decades))
        _bar(pixels, CLOCKS, top + 2 + number * height, width, height, MACHINES[number % len(MACHINES)])


def _draw_legend(pixels: np.ndarray, machines: list[str]) -> None:
    x = NAMES
    keys = [("false hits", FALSE_POSITIVE), ("missed", FALSE_NEGATIVE)]
    keys += [(name, MACHINES[number % len(MACHINES)]) for number, name in enumerate(machines)]
    for text, colour in keys:
        _bar(pixels, x, LEGEND + 8, 9, 9, colour)
        x = draw_text(pixels, x + 12, LEGEND + 8, text, BLACK) + 8
