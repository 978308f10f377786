"""Text on the screen of a simulated machine: 80 x 30 characters, black on white, for programs that print.

All that a console is lies in the machine's memory: the picture, and the cursor as two words that a program may read and
set. So states, rewinding and hashes know of nothing new.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

import numpy as np

from retrosim.cpu.engines.core import Core
from retrosim.screen.font import text_mask
from retrosim.screen.framebuffer import BLACK, WHITE

from . import memory

COLUMNS, ROWS = 80, 30
CELL_WIDTH, CELL_HEIGHT = memory.VIDEO_WIDTH // COLUMNS, memory.VIDEO_HEIGHT // ROWS
ROW_BYTES = memory.VIDEO_WIDTH * CELL_HEIGHT
GLYPH_AT = (1, 4)  # x, y of a glyph within its cell
TAB = 8
MAX_BYTES = 4096
"""Characters that are written at once; the rest of a longer text is left out."""


def write_text(core: Core, address: int, length: int) -> str:
    """Write characters from a machine's memory on its screen.

    Codes 32 to 126 are drawn, 10 begins a new line, 13 goes back to the beginning of the line, 9 to the next column
    divisible by 8, 8 one column back, 12 clears the screen; others are drawn as "?". A full line goes on in the next
    one, a full screen moves up by a line.

    core     the machine's
    address  of the first character; addresses beyond memory wrap
    length   characters, up to MAX_BYTES
    Returns  what was written, "?" for other codes
    """
    places = (address + np.arange(min(length, MAX_BYTES))) % memory.ADDRESSES
    text = "".join(chr(code) if code in _SHOWN else "?" for code in core.ram[places].tolist())
    order: Literal["big", "little"] = "big" if core.cpu.big_endian else "little"
    words = core.ram[memory.CURSOR_WORDS : memory.CURSOR_WORDS + 8].tobytes()
    column, row = (int.from_bytes(word, order) for word in (words[:4], words[4:]))
    column, row = min(column, COLUMNS), min(row, ROWS - 1)
    first, last = _rows_of(text, column, row)
    start, size = memory.VIDEO_START + first * ROW_BYTES, (last - first) * ROW_BYTES
    picture = core.ram[start : start + size].reshape(-1, memory.VIDEO_WIDTH).copy()
    column, row = _draw(picture, text, column, row, first)
    core.write(start, picture.tobytes())
    core.write(memory.CURSOR_WORDS, b"".join(number.to_bytes(4, order) for number in (column, row)))
    return text


_SHOWN = frozenset(b"\t\n\r\b\f") | frozenset(range(32, 127))


def _rows_of(text: str, column: int, row: int) -> tuple[int, int]:
    """Return the half-open range of rows that may change: all if the text may clear or scroll the picture."""
    columns = column + len(text) + (TAB - 1) * text.count("\t")
    last = row + text.count("\n") + columns // COLUMNS
    return (0, ROWS) if "\f" in text or last >= ROWS else (row, last + 1)


def _draw(picture: np.ndarray, text: str, column: int, row: int, first: int) -> tuple[int, int]:
    """Draw text from a cursor, which may be past the last column; return where it ends.

    picture  of the rows that may change, from row `first` on
    """
    for char in text:
        if char == "\f":
            picture[:] = WHITE
            column = row = 0
        elif char == "\r":
            column = 0
        elif char == "\b":
            column = max(0, column - 1)
        elif char == "\t":
            column = min(COLUMNS, (column // TAB + 1) * TAB)
        elif char == "\n":
            column, row = 0, _next_row(picture, row)
        else:
            if column == COLUMNS:
                column, row = 0, _next_row(picture, row)
            y, x = (row - first) * CELL_HEIGHT, column * CELL_WIDTH
            picture[y : y + CELL_HEIGHT, x : x + CELL_WIDTH] = _cell(char)
            column += 1
    return column, row


def _next_row(picture: np.ndarray, row: int) -> int:
    """Return the row below; below the last one the picture moves up."""
    if row < ROWS - 1:
        return row + 1
    picture[:-CELL_HEIGHT] = picture[CELL_HEIGHT:]
    picture[-CELL_HEIGHT:] = WHITE
    return row


@cache
def _cell(char: str) -> np.ndarray:
    """Return the pixels of a character: uint8[CELL_HEIGHT, CELL_WIDTH] palette indices."""
    cell = np.full((CELL_HEIGHT, CELL_WIDTH), WHITE, np.uint8)
    mask = text_mask(char, bold=True)
    x, y = GLYPH_AT
    cell[y : y + mask.shape[0], x : x + mask.shape[1]][mask] = BLACK
    return cell
