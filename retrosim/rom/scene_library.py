"""Where scenes are found: those that come with the ROMs, by name, and any file the user names."""

from __future__ import annotations

from pathlib import Path

from retrosim.checks import did_you_mean
from retrosim.errors import SceneError
from retrosim.reading import read_file

from .fields import NAME
from .library import SHOWS, load_rom, rom_names, shipped_files, what_ships
from .manifest import Rom
from .scene import MAX_BYTES, Scene, parse_scene, rom_of

SUFFIX = ".scene"


def shipped_scenes() -> list[Path]:
    """Return the scenes that come with the ROMs, without those of ROMs that cannot be read."""
    return shipped_files(Rom.scenes)


def find_scene(name_or_path: str | Path) -> Path:
    """Return the path of a scene: that of the shipped one with this name, or else the argument itself.

    Errors   SceneError
    """
    if isinstance(name_or_path, str) and NAME.fullmatch(name_or_path.replace("-", "_")):
        of_that_name = shipped_files(Rom.scenes, f"scenes/{name_or_path}{SUFFIX}")
        shipped = {path.stem: path for path in of_that_name}
        if name_or_path in shipped:
            return shipped[name_or_path]
        if not Path(name_or_path).exists():
            if kind := what_ships(name_or_path):
                raise SceneError(name_or_path, f"is a {kind}, not a scene: `{SHOWS[kind]} {name_or_path}`")
            near = did_you_mean(name_or_path, [path.stem for path in shipped_scenes()])
            raise SceneError(name_or_path, f"no such file, and no scene of `retrosim scenes`{near}")
    return Path(name_or_path)


def load_scene(name_or_path: str | Path, rom: Rom | None = None) -> Scene:
    """Read a scene.

    name_or_path  the name of one that comes with retrosim, or the path of a file
    rom           instead of the ROM that the scene names; it must have that name
    Errors        SceneError; RomError for the ROM that the scene names
    """
    path = find_scene(name_or_path)
    try:
        text = read_file(path, MAX_BYTES, SceneError).decode("utf-8")
    except UnicodeDecodeError:
        raise SceneError(path, "is not UTF-8 text") from None
    if rom is None:
        name = rom_of(text, str(path))
        if name not in rom_names():
            near = did_you_mean(name, rom_names())
            raise SceneError(path, f"rom {name}: no such ROM; there are: {', '.join(rom_names())}{near}")
        rom = load_rom(name)
    return parse_scene(text, rom, str(path))
