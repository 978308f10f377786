"""Where ROMs are found: those that come with retrosim, and any folder the user names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..checks import did_you_mean
from ..errors import RomError
from .fields import NAME
from .image import ELF_MAGIC, Image, load_elf
from .manifest import MANIFEST, Rom, read_manifest
from .toolchains import COMMON, TOOLCHAINS, Toolchains, read_toolchains

PACKAGE = Path(__file__).parent.parent


def rom_folders() -> list[Path]:
    """Return the folders that hold ROM folders: the checkout's `roms`, then the installed package's."""
    checkout = PACKAGE.parent
    folders = [checkout / "roms"] if (checkout / "pyproject.toml").is_file() else []
    return [folder for folder in (*folders, PACKAGE / "_roms") if folder.is_dir()]


def rom_names() -> list[str]:
    """Return the names of all ROMs that come with retrosim, sorted."""
    return sorted({path.parent.name for folder in rom_folders() for path in folder.glob(f"*/{MANIFEST}")})


def load_toolchains() -> Toolchains:
    """Read what the images of all ROMs are built with. Errors: RomError."""
    return read_toolchains(next(iter(rom_folders()), PACKAGE) / COMMON / TOOLCHAINS)


def load_rom(name_or_path: str | Path, require_built: bool = True) -> Rom:
    """Read the manifest of a ROM.

    name_or_path   the name of one that comes with retrosim, or the path of a folder with rom.toml, or of that file
    require_built  refuse a ROM with an image that has not been built yet
    Errors         RomError
    """
    if isinstance(name_or_path, str) and NAME.fullmatch(name_or_path):
        for folder in rom_folders():
            if (folder / name_or_path / MANIFEST).is_file():
                return read_manifest(folder / name_or_path / MANIFEST, require_built)
    path = Path(name_or_path)
    try:
        is_folder, exists = path.is_dir(), path.exists()
    except (OSError, ValueError):  # too long, or with a zero byte
        is_folder = exists = False
    if not exists:
        names = rom_names()
        near = did_you_mean(str(name_or_path), names)
        raise RomError(name_or_path, f"no such ROM; there are: {', '.join(names) or 'none'}{near}")
    return read_manifest(path / MANIFEST if is_folder else path, require_built)


def load_program(name_or_path: str | Path, isa: str | None = None, boot: str = "") -> Rom | Image:
    """Load what a machine can run: a ROM, or the image in an ELF file of the user's own.

    name_or_path  as for `load_rom`, or the path of an ELF file
    isa           what an image is to run on, if its processor is of that family; None: what the file itself says
    boot          what the CPU starts an image in, "" for the usual one
    Errors        RomError; ValueError for a boot that the file's processor does not have
    """
    if not _is_elf(Path(name_or_path)):
        return load_rom(name_or_path)
    image = load_elf(name_or_path, boot=boot)
    return replace(image, isa=isa) if isa in image.family.isas else image


def _is_elf(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(ELF_MAGIC)) == ELF_MAGIC
    except (OSError, ValueError):
        return False
