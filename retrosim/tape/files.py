"""What recording does to the disk, in one place: tests replace it by one that fails."""

from __future__ import annotations

import os
import re
from io import FileIO
from pathlib import Path

from retrosim.errors import TapeError


class Disk:
    """Creates, writes and syncs files. Errors of all methods, where nothing else is said: OSError."""

    def create(self, path: Path) -> FileIO:
        """Create a file for writing, unbuffered; never an existing one."""
        return open(path, "xb", buffering=0)

    def reopen(self, path: Path, size: int) -> FileIO:
        """Open a file for appending behind its first `size` bytes; what follows them is cut off."""
        file = FileIO(path, "r+b")
        file.truncate(size)
        file.seek(size)
        return file

    def write(self, file: FileIO, data: bytes) -> None:
        """Write bytes, going on after short writes."""
        while data:
            data = data[file.write(data) :]

    def sync(self, file: FileIO) -> None:
        """Have what was written on the disk itself."""
        os.fsync(file.fileno())

    def sync_folder(self, path: Path) -> None:
        """Have the names in the folder of a file on the disk itself, where the system can do that."""
        if os.name == "nt":
            return
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def replace(self, source: Path, target: Path) -> None:
        """Give a file the name of another, which is gone then."""
        os.replace(source, target)

    def remove(self, path: Path) -> None:
        """Remove a file, if it is there and that is possible."""
        try:
            os.unlink(path)
        except OSError:
            return


DISK = Disk()


def create_file(path: str | Path, disk: Disk = DISK) -> FileIO:
    """Create a file for writing, unbuffered; never an existing one.

    Errors   TapeError
    """
    try:
        return disk.create(Path(path))
    except FileExistsError:
        raise TapeError(path, "exists already; retrosim never overwrites a file") from None
    except OSError as error:
        raise TapeError(path, f"cannot be created: {error.strerror}") from None
    except ValueError as error:
        raise TapeError(path, f"cannot be created: {error}") from None


def write_new(path: str | Path, data: bytes, disk: Disk = DISK) -> None:
    """Write a new file, and sync it and its folder; nothing stays behind on failure.

    Errors   TapeError if it exists or cannot be written
    """
    file = create_file(path, disk)
    try:
        with file:
            disk.write(file, data)
            disk.sync(file)
        disk.sync_folder(Path(path))
    except OSError as error:
        disk.remove(Path(path))
        raise TapeError(path, f"cannot be written: {error.strerror}") from None


def numbered_path(folder: str | Path, stem: str) -> Path:
    """Return the first free name stem-001.rtape, stem-002.rtape, ... in a folder.

    Errors   ValueError if stem is not a plain file name; TapeError if all 9999 are taken
    """
    if not re.fullmatch("[A-Za-z0-9][A-Za-z0-9._+-]{0,99}", stem):
        raise ValueError(f"{stem!r} is not a plain file name")
    for number in range(1, 10000):
        path = Path(folder) / f"{stem}-{number:03}.rtape"
        if not path.exists() and not path.is_symlink():
            return path
    raise TapeError(folder, f"holds 9999 tapes named {stem}-*.rtape already")
