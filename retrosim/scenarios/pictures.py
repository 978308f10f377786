"""The drawings of a ROM as arrays, for kernels that draw."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from retrosim.errors import RomError
from retrosim.rom import Rom
from retrosim.rom.drawings import read_colours, read_pictures
from retrosim.screen.palette import macintosh_palette


class Pictures(NamedTuple):
    """All pictures of a ROM, one after the other, by number.

    pixels   uint8[total]       palette indices, row by row; 0 is transparent
    first    int64[pictures]    where each picture's pixels begin
    sizes    int64[2, pictures] widths and heights
    """

    pixels: np.ndarray
    first: np.ndarray
    sizes: np.ndarray


@dataclass(frozen=True)
class Gallery:
    """What a ROM's drawing files hold.

    pictures  as kernels read them
    images    the same as uint8[height, width] each
    numbers   name of a drawing -> number of its first picture
    colours   letter -> palette index
    """

    pictures: Pictures
    images: list[np.ndarray]
    numbers: dict[str, int]
    colours: dict[str, int]

    def inks(self, letters: str) -> np.ndarray:
        """Return uint8[n]: the palette indices of some letters."""
        return np.array([self.colours[letter] for letter in letters], np.uint8)

    def numbered(self, *names: str) -> np.ndarray:
        """Return int64[n]: the numbers of the first pictures of some drawings."""
        return np.array([self.numbers[name] for name in names])


def read_gallery(rom: Rom) -> Gallery:
    """Read the drawings of a ROM. Errors: RomError."""
    if rom.drawings is None:
        raise RomError(rom.path, "has no drawings")
    colours = read_colours(rom.drawings, macintosh_palette().tolist())
    drawings = read_pictures(rom.drawings, colours)
    images = [np.array([list(row) for row in picture], np.uint8) for each in drawings.values() for picture in each]
    return Gallery(
        Pictures(
            np.concatenate([image.ravel() for image in images]),
            np.cumsum([0, *(image.size for image in images)])[:-1],
            np.array([image.shape[::-1] for image in images]).T.copy(),
        ),
        images,
        dict(zip(drawings, accumulate(map(len, drawings.values()), initial=0))),
        colours,
    )
