"""Reading files that a user names: regular ones only, so that no pipe and no device is waited for."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def read_regular(path: str | Path, limit: int) -> bytes:
    """Return the first bytes of a regular file.

    limit    how many are allowed; one more is returned of a file that has more
    Errors   OSError, also for a folder, a pipe and a device; ValueError for a name that no file can have
    """
    number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise OSError(errno.EINVAL, "is not a regular file")
    with open(number, "rb") as file:
        return file.read(limit + 1)
