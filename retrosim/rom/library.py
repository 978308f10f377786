"""Where ROMs are found: those that come with retrosim, and any folder the user names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from retrosim.checks import did_you_mean
from retrosim.errors import RomError
from retrosim.reading import read_file

from .fields import FILE_NAME, NAME
from .formats import File, load_file
from .image import ELF_MAGIC, ISAS, MAX_IMAGE_BYTES, Image, check_boot, load_raw
from .manifest import MANIFEST, Rom, read_manifest
from .toolchains import COMMON, TOOLCHAINS, Toolchains, read_toolchains

PACKAGE = Path(__file__).parent.parent
ELF_STARTS = (ELF_MAGIC, b"!<arch>\n")
SHOWS = {"ROM": "retrosim run", "tape": "retrosim replay", "scene": "retrosim run --scene"}
"""What comes with retrosim -> the command that shows it."""
KIT = "kit"  # folder of what compilers call by themselves


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


def kit_folder() -> Path | None:
    """Return the folder with what compilers call by themselves, as an archive for each family."""
    folders = [folder / COMMON / KIT for folder in rom_folders()]
    return next((folder for folder in folders if folder.is_dir()), None)


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
        if path.suffix or len(path.parts) > 1 or str(name_or_path).endswith("/"):
            raise RomError(name_or_path, "no such file" if path.suffix else "no such file or folder")
        names = rom_names()
        if kind := what_ships(str(name_or_path)):
            raise RomError(name_or_path, f"is a {kind}, not a program: `{SHOWS[kind]} {name_or_path}`")
        near = did_you_mean(str(name_or_path), names)
        raise RomError(
            name_or_path, f"no such file or folder, and no such ROM; there are: {', '.join(names) or 'none'}{near}"
        )
    if is_folder and not (path / MANIFEST).is_file():
        raise RomError(path, f"no such ROM or project: the folder has neither {MANIFEST} nor retrosim.toml")
    return read_manifest(path / MANIFEST if is_folder else path, require_built)


def what_ships(name: str) -> str:
    """Return what comes with retrosim under a name: "ROM", "tape", "scene" or ""."""
    if not FILE_NAME.fullmatch(name):
        return ""
    if name in rom_names():
        return "ROM"
    kinds = {"tape": f"*/tapes/{name}.rtape", "scene": f"*/scenes/{name}.scene"}
    return next((kind for kind, glob in kinds.items() if any(any(each.glob(glob)) for each in rom_folders())), "")


def shipped_files(files_of: Callable[[Rom], Sequence[Path]], among: str = "") -> list[Path]:
    """Return some files of ROMs that come with retrosim, such as `Rom.tapes`; none of ROMs that cannot be read.

    among  a path relative to a ROM's folder: only ROMs that have this file are read; "" for all
    """
    paths: list[Path] = []
    for name in rom_names():
        if not any((folder / name / among).exists() for folder in rom_folders()):
            continue
        try:
            paths += files_of(load_rom(name))
        except RomError:
            continue
    return paths


def load_program(
    name_or_path: str | Path,
    isa: str | None = None,
    boot: str = "",
    *,
    at: int | None = None,
    note: Callable[[str], None] = lambda text: None,
    flags: tuple[str, ...] = (),
) -> Rom | Image:
    """Load what a machine can run: a ROM, or a program in a file of the user's own.

    name_or_path  as for `load_rom`, or the path of a program in one of the formats of `formats.registry`
    isa           what a program is to run on, if its processor is of that family; None: what the file itself says
    boot          what the CPU starts a program in, "" for the usual one
    at            address that a flat binary goes to; None: the file says itself
    note          gets a line of text about what is done
    flags         for the compiler of a C source
    Errors        RomError; ValueError for a boot that the file's processor does not have, an address outside RAM, and
                  an unknown isa
    """
    if isa is not None and isa not in ISAS:
        raise ValueError(f"isa {isa!r}: allowed {', '.join(ISAS)}")
    path = Path(name_or_path)
    if at is not None:
        if isa is None:
            raise RomError(path, "a flat binary does not say which processor it is for; name the machine")
        return load_raw(path, isa, at, boot)
    if not _is_program(path, name_or_path):
        return load_rom(name_or_path)
    content = read_file(path, MAX_IMAGE_BYTES, RomError)
    return in_boot(load_file(File(path, content, isa, kit_folder(), note, flags)), boot)


def load_elf(path: str | Path, isa: str | None = None, boot: str = "") -> Image:
    """Load an ELF file that belongs to no ROM: an executable, an object or an archive of objects.

    isa      of a family the file is for; None: what the file itself says
    boot     what the CPU starts in, "" for the usual one
    Errors   RomError; ValueError for an unknown isa, and for a boot that the file's processor does not have
    """
    if isa is not None and isa not in ISAS:
        raise ValueError(f"isa {isa!r}: allowed {', '.join(ISAS)}")
    path = Path(path)
    content = read_file(path, MAX_IMAGE_BYTES, RomError)
    if not content.startswith(ELF_STARTS):
        raise RomError(path, "is not an ELF file")
    image = load_file(File(path, content, isa, kit_folder()))
    if isa not in (None, image.isa):
        raise RomError(path, f"is for {image.isa}, not for {isa}")
    return in_boot(image, boot)


def in_boot(image: Image, boot: str) -> Image:
    """Return an image that is started as the user says. Errors: ValueError where it cannot be."""
    check_boot(boot, image.isa)
    if image.isa in image.family.only and not (boot or image.boot):
        bits = "16-bit code alone"
        raise ValueError(f"the {image.isa} runs {bits}, and the program does not say that it is: --bits 16 says so")
    if image.boot and boot and boot != image.boot:
        raise ValueError(f"boot {boot!r}: allowed {image.boot} for this program")
    return replace(image, boot=boot) if boot else image


def _is_program(path: Path, name: str | Path) -> bool:
    """Tell whether a file is meant that is no manifest: any with a suffix; one without, unless a ROM has its name."""
    try:
        is_file = path.is_file()
    except (OSError, ValueError):  # too long, or with a zero byte
        return False
    return is_file and path.suffix != ".toml" and (isinstance(name, Path) or name not in rom_names())
