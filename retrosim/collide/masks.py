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
    >>> masks.hits(sprites, shape, x, y, close).tolist()  # the first dot is in the middle of the ring
    [0, 1, 0]
    >>> masks.contacts(sprites, shape, x, y, close).tolist()  # and where
    [[0, 0, 0], [1, 13, 12], [0, 0, 0]]

Conventions
    sprites   what `pack` returned
    shape     int32[n], which of them each object looks like
    x, y      int16[n] or int32[n], C-contiguous; upper-left corners of the bitmaps, pixels, -16384..16383
    pairs     int32[m, 2], indices of objects. Boxes that do not overlap never collide, so any pair may be asked.
    method    one of METHODS, all with the same result:
                any     any width: each row shifted as one long word
                dword   up to 32 pixels: the document's routine, 32-bit registers
                qword   up to 64 pixels: the exercise it leaves, two registers shifted together (SHLD)
                word    up to 32 pixels: the version for a 286 that its author offers by mail, 16-bit registers only
                parts   any width: every sprite is several sprites of up to 32 pixels
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
from retrosim.collide.mask_rows import (
    common_dword,
    common_long,
    common_parts,
    common_qword,
    common_word,
    contact_in_row,
    make_words,
)
from retrosim.collide.results import flag_array, row_table
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


def read_pixels(sprite: bytes | np.ndarray) -> np.ndarray:
    """Return uint8[h, w] from an XLib linear bitmap (width, height, then width * height colours) or an image."""
    if isinstance(sprite, np.ndarray) and sprite.ndim == 2:
        if sprite.dtype != np.uint8:
            raise ValueError(f"sprite has dtype {sprite.dtype}: allowed uint8")
        if not (0 < sprite.shape[0] <= arguments.MOST and 0 < sprite.shape[1] <= arguments.MOST):
            raise ValueError(f"sprite has shape {sprite.shape}: allowed 1..{arguments.MOST} rows and columns")
        return np.ascontiguousarray(sprite)
    if isinstance(sprite, np.ndarray):
        if sprite.dtype != np.uint8 or sprite.ndim != 1:
            raise ValueError(f"sprite is {sprite.dtype}{list(sprite.shape)}: allowed uint8[n] or uint8[h, w]")
        sprite = sprite.tobytes()
    if not isinstance(sprite, (bytes, bytearray, memoryview)):
        raise ValueError(f"sprite is a {type(sprite).__name__}: allowed bytes, uint8[n] or uint8[h, w]")
    data = bytes(sprite)
    if len(data) < 2:
        raise ValueError(f"bitmap has {len(data)} bytes: allowed a header of 2, width and height, and the pixels")
    wide, high = data[0], data[1]
    if not wide or not high:
        raise ValueError(f"bitmap header says {wide} x {high} pixels: allowed 1..255 x 1..255")
    if len(data) != 2 + wide * high:
        raise ValueError(f"bitmap of {wide} x {high} pixels has {len(data)} bytes: allowed {2 + wide * high}")
    return np.frombuffer(data, np.uint8, wide * high, 2).reshape(high, wide)


def make_wide_mask(sprite: bytes | np.ndarray) -> np.ndarray:
    """Return the mask of a sprite of any width.

    sprite   bytes or uint8[2 + w * h], an XLib linear bitmap, or uint8[h, w], an image; colour 0 is transparent
    Returns  uint32[h, n]  n words a row, leftmost first
    """
    pixels = read_pixels(sprite)
    high, wide = pixels.shape
    words = np.empty((high, -(-wide // 32)), np.uint32)
    make_words(pixels, words)
    return words


def make_mask(sprite: bytes | np.ndarray) -> np.ndarray:
    """Return the mask of a sprite 1..32 pixels wide; `sprite` as for `make_wide_mask`.

    Returns  uint32[h]  one word a row
    Source   Mackey 1995, MakeMask
    """
    pixels = read_pixels(sprite)
    if pixels.shape[1] > 32:
        raise ValueError(f"sprite is {pixels.shape[1]} pixels wide: allowed 1..32; make_wide_mask takes wider ones")
    return make_wide_mask(pixels)[:, 0].copy()


def pack(sprites: Sequence[bytes | np.ndarray]) -> Masks:
    """Make the masks of several sprites and put them into one table; each as for `make_wide_mask`."""
    images = [read_pixels(sprite) for sprite in sprites]
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


def check_shape(shape: np.ndarray, count: int, sprites: int) -> None:
    """Check int32[count], numbers of sprites: 0..sprites - 1."""
    if not isinstance(shape, np.ndarray) or shape.dtype != np.int32 or shape.shape != (count,):
        shown = f"{shape.dtype}{list(shape.shape)}" if isinstance(shape, np.ndarray) else type(shape).__name__
        raise ValueError(f"shape is {shown}: allowed int32[{count}]")
    if not shape.flags.c_contiguous:
        raise ValueError(f"shape has a stride of {shape.strides[0]} bytes: allowed C-contiguous arrays only")
    arguments.check_range(0, sprites - 1, shape=shape)


def _check(sprites, shape, x, y, pairs):
    """Check all but `sprites` itself, which is ours; return the number of pairs."""
    count = arguments.check_places(x=x, y=y)
    if not isinstance(sprites, Masks):
        raise ValueError(f"sprites is a {type(sprites).__name__}: allowed what `pack` returns")
    check_shape(shape, count, len(sprites.first))
    return arguments.check_pairs(pairs, count)


def hits(
    sprites: Masks,
    shape: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    pairs: np.ndarray,
    *,
    method: str = "any",
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Test the listed pairs to the pixel.

    out      uint8[m]  where to write, None makes an array
    Returns  uint8[m]  1 where the pair has an opaque pixel in common
    """
    out = flag_array(out, _check(sprites, shape, x, y, pairs))
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
    sprites: Masks,
    shape: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    pairs: np.ndarray,
    *,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Test the listed pairs and say where they meet.

    out      int32[k, 3]  where to write, k at least m; None makes an array
    Returns  int32[m, 3]  1 or 0; x and y of the first common pixel: topmost row, leftmost in it (0 without collision);
                          a view of `out` if that is given
    """
    count = _check(sprites, shape, x, y, pairs)
    out = row_table(out, count, 3, np.int32)
    list_contacts(*sprites, shape, x, y, pairs, out)
    return out[:count]


def contact_rows(sprites: Masks, shape: np.ndarray, x: np.ndarray, y: np.ndarray, a: int, b: int) -> np.ndarray:
    """List where objects `a` and `b` meet, row by row.

    Returns  int32[r, 2]  x and y of the leftmost common pixel of each row that has one, from the top
    """
    pair = np.array([[a, b]], np.int32)
    _check(sprites, shape, x, y, pair)
    dx, dy = int(x[b]) - int(x[a]), int(y[b]) - int(y[a])
    left, top = max(int(x[a]), int(x[b])), max(int(y[a]), int(y[b]))
    found, row = [], -1
    while True:
        row, column = find_row(*sprites, shape[a], shape[b], dx, dy, row + 1)
        if row < 0:
            return np.array(found, np.int32).reshape(-1, 2)
        found.append((left + column, top + row))
