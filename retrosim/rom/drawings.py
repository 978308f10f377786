"""The sprites of a ROM, drawn as text: one letter per pixel, blank lines between the pictures of a file.

    colours file    "LETTER RRGGBB" per line: the letters of all drawings
    drawing file    pictures of one size; "." is transparent, "#" begins a comment line

tools/draw_sprites.py turns them into C data; the native machine draws the same pictures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from retrosim.errors import RomError
from retrosim.reading import read_file

from .fields import MAX_FILE_BYTES, SOURCE_PATH, Fields

TRANSPARENT, CLEAR = 0, "."  # colour and letter
MAX_PICTURES = 256  # of one file
MAX_SIDE = 255  # pixels, of either side

Picture = tuple[bytes, ...]
"""Rows of palette indices, all of one length; 0 is transparent."""


@dataclass(frozen=True)
class DrawingFiles:
    """The table [drawings] of rom.toml.

    folder   of the ROM; the files are relative to it, "../NAME/..." in that of another ROM
    colours  file with the letters
    files    in the order of the pictures' numbers
    """

    folder: Path
    colours: str
    files: tuple[str, ...]


def read_files(fields: Fields, folder: Path) -> DrawingFiles:
    """Check the table [drawings]. Errors: RomError."""
    found = DrawingFiles(folder, fields.text("colours", SOURCE_PATH), tuple(fields.texts("files", SOURCE_PATH)))
    if len({Path(file).stem for file in found.files}) < len(found.files):
        raise fields.error("two files share a name", "files")
    fields.end()
    return found


def read_colours(drawn: DrawingFiles, palette: Sequence[Sequence[int]]) -> dict[str, int]:
    """Return the palette index of each letter.

    palette  rows of red, green, blue; the first that equals a colour is taken, but never index 0
    Errors   RomError
    """
    path = drawn.folder / drawn.colours
    indices = {}
    for index, colour in reversed(list(enumerate(palette))[1:]):
        indices[bytes(int(part) for part in colour).hex().upper()] = index
    letters: dict[str, int] = {}
    for number, line in _lines(path):
        parts = line.split()
        if not parts or line.startswith("#"):
            continue
        if len(parts) != 2 or len(parts[0]) != 1 or not parts[0].isalpha() or parts[0] in letters:
            raise RomError(path, f"line {number}: allowed a letter of its own and a colour RRGGBB")
        if parts[1] not in indices:
            raise RomError(path, f"line {number}: {parts[1][:20]!r} is not a colour of the palette, or is its index 0")
        letters[parts[0]] = indices[parts[1]]
    return letters


def read_pictures(drawn: DrawingFiles, colours: dict[str, int]) -> dict[str, list[Picture]]:
    """Return the pictures of each drawing, by the name of its file without suffix.

    colours  what `read_colours` returned
    Errors   RomError
    """
    return {Path(file).stem: _pictures(drawn.folder / file, colours) for file in drawn.files}


def read_sizes(drawn: DrawingFiles) -> dict[str, tuple[int, int, int]]:
    """Return of each drawing, by name, the number of its first picture, its width and its height. Errors: RomError."""
    letters = {chr(code): 1 for code in range(128) if chr(code).isalpha()}
    sizes, number = {}, 0
    for name, pictures in read_pictures(drawn, letters).items():
        sizes[name] = number, len(pictures[0][0]), len(pictures[0])
        number += len(pictures)
    return sizes


def _pictures(path: Path, colours: dict[str, int]) -> list[Picture]:
    indices = {CLEAR: TRANSPARENT, **colours}
    pictures: list[list[bytes]] = []
    continues = False
    for number, line in _lines(path):
        if not line or line.startswith("#"):
            continues = False
            continue
        unknown = [letter for letter in line if letter not in indices]
        if unknown:
            raise RomError(path, f"line {number}: {unknown[0]!r} is not among the colours")
        if not continues:
            pictures.append([])
        continues = True
        pictures[-1].append(bytes(indices[letter] for letter in line))
        if len(line) != len(pictures[0][0]):
            raise RomError(path, f"line {number}: {len(line)} pixels, the first row has {len(pictures[0][0])}")
    if not pictures:
        raise RomError(path, "holds no picture")
    sides = (len(pictures[0][0]), *(len(picture) for picture in pictures))
    if len(pictures) > MAX_PICTURES or max(sides) > MAX_SIDE or len(set(sides[1:])) > 1:
        raise RomError(path, f"allowed 1..{MAX_PICTURES} pictures of one size, 1..{MAX_SIDE} pixels on each side")
    return [tuple(picture) for picture in pictures]


def _lines(path: Path) -> list[tuple[int, str]]:
    try:
        text = read_file(path, MAX_FILE_BYTES, RomError).decode("ascii")
    except UnicodeDecodeError:
        raise RomError(path, "is not ASCII text") from None
    return [(number, line.rstrip()) for number, line in enumerate(text.splitlines(), start=1)]
