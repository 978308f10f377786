"""Two threads for one call, and one call at a time: kernels run without the interpreter lock, beside each other."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import Lock, Thread
from typing import Any, Concatenate, ParamSpec, TypeVar

O = TypeVar("O", bound=Any)
P = ParamSpec("P")
R = TypeVar("R")


def one_at_a_time(method: Callable[Concatenate[O, P], R]) -> Callable[Concatenate[O, P], R]:
    """Let a method wait for the object's `_lock`: its kernels look at arrays that other methods change.

    It takes a third of a microsecond. What is called in each frame holds the lock by itself.
    """

    @wraps(method)
    def waiting(self: O, /, *args: P.args, **options: P.kwargs) -> R:
        with self._lock:
            return method(self, *args, **options)

    return waiting


def both(routine: Callable, first: tuple, second: tuple, threads: int | None = 2) -> tuple:
    """Call a kernel with two lists of arguments, at the same time unless `threads` is 1; return both results.

    When it returns, or is left by Ctrl-C, neither runs any more: the next call may use the same memory.
    """
    if threads == 1:
        return routine(*first), routine(*second)
    results: list = []
    begin = Lock()

    def run() -> None:
        if begin.acquire(blocking=False):
            results.append(routine(*second))

    thread = Thread(target=run)
    try:
        thread.start()
        mine = routine(*first)
        thread.join()
    except KeyboardInterrupt:
        has_begun = not begin.acquire(blocking=False)  # if not, it never will
        while has_begun and thread.is_alive():
            try:
                thread.join()
            except KeyboardInterrupt:
                continue
        raise
    return mine, results[0]
