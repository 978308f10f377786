"""Text on the screen: what characters do to picture, cursor and text, on machines of either byte order."""

from __future__ import annotations

import numpy as np
import pytest

from retrosim.machine import console
from retrosim.machine.console import COLUMNS, MAX_BYTES, ROWS, write_text
from retrosim.machine.memory import CURSOR_WORDS
from retrosim.screen.font import text_mask
from tests.helpers.machine import programs

TEXT = 0x4000
LAST = 0xFFFFFF


@pytest.fixture(scope="module", params=["mc68040-25", "i486dx2-66"])
def machine(request):
    return programs.machine("4e71", name=request.param)


def written(machine, data: bytes, column: int = 0, row: int = 0) -> tuple[int, int]:
    """Write characters from a place on a white screen; return where the cursor is then."""
    order = machine.image.byte_order
    machine.frame[:] = 0
    machine.write(TEXT, data)
    machine.write(CURSOR_WORDS, column.to_bytes(4, order) + row.to_bytes(4, order))
    write_text(machine.core, TEXT, len(data))
    words = machine.mem[CURSOR_WORDS : CURSOR_WORDS + 8].tobytes()
    return int.from_bytes(words[:4], order), int.from_bytes(words[4:], order)


def cells(machine) -> list[tuple[int, int]]:
    """Return the cells that are not empty: (column, row)."""
    drawn = machine.frame.reshape(ROWS, 16, COLUMNS, 8).any(axis=(1, 3))
    return [(int(column), int(row)) for row, column in np.argwhere(drawn)]


@pytest.mark.parametrize(
    ("data", "cursor", "drawn"),
    [
        (b"ab", (2, 0), [(0, 0), (1, 0)]),
        (b"a\nb", (1, 1), [(0, 0), (0, 1)]),
        (b"abc\rd", (1, 0), [(0, 0), (1, 0), (2, 0)]),
        (b"a\tb", (9, 0), [(0, 0), (8, 0)]),
        (b"ab\b ", (2, 0), [(0, 0)]),
        (b"\b\ba", (1, 0), [(0, 0)]),
        (b"ab\fc", (1, 0), [(0, 0)]),
        (b"x" * COLUMNS, (COLUMNS, 0), [(column, 0) for column in range(COLUMNS)]),
        (b" " * COLUMNS + b"x", (1, 1), [(0, 1)]),
        (b"a" + b"\n" * ROWS, (0, ROWS - 1), []),
        (b"\na" + b"\n" * (ROWS - 1), (0, ROWS - 1), [(0, 0)]),
        (b"", (0, 0), []),
    ],
)
def test_characters(machine, data, cursor, drawn):
    assert written(machine, data) == cursor
    assert cells(machine) == drawn


def test_letters_are_the_fonts(machine):
    written(machine, b"Q\x01", 3, 2)
    for column, char in ((3, "Q"), (4, "?")):
        mask = text_mask(char, bold=True)
        cell = machine.frame[32:48, 8 * column : 8 * column + 8]
        assert np.array_equal(cell[4 : 4 + mask.shape[0], 1 : 1 + mask.shape[1]], np.where(mask, 255, 0))


def test_what_no_program_should_ask_for(machine):
    """A cursor off the screen, a text that runs over the end of memory, one that is too long."""
    assert written(machine, b"a", 0xFFFFFFFF, 0xFFFFFFFF) == (1, ROWS - 1)
    before = machine.mem[TEXT:LAST].copy()
    assert len(write_text(machine.core, LAST, 0xFFFFFFFF)) == MAX_BYTES
    changed = TEXT + np.flatnonzero(machine.mem[TEXT:LAST] != before)
    assert (
        (changed >= 0x800000) & (changed < 0x84B000) | (changed >= CURSOR_WORDS) & (changed < CURSOR_WORDS + 8)
    ).all()


@pytest.mark.parametrize("engine", ["evaluate", "interpret"])
def test_the_service(engine):
    """lea text(pc),a0; move.l a0,d0; moveq #2,d1; dc.w $a003; exit."""
    ours = programs.machine("41fa 000a 2008 7202 a003 a002 4869", engine=engine)
    assert ours.run(instructions=10).reason == "exit" and ours.text == "Hi"
    assert cells(ours) == [(0, 0), (1, 0)]
    ours.reset()
    assert ours.text == "" and not ours.frame.any()


@pytest.mark.first_case
def test_rows_that_a_text_cannot_reach_are_not_touched(machine, monkeypatch):
    """Only some rows are copied, drawn on and written back; the picture is the same as if all were."""
    rng, rows_of, partial = np.random.default_rng(5), console._rows_of, 0
    for number in range(60):
        codes = [ord("x")] * 12 + [ord(" "), *(b"\n\n\t\r\b\f"[: 5 + number % 2])]
        data = bytes(rng.choice(codes, int(rng.integers(1, 200))).tolist())
        place = int(rng.integers(0, COLUMNS + 1)), int(rng.integers(0, ROWS))
        cursor, drawn = written(machine, data, *place), machine.frame.copy()
        partial += rows_of(data.decode(), *place) != (0, ROWS)
        monkeypatch.setattr(console, "_rows_of", lambda *given: (0, ROWS))
        assert (written(machine, data, *place), machine.frame.tolist()) == (cursor, drawn.tolist())
        monkeypatch.undo()
    assert partial > 15
