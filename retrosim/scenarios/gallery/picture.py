"""What the `gallery` ROM draws, as kernels: rectangles in the colour of their verdict, figures above them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retrosim.jit import kernel
from retrosim.screen.palette import BLACK

from ..drawing import draw_label, draw_number, field, fill_rectangle, label
from ..pictures import Pictures
from .rules import (
    BROAD,
    BROADS,
    CHECKS,
    EXACT,
    EXACT_HITS,
    FOUND,
    HANDLERS,
    HITS,
    METHOD,
    METHODS,
    MISSED,
    TESTS,
    WRONG,
    rectangle_of,
)

LINE_TOP, ROWS = 66, (6, 26, 46)
NAME_WIDTH = 10  # characters
METHOD_LABELS = np.array([label(16, ROWS[0], name.upper().ljust(NAME_WIDTH)) for name in METHODS])
BROAD_LABELS = np.array([label(16, ROWS[1], name.upper().ljust(NAME_WIDTH)) for name in BROADS])
COUNT_LABELS = np.array([label(196, y, name) for y, name in zip(ROWS, ("CHECKS  ", "TESTS   ", "HANDLERS"))])
COUNT_FIELDS, COUNTS = np.array([field(304, y, digits=4) for y in ROWS]), np.array((CHECKS, TESTS, HANDLERS))
FOUND_LABEL, EXACT_LABEL = label(388, ROWS[0], "FOUND"), label(388, ROWS[1], "EXACT")
WRONG_LABEL, MISSED_LABEL = label(520, ROWS[0], "WRONG"), label(520, ROWS[1], "MISSED")
VERDICT_FIELDS = np.array([field(x, y, digits=3) for x in (460, 600) for y in ROWS[:2]])
VERDICTS = np.array((HITS, EXACT_HITS, WRONG, MISSED))


class Art(NamedTuple):
    """What the screen is drawn with.

    font        number of the picture of "0"
    gold, blue  uint8[14]     colours of a text's rows
    verdicts    uint8[4, 14]  the same of what was found: nothing, wrong, missed, right
    line        uint8[2]      below the panel
    spans       int32[480, 2] scratch
    """

    pictures: Pictures
    font: int
    gold: np.ndarray
    blue: np.ndarray
    verdicts: np.ndarray
    line: np.ndarray
    spans: np.ndarray


@kernel
def draw(scene, art, screen):
    """Draw the whole screen, uint8[480, 640] palette indices."""
    pictures, font, words = art.pictures, art.font, scene.words
    screen[:] = BLACK
    for i in range(2):
        screen[LINE_TOP + i] = art.line[i]
    draw_label(screen, METHOD_LABELS[words[METHOD]], pictures, font, art.gold)
    draw_label(screen, BROAD_LABELS[words[BROAD]], pictures, font, art.gold)
    for i in range(len(COUNTS)):
        draw_label(screen, COUNT_LABELS[i], pictures, font, art.blue)
        draw_number(screen, COUNT_FIELDS[i], words[COUNTS[i]], pictures, font, art.gold)
    draw_label(screen, FOUND_LABEL, pictures, font, art.blue)
    draw_label(screen, EXACT_LABEL, pictures, font, art.verdicts[3])
    draw_label(screen, WRONG_LABEL, pictures, font, art.verdicts[1])
    draw_label(screen, MISSED_LABEL, pictures, font, art.verdicts[2])
    for i in range(len(VERDICTS)):
        draw_number(screen, VERDICT_FIELDS[i], words[VERDICTS[i]], pictures, font, art.gold)
    for i in range(scene.rows.shape[1]):
        verdict = scene.flags[FOUND, i] + 2 * scene.flags[EXACT, i]
        fill_rectangle(screen, art.spans, rectangle_of(scene, i), art.verdicts[verdict, 0])
