"""Sector-based collision detection (Moertel 1994): boxes on the screen, by a grid that is shifted by half a sector.

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
    >>> collided(x, y, method="four_shifts", workspace=workspace(3), out=flags) is flags
    True

Conventions
    x, y       int16[n] or int32[n], C-contiguous; upper-left corners, pixels, 0..639 and 0..479. The dtype is the
               original's `scalar`: 16 bits on the 68K, 32 on the PowerPC.
    size       sides of the boxes, pixels: one number, int[n], or int[n, 2] with width and height. 1..31: the four
               shifts need every side to be less than half a sector. Boxes are half open; touching is no collision.
    abs        "inline" or "macro", which `_Abs` the routine was built with (see `intersect`). On the screen both give
               the same; off the screen, where only brute force works, they do not.
    method     None, where it is allowed, for whatever is fastest with the same result, else one of METHODS:
               four_shifts      four passes with the grid shifted by half a sector, as in the original
               nine_sectors     every pair of the objects in a sector and its eight neighbours, as the article counts
               all_neighbours   a sector's own pairs, and its objects against those of eight neighbours
               half_neighbours  a sector's own pairs, and its objects against those of four neighbours
               brute_force      every pair; any coordinates of the scalar, sides up to 32767
    sector     pixels of a sector's side: 16, 32, 64, 128 or 256; a side of a box is less than half of it. Another than
               the original's 64 with four_shifts only.
    workspace  what `workspace(n)` returned (for another size, `workspace(n, sector=...)`), to save its allocation; None
               makes one; not used where `method` is None.
               Of one call at a time: calls in two threads that share one find nonsense, but end.
    out        where to write, instead of making an array: uint8[n] for flags, int32[m, 2] with enough rows for pairs,
               int64[columns, rows] for tests; nothing is written to flags if an argument is refused
    Errors     ValueError  wrong dtype, shape or length; a value out of range, named with the range
"""

from __future__ import annotations

import numpy as np

from retrosim.checks import check_choice, check_integer

from .._arguments import BUILDS, apart_from, check_apart, check_vectors, check_words, is_16_bit, own_within, sides_of
from .._equal_boxes import list_pairs, mark
from .._results import array_of, flag_array, pair_list, row_table
from ..kernels.pairs.sectors import (
    FILLED_COLUMNS,
    FILLED_ROWS,
    LOG2_SIZES,
    MAX_SIDE,
    MAX_X,
    MAX_Y,
    SCREEN_HEIGHT,
    SCREEN_WIDTH,
    SECTOR,
    HalfOpenBoxes,
    copy_and_mark,
    fill_sectors,
    mark_overlaps,
    randomize,
    scan_all_pairs,
    scan_four_shifts,
    scan_neighbours,
    scan_nine,
)

SCANS = {
    "four_shifts": scan_four_shifts,
    "nine_sectors": scan_nine,
    "all_neighbours": lambda *scene: scan_neighbours(*scene, 8),
    "half_neighbours": lambda *scene: scan_neighbours(*scene, 4),
}
BRUTE_FORCE = "brute_force"
METHODS = (*SCANS, BRUTE_FORCE)
SECTOR_SIZES = tuple(1 << log2 for log2 in LOG2_SIZES)
MAX_OBJECTS = 1 << 22  # of a workspace, and of a random scene
MAX_SEED = 2**32 - 1
MAX_SIDE_ANYWHERE = 32767


def _grid(sector: int) -> tuple[int, int]:
    """Return columns and rows of the grid of a sector size, the spare ones included. Errors: ValueError."""
    check_integer("sector", sector, SECTOR_SIZES[0], SECTOR_SIZES[-1])
    if sector not in SECTOR_SIZES:
        raise ValueError(f"sector {sector}: allowed {', '.join(map(str, SECTOR_SIZES))}")
    return -(-SCREEN_WIDTH // sector) + 1, -(-SCREEN_HEIGHT // sector) + 1


def workspace(count: int, *, sector: int = SECTOR) -> np.ndarray:
    """Return scratch space for up to `count` objects, to be passed to any function here again and again.

    count    int           0..4194304
    sector   int           pixels
    Returns  uint32[..]    its contents mean nothing
    Errors   ValueError
    """
    columns, rows = _grid(sector)
    return np.empty(columns * rows + check_integer("count", count, 0, MAX_OBJECTS), np.uint32)


def _workspace(work, count, sector=SECTOR):
    """Return a caller's workspace, checked, or a new one."""
    columns, rows = _grid(sector)
    if work is None:
        return workspace(count, sector=sector)
    check_words("workspace", work, np.uint32, columns * rows + count)
    return work


def _own_on_screen(x, y):
    """Return copies of corners, all of them on the screen."""
    check_vectors(x=x, y=y)
    return *own_within(0, MAX_X, x=x), *own_within(0, MAX_Y, y=y)


def _check_unused(abs, work, x, y):
    """Check options that make no difference to the fastest method."""
    check_choice("abs", abs, BUILDS)
    _workspace(work, check_vectors(x=x, y=y))


def _prepare(x, y, size, abs, method, work, sector=SECTOR):
    """Check arguments; return a function that runs the method: flags, reports, tally -> number of hits.

    Each of the three may be None, for an array that is not needed.
    """
    count = check_vectors(x=x, y=y)
    check_choice("method", method, METHODS)
    columns, rows = _grid(sector)
    if sector != SECTOR and method != METHODS[0]:
        raise ValueError(f"sector {sector}: allowed {SECTOR} with {method}")
    is_short, is_brute = is_16_bit(abs, x.dtype), method == BRUTE_FORCE
    sides = sides_of("size", size, count, MAX_SIDE_ANYWHERE if is_brute else sector // 2 - 1)
    work = _workspace(work, count, sector)
    corners = (x, y) if is_brute else _own_on_screen(x, y)
    boxes = HalfOpenBoxes(*(axis.astype(np.int32) for axis in corners), *sides)

    def run(flags=None, reports=None, tally=None):
        flags = np.empty(count, np.uint8) if flags is None else flags
        reports = np.empty((0, 2), np.int32) if reports is None else reports
        tally = np.empty(columns * rows, np.int64) if tally is None else tally
        flags[:] = 0
        tally[:] = 0
        if is_brute:
            return scan_all_pairs(boxes, is_short, flags, reports, tally)
        grid = (sector.bit_length() - 1, rows) if method == METHODS[0] else ()
        return SCANS[method](boxes, is_short, work, flags, reports, tally, *grid)

    return run


def collided(
    x: np.ndarray,
    y: np.ndarray,
    *,
    size: int | np.ndarray = 30,
    abs: str = "inline",
    method: str | None = None,
    sector: int = SECTOR,
    workspace: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Flag every object that is in some collision, as the original's collision array does.

    Returns  uint8[n]  1 in a collision, else 0
    Source   Moertel 1994, _DetermineCollisions
    """
    method = method or (None if sector == SECTOR else METHODS[0])
    if method is None and (type(size) is int or not isinstance(size, np.ndarray)):
        if workspace is not None or abs not in BUILDS:
            _check_unused(abs, workspace, x, y)
        return mark(x, y, size, MAX_X, MAX_Y, None, out)
    if method == "four_shifts" and sector == SECTOR and not isinstance(size, np.ndarray):
        count = check_vectors(x=x, y=y)
        side, work, out = check_integer("size", size, 1, MAX_SIDE), _workspace(workspace, count), flag_array(out, count)
        check_apart("out", out, "workspace", workspace)
        if copy_and_mark(x, y, side, is_16_bit(abs, x.dtype), work, out) < 0:
            return out
        x, y = _own_on_screen(x, y)
    run = _prepare(x, y, size, abs, method or METHODS[0], workspace, sector)
    out = flag_array(out, len(x))
    check_apart("out", out, "workspace", workspace)
    run(flags=out)
    return out


def reports(
    x: np.ndarray,
    y: np.ndarray,
    *,
    size: int | np.ndarray = 30,
    abs: str = "inline",
    method: str = "four_shifts",
    sector: int = SECTOR,
    workspace: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """List every hit in the order in which the method finds it, repetitions included.

    Four shifts report a pair once in every pass that has both corners in one sector: one, two or four times (never
    three, since columns and rows are shifted independently). Within a sector, objects pushed later come first, so the
    higher index comes first in its row.

    Returns  int32[m, 2]  indices of the two objects
    """
    return _list_reports(x, y, size, abs, method, sector, workspace, out)


def _list_reports(x, y, size, abs, method, sector, work, out, capacity=0):
    """Do what `reports` does; capacity: see `check_capacity`."""
    run = _prepare(x, y, size, abs, method, work, sector)
    check_apart("out", out, "workspace", work)
    return pair_list(lambda rows: run(reports=rows), out, 4 * len(x), "reports", capacity)


def pairs(
    x: np.ndarray,
    y: np.ndarray,
    *,
    size: int | np.ndarray = 30,
    abs: str = "inline",
    method: str | None = None,
    sector: int = SECTOR,
    workspace: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """List every overlapping pair once.

    out      int32[m, 2]  where to write the pairs, with enough rows for all; None makes an array
    Returns  int32[m, 2]  indices, the lower one first, in ascending order; a view of `out` if that is given
    """
    method = method or (None if sector == SECTOR else METHODS[0])
    if method is None and (type(size) is int or not isinstance(size, np.ndarray)):
        if workspace is not None or abs not in BUILDS:
            _check_unused(abs, workspace, x, y)
        return list_pairs(x, y, size, MAX_X, MAX_Y, None, out)
    capacity = 4 * len(row_table(out, 0, 2, np.int32))  # four reports a pair, at most
    found = _list_reports(x, y, size, abs, method or METHODS[0], sector, workspace, None, capacity)
    keys = np.unique(found.min(axis=1) * np.int64(len(x)) + found.max(axis=1))

    def copy(rows):
        rows[: len(keys)].T[:] = np.divmod(keys[: len(rows)], max(len(x), 1))
        return len(keys)

    return pair_list(copy, out, len(keys))


def count_tests(
    x: np.ndarray,
    y: np.ndarray,
    *,
    size: int | np.ndarray = 30,
    abs: str = "inline",
    method: str = "four_shifts",
    sector: int = SECTOR,
    workspace: np.ndarray | None = None,
) -> int:
    """Run the method and return how many pair tests it made."""
    columns, rows = _grid(sector)
    tally = np.empty(columns * rows, np.int64)
    _prepare(x, y, size, abs, method, workspace, sector)(tally=tally)
    return int(tally.sum())


def tally_tests(
    x: np.ndarray,
    y: np.ndarray,
    *,
    size: int | np.ndarray = 30,
    abs: str = "inline",
    method: str = "four_shifts",
    sector: int = SECTOR,
    workspace: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Run a sector method and return how many pair tests it made in each sector.

    Returns  int64[columns, rows]  11 and 9 with sectors of 64; for four shifts, the sum of the passes
    """
    if method == BRUTE_FORCE:
        raise ValueError(f"method {method!r}: allowed {', '.join(SCANS)}; brute force has no sectors")
    out = array_of(out, np.int64, *_grid(sector))
    check_apart("out", out, "workspace", workspace)
    _prepare(x, y, size, abs, method, workspace, sector)(tally=out.reshape(-1))
    return out


def intersect(
    x0: np.ndarray,
    y0: np.ndarray,
    x1: np.ndarray,
    y1: np.ndarray,
    *,
    size: int | np.ndarray = 30,
    other: int | np.ndarray | None = None,
    abs: str = "inline",
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Test box i of one list against box i of another, anywhere on or off the screen.

    x0, y0   int16[n] or int32[n]      upper-left corners of the first boxes, pixels; the dtype is the scalar
    x1, y1   as x0, y0                 upper-left corners of the second boxes
    size     int, int[n] or int[n, 2]  sides of the first boxes (square, or width and height), 1..32767 pixels
    other    as size, or None          sides of the second boxes, None for the same as the first
    abs      "inline" or "macro"       which `_Abs` the routine was built with
    out      uint8[n]                  where to write, instead of making an array
    Returns  uint8[n]                  1 where the boxes overlap
    Errors   ValueError                wrong dtype, shape or value
    Source   Moertel 1994, _IntersectQ

    `_Abs` is either an inline function of a `scalar`, or a macro. The difference of two coordinates is an `int`, 32
    bits wide; the inline function of the 16-bit build cuts it to 16 bits, the macro leaves it alone. So corners at
    -32768 and 32760 are 8 apart in the inline build and collide; in the macro build they do not. In either width the
    most negative number has no positive counterpart, stays negative and is below every side. With a 32-bit scalar both
    builds are one. With different sides, the side of the box that lies further left (or up) decides, which for equal
    sides is the original's comparison with its one constant.

    >>> x0, x1, y = (np.array(axis, np.int16) for axis in ([0, 0, -32768], [29, 30, 32760], [5, 5, 5]))
    >>> intersect(x0, y, x1, y, size=30).tolist(), intersect(x0, y, x1, y, size=30, abs="macro").tolist()
    ([1, 0, 1], [1, 0, 0])
    """
    count = check_vectors(x0=x0, y0=y0, x1=x1, y1=y1)
    first = sides_of("size", size, count, MAX_SIDE_ANYWHERE)
    second = first if other is None else sides_of("other", other, count, MAX_SIDE_ANYWHERE)
    out, is_short = flag_array(out, count), is_16_bit(abs, x0.dtype)
    x0, y0, x1, y1 = (apart_from(out, corner).astype(np.int32, copy=False) for corner in (x0, y0, x1, y1))
    mark_overlaps(x0, y0, first, x1, y1, second, is_short, out)
    return out


def random_scene(count: int, seed: int, *, out: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Place objects at random over the whole screen.

    count    0..4194304
    seed     0..2**32-1
    out      int16[2, n], where to write x and y instead of making arrays
    Returns  x, y: int16[count], pixels

    >>> x, y = random_scene(3, seed=1994)
    >>> list(zip(x.tolist(), y.tolist()))
    [(412, 338), (610, 318), (498, 435)]
    """
    count, seed = check_integer("count", count, 0, MAX_OBJECTS), check_integer("seed", seed, 0, MAX_SEED)
    x, y = array_of(out, np.int16, 2, count)
    randomize(x, y, seed)
    return x, y


def even_scene(each: int, seed: int, *, out: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Place the same number of objects in each of the 80 sectors of the screen, in whichever way the grid is shifted.

    each     objects in a sector, 1..52428
    seed     0..2**32-1
    out      int16[2, n], where to write x and y instead of making arrays
    Returns  x, y: int16[80 * each], pixels; each within the upper left quarter of its sector

    >>> x, y = even_scene(2, seed=1994)
    >>> len(x), x[:2].tolist(), y[:2].tolist()  # these two are in the first sector
    (160, [31, 4], [2, 30])
    """
    sectors = FILLED_COLUMNS * FILLED_ROWS
    each, seed = check_integer("each", each, 1, MAX_OBJECTS // sectors), check_integer("seed", seed, 0, MAX_SEED)
    x, y = array_of(out, np.int16, 2, each * sectors)
    fill_sectors(x, y, each, SECTOR // 2, seed)
    return x, y
