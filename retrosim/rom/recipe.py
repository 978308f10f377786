"""What a ROM's own images are built from: the table [build] of rom.toml. What all ROMs share is in `toolchains`."""

from __future__ import annotations

from dataclasses import dataclass

from .fields import FLAG, SOURCE_PATH, Fields


@dataclass(frozen=True)
class Recipe:
    """What the images of a ROM have in common; files relative to its folder, "../NAME/..." in that of another ROM.

    sources  of all images, in link order: behind the start-up code, before those of the image; C (.c), assembler (.S),
             in real mode Pascal (.pas) instead of C
    tables   C sources that tools/rom_tables.py makes, with a header each; linked in front of the sources
    script   for the linker; "" for the shared one
    flags    of the compiler, behind those of the tool chain
    without  shared flags that this ROM is built without
    trim     leave out functions and variables that nothing refers to
    """

    sources: tuple[str, ...]
    tables: tuple[str, ...] = ()
    script: str = ""
    flags: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    trim: bool = False


def read_recipe(fields: Fields) -> Recipe:
    """Check the table [build]. Errors: RomError."""
    recipe = Recipe(
        sources=tuple(fields.texts("sources", SOURCE_PATH, [])),
        tables=tuple(fields.texts("tables", SOURCE_PATH, [])),
        script=fields.text("script", SOURCE_PATH, default=""),
        flags=tuple(fields.texts("flags", FLAG, [])),
        without=tuple(fields.texts("without", FLAG, [])),
        trim=fields.flag("trim"),
    )
    fields.end()
    return recipe
