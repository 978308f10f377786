#!/usr/bin/env python3
"""Build the ROM images from their sources, or prove that the committed ones are what the sources give.

    tools/build_roms.py                 build all, update the images and the hashes in rom.toml
    tools/build_roms.py --check         build all in a temporary folder and compare; nothing is written
    tools/build_roms.py --rom sectors   one ROM only (may be repeated)

What is built, by which compiler and with which flags is written in each rom.toml, table [build]; for a ROM with
drawings tools/draw_sprites.py gives src/drawings.h and src/drawings.c, linked first; tables come from
tools/rom_tables.py. Every image comes from a fresh temporary folder whose name is mapped away, so the same compiler
gives the same bytes anywhere.

Exit status: 0 done or equal, 1 an image differs or does not build, 2 usage, 3 a compiler is missing or another version.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

import draw_sprites  # noqa: E402  (the checkout needs no installation)
import pascal  # noqa: E402
import rom_tables  # noqa: E402

from retrosim.errors import RomError  # noqa: E402
from retrosim.rom import ImageInfo, Rom, load_rom  # noqa: E402
from retrosim.rom.image import read_image  # noqa: E402
from retrosim.rom.recipe import Pascal, Recipe, Toolchain  # noqa: E402

ROMS = ROOT / "roms"
LONGEST_RUN = 600  # seconds for one call of a compiler


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
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=LONGEST_RUN, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"{command[0]}: {error}") from None
    if done.returncode:
        raise BuildError(f"{' '.join(command)}\n{(done.stderr + done.stdout).strip()}")
    return done.stdout


def check_compiler(tools: Toolchain) -> None:
    """Make sure that the compiler is there and is the one the images were built with. Errors: BuildError."""
    if shutil.which(tools.command) is None:
        raise BuildError(f"{tools.command} is not installed: apt-get install {tools.package}", 3)
    version = run([tools.command, "--version"], ROOT).splitlines()[0]
    if version != tools.version:
        raise BuildError(f"{tools.command} is {version!r}, rom.toml asks for {tools.version!r}", 3)
    if tools.pascal is None:
        return
    packages = " ".join(tools.pascal.packages)
    if not all(map(shutil.which, ("fpc", "nasm"))) or not pascal.SOURCES.is_dir():
        raise BuildError(f"Free Pascal, its source or nasm is not installed: apt-get install {packages}", 3)
    wanted, found = (tools.pascal.version, tools.pascal.assembler), pascal.find_versions(run, ROOT)
    if found != wanted:
        raise BuildError(f"{', '.join(found)} are installed, rom.toml asks for {', '.join(wanted)}", 3)


@functools.cache
def pascal_compiler() -> tuple[Path, tempfile.TemporaryDirectory[str]]:
    """Build the compiler of Pascal units once; return it, and the folder that it lives in as long as that is held."""
    folder = tempfile.TemporaryDirectory(prefix="retrosim-pascal-")
    return pascal.build_compiler(run, Path(folder.name)), folder


def recipe_of(rom: Rom, info: ImageInfo) -> tuple[Recipe, Toolchain]:
    """Return how an image is built. Errors: BuildError."""
    if rom.recipe is None or not info.toolchain:
        raise BuildError(f"{rom.path.name}/{info.file}: rom.toml does not say how it is built")
    return rom.recipe, rom.recipe.toolchains[info.toolchain]


def without(assembly: str, instructions: tuple[str, ...]) -> str:
    """Return assembler source without the lines that hold one of some operand-less instructions."""
    return "".join(line for line in assembly.splitlines(keepends=True) if line.strip() not in instructions)


def build_image(rom: Rom, info: ImageInfo, folder: Path) -> bytes:
    """Compile, assemble and link one image.

    rom, info  from rom.toml
    folder     an empty folder to work in; its name does not show in the result
    Returns    the ELF file
    Errors     BuildError
    """
    recipe, tools = recipe_of(rom, info)
    folder = folder / rom.name  # beside it lie the folders of other ROMs whose sources are used
    sources = [*recipe.sources, *info.sources]
    for name in (*sources, *recipe.headers, recipe.script, tools.start):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copyfile(rom.path / name, folder / name)
        except OSError as error:
            raise BuildError(f"{rom.path.name}/{name}: {error.strerror}") from None
    if rom.drawings:
        (folder / "src" / draw_sprites.HEADER).write_text(draw_sprites.header(rom))
        sources.insert(0, f"src/{draw_sprites.SOURCE}")
        (folder / sources[0]).write_text(draw_sprites.source(rom))
    for name in recipe.tables:
        write_table(folder / name)
    sources = [*recipe.tables, *sources]
    flags = [*info.flags.split(), f"-ffile-prefix-map={folder}=."]
    plain = [flag for flag in flags if not flag.startswith("-g")]  # the compiler has written the lines already
    objects = []
    for number, source in enumerate([tools.start, *sources]):
        objects.append(f"{number}.o")
        if tools.pascal and source.endswith(".pas"):
            compile_pascal(tools.pascal, folder / source, folder / objects[-1])
            continue
        if source.endswith(".S"):
            run([tools.command, *flags, "-c", source, "-o", objects[-1]], folder)
            continue
        assembly = folder / f"{number}.s"
        run([tools.command, *flags, "-S", source, "-o", assembly.name], folder)
        assembly.write_text(without(assembly.read_text(), info.drop))
        run([tools.command, *plain, "-c", assembly.name, "-o", objects[-1]], folder)
    run([tools.command, *plain, *recipe.link_flags, f"-Wl,-T,{recipe.script}", *objects, "-o", "image.elf"], folder)
    content = (folder / "image.elf").read_bytes()
    read_image(rom.path / info.file, content, info.isa, info.build)
    return content


def write_table(path: Path) -> None:
    """Write the C source of a table, named as the table, and its header. Errors: BuildError."""
    if path.suffix != ".c" or path.stem not in rom_tables.TABLES:
        raise BuildError(f"{path.name}: allowed {', '.join(f'{name}.c' for name in rom_tables.TABLES)}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(rom_tables.source(path.stem))
    path.with_suffix(".h").write_text(rom_tables.header(path.stem))


def compile_pascal(how: Pascal, source: Path, target: Path) -> None:
    """Compile a Pascal unit into an object. Errors: BuildError."""
    try:
        pascal.compile_unit(run, pascal_compiler()[0], source, how.flags, str(target))
    except ValueError as error:
        raise BuildError(f"{source.name}: {error}") from None


def store(rom: Rom, info: ImageInfo, content: bytes) -> None:
    """Write an image and its hash in rom.toml."""
    manifest = rom.path / "rom.toml"
    line = re.compile(rf'(?m)^(file = "{re.escape(info.file)}"\nsha256 = ")[0-9a-f]{{64}}(")$')
    text, count = line.subn(rf"\g<1>{hashlib.sha256(content).hexdigest()}\g<2>", manifest.read_text("utf-8"))
    if count != 1:
        raise BuildError(f"{rom.path.name}/rom.toml: no line sha256 directly below file = {info.file!r}")
    (rom.path / info.file).write_bytes(content)
    manifest.write_text(text, "utf-8")


def state_of(rom: Rom, info: ImageInfo, content: bytes, check: bool) -> str:
    """Compare an image with the committed one and, unless only checking, replace that; return one word or two."""
    path = rom.path / info.file
    committed = path.read_bytes() if path.is_file() else None
    if committed == content and info.sha256 == hashlib.sha256(content).hexdigest():
        return "equal"
    if check:
        return "MISSING" if committed is None else "DIFFERS" if committed != content else "WRONG HASH"
    store(rom, info, content)
    return "written"


def build_all(names: list[str], check: bool) -> int:
    """Build the images of some ROMs, print a table, return the exit status."""
    status = 0
    print(f"{'rom':<12}{'isa':<8}{'build':<8}{'bytes':>8}  {'sha256':<18}state")
    for name in names:
        rom = load_rom(ROMS / name)
        if rom.recipe:
            for tools in rom.recipe.toolchains.values():
                check_compiler(tools)
        for info in rom.images:
            with tempfile.TemporaryDirectory(prefix="retrosim-rom-") as folder:
                content = build_image(rom, info, Path(folder))
            state = state_of(rom, info, content, check)
            status |= state not in ("equal", "written")
            digest = hashlib.sha256(content).hexdigest()[:16]
            print(f"{name:<12}{info.isa:<8}{info.build:<8}{len(content):>8}  {digest:<18}{state}")
    return status


def main(arguments: list[str] | None = None) -> int:
    """Run the tool; return its exit status."""
    parser = argparse.ArgumentParser(description="Build the ROM images, or prove that they can be rebuilt.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if an image differs")
    parser.add_argument("--rom", action="append", metavar="NAME", help="only this ROM (may be repeated)")
    options = parser.parse_args(arguments)
    there = sorted(path.parent.name for path in ROMS.glob("*/rom.toml"))
    names = options.rom or there
    for name in names:
        if name not in there:
            parser.error(f"no ROM {name!r}; there are: {', '.join(there)}")
    try:
        return build_all(names, options.check)
    except BuildError as error:
        print(f"build_roms: {error}", file=sys.stderr)
        return error.exit_status
    except RomError as error:
        print(f"build_roms: {error}", file=sys.stderr)
        return error.exit_status


if __name__ == "__main__":
    sys.exit(main())
