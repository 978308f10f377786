"""Tables of numbers, for the terminal and a pipe."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.table import Table

from retrosim.screen.overlay import counted


class NumberTable(Table):
    """A table whose figures are never cut, however narrow the terminal is: `cli.output.print_table` looks at that."""

    is_never_cut = True


def number_table(*headings: str) -> NumberTable:
    """Return an empty table without edges: names on the left, numbers right."""
    table = NumberTable(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in headings:
        table.add_column(heading, justify="right" if table.columns else "left", no_wrap=True)
    return table


# Figures as text: clocks with thousands apart, between which they are, and how warm the caches were.

def grouped(value: float | None) -> str:
    """Return clocks as a whole number with its thousands apart, "-" for None."""
    return "-" if value is None else f"{value:,.0f}"


def between(low: float | None, high: float | None) -> str:
    """Return an interval, "-" where there is none."""
    return "-" if low is None or high is None else f"{low:,.0f} .. {high:,.0f}"


def warmth(calls: int) -> str:
    """Say how warm caches are after some calls of a routine before the one that counts."""
    if calls:
        return f"warm: {counted(calls, 'call')} before, with the same arguments"
    return "as the program has left them, empty if it has not run"
