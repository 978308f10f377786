"""The small views of a debugger, as lines that a click does something with: for the window and the terminal alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from retrosim.debug import views
from retrosim.errors import RetrosimError

from . import texts

if TYPE_CHECKING:
    from retrosim.debug import Debugger
    from retrosim.machine import Machine

    from .session import ConsoleSession

MAX_STACK = 16
MAX_ROWS = 30


class PaneLine(NamedTuple):
    """A line, and what a click on it does.

    action    "at": show the code at an address; "remove": a point; "unwatch": an expression; "": nothing
    argument  address or number
    """

    text: str
    action: str = ""
    argument: int = 0


def stack(debugger: Debugger, limit: int = MAX_STACK) -> list[PaneLine]:
    """Return the routines under way, the innermost first."""
    lines = []
    for number, frame in enumerate(debugger.call_stack(limit)):
        at = frame.pc if frame.call_pc is None else frame.call_pc
        lines.append(PaneLine(f"#{number:<2} {frame}", "at", at))
    return lines


def points(debugger: Debugger) -> list[PaneLine]:
    """Return what stops the machine; hooks are others'."""
    return [PaneLine(str(point), "remove", point.number) for point in debugger.points if not point.acts]


def causes(machine: Machine, before: Mapping[str, int]) -> list[PaneLine]:
    """Return what clocks went to since an earlier count, or why that is not known."""
    try:
        rows = views.causes(machine, before)
    except ValueError as error:
        return [PaneLine(str(error))]
    return [PaneLine(f"{100 * row.share:5.1f}% {row.clocks:>11,} {row.cause}") for row in rows]


def watch_list(session: ConsoleSession) -> list[PaneLine]:
    """Return the expressions of the watch list with their values."""
    return [PaneLine(text.plain, "unwatch", number) for number, text in zip(session.displays, session.watch_list())]


def timer(session: ConsoleSession) -> list[PaneLine]:
    """Return the clocks since the last stop, and what was measured last."""
    elapsed = views.elapsed(session.machine, session.started, session.debugger.time)
    lines = [PaneLine("since the last stop:"), *(PaneLine(f"  {part}") for part in texts.elapsed_parts(elapsed))]
    if session.measured is not None:
        name, time = session.measured
        lines += [PaneLine(f"{name}:"), *(PaneLine(f"  {part}") for part in texts.elapsed_parts(time))]
    return lines


def hottest(session: ConsoleSession) -> list[PaneLine]:
    """Return the functions in which the clocks since the last stop went."""
    if session.started.instructions >= session.debugger.time.instructions:
        return []
    try:
        rows = session.interruptible(lambda: views.hottest(session.debugger, session.started.instructions))
    except (RetrosimError, ValueError) as error:
        return [PaneLine(str(error))]
    symbols = session.machine.image.symbols
    places = {row: ("at", symbols[row.function].address) for row in rows if row.function in symbols}
    lines = ((row, f"{100 * row.share:5.1f}% {row.clocks:>11,} {row.function}") for row in rows[:MAX_ROWS])
    return [PaneLine(text, *places.get(row, ())) for row, text in lines]


PANES: dict[str, Callable[[ConsoleSession], list[PaneLine]]] = {
    "Stack": lambda session: stack(session.debugger),
    "Watch": watch_list,
    "Points": lambda session: points(session.debugger),
    "Timer": timer,
    "Hottest": hottest,
    "Causes": lambda session: causes(session.machine, session.causes_at_start),
}
"""What the terminal shows in one place, one at a time."""
EMPTY = {
    "Watch": "display EXPRESSION adds one",
    "Points": "break, watch, catch, limit",
    "Hottest": "nothing has run",
    "Causes": "no clocks since the last stop",
}
"""What is said where a pane has no lines."""
