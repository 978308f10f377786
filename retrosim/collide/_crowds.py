"""Counts and first hits for crowds, where there are too many pairs to look at them all.

What does not overlap a box lies wholly to the left, to the right, above or below, and what lies in a corner is two of
these. All are numbers of points below a point, in one axis or in two, so the time depends on the objects alone.

The lowest box that overlaps another is looked for among the first ones, then among the next, more and more at a time;
in a crowd few are left after the first of these blocks.

Arrays of all functions here
    asked, boxes  int32[n, 6], int32[m, 6]  columns of `kernels.hierarchical_grid`; INDEX counts from 0
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ._start import call
from .kernels.hierarchical_grid import ANY, BOTTOM, INDEX, LEFT, NONE, ONE, RIGHT, TOP, TWO, WORD
from .kernels.ranks import add_below

FIRST_BLOCK = 64  # boxes among which first hits are looked for first
Search = Callable[[np.ndarray, int, int, int, np.ndarray, int], int]
MAX_WORDS = 64  # different ones among those that are asked about: each takes a pass over all


def counts(asked: np.ndarray, boxes: np.ndarray, kind: int) -> np.ndarray | None:
    """Count the boxes that each one collides with, int32[n]; None if there are more than MAX_WORDS different words.

    kind  ONE: `asked` are the boxes themselves, and none collides with itself; TWO, or ANY, whatever their words
    """
    if kind == ANY:
        return touching(asked, boxes).astype(np.int32)
    words, numbers = np.unique(asked[:, WORD], return_inverse=True)
    if len(words) > MAX_WORDS:
        return None
    results = np.zeros(len(asked), np.int64)
    for number, word in enumerate(words):
        mine = numbers == number
        results[mine] = touching(asked[mine], boxes[meets(word, boxes[:, WORD])])
        if kind == ONE and meets(word, words[number : number + 1])[0]:
            results[mine] -= 1
    return results.astype(np.int32)


def first(asked: np.ndarray, count: int, kind: int, search: Search, limit: int) -> np.ndarray:
    """Find the lowest box that each one collides with, int32[n], NONE for none.

    count   how many boxes there are
    kind    as for `counts`
    search  does what `Sorted.search` does for FIRST, for boxes begin .. end - 1 alone, numbered from 0, with arguments
            asked, begin, end, kind, results, limit
    limit   pairs of one search: FIRST_BLOCK for each of `asked` or more
    """
    found, begin, size = np.full(len(asked), NONE, np.int32), 0, FIRST_BLOCK
    while begin < count:
        end = min(begin + size, count)
        left = np.flatnonzero(found == NONE)
        own = left[(left >= begin) & (left < end)] if kind == ONE else left[:0]
        others = np.setdiff1d(left, own, assume_unique=True)
        rows, results = asked[others], np.full(len(others), NONE, np.int32)
        rows[:, INDEX] = np.arange(len(others))
        mine = np.full(end - begin if len(own) else 0, NONE, np.int32)
        is_done = search(rows, begin, end, ANY if kind == ANY else TWO, results, limit) <= limit
        if is_done and len(own):
            is_done = search(asked[begin:end], begin, end, ONE, mine, limit) <= limit
        if not is_done:
            size = FIRST_BLOCK
            continue
        for where, here in ((others, results), (own, mine[own - begin] if len(own) else mine)):
            found[where] = np.where(here == NONE, NONE, here + begin)
        begin, size = end, 2 * size
    return found


def meets(word: np.int32, words: np.ndarray) -> np.ndarray:
    """Tell which of some words let their objects collide with one, bool[m]; see `hierarchical_grid.may_meet`."""
    one, other = np.int64(word), words.astype(np.int64)
    both = one & (other >> 16 & 0xFFFF | other << 16)
    found: np.ndarray = (both & 0xFFFF != 0) & (both >> 16 & 0xFFFF != 0)
    return found


def touching(asked: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Count the boxes that have a point in common with each one, whatever their words: int64[n]."""
    sides, others = asked.astype(np.int64), boxes.astype(np.int64)
    left = (others[:, RIGHT], sides[:, LEFT])  # what ends before this begins lies to the left
    right = (-others[:, LEFT], -sides[:, RIGHT])
    above = (others[:, BOTTOM], sides[:, TOP])
    below = (-others[:, TOP], -sides[:, BOTTOM])
    found = np.full(len(asked), len(boxes), np.int64)
    for points, limits in (left, right, above, below):
        found -= np.searchsorted(np.sort(points), limits)
    for first in (left, right):
        for second in (above, below):
            _add_below(*first, *second, found)
    return found


def _add_below(
    points: np.ndarray, limits: np.ndarray, others: np.ndarray, bounds: np.ndarray, found: np.ndarray
) -> None:
    """Add the numbers of points that are below limits, where the others, of the same points, are below bounds."""
    order, across = np.argsort(points, kind="stable"), np.argsort(others, kind="stable")
    ranks = np.empty(len(points), np.int64)
    ranks[across] = np.arange(len(points))
    before, below = np.searchsorted(points[order], limits), np.searchsorted(others[across], bounds)
    where = np.argsort(before, kind="stable")
    tree, bits = np.zeros(len(points) + 1, np.int32), len(points).bit_length()
    count = (len(points) + len(limits)) * bits
    call(add_below, lambda: count, ranks[order], before[where], below[where], where, tree, found)
