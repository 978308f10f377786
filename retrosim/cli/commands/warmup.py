"""Compile the default machines and ROMs in advance.

First the default build of sectors is compiled as a whole, with full timing;
then the instructions of the other ROMs, and those that `timing` and `cost` need
for other builds. What else a game needs is compiled while it runs.

examples:
  retrosim warmup
  retrosim warmup --machine mc68040-25
"""

from __future__ import annotations

import argparse
import inspect
import pkgutil
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from itertools import product
from typing import TYPE_CHECKING, Any

from retrosim.errors import RetrosimError
from retrosim.machine.choices import NATIVE
from retrosim.report.files import is_writable
from retrosim.report.text import counted

from .. import arguments
from ..output import columns, print_json, print_lines
from ..parser import Parser
from ..progress import Progress
from ..settings import check_machines

if TYPE_CHECKING:
    from retrosim.machine.ahead import Step

TIMINGS_BY_USE = ("full", "table", "off")


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    arguments.add_machines(parser)
    parser.add_argument(
        "--all", action="store_true", help="every build of the ROMs in every timing, and every instruction of the CPUs"
    )
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    from retrosim.cache.sources import CACHE
    from retrosim.machine import MACHINE_NAMES

    names = list(dict.fromkeys(options.machine or MACHINE_NAMES))
    check_machines(names)
    if CACHE.folder is None or not is_writable(CACHE.folder):
        reason = CACHE.problem or f"{CACHE.folder} is not writable"
        raise RetrosimError(f"compiled code cannot be kept: {reason}; set RETROSIM_HOME")
    steps = list(dict(_steps(names, options.all)).items())
    before, begun = _cached(), time.perf_counter()
    done = []
    with Progress(is_quiet=options.json) as progress:
        for number, (text, compile_it) in enumerate(steps):
            progress.step(number, len(steps), f"compiling {text}")
            started = time.perf_counter()
            compile_it()
            done.append((text, time.perf_counter() - started))
    seconds, (files, size) = time.perf_counter() - begun, _cached()
    listed = [{"what": text, "seconds": taken} for text, taken in done]
    result = {"steps": listed, "seconds": seconds, "folder": str(CACHE.folder), "files": files, "bytes": size}
    if options.json:
        print_json(result | {"new_files": files - before[0], "new_bytes": size - before[1]})
        return 0
    print_lines(columns([[f"{taken:6.1f} s", text] for text, taken in done], 0))
    print(f"{seconds:6.1f} s  total; {counted(files - before[0], 'new file')}")
    print(f"{CACHE.folder}: {counted(files, 'file')}, {size / 1e6:.1f} MB")
    return 0


def _cached() -> tuple[int, int]:
    """Return number and total size of the compiled files."""
    from retrosim.cache.sources import cached_files

    sizes = [path.stat().st_size for path in cached_files()]
    return len(sizes), sum(sizes)


def _steps(names: list[str], everything: bool) -> Iterator[Step]:
    """Yield what is to be compiled, the most wanted first; some of it more than once."""
    from retrosim.machine import PRESETS
    from retrosim.machine.ahead import programs_of
    from retrosim.machine.choices import CAUSES
    from retrosim.rom import load_rom, rom_names
    from retrosim.scenarios import SCENARIOS

    presets = [PRESETS[name] for name in sorted(names, key=lambda name: name != arguments.MACHINE) if name in PRESETS]
    roms = [load_rom(name) for name in sorted(rom_names(), key=lambda name: (name != arguments.ROM, name))]
    programs = list(programs_of(presets, roms))
    defaults = [program for program in programs if program.is_default]
    for program in defaults:
        is_first = program.rom.name == arguments.ROM
        yield from (program.whole if is_first else program.handlers)(TIMINGS_BY_USE[0])
    for program in defaults:
        what = f"a frame of {program.rom.name} on the {program.machine}"
        yield what, partial(_run_frame, program.machine, program.rom.name)
    if NATIVE in names:
        for rom in SCENARIOS:
            yield f"{rom} on the native machine", partial(_run_frame, NATIVE, rom)
        for dtype in ("int16", "int32"):
            yield f"the collision routines on {dtype}", partial(_run_routines, dtype)
    for timing, program in product(("full", CAUSES), programs):
        yield from program.handlers(timing)
    if everything:
        for timing, program in product(TIMINGS_BY_USE, programs):
            yield from program.whole(timing)
        for program, timing in product(defaults, TIMINGS_BY_USE):
            yield program.instruction_set(timing)


def _run_frame(name: str, rom: str) -> None:
    from retrosim.machine import open_machine

    open_machine(name, rom).run(frames=1)


def routines() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield every routine of `collide` that users call, as "module.function" or "Scene.method"."""
    from retrosim import collide
    from retrosim.collide.scene import Scene

    for info in pkgutil.walk_packages(collide.__path__, f"{collide.__name__}."):
        name = info.name.removeprefix(f"{collide.__name__}.")
        if name.startswith(("_", "kernels")) or info.ispkg:
            continue
        module = import_module(info.name)
        for function in vars(module).values():
            if inspect.isfunction(function) and function.__module__ == info.name and function.__name__[0] != "_":
                yield f"{name.rpartition('.')[2]}.{function.__name__}", function
    for name, method in vars(Scene).items():
        if inspect.isfunction(method) and name[0] != "_":
            yield f"Scene.{name}", method


def _run_routines(dtype: str) -> None:
    """Run every routine of `collide` once on coordinates of a type, and the usual ones in their usual forms."""
    from retrosim.collide._first_calls import COMPILER

    samples = _samples(dtype)
    for name, routine in routines():
        values = _arguments(name, routine, samples)
        result = routine(values.pop("self"), **values) if "self" in values else routine(**values)
        if isinstance(result, Iterator):
            deque(result, maxlen=0)
    _run_usual_forms(dtype)
    COMPILER.wait()


def _arguments(name: str, routine: Callable[..., Any], samples: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value for each parameter that has no default, or that the samples name for its type or its module."""
    module, chosen = name.partition(".")[0], {}
    for parameter in inspect.signature(routine).parameters.values():
        own = f"{module}.{parameter.name}"
        if parameter.annotation in samples:
            chosen[parameter.name] = samples[parameter.annotation]
        elif own in samples:
            chosen[parameter.name] = samples[own]
        elif parameter.default is parameter.empty:
            chosen[parameter.name] = samples[parameter.name]
    return {parameter: value() if callable(value) else value for parameter, value in chosen.items()}


def _samples(dtype: str) -> dict[str, Any]:
    """Return values for parameters by name, module and name, or type; a function makes one that the call changes."""
    import numpy as np

    from retrosim.collide import convex, masks
    from retrosim.collide.documents import bitmap, objects
    from retrosim.collide.scene import Scene

    x, y = np.array([10, 35, 300], dtype), np.array([10, 12, 300], dtype)
    sizes, pairs, shape = np.array([30, 20, 10]), np.array([[0, 1], [1, 2]], np.int32), np.zeros(3, np.int32)
    outlines, sprite = [[(0, 0), (9, 0), (0, 9)]], np.ones((2, 2), np.uint8)

    def scene() -> Scene:
        kept = Scene()
        kept.add(x, y, size=sizes)
        return kept

    def game() -> np.ndarray:
        ships = np.zeros(2, objects.OBJECT)
        ships[:] = [(objects.SHIP, 1, objects.DETECT_ALL, 0, place, place, 0, 1) for place in (100, 104)]
        return ships

    coordinates = {"x": x, "y": y, "z": y, "x0": x, "y0": y, "x1": y, "y1": x, "move_x": y, "move_y": x}
    coordinates |= {"batch.x": np.array([x, y]), "batch.y": np.array([y, x])}
    coordinates |= {"rectangles.x": x.astype(np.int16), "rectangles.y": y.astype(np.int16)}
    extents = {"size": sizes, "swept.size": sizes, "plane.size": 30, "batch.size": 30, "other": 30, "radius": 10}
    numbers = {"a": 0, "b": 1, "count": 3, "each": 1, "seed": 1994, "solid": [1], "values": [0.25, -3.5]}
    indices = {"pairs": pairs, "shape": shape, "first": np.arange(4, dtype=np.int32), "ids": np.array([0, 1, 2])}
    return {
        **coordinates,
        **extents,
        **numbers,
        **indices,
        "outlines": outlines,
        "Polygons": convex.pack(outlines, radius=1),
        "sprite": sprite,
        "Sequence[bytes | np.ndarray]": [sprite],
        "Masks": masks.pack([sprite]),
        "Images": bitmap.pack([sprite]),
        "frame": lambda: np.zeros((480, 640), np.uint8),
        "parts": np.array([[0, 0, 8, 8]] * 3, np.int16),
        "half": np.full((3, 2), 320, np.int16),
        "angle": np.array([0, 128, 256], np.int16),
        "rectangles.method": "point_1",
        "circles": [(28, 24, 12)],
        "objects": game,
        "shapes": objects.make_circles([(28, 24, 12)]),
        "self": scene,
    }


def _run_usual_forms(dtype: str) -> None:
    """Run what games call each frame on one size for all, on a size each, and on width and height each."""
    import numpy as np

    from retrosim import collide
    from retrosim.collide import groups, plane, world

    x, y = np.array([10, 35, 300], dtype), np.array([10, 12, 300], dtype)
    sizes, two = np.array([30, 20, 10]), np.array([[30, 20], [20, 30], [10, 4]])
    for method in (None, *collide.METHODS):
        for size in (30, sizes):
            collide.collided(x, y, size=size, method=method)
            collide.pairs(x, y, size=size, method=method)
    plane.collided(np.resize(x, 300), np.resize(y, 300))
    plane.pairs(np.resize(x, 300), np.resize(y, 300))
    for own in (x, x.astype(np.int64)):
        for size in (30, sizes, two):
            for call in (world.pairs, world.collided, world.counts, world.first):
                call(own, own, size=size)
            for ask in (groups.pairs, groups.collided, groups.counts, groups.first):
                ask(own, own, own, own, size=size, other=30)
        world.pairs(np.resize(own, 300), np.resize(own, 300), size=np.resize(two, (300, 2)))
        world.counts(own, own, size=30, starts=np.array([0, 1, 3]))
