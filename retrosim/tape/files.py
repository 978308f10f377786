"""What recording does to the disk, in one place: tests replace it by one that fails.

Unlike the files of `report.files`, a recording is on the disk itself before anything else happens, stays open for more,
and never replaces a file of the user's.
"""

from __future__ import annotations

import os
import re
import secrets
from io import FileIO
from pathlib import Path

from retrosim.checks import did_you_mean
from retrosim.errors import TapeError
from retrosim.rom import Rom
from retrosim.rom.fields import FILE_NAME
from retrosim.rom.library import SHOWS, rom_folders, shipped_files, what_ships


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

    def publish(self, source: Path, target: Path) -> None:
        """Give a file another name that no file has. Errors: FileExistsError if one has it."""
        if os.name == "nt":
            os.rename(source, target)  # never replaces there
            return
        try:
            os.link(source, target)
        except FileExistsError:
            raise
        except OSError:  # a file system without a second name for a file
            open(target, "xb").close()
            os.replace(source, target)  # of our own empty file
        else:
            os.unlink(source)

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


def partial_path(path: Path) -> Path:
    """Return a name for a file while it is being begun: hidden, and nobody else's."""
    return path.with_name(f".{path.name[:40]}.{secrets.token_hex(4)}")


def create_file(path: str | Path, data: bytes, disk: Disk = DISK) -> FileIO:
    """Create a file that begins with some bytes, synced like its name; return it for writing on, unbuffered.

    It gets its name when the bytes are on the disk, so that nothing without them is ever found under the name and
    stands in the way of another attempt. An existing file is never touched.

    Errors   TapeError; then nothing stays behind
    """
    path = Path(path)
    try:
        if os.path.lexists(path):
            raise FileExistsError
        partial = partial_path(path)
        file = disk.create(partial)
    except FileExistsError:
        raise TapeError(path, "exists already; retrosim never overwrites a file") from None
    except OSError as error:
        raise TapeError(path, f"cannot be created: {error.strerror}") from None
    except ValueError as error:
        raise TapeError(path, f"cannot be created: {error}") from None
    try:
        disk.write(file, data)
        disk.sync(file)
        disk.publish(partial, path)
    except OSError as error:
        file.close()
        disk.remove(partial)
        if isinstance(error, FileExistsError):
            raise TapeError(path, "exists already; retrosim never overwrites a file") from None
        raise TapeError(path, f"cannot be written: {error.strerror}") from None
    try:
        disk.sync_folder(path)
    except OSError as error:
        file.close()
        disk.remove(path)
        raise TapeError(path, f"cannot be written: {error.strerror}") from None
    return file


def write_new(path: str | Path, data: bytes, disk: Disk = DISK) -> None:
    """Write a new file, and sync it and its folder; nothing stays behind on failure.

    Errors   TapeError if it exists or cannot be written
    """
    create_file(path, data, disk).close()


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


# Where tapes are found: those that come with the ROMs, by name, and any file the user names.


def shipped_tapes() -> list[Path]:
    """Return the tapes that come with the ROMs, without those of ROMs that cannot be read."""
    return shipped_files(Rom.tapes)


def tape_name(path: str | Path) -> str:
    """Return what messages call a tape: the name of a shipped one, the path of another."""
    tapes = Path(path).parent
    return Path(path).stem if tapes.name == "tapes" and tapes.parent.parent in rom_folders() else str(path)


def find_tape(name_or_path: str) -> str:
    """Return the path of a tape: the argument itself if there is such a file, else the shipped tape of that name.

    Errors   TapeError
    """
    if os.path.lexists(name_or_path):
        return name_or_path
    of_that_name = shipped_files(Rom.tapes, f"tapes/{name_or_path}.rtape") if FILE_NAME.fullmatch(name_or_path) else ()
    shipped = {path.stem: str(path) for path in of_that_name}
    if name_or_path not in shipped:
        near = did_you_mean(name_or_path, [path.stem for path in shipped_tapes()])
        if kind := what_ships(name_or_path):
            raise TapeError(name_or_path, f"is a {kind}, not a tape: `{SHOWS[kind]} {name_or_path}`")
        raise TapeError(name_or_path, f"no such file, and no tape of `retrosim list tapes`{near}")
    return shipped[name_or_path]
