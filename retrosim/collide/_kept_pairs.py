"""The pairs of a scene that is kept: those of the last list, brought up to date for what has moved since.

Where much has moved, all are looked for anew. See `kernels.kept_pairs` for stamps, tables and the arguments of all
functions here.
"""

from __future__ import annotations

import numpy as np

from . import _first_calls
from ._boxes import NO_RESULTS, Sorted, are_compiled, rows_for
from ._results import check_capacity, keys_of, sort_keys
from .kernels.pairs.hierarchical_grid import INDEX, ONE, PAIRS, TWO
from .kernels.pairs.kept_pairs import COLUMNS, MAX_NEW, STAMP, compare_lists, keep_new, merge_pairs, update_small

SHARE = 8  # an eighth of the objects is little enough to compare with what was sorted before it moved
MAX_STAMP = (1 << 31) - 1
PAIR = np.dtype(np.int32)


def are_ready() -> bool:
    """Tell whether the kernels are compiled."""
    return are_compiled() and _first_calls.COMPILER.is_done("kept", _compile)


def _compile() -> None:
    """Call the kernels, for nothing, with arguments of the types that they always have."""
    table, rows, keys = np.zeros((1, COLUMNS), np.int32), np.empty((MAX_NEW, 2), np.int32), np.zeros(1, np.int64)
    update_small(table, 0, rows[:0], rows)
    merge_pairs(table, 0, rows[:0], keys[:0], rows)
    keep_new(table, 0, 0, keys, keys, keys[:0], keys)
    compare_lists(rows[:0], rows[:0], np.empty((3, 0, 2), np.int32))


def every_pair(table: np.ndarray, ordered: Sorted) -> np.ndarray:
    """List all pairs."""
    rows = np.empty((rows_for(len(table)), 2), PAIR)
    total = ordered.search(table, 0, len(table), ONE, PAIRS, keys_of(rows), NO_RESULTS)
    check_capacity(total, None, instead="; `chunks` makes them in parts")
    if total > len(rows):
        rows = np.empty((total, 2), PAIR)
        ordered.search(table, 0, len(table), ONE, PAIRS, keys_of(rows), NO_RESULTS)
    sort_keys(rows[:total], True)
    return rows[:total]


def update_by_comparing(table: np.ndarray, before: np.ndarray, since: int) -> np.ndarray | None:
    """Bring a list up to date if next to nothing has moved; None: it is more than that, or nothing is compiled yet."""
    if "kept" not in _first_calls.COMPILER.done and not are_ready():
        return None
    rows = np.empty((len(before) + MAX_NEW, 2), PAIR)
    total = update_small(table, since, before, rows)
    return rows[:total] if total >= 0 else None


def has_little_moved(table: np.ndarray, stamp: int) -> bool:
    """Tell whether so little has moved since a change that what was made after it is worth bringing up to date."""
    return int(np.count_nonzero(table[:, STAMP] > stamp)) * SHARE <= len(table)


def update_by_order(
    table: np.ndarray, before: np.ndarray, since: int, ordered: Sorted, sorted_at: int
) -> np.ndarray | None:
    """Bring a list up to date by a scene as it was sorted once; None if there are too many new pairs for that."""
    stamps = table[:, STAMP]
    moved, stale = np.flatnonzero(stamps > since), np.flatnonzero(stamps > sorted_at)
    asked = table[moved]
    asked[:, INDEX] = moved
    found, keys = np.empty((2, rows_for(len(moved))), np.int64)
    total = ordered.search(asked, 0, len(asked), TWO, PAIRS, found, NO_RESULTS)
    if total > len(found):
        return None
    new = keep_new(table, since, sorted_at, moved, stale, found[:total], keys)
    if new > len(keys):
        return None
    keys[:new].sort()
    rows = np.empty((len(before) + new, 2), PAIR)
    return rows[: merge_pairs(table, since, before, keys[:new], rows)]


def compared(before: np.ndarray, now: np.ndarray) -> list[np.ndarray]:
    """Return the pairs that enter, stay and exit, see `compare_lists`."""
    changes = np.empty((3, len(before) + len(now), 2), PAIR)
    return [rows[:count].copy() for rows, count in zip(changes, compare_lists(before, now, changes))]
