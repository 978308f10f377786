"""The 256 colours of the Macintosh, as RGB rows and as the 32-bit words of the palette device.

A palette is uint8[256, 3], one row of red, green, blue per index. In simulated memory it is 256 words of 0x00RRGGBB
in the byte order of the CPU.
"""

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


def palette_words(palette: np.ndarray) -> np.ndarray:
    """Return the device words of a palette.

    palette  uint8[256, 3]  red, green, blue
    Returns  uint32[256]    0x00RRGGBB, host byte order
    Errors   ValueError     another shape
    """
    rgb = np.asarray(palette)
    if rgb.shape != (COLOURS, 3):
        raise ValueError(f"palette has shape {rgb.shape}, must be (256, 3)")
    rgb = rgb.astype(np.uint32)
    return rgb[:, 0] << 16 | rgb[:, 1] << 8 | rgb[:, 2]


def palette_of(words: np.ndarray) -> np.ndarray:
    """Return the palette that 256 device words describe; the top byte of a word is ignored.

    words    uint32[256]    0x00RRGGBB, any byte order the dtype states
    Returns  uint8[256, 3]  red, green, blue
    Errors   ValueError     another number of words
    """
    words = np.asarray(words)
    if words.shape != (COLOURS,):
        raise ValueError(f"palette words have shape {words.shape}, must be (256,)")
    return np.stack([words >> 16 & 0xFF, words >> 8 & 0xFF, words & 0xFF], axis=1).astype(np.uint8)
