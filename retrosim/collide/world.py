"""Boxes of any mix of sizes, anywhere in a world of signed 32-bit coordinates: sprites, bullets, walls, a camera.

    >>> import numpy as np
    >>> from retrosim.collide import world
    >>> x, y = np.array([-40, -10, 5000, 0]), np.array([0, 10, -700, 39])
    >>> size = np.array([[32, 48], [4, 4], [64, 64], [8, 8]])  # width and height of each
    >>> world.pairs(x, y, size=size).tolist()
    [[0, 1]]
    >>> world.pairs(x, y, size=size, closed=True).tolist()  # touching counts
    [[0, 1]]
    >>> world.collided(x, y, size=40).tolist(), world.counts(x, y, size=40).tolist()
    ([1, 1, 0, 1], [1, 2, 0, 1])
    >>> world.first(x, y, size=40).tolist()
    [1, 0, -1, 1]
    >>> hero, coin = 1, 2  # only those meet that have the other's category in their mask
    >>> kinds = np.array([hero, coin, coin, coin])
    >>> world.pairs(x, y, size=40, category=kinds, mask=3 - kinds).tolist()
    [[0, 1]]
    >>> world.pairs(x, y, size=60, starts=np.array([0, 1, 4])).tolist()  # two scenes: object 0, and objects 1 to 3
    [[1, 3]]
    >>> [rows.tolist() for rows in world.chunks(x, y, size=60, rows=1)]
    [[[0, 1], [0, 3]], [[1, 3]]]
    >>> world.quantise([0.25, -3.5], scale=16).tolist()  # from floats to 1/16 of a unit
    [4, -56]

Conventions
    x, y      integers[n], C-contiguous; upper-left corners in any unit: pixels, or Q-format as `quantise` makes it;
              -2147483648..2147483647. Floats and lists are refused: nothing is ever rounded silently
    size      sides in the same unit, 1..2147483647: one number, int[n], or int[n, 2] with width and height. A box ends
              at 2147483648 at most (at 2147483647 if it is closed)
    closed    whether touching is a collision: False for half-open boxes, whose right and lower edges are not part of
              them, as pixels are drawn; True for closed ones
    category  16-bit sets: two objects meet if each one's `category` has a bit in common with the other's `mask`. One
    mask      number or one each; left out, all meet
    starts    integers[scenes + 1]: many scenes in one call, one behind the other; scene s is
              starts[s]..starts[s + 1] - 1. Objects of different scenes do not meet; indices are those of whole arrays
    out       where to write, instead of making an array: uint8[n] for flags, int32[n] for numbers, int32[m, 2] with
              enough rows for pairs
    Errors    ValueError  wrong dtype, shape or length; a value out of range, named with the range; more than 2147483648
              pairs to be listed, or more than 16777216 without `out`; more than 2147483648 to be counted, if objects
              have more than 64 different words of category and mask

All is exact: each sum and comparison has the bits that it needs, on every machine. The cost grows with the objects and
the pairs, not with the extent of the world or the mix of sizes. `groups` asks about one group against another.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from retrosim.checks import check_choice, check_integer

from . import _small_scenes
from ._arguments import EVERYONE, form_of, own_starts, refuse_masks
from ._boxes import MAX_COORDINATE, MIN_COORDINATE, Scenes, Sorted, check_rows, chunks_of, listed, numbers, scene_of
from ._equal_boxes import (
    MAX_X,
    Batch,
    batch_within,
    list_batch,
    list_pairs,
    mark,
    mark_batch,
    number,
    number_batch,
    side_within,
)
from ._results import array_of, flag_array
from .kernels.pairs.hierarchical_grid import COUNTS, FIRST, FLAGS

MAX_SCALE = 1 << 24
ROUNDINGS = {"nearest": np.rint, "floor": np.floor, "ceiling": np.ceil, "exact": np.rint}


def quantise(values: Any, *, scale: int = 1, rounding: str = "nearest", out: np.ndarray | None = None) -> np.ndarray:
    """Turn numbers into the integers that all calls take: values * scale, rounded once as asked.

    values    floats or integers, an array of any shape or a list
    scale     int  1, 2, 4 .. 16777216: units of the result in 1, so that the product is exact; 32 makes Q11.5 numbers
    rounding  "nearest" (halves to the even number), "floor", "ceiling"; "exact" refuses what would have to be rounded
    out       int32, of the shape of the values, C-contiguous; None makes an array
    Returns   int32  of the same shape, -2147483648..2147483647
    Errors    ValueError  not numbers; not finite, or out of range after scaling, with the index

    >>> quantise([0.25, -3.5], scale=16).tolist()
    [4, -56]
    """
    check_choice("rounding", rounding, ROUNDINGS)
    if check_integer("scale", scale, 1, MAX_SCALE) & (scale - 1):
        raise ValueError(f"scale {scale}: allowed powers of 2, 1..{MAX_SCALE}")
    refuse_masks(values=values)
    try:
        given = np.array(values)
    except ValueError:
        raise ValueError(f"values are {type(values).__name__}: allowed numbers, all rows of one length") from None
    if given.dtype.kind not in "iuf" or not given.dtype.isnative or given.dtype.itemsize > 8:
        if given.size or not isinstance(values, list | tuple):
            raise ValueError(f"values are {form_of(given)}: allowed floats or integers, of up to 64 bits")
        given = given.astype(np.int64)
    with np.errstate(over="ignore", invalid="ignore"):
        if given.dtype.kind == "f":
            scaled = given.astype(np.float64) * scale
            units = ROUNDINGS[rounding](scaled)
            wrong = ~((units >= MIN_COORDINATE) & (units <= MAX_COORDINATE))
            inexact = units != scaled if rounding == "exact" else wrong
        else:
            units = given
            wrong = (given > MAX_COORDINATE // scale) | (given < MIN_COORDINATE // scale)
            inexact = wrong
    for refused, allowed in (
        (wrong, f"allowed {MIN_COORDINATE}..{MAX_COORDINATE} after scaling by {scale}"),
        (inexact, f"allowed multiples of 1/{scale}, for rounding 'exact'"),
    ):
        if refused.any():
            where = np.unravel_index(int(np.argmax(refused)), given.shape)
            raise ValueError(f"values[{', '.join(map(str, where))}] = {given[where]}: {allowed}")
    out = array_of(out, np.int32, *given.shape)
    out[...] = units if given.dtype.kind == "f" else units.astype(np.int64) * scale
    return out


def collided(
    x: np.ndarray,
    y: np.ndarray,
    *,
    size: int | np.ndarray,
    closed: bool = False,
    category: int | np.ndarray = EVERYONE,
    mask: int | np.ndarray = EVERYONE,
    starts: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Flag every object that is in some collision.

    Returns  uint8[n]  1 in a collision, else 0

    >>> x, y = np.array([0, 20, 90]), np.array([0, 10, 5])
    >>> collided(x, y, size=30).tolist()
    [1, 1, 0]
    """
    return _numbers(x, y, size, closed, category, mask, starts, FLAGS, out)


def counts(
    x: np.ndarray,
    y: np.ndarray,
    *,
    size: int | np.ndarray,
    closed: bool = False,
    category: int | np.ndarray = EVERYONE,
    mask: int | np.ndarray = EVERYONE,
    starts: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Count the objects that each one collides with.

    Returns  int32[n]

    >>> x, y = np.array([0, 20, 90]), np.array([0, 10, 5])
    >>> counts(x, y, size=80).tolist()
    [1, 2, 1]
    """
    return _numbers(x, y, size, closed, category, mask, starts, COUNTS, out)


def first(
    x: np.ndarray,
    y: np.ndarray,
    *,
    size: int | np.ndarray,
    closed: bool = False,
    category: int | np.ndarray = EVERYONE,
    mask: int | np.ndarray = EVERYONE,
    starts: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Find the lowest index that each object collides with, as pygame's `Rect.collidelist` does for one.

    Returns  int32[n]  -1 where there is none

    >>> x, y = np.array([0, 20, 90]), np.array([0, 10, 5])
    >>> first(x, y, size=30).tolist()
    [1, 0, -1]
    """
    return _numbers(x, y, size, closed, category, mask, starts, FIRST, out)


def _scenes(x, y, size, closed, category, mask, starts) -> Scenes:
    """Check arguments."""
    scene = scene_of(x, y, size, closed, category, mask)
    begins = own_starts("starts", starts, len(scene))
    return Scenes(scene, begins, None, begins)


def _numbers(x, y, size, closed, category, mask, starts, wanted, out) -> np.ndarray:
    """Do what `collided`, `counts` and `first` do."""
    are_all, is_one, answer = category is EVERYONE and mask is EVERYONE, starts is None, None
    side = side_within(size, closed) if are_all else 0
    if side and not is_one:
        answer = _numbers_of_batch(batch_within(x, y, starts, side), wanted, out)
    elif side and wanted == FLAGS:
        answer = mark(x, y, side, MAX_X, MAX_X, None, out, False)
    elif side:
        answer = number(x, y, side, wanted, out, False)
    if answer is None and are_all and is_one:
        answer = _small_scenes.number_one(x, y, size, closed, wanted, out)
    if answer is not None:
        return answer
    scenes = _scenes(x, y, size, closed, category, mask, starts)
    out = _results_of(len(scenes.scene), wanted, out)
    if are_all and is_one:
        _small_scenes.learn((x, y, size), wanted, out)
    out[:] = numbers(scenes, wanted)
    return out


def _results_of(count: int, wanted: int, out) -> np.ndarray:
    """Return `out`, checked, or an array for what is wanted."""
    return flag_array(out, count) if wanted == FLAGS else array_of(out, np.int32, count)


def _numbers_of_batch(batch: Batch | None, wanted: int, out) -> np.ndarray | None:
    """Return what is wanted of scenes on the plane; None if there are none, or crowds."""
    if batch is None:
        return None
    results = _results_of(len(batch.x), wanted, out)
    if wanted == FLAGS:
        mark_batch(batch, results)
    elif not number_batch(batch, wanted, results):
        return None
    return results


def pairs(
    x: np.ndarray,
    y: np.ndarray,
    *,
    size: int | np.ndarray,
    closed: bool = False,
    category: int | np.ndarray = EVERYONE,
    mask: int | np.ndarray = EVERYONE,
    starts: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """List every overlapping pair once.

    Returns  int32[m, 2]  indices, the lower one first, in ascending order; a view of `out` if that is given

    >>> x, y = np.array([0, 20, 90]), np.array([0, 10, 5])
    >>> pairs(x, y, size=30).tolist()
    [[0, 1]]
    >>> pairs(x, y, size=np.array([[30, 30], [80, 8], [9, 9]])).tolist()  # width and height of each
    [[0, 1], [1, 2]]
    """
    are_all, is_one, answer = category is EVERYONE and mask is EVERYONE, starts is None, None
    side = side_within(size, closed) if are_all else 0
    if side and is_one:
        answer = list_pairs(x, y, side, MAX_X, MAX_X, None, out, False)
    elif side and (batch := batch_within(x, y, starts, side)) is not None:
        answer, _ = list_batch(batch, out, True)
    if answer is None and are_all and is_one:
        answer = _small_scenes.list_one(x, y, size, closed, out)
    if answer is not None:
        return answer
    answer = listed(_scenes(x, y, size, closed, category, mask, starts), out)
    if are_all and is_one:
        _small_scenes.learn((x, y, size), None, answer)
    return answer


def chunks(
    x: np.ndarray,
    y: np.ndarray,
    *,
    size: int | np.ndarray,
    closed: bool = False,
    category: int | np.ndarray = EVERYONE,
    mask: int | np.ndarray = EVERYONE,
    rows: int = 1 << 20,
) -> Iterator[np.ndarray]:
    """Make the list of `pairs` in parts, for scenes with more pairs than memory: all objects at one place, for example.

    Arguments are copied and checked at once, so the scene may move on meanwhile.

    rows     int  pairs of a part, 1..16777216; an object's pairs are not divided, so there may be more by their number
    Returns  Iterator of int32[m, 2]  together what `pairs` returns; no part is empty

    >>> x, y = np.array([0, 20, 90]), np.array([0, 10, 5])
    >>> [rows.tolist() for rows in chunks(x, y, size=99, rows=2)]
    [[[0, 1], [0, 2]], [[1, 2]]]
    """
    check_rows(rows)
    scene = scene_of(x, y, size, closed, category, mask)
    return chunks_of(Sorted(scene, 0, len(scene)), scene, rows)
