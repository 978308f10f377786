"""Files that a user asked for: each is written as a whole, or what was there before stays."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from retrosim.errors import RetrosimError

FORCE = "choose another name, or replace it with --force"  # of commands that have the option


def check_free(path: str | Path, *, overwrite: bool = False, advice: str = "choose another name") -> None:
    """Refuse a path that cannot become a new file, before the work that would fill it.

    advice   what to do about a file that exists
    Errors   RetrosimError  the file exists (and `overwrite` is not set), or its folder does not or cannot be written
    """
    path = Path(path)
    try:
        if path.is_dir():
            raise RetrosimError(f"{path}: is a folder, not a file")
        if os.path.lexists(path) and not overwrite:
            raise RetrosimError(f"{path}: exists already and is not overwritten; {advice}")
        if not path.parent.is_dir():
            raise RetrosimError(f"{path}: there is no folder {path.parent}")
        is_device = path.exists() and not path.is_file()
    except OSError as error:
        raise RetrosimError(f"{path}: cannot be written: {error.strerror or error}") from error
    if not is_device and not is_writable(path.parent):
        raise RetrosimError(f"{path}: the folder {path.parent} cannot be written to")


def is_writable(folder: Path) -> bool:
    """Tell whether files can be created in a folder, by making one: rights alone do not tell, least of all root's."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def write_text(path: Path, text: str, *, overwrite: bool) -> None:
    """Write a text file for a command that has --force. Errors: as for `write_file`."""
    write_file(path, text.encode(), overwrite=overwrite, advice=FORCE)


def write_file(path: Path, content: bytes, *, overwrite: bool = False, advice: str = "") -> None:
    """Write a file.

    advice   what to do about a file that exists
    Errors   RetrosimError  the file exists (and `overwrite` is not set), or cannot be written
    """
    try:
        write_whole(path, content, overwrite=overwrite)
    except FileExistsError:
        raise RetrosimError(f"{path}: exists already and is not overwritten{advice and '; '}{advice}") from None
    except (OSError, ValueError) as error:
        raise RetrosimError(f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}") from None


def write_whole(path: Path, content: bytes, *, overwrite: bool) -> None:
    """Write a file; when that fails, what was there is still there, and nothing else is. Errors: OSError."""
    if overwrite:
        if path.exists() and not path.is_file():  # a device, a pipe
            path.write_bytes(content)
            return
        with replacing(path) as unfinished:
            unfinished.write_bytes(content)
        return
    with path.open("xb") as file:
        try:
            file.write(content)
            file.flush()
        except BaseException:
            path.unlink(missing_ok=True)
            raise


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Make a file under another name with the same suffix beside it; it gets its name when the block ends without an
    error, and is gone if there is one. The mode of a file that was there stays. Errors: OSError.
    """
    path = path.resolve()
    unfinished = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
    try:
        yield unfinished
        if path.exists():
            shutil.copymode(path, unfinished)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
