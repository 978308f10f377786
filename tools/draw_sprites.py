#!/usr/bin/env python3
"""Turn the drawings of a ROM, text files with one letter per pixel, into the C data that tools/build_roms.py compiles.

    tools/draw_sprites.py ROM                     print the C source
    tools/draw_sprites.py ROM --header            print its header
    tools/draw_sprites.py ROM --picture FILE.png  show all pictures, four times enlarged, on black

A mask has a word per row, the leftmost pixel in bit 31, 1 where it is opaque (Mackey 1995).

Exit status: 0 done, 1 the picture cannot be written, 2 usage, 4 a bad drawing.
"""

from __future__ import annotations

import argparse
import sys
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402  (the checkout needs no installation)

from retrosim.errors import RetrosimError, RomError  # noqa: E402
from retrosim.rom import Rom, load_rom  # noqa: E402
from retrosim.rom.drawings import Picture, read_colours, read_pictures  # noqa: E402
from retrosim.screen.framebuffer import BLACK, macintosh_palette  # noqa: E402
from retrosim.screen.png import write_png  # noqa: E402

MAX_WIDTH = 32  # pixels: a row of a mask is one word
SCALE, GAP = 4, 4
HEADER, SOURCE = "drawings.h", "drawings.c"


def sprites(rom: Rom) -> tuple[dict[str, int], dict[str, list[Picture]]]:
    """Return the colours and pictures of a ROM. Errors: RomError."""
    if rom.drawings is None:
        raise RomError(rom.path / "rom.toml", "has no drawings")
    colours = read_colours(rom.drawings, macintosh_palette())
    pictures = read_pictures(rom.drawings, colours)
    for name, each in pictures.items():
        if len(each[0][0]) > MAX_WIDTH:
            raise RomError(rom.path, f"drawing {name} is {len(each[0][0])} pixels wide: allowed 1..{MAX_WIDTH}")
    return colours, pictures


def constant(name: str) -> str:
    """Return the C constant for a drawing: the number of its first picture."""
    return "k" + "".join(part.capitalize() for part in name.split("_"))


def header(rom: Rom) -> str:
    """Return drawings.h: the numbers of the pictures and of the colours."""
    colours, pictures = sprites(rom)
    numbers, first = [], 0
    for name, each in pictures.items():
        numbers.append(f"    {constant(name)} = {first}, /* {len(each)} */")
        first += len(each)
    return "\n".join(
        [
            "/* Made by tools/draw_sprites.py from the drawings in art. */",
            "",
            "#ifndef DRAWINGS_H",
            "#define DRAWINGS_H",
            "",
            "enum {",
            *numbers,
            f"    kPictures = {first}",
            "};",
            "",
            "enum {",
            *(f"    kColour_{letter} = {index}," for letter, index in colours.items()),
            "};",
            "",
            "struct picture {",
            "    short wide, high;          /* pixels */",
            "    const unsigned char *runs; /* opaque: how many to skip, how many, their colours; 0, 0 ends a row */",
            "    const unsigned long *mask; /* a word per row, bit 31 is the leftmost pixel */",
            "};",
            "",
            "extern const struct picture gPictures[kPictures];",
            "",
            "#endif",
            "",
        ]
    )


def mask_row(row: bytes) -> int:
    """Return a row of a mask."""
    return sum(1 << (31 - column) for column, colour in enumerate(row) if colour)


def runs(row: bytes) -> list[int]:
    """Return the runs of opaque pixels of a row: how many to skip, how many, their colours; 0, 0 is the end."""
    found, column = [], 0
    for is_opaque, pixels in ((key, bytes(each)) for key, each in groupby(row, bool)):
        if is_opaque:
            found += [column, len(pixels), *pixels]
        column = 0 if is_opaque else len(pixels)
    return [*found, 0, 0]


def source(rom: Rom) -> str:
    """Return drawings.c: runs and masks."""
    lines = ["/* Made by tools/draw_sprites.py from the drawings in art. */", "", f'#include "{HEADER}"', ""]
    rows = []
    for name, pictures in sprites(rom)[1].items():
        for number, picture in enumerate(pictures):
            own = f"{name}_{number}"
            lines.append(f"static const unsigned char runs_{own}[] = {{")
            lines += [f"    {', '.join(map(str, runs(row)))}," for row in picture]
            lines += ["};", f"static const unsigned long mask_{own}[] = {{"]
            lines += [f"    0x{mask_row(row):08x}," for row in picture]
            lines += ["};", ""]
            rows.append(f"    {{{len(picture[0])}, {len(picture)}, runs_{own}, mask_{own}}},")
    return "\n".join([*lines, "const struct picture gPictures[kPictures] = {", *rows, "};", ""])


def sheet(rom: Rom) -> np.ndarray:
    """Return all pictures side by side, a line for each drawing: palette indices uint8[h, w]."""
    bands = []
    for pictures in sprites(rom)[1].values():
        images = [np.array([list(row) for row in picture], np.uint8) for picture in pictures]
        bands.append(np.hstack([np.pad(image, GAP // 2) for image in images]))
    width = max(band.shape[1] for band in bands)
    whole = np.vstack([np.pad(band, ((0, 0), (0, width - band.shape[1]))) for band in bands])
    return np.where(whole == 0, BLACK, whole).repeat(SCALE, 0).repeat(SCALE, 1)


def main(arguments: list[str] | None = None) -> int:
    """Run the tool; return its exit status."""
    parser = argparse.ArgumentParser(description="Turn the drawings of a ROM into C data.")
    parser.add_argument("rom", metavar="ROM", help="name or folder")
    wanted = parser.add_mutually_exclusive_group()
    wanted.add_argument("--header", action="store_true", help="print the header")
    wanted.add_argument("--picture", type=Path, metavar="FILE", help="write a PNG of all pictures")
    options = parser.parse_args(arguments)
    try:
        rom = load_rom(options.rom, require_built=False)
        if options.picture:
            write_png(options.picture, sheet(rom), macintosh_palette())
        else:
            print(header(rom) if options.header else source(rom), end="")
    except RetrosimError as error:
        print(f"draw_sprites: {error}", file=sys.stderr)
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main())
