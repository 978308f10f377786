"""The files that a source includes, and how much of them is read."""

from __future__ import annotations

import re
from pathlib import Path

from retrosim.checks import shortened
from retrosim.cpu.assembly.expressions import Unfit
from retrosim.reading import read_file

MAX_FILE_BYTES = 4 * 1024 * 1024
BINARY = re.compile(rb"[^\t-\r\x1a\x20-\x7e\x80-\xff]")  # what no text has; DOS ends one with 1A
QUOTES = "\"'<>"


def found_file(text: str, folder: Path | None) -> Path:
    """Return the file that an include names: in or beside the folder of the source, or below. Errors: Unfit."""
    name = text.strip()
    name = name[1:-1] if len(name) > 1 and name[0] in "\"'" and name[-1] == name[0] else name.strip(QUOTES)
    if folder is None:
        raise Unfit(f"include {shortened(name)}: a text without a file has no folder")
    shown = f"include {shortened(name)!r}"
    allowed = Unfit(f"{shown}: allowed a file in the folder of the source, beside that folder or below it")
    if not name or "\0" in name or Path(name).is_absolute():
        raise allowed
    try:
        root = folder.resolve()
        path = (root / name).resolve()
        if not path.is_relative_to(root.parent):
            raise allowed
        if path.is_file():
            return path
    except (OSError, RuntimeError):  # a name that is too long, links in a circle
        pass
    raise Unfit(f"{shown}: there is no such file")


def read_limited(path: Path, limit: int) -> bytes:
    """Return what is in a file of at most so many bytes. Errors: Unfit."""
    return read_file(path, limit, lambda _, reason: Unfit(f"{shortened(path.name)}: {reason}"))


def read_source(path: Path) -> str:
    """Return a source's text. Errors: Unfit."""
    content = read_limited(path, MAX_FILE_BYTES)
    if BINARY.search(content):
        raise Unfit(f"{shortened(path.name)}: is a binary file, not a source")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")
