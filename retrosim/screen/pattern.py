"""QuickDraw's 8x8 patterns: eight bytes, one per row, leftmost pixel in the top bit, 1 = foreground.

Patterns are anchored to the screen: the pixel (x, y) takes bit (x mod 8) of row (y mod 8), whatever is being filled, so
two adjoining fills join without a seam.
Source: facts/machines_1994.md section 7 (Inside Macintosh, QuickDraw).
"""

from __future__ import annotations

import numpy as np

WHITE = bytes.fromhex("0000000000000000")
LT_GRAY = bytes.fromhex("8822882288228822")
GRAY = bytes.fromhex("AA55AA55AA55AA55")
DK_GRAY = bytes.fromhex("77DD77DD77DD77DD")
BLACK = bytes.fromhex("FFFFFFFFFFFFFFFF")


def pattern_bits(pattern: bytes) -> np.ndarray:
    """Return a pattern as bool[8, 8], indexed by row and column.

    Errors   ValueError  not eight bytes
    """
    if len(pattern) != 8:
        raise ValueError(f"pattern has {len(pattern)} bytes, must have 8")
    return np.unpackbits(np.frombuffer(pattern, np.uint8)).reshape(8, 8).astype(bool)


def pattern_mask(pattern: bytes, left: int, top: int, right: int, bottom: int) -> np.ndarray:
    """Return which pixels of a rectangle the pattern paints in the foreground colour.

    pattern  8 bytes
    left..   int         half-open rectangle on the screen, pixels
    Returns  bool[bottom - top, right - left]
    """
    return pattern_bits(pattern)[np.ix_(np.arange(top, bottom) & 7, np.arange(left, right) & 7)]
