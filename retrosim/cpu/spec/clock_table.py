"""Tables of clocks: CSV files beside the instructions, whose lines that begin with # are remarks."""

from __future__ import annotations

import csv
from pathlib import Path


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table: column -> text, as printed."""
    with path.open(newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def rows_by_instruction(path: Path) -> dict[str, dict[str, str]]:
    """Return instruction -> column -> text."""
    return {row["instruction"]: row for row in read_rows(path)}
