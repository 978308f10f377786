"""What functions return: `out` arrays that callers pass, and lists of pairs whose length is known only afterwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from . import _first_calls
from ._arguments import check_layout, check_table, check_words, form_of, is_array
from .kernels.pairs.pair_keys import HALF, PACKED_HALF, pack_keys, split_keys
from .kernels.pairs.uniform_grid import MAX_COUNTED

MAX_PAIRS = 1 << 24
"""How many pairs a list that is not the caller's `out` may have: 128 MB."""
BY_OUT = ", or an array for them all, out=int32[m, 2]"


class Events(NamedTuple):
    """What changed since the last call: pairs of ids, int32[m, 2], the lower one first, in ascending order.

    enter  collide now and did not then
    stay   collide now and did then
    exit   collided then and do not now, or one of them was removed
    """

    enter: np.ndarray
    stay: np.ndarray
    exit: np.ndarray


class Casts(NamedTuple):
    """The first object that each segment meets.

    hit          int32[q]     its id, the lowest if several are met at once; -1: none, and then the rest means nothing
    numerator    int64[q]     how far along the segment, over `denominator`: 0 at its beginning
    denominator  int64[q]     1 or more
    normal       int8[q, 2]   of the side that is met, outwards: one of x and y is -1 or 1; 0, 0: it begins inside
    """

    hit: np.ndarray
    numerator: np.ndarray
    denominator: np.ndarray
    normal: np.ndarray


def flag_array(out: np.ndarray | None, count: int) -> np.ndarray:
    """Return `out`, checked to be uint8[count], or a new array."""
    if out is None:
        return np.empty(count, np.uint8)
    check_words("out", out, np.uint8, count, count)
    return out


def array_of(out: np.ndarray | None, dtype: type, *shape: int) -> np.ndarray:
    """Return `out`, checked to be a writable C-contiguous array of this form, or a new array."""
    if out is None:
        return np.empty(shape, dtype)
    if not is_array(out) or out.dtype != dtype or out.shape != shape:
        raise ValueError(f"out is {form_of(out)}: allowed {np.dtype(dtype)}{list(shape)}")
    check_layout("out", out, is_written=True)
    return out


def row_table(out: np.ndarray | None, rows: int, columns: int, dtype: type) -> np.ndarray:
    """Return `out`, checked to be a writable dtype[rows, columns] or longer, or a new array."""
    if out is None:
        return np.empty((rows, columns), dtype)
    check_table("out", out, columns, dtype, min_rows=rows)
    check_layout("out", out, is_written=True)
    return out


def tally_table(out: np.ndarray | None, columns: int, rows: int) -> np.ndarray:
    """Return `out`, checked to be a writable int64[columns, rows] or larger both ways, or a new array."""
    if out is None:
        return np.empty((columns, rows), np.int64)
    if isinstance(out, np.ndarray) and out.ndim == 2 and (out.shape[0] < columns or out.shape[1] < rows):
        raise ValueError(f"out is {form_of(out)}: allowed int64[{columns}, {rows}] or larger")
    return array_of(out, np.int64, *(out.shape if getattr(out, "ndim", 0) == 2 else (columns, rows)))


def check_capacity(
    total: int, out: np.ndarray | None, what: str = "pairs", capacity: int = 0, instead: str = BY_OUT
) -> None:
    """Refuse more rows than there are in `out`, or, without it, than memory is allocated for.

    total  what was found
    what   that is, for the error
    capacity  rows that are allowed even if that is more than MAX_PAIRS
    instead   what else the caller may do
    """
    if total > MAX_COUNTED:
        raise ValueError(f"this scene has more than {MAX_COUNTED} {what}: allowed {MAX_COUNTED} or less in one call")
    if out is not None:
        if total > len(out):
            raise ValueError(f"out has {len(out)} rows: this scene has {total} {what}")
    elif total > max(MAX_PAIRS, capacity):
        raise ValueError(f"this scene has {total} {what}: allowed {max(MAX_PAIRS, capacity)}{instead}")


def pair_list(
    scan: Callable[[np.ndarray], int], out: np.ndarray | None, guess: int, what: str = "pairs", capacity: int = 0
) -> np.ndarray:
    """Run a scan that writes pairs; return the filled rows, a view of `out` if that is given.

    scan        writes rows into its argument, int32[m, 2], while there is room, and returns how many pairs it found
    out         int32[m, 2] or None
    guess       rows to begin with, if `out` is None
    what, capacity  see `check_capacity`
    Errors      ValueError  `out` is of another form, or has not enough rows for this scene; more pairs than allowed
    """
    rows = row_table(out, guess if out is None else 0, 2, np.int32)
    total = scan(rows)
    if total > len(rows):
        check_capacity(total, out, what, capacity)
        rows = np.empty((total, 2), np.int32)
        total = min(total, scan(rows))  # fewer if another thread writes into the workspace
    return rows[:total]


def keys_of(rows: np.ndarray) -> np.ndarray:
    """Return int64[m], the memory of int32[m, 2]."""
    return rows.view(np.int64)[:, 0]


def sort_keys(rows: np.ndarray, are_ours: bool) -> None:
    """Turn rows that hold keys (see `kernels.pair_keys`) into pairs in ascending order.

    are_ours  nobody else can write them, so that they may be sorted where they are: a sort that another thread
              interferes with leaves its array
    """
    keys = keys_of(rows)
    if _first_calls.COMPILER.is_done("keys", _compile):
        packed = np.empty(len(keys), np.uint32)
        if pack_keys(keys, packed):
            packed.sort()
            split_keys(packed, PACKED_HALF, rows)
            return
    keys = keys if are_ours else keys.copy()
    keys.sort()
    split = split_keys if "keys" in _first_calls.COMPILER.done else _first_calls.split_keys
    split(keys, HALF, rows)


def _compile() -> None:
    """Call the kernels, for nothing, with arguments of the types that they always have."""
    keys, packed, rows = np.empty(0, np.int64), np.empty(0, np.uint32), np.empty((0, 2), np.int32)
    pack_keys(keys, packed)
    split_keys(packed, PACKED_HALF, rows)
    split_keys(keys, HALF, rows)
