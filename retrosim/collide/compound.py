"""Compound shapes (document 002): an object made of several boxes and circles collides if any of its parts does.

    >>> import numpy as np
    >>> from retrosim.collide import compound
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

Conventions are those of `retrosim.collide.boxes`, and
    parts   int16[p, 4] or int32[p, 4]: x and y of a part's upper-left corner from the object's origin, -8192..8191;
            width and height, 0..8191. The origins x, y are in -8192..8191.
    first   int32[n + 1], ascending: object i has the parts first[i] up to, not including, first[i + 1]
    circle  bool, or bool[p], for parts
"""

from __future__ import annotations

import numpy as np

from retrosim.collide import arguments
from retrosim.collide.boxes import is_touching, is_wanted
from retrosim.collide.results import flag_array, pair_list
from retrosim.jit import kernel

LEAST, MOST = arguments.LEAST // 2, arguments.MOST // 2  # so that origin and offset together stay in range


@kernel
def is_compound_touching(x, y, parts, first, circle, a, b):
    """Tell whether any part of object `a` collides with any part of object `b`, by `boxes.is_touching`.

    x, y    int16[n] or int32[n]        origins, pixels
    parts   int16[p, 4] or int32[p, 4]  offset, width, height
    first   int32[n + 1]                where each object's parts begin
    circle  uint8[p]                    1 for a circle
    """
    for p in range(first[a], first[a + 1]):
        ax, ay = int(x[a]) + int(parts[p, 0]), int(y[a]) + int(parts[p, 1])
        for q in range(first[b], first[b + 1]):
            bx, by = int(x[b]) + int(parts[q, 0]), int(y[b]) + int(parts[q, 1])
            if is_touching(
                ax, ay, int(parts[p, 2]), int(parts[p, 3]), circle[p] != 0,
                bx, by, int(parts[q, 2]), int(parts[q, 3]), circle[q] != 0,
            ):  # fmt: skip
                return True
    return False


@kernel
def mark_pairs(x, y, parts, first, circle, pairs, out):
    """Write 1 for each listed pair that collides, else 0; as `boxes.mark_pairs`."""
    for p in range(len(pairs)):
        out[p] = is_compound_touching(x, y, parts, first, circle, pairs[p, 0], pairs[p, 1])


@kernel
def scan_pairs(x, y, parts, first, circle, category, mask, found):
    """List every wanted pair that collides, i < j; return how many there are; as `boxes.scan_pairs`."""
    total = 0
    for a in range(len(x)):
        for b in range(a + 1, len(x)):
            if is_wanted(category, mask, a, b) and is_compound_touching(x, y, parts, first, circle, a, b):
                if total < len(found):
                    found[total, 0] = a
                    found[total, 1] = b
                total += 1
    return total


def _check_first(first: np.ndarray, count: int, parts: int) -> None:
    """Check int32[count + 1], ascending, 0..parts: where each object's parts begin."""
    if not isinstance(first, np.ndarray) or first.dtype != np.int32 or first.shape != (count + 1,):
        shown = f"{first.dtype}{list(first.shape)}" if isinstance(first, np.ndarray) else type(first).__name__
        raise ValueError(f"first is {shown}: allowed int32[{count + 1}]")
    if not first.flags.c_contiguous:
        raise ValueError(f"first has a stride of {first.strides[0]} bytes: allowed C-contiguous arrays only")
    if first[0] != 0 or first[-1] != parts or (first[1:] < first[:-1]).any():
        raise ValueError(f"first goes {first[0]} .. {first[-1]}: allowed ascending numbers, 0 .. {parts}")


def _check(x, y, parts, first, circle):
    count = arguments.check_coordinates(x=x, y=y)
    arguments.check_range(LEAST, MOST, x=x, y=y)
    rows = arguments.check_table("parts", parts, 4, np.int16, np.int32)
    for column, (name, least) in enumerate((("x", LEAST), ("y", LEAST), ("width", 0), ("height", 0))):
        arguments.check_range(least, MOST, **{f"parts {name}": parts[:, column]})
    _check_first(first, count, rows)
    return count, arguments.word_per_object("circle", circle, rows, np.uint8, 1)


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
    count, round_parts = _check(x, y, parts, first, circle)
    out = flag_array(out, arguments.check_pairs(pairs, count))
    mark_pairs(x, y, parts, first, round_parts, pairs, out)
    return out


def pairs(
    x: np.ndarray,
    y: np.ndarray,
    parts: np.ndarray,
    first: np.ndarray,
    *,
    circle: bool | np.ndarray = False,
    category: int | np.ndarray = 0xFFFF,
    mask: int | np.ndarray = 0xFFFF,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """List every colliding pair of objects once.

    Returns  int32[m, 2]  indices, the lower one first, in ascending order
    """
    count, round_parts = _check(x, y, parts, first, circle)
    categories = arguments.word_per_object("category", category, count, np.uint16)
    masks = arguments.word_per_object("mask", mask, count, np.uint16)
    return pair_list(
        lambda found: scan_pairs(x, y, parts, first, round_parts, categories, masks, found), out, 4 * count
    )
