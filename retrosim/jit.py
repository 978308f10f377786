"""The one place that decorates functions for Numba, and keeps in the cache what they are compiled to.

A kernel's code depends on what it calls and on constants from other files, so each version of the sources that it can
come from has a folder of its own, named by their digest (cache/sources.py): any edit of those starts a fresh folder.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Lock
from types import FunctionType
from typing import Any

import llvmlite
import numba
import numba.core.config as numba_config
import numpy
from numba.core import serialize
from numba.core.compiler import CompileResult
from numba.core.errors import NumbaValueError

from .cache.sources import STORES

MAX_NAME = 80  # letters of a file name that tell which kernel it is
JIT = not numba_config.DISABLE_JIT
"""Whether kernels are compiled at all."""


class KernelCache:
    """Keeps what one kernel is compiled to, an entry for each tuple of argument types, in place of Numba's own cache.

    Numba reads pickles of index and code before it knows whether they are whole, and whose they are; an entry of a
    store has been checked when it is read. Its name is a digest of all that the code depends on besides SOURCES.
    """

    def __init__(self, function: Callable, caller: str) -> None:
        """Keep a function's code for its callers, which are "Python" or "kernels"."""
        self._function, self._caller, self._is_enabled = function, caller, True

    @property
    def cache_path(self) -> str | None:
        """The folder of the entries."""
        folder = STORES["kernels"].folder
        return str(folder) if folder else None

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """Return the code for some types of arguments; None if it is not there."""
        target_context.refresh()
        name = self._name(sig, target_context.codegen())
        content = STORES["kernels"].read(name) if name and self._is_enabled else None
        if content is None:
            return None
        try:
            return CompileResult._rebuild(target_context, *pickle.loads(content))
        except Exception:  # our own writing, so Numba has a reason that no name tells: it is compiled again
            STORES["kernels"].remove(name)
            return None

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        """Keep code for some types of arguments, unless it holds addresses of this process."""
        name = self._name(sig, data.codegen)
        if name and self._is_enabled and not data.library.has_dynamic_globals and all(x.can_cache for x in data.lifted):
            STORES["kernels"].write(name, serialize.dumps(data._reduce()))

    def enable(self) -> None:
        """Keep code, and look for it."""
        self._is_enabled = True

    def disable(self) -> None:
        """Compile everything anew."""
        self._is_enabled = False

    def flush(self) -> None:
        """Remove the entries of this kernel."""
        store = STORES["kernels"]
        for name in store.names():
            if name.startswith(f"{self._stem()}-"):
                store.remove(name)

    def _stem(self) -> str:
        name = f"{self._function.__module__}.{self._function.__qualname__}".removeprefix("retrosim.")
        return "".join(c if c.isascii() and (c.isalnum() or c in "._") else "" for c in name)[-MAX_NAME:]

    def _name(self, sig: Any, codegen: Any) -> str:
        """Return the name of an entry, "" for a function whose source cannot be read."""
        code = self._function.__code__
        source = _file_digest(code.co_filename)
        cells = [cell.cell_contents for cell in self._function.__closure__ or ()]
        versions = (sys.version, numba.__version__, llvmlite.__version__, numpy.__version__)
        effort = (str(numba_config.OPT), numba_config.LOOP_VECTORIZE, numba_config.SLP_VECTORIZE)
        host = (*versions, codegen.magic_tuple(), effort)
        place = (source, code.co_firstlineno, code.co_code, self._caller)
        parts = (host, repr(sig), place, serialize.dumps(cells) if cells else b"")
        digest = hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest()
        return source and f"{self._stem()}-{digest}.kernel"


@cache
def _file_digest(path: str) -> str:
    """Return a digest of a file of source code, "" if there is none."""
    try:
        return hashlib.blake2b(Path(path).read_bytes(), digest_size=16).hexdigest()
    except OSError:
        return ""


_OPTIONS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_for_python = numba.njit(**_OPTIONS)
_for_kernels = numba.njit(**_OPTIONS, no_cpython_wrapper=True)


def kernel(function: Callable) -> Any:
    """Compile a leaf function or a routine: cached, without the interpreter lock, no zero-division checks.

    Most functions are called by kernels alone. For them nothing is compiled that takes Python objects apart: it would
    be a quarter of the work.
    """
    routine = _for_python(function)
    if JIT:
        inner = _for_kernels(function)
        routine._cache, inner._cache = KernelCache(function, "Python"), KernelCache(function, "kernels")
        routine.get_call_template, routine.get_overload = inner.get_call_template, inner.get_overload
    return routine


def uncompiled(routine: Any) -> Callable:
    """Return the Python function that a kernel is made of, for little work that no compiler is worth waiting for."""
    return getattr(routine, "py_func", routine)


@cache
def interpreted(routine: Any) -> Callable:
    """Return a function that does what a kernel does, and the kernels that it calls by name, without the compiler.

    For kernels without intrinsics; slow, but there at once.
    """
    function = uncompiled(routine)
    names = dict(function.__globals__)
    for name in function.__code__.co_names:
        if hasattr(names.get(name), "py_func"):
            names[name] = interpreted(names[name])
    return FunctionType(function.__code__, names, function.__name__)


def compiles_correctly() -> bool:
    """Compile a function in memory, and tell whether it gives the right result."""
    return numba.njit(lambda a, b: a * b + 1)(6, 7) == 43


REFUSED_TYPES = (TypeError, OverflowError, NumbaValueError)
"""What the call of an Entry raises for arguments of types that were not admitted."""


class Entry:
    """A kernel that is called from Python before its arguments have been checked; no other kernel may call it.

    It is compiled only for types that were admitted, and refuses all others; whole numbers it takes for one another.
    So a call costs no check of types, and only what is refused is checked, once, by whoever admits it. Values (lengths,
    ranges) are for the kernel itself to check.

    call  the kernel; raises one of REFUSED_TYPES for types that were not admitted
    """

    def __init__(self, routine: Any) -> None:
        self._routine, self._kinds = routine, list[tuple]()
        self.call: Callable = self._call_plain  # until there is compiled code, which is called at once

    def _call_plain(self, *arguments: Any) -> Any:
        """Refuse arguments; without the compiler, take those of types that were admitted."""
        if JIT or kinds_of(*arguments) not in self._kinds:
            raise TypeError("types that were not admitted")
        return self._routine(*arguments)

    def admit(self, kinds: tuple) -> None:
        """Take arguments of these types, which were checked, from now on; see `kinds_of`.

        Meanwhile those that were admitted before are taken: it is a new function that is compiled, for all types.
        """
        with _COMPILING:
            if kinds in self._kinds:
                return
            if JIT:
                routine = kernel(self._routine.py_func)
                for each in (*self._kinds, kinds):
                    routine.compile(each)
                routine.disable_compile()
                self.call = routine
            self._kinds.append(kinds)


def kinds_of(*arguments: Any) -> tuple:
    """Return the types of arguments, for `Entry.admit`."""
    return tuple(map(numba.typeof, arguments))


_COMPILING = Lock()
