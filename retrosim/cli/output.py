"""What commands write: result lines and JSON on stdout, one-line messages on stderr, names of new files."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from retrosim.errors import RetrosimError
from retrosim.report.files import write_whole
from retrosim.report.json import to_json

ELF_MAGIC = b"\x7fELF"


def say(text: str) -> None:
    """Write one line "retrosim: ..." to stderr, whatever the text holds."""
    line = " ".join(text.split())
    print("retrosim:", "".join(c if c.isprintable() else repr(c)[1:-1] for c in line), file=sys.stderr, flush=True)


def print_json(value: Any) -> None:
    """Write a report, or what else JSON has, as one document to stdout."""
    print(json.dumps(to_json(value), indent=2))


def print_lines(lines: Iterable[str]) -> None:
    """Write lines to stdout."""
    for line in lines:
        print(line)


def columns(rows: Sequence[Sequence[str]], indent: int = 2) -> list[str]:
    """Return rows as lines with aligned columns."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [" " * indent + "  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip() for row in rows]


def shown_path(path: str | Path) -> str:
    """Return a path as people write it: relative to the current folder if it lies inside."""
    path = Path(path)
    try:
        return str(path.relative_to(Path.cwd()))
    except (OSError, ValueError):
        return str(path)


def free_name(stem: str, suffix: str) -> Path:
    """Return the first name in the current folder that nothing has: stem.suffix, stem-2.suffix, ..."""
    names = (f"{stem}{f'-{number}' if number > 1 else ''}{suffix}" for number in count(1))
    return next(path for name in names if not os.path.lexists(path := Path(name)))


def write_elf_file(path: Path, content: bytes, force: bool) -> None:
    """Write an ELF file; an older one is replaced, another file only with --force. Errors: RetrosimError."""
    try:
        if path.exists() and not force and _head_of(path) != ELF_MAGIC:
            raise RetrosimError(f"{path}: exists, is not an ELF file and is not overwritten; --force replaces it")
        write_whole(path, content, overwrite=True)
    except (OSError, ValueError) as error:
        raise RetrosimError(f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}") from None


def _head_of(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(ELF_MAGIC))


MAX_WIDTH = 400  # of a table


def print_table(table: Any) -> None:
    """Write a rich table, by way of `sys.stdout`, so that a broken pipe is met as everywhere.

    Where a table of numbers needs it, lines are longer than the terminal: no figure is cut.
    """
    from rich.console import Console

    console = Console(highlight=False)
    wide = console.options.update(width=MAX_WIDTH)
    console.width = max(console.width, *(console.measure(each, options=wide).maximum for each in _never_cut(table)), 0)
    with console.capture() as written:
        console.print(table)
    sys.stdout.writelines(line.rstrip() + "\n" for line in written.get().splitlines())


def print_report(report: Any, as_json: bool, table: Callable[[], Any]) -> None:
    """Write a report as JSON, or as the table that is made of it."""
    if as_json:
        print_json(report)
    else:
        print_table(table())


def _never_cut(part: Any) -> Iterator[Any]:
    """Yield the tables of numbers among the parts of what is written."""
    if getattr(part, "is_never_cut", False):
        yield part
    for inner in (*getattr(part, "renderables", ()), getattr(part, "renderable", None)):
        if inner is not None:
            yield from _never_cut(inner)
