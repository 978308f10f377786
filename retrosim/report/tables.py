"""Tables of numbers, for the terminal and a pipe."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.table import Table


class NumberTable(Table):
    """A table whose figures are never cut, however narrow the terminal is: `cli.output.print_table` looks at that."""

    is_never_cut = True


def number_table(*headings: str) -> NumberTable:
    """Return an empty table without edges: names on the left, numbers right."""
    table = NumberTable(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in headings:
        table.add_column(heading, justify="right" if table.columns else "left", no_wrap=True)
    return table
