"""Collision to the pixel by masks of bits (document 001): one bit per pixel, a row shifted and ANDed with a row.

    >>> import numpy as np
    >>> from retrosim.collide import masks
    >>> row = bytes([14, 1]) + bytes([0, 0, 0, 1, 23, 42, 0, 1, 56, 0, 0, 0, 0, 0])  # an XLib bitmap, 14 x 1
    >>> print(f"{masks.make_mask(row)[0]:08X}")
    1D800000
    >>> ring = np.array([[0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, 1], [0, 1, 1, 0]], np.uint8)
    >>> dot = np.array([[7]], np.uint8)
    >>> sprites = masks.pack([ring, dot, row])
    >>> shape = np.array([0, 1, 1, 2], np.int32)  # what the four objects look like
    >>> x, y = np.array([10, 11, 13, 20], np.int16), np.array([10, 11, 12, 30], np.int16)
    >>> close = np.array([[0, 1], [0, 2], [2, 3]], np.int32)  # from `collide.pairs`, for example
    >>> masks.hits(x, y, shape, sprites, close).tolist()  # the first dot is in the middle of the ring
    [0, 1, 0]
    >>> masks.contacts(x, y, shape, sprites, close).tolist()  # and where
    [[0, 0, 0], [1, 13, 12], [0, 0, 0]]
    >>> masks.contact_rows(x, y, shape, sprites, 0, 0).tolist()  # the ring with itself, row by row
    [[11, 10], [10, 11], [10, 12], [11, 13]]
    >>> [f"{word:08X}" for word in masks.make_wide_mask(np.ones((1, 40), np.uint8))[0]]
    ['FFFFFFFF', 'FF000000']

Conventions
    x, y      int16[n] or int32[n], C-contiguous; upper-left corners of the bitmaps, pixels, -16384..16383
    shape     int32[n], which of the sprites each object looks like
    sprites   what `pack` returned
    pairs     int32[m, 2], indices of objects. Boxes that do not overlap never collide, so any pair may be asked.
    method    one of METHODS, all with the same result:
                any     any width: each row shifted as one long word
                dword   up to 32 pixels: the document's routine, 32-bit registers
                qword   up to 64 pixels: the exercise it leaves, two registers shifted together (SHLD)
                word    up to 32 pixels: the version for a 286 that its author offers by mail, 16-bit registers only
                parts   any width: every sprite is several sprites of up to 32 pixels
    out       where to write, instead of making an array: of the form that is returned; lists with room enough
    Errors    ValueError  wrong dtype, shape or length; a value out of range, named with the range
    Source    Mackey, COLLIDE.PAS 1.0, 1995

The document has the topmost sprite's row shifted left; that holds only while the topmost sprite is also the leftmost.
Meant is: rows are aligned at the lower one of the upper edges, and the leftmost sprite's row is shifted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from retrosim.collide import arguments
from retrosim.collide.kernels.mask_rows import (
    common_dword,
    common_long,
    common_parts,
    common_qword,
    common_word,
    contact_in_row,
    make_words,
)
from retrosim.collide.results import array_of, flag_array, pair_list, row_table
from retrosim.jit import kernel

METHODS = ("any", "dword", "qword", "word", "parts")
WIDEST = {"any": arguments.MOST, "dword": 32, "qword": 64, "word": 32, "parts": arguments.MOST}


class Masks(NamedTuple):
    """Sprites as bits: rows of 32-bit words, leftmost pixel in bit 31, 1 where a pixel is opaque, unused bits 0.

    words   uint32[t]  all rows of all sprites, one after the other
    first   int32[k]   where each sprite's words begin
    across  int32[k]   words per row
    wide    int32[k]   pixels
    high    int32[k]   pixels
    """

    words: np.ndarray
    first: np.ndarray
    across: np.ndarray
    wide: np.ndarray
    high: np.ndarray


def make_wide_mask(sprite: bytes | np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the mask of a sprite of any width.

    sprite   bytes or uint8[2 + w * h], an XLib linear bitmap, or uint8[h, w], an image; colour 0 is transparent
    Returns  uint32[h, n]  n words a row, leftmost first
    """
    pixels = arguments.read_pixels(sprite)
    high, wide = pixels.shape
    out = array_of(out, np.uint32, high, -(-wide // 32))
    make_words(pixels, out)
    return out


def make_mask(sprite: bytes | np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the mask of a sprite 1..32 pixels wide; `sprite` as for `make_wide_mask`.

    Returns  uint32[h]  one word a row
    Source   Mackey 1995, MakeMask
    """
    pixels = arguments.read_pixels(sprite)
    if pixels.shape[1] > 32:
        raise ValueError(f"sprite is {pixels.shape[1]} pixels wide: allowed 1..32; make_wide_mask takes wider ones")
    out = array_of(out, np.uint32, len(pixels))
    make_words(pixels, out[:, None])
    return out


def pack(sprites: Sequence[bytes | np.ndarray]) -> Masks:
    """Make the masks of several sprites and put them into one table; each as for `make_wide_mask`."""
    images = [arguments.read_pixels(sprite) for sprite in sprites]
    masks = [make_wide_mask(image) for image in images]
    sizes = [mask.size for mask in masks]
    columns = [
        np.cumsum([0, *sizes])[:-1],
        [mask.shape[1] for mask in masks],
        [image.shape[1] for image in images],
        [image.shape[0] for image in images],
    ]
    words = np.concatenate([np.empty(0, np.uint32), *(mask.ravel() for mask in masks)])
    return Masks(words, *(np.array(column, np.int32) for column in columns))


@kernel
def is_common(words, first, across, wide, high, a, b, dx, dy, method):
    """Tell whether two sprites have an opaque pixel in common. Callable from compiled code.

    words, first, across, wide, high  the columns of `Masks`
    a, b     int  which sprites
    dx, dy   int  pixels from the upper-left corner of `a` to that of `b`
    method   int  index into METHODS; the sprites are narrow enough for it
    Source   Mackey 1995, the test; the boxes are compared first, as its caller must
    """
    if dx < 0:
        a, b, dx, dy = b, a, -dx, -dy
    top_a, top_b = max(dy, 0), max(-dy, 0)  # first rows in common
    rows = min(high[a] - top_a, high[b] - top_b)
    if dx >= wide[a] or rows <= 0:
        return False
    left = first[a] + top_a * across[a]
    right = first[b] + top_b * across[b]
    if method == 1:
        return common_dword(words, left, right, rows, dx)
    if method == 2:
        return common_qword(words, left, across[a], right, across[b], rows, dx)
    if method == 3:
        return common_word(words, left, right, rows, dx)
    if method == 4:
        return common_parts(words, left, across[a], right, across[b], rows, dx)
    return common_long(words, left, across[a], right, across[b], rows, dx) >= 0


@kernel
def mark_pairs(words, first, across, wide, high, shape, x, y, pairs, method, out):
    """Write 1 for each listed pair of objects with a pixel in common, else 0; arguments as for `is_common`.

    shape   int32[n]              which sprite each object looks like
    x, y    int16[n] or int32[n]  upper-left corners, pixels
    pairs   int32[m, 2]           indices of objects
    out     uint8[m]              output
    """
    for p in range(len(pairs)):
        a, b = pairs[p, 0], pairs[p, 1]
        dx, dy = int(x[b]) - int(x[a]), int(y[b]) - int(y[a])
        out[p] = is_common(words, first, across, wide, high, shape[a], shape[b], dx, dy, method)


@kernel
def find_row(words, first, across, wide, high, a, b, dx, dy, after):
    """Return the first row of the screen below `after` with a common pixel, and where that is; or -1 and 0.

    after    int       rows below the lower one of the two upper edges: the first to look at
    Returns  int, int  row, counted like `after`; pixels from the right sprite's left edge
    """
    if dx < 0:
        a, b, dx, dy = b, a, -dx, -dy
    top_a, top_b = max(dy, 0) + after, max(-dy, 0) + after
    rows = min(high[a] - top_a, high[b] - top_b)
    if dx >= wide[a] or rows <= 0:
        return -1, 0
    left = first[a] + top_a * across[a]
    right = first[b] + top_b * across[b]
    row = common_long(words, left, across[a], right, across[b], rows, dx)
    if row < 0:
        return -1, 0
    left += row * across[a]
    right += row * across[b]
    return after + row, contact_in_row(words, left, across[a], right, across[b], dx)


@kernel
def list_contacts(words, first, across, wide, high, shape, x, y, pairs, out):
    """Write for each listed pair whether it collides, and the first common pixel; arguments as for `mark_pairs`.

    out  int32[m, 3]  output: 1 or 0, x, y; topmost row, leftmost pixel in it
    """
    for p in range(len(pairs)):
        a, b = pairs[p, 0], pairs[p, 1]
        dx, dy = int(x[b]) - int(x[a]), int(y[b]) - int(y[a])
        row, column = find_row(words, first, across, wide, high, shape[a], shape[b], dx, dy, 0)
        out[p, 0] = row >= 0
        out[p, 1] = max(int(x[a]), int(x[b])) + column if row >= 0 else 0
        out[p, 2] = max(int(y[a]), int(y[b])) + row if row >= 0 else 0


def _check(x, y, shape, sprites, pairs):
    """Check all but `sprites` itself, which is ours; return the number of pairs."""
    count = arguments.check_places(x=x, y=y)
    if not isinstance(sprites, Masks):
        raise ValueError(f"sprites is a {type(sprites).__name__}: allowed what `pack` returns")
    arguments.check_shape(shape, count, len(sprites.first))
    return arguments.check_pairs(pairs, count)


def hits(
    x: np.ndarray,
    y: np.ndarray,
    shape: np.ndarray,
    sprites: Masks,
    pairs: np.ndarray,
    *,
    method: str = "any",
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Test the listed pairs to the pixel.

    Returns  uint8[m]  1 where the pair has an opaque pixel in common
    """
    out = flag_array(out, _check(x, y, shape, sprites, pairs))
    if method not in METHODS:
        raise ValueError(f"method {method!r}: allowed {', '.join(METHODS)}")
    index = arguments.first_beyond(sprites.wide, 1, WIDEST[method])
    if index >= 0:
        raise ValueError(
            f"sprite {index} is {sprites.wide[index]} pixels wide: method {method!r} allows 1..{WIDEST[method]}; "
            "'any' and 'parts' take wider ones"
        )
    mark_pairs(*sprites, shape, x, y, pairs, METHODS.index(method), out)
    return out


def contacts(
    x: np.ndarray,
    y: np.ndarray,
    shape: np.ndarray,
    sprites: Masks,
    pairs: np.ndarray,
    *,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Test the listed pairs and say where they meet.

    Returns  int32[m, 3]  1 or 0; x and y of the first common pixel: topmost row, leftmost in it (0 without collision)
    """
    count = _check(x, y, shape, sprites, pairs)
    out = row_table(out, count, 3, np.int32)
    list_contacts(*sprites, shape, x, y, pairs, out)
    return out[:count]


def contact_rows(
    x: np.ndarray,
    y: np.ndarray,
    shape: np.ndarray,
    sprites: Masks,
    a: int,
    b: int,
    *,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """List where objects `a` and `b` meet, row by row.

    Returns  int32[r, 2]  x and y of the leftmost common pixel of each row that has one, from the top
    """
    count = arguments.check_places(x=x, y=y)
    pair = np.array([[arguments.check_side(name, i, count - 1, 0) for name, i in (("a", a), ("b", b))]], np.int32)
    _check(x, y, shape, sprites, pair)
    dx, dy = int(x[b]) - int(x[a]), int(y[b]) - int(y[a])
    left, top = max(int(x[a]), int(x[b])), max(int(y[a]), int(y[b]))

    def scan(rows: np.ndarray) -> int:
        total, row = 0, -1
        while True:
            row, column = find_row(*sprites, shape[a], shape[b], dx, dy, row + 1)
            if row < 0:
                return total
            if total < len(rows):
                rows[total] = left + column, top + row
            total += 1

    return pair_list(scan, out, int(sprites.high[shape[a]]))
