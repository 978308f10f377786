"""ROMs: manifests, images with symbols and source lines, and where they are found.

columns     where a program keeps its values, and which of them a scene may place
drawings    the sprites of a ROM, drawn as text
elf_write   writes a 32-bit ELF executable, and what a debugger unwinds frames by
fields      checked access to the tables of a TOML file
image       a program as a machine loads it: what goes where in memory, symbols, source lines; reads ELF files
library     where ROMs are found
lines       source lines of an image
manifest    a ROM
reading     reads variables of a program by their symbols, as the memory of its machine holds them
scene       scenes (`.scene`), and where they are found
symbols     the symbol table of an image
toolchains  the tool chains that all ROMs share, roms/common/toolchains.toml, and how an image is built by them
formats     formats of program files
"""

from .columns import WorldColumn
from .image import FAMILIES, ISAS, Image, load_raw
from .library import load_elf, load_program, load_rom, load_toolchains, rom_folders, rom_names
from .manifest import ImageInfo, Parameter, Rom
from .scene import Scene, load_scene, parse_scene, shipped_scenes
from .symbols import Symbol

__all__ = [
    "FAMILIES", "ISAS", "Image", "ImageInfo", "Parameter", "Rom", "Scene", "Symbol", "WorldColumn", "load_elf",
    "load_program", "load_raw", "load_rom", "load_scene", "load_toolchains", "parse_scene", "rom_folders",
    "rom_names", "shipped_scenes",
]  # fmt: skip
