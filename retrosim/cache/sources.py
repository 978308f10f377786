"""Where the compiled code of the present sources is kept: a store for each kind, a folder for each version of them.

Nothing here needs Numba: processes whose machines run on our own engines begin without it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from .folders import user_folder
from .store import Store, open_cache

PACKAGE = Path(__file__).parent.parent
SOURCES = {
    "kernels": (
        "errors.py", "checks.py", "jit.py", "numeric", "collide", "scenarios", "screen", "cpu/spec", "cpu/engines"
    ),
    "engines": ("errors.py", "cpu"),
}  # fmt: skip
"""Kind of compiled code -> files and folders of the package that it comes from, a kernel's own file aside."""


def source_digest(*names: str) -> str:
    """Return 16 hex digits that change with any source or table of the package, or of some of its files and folders."""
    digest = hashlib.blake2b(digest_size=8)
    for place in map(PACKAGE.joinpath, names or ("",)):
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.suffix in (".py", ".csv", ".txt"):
                digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


class Stores(dict[str, Store]):
    """Kind of compiled code -> what that of the present sources is kept in, opened when it is asked for."""

    def __missing__(self, kind: str) -> Store:
        self[kind] = store = CACHE.store(kind, source_digest(*SOURCES[kind]))
        return store


CACHE = open_cache(user_folder("cache"))
STORES = Stores()


def cached_files() -> list[Path]:
    """Return the files of the compiled code of the present sources."""
    return [file.path for kind in SOURCES for file in STORES[kind].files()]
