"""The one place that decorates functions for Numba, and the one place that knows its cache.

Numba's on-disk cache notices an edited function but not an edited callee, so the cache folder is named by a digest of
all sources of this package: any edit starts a fresh cache, and folders of older versions are removed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import sys
from pathlib import Path
from types import ModuleType

import numba
import numba.core.config as numba_config
from numba.core.errors import NumbaError

PACKAGE = Path(__file__).parent
KEPT_CACHES = 4  # versions side by side, so that two checkouts do not evict each other


def user_folder(kind: str) -> Path:
    """Return the folder for "cache" or "data" files: RETROSIM_HOME, else the XDG location."""
    home = os.environ.get("RETROSIM_HOME")
    if home:
        return Path(home) / kind
    variable, default = {"cache": ("XDG_CACHE_HOME", ".cache"), "data": ("XDG_DATA_HOME", ".local/share")}[kind]
    return Path(os.environ.get(variable) or Path.home() / default) / "retrosim"


def source_digest() -> str:
    """Return 16 hex digits that change with any source or table of the package."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(PACKAGE.rglob("*")):
        if path.suffix in (".py", ".csv", ".txt"):
            digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _open_cache() -> Path:
    """Create the cache folder of this version and drop the oldest others; Numba uses it from now on."""
    root = user_folder("cache") / "jit"
    folder = root / source_digest()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        others = sorted((p for p in root.iterdir() if p.is_dir()), key=lambda p: p.stat().st_mtime, reverse=True)
        for old in others[KEPT_CACHES:]:
            shutil.rmtree(old, ignore_errors=True)
        numba_config.CACHE_DIR = str(folder)
    except OSError:  # a read-only home: compile in memory every time
        numba_config.CACHE_DIR = ""
    return folder


CACHE_FOLDER = _open_cache()

kernel = numba.njit(cache=True, nogil=True, error_model="numpy")
"""Compile a leaf function or a routine: cached, without the interpreter lock, no zero-division checks."""


JIT = not numba_config.DISABLE_JIT
"""Whether kernels are compiled at all."""

REFUSED_TYPES = (TypeError, OverflowError, NumbaError)
"""What the call of a kernel raises that is not, and cannot be, compiled for the types of its arguments."""


def is_compiled(name: str) -> bool:
    """Does the cache hold the functions of a generated module?"""
    return any(CACHE_FOLDER.rglob(f"{name}.*.nbi"))


def generated_module(name: str, source: str) -> ModuleType:
    """Import `source` as a module whose compiled functions can be cached.

    Numba caches a function under the file it stands in and does not look at the globals it uses, so what such a module
    depends on (an instruction table, a ROM) must be part of `name`.
    """
    path = CACHE_FOLDER / f"{name}.py"
    module = ModuleType(name)
    try:
        if not path.exists():
            partial = path.with_suffix(f".{os.getpid()}")
            partial.write_text(source)
            partial.replace(path)
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # where Numba looks for it when it loads from the cache
        spec.loader.exec_module(module)
    except OSError:
        exec(compile(source.replace("cache=True", "cache=False"), name, "exec"), module.__dict__)
    return module
