"""Object code on disk: a file for each group of functions, written whole or not at all, compiled by one process.

A file is 32 bytes of blake2b, then the object code that they are the digest of. A damaged file counts as none. Beside
it may lie a list of what the functions are, a line each.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from retrosim.jit import CACHE_FOLDERS

try:
    import fcntl
except ImportError:  # no such locks on Windows: two processes may compile the same
    fcntl = None

FOLDER = CACHE_FOLDERS["engines"]
DIGEST_BYTES = 32
LIST_SUFFIX = ".list"

_unwritten: dict[str, bytes] = {}  # where the folder cannot be written to
_contents: dict[str, frozenset[str]] = {}  # of groups that this process has seen


def is_cached(name: str) -> bool:
    """Has a group of functions been compiled?"""
    return name in _unwritten or _path(name).exists()


def object_of(name: str) -> bytes | None:
    """Return the object code of a group of functions if it is there, and whole."""
    return _unwritten.get(name) or _read(name)


def contents_of(prefix: str) -> dict[str, frozenset[str]]:
    """Return what the functions of cached groups are, by group, of those whose names begin so and that tell it."""
    with contextlib.suppress(OSError):
        names = {file.removesuffix(LIST_SUFFIX) for file in os.listdir(FOLDER) if file.endswith(LIST_SUFFIX)}
        for name in names - _contents.keys():
            _contents[name] = frozenset(_path(name).with_suffix(LIST_SUFFIX).read_text("utf-8").splitlines())
    return {name: contents for name, contents in _contents.items() if name.startswith(prefix)}


def cached_object(name: str, compile_it: Callable[[], bytes], contents: Sequence[str] = ()) -> bytes:
    """Return the object code of a group of functions, compiled unless it is there already.

    name        of the group, which says all that its code depends on besides the sources of this package
    compile_it  returns the object code; called by one process at a time
    contents    what the functions are, for `contents_of`
    """
    found = object_of(name)
    if found is not None:
        return found
    with _locked(name):
        found = _read(name)  # another process may have been at it
        if found is None:
            found = compile_it()
            _write(name, found)
            if contents:
                _contents[name] = frozenset(contents)
                with contextlib.suppress(OSError):
                    _replace(_path(name).with_suffix(LIST_SUFFIX), "\n".join(contents).encode())
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
    try:
        _replace(_path(name), hashlib.blake2b(code, digest_size=DIGEST_BYTES).digest() + code)
    except OSError:
        _unwritten[name] = code


def _replace(path: Path, content: bytes) -> None:
    partial = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
    partial.write_bytes(content)
    partial.replace(path)


@contextlib.contextmanager
def _locked(name: str) -> Iterator[None]:
    """Keep other processes from compiling the same; where there are no locks, they may."""
    path = _path(name).with_suffix(".lock")
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            file = stack.enter_context(path.open("w"))
            stack.callback(path.unlink, missing_ok=True)
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX)
        yield
