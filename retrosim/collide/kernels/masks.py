"""The pixel-mask test of Mackey 1995; see `retrosim.collide.masks`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retrosim.jit import kernel

from .mask_rows import (
    first_common_column,
    first_common_row,
    is_common_dword,
    is_common_parts,
    is_common_qword,
    is_common_word,
)

METHODS = ("any", "dword", "qword", "word", "parts")


class Masks(NamedTuple):
    """Sprites as bits: rows of 32-bit words, leftmost pixel in bit 31, 1 where a pixel is opaque, unused bits 0.

    words          uint32[t]  all rows of all sprites, one after the other
    first          int32[k]   where each sprite's words begin
    words_per_row  int32[k]
    width, height  int32[k]   pixels
    """

    words: np.ndarray
    first: np.ndarray
    words_per_row: np.ndarray
    width: np.ndarray
    height: np.ndarray


@kernel
def sprite_of(first, words_per_row, width, height, i):
    """Return sprite `i` as the tuple that tests take: the columns of `Masks` after the first."""
    return first[i], words_per_row[i], width[i], height[i]


@kernel
def is_common(words, a, b, dx, dy, method):
    """Tell whether two sprites have an opaque pixel in common.

    words    uint32[t]  of `Masks`
    a, b     tuple      see `sprite_of`
    dx, dy   int        pixels from the upper-left corner of `a` to that of `b`
    method   int        index into METHODS, one that takes sprites as wide as these
    Source   Mackey 1995, the test; the bounding boxes are compared first, as its caller must
    """
    if dx < 0:
        a, b, dx, dy = b, a, -dx, -dy
    top_a, top_b = max(dy, 0), max(-dy, 0)  # first rows in common
    rows = min(a[3] - top_a, b[3] - top_b)
    if dx >= a[2] or rows <= 0:
        return False
    left, right = (a[0] + top_a * a[1], a[1]), (b[0] + top_b * b[1], b[1])
    if method == 1:
        return is_common_dword(words, left, right, rows, dx)
    if method == 2:
        return is_common_qword(words, left, right, rows, dx)
    if method == 3:
        return is_common_word(words, left, right, rows, dx)
    if method == 4:
        return is_common_parts(words, left, right, rows, dx)
    return first_common_row(words, left, right, rows, dx) >= 0


@kernel
def mark_pairs(masks, placed, pairs, method, out):
    """Write 1 for each listed pair of objects with a pixel in common, else 0; arguments as for `is_common`.

    placed  Placed       the objects
    pairs   int32[m, 2]  indices of objects
    out     uint8[m]     output
    """
    words, first, across, width, height = masks
    shape, x, y = placed
    for p in range(len(pairs)):
        a, b = pairs[p, 0], pairs[p, 1]
        dx, dy = int(x[b]) - int(x[a]), int(y[b]) - int(y[a])
        one, two = sprite_of(first, across, width, height, shape[a]), sprite_of(first, across, width, height, shape[b])
        out[p] = is_common(words, one, two, dx, dy, method)


@kernel
def find_row(words, a, b, dx, dy, after):
    """Return the first row from `after` on with a common pixel, and where that pixel is; or -1 and 0; as `is_common`.

    after    int       first row to look at, counted from the lower one of the two upper sides
    Returns  int, int  row, counted like `after`; pixels from the right sprite's left side
    """
    if dx < 0:
        a, b, dx, dy = b, a, -dx, -dy
    top_a, top_b = max(dy, 0) + after, max(-dy, 0) + after
    rows = min(a[3] - top_a, b[3] - top_b)
    if dx >= a[2] or rows <= 0:
        return -1, 0
    left, right = a[0] + top_a * a[1], b[0] + top_b * b[1]
    row = first_common_row(words, (left, a[1]), (right, b[1]), rows, dx)
    if row < 0:
        return -1, 0
    left += row * a[1]
    right += row * b[1]
    return after + row, first_common_column(words, (left, a[1]), (right, b[1]), dx)


@kernel
def list_contacts(masks, placed, pairs, out):
    """Write for each listed pair whether it collides, and the first common pixel; arguments as for `mark_pairs`.

    out  int32[m, 3]  output: 1 or 0, x, y; topmost row, leftmost pixel in it
    """
    words, first, across, width, height = masks
    shape, x, y = placed
    for p in range(len(pairs)):
        a, b = pairs[p, 0], pairs[p, 1]
        dx, dy = int(x[b]) - int(x[a]), int(y[b]) - int(y[a])
        one, two = sprite_of(first, across, width, height, shape[a]), sprite_of(first, across, width, height, shape[b])
        row, column = find_row(words, one, two, dx, dy, 0)
        out[p, 0] = row >= 0
        out[p, 1] = max(int(x[a]), int(x[b])) + column if row >= 0 else 0
        out[p, 2] = max(int(y[a]), int(y[b])) + row if row >= 0 else 0
