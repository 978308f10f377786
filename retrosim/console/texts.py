"""Views of a debugger as lines for a terminal. What has changed is marked by "*", and in color where there is any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text

from retrosim.checks import check_integer, shortened
from retrosim.cost.sources import line_of

if TYPE_CHECKING:
    from retrosim.debug import Debugger
    from retrosim.debug.points import Stop, Time
    from retrosim.debug.views import CauseClocks, CodeRow, Elapsed, HotRow, MemoryRow, RegisterRow


CHANGED, HERE, NAME, SOURCE, POINT, TITLE = "bold yellow", "bold", "cyan", "green", "bold red", "dim"
WIDTH = 100  # columns of lines with several registers
SYMBOL_WIDTH, SYMBOL_COLUMNS = 64, 16  # columns of a line that shows symbols, and those
ACTION = "action"  # in the meta data of a style: what a click does, and with what
SHORT = 3  # characters of most registers' names
MAX_SOURCE = 90  # characters of a source line


def register_lines(rows: Sequence[RegisterRow], width: int = WIDTH) -> list[Text]:
    """Return registers, several in a line, those with long names last."""
    lines = []
    for group in ([row for row in rows if len(row.name) <= SHORT], [row for row in rows if len(row.name) > SHORT]):
        name, value = (max((len(getattr(row, what)) for row in group), default=0) for what in ("name", "text"))
        each = max(1, (width + 2) // (name + value + 4))
        lines += [_registers(group[n : n + each], name, value) for n in range(0, len(group), each)]
    return lines


def _registers(rows: Sequence[RegisterRow], name: int, value: int) -> Text:
    line = Text()
    for row in rows:
        line.append(f"{row.name:>{name}} ", NAME)
        mark, style = "*" if row.is_changed else " ", CHANGED if row.is_changed else ""
        line.append(f"{row.text:>{value}}{mark}", clickable(style, "show", row.value)).append("  ")
    line.rstrip()
    return line


def code_lines(
    rows: Sequence[CodeRow],
    sources: Mapping[str, Sequence[str]],
    width: int = WIDTH,
    cursor: int | None = None,
    after: CodeRow | None = None,
) -> list[Text]:
    """Return instructions; each function and each source line that begins gets a line of its own.

    sources  text of source files
    width    columns; where they are few, the bytes of the code are left out, then symbols
    cursor   address of the instruction that is marked by ">"
    after    the row before the first
    """
    lines: list[Text] = []
    before = (None, None) if after is None else (after.file, after.line)
    for row in rows:
        if row.is_entry:
            lines.append(Text(f"{row.symbol}:", NAME))
        if (row.file, row.line) != before and row.file is not None:
            text = line_of(sources, row.file, row.line) or ""
            lines.append(Text(f"      {row.file.rpartition('/')[2]}:{row.line}  {text[:MAX_SOURCE]}".rstrip(), SOURCE))
        before = (row.file, row.line)
        lines.append(_code_line(row, width, row.address == cursor))
    return lines


def _code_line(row: CodeRow, width: int, is_cursor: bool) -> Text:
    shows_code, shows_symbol = width >= WIDTH, width >= SYMBOL_WIDTH
    code = f"{row.code.hex():<20}  " if shows_code else ""
    columns = min(36, max(8, width - 23 - (SYMBOL_COLUMNS if shows_symbol else 0)))
    mark = "=>" if row.is_pc else " >" if is_cursor else "  "
    line = Text()
    line.append(f"{row.point.number if row.point else '':>3}", clickable(POINT, "toggle", row.address))
    line.append(f" {mark} ", clickable(HERE, "toggle", row.address))
    here = HERE if row.is_pc or is_cursor else ""
    line.append(f"{row.address:06X}  {code}{row.text:<{columns}}", clickable(here, "at", row.address))
    line.append(f" {row.clocks:>6}  ")
    line.append("" if row.is_entry or not shows_symbol else row.symbol, NAME)
    line.rstrip()
    return line


def clickable(style: str, action: str, argument: int | str) -> Style:
    """Return a style that says what a click does; a line on a terminal has no use for it."""
    return Style.parse(style) + Style(meta={ACTION: (action, argument)})


def memory_lines(rows: Sequence[MemoryRow], bytes_in_row: int) -> list[Text]:
    """Return memory in hexadecimal and as characters."""
    lines = []
    for row in rows:
        line = Text(f"{row.address:06X} ")
        for place, byte in enumerate(row.data):
            line.append(" " if place % 8 else "  ")
            is_changed = place in row.changed
            line.append(f"{byte:02x}", CHANGED if is_changed else "").append("*" if is_changed else " ", CHANGED)
        lines.append(
            Text.assemble(line, " " * max(1, 8 + 4 * bytes_in_row + bytes_in_row // 8 + 1 - len(line)), row.characters)
        )
    return lines


def hot_lines(rows: Sequence[HotRow]) -> list[Text]:
    """Return functions and the clocks that they took."""
    return [Text(f"{100 * row.share:5.1f} %  {row.clocks:>14,}  {row.function}") for row in rows]


def cause_lines(rows: Sequence[CauseClocks]) -> list[Text]:
    """Return what clocks went to."""
    return [Text(f"{100 * row.share:5.1f} %  {row.clocks:>14,}  {row.cause:12} {row.about}") for row in rows]


def time_text(time: Time) -> str:
    """Return a moment."""
    return f"instruction {time.instructions:,}, clock {time.clocks:,}, frame {time.frame:,}"


def elapsed_line(time: Elapsed) -> Text:
    """Return what a stopwatch tells."""
    return Text(", ".join(elapsed_parts(time)))


def elapsed_parts(time: Elapsed) -> list[str]:
    """Return the figures of a stopwatch."""
    counts = {"clocks": time.clocks, "instructions": time.instructions, "frames": time.frames}
    return [*(f"{count:,} {name}" for name, count in counts.items()), f"{1e6 * time.seconds:,.3f} µs"]


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


# What commands of the debugger say, and how they read their arguments. All errors are ValueErrors.

MAX_COUNT = 1 << 40


@dataclass(frozen=True)
class Reply:
    """What a command says.

    lines      for people
    stop       why the machine stands where, if it has run
    has_moved  does the machine stand elsewhere now?
    is_end     does the session end?
    """

    lines: Sequence[Text] = ()
    stop: Stop | None = None
    has_moved: bool = False
    is_end: bool = False


def stopped(stop: Stop) -> Reply:
    return Reply([stop_line(stop)], stop, has_moved=True)


def said(*lines: str) -> Reply:
    return Reply([Text(line) for line in lines])


def nothing_after(rest: str, name: str) -> None:
    if rest:
        raise ValueError(f"{name} {shortened(rest)!r}: allowed {name} alone")


def number_of(debugger: Debugger, text: str, name: str, low: int, high: int, default: int) -> int:
    return check_integer(name, debugger.evaluate(text), low, high) if text else default


def conditional(rest: str) -> tuple[str, str | None]:
    """Return what stands before and after "if"."""
    before, word, condition = f" {rest} ".partition(" if ")
    if word and not condition.strip():
        raise ValueError("if: a condition is missing")
    return before.strip(), condition.strip() or None


def needed(text: str, what: str) -> str:
    if not text:
        raise ValueError(f"{what} is missing")
    return text
