"""The drawings of a ROM as arrays, for native scenarios."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from retrosim.rom.drawings import read_colours, read_pictures
from retrosim.screen.palette import macintosh_palette


@dataclass(frozen=True)
class Gallery:
    """All pictures of a ROM, one after the other.

    pixels   uint8[total]       palette indices, row by row
    begin    int32[pictures]    where each begins
    sizes    int32[2, pictures] widths and heights
    images   the same as uint8[height, width] each
    numbers  name of a drawing -> number of its first picture
    colours  letter -> palette index
    """

    pixels: np.ndarray
    begin: np.ndarray
    sizes: np.ndarray
    images: list[np.ndarray]
    numbers: dict[str, int]
    colours: dict[str, int]

    def inks(self, letters: str) -> list[int]:
        """Return the palette indices of some letters."""
        return [self.colours[letter] for letter in letters]


def read_gallery(rom: Any) -> Gallery:
    """Read the drawings of a ROM. Errors: RomError."""
    colours = read_colours(rom.drawings, macintosh_palette())
    drawings = read_pictures(rom.drawings, colours)
    images = [np.array([list(row) for row in picture], np.uint8) for each in drawings.values() for picture in each]
    return Gallery(
        np.concatenate([image.ravel() for image in images]),
        np.cumsum([0, *(image.size for image in images)])[:-1].astype(np.int32),
        np.array([image.shape[::-1] for image in images], np.int32).T.copy(),
        images,
        dict(zip(drawings, accumulate(map(len, drawings.values()), initial=0))),
        colours,
    )
