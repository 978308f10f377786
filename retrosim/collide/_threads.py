"""Two threads for one call: kernels run without the interpreter lock, so both run at the same time."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock, Thread


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
