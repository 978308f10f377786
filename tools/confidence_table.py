#!/usr/bin/env python3
"""Count how sure the figures of the price tables and of the machines are, for the table of a guide page.

    tools/confidence_table.py            print the table
    tools/confidence_table.py --write    put it into the page

A price table is a CSV file named *clocks.csv of an instruction set; a column "confidence" counts for the file, a column
"PART confidence" for that part.

Exit status: 0 done, 2 usage.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from retrosim.cpu.spec.sources import CONFIDENCE, read_rows  # noqa: E402  (the checkout needs no installation)
from retrosim.machine.presets import PRESETS  # noqa: E402

PAGE = ROOT / "retrosim" / "guide" / "machines.md"
BEGIN, END = "<!-- made by tools/confidence_table.py -->", "<!-- end of what it made -->"


def price_tables() -> dict[str, Counter[str]]:
    """Return what is counted -> confidence -> lines of its price table."""
    found: dict[str, Counter[str]] = {}
    for path in sorted((ROOT / "retrosim" / "cpu").glob("*/*clocks.csv")):
        rows = read_rows(path)
        for column in rows[0]:
            if column == "confidence" or column.endswith(" confidence"):
                part = column.removesuffix("confidence").strip()
                name = f"`{path.parent.name}/{path.name}`" + (f", {part}" if part else "")
                found[name] = Counter(row[column] for row in rows if row[column])
    return found


def parameters() -> dict[str, Counter[str]]:
    """Return machine -> confidence -> parameters of its memory, caches and services."""
    return {
        f"`{name}`": Counter(each.confidence for each in preset.parameters.values()) for name, preset in PRESETS.items()
    }


def table() -> str:
    """Return the table in Markdown."""
    lines = [f"| figures | {' | '.join(CONFIDENCE)} |", "|---" * (len(CONFIDENCE) + 1) + "|"]
    for name, counts in (price_tables() | parameters()).items():
        lines.append(f"| {name} | {' | '.join(str(counts[word]) for word in CONFIDENCE)} |")
    return "\n".join(lines)


def with_table(text: str) -> str:
    """Return a page with the table between its marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"


def main(arguments: list[str] | None = None) -> int:
    """Run the tool; return its exit status."""
    parser = argparse.ArgumentParser(description="Count how sure the figures of the price tables and machines are.")
    parser.add_argument("--write", action="store_true", help="put the table into retrosim/guide/machines.md")
    options = parser.parse_args(arguments)
    if options.write:
        PAGE.write_text(with_table(PAGE.read_text()))
    else:
        print(table())
    return 0


if __name__ == "__main__":
    sys.exit(main())
