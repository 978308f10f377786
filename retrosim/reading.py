"""Reading files that a user names: regular ones only, so that no pipe and no device is waited for."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path

from .errors import RetrosimError


def read_regular(path: str | Path, limit: int) -> bytes:
    """Return the first bytes of a regular file.

    limit    how many are allowed; one more is returned of a file that has more
    Errors   OSError, also for a folder, a pipe and a device; ValueError for a name that no file can have
    """
    number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise OSError(errno.EINVAL, "not a regular file")
    with open(number, "rb") as file:
        return file.read(limit + 1)


def _refusal(path: str | Path, reason: str) -> RetrosimError:
    return RetrosimError(f"{path}: {reason}")


def read_file(path: str | Path, limit: int, error: Callable[[str | Path, str], Exception] = _refusal) -> bytes:
    """Return the contents of a regular file.

    limit    how many bytes are allowed
    error    makes the error that is raised, of the path and a reason; default: a RetrosimError
    Errors   what `error` makes: the file is not there, cannot be read, or is too long
    """
    try:
        content = read_regular(path, limit)
    except FileNotFoundError:
        raise error(path, "no such file") from None
    except (OSError, ValueError) as reason:  # ValueError: a zero byte in the name
        raise error(path, f"cannot be read: {getattr(reason, 'strerror', None) or reason}") from None
    if len(content) > limit:
        raise error(path, f"is longer than {limit} bytes")
    return content


def digest_of(content: bytes) -> str:
    """Return the SHA-256 of what was read, 64 hex digits: by it a file is known again."""
    return hashlib.sha256(content).hexdigest()
