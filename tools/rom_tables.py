#!/usr/bin/env python3
"""Turn tables of retrosim.numeric into the C data that tools/build_roms.py compiles; kernels and ROMs share them.

    tools/rom_tables.py sines             print the C source
    tools/rom_tables.py sines --header    print its header

Exit status: 0 done, 2 usage.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402  (the checkout needs no installation)

from retrosim.numeric import tables  # noqa: E402

Table = tuple[dict[str, int], np.ndarray]
"""Constants by their names in C, and int16[n]."""

TABLES: dict[str, Table] = {
    "sines": (
        {"kTurn": tables.TURN, "kQuarter": tables.QUARTER, "kFractionBits": tables.FRACTION_BITS},
        tables.SINES,
    ),
}
ACROSS = 12
MADE = "/* Made by tools/rom_tables.py from retrosim/numeric/tables.py. */"


def declaration(name: str) -> str:
    """Return the C declaration of a table: that of `sines` is called gSines."""
    return f"const short g{name.capitalize()}[{len(TABLES[name][1])}]"


def header(name: str) -> str:
    """Return NAME.h: the constants, and the declaration."""
    guard, constants = f"{name.upper()}_H", [f"    {each} = {value}" for each, value in TABLES[name][0].items()]
    lines = [MADE, "", f"#ifndef {guard}", f"#define {guard}", "", "enum {", ",\n".join(constants), "};", ""]
    return "\n".join([*lines, f"extern {declaration(name)};", "", "#endif", ""])


def source(name: str) -> str:
    """Return NAME.c: the numbers."""
    values = TABLES[name][1].tolist()
    rows = [", ".join(map(str, values[i : i + ACROSS])) for i in range(0, len(values), ACROSS)]
    return "\n".join([MADE, "", f'#include "{name}.h"', "", f"{declaration(name)} = {{", ",\n".join(rows), "};", ""])


def main(arguments: list[str] | None = None) -> int:
    """Run the tool; return its exit status."""
    parser = argparse.ArgumentParser(description="Print a table as the C source that ROMs are built from.")
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--header", action="store_true", help="print its header")
    options = parser.parse_args(arguments)
    print((header if options.header else source)(options.table), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
