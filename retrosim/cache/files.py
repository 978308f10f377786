"""Files that are read only if they are what they should be, written whole or not at all, and locked while made."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # no such locks on Windows: two processes may compile the same
    fcntl = None  # type: ignore[assignment]

MAX_BYTES = 1 << 28  # of a file that is read: several times the largest that is written
PARTIAL_SUFFIX = ".part"
LOCK_SUFFIX = ".lock"
LOCK_SECONDS = 60.0
LOCK_PAUSE = 0.02  # seconds between two looks
OWNER_FILE = 0o600
_PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NOT_PLAIN = (errno.ELOOP, errno.ENXIO, errno.EISDIR)  # a symbolic link, a socket, a folder


class NotPlain(OSError):
    """What has the name of a file is a link, a folder or something else, or far too large."""


def read_plain(path: Path) -> tuple[bytes, os.stat_result]:
    """Return the content of a regular file, and its status.

    Errors  NotPlain; other OSErrors if it is not there or cannot be read
    """
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _PLAIN)
    except OSError as error:
        if error.errno in _NOT_PLAIN:
            raise NotPlain(error.errno, "not a regular file", str(path)) from None
        raise
    with contextlib.ExitStack() as stack:
        stack.callback(os.close, file)
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
            raise NotPlain(errno.EINVAL, "not a regular file of a sensible size", str(path))
        parts = []
        while part := os.read(file, status.st_size + 1):  # one more, so that the end is met at the second call
            parts.append(part)
    return b"".join(parts), status


def write_whole(path: Path, content: bytes, sync: bool = True) -> None:
    """Write a file for this user alone; others see all of it or nothing, whenever the process stops.

    sync  whenever the host stops too, which takes milliseconds
    """
    partial = path.with_name(f"{path.name}.{secrets.token_hex(8)}{PARTIAL_SUFFIX}")
    try:
        with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _PLAIN, OWNER_FILE), "wb") as file:
            file.write(content)
            file.flush()
            if sync:
                os.fsync(file.fileno())
        try:
            os.replace(partial, path)
        except (IsADirectoryError, PermissionError):
            put_aside(path)
            os.replace(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def put_aside(path: Path) -> None:
    """Remove what lies where a file of ours belongs; a link itself, not what it leads to."""
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep other processes from making the same file for a while; where there are no locks, they may.

    Whoever waits longer than LOCK_SECONDS goes on: the other process may be suspended.
    """
    lock = path.with_name(path.name + LOCK_SUFFIX)
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            file = os.open(lock, os.O_RDWR | os.O_CREAT | _PLAIN, OWNER_FILE)
            stack.callback(os.close, file)
            stack.callback(_unlink, lock)
            _wait_for(file)
        yield


def _wait_for(file: int) -> None:
    """Take the lock of an open file, unless somebody holds it for very long."""
    deadline = time.monotonic() + LOCK_SECONDS
    while fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                return
            time.sleep(LOCK_PAUSE)


def _unlink(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
