"""Collision to the pixel by bit masks (Mackey 1995): one bit per pixel, a row shifted and ANDed with a row.

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
    >>> masks.bounds(x, y, shape, sprites)[2].tolist()  # for a broad phase
    [[4, 4], [1, 1], [1, 1], [14, 1]]
    >>> masks.contacts(x, y, shape, sprites, close).tolist()  # and where
    [[0, 0, 0], [1, 13, 12], [0, 0, 0]]
    >>> masks.contact_rows(x, y, shape, sprites, 0, 0).tolist()  # the ring with itself, row by row
    [[11, 10], [10, 11], [10, 12], [11, 13]]
    >>> [f"{word:08X}" for word in masks.make_wide_mask(np.ones((1, 40), np.uint8))[0]]
    ['FFFFFFFF', 'FF000000']

Conventions
    x, y      integers[n], C-contiguous; upper-left corners of the bitmaps, pixels, -2147483648..2147483647
    shape     int32[n], which of the sprites each object looks like
    sprites   what `pack` returned
    pairs     int32[m, 2], indices of objects. Boxes that do not overlap never collide, so any pair may be listed.
    method    one of METHODS, all with the same result:
                any     any width: each row shifted as one long word
                dword   up to 32 pixels: the original routine, 32-bit registers
                qword   up to 64 pixels: left as an exercise there, two registers shifted together (SHLD)
                word    up to 32 pixels: the version for a 286 that the author offers by mail, 16-bit registers only
                parts   any width: every sprite is several sprites of up to 32 pixels
    out       where to write, instead of making an array: of the form that is returned; lists with enough rows
    Errors    ValueError  wrong dtype, shape or length; a value out of range, named with the range
    Source    Mackey, COLLIDE.PAS 1.0, 1995

The original text shifts the topmost sprite's row left; that is right only while the topmost sprite is also the
leftmost. What is meant: rows are aligned at the lower one of the upper sides, and the leftmost sprite's row is shifted.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retrosim.checks import check_choice, check_integer

from . import _first_calls
from ._arguments import (
    MAX_COORDINATE,
    apart_from,
    first_beyond,
    own_list,
    own_numbers,
    own_pairs,
    own_sprites,
    read_pixels,
)
from ._boxes import own_axis
from ._results import array_of, flag_array, pair_list, row_table
from .kernels.shapes.masks import METHODS, Masks, Placed, find_row, list_contacts, make_words, mark_pairs

WORD = np.dtype(np.uint32)
MAX_WIDTH = {"any": MAX_COORDINATE, "dword": 32, "qword": 64, "word": 32, "parts": MAX_COORDINATE}


def make_wide_mask(sprite: bytes | np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the mask of a sprite of any width.

    sprite   bytes or uint8[2 + w * h], an XLib linear bitmap, or uint8[h, w], an image; colour 0 is transparent
    Returns  uint32[h, n]  n words a row, leftmost first

    >>> [f"{word:08X}" for word in make_wide_mask(np.ones((1, 40), np.uint8))[0]]
    ['FFFFFFFF', 'FF000000']
    """
    pixels = read_pixels(sprite)
    height, width = pixels.shape
    out = array_of(out, np.uint32, height, -(-width // 32))
    _first_calls.call(make_words, lambda: pixels.size, pixels, out)
    return out


def make_mask(sprite: bytes | np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the mask of a sprite 1..32 pixels wide; `sprite` as for `make_wide_mask`.

    Returns  uint32[h]  one word a row
    Source   Mackey 1995, MakeMask

    >>> [f"{word:08X}" for word in make_mask(np.eye(2, dtype=np.uint8))]
    ['80000000', '40000000']
    """
    pixels = read_pixels(sprite)
    if pixels.shape[1] > 32:
        raise ValueError(f"sprite is {pixels.shape[1]} pixels wide: allowed 1..32; make_wide_mask takes wider ones")
    out = array_of(out, np.uint32, len(pixels))
    _first_calls.call(make_words, lambda: pixels.size, pixels, out[:, None])
    return out


def pack(sprites: Sequence[bytes | np.ndarray]) -> Masks:
    """Make the masks of several sprites and put them into one table; each as for `make_wide_mask`.

    >>> sprites = pack([np.ones((4, 4), np.uint8), np.eye(8, dtype=np.uint8)])
    """
    images = [read_pixels(sprite) for sprite in own_list("sprites", sprites, "sprites")]
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


def _own(x, y, shape, sprites):
    """Check objects and their sprites; return copies of both."""
    x, y = own_axis("x", x), own_axis("y", y)
    if len(x) != len(y):
        raise ValueError(f"y has length {len(y)}: allowed {len(x)}, as x has")
    sprites = own_sprites(sprites, Masks, WORD, "sprites")
    return Placed(own_numbers("shape", shape, len(x), len(sprites.first) - 1), x, y), sprites


def _apart(sprites, out):
    """Return sprites whose masks are not where the result goes."""
    return sprites._replace(words=apart_from(out, sprites.words))


def _steps(sprites, pairs):
    """Return what tells how much work pairs are, see `_first_calls.call`."""
    return lambda: len(pairs) * int(sprites.height.max(initial=0)) * int(sprites.words_per_row.max(initial=0))


def bounds(
    x: np.ndarray, y: np.ndarray, shape: np.ndarray, sprites: Masks
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the boxes of objects, for `world` and `groups`.

    Returns  int32[n], int32[n], int32[n, 2]  left, top, width and height

    >>> sprites = pack([np.ones((4, 4), np.uint8), np.eye(8, dtype=np.uint8)])
    >>> x, y, shape = np.array([0, 2]), np.array([0, 1]), np.array([0, 1], np.int32)
    >>> bounds(x, y, shape, sprites)[2].tolist()
    [[4, 4], [8, 8]]
    """
    placed, own = _own(x, y, shape, sprites)
    return placed.x, placed.y, np.stack([own.width[placed.shape], own.height[placed.shape]], axis=1)


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

    >>> sprites = pack([np.ones((4, 4), np.uint8), np.eye(8, dtype=np.uint8)])
    >>> x, y, shape = np.array([0, 2]), np.array([0, 1]), np.array([0, 1], np.int32)
    >>> hits(x, y, shape, sprites, np.array([[0, 1]], np.int32)).tolist()
    [1]
    """
    placed, sprites = _own(x, y, shape, sprites)
    pairs = own_pairs(pairs, len(placed.x))
    out = flag_array(out, len(pairs))
    check_choice("method", method, METHODS)
    index = first_beyond(sprites.width, 1, MAX_WIDTH[method])
    if index >= 0:
        raise ValueError(
            f"sprite {index} is {sprites.width[index]} pixels wide: allowed 1..{MAX_WIDTH[method]} for method "
            f"{method!r}; 'any' and 'parts' take wider ones"
        )
    steps = _steps(sprites, pairs)
    _first_calls.call(mark_pairs, steps, _apart(sprites, out), placed, pairs, METHODS.index(method), out)
    return out


def contacts(
    x: np.ndarray, y: np.ndarray, shape: np.ndarray, sprites: Masks, pairs: np.ndarray, *, out: np.ndarray | None = None
) -> np.ndarray:
    """Test the listed pairs and say where they meet.

    Returns  int32[m, 3]  1 or 0; x and y of the first common pixel: topmost row, leftmost in it (0 without collision)

    >>> sprites = pack([np.ones((4, 4), np.uint8), np.eye(8, dtype=np.uint8)])
    >>> x, y, shape = np.array([0, 2]), np.array([0, 1]), np.array([0, 1], np.int32)
    >>> contacts(x, y, shape, sprites, np.array([[0, 1]], np.int32)).tolist()
    [[1, 2, 1]]
    """
    placed, sprites = _own(x, y, shape, sprites)
    pairs = own_pairs(pairs, len(placed.x))
    out = row_table(out, len(pairs), 3, np.int32)
    _first_calls.call(list_contacts, _steps(sprites, pairs), _apart(sprites, out), placed, pairs, out)
    return out[: len(pairs)]


def contact_rows(
    x: np.ndarray, y: np.ndarray, shape: np.ndarray, sprites: Masks, a: int, b: int, *, out: np.ndarray | None = None
) -> np.ndarray:
    """List where objects `a` and `b` meet, row by row.

    Returns  int32[r, 2]  x and y of the leftmost common pixel of each row that has one, from the top

    >>> sprites = pack([np.ones((4, 4), np.uint8), np.eye(8, dtype=np.uint8)])
    >>> x, y, shape = np.array([0, 2]), np.array([0, 1]), np.array([0, 1], np.int32)
    >>> contact_rows(x, y, shape, sprites, 0, 1).tolist()
    [[2, 1], [3, 2]]
    """
    (shape, x, y), sprites = _own(x, y, shape, sprites)
    a, b = (check_integer(name, i, 0, len(x) - 1) for name, i in (("a", a), ("b", b)))
    dx, dy = int(x[b]) - int(x[a]), int(y[b]) - int(y[a])
    left, top = max(int(x[a]), int(x[b])), max(int(y[a]), int(y[b]))
    one, two = (tuple(int(column[shape[i]]) for column in sprites[1:]) for i in (a, b))

    def scan(rows: np.ndarray) -> int:
        total, row, words = 0, -1, _apart(sprites, rows).words
        while True:
            row, column = find_row(words, one, two, dx, dy, row + 1)
            if row < 0:
                return total
            if total < len(rows):
                rows[total] = left + column, top + row
            total += 1

    return pair_list(scan, out, int(sprites.height[shape[a]]))
