"""Check what works on this computer, and say what retrosim does not model.

examples:
  retrosim doctor
  retrosim doctor --no-window
  retrosim doctor --clear-cache
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from retrosim.errors import RetrosimError
from retrosim.report.files import is_writable
from retrosim.report.text import counted

from .. import arguments
from ..display import missing_display
from ..output import columns, print_json, print_lines
from ..parser import Parser

MIN_PYTHON = (3, 11)
REQUIRED = ("numba", "llvmlite", "numpy", "pyglet", "pyelftools", "rich", "platformdirs", "shtab")
OPTIONAL = {  # distribution: what it is for
    "unicorn": "an emulator to compare with in `bench` and the tests: pip install unicorn",
    "machine68k": "an emulator (Musashi) to compare with in `bench` and the tests: pip install machine68k",
    **dict.fromkeys(
        ("pygame-ce", "scipy", "shapely", "pymunk"), "a library to compare with in `bench kernels`: see extra 'bench'"
    ),
}
NOT_MODELLED = (
    "floating point: its instructions take the exception of a CPU without it (601: floating-point unavailable)",
    "memory management: its registers can be written and read, but addresses are not translated",
    "sound, disks and other devices: there is a screen with its palette, an input word and a tick",
)
WINDOW_SECONDS = 30.0
WINDOW_TEST = """
import pyglet
pyglet.options["shadow_window"] = False
window = pyglet.window.Window(64, 64, visible=False)
info = window.context.get_info()
print(info.get_version_string(), "|", info.get_renderer())
raise SystemExit(not info.have_version(3, 3))
"""


@dataclass(frozen=True)
class Check:
    """One thing that was checked.

    status  "ok"; "missing": optional and not there; "warning": works, but less well; "failed": retrosim needs it
    found   what there is
    advice  what to do, or ""
    """

    name: str
    status: str
    found: str
    advice: str = ""


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    parser.add_argument("--no-window", action="store_true", help="do not try to open a window")
    parser.add_argument(
        "--clear-cache", action="store_true", help="remove the cache of all versions, and check nothing"
    )
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Carry out the command; the status is 1 if something that retrosim needs does not work."""
    if options.clear_cache:
        return _clear_cache(options.json)
    checks = list(_checks(has_window=not options.no_window))
    if options.json:
        print_json({"checks": [asdict(check) for check in checks], "not_modelled": NOT_MODELLED})
    else:
        print_lines(columns([[c.name, c.status, c.found + (f"; {c.advice}" if c.advice else "")] for c in checks], 0))
        print_lines(["", "not modelled:", *(f"  {line}" for line in NOT_MODELLED)])
    return int(any(check.status == "failed" for check in checks))


def _clear_cache(as_json: bool) -> int:
    """Remove what the cache holds, of all kinds and versions; the status is 1 if some of it cannot be removed."""
    from retrosim.cache.sources import CACHE

    size = sum(file.size for file in CACHE.files())
    removed, left = CACHE.clear(), sum(file.size for file in CACHE.files())
    if as_json:
        print_json({"folder": str(CACHE.folder or ""), "removed_files": removed, "removed_bytes": size - left})
    else:
        print(f"{CACHE.folder or 'cache'}: {counted(removed, 'file')} removed, {(size - left) / 1e6:.1f} MB")
    return int(left > 0)


def _checks(has_window: bool) -> Iterator[Check]:
    from retrosim.rom import rom_names
    from retrosim.version import __version__

    yield Check("retrosim", "ok", f"{__version__} in {Path(__file__).parents[2]}")
    yield _python()
    yield Check("host", "ok", f"{platform.system()} {platform.machine()}, {counted(os.cpu_count() or 1, 'processor')}")
    yield from (_package(name, "failed", f"pip install {name}") for name in REQUIRED)
    yield _guarded("compiler", _compiler)
    yield _guarded("cache", _cache)
    yield _guarded("engines", _engines)
    yield _guarded("files", _user_files)
    yield from (_guarded(f"ROM {name}", partial(_rom, name)) for name in rom_names())
    if has_window:
        yield _guarded("window", _window)
    yield from (_package(name, "missing", use) for name, use in OPTIONAL.items())
    yield from _cross_compilers()
    yield _native_compiler()


def _guarded(name: str, look: Callable[[], Check]) -> Check:
    """Return the result of a check; an exception is a result too."""
    try:
        return look()
    except Exception as error:  # a broken library may raise anything
        return Check(name, "failed", f"{type(error).__name__}: {error}")


def _python() -> Check:
    is_new = sys.version_info >= MIN_PYTHON
    wanted = "" if is_new else f"needs {'.'.join(map(str, MIN_PYTHON))} or newer"
    found = f"{platform.python_version()} ({platform.python_implementation()})"
    return Check("python", "ok" if is_new else "failed", found, wanted)


def _package(name: str, status: str, advice: str) -> Check:
    try:
        return Check(name, "ok", version(name))
    except PackageNotFoundError:
        return Check(name, status, "not installed", advice)


def _compiler() -> Check:
    """Compile and run a function, in memory."""
    from retrosim.jit import compiles_correctly

    if not compiles_correctly():
        return Check("compiler", "failed", "a compiled function gives a wrong result")
    return Check("compiler", "ok", "Numba compiles, and the result is right")


def _cache() -> Check:
    """Tell where compiled code is kept, how much of it, and whether it is whole."""
    from retrosim.cache.sources import CACHE, cached_files
    from retrosim.cache.store import bound_bytes

    if CACHE.folder is None:
        return Check("cache", "warning", CACHE.problem, "everything is compiled again at every start")
    files, current = CACHE.files(), cached_files()
    damaged = sum(len(store.damaged()) for store in CACHE.stores)
    found = (
        f"{CACHE.folder}: {counted(len(files), 'file')}, {sum(file.size for file in files) / 1e6:.1f} of at most "
        f"{bound_bytes() / 1e6:g} MB, {len(current)} of these sources, {damaged or 'none'} damaged"
    )
    if not is_writable(CACHE.folder):
        return Check("cache", "warning", found, "it is not writable: what is not in it is compiled at every start")
    if CACHE.problem:
        return Check("cache", "warning", found, CACHE.problem)
    if damaged:
        return Check("cache", "warning", found, "what is damaged is compiled again when it is needed")
    return Check("cache", "ok", found, "" if current else "`retrosim warmup` compiles programs in advance")


def _engines() -> Check:
    """Name the engines, and count the compiled regions of the default program."""
    from retrosim.machine import PRESETS
    from retrosim.machine.ahead import programs_of
    from retrosim.rom import load_rom

    programs = programs_of([PRESETS[arguments.MACHINE]], [load_rom(arguments.ROM)])
    program = next(program for program in programs if program.is_default)
    ready, total = program.count_compiled("full"), len(program.regions("full"))
    found = f"{', '.join(arguments.ENGINES[1:])}; {ready} of {total} regions of {arguments.ROM} are compiled"
    return Check("engines", "ok", found, "" if ready == total else "`retrosim warmup` compiles the rest in advance")


def _user_files() -> Check:
    from retrosim.cache.folders import user_folder

    folder = user_folder("data")
    if is_writable(next(path for path in (folder, *folder.parents) if path.is_dir())):
        return Check("files", "ok", f"{folder}: tapes, states and screenshots of the window")
    return Check("files", "warning", f"{folder} is not writable", "set RETROSIM_HOME to a folder of yours")


def _rom(name: str) -> Check:
    from retrosim.rom import load_rom

    rom = load_rom(name)
    for info in rom.images:
        rom.image(info.isa, info.build)
    tapes = len(rom.tapes())
    return Check(
        f"ROM {name}", "ok", f"{counted(len(rom.images), 'image')} with the right hashes, {counted(tapes, 'tape')}"
    )


def _window() -> Check:
    """Open an invisible window in a process of its own, because a broken driver may end the process."""
    advice = "`retrosim run --headless` works without one"
    reason = missing_display()
    if reason:
        return Check("window", "missing", reason, advice)
    try:
        done = subprocess.run(
            [sys.executable, "-c", WINDOW_TEST], capture_output=True, text=True, timeout=WINDOW_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return Check("window", "missing", f"the display did not answer within {WINDOW_SECONDS:g} s", advice)
    said = (done.stdout if done.stdout.strip() else done.stderr).strip().splitlines()
    found = said[-1] if said else f"status {done.returncode}"
    if done.returncode:
        return Check("window", "missing", f"no OpenGL 3.3: {found}", advice)
    return Check("window", "ok", f"OpenGL {found}")


def _cross_compilers() -> Iterator[Check]:
    """Yield the compilers that ROM images are built by, each once."""
    from retrosim.rom import load_toolchains

    try:
        chains = load_toolchains().by_name.values()
    except RetrosimError as error:
        yield Check("tool chains", "failed", str(error))
        return
    for chain in {each.command: each for each in chains}.values():
        if shutil.which(chain.command) is None:
            yield _missing_compiler(chain.command, chain.package)
            continue
        found = _first_line(chain.command)
        advice = "" if found == chain.version else f"the ROM images were built by {chain.version}"
        yield Check(chain.command, "ok", found, advice)
    for pascal in (each.pascal for each in chains if each.pascal):
        if all(map(shutil.which, ("fpc", "nasm"))):
            yield Check("Free Pascal", "ok", f"installed, and NASM; ROM images were built by {pascal.version}")
        else:
            yield _missing_compiler("Free Pascal", *pascal.packages)


def _missing_compiler(name: str, *packages: str) -> Check:
    return Check(name, "missing", "not installed", f"only to build ROM images: apt install {' '.join(packages)}")


def _native_compiler() -> Check:
    for command in ("cc", "gcc", "clang"):
        if shutil.which(command):
            return Check("C compiler", "ok", _first_line(command))
    return Check("C compiler", "missing", "not installed", "only to compare with native C in `bench`")


def _first_line(command: str) -> str:
    try:
        done = subprocess.run([command, "--version"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not run: {error}"
    return (done.stdout.splitlines() or [f"status {done.returncode}"])[0]
