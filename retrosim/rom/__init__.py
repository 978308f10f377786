"""ROMs: manifests, images with symbols and source lines, and where they are found."""

from .image import FAMILIES, ISAS, Image, load_raw
from .library import load_elf, load_program, load_rom, load_toolchains, rom_folders, rom_names
from .manifest import ImageInfo, Parameter, Rom, WorldColumn
from .symbols import Symbol

__all__ = [
    "FAMILIES",
    "ISAS",
    "Image",
    "ImageInfo",
    "Parameter",
    "Rom",
    "Symbol",
    "WorldColumn",
    "load_elf",
    "load_program",
    "load_raw",
    "load_rom",
    "load_toolchains",
    "rom_folders",
    "rom_names",
]
