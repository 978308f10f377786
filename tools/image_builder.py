"""Builds one image of a ROM, as retrosim.rom.toolchains plans it, in a temporary folder."""

from __future__ import annotations

import os
import posixpath
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import draw_sprites
import pascal
import rom_tables

from retrosim.rom import ImageInfo, Rom
from retrosim.rom.image import read_image
from retrosim.rom.manifest import MANIFEST
from retrosim.rom.toolchains import COMMON, BuildPlan, Toolchains

SOURCES = "src"  # folder of a ROM's own sources
MAX_SECONDS = 600  # for one call of a compiler
UNDEFINED = "undefined reference to `"  # what the linker says of a function that is missing
RUNTIME_HINT = "GCC itself calls functions whose names begin with __; roms/common/runtime has those that there are"


class BuildError(Exception):
    """An image cannot be built; `exit_status` is what the tool ends with."""

    def __init__(self, reason: str, exit_status: int = 1) -> None:
        super().__init__(reason)
        self.exit_status = exit_status


def run(command: list[str], folder: Path) -> str:
    """Run a tool in a folder with a neutral environment; return what it prints. Errors: BuildError."""
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "LC_ALL": "C",
        "SOURCE_DATE_EPOCH": "0",
        "TMPDIR": str(folder),
    }
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=MAX_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"{command[0]}: {error}") from None
    if done.returncode:
        said = (done.stderr + done.stdout).strip() or f"{' '.join(command)}: status {done.returncode}"
        raise BuildError(f"{said}\n{RUNTIME_HINT}" if f"{UNDEFINED}__" in said else said)
    return done.stdout


def build_image(
    rom: Rom, info: ImageInfo, toolchains: Toolchains, folder: Path, pascal_compiler: Callable[[], Path]
) -> bytes:
    """Compile, assemble and link one image.

    rom, info        from rom.toml
    folder           an empty folder to work in; its name does not show in the result
    pascal_compiler  returns the compiler of Pascal units
    Returns          the ELF file
    Errors           BuildError, RomError
    """
    plan = toolchains.plan(rom, info)
    if plan is None:
        raise BuildError(f"{MANIFEST} does not say how {info.file} is built")
    _lay_out(rom, toolchains, folder)
    made = _write_made_sources(rom, folder / rom.name)
    work = _Work(plan, info, folder / rom.name, pascal_compiler)
    parts = [work.compile(source) for source in (plan.start, *made, *plan.sources)]
    try:
        content = work.link(parts)
    except BuildError as error:
        if UNDEFINED not in str(error) or not plan.runtime:
            raise
        content = work.link([*parts, work.archive([work.compile(source) for source in plan.runtime])])
    read_image(rom.path / info.file, content, info.isa, info.build)
    return content


ARCHIVE = ".a"  # the kit for programs of users: compiled, and linked to no image


def _lay_out(rom: Rom, toolchains: Toolchains, folder: Path) -> None:
    """Copy the sources of all ROMs, and the files that they share, to where they lie while an image is built."""
    sources = [(path, path.relative_to(rom.path.parent)) for path in rom.path.parent.glob(f"*/{SOURCES}/**/*")]
    shared = toolchains.path.parent
    sources += [(path, COMMON / path.relative_to(shared)) for path in shared.rglob("*")]
    for path, name in sources:
        if path.is_file() and path.suffix != ARCHIVE:
            place = folder / toolchains.place(name.as_posix())
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(_with_placed_includes(path.read_text("utf-8"), name, toolchains), "utf-8")


def _with_placed_includes(text: str, name: Path, toolchains: Toolchains) -> str:
    """Return a source whose #include lines name shared files where they lie while an image is built."""
    here, place = name.parent.as_posix(), posixpath.dirname(toolchains.place(name.as_posix()))

    def placed(found: re.Match[str]) -> str:
        included = posixpath.normpath(f"{here}/{found[1]}")
        if not included.startswith(f"{COMMON}/"):
            return found[0]
        return f'#include "{posixpath.relpath(toolchains.place(included), place)}"'

    return re.sub(r'(?m)^#include "(.*?)"', placed, text)


def _write_made_sources(rom: Rom, folder: Path) -> tuple[str, ...]:
    """Write the sources that are made from tables and drawings; return them in link order. Errors: BuildError."""
    made = list(rom.recipe.tables)
    for name in made:
        _write_table(folder / name)
    if rom.drawings:
        made.append(f"{SOURCES}/{draw_sprites.SOURCE}")
        (folder / made[-1]).write_text(draw_sprites.source(rom))
        (folder / SOURCES / draw_sprites.HEADER).write_text(draw_sprites.header(rom))
    return tuple(made)


def _write_table(path: Path) -> None:
    """Write the C source of a table, named as the table, and its header. Errors: BuildError."""
    if path.suffix != ".c" or path.stem not in rom_tables.TABLES:
        raise BuildError(f"{path.name}: allowed {', '.join(f'{name}.c' for name in rom_tables.TABLES)}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(rom_tables.source(path.stem))
    path.with_suffix(".h").write_text(rom_tables.header(path.stem))


def without(assembly: str, instructions: tuple[str, ...]) -> str:
    """Return assembler source without the lines that hold one of some operand-less instructions."""
    return "".join(line for line in assembly.splitlines(keepends=True) if line.strip() not in instructions)


class _Work:
    """The calls of the compiler for one image. All errors are BuildErrors.

    plan, info  what is built
    folder      of the ROM, among those that its sources need
    """

    def __init__(self, plan: BuildPlan, info: ImageInfo, folder: Path, pascal_compiler: Callable[[], Path]) -> None:
        self._tools, self._plan, self._info = plan.toolchain, plan, info
        self._folder, self._pascal_compiler = folder, pascal_compiler
        self._flags = [*plan.flags, f"-I{SOURCES}", f"-ffile-prefix-map={folder}=."]
        self._plain = [flag for flag in self._flags if not flag.startswith("-g")]  # for what has its lines already
        self._count = 0

    def compile(self, source: str) -> str:
        """Compile a source; return its object."""
        if not (self._folder / source).is_file():
            raise BuildError(f"{source}: no such file")
        target = f"{self._count}.o"
        self._count += 1
        kind = Path(source).suffix
        compilers = {".S": self._assemble}
        compilers |= {".pas": self._compile_pascal} if self._tools.pascal else {".c": self._compile_c}
        if kind not in compilers:
            raise BuildError(f"{source}: allowed {', '.join(compilers)}")
        compilers[kind](source, target)
        return target

    def archive(self, objects: list[str]) -> str:
        """Put objects into an archive, from which the linker takes those that are called; return its name."""
        name = "runtime.a"
        run([self._tools.archiver, "rcD", name, *objects], self._folder)
        return name

    def link(self, parts: list[str]) -> bytes:
        """Link objects and archives; return the ELF file."""
        flags = [*self._plain, *self._plan.link_flags, f"-Wl,-T,{self._plan.script}"]
        run([self._tools.command, *flags, *parts, "-o", "image.elf"], self._folder)
        return (self._folder / "image.elf").read_bytes()

    def _assemble(self, source: str, target: str) -> None:
        run([self._tools.command, *self._flags, "-c", source, "-o", target], self._folder)

    def _compile_c(self, source: str, target: str) -> None:
        assembly = self._folder / f"{target}.s"
        run([self._tools.command, *self._flags, "-S", source, "-o", assembly.name], self._folder)
        assembly.write_text(without(assembly.read_text(), self._info.drop))
        run([self._tools.command, *self._plain, "-c", assembly.name, "-o", target], self._folder)

    def _compile_pascal(self, source: str, target: str) -> None:
        unit, system = self._folder / source, self._folder.parent / COMMON / pascal.SYSTEM
        flags = self._tools.pascal.flags
        try:
            pascal.compile_unit(run, self._pascal_compiler(), unit, system, flags, str(self._folder / target))
        except ValueError as error:
            raise BuildError(f"{source}: {error}") from None
