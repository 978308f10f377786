#!/usr/bin/env python3
"""Build the ROM images from their sources, or prove that the committed ones are what the sources give.

    tools/build_roms.py                 build all, update the images and the hashes in rom.toml
    tools/build_roms.py --check         build all and compare; nothing is written
    tools/build_roms.py --rom sectors   one ROM only (may be repeated)
    tools/build_roms.py --jobs 1        one image at a time; default: as many as there are processors

A rom.toml says what its images are built from, roms/common/toolchains.toml what all share: compilers, flags, start-up
code, linker scripts. The hash of an image that is new is filled in; a rom.toml that lists no images gets one for each
processor. For a ROM with drawings tools/draw_sprites.py gives src/drawings.h and src/drawings.c, linked first; tables
come from tools/rom_tables.py. Every image comes from a fresh temporary folder whose name is mapped away, so the same
compiler gives the same bytes anywhere.

Exit status: 0 done or equal, 1 an image differs or does not build, 2 usage, 3 a compiler is missing or another version,
4 a bad rom.toml.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

import pascal  # noqa: E402  (the checkout needs no installation)
from image_builder import BuildError, build_image, run  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: E402

from retrosim.errors import RomError  # noqa: E402
from retrosim.reading import digest_of  # noqa: E402
from retrosim.rom import ImageInfo, Rom, load_rom, load_toolchains  # noqa: E402
from retrosim.rom.manifest import MANIFEST  # noqa: E402
from retrosim.rom.toolchains import Toolchain, Toolchains  # noqa: E402

ROMS = ROOT / "roms"
EQUAL, WRITTEN, FAILED = "equal", "written", "FAILED"
HEADING = f"{'rom':<12}{'isa':<8}{'build':<16}{'bytes':>8}  {'sha256':<18}state"


def load_roms(names: list[str]) -> list[Rom]:
    """Read the manifests of some ROMs, built or not. Errors: RomError, BuildError."""
    roms = [load_rom(ROMS / name, require_built=False) for name in names]
    for rom in roms:
        if rom.name != rom.path.name:
            raise RomError(rom.path / MANIFEST, f"name: is {rom.name!r}, its folder {rom.path.name!r}")
    return roms


def needed_toolchains(roms: list[Rom], toolchains: Toolchains) -> list[Toolchain]:
    """Return the tool chains that build some ROMs, each once. Errors: RomError for an image that none builds."""
    found = {}
    for rom, info in [(each, info) for each in roms for info in each.images]:
        plan = toolchains.plan(rom, info)
        if plan is None:
            raise RomError(rom.path / MANIFEST, f"does not say how {info.file} is built")
        found[plan.toolchain.versions] = plan.toolchain
    return list(found.values())


def check_compiler(tools: Toolchain, any_version: bool = False) -> None:
    """Make sure that a compiler is there and, unless any will do, the one that the images were built with.

    Errors   BuildError
    """
    if shutil.which(tools.command) is None:
        raise BuildError(f"{tools.command} is not installed: apt-get install {tools.package}", 3)
    wanted, found = [tools.version], [run([tools.command, "--version"], ROOT).splitlines()[0]]
    if tools.pascal is not None:
        if not all(map(shutil.which, ("fpc", "nasm"))) or not pascal.SOURCES.is_dir():
            packages = " ".join(tools.pascal.packages)
            raise BuildError(f"Free Pascal, its source or nasm is not installed: apt-get install {packages}", 3)
        wanted += [tools.pascal.version, tools.pascal.assembler]
        found += pascal.find_versions(run, ROOT)
    for asked, there in zip(wanted, found):
        if asked != there and not any_version:
            advice = "--any-version builds all the same, but existing images will differ"
            raise BuildError(f"{there!r} is installed, toolchains.toml asks for {asked!r}; {advice}", 3)


class Builds:
    """The images of some ROMs while they are built, by threads that wait for compilers.

    roms        whose images
    toolchains  that build them
    pool        of threads
    folder      a temporary one
    """

    def __init__(self, roms: list[Rom], toolchains: Toolchains, pool: ThreadPoolExecutor, folder: Path) -> None:
        self._toolchains, self._folder = toolchains, folder
        images = [(rom, info, bool(toolchains.plan(rom, info).toolchain.pascal)) for rom in roms for info in rom.images]
        images.sort(key=lambda image: image[2])  # those in Pascal last: their compiler is built meanwhile
        self._compiler = pool.submit(self._build_pascal_compiler) if images and images[-1][2] else None
        self._started = {(rom.name, info.file): pool.submit(self._build, rom, info) for rom, info, _ in images}

    @property
    def count(self) -> int:
        """How many images there are."""
        return len(self._started)

    def content(self, rom: Rom, info: ImageInfo) -> bytes:
        """Wait for an image. Errors: BuildError, RomError."""
        return self._started[rom.name, info.file].result()

    def when_done(self, callback: Callable[[Future[bytes]], None]) -> None:
        """Have something called for each image that is finished."""
        for future in self._started.values():
            future.add_done_callback(callback)

    def _pascal_compiler(self) -> Path:
        return self._compiler.result()

    def _build_pascal_compiler(self) -> Path:
        return pascal.build_compiler(run, Path(tempfile.mkdtemp(prefix="pascal-", dir=self._folder)))

    def _build(self, rom: Rom, info: ImageInfo) -> bytes:
        with tempfile.TemporaryDirectory(prefix=f"{rom.name}-", dir=self._folder) as folder:
            return build_image(rom, info, self._toolchains, Path(folder), self._pascal_compiler)


def state_of(rom: Rom, info: ImageInfo, content: bytes) -> str:
    """Compare an image with the committed one; return one word or two."""
    path = rom.path / info.file
    if not path.is_file():
        return "MISSING"
    if path.read_bytes() != content:
        return "DIFFERS"
    return EQUAL if info.sha256 == digest_of(content) else "WRONG HASH" if info.sha256 else "NO HASH"


def store(rom: Rom, contents: list[bytes]) -> None:
    """Write all images of a ROM, and their hashes in rom.toml. Errors: BuildError."""
    manifest = rom.path / MANIFEST
    text = with_hashes(rom, manifest.read_text("utf-8"), [digest_of(content) for content in contents])
    for info, content in zip(rom.images, contents):
        (rom.path / info.file).write_bytes(content)
    manifest.write_text(text, "utf-8")


def with_hashes(rom: Rom, text: str, digests: list[str]) -> str:
    """Return the text of rom.toml with the hash of each image; a list of images is added if there is none.

    Errors   BuildError
    """
    head, *entries = re.split(r"(?m)^(?=\[\[images\]\])", text)
    if not entries:
        entries = [f'\n[[images]]\nisa = "{info.isa}"\nbuild = "{info.build}"\n' for info in rom.images]
        head = f"{head.rstrip()}\n"
    changed = head + "".join(map(_with_hash, entries, digests))
    try:
        written = [image.get("sha256") for image in tomllib.loads(changed)["images"]]
    except tomllib.TOMLDecodeError:
        written = []
    if written != digests:
        raise BuildError(f"{rom.path.name}/{MANIFEST}: each image needs its own table, under a line [[images]]")
    return changed


def _with_hash(entry: str, digest: str) -> str:
    """Return a table [[images]] with a hash, a new one behind the keys that say which image it is."""
    line = f'sha256 = "{digest}"'
    if re.search(r"(?m)^sha256\b", entry):
        return re.sub(r'(?m)^sha256 *= *"[0-9a-f]*"', line, entry, count=1)
    return re.sub(r"\A(\n?\[\[images\]\].*\n(?:(?:isa|build|file)\b.*\n)*)", rf"\g<1>{line}\n", entry)


def report(rom: Rom, builds: Builds, check: bool, out: Console) -> int:
    """Wait for the images of a ROM, store what changed unless only checking, print a line each; return the exit status.

    Nothing is stored unless all are built.
    """
    contents, errors = [], []
    for info in rom.images:
        try:
            contents.append(builds.content(rom, info))
        except (BuildError, RomError) as error:
            contents.append(None)
            errors.append(str(error))
    states = [state_of(rom, info, each) if each else FAILED for info, each in zip(rom.images, contents)]
    if not check and not errors and set(states) != {EQUAL}:
        store(rom, contents)
        states = [each if each == EQUAL else WRITTEN for each in states]
    for info, content, state in zip(rom.images, contents, states):
        size, digest = (len(content), digest_of(content)[:16]) if content else ("", "")
        out.print(f"{rom.name:<12}{info.isa:<8}{info.build:<16}{size:>8}  {digest:<18}{state}")
    for reason in dict.fromkeys(errors):
        print(f"build_roms: {rom.name}: {reason}", file=sys.stderr)
    return int(bool(set(states) - {EQUAL, WRITTEN}))


def build_all(names: list[str], check: bool, jobs: int, any_version: bool) -> int:
    """Build the images of some ROMs, print a table; return the exit status. Errors: BuildError, RomError."""
    roms, toolchains = load_roms(names), load_toolchains()
    for tools in needed_toolchains(roms, toolchains):
        check_compiler(tools, any_version)
    out = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    columns = TextColumn("building"), BarColumn(), MofNCompleteColumn()
    with (
        tempfile.TemporaryDirectory(prefix="retrosim-roms-") as folder,
        ThreadPoolExecutor(jobs) as pool,
        Progress(*columns, console=out, transient=True, disable=not out.is_terminal) as progress,
    ):
        builds = Builds(roms, toolchains, pool, Path(folder))
        bar = progress.add_task("", total=builds.count)
        builds.when_done(lambda future: progress.advance(bar))
        out.print(HEADING)
        try:
            return max(report(rom, builds, check, out) for rom in roms)
        finally:
            pool.shutdown(cancel_futures=True)


def main(arguments: list[str] | None = None) -> int:
    """Run the tool; return its exit status."""
    parser = argparse.ArgumentParser(description="Build the ROM images, or prove that they can be rebuilt.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if an image differs")
    parser.add_argument("--rom", action="append", metavar="NAME", help="only this ROM (may be repeated)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="images at a time; default: %(default)s")
    parser.add_argument("--any-version", action="store_true", help="take the compilers installed, whatever version")
    options = parser.parse_args(arguments)
    if options.jobs < 1:
        parser.error(f"--jobs {options.jobs}: allowed 1 or more")
    known = sorted(path.parent.name for path in ROMS.glob(f"*/{MANIFEST}"))
    for name in options.rom or ():
        if name not in known:
            parser.error(f"no file roms/{name}/{MANIFEST}; there are: {', '.join(known)}")
    try:
        return build_all(options.rom or known, options.check, options.jobs, options.any_version)
    except (BuildError, RomError) as error:
        print(f"build_roms: {error}", file=sys.stderr)
        return error.exit_status


if __name__ == "__main__":
    sys.exit(main())
