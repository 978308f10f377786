"""Collision by the colours on the screen ("Bit Map", Jon E P 2007): look under an object before it is drawn.

    >>> import numpy as np
    >>> from retrosim.collide.documents import bitmap
    >>> screen = np.zeros((480, 640), np.uint8)
    >>> ring = np.array([[0, 5, 5, 0], [5, 0, 0, 5], [5, 0, 0, 5], [0, 5, 5, 0]], np.uint8)
    >>> dot = np.array([[7]], np.uint8)
    >>> images = bitmap.pack([ring, dot])
    >>> shape, x, y = np.array([0, 1, 1], np.int32), np.array([10, 11, 13], np.int16), np.array([10, 11, 12], np.int16)
    >>> bitmap.draw(x, y, shape, images, screen, solid=[5]).tolist()  # each looks, then is drawn
    [0, 0, 1]
    >>> screen[10:14, 10:14].tolist()
    [[0, 5, 5, 0], [5, 7, 0, 5], [5, 0, 0, 7], [0, 5, 5, 0]]
    >>> bitmap.hits(x, y, shape, images, screen, solid=[7]).tolist()  # only looks
    [1, 1, 1]

Conventions
    x, y     int16[n] or int32[n], C-contiguous; upper-left corners, pixels, -16384..16383; what is outside the frame
             is neither looked at nor drawn
    shape    int32[n], which of the images each object looks like
    images   what `pack` returned
    frame    uint8[h, w], C-contiguous: palette indices, as a machine's screen is
    solid    the colours that stop an object, 0..255
    out      where to write, instead of making an array: uint8[n]; for `draw`, apart from the frame
    Errors   ValueError  wrong dtype, shape or length; a value out of range, named with the range
    Source   Jon E P, "Simple Collision Detection", 2007, which names the method and does not describe it
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retrosim.checks import check_integer

from .._arguments import (
    apart_from,
    check_apart,
    check_layout,
    form_of,
    is_array,
    own_list,
    own_numbers,
    own_positions,
    own_sprites,
    read_pixels,
)
from .._results import flag_array
from ..kernels.documents.bitmap import Images, look, look_and_paint
from ..kernels.shapes.masks import Placed

COLOUR = np.dtype(np.uint8)


def pack(sprites: Sequence[bytes | np.ndarray]) -> Images:
    """Put sprites into one table; each an XLib linear bitmap or uint8[h, w], as for `masks.pack`."""
    images = [read_pixels(sprite) for sprite in own_list("sprites", sprites, "sprites")]
    columns = [
        np.cumsum([0, *(image.size for image in images)])[:-1],
        [image.shape[1] for image in images],
        [image.shape[0] for image in images],
    ]
    pixels = np.concatenate([np.empty(0, np.uint8), *(image.ravel() for image in images)])
    return Images(pixels, *(np.array(column, np.int32) for column in columns))


def _solid_table(solid):
    table = np.zeros(256, np.uint8)
    for colour in own_list("solid", solid, "colours, 0..255"):
        table[check_integer("solid colour", colour, 0, 255)] = 1
    return table


def _run(is_drawn, x, y, shape, images, frame, solid, out):
    x, y = own_positions(x=x, y=y)
    if not is_array(frame) or frame.dtype != np.uint8 or frame.ndim != 2:
        raise ValueError(f"frame is {form_of(frame)}: allowed uint8[h, w]")
    check_layout("frame", frame, is_written=is_drawn)
    images = own_sprites(images, Images, COLOUR, "images")
    placed = Placed(own_numbers("shape", shape, len(x), len(images.first) - 1), x, y)
    out = flag_array(out, len(x))
    if is_drawn:
        check_apart("out", out, "frame", frame)
        images = images._replace(pixels=apart_from(frame, images.pixels))
    images, ground = images._replace(pixels=apart_from(out, images.pixels)), apart_from(out, frame)
    (look_and_paint if is_drawn else look)(ground, images, placed, _solid_table(solid), out)
    return out


def hits(
    x: np.ndarray,
    y: np.ndarray,
    shape: np.ndarray,
    images: Images,
    frame: np.ndarray,
    *,
    solid: Sequence[int],
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Look under all objects, without drawing.

    Returns  uint8[n]  1 where the frame shows a solid colour under an opaque pixel
    """
    return _run(False, x, y, shape, images, frame, solid, out)


def draw(
    x: np.ndarray,
    y: np.ndarray,
    shape: np.ndarray,
    images: Images,
    frame: np.ndarray,
    *,
    solid: Sequence[int],
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Look under each object and draw it, in order: of two that overlap, the one drawn later sees it.

    Returns  uint8[n]  1 where an object had a solid colour under it when its turn came
    """
    return _run(True, x, y, shape, images, frame, solid, out)
