"""Two threads for one call: kernels run without the interpreter lock, so both run at the same time."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread


def both(routine: Callable, first: tuple, second: tuple, threads: int | None = 2) -> tuple:
    """Call a kernel with two lists of arguments, at the same time unless `threads` is 1; return both results."""
    results: list = []
    if threads == 1:
        return routine(*first), routine(*second)
    thread = Thread(target=lambda: results.append(routine(*second)))
    thread.start()
    mine = routine(*first)
    thread.join()
    return mine, results[0]
