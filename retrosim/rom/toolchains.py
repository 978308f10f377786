"""The tool chains that all ROMs share, roms/common/toolchains.toml, and how an image is built by them.

Loading a ROM never needs this; tools/build_roms.py, `retrosim list` and `retrosim doctor` do.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from retrosim.errors import RomError

from .fields import FILE_NAME, FILE_PATH, FLAG, NAME, Fields, read_toml
from .image import Image, family_of
from .manifest import MANIFEST, ImageInfo, Rom

FORMAT = 1
COMMON, TOOLCHAINS = "common", "toolchains.toml"
PROGRAM, LIBRARY, RUNTIME = "program", "library", "runtime"  # folders
INCLUDED = "../sectors/src"  # whose random numbers other ROMs include
DEFAULT_SCRIPT = "rom.ld"
TRIM = "trim"
FLAG_GROUPS = ("code", TRIM, "lines", "routines")
LINK_GROUPS = ("code", TRIM, LIBRARY)
DEFAULT_LEVEL = "-O2"
LEVELS = ("O0", "O1", "O2", "O3", "Os")  # a build of such a name is compiled at that level


@dataclass(frozen=True)
class Pascal:
    """A compiler of Pascal units into x86 code for real mode, which is built from its source; see tools/pascal.py.

    packages   the Debian packages that compiler and assembler are made of
    version    of the compiler
    assembler  version of the assembler, as its --version says
    flags      of the compiler
    """

    packages: tuple[str, ...]
    version: str
    assembler: str
    flags: tuple[str, ...]


@dataclass(frozen=True)
class ToolchainTarget:
    """What a tool chain needs to know of one ISA.

    flags    of the compiler
    runtime  sources of functions that the compiler calls where this processor has no instruction
    """

    flags: tuple[str, ...]
    runtime: tuple[str, ...]


@dataclass(frozen=True)
class Toolchain:
    """A cross compiler.

    command  the compiler driver
    package  the Debian package it is in
    version  first line of its --version
    flags    for all its images
    script   for the linker, of ROMs that bring none
    start    source with the entry point and, for programs, the services of that processor
    runtime  sources of functions that the compiler calls on every ISA
    isas     what it compiles for
    boot     what its images start in, "" for the usual
    pascal   what compiles its Pascal units, None if it takes none
    """

    command: str
    package: str
    version: str
    flags: tuple[str, ...]
    script: str
    start: str
    runtime: tuple[str, ...]
    isas: dict[str, ToolchainTarget]
    boot: str = ""
    pascal: Pascal | None = None

    @property
    def archiver(self) -> str:
        """The command that makes archives of its objects."""
        return f"{self.command}-ar"

    @property
    def versions(self) -> str:
        """All that its images are made by."""
        return f"{self.pascal.version}, {self.pascal.assembler}, {self.version}" if self.pascal else self.version


@dataclass(frozen=True)
class BuildPlan:
    """How one image is built; files are named as they lie meanwhile, relative to the folder of the ROM.

    toolchain          that builds it
    start, script      start-up code and linker script
    sources            in link order, behind the start-up code
    runtime            sources of the archive that is linked last, if functions are missing
    flags, link_flags  of the compiler driver
    """

    toolchain: Toolchain
    start: str
    script: str
    sources: tuple[str, ...]
    runtime: tuple[str, ...]
    flags: tuple[str, ...]
    link_flags: tuple[str, ...]


@dataclass(frozen=True)
class Toolchains:
    """The whole file.

    path     of the file
    flags    of the compiler by group, in the order of the command line
    link     of the driver when it links, by group
    places   shared file or folder -> where it lies while an image is built, beside the folders of the ROMs
    by_name  the tool chains
    """

    path: Path
    flags: dict[str, tuple[str, ...]]
    link: dict[str, tuple[str, ...]]
    places: dict[str, str]
    by_name: dict[str, Toolchain]

    def plan(self, rom: Rom, info: ImageInfo) -> BuildPlan | None:
        """Return how an image is built, None if its manifest names what else made it. Errors: RomError."""
        recipe = rom.recipe
        if recipe is None or info.compiler:
            return None
        tools = self._toolchain(rom, info)
        target = tools.isas[info.isa]
        self._check_known(rom, recipe.without)
        applies = {TRIM: recipe.trim, LIBRARY: rom.is_library}
        flags, link = (
            [flag for group, each in groups.items() if applies.get(group, True) for flag in each]
            for groups in (self.flags, self.link)
        )
        own = (*recipe.flags, *info.flags)
        if not any(flag.startswith("-O") for flag in own):
            own = (*own, f"-{info.build}" if info.build in LEVELS else DEFAULT_LEVEL)
        kind = LIBRARY if rom.is_library else PROGRAM
        runtime = [f"../{COMMON}/{RUNTIME}/{name}" for name in (*tools.runtime, *target.runtime)]

        def placed(file: str) -> str:
            return posixpath.relpath(self.place(posixpath.normpath(f"{rom.name}/{file}")), rom.name)

        return BuildPlan(
            toolchain=tools,
            start=placed(f"../{COMMON}/{kind}/{tools.start}"),
            script=placed(recipe.script or f"../{COMMON}/{tools.script}"),
            sources=tuple(map(placed, (*recipe.sources, *info.sources))),
            runtime=tuple(map(placed, runtime)),
            flags=(*_without(recipe.without, (*flags, *tools.flags, *target.flags)), *own),
            link_flags=_without(recipe.without, link),
        )

    def made_by(self, rom: Rom, info: ImageInfo) -> tuple[str, tuple[str, ...]]:
        """Return the versions of all that made an image, and all flags of the compiler. Errors: RomError."""
        plan = self.plan(rom, info)
        return (plan.toolchain.versions, plan.flags) if plan else (info.compiler, info.flags)

    def place(self, file: str) -> str:
        """Return where a file lies while images are built; both relative to the folder that has all ROMs."""
        for shared, place in self.places.items():
            name = f"{COMMON}/{shared}"
            if file == name or file.startswith(f"{name}/"):
                return place + file.removeprefix(name)
        return file

    def _check_known(self, rom: Rom, flags: tuple[str, ...]) -> None:
        groups = [*self.flags.values(), *self.link.values()]
        for tools in self.by_name.values():
            groups += [tools.flags, *(each.flags for each in tools.isas.values())]
        known = set(chain.from_iterable(groups))
        for flag in flags:
            if flag not in known:
                raise RomError(rom.path / MANIFEST, f"build.without: {flag!r} is not among the flags in {self.path}")

    def _toolchain(self, rom: Rom, info: ImageInfo) -> Toolchain:
        boot = "" if info.boot == family_of(info.isa).boots[0] else info.boot
        for tools in self.by_name.values():
            if info.isa in tools.isas and tools.boot == boot:
                return tools
        raise RomError(rom.path / MANIFEST, f"no tool chain of {self.path} is for {info.isa} {boot}".rstrip())


def _without(unwanted: tuple[str, ...], flags: Iterable[str]) -> tuple[str, ...]:
    return tuple(flag for flag in flags if flag not in unwanted)


def read_toolchains(path: Path) -> Toolchains:
    """Read toolchains.toml. Errors: RomError."""
    fields = read_toml(path)
    fields.integer("format", FORMAT, FORMAT)
    found = Toolchains(
        path=path,
        flags=_groups(fields.table("flags"), FLAG_GROUPS),
        link=_groups(fields.table("link"), LINK_GROUPS),
        places=_places(fields.table("places")),
        by_name={name: _toolchain(table) for name, table in fields.named_tables("toolchains", NAME).items()},
    )
    fields.end()
    return found


def _groups(fields: Fields, names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    groups = {name: tuple(fields.texts(name, FLAG)) for name in names}
    fields.end()
    return groups


def _places(fields: Fields) -> dict[str, str]:
    return {name: fields.text(name, FILE_PATH) for name in fields.names(FILE_PATH)}


def _toolchain(fields: Fields) -> Toolchain:
    toolchain = Toolchain(
        command=fields.text("command", FILE_NAME),
        package=fields.text("package"),
        version=fields.text("version"),
        flags=tuple(fields.texts("flags", FLAG, [])),
        script=fields.text("script", FILE_NAME, default=DEFAULT_SCRIPT),
        start=fields.text("start", FILE_NAME),
        runtime=tuple(fields.texts("runtime", FILE_NAME, [])),
        isas={name: _target(table) for name, table in fields.named_tables("isas", NAME).items()},
        boot=fields.text("boot", NAME, default=""),
        pascal=_pascal(fields.table("pascal")) if fields.has("pascal") else None,
    )
    fields.end()
    return toolchain


def _target(fields: Fields) -> ToolchainTarget:
    target = ToolchainTarget(tuple(fields.texts("flags", FLAG, [])), tuple(fields.texts("runtime", FILE_NAME, [])))
    fields.end()
    return target


def _pascal(fields: Fields) -> Pascal:
    pascal = Pascal(
        packages=tuple(fields.texts("packages")),
        version=fields.text("version"),
        assembler=fields.text("assembler"),
        flags=tuple(fields.texts("flags", FLAG)),
    )
    fields.end()
    return pascal


def source_folders(program: Rom | Image) -> list[Path]:
    """Return the folders that have the sources of a ROM's lines, of start-up code too; none of an image."""
    if not isinstance(program, Rom):
        return []
    own = [source for info in program.images for source in info.sources]
    files = [*(program.recipe.sources if program.recipe else ()), *own]
    shared = [*(f"../{COMMON}/{kind}" for kind in (PROGRAM, LIBRARY, RUNTIME)), INCLUDED]
    names = dict.fromkeys([".", "src", *map(posixpath.dirname, files), *shared])
    folders = [Path(posixpath.normpath((program.path / name).as_posix())) for name in names]
    return [folder for folder in folders if folder.is_dir()]
