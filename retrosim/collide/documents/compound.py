"""Compound shapes (No-collision boxes 2011): an object of several boxes and circles collides if any of its parts does.

    >>> import numpy as np
    >>> from retrosim.collide.documents import compound
    >>> x, y = np.array([100, 121], np.int16), np.array([100, 100], np.int16)
    >>> parts = np.array([[0, 8, 30, 8], [11, 0, 8, 24], [0, 0, 8, 8]], np.int16)  # a cross, and a bullet
    >>> first = np.array([0, 2, 3], np.int32)
    >>> compound.pairs(x, y, parts, first).tolist()  # the bullet touches the bar of the cross
    [[0, 1]]
    >>> compound.hits(x, y, parts, first, np.array([[1, 0]], np.int32)).tolist()
    [1]
    >>> y[1] = 91
    >>> compound.pairs(x, y, parts, first).tolist()  # and now lies in the corner between bar and post
    []

Conventions are those of `retrosim.collide.documents.boxes`, and also
    parts   int16[p, 4] or int32[p, 4]: x and y of a part's upper-left corner from the object's origin, -8192..8191;
            width and height, 0..8191. The origins x, y are in -8192..8191.
    first   int32[n + 1], ascending: object i has the parts first[i] up to, not including, first[i + 1]
    circle  bool, or bool[p], for parts
"""

from __future__ import annotations

from functools import partial

import numpy as np

from .. import _arguments as arguments
from .._arguments import EVERYONE, MAX_PART, MIN_PART
from .._results import flag_array
from .._shape_pairs import Bounds, near_pairs
from ..kernels.shapes.boxes import Compounds, mark_compounds, scan_compounds


def _own_first(first: np.ndarray, count: int, parts: int) -> np.ndarray:
    """Return a copy of int32[count + 1], ascending, 0..parts: where each object's parts begin."""
    if not arguments.is_array(first) or first.dtype != np.int32 or first.shape != (count + 1,):
        raise ValueError(f"first is {arguments.form_of(first)}: allowed int32[{count + 1}]")
    arguments.check_layout("first", first)
    first = arguments.own_copy(first)
    if first[0] != 0 or first[-1] != parts or (first[1:] < first[:-1]).any():
        raise ValueError(f"first goes {first[0]} .. {first[-1]}: allowed ascending numbers, 0 .. {parts}")
    return first


def _check(x, y, parts, first, circle):
    arguments.check_vectors(x=x, y=y)
    x, y = arguments.own_within(MIN_PART, MAX_PART, x=x, y=y)
    parts = arguments.own_table("parts", parts, 4, np.int16, np.int32)
    minima = {"x": MIN_PART, "y": MIN_PART, "width": 0, "height": 0}
    for column, (name, minimum) in enumerate(minima.items()):
        arguments.check_range(minimum, MAX_PART, **{f"parts {name}": parts[:, column]})
    first = _own_first(first, len(x), len(parts))
    return Compounds(x, y, parts, first, arguments.word_per_object("circle", circle, len(parts), np.uint8, 1))


def hits(
    x: np.ndarray,
    y: np.ndarray,
    parts: np.ndarray,
    first: np.ndarray,
    pairs: np.ndarray,
    *,
    circle: bool | np.ndarray = False,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Test the listed pairs of objects.

    pairs    int32[m, 2]  indices
    Returns  uint8[m]     1 where the pair collides
    """
    objects = _check(x, y, parts, first, circle)
    pairs = arguments.own_pairs(pairs, len(x))
    out = flag_array(out, len(pairs))
    mark_compounds(objects, pairs, out)
    return out


def pairs(
    x: np.ndarray,
    y: np.ndarray,
    parts: np.ndarray,
    first: np.ndarray,
    *,
    circle: bool | np.ndarray = False,
    category: int | np.ndarray = EVERYONE,
    mask: int | np.ndarray = EVERYONE,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """List every colliding pair of objects once.

    Returns  int32[m, 2]  indices, the lower one first, in ascending order
    """
    objects, filters = _check(x, y, parts, first, circle), arguments.filter_of(category, mask, len(x))
    scan, mark = partial(scan_compounds, objects, filters), partial(mark_compounds, objects)
    return near_pairs(len(objects.x), lambda: _bounds(objects), scan, mark, out, *filters)


def _bounds(objects: Compounds) -> Bounds:
    """Return boxes around all parts of each object; where it has none, around its origin."""
    x, y, first = (values.astype(np.int32) for values in (objects.x, objects.y, objects.first))
    parts, has_parts = objects.parts.astype(np.int32), first[1:] > first[:-1]
    sides = []
    for axis, origin in enumerate((x, y)):
        lowest, highest = np.zeros_like(origin), np.zeros_like(origin)
        if has_parts.any():
            begins, begin = first[:-1][has_parts], parts[:, axis]
            lowest[has_parts] = np.minimum.reduceat(begin, begins)
            highest[has_parts] = np.maximum.reduceat(begin + parts[:, axis + 2], begins)
        sides.append((origin + lowest, origin + highest + 1))  # touching counts
    (left, right), (top, bottom) = sides
    return Bounds(left, top, right, bottom)
