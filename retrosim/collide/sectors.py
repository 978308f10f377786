"""Sector-based collision detection (Moertel 1994, document 000) on NumPy arrays.

    >>> import numpy as np
    >>> from retrosim.collide import collided, count_tests, pairs, reports, tally_tests, workspace
    >>> x = np.array([10, 35, 300], np.int16)
    >>> y = np.array([10, 12, 300], np.int16)
    >>> collided(x, y)
    array([1, 1, 0], dtype=uint8)
    >>> reports(x, y).tolist()  # the original would see this pair in two of its four passes
    [[1, 0], [1, 0]]
    >>> pairs(x, y).tolist()
    [[0, 1]]
    >>> count_tests(x, y), count_tests(x, y, method="brute_force")
    (2, 3)
    >>> tally_tests(x, y)[:2, 0].tolist()  # in the first two sectors of the top row
    [2, 0]
    >>> flags = np.empty(3, np.uint8)
    >>> collided(x, y, workspace=workspace(3), out=flags) is flags
    True

Conventions of all routines here
    x, y       int16[n] or int32[n], C-contiguous; upper-left corners, pixels, 0..639 and 0..479. The dtype is the
               original's `scalar`: 16 bits on the 68K, 32 on the PowerPC.
    size       sides of the boxes, pixels: one number, int[n], or int[n, 2] with width and height. 1..31: the four
               shifts need every side to be less than half a sector. Boxes are half open; touching is no collision.
    abs        "inline" or "macro", which `_Abs` the routine was built with (see `overlap`). On the screen both give
               the same; off the screen, where only brute force works, they do not.
    method     None, where it is allowed, for whatever is fastest with the same result, else one of METHODS:
               four_shifts      four passes with the grid shifted by half a sector, as in the original
               nine_sectors     every pair of the objects in a sector and its eight neighbours, as the document counts
               all_neighbours   a sector's own pairs, and its objects against those of eight neighbours
               half_neighbours  a sector's own pairs, and its objects against those of four neighbours
               brute_force      every pair; any coordinates of the scalar, sides up to 32767
    workspace  what `workspace(n)` returned, to spare its allocation; None makes one; not used where `method` is None
    out        where to write, instead of making an array: uint8[n] for flags, int32[m, 2] with room enough for pairs,
               int64[COLUMNS, ROWS] for tests; of flags nothing is written if an argument is refused
    Errors     ValueError       wrong dtype, shape or length; a value out of range, named with the range
"""

from __future__ import annotations

import numpy as np

from retrosim.collide import arguments, plane
from retrosim.collide.kernels.adjacent import scan_neighbours, scan_nine
from retrosim.collide.kernels.brute import scan_all
from retrosim.collide.kernels.few import DONE, LIST_FEW, MARK_FEW, MOST_FEW
from retrosim.collide.kernels.grid import (
    COLUMNS,
    END,
    LARGEST_SIDE,
    LOWEST,
    RIGHTMOST,
    ROWS,
    SECTORS,
    SHIFT,
    first_outside,
    place,
    workspace,
)
from retrosim.collide.overlap import is_overlap, note_hit, within
from retrosim.collide.results import array_of, flag_array, pair_list
from retrosim.jit import UNKNOWN, kernel

METHODS = ("four_shifts", "nine_sectors", "all_neighbours", "half_neighbours", "brute_force")
LARGEST_SCALAR = 32767


@kernel
def mark_four_shifts(x, y, size, narrow, work, flags):
    """Mark all objects that collide: the original's routine, for boxes of one size. Callable from compiled code.

    x, y     int16[n] or int32[n]   upper-left corners, pixels
    size     int                    side of every box, 1..LARGEST_SIDE pixels
    narrow   bool                   differences are 16 bits wide (16-bit scalar, inline `_Abs`), else 32
    work     uint32[SECTORS + n]    scratch, or more
    flags    uint8[n]               output, 1 where an object collides; untouched if the status is not -1
    Status   int                    -1, or the index of the first object off the screen
    Source   Moertel 1994, _DetermineCollisions
    """
    outside = first_outside(x, y)
    if outside >= 0:
        return outside
    heads = work[:SECTORS]
    links = work[SECTORS:]
    flags[:] = 0
    for shift in range(4):
        place(x, y, (shift >> 1) * SHIFT, (shift & 1) * SHIFT, heads, links)
        for sector in range(SECTORS):
            a = heads[sector]
            while a != END:
                b = links[a]
                while b != END:
                    if within(x[a], x[b], size, size, narrow) and within(y[a], y[b], size, size, narrow):
                        flags[a] = 1
                        flags[b] = 1
                    b = links[b]
                a = links[a]
    return -1


@kernel
def scan_four_shifts(x, y, wide, high, narrow, work, flags, reports, tally):
    """Mark, report and count: the original's four passes, for boxes of any allowed sizes.

    x, y        int32[n]               upper-left corners on the screen, pixels
    wide, high  int32[n]               sides, 1..LARGEST_SIDE pixels
    narrow      bool                   differences are 16 bits wide, else 32
    work        uint32[SECTORS + 2*n]  scratch
    flags       uint8[n]               output, zero on entry
    reports     int32[m, 2]            output, in the original's order; hits beyond m rows are only counted
    tally       int64[SECTORS]         output, zero on entry; pair tests in each sector, x major
    Returns     int                    reports
    Source      Moertel 1994, _DetermineCollisions
    """
    heads = work[:SECTORS]
    links = work[SECTORS:]
    total = 0
    for shift in range(4):
        place(x, y, (shift >> 1) * SHIFT, (shift & 1) * SHIFT, heads, links)
        for sector in range(SECTORS):
            tests = 0
            a = heads[sector]
            while a != END:
                b = links[a]
                while b != END:
                    tests += 1
                    if is_overlap(x, y, wide, high, narrow, a, b):
                        total = note_hit(a, b, flags, reports, total)
                    b = links[b]
                a = links[a]
            tally[sector] += tests
    return total


def _scan(x, y, size, abs, method, work, flags=None, reports=None, tally=None):
    """Run one method; return the number of hits, written into `reports`, and the tests of each sector."""
    count = arguments.check_coordinates(x=x, y=y)
    if method not in METHODS:
        raise ValueError(f"method {method!r}: allowed {', '.join(METHODS)}")
    narrow = arguments.is_narrow(abs, x.dtype)
    brute = method == "brute_force"
    wide, high = arguments.check_sides("size", size, count, LARGEST_SCALAR if brute else LARGEST_SIDE)
    work = _workspace(work, count)
    flags = np.zeros(count, np.uint8) if flags is None else flags
    reports = np.empty((0, 2), np.int32) if reports is None else reports
    tally = np.empty(1 if brute else SECTORS, np.int64) if tally is None else tally
    tally[:] = 0
    wide_x, wide_y = x.astype(np.int32), y.astype(np.int32)
    if brute:
        flags[:] = 0
        return scan_all(wide_x, wide_y, wide, high, narrow, flags, reports, tally), tally
    outside = first_outside(wide_x, wide_y)
    if outside >= 0:
        arguments.refuse_outside(x, y, outside, RIGHTMOST, LOWEST)
    flags[:] = 0
    common = (wide_x, wide_y, wide, high, narrow, work, flags, reports, tally)
    if method == "four_shifts":
        total = scan_four_shifts(*common)
    elif method == "nine_sectors":
        total = scan_nine(*common)
    else:
        total = scan_neighbours(*common, 8 if method == "all_neighbours" else 4)
    return total, tally


def _workspace(work, count):
    if work is None:
        return workspace(count)
    arguments.check_words("workspace", work, np.uint32, SECTORS + 2 * count)
    return work


def _check_fast(x, y, size, abs, work):
    """Check arguments for the routines that need no method; return how many objects there are."""
    count = arguments.check_coordinates(x=x, y=y)
    arguments.check_side("size", size, LARGEST_SIDE)
    arguments.is_narrow(abs, x.dtype)
    _workspace(work, count)
    outside = first_outside(x, y)
    if outside >= 0:
        arguments.refuse_outside(x, y, outside, RIGHTMOST, LOWEST)
    return count


def collided(
    x: np.ndarray,
    y: np.ndarray,
    *,
    size: int | np.ndarray = 30,
    abs: str = "inline",
    method: str | None = None,
    workspace: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Flag every object that is in some collision, as the original's collision array does.

    Returns  uint8[n]  1 in a collision, else 0
    Source   Moertel 1994, _DetermineCollisions
    """
    is_fast = method is None and not isinstance(size, np.ndarray)
    if is_fast and type(size) is int and (abs == "inline" or abs == "macro") and workspace is None:
        try:
            flags = np.empty(len(x), np.uint8) if out is None else out
            if MARK_FEW.call(x, y, RIGHTMOST, LOWEST, size, flags) == DONE:
                return flags
        except UNKNOWN:
            pass
    count = arguments.check_coordinates(x=x, y=y)
    out = flag_array(out, count)
    if method == "four_shifts" and not isinstance(size, np.ndarray):
        _check_fast(x, y, size, abs, workspace)
        mark_four_shifts(x, y, int(size), arguments.is_narrow(abs, x.dtype), _workspace(workspace, count), out)
    elif not is_fast:
        _scan(x, y, size, abs, method or METHODS[0], workspace, out)
    elif _check_fast(x, y, size, abs, workspace) <= MOST_FEW:
        MARK_FEW.admit(x, y, RIGHTMOST, LOWEST, int(size), out)
    else:
        plane.collided(x, y, size=size, out=out)
    return out


def reports(
    x: np.ndarray,
    y: np.ndarray,
    *,
    size: int | np.ndarray = 30,
    abs: str = "inline",
    method: str = "four_shifts",
    workspace: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """List every hit in the order in which the method comes upon it, repetitions included.

    Four shifts report a pair once in every pass that finds both corners in one sector: one, two or four times (never
    three, since columns and rows are shifted independently). Within a sector, objects pushed later come first, so the
    higher index comes first in its row.

    Returns  int32[m, 2]  indices of the two objects
    """
    count = arguments.check_coordinates(x=x, y=y)
    return pair_list(lambda rows: _scan(x, y, size, abs, method, workspace, None, rows)[0], out, 4 * count)


def pairs(
    x: np.ndarray,
    y: np.ndarray,
    *,
    size: int | np.ndarray = 30,
    abs: str = "inline",
    method: str | None = None,
    workspace: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """List every overlapping pair once.

    out      int32[m, 2]  where to write the pairs, with room enough for all; None makes an array
    Returns  int32[m, 2]  indices, the lower one first, in ascending order; a view of `out` if that is given
    """
    is_fast = method is None and not isinstance(size, np.ndarray)
    if is_fast and type(size) is int and (abs == "inline" or abs == "macro") and workspace is None:
        try:
            rows = np.empty((4 * len(x), 2), np.int32) if out is None else out
            total = LIST_FEW.call(x, y, RIGHTMOST, LOWEST, size, rows)
            if 0 <= total <= len(rows):
                return rows[:total]
        except UNKNOWN:
            pass
    if not is_fast:
        found = reports(x, y, size=size, abs=abs, method=method or METHODS[0], workspace=workspace)
        keys = np.unique(found.min(axis=1) * np.int64(len(x)) + found.max(axis=1))

        def copy(rows):
            rows[: len(keys)].T[:] = np.divmod(keys[: len(rows)], max(len(x), 1))
            return len(keys)

        return pair_list(copy, out, len(keys))
    count = _check_fast(x, y, size, abs, workspace)
    if count > MOST_FEW:
        return plane.pairs(x, y, size=size, out=out)
    return pair_list(lambda rows: LIST_FEW.admit(x, y, RIGHTMOST, LOWEST, int(size), rows), out, 4 * count)


def count_tests(
    x: np.ndarray,
    y: np.ndarray,
    *,
    size: int | np.ndarray = 30,
    abs: str = "inline",
    method: str = "four_shifts",
    workspace: np.ndarray | None = None,
) -> int:
    """Run the method and return how many pair tests it made."""
    return int(_scan(x, y, size, abs, method, workspace)[1].sum())


def tally_tests(
    x: np.ndarray,
    y: np.ndarray,
    *,
    size: int | np.ndarray = 30,
    abs: str = "inline",
    method: str = "four_shifts",
    workspace: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Run a sector method and return how many pair tests it made in each sector.

    Returns  int64[COLUMNS, ROWS]  for four shifts, the sum of the passes
    """
    if method == "brute_force":
        raise ValueError(f"method {method!r}: allowed {', '.join(METHODS[:-1])}; brute force has no sectors")
    out = array_of(out, np.int64, COLUMNS, ROWS)
    _scan(x, y, size, abs, method, workspace, tally=out.reshape(-1))
    return out
