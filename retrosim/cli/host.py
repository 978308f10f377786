"""`retrosim doctor`: what works on this host, and what retrosim does not model."""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from retrosim.cli.arguments import ENGINES, MACHINE
from retrosim.cli.display import missing_display
from retrosim.cli.output import columns, is_writable, print_json, print_lines
from retrosim.cli.version import find_version
from retrosim.errors import RetrosimError
from retrosim.rom import load_rom, rom_names
from retrosim.rom.recipe import Pascal

OLDEST_PYTHON = (3, 11)
REQUIRED = ("numba", "llvmlite", "numpy", "pyglet", "pyelftools", "rich")
PEERS = {
    "unicorn": "another 68040, for `bench` and the tests: pip install unicorn",
    "machine68k": "Musashi, for `bench` and the tests: pip install machine68k",
    **dict.fromkeys(("pygame-ce", "scipy", "shapely", "pymunk"), "a peer of `bench --kernels`: pip install '.[bench]'"),
}
NOT_MODELLED = (
    "floating point: its instructions take the exception of a CPU without it (601: floating-point unavailable)",
    "memory management: its registers hold what is written, no address is translated; every address answers",
    "sound, disks and other devices: there are the screen, its palette, the input word and the tick",
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
    """One thing looked at.

    status  "ok"; "missing": something optional; "warning": works with less comfort; "failed": retrosim needs it
    found   what there is
    advice  what to do, or ""
    """

    name: str
    status: str
    found: str
    advice: str = ""


def doctor(options: argparse.Namespace) -> int:
    """Carry out the command; the status is 1 if something that retrosim needs does not work."""
    checks = list(_checks(has_window=not options.no_window))
    if options.json:
        print_json({"checks": [asdict(check) for check in checks], "not_modelled": NOT_MODELLED})
    else:
        print_lines(columns([[c.name, c.status, c.found + (f"; {c.advice}" if c.advice else "")] for c in checks], 0))
        print_lines(["", "not modelled:", *(f"  {line}" for line in NOT_MODELLED)])
    return int(any(check.status == "failed" for check in checks))


def _checks(has_window: bool) -> Iterator[Check]:
    yield Check("retrosim", "ok", f"{find_version()} in {Path(__file__).parents[1]}")
    yield _python()
    yield Check("host", "ok", f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors")
    yield from (_package(name, "failed", f"pip install {name}") for name in REQUIRED)
    yield _guarded("compiler", _compiler)
    yield _guarded("cache", _cache)
    yield _guarded("engines", _engines)
    yield _guarded("files", _user_files)
    yield from (_guarded(f"ROM {name}", lambda name=name: _rom(name)) for name in rom_names())
    if has_window:
        yield _guarded("window", _window)
    yield from (_package(name, "missing", use) for name, use in PEERS.items())
    yield from _cross_compilers()
    yield _native_compiler()


def _guarded(name: str, look: Callable[[], Check]) -> Check:
    """Return what a look finds; whatever it raises is a finding too."""
    try:
        return look()
    except Exception as error:  # a broken library may raise anything
        return Check(name, "failed", f"{type(error).__name__}: {error}")


def _python() -> Check:
    is_new = sys.version_info >= OLDEST_PYTHON
    wanted = "" if is_new else f"needs {'.'.join(map(str, OLDEST_PYTHON))} or newer"
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
    from retrosim.jit import CACHE, CACHE_FOLDERS, cached_files

    files = cached_files()
    size = sum(path.stat().st_size for path in files)
    found = f"{CACHE}: {len(files)} files, {size / 1e6:.1f} MB of compiled code"
    if not all(map(is_writable, CACHE_FOLDERS.values())):
        return Check("cache", "warning", f"{CACHE}: cannot be written to", "everything is compiled at every start")
    return Check("cache", "ok", found, "" if size > 1e6 else "`retrosim warmup` compiles ahead")


def _engines() -> Check:
    """Say which there are, and how much of the default program the fastest of them finds compiled."""
    from retrosim.cpu.engines.compiled import is_compiled
    from retrosim.cpu.engines.recompile import region_name
    from retrosim.cpu.engines.regions import discover
    from retrosim.machine import open_machine

    machine = open_machine(MACHINE, engine="evaluate")
    core = machine._core
    regions = discover(core, machine.code_roots)
    ready = sum(is_compiled(region_name(core.cpu, machine.timing, region)) for region in regions)
    found = f"{', '.join(ENGINES[1:])}; {ready} of {len(regions)} regions of {machine.rom.name} are compiled"
    advice = "" if ready == len(regions) else "the others while it runs, or by `retrosim warmup`"
    return Check("engines", "ok", found, advice)


def _user_files() -> Check:
    from retrosim.jit import user_folder

    folder = user_folder("data")
    if is_writable(next(path for path in (folder, *folder.parents) if path.is_dir())):
        return Check("files", "ok", f"{folder}: tapes, states and screenshots of the window")
    return Check("files", "warning", f"{folder}: cannot be written to", "set RETROSIM_HOME to a folder of yours")


def _rom(name: str) -> Check:
    rom = load_rom(name)
    for info in rom.images:
        rom.image(info.isa, info.build)
    tapes = len(rom.tapes())
    return Check(f"ROM {name}", "ok", f"{len(rom.images)} images with the right hashes, {tapes} tapes")


def _window() -> Check:
    """Open an invisible window in a process of its own, because a broken driver may end the process."""
    advice = "retrosim run --headless works without"
    reason = missing_display()
    if reason:
        return Check("window", "missing", reason, advice)
    try:
        done = subprocess.run(
            [sys.executable, "-c", WINDOW_TEST], capture_output=True, text=True, timeout=WINDOW_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return Check("window", "missing", f"no answer from the display in {WINDOW_SECONDS:g} s", advice)
    said = (done.stdout if done.stdout.strip() else done.stderr).strip().splitlines()
    found = said[-1] if said else f"status {done.returncode}"
    if done.returncode:
        return Check("window", "missing", f"no OpenGL 3.3: {found}", advice)
    return Check("window", "ok", f"OpenGL {found}")


def _cross_compilers() -> Iterator[Check]:
    """Yield the compilers that can build the ROM images anew, each once."""
    seen: set[str] = set()
    for name in rom_names():
        try:
            recipe = load_rom(name).recipe
        except RetrosimError:
            continue  # said by `_rom`
        for chain in recipe.toolchains.values() if recipe else ():
            if chain.pascal:
                yield _pascal(name, chain.pascal)
            if chain.command in seen:
                continue
            seen.add(chain.command)
            use = f"only to build ROM {name} anew: apt install {chain.package}"
            if shutil.which(chain.command) is None:
                yield Check(chain.command, "missing", "not installed", use)
                continue
            found = _first_line(chain.command)
            other = "" if found == chain.version else f"{name} was built with {chain.version}; images may differ"
            yield Check(chain.command, "ok", found, other)


def _pascal(name: str, pascal: Pascal) -> Check:
    if all(map(shutil.which, ("fpc", "nasm"))):
        return Check("Free Pascal", "ok", f"there, and NASM; {name} was built with {pascal.version}")
    use = f"only to build ROM {name} anew: apt install {' '.join(pascal.packages)}"
    return Check("Free Pascal", "missing", "not installed", use)


def _native_compiler() -> Check:
    for command in ("cc", "gcc", "clang"):
        if shutil.which(command):
            return Check("C compiler", "ok", _first_line(command))
    return Check("C compiler", "missing", "not installed", "only for the peer in plain C of `bench`")


def _first_line(command: str) -> str:
    try:
        done = subprocess.run([command, "--version"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not run: {error}"
    return (done.stdout.splitlines() or [f"status {done.returncode}"])[0]
