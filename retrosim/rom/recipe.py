"""How the images of a ROM are built: the table [build] of rom.toml, which tools/build_roms.py carries out."""

from __future__ import annotations

from dataclasses import dataclass

from .fields import FILE_PATH, NAME, SOURCE_PATH, Fields


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
class Toolchain:
    """A cross compiler.

    command  the compiler driver
    package  the Debian package it is in
    version  first line of its --version
    flags    for all its images
    start    source with the entry point and the services of that processor
    pascal   what compiles its Pascal units, None if there are none
    """

    command: str
    package: str
    version: str
    flags: tuple[str, ...]
    start: str
    pascal: Pascal | None = None

    @property
    def versions(self) -> str:
        """All that its images are made by."""
        return f"{self.pascal.version}, {self.pascal.assembler}, {self.version}" if self.pascal else self.version


@dataclass(frozen=True)
class Recipe:
    """What the images of a ROM have in common; all files relative to its folder, "../NAME/..." in that of another ROM.

    sources     of all images, in link order: behind the start-up file, before those of the image; C, .S, and .pas for a
                toolchain with Pascal
    tables      C sources that tools/rom_tables.py makes, with a header each; linked in front of the sources
    headers     files that sources include
    script      for the linker
    flags       of the compiler
    link_flags  of the compiler driver when it links
    toolchains  by name
    """

    sources: tuple[str, ...]
    tables: tuple[str, ...]
    headers: tuple[str, ...]
    script: str
    flags: tuple[str, ...]
    link_flags: tuple[str, ...]
    toolchains: dict[str, Toolchain]


def read_recipe(fields: Fields) -> Recipe:
    """Check the table [build]. Errors: RomError."""
    recipe = Recipe(
        sources=tuple(fields.texts("sources", SOURCE_PATH)),
        tables=tuple(fields.texts("tables", SOURCE_PATH, [])),
        headers=tuple(fields.texts("headers", SOURCE_PATH, [])),
        script=fields.text("script", SOURCE_PATH),
        flags=tuple(fields.texts("flags")),
        link_flags=tuple(fields.texts("link_flags")),
        toolchains={name: _toolchain(table) for name, table in fields.named_tables("toolchains", NAME).items()},
    )
    fields.end()
    return recipe


def _toolchain(fields: Fields) -> Toolchain:
    toolchain = Toolchain(
        command=fields.text("command", FILE_PATH),
        package=fields.text("package"),
        version=fields.text("version"),
        flags=tuple(fields.texts("flags")),
        start=fields.text("start", SOURCE_PATH),
        pascal=_pascal(fields.table("pascal")) if fields.has("pascal") else None,
    )
    fields.end()
    return toolchain


def _pascal(fields: Fields) -> Pascal:
    pascal = Pascal(
        packages=tuple(fields.texts("packages")),
        version=fields.text("version"),
        assembler=fields.text("assembler"),
        flags=tuple(fields.texts("flags")),
    )
    fields.end()
    return pascal
