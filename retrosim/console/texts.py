"""Views of a debugger as lines for a terminal. What has changed is marked by "*", and in color where there is any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from retrosim.profile.sources import line_of

if TYPE_CHECKING:
    from retrosim.machine.debug import Debugger
    from retrosim.machine.debug.points import Stop, Time
    from retrosim.machine.debug.views import CauseRow, CodeRow, Elapsed, HotRow, MemoryRow, RegisterRow

CHANGED, HERE, NAME, SOURCE, POINT, TITLE = "bold yellow", "bold", "cyan", "green", "bold red", "dim"
WIDTH = 100  # columns of lines with several registers
MAX_SOURCE = 90  # characters of a source line


def register_lines(rows: Sequence[RegisterRow], width: int = WIDTH) -> list[Text]:
    """Return registers, several in a line."""
    name = max(len(row.name) for row in rows)
    value = max(len(row.text) for row in rows)
    each = max(1, width // (name + value + 4))
    return [_registers(rows[n : n + each], name, value) for n in range(0, len(rows), each)]


def _registers(rows: Sequence[RegisterRow], name: int, value: int) -> Text:
    line = Text()
    for row in rows:
        line.append(f"{row.name:>{name}} ", NAME)
        mark = "*" if row.is_changed else " "
        line.append(f"{row.text:>{value}}{mark}", CHANGED if row.is_changed else "").append("  ")
    line.rstrip()
    return line


def code_lines(rows: Sequence[CodeRow], sources: Mapping[str, Sequence[str]]) -> list[Text]:
    """Return instructions; each function and each source line that begins gets a line of its own."""
    lines: list[Text] = []
    before: tuple[str | None, int | None] = (None, None)
    for row in rows:
        if row.is_entry:
            lines.append(Text(f"{row.symbol}:", NAME))
        if (row.file, row.line) != before and row.file is not None:
            text = line_of(sources, row.file, row.line) or ""
            lines.append(Text(f"      {row.file.rpartition('/')[2]}:{row.line}  {text[:MAX_SOURCE]}".rstrip(), SOURCE))
        before = (row.file, row.line)
        line = Text()
        line.append(f"{row.point.number if row.point else '':>3}", POINT)
        line.append(" => " if row.is_pc else "    ", HERE)
        line.append(f"{row.address:06X}  {row.code.hex():<20}  ")
        line.append(f"{row.text:<36}", HERE if row.is_pc else "")
        line.append(f" {row.clocks:>7}  ")
        line.append("" if row.is_entry else row.symbol, NAME)
        line.rstrip()
        lines.append(line)
    return lines


def memory_lines(rows: Sequence[MemoryRow]) -> list[Text]:
    """Return memory in hexadecimal and as characters."""
    lines = []
    for row in rows:
        line = Text(f"{row.address:06X} ")
        for place, byte in enumerate(row.data):
            line.append(" " if place % 8 else "  ")
            is_changed = place in row.changed
            line.append(f"{byte:02x}", CHANGED if is_changed else "").append("*" if is_changed else " ", CHANGED)
        lines.append(Text.assemble(line, " " * max(1, 75 - len(line)), row.characters))
    return lines


def stack_lines(debugger: Debugger) -> list[Text]:
    """Return the routines under way, the innermost first."""
    return [Text(f"#{number:<2} {debugger.describe(frame.pc)}") for number, frame in enumerate(debugger.call_stack())]


def hot_lines(rows: Sequence[HotRow]) -> list[Text]:
    """Return functions and the clocks that they took."""
    return [Text(f"{100 * row.share:5.1f} %  {row.clocks:>14,}  {row.function}") for row in rows]


def cause_lines(rows: Sequence[CauseRow]) -> list[Text]:
    """Return what clocks went to."""
    return [Text(f"{100 * row.share:5.1f} %  {row.clocks:>14,}  {row.cause:12} {row.about}") for row in rows]


def time_text(time: Time) -> str:
    """Return a moment."""
    return f"instruction {time.instructions:,}, clock {time.clocks:,}, frame {time.frame:,}"


def elapsed_line(time: Elapsed) -> Text:
    """Return what a stopwatch tells."""
    counts = f"{time.clocks:,} clocks, {time.instructions:,} instructions, {time.frames:,} frames"
    return Text(f"{counts}, {1e6 * time.seconds:,.3f} µs")


def value_text(value: int) -> str:
    """Return a number in decimal and hexadecimal."""
    return f"{value} ({value:#x})"


def stop_line(stop: Stop) -> Text:
    """Return why the machine stands where."""
    text = str(stop) + (f"; {stop.fault}" if stop.fault and str(stop.fault) not in str(stop) else "")
    return Text(text, HERE)


def title_line(title: str, width: int = WIDTH) -> Text:
    """Return a line between two views."""
    return Text(f"── {title} ".ljust(width, "─"), TITLE)
