"""The 256 colours of the Macintosh. A palette is uint8[256, 3]: red, green, blue of each index."""

from __future__ import annotations

import numpy as np

COLOURS = 256
WHITE, BLACK, RED = 0, 255, 35
"""Indices of three colours of the Macintosh palette."""


def macintosh_palette() -> np.ndarray:
    """Return the default colour table of an 8-bit Macintosh screen.

    Indices 0..214 are a 6x6x6 cube (red slowest, blue fastest, levels FF CC 99 66 33 00), then red, green, blue and
    grey ramps of the ten levels the cube lacks, then black.

    Returns  uint8[256, 3]  red, green, blue
    Source   Inside Macintosh, Imaging: default 'clut' 8; facts/machines_1994.md section 5
    """
    levels = np.array([0xFF, 0xCC, 0x99, 0x66, 0x33, 0x00], np.uint8)
    ramp = np.array([0xEE, 0xDD, 0xBB, 0xAA, 0x88, 0x77, 0x55, 0x44, 0x22, 0x11], np.uint8)
    palette = np.zeros((COLOURS, 3), np.uint8)
    cube = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=-1).reshape(-1, 3)
    palette[:215] = cube[:215]  # the 216th colour is black and has index 255 instead
    for start, channels in ((215, [0]), (225, [1]), (235, [2]), (245, [0, 1, 2])):
        palette[start : start + 10, channels] = ramp[:, None]
    return palette
