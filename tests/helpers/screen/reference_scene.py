"""The picture of the `sectors` ROM, drawn from its world: what machines and native kernels must show."""

from __future__ import annotations

import numpy as np

from retrosim.screen.framebuffer import GRAY, blank, frame_rect, paint_rect


def reference_scene(x: np.ndarray, y: np.ndarray, collided: np.ndarray, size: int | np.ndarray = 30) -> np.ndarray:
    """Draw the scene of the `sectors` ROM.

    Objects in index order on white: a collided one as a black one-pixel outline just inside its square, the others
    filled with the 50 % grey pattern.

    x, y      int[n]          upper left corners, pixels
    collided  int[n]          0 or not
    size      int or int[n]   side, pixels
    Returns   uint8[480, 640] palette indices
    Source    Moertel 1994, drawing part of the test program
    """
    pixels = blank()
    sizes = np.broadcast_to(np.asarray(size), np.shape(x))
    for left, top, hit, side in zip(np.asarray(x).tolist(), np.asarray(y).tolist(), collided, sizes.tolist()):
        rect = (left, top, left + side, top + side)
        if hit:
            frame_rect(pixels, rect)
        else:
            paint_rect(pixels, rect, GRAY)
    return pixels
