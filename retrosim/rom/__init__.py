"""ROMs: manifests, images with symbols and source lines, and where they are found.

columns        columns
drawings       the sprites of a ROM, drawn as text
elf_write      writes a 32-bit ELF executable
fields         checked access to the tables of a TOML file
frames         writes what a debugger unwinds frames by, the DWARF section .debug_frame, and adds it to an ELF
               file
image          an ELF file as a machine loads it
library        where ROMs are found
lines          source lines of an image
manifest       a ROM
placing        what of a program goes where in memory, whatever format its file has
reading        reads variables of a program by their symbols, as the memory of its machine holds them
scene          scenes (`.scene`)
scene_fields   what a scene may place in a ROM
scene_library  where scenes are found
symbols        the symbol table of an image
toolchains     the tool chains that all ROMs share, roms/common/toolchains.toml, and how an image is built by them
formats        formats of program files
"""

from .columns import WorldColumn
from .image import FAMILIES, ISAS, Image, load_raw
from .library import load_elf, load_program, load_rom, load_toolchains, rom_folders, rom_names
from .manifest import ImageInfo, Parameter, Rom
from .scene import Scene, parse_scene
from .scene_library import load_scene, shipped_scenes
from .symbols import Symbol

__all__ = [
    "FAMILIES",
    "ISAS",
    "Image",
    "ImageInfo",
    "Parameter",
    "Rom",
    "Scene",
    "Symbol",
    "WorldColumn",
    "load_elf",
    "load_program",
    "load_raw",
    "load_rom",
    "load_scene",
    "load_toolchains",
    "parse_scene",
    "rom_folders",
    "rom_names",
    "shipped_scenes",
]
