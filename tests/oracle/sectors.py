"""The oracle of boxes by sectors (Moertel 1994), slow and without a single shortcut.

Coordinates are lists of int; a `scalar` has `bits` bits, 16 or 32; `abs` is "inline" or "macro". Sides are one int or a
list with one per object (boxes are then square), or two lists (widths, heights).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Sides = int | Sequence[int] | tuple[Sequence[int], Sequence[int]]
Pair = tuple[int, int]


def wrap(value: int, bits: int) -> int:
    """Return what a two's complement word of `bits` bits keeps of `value`."""
    value %= 1 << bits
    return value - (1 << bits) if value >= 1 << (bits - 1) else value


def distance(a: int, b: int, bits: int, abs: str) -> tuple[int, bool]:
    """Return what `_Abs(a - b)` gives, and whether it found `a - b` negative.

    The subtraction is an `int`, 32 bits wide. The inline function takes and returns a scalar, the macro computes on.
    """
    width = {"inline": bits, "macro": 32}[abs]
    difference = wrap(wrap(a - b, 32), width)
    if difference < 0:
        return wrap(-difference, width), True
    return difference, False


def is_hit(a: tuple[int, int, int, int], b: tuple[int, int, int, int], *, bits: int = 16, abs: str = "inline") -> bool:
    """Tell whether two boxes (x, y, width, height) overlap, by the arithmetic of this build."""
    for axis in (0, 1):
        apart, a_is_first = distance(a[axis], b[axis], bits, abs)
        if not apart < (a[axis + 2] if a_is_first else b[axis + 2]):
            return False
    return True


def update_sectors(x: Sequence[int], y: Sequence[int], xoff: int, yoff: int) -> list[list[list[int]]]:
    """Return the 11 x 9 lists of objects, each with the object pushed last in front.

    Errors  IndexError  an object outside 0..671 by 0..543, where the shifted grid ends
    """
    lists: list[list[list[int]]] = [[[] for _ in range(9)] for _ in range(11)]
    for o in range(len(x)):
        column, row = (x[o] + xoff) >> 6, (y[o] + yoff) >> 6
        if column < 0 or row < 0:
            raise IndexError(f"object {o} at ({x[o]}, {y[o]})")
        lists[column][row].insert(0, o)
    return lists


def four_shifts(x: Sequence[int], y: Sequence[int]) -> Iterator[Pair]:
    """Yield every pair that the original tests, in its order."""
    for xoff, yoff in ((0, 0), (0, 32), (32, 0), (32, 32)):
        for column in update_sectors(x, y, xoff, yoff):
            for objects in column:
                yield from _each_pair(objects)


def _each_pair(objects: Sequence[int]) -> Iterator[Pair]:
    for i in range(len(objects)):
        for j in range(i + 1, len(objects)):
            yield objects[i], objects[j]


def nine_sectors(x: Sequence[int], y: Sequence[int]) -> Iterator[Pair]:
    """Yield every pair of the objects in a sector and its eight neighbours, for each sector that has objects."""
    lists = update_sectors(x, y, 0, 0)
    for column in range(11):
        for row in range(9):
            if lists[column][row]:
                gathered = []
                for c in (column - 1, column, column + 1):
                    for r in (row - 1, row, row + 1):
                        if 0 <= c < 11 and 0 <= r < 9:
                            gathered.extend(lists[c][r])
                yield from _each_pair(gathered)


def neighbours(x: Sequence[int], y: Sequence[int], around: Sequence[Pair]) -> Iterator[Pair]:
    """Yield the pairs that a sector's objects form with later ones of their own and with those of sectors `around`."""
    lists = update_sectors(x, y, 0, 0)
    for column in range(11):
        for row in range(9):
            own = lists[column][row]
            for i, a in enumerate(own):
                for b in own[i + 1 :]:
                    yield a, b
                for c, r in around:
                    if 0 <= column + c < 11 and 0 <= row + r < 9:
                        for b in lists[column + c][row + r]:
                            yield a, b


def tested_pairs(x: Sequence[int], y: Sequence[int], method: str = "four_shifts") -> Iterator[Pair]:
    """Yield every pair that a method tests, in its order; the methods are those of `sectors.METHODS`."""
    half = [(0, 1), (1, -1), (1, 0), (1, 1)]
    if method == "four_shifts":
        return four_shifts(x, y)
    if method == "nine_sectors":
        return nine_sectors(x, y)
    if method == "all_neighbours":
        return neighbours(x, y, half + [(0, -1), (-1, 1), (-1, 0), (-1, -1)])
    if method == "half_neighbours":
        return neighbours(x, y, half)
    if method == "brute_force":
        return _each_pair(range(len(x)))
    raise ValueError(f"method {method!r}: no such method")


def check(
    x: Sequence[int],
    y: Sequence[int],
    *,
    bits: int = 16,
    size: Sides = 30,
    abs: str = "inline",
    method: str = "four_shifts",
) -> tuple[list[int], list[Pair], int]:
    """Run one complete check.

    Returns  the flag of every object, the hits in the order they are found, and how many pairs were tested
    """
    if isinstance(size, int):
        size = [size] * len(x)
    width, height = size if isinstance(size, tuple) else (size, size)
    boxes = list(zip(x, y, width, height, strict=True))
    flags, reports, tests = [0] * len(x), [], 0
    for a, b in tested_pairs(x, y, method):
        tests += 1
        if is_hit(boxes[a], boxes[b], bits=bits, abs=abs):
            flags[a] = flags[b] = 1
            reports.append((a, b))
    return flags, reports, tests


def distinct(reports: Sequence[Pair]) -> list[Pair]:
    """Return each reported pair once, lower index first, in ascending order."""
    return sorted({(min(pair), max(pair)) for pair in reports})
