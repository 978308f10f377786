"""ROMs: manifests, images with symbols and source lines, and where they are found."""

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
