"""Files that a user asked for: each is written as a whole, or what was there before stays."""

from __future__ import annotations

import os
import shutil
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
    except OSError as error:
        raise RetrosimError(f"{path}: cannot be written: {error.strerror or error}") from error
    if not os.access(path.parent, os.W_OK):
        raise RetrosimError(f"{path}: the folder {path.parent} cannot be written to")


def write_text(path: Path, text: str, *, overwrite: bool) -> None:
    """Write a text file. Errors: RetrosimError if it exists (and `overwrite` is not set) or cannot be written."""
    try:
        write_whole(path, text.encode(), overwrite=overwrite)
    except FileExistsError:
        raise RetrosimError(f"{path}: exists already and is not overwritten; {FORCE}") from None
    except (OSError, ValueError) as error:
        raise RetrosimError(f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}") from None


def write_whole(path: Path, content: bytes, *, overwrite: bool) -> None:
    """Write a file; when that fails, what was there is still there, and nothing else is. Errors: OSError."""
    if overwrite and path.exists() and not path.is_file():  # a device, a pipe
        path.write_bytes(content)
        return
    path = path.resolve() if overwrite else path
    partial = path.with_name(f"{path.name}.{os.getpid()}.new") if overwrite else path
    with partial.open("xb") as file:
        try:
            file.write(content)
            file.close()
            if overwrite:
                if path.exists():
                    shutil.copymode(path, partial)
                os.replace(partial, path)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
