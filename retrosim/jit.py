"""The one place that decorates functions for Numba, and the folders in which compiled code is kept.

Numba's on-disk cache notices an edited function but not an edited callee, so each folder is named by a digest of all
sources that its code can come from: any edit of those starts a fresh folder, and folders of older versions are removed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

import numba
import numba.core.config as numba_config
from platformdirs import user_cache_path, user_data_path

PACKAGE = Path(__file__).parent
MAX_CACHES = 4  # versions side by side, so that two checkouts do not evict each other
SOURCES = {
    "kernels": (
        "errors.py", "checks.py", "jit.py", "numeric", "collide", "scenarios", "screen", "cpu/spec", "cpu/engines",
    ),
    "engines": ("errors.py", "cpu"),
}  # fmt: skip
"""Kind of compiled code -> files and folders of the package that it comes from, a kernel's own file aside."""


def user_folder(kind: str) -> Path:
    """Return the folder for "cache" or "data" files: in RETROSIM_HOME, else where the system keeps such files."""
    home = os.environ.get("RETROSIM_HOME")
    if home:
        return Path(home) / kind
    return {"cache": user_cache_path, "data": user_data_path}[kind]("retrosim", appauthor=False)


def source_digest(*names: str) -> str:
    """Return 16 hex digits that change with any source or table of the package, or of some of its files and folders."""
    digest = hashlib.blake2b(digest_size=8)
    for place in map(PACKAGE.joinpath, names or ("",)):
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.suffix in (".py", ".csv", ".txt"):
                digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


CACHE = user_folder("cache")


def _open_cache(kind: str) -> Path:
    """Create the folder for a kind of compiled code, and remove the oldest of other versions."""
    root = CACHE / kind
    folder = root / source_digest(*SOURCES[kind])
    with suppress(OSError):  # a read-only home: nothing is kept
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        versions = sorted((p for p in root.iterdir() if p.is_dir()), key=lambda p: p.stat().st_mtime, reverse=True)
        for old in versions[MAX_CACHES:]:
            shutil.rmtree(old, ignore_errors=True)
    return folder


CACHE_FOLDERS = {kind: _open_cache(kind) for kind in SOURCES}
"""Where the compiled code of the present sources is kept, by kind."""

numba_config.CACHE_DIR = str(CACHE_FOLDERS["kernels"])


def cached_files() -> list[Path]:
    """Return all files of CACHE_FOLDERS."""
    return [path for folder in CACHE_FOLDERS.values() for path in folder.rglob("*") if path.is_file()]


kernel = numba.njit(cache=True, nogil=True, error_model="numpy")
"""Compile a leaf function or a routine: cached, without the interpreter lock, no zero-division checks."""


def compiles_correctly() -> bool:
    """Compile a function in memory, and tell whether it gives the right result."""
    return numba.njit(lambda a, b: a * b + 1)(6, 7) == 43


JIT = not numba_config.DISABLE_JIT
"""Whether kernels are compiled at all."""

REFUSED_TYPES = (TypeError, OverflowError)
"""What the call of an Entry raises for arguments of types that were not admitted."""


class Entry:
    """A kernel that is called from Python before its arguments have been checked; no other kernel may call it.

    It is compiled only for types that were admitted, and refuses all others; whole numbers it takes for one another.
    So a call costs no check of types, and only what is refused is checked, once, by whoever admits it. Values (lengths,
    ranges) are for the kernel itself to check.

    call  the kernel; raises one of REFUSED_TYPES for types that were not admitted
    """

    def __init__(self, routine: Any) -> None:
        self._routine, self._kinds = routine, set[tuple]()
        self.call: Callable = self._call_plain  # until there is compiled code, which is called at once

    def _call_plain(self, *arguments: Any) -> Any:
        """Refuse arguments; without the compiler, take those of types that were admitted."""
        if JIT or tuple(map(numba.typeof, arguments)) not in self._kinds:
            raise TypeError("types that were not admitted")
        return self._routine(*arguments)

    def admit(self, *arguments: Any) -> None:
        """Take types like those of these arguments, which were checked, from now on."""
        kinds = tuple(map(numba.typeof, arguments))
        with _COMPILING:
            if JIT and kinds not in self._kinds:
                self._routine.disable_compile(False)
                self._routine.compile(kinds)
                self._routine.disable_compile()
                self.call = self._routine
            self._kinds.add(kinds)


_COMPILING = Lock()
