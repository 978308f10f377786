"""The first calls of an installation: NumPy answers them while a thread compiles the kernels.

The answers are the same, so nobody has to wait for the compiler, nor to warm anything up. Boxes are sorted by their
left sides; what begins within a box's width is compared with it. Where that would be too many comparisons, which are
counted before, it takes less time to wait for the kernels.

Arrays of all functions here
    boxes   int32[n, 6]  columns of `kernels.hierarchical_grid`
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from threading import Lock, Thread
from typing import Any

import numpy as np

from retrosim.jit import JIT, Entry, interpreted, kinds_of

from .kernels.pairs.hierarchical_grid import (
    ANY,
    BOTTOM,
    COUNTS,
    FIRST,
    INDEX,
    LATER,
    LEFT,
    MAX_RIGHT,
    NONE,
    ONE,
    PAIRS,
    RIGHT,
    TOP,
    WORD,
)

MAX_CANDIDATES = 1 << 22  # comparisons: a fraction of a second, and all that overlap fit into 64 MB
BLOCK = 1 << 18  # of them at once
MAX_STEPS = 1 << 18  # of Python code: some tenths of a second
Ranges = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, bool]


class BackgroundCompiler:
    """Compiles in a thread what is going to be called; the process ends after that, so that what is done is kept."""

    def __init__(self) -> None:
        self._jobs: dict[Any, Thread] = {}
        self.done: set[Any] = set()
        self._lock = Lock()

    def is_done(self, name: Any, job: Callable[[], Any]) -> bool:
        """Tell whether a job has been done, and begin it if it has not been begun."""
        if name in self.done:
            return True
        if not JIT:
            self._run(name, job)
            return True
        with self._lock:
            if name not in self._jobs:
                self._jobs[name] = Thread(target=self._run, args=(name, job), name="compiler")
                self._jobs[name].start()
        return False

    def _run(self, name: Any, job: Callable[[], Any]) -> None:
        job()
        self.done.add(name)

    def finish(self, name: Any, job: Callable[[], Any]) -> None:
        """Do a job, or wait for it if it has been begun."""
        if not self.is_done(name, job):
            self.wait(name)

    def wait(self, name: Any = None) -> None:
        """Wait for a job, or for all that have been begun."""
        for thread in list(self._jobs.values()) if name is None else [self._jobs[name]]:
            thread.join()


COMPILER = BackgroundCompiler()
if hasattr(os, "register_at_fork"):  # a child has no such thread, but Numba's lock as it was: held for ever
    os.register_at_fork(before=COMPILER.wait)


def is_admitted(entry: Entry, *arguments: Any) -> bool:
    """Tell whether an entry takes arguments of these types, which have been checked, and see that it will."""
    kinds = kinds_of(*arguments)
    return COMPILER.is_done((id(entry), kinds), lambda: entry.admit(kinds))


def call(routine: Any, steps: Callable[[], int], *arguments: Any) -> Any:
    """Call a kernel without intrinsics; until a thread has compiled it, in Python, if that is little work.

    steps  tells how often its innermost loop runs, about; not asked when it is compiled
    """
    if routine in COMPILER.done or not JIT:
        return routine(*arguments)
    if not COMPILER.is_done(routine, lambda: routine.compile(kinds_of(*arguments))):
        if steps() <= MAX_STEPS:
            with np.errstate(over="ignore"):
                return interpreted(routine)(*arguments)
        COMPILER.wait(routine)
    return routine(*arguments)


def squares(x: np.ndarray, y: np.ndarray, size: int, wanted: int) -> np.ndarray | None:
    """Return what is wanted of boxes of one size, numbers of each or pairs in order; None as `search` does."""
    scene, results = np.empty((len(x), 6), np.int32), np.full(len(x), NONE if wanted == FIRST else 0, np.int32)
    keys = np.empty(MAX_CANDIDATES, np.int64)
    fill_scene(x, y, np.full((1, 2), size), 0, scene)
    total = search(scene, scene, ONE, wanted, keys, results)
    if total is None or wanted != PAIRS:
        return None if total is None else results
    rows = np.empty((total, 2), np.int32)
    split_keys(np.sort(keys[:total]), 32, rows)
    return rows


def search(queries: np.ndarray, boxes: np.ndarray, kind: int, wanted: int, found: Any, results: Any) -> int | None:
    """Do what `hierarchical_grid.search` does; return None, and do nothing, if the kernels would be faster.

    queries  boxes that are looked for: for ONE the same as `boxes`
    """
    ranges = _one_scene(boxes) if kind == ONE else _two_scenes(queries, boxes)
    if sum(int(each[3].sum()) for each in ranges) > MAX_CANDIDATES:
        return None
    lists = [np.empty((0, 2), np.int64)]
    for each in ranges:
        for a, b in _candidates(*each):
            one, other = queries[a], boxes[b]
            near = (one[:, TOP] <= other[:, BOTTOM]) & (other[:, TOP] <= one[:, BOTTOM])
            if kind != ANY:
                words, theirs = (rows[:, WORD].view(np.uint32) for rows in (one, other))
                both = words & (theirs >> np.uint32(16) | theirs << np.uint32(16))
                near &= (both & np.uint32(0xFFFF) != 0) & (both >> np.uint32(16) != 0)
            if kind == LATER:
                near &= b > one[:, INDEX]
            lists.append(np.stack([a[near], b[near]], axis=1))
    pairs = np.concatenate(lists)
    mine, other = pairs.min(axis=1) if kind == ONE else pairs[:, 0], pairs.max(axis=1) if kind == ONE else pairs[:, 1]
    if kind != ONE:
        mine = queries[mine, INDEX].astype(np.int64)
    if wanted == PAIRS:
        keys = (mine << 32 | other)[: len(found)]
        found[: len(keys)] = keys
        return len(pairs)
    sides = [(mine, other), (other, mine)] if kind == ONE else [(mine, other)]
    for here, there in sides:
        if wanted == COUNTS:
            results += np.bincount(here, minlength=len(results)).astype(np.int32)
        elif wanted == FIRST:
            lowest = results.view(np.uint32)  # NONE is the largest of these
            np.minimum.at(lowest, here, there.astype(np.uint32))
        else:
            results[here] = 1
    return len(pairs) if wanted in (COUNTS, FIRST) else 0


def fill_scene(x: np.ndarray, y: np.ndarray, sides: np.ndarray, extra: int, scene: np.ndarray) -> int:
    """Do what `hierarchical_grid.fill_scene` does."""
    right, bottom = (axis.astype(np.int64) + sides[:, k] + extra - 1 for k, axis in enumerate((x, y)))
    is_beyond = np.maximum(right, bottom) > MAX_RIGHT
    if is_beyond.any():
        return int(np.argmax(is_beyond))
    scene[:, LEFT], scene[:, TOP], scene[:, RIGHT], scene[:, BOTTOM] = x, y, right, bottom
    scene[:, INDEX], scene[:, WORD] = np.arange(len(x)), -1
    return -1


def split_keys(keys: np.ndarray, half: int, rows: np.ndarray) -> None:
    """Do what `kernels.pair_keys.split_keys` does."""
    first, second = keys >> half, keys & ((1 << half) - 1)
    rows[:, 0], rows[:, 1] = first, second


def _one_scene(boxes: np.ndarray) -> list[Ranges]:
    """Return what may overlap along x in one scene, each pair once."""
    order = np.argsort(boxes[:, LEFT], kind="stable")
    ends = np.searchsorted(boxes[order, LEFT], boxes[order, RIGHT], side="right")
    begins = np.arange(1, len(boxes) + 1)
    return [(order, order, begins, np.maximum(ends - begins, 0), False)]


def _two_scenes(queries: np.ndarray, boxes: np.ndarray) -> list[Ranges]:
    """Return what may overlap along x: the later one of two left sides is in the width of the other box."""
    order, place = np.argsort(boxes[:, LEFT], kind="stable"), np.argsort(queries[:, LEFT], kind="stable")
    lefts, starts = boxes[order, LEFT], queries[place, LEFT]
    first = np.searchsorted(lefts, queries[:, LEFT], side="left")
    then = np.searchsorted(starts, boxes[:, LEFT], side="right")
    return [
        (np.arange(len(queries)), order, first, np.searchsorted(lefts, queries[:, RIGHT], side="right") - first, False),
        (np.arange(len(boxes)), place, then, np.searchsorted(starts, boxes[:, RIGHT], side="right") - then, True),
    ]


def _candidates(
    ones: np.ndarray, others: np.ndarray, begins: np.ndarray, counts: np.ndarray, is_turned: bool
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Make numbers of queries and boxes, in blocks.

    ones       int[n]  what is compared: each with others[begins] and as many more as counts says
    is_turned  bool    whether `ones` are the boxes
    """
    ends = np.cumsum(counts)
    first = 0
    while first < len(ones):
        before = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + BLOCK, side="right")))
        some, total = counts[first:last], int(ends[last - 1]) - before
        if total:
            steps = np.arange(total) - np.repeat(ends[first:last] - some - before, some)
            a, b = np.repeat(ones[first:last], some), others[np.repeat(begins[first:last], some) + steps]
            yield (b, a) if is_turned else (a, b)
        first = last
