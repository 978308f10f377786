"""The text of source files that a program's line table names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from retrosim.reading import read_regular

SUFFIXES = {".a", ".a68", ".asm", ".c", ".cc", ".cpp", ".h", ".hpp", ".i", ".inc", ".p", ".pas", ".pp", ".s", ".x68"}
MAX_BYTES = 4 << 20  # of a file
MAX_LINE = 400  # characters that are kept


def source_texts(files: Iterable[str | None], folders: Sequence[Path]) -> dict[str, list[str]]:
    """Return file -> its lines, of those that are found in one of the folders, by path or by name alone.

    files   as the line table names them; None and what has no suffix of a source are left out: a table may name any
            file, and its text goes into reports
    """
    found = {}
    for file in dict.fromkeys(files):
        if file is None or Path(file).suffix.lower() not in SUFFIXES:
            continue
        path = PurePosixPath(file.replace("\\", "/"))
        inside = [] if path.is_absolute() or ".." in path.parts else [str(path)]
        places = [folder / part for part in [*inside, path.name] for folder in folders]
        text = next(filter(None, map(_read, places)), None)
        if text is not None:
            found[file] = text
    return found


def _read(path: Path) -> list[str] | None:
    try:
        content = read_regular(path, MAX_BYTES)
    except (OSError, ValueError):
        return None
    if len(content) > MAX_BYTES:
        return None
    text = content.decode("utf-8", "replace")
    return [line[:MAX_LINE].expandtabs() for line in text.splitlines()]


def line_of(texts: Mapping[str, Sequence[str]], file: str | None, line: int | None) -> str | None:
    """Return a line of a file without its indent, None where the file was not found."""
    lines = texts.get(file or "")
    return lines[line - 1].strip() if lines and line and line <= len(lines) else None
