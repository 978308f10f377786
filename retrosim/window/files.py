"""Names, writes and finds the files that the window makes: with date and time in the name, never overwritten."""

from __future__ import annotations

from datetime import datetime
from itertools import count
from pathlib import Path

from retrosim.errors import RetrosimError


def write_new(folder: Path, stem: str, suffix: str, content: bytes, *, now: datetime | None = None) -> Path:
    """Write a new file "stem-19940621-120000.suffix" and return its path; if it exists, "-2", "-3", ... is added.

    folder   created if it does not exist
    now      host time for the name; default: the present
    Errors   RetrosimError  folder or file cannot be created or written; then no part of the file stays
    """
    stamp = f"{now or datetime.now():%Y%m%d-%H%M%S}"
    names = (f"{stem}-{stamp}{f'-{number}' if number > 1 else ''}{suffix}" for number in count(1))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = next(path for name in names if _create(path := folder / name))
    except OSError as error:
        raise RetrosimError(f"{folder}: no file can be created in it: {error.strerror or error}") from error
    try:
        path.write_bytes(content)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise RetrosimError(f"{path}: cannot be written: {error.strerror or error}") from error
    return path


def _create(path: Path) -> bool:
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def newest_file(folder: Path, stem: str, suffix: str) -> Path | None:
    """Return the most recent of the files that `write_new` made for a stem, None if there is none."""
    found = [path for path in folder.glob(f"{stem}-*{suffix}") if path.is_file()]
    return max(found, key=lambda path: (path.stat().st_mtime_ns, path.name), default=None)


def read_file(path: Path) -> bytes:
    """Return the content of a file.

    Errors   RetrosimError  it cannot be read
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise RetrosimError(f"{path}: cannot be read: {error.strerror or error}") from error


def home_short(path: Path) -> str:
    """Return a path as text, with "~" for the user's home folder."""
    home = Path.home()
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)
