"""Object code on disk: a file for each group of functions, written whole or not at all, compiled by one process.

A file is 32 bytes of blake2b, then the object code that they are the digest of. A damaged file counts as none.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from retrosim.jit import CACHE_FOLDERS

try:
    import fcntl
except ImportError:  # no such locks on Windows: two processes may compile the same
    fcntl = None

FOLDER = CACHE_FOLDERS["engines"]
DIGEST_BYTES = 32

_unwritten: dict[str, bytes] = {}  # where the folder cannot be written to


def is_cached(name: str) -> bool:
    """Has a group of functions been compiled?"""
    return name in _unwritten or _path(name).exists()


def cached_object(name: str, compile_it: Callable[[], bytes]) -> bytes:
    """Return the object code of a group of functions, compiled unless it is there already.

    name        of the group, which says all that its code depends on besides the sources of this package
    compile_it  returns the object code; called by one process at a time
    """
    found = _unwritten.get(name) or _read(name)
    if found is not None:
        return found
    with _locked(name):
        found = _read(name)  # another process may have been at it
        if found is None:
            found = compile_it()
            _write(name, found)
    return found


def _path(name: str) -> Path:
    return FOLDER / f"{name}.o"


def _read(name: str) -> bytes | None:
    try:
        content = _path(name).read_bytes()
    except OSError:
        return None
    digest, code = content[:DIGEST_BYTES], content[DIGEST_BYTES:]
    return code if hashlib.blake2b(code, digest_size=DIGEST_BYTES).digest() == digest else None


def _write(name: str, code: bytes) -> None:
    partial = _path(name).with_suffix(f".{os.getpid()}-{threading.get_ident()}")
    try:
        partial.write_bytes(hashlib.blake2b(code, digest_size=DIGEST_BYTES).digest() + code)
        partial.replace(_path(name))
    except OSError:
        _unwritten[name] = code


@contextlib.contextmanager
def _locked(name: str) -> Iterator[None]:
    """Keep other processes from compiling the same; where there are no locks, they may."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            file = stack.enter_context(_path(name).with_suffix(".lock").open("w"))
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX)
        yield
