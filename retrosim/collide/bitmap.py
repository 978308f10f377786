"""Collision by the colours on the screen (document 004, "Bit Map"): look under an object before it is drawn.

    >>> import numpy as np
    >>> from retrosim.collide import bitmap
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
    x, y     int16[n] or int32[n], C-contiguous; upper-left corners, pixels, -16384..16383; what is beyond the frame's
             edges is neither looked at nor drawn
    shape    int32[n], which of the images each object looks like
    images   what `pack` returned
    frame    uint8[h, w], C-contiguous: palette indices, as a machine's screen is
    solid    the colours that stop an object, 0..255
    out      where to write, instead of making an array: uint8[n]
    Errors   ValueError  wrong dtype, shape or length; a value out of range, named with the range
    Source   Jon E P, "Simple Collision Detection", 2007, which names the method and does not describe it
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from retrosim.collide import arguments
from retrosim.collide.results import flag_array
from retrosim.jit import kernel


class Images(NamedTuple):
    """Sprites in colour, one palette index per pixel, 0 transparent.

    pixels  uint8[t]  all rows of all sprites, one after the other
    first   int32[k]  where each sprite begins
    wide    int32[k]  pixels
    high    int32[k]  pixels
    """

    pixels: np.ndarray
    first: np.ndarray
    wide: np.ndarray
    high: np.ndarray


def pack(sprites: Sequence[bytes | np.ndarray]) -> Images:
    """Put sprites into one table; each an XLib linear bitmap or uint8[h, w], as for `masks.pack`."""
    images = [arguments.read_pixels(sprite) for sprite in sprites]
    columns = [
        np.cumsum([0, *(image.size for image in images)])[:-1],
        [image.shape[1] for image in images],
        [image.shape[0] for image in images],
    ]
    pixels = np.concatenate([np.empty(0, np.uint8), *(image.ravel() for image in images)])
    return Images(pixels, *(np.array(column, np.int32) for column in columns))


@kernel
def is_solid_under(frame, pixels, first, wide, high, x, y, solid):
    """Tell whether the frame shows a solid colour under any opaque pixel of an image.

    frame        uint8[h, w]  palette indices
    pixels       uint8[t]     all images
    first        int          where this one begins; wide, high: its sides
    x, y         int          its upper-left corner, anywhere
    solid        uint8[256]   1 for a colour that counts
    """
    for row in range(max(0, -y), min(high, frame.shape[0] - y)):
        for column in range(max(0, -x), min(wide, frame.shape[1] - x)):
            if pixels[first + row * wide + column] != 0 and solid[frame[y + row, x + column]] != 0:
                return True
    return False


@kernel
def paint(frame, pixels, first, wide, high, x, y):
    """Draw the opaque pixels of an image; arguments as for `is_solid_under`."""
    for row in range(max(0, -y), min(high, frame.shape[0] - y)):
        for column in range(max(0, -x), min(wide, frame.shape[1] - x)):
            colour = pixels[first + row * wide + column]
            if colour != 0:
                frame[y + row, x + column] = colour


@kernel
def look(frame, pixels, first, wide, high, shape, x, y, solid, out):
    """Write for each object whether anything solid is under it.

    shape  int32[n]              which image each object looks like
    x, y   int16[n] or int32[n]  upper-left corners, pixels
    out    uint8[n]              output, 1 or 0
    """
    for i in range(len(x)):
        s = shape[i]
        out[i] = is_solid_under(frame, pixels, first[s], wide[s], high[s], int(x[i]), int(y[i]), solid)


@kernel
def look_and_paint(frame, pixels, first, wide, high, shape, x, y, solid, out):
    """Write the same for each object, and draw it before the next one looks."""
    for i in range(len(x)):
        s = shape[i]
        out[i] = is_solid_under(frame, pixels, first[s], wide[s], high[s], int(x[i]), int(y[i]), solid)
        paint(frame, pixels, first[s], wide[s], high[s], int(x[i]), int(y[i]))


def _solid_table(solid):
    table = np.zeros(256, np.uint8)
    for colour in solid:
        table[arguments.check_side("solid colour", colour, 255, 0)] = 1
    return table


def _run(routine, x, y, shape, images, frame, solid, out):
    count = arguments.check_places(x=x, y=y)
    if not isinstance(frame, np.ndarray) or frame.dtype != np.uint8 or frame.ndim != 2:
        shown = f"{frame.dtype}{list(frame.shape)}" if isinstance(frame, np.ndarray) else type(frame).__name__
        raise ValueError(f"frame is {shown}: allowed uint8[h, w]")
    if not frame.flags.c_contiguous or (routine is look_and_paint and not frame.flags.writeable):
        raise ValueError(
            f"frame has strides {frame.strides}, writeable {frame.flags.writeable}: "
            "allowed C-contiguous arrays, writable ones to draw"
        )
    if not isinstance(images, Images):
        raise ValueError(f"images is a {type(images).__name__}: allowed what `pack` returns")
    arguments.check_shape(shape, count, len(images.first))
    out = flag_array(out, count)
    routine(frame, *images, shape, x, y, _solid_table(solid), out)
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
    return _run(look, x, y, shape, images, frame, solid, out)


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
    """Look under each object and draw it, in order: of two that overlap, the one drawn later notices.

    Returns  uint8[n]  1 where an object had a solid colour under it when its turn came
    """
    return _run(look_and_paint, x, y, shape, images, frame, solid, out)
