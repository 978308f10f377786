"""What routines hand back: `out` arrays that callers bring, and pair lists whose length is known only afterwards."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from retrosim.collide.arguments import check_table, check_words
from retrosim.jit import kernel


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
    if not isinstance(out, np.ndarray) or out.dtype != dtype or out.shape != shape:
        shown = f"{out.dtype}{list(out.shape)}" if isinstance(out, np.ndarray) else type(out).__name__
        raise ValueError(f"out is {shown}: allowed {np.dtype(dtype)}{list(shape)}")
    if not out.flags.c_contiguous or not out.flags.writeable:
        raise ValueError(
            f"out has strides {out.strides}, writeable {out.flags.writeable}: allowed a writable C-contiguous array"
        )
    return out


def row_table(out: np.ndarray | None, rows: int, columns: int, dtype: type) -> np.ndarray:
    """Return `out`, checked to be a writable dtype[rows, columns] or longer, or a new array."""
    if out is None:
        return np.empty((rows, columns), dtype)
    check_table("out", out, columns, dtype, least=rows)
    if not out.flags.writeable:
        raise ValueError("out is read-only: allowed a writable array")
    return out


def tally_table(out: np.ndarray | None, columns: int, rows: int) -> np.ndarray:
    """Return `out`, checked to be a writable int64[columns, rows] or larger both ways, or a new array."""
    if out is None:
        return np.empty((columns, rows), np.int64)
    if isinstance(out, np.ndarray) and out.ndim == 2 and (out.shape[0] < columns or out.shape[1] < rows):
        raise ValueError(f"out is {out.dtype}{list(out.shape)}: allowed int64[{columns}, {rows}] or larger")
    return array_of(out, np.int64, *(out.shape if getattr(out, "ndim", 0) == 2 else (columns, rows)))


def pair_list(scan: Callable[[np.ndarray], int], out: np.ndarray | None, guess: int) -> np.ndarray:
    """Run a scan that writes pairs; return the filled rows, a view of `out` if that is given.

    scan    writes rows into its argument, int32[m, 2], as long as there are any, and returns how many pairs it found
    out     int32[m, 2] or None
    guess   rows to make room for at first, when `out` is None
    Errors  ValueError  `out` is of another form, or has not enough rows for this scene
    """
    rows = row_table(out, guess if out is None else 0, 2, np.int32)
    total = scan(rows)
    if total > len(rows):
        if out is not None:
            raise ValueError(f"out has {len(out)} rows: this scene has {total} pairs")
        rows = np.empty((total, 2), np.int32)
        scan(rows)
    return rows[:total]


@kernel
def split_keys(keys, rows):
    """Write keys, int64[m], as pairs, int32[m, 2]: upper half, then lower half. Both may be the same memory."""
    for k in range(len(keys)):
        key = keys[np.uint64(k)]
        rows[np.uint64(k), 0] = key >> 32
        rows[np.uint64(k), 1] = key & 0xFFFFFFFF


def sorted_pairs(scan: Callable[[np.ndarray], int], out: np.ndarray | None, guess: int) -> np.ndarray:
    """Run a scan that writes pairs as keys, in any order; return them as rows in ascending order, see `pair_list`.

    scan    writes keys, lower index << 32 | higher index, into its argument, int64[m], and returns how many there are
    """
    found = pair_list(lambda rows: scan(rows.view(np.int64)[:, 0]), out, guess)
    keys = found.view(np.int64)[:, 0]
    keys.sort()
    split_keys(keys, found)
    return found
