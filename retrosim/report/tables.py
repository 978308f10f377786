"""Tables of numbers for the terminal and a pipe, and what stands above and below them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text


class NumberTable(Table):
    """A table whose figures are never cut, however narrow the terminal is: `cli.output.print_table` looks at that."""

    is_never_cut = True


def number_table(*headings: str) -> NumberTable:
    """Return an empty table without edges: names on the left, numbers right."""
    table = NumberTable(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in headings:
        table.add_column(heading, justify="right" if table.columns else "left", no_wrap=True)
    return table


def figures_table(*headings: str) -> Table:
    """Return an empty table without edges: numbers first; what follows is added, and takes the width that is left."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def heading(text: str) -> Text:
    """Return what stands above a table."""
    return Text(text, style="bold")


def notes(sentences: Sequence[str]) -> Table:
    """Return sentences as a list under a table."""
    table = Table.grid(padding=(0, 1, 0, 0))
    for note in sentences:
        table.add_row("*", Text(note))
    return table
