"""The oracle of pixel masks (Mackey 1995), and a still simpler one that compares pixel by pixel.

A sprite is a list of rows, each a list of colours, 0 transparent.
"""

from __future__ import annotations

from collections.abc import Sequence

Sprite = Sequence[Sequence[int]]
Place = tuple[int, int]


def read_bitmap(data: bytes) -> Sprite:
    """Return the sprite in an XLib linear bitmap: width, height, then the colours row by row."""
    width, height = data[0], data[1]
    if not width or not height or len(data) != 2 + width * height:
        raise ValueError(f"{width} x {height} pixels in {len(data)} bytes")
    return [list(data[2 + row * width : 2 + (row + 1) * width]) for row in range(height)]


def make_mask(sprite: Sprite) -> list[int]:
    """Return one number per row as wide as the sprite is, rounded up to whole words of 32 bits; leftmost bit first."""
    bits = (len(sprite[0]) + 31) // 32 * 32
    return [sum((1 << bits - 1 - column) for column, colour in enumerate(row) if colour) for row in sprite]


def collide(first: Sprite, at_first: Place, second: Sprite, at_second: Place) -> Place | None:
    """Return the first common pixel (topmost row, leftmost in it), or None: Mackey's algorithm on long words."""
    return next(iter(rows(first, at_first, second, at_second)), None)


def rows(first: Sprite, at_first: Place, second: Sprite, at_second: Place) -> list[Place]:
    """Return the leftmost common pixel of every row that has one."""
    (left, (x1, y1)), (right, (x2, y2)) = sorted(
        ((first, at_first), (second, at_second)), key=lambda sprite: sprite[1][0]
    )
    if x2 - x1 >= len(left[0]):
        return []
    width = max(len(left[0]), len(right[0])) + 64
    found = []
    for y in range(max(y1, y2), min(y1 + len(left), y2 + len(right))):
        ours, theirs = row_bits(left[y - y1], width) << x2 - x1, row_bits(right[y - y2], width)
        common = ours & theirs
        if common:
            found.append((x2 + width - common.bit_length(), y))
    return found


def row_bits(row: Sequence[int], width: int) -> int:
    """Return a row of colours as a number of `width` bits, leftmost pixel in the highest bit."""
    return int("".join("1" if colour else "0" for colour in row), 2) << width - len(row)


def by_pixels(first: Sprite, at_first: Place, second: Sprite, at_second: Place) -> Place | None:
    """Return the same by looking at every pixel of one sprite: is the other's there opaque?"""
    here = {(y, x) for y, row in enumerate(first, at_first[1]) for x, colour in enumerate(row, at_first[0]) if colour}
    there = {
        (y, x) for y, row in enumerate(second, at_second[1]) for x, colour in enumerate(row, at_second[0]) if colour
    }
    common = min(here & there, default=None)
    return common and (common[1], common[0])
