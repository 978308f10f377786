"""Collision by the colours on the screen; see `retrosim.collide.documents.bitmap`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retrosim.jit import kernel


class Images(NamedTuple):
    """Sprites in colour, one palette index per pixel, 0 transparent.

    pixels         uint8[t]  all rows of all sprites, one after the other
    first          int32[k]  where each sprite begins
    width, height  int32[k]  pixels
    """

    pixels: np.ndarray
    first: np.ndarray
    width: np.ndarray
    height: np.ndarray


@kernel
def image_of(first, width, height, i):
    """Return image `i` as the tuple that tests take: the columns of `Images` after the first."""
    return first[i], width[i], height[i]


@kernel
def is_solid_under(frame, pixels, image, x, y, solid):
    """Tell whether the frame shows a solid colour under any opaque pixel of an image.

    frame   uint8[h, w]  palette indices
    pixels  uint8[t]     of `Images`
    image   tuple        see `image_of`
    x, y    int          its upper-left corner, anywhere
    solid   uint8[256]   1 for a colour that counts
    """
    first, width, height = image
    for row in range(max(0, -y), min(height, frame.shape[0] - y)):
        for column in range(max(0, -x), min(width, frame.shape[1] - x)):
            if pixels[first + row * width + column] != 0 and solid[frame[y + row, x + column]] != 0:
                return True
    return False


@kernel
def paint(frame, pixels, image, x, y):
    """Draw the opaque pixels of an image; arguments as for `is_solid_under`."""
    first, width, height = image
    for row in range(max(0, -y), min(height, frame.shape[0] - y)):
        for column in range(max(0, -x), min(width, frame.shape[1] - x)):
            colour = pixels[first + row * width + column]
            if colour != 0:
                frame[y + row, x + column] = colour


@kernel
def look(frame, images, placed, solid, out):
    """Write for each object whether anything solid is under it.

    placed  sprites.Placed  the objects; `shape` is which image each looks like
    out     uint8[n]        output, 1 or 0
    """
    pixels, first, width, height = images
    shape, x, y = placed
    for i in range(len(x)):
        image = image_of(first, width, height, shape[i])
        out[i] = is_solid_under(frame, pixels, image, int(x[i]), int(y[i]), solid)


@kernel
def look_and_paint(frame, images, placed, solid, out):
    """Write the same for each object, and draw it before the next one looks."""
    pixels, first, width, height = images
    shape, x, y = placed
    for i in range(len(x)):
        image = image_of(first, width, height, shape[i])
        out[i] = is_solid_under(frame, pixels, image, int(x[i]), int(y[i]), solid)
        paint(frame, pixels, image, int(x[i]), int(y[i]))
