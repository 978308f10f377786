"""`retrosim warmup`: compiles ahead what would otherwise be compiled when it is first needed."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import numpy as np

from retrosim import collide
from retrosim.cli.opening import check_machines
from retrosim.cli.output import columns, is_writable, print_json, print_lines
from retrosim.cli.progress import Progress
from retrosim.cpu.banks import full_bank
from retrosim.errors import RetrosimError
from retrosim.jit import CACHE_FOLDER
from retrosim.machine import MACHINE_NAMES, PRESETS, TIMINGS, NativeMachine, open_machine
from retrosim.rom import Rom, load_rom, rom_names
from retrosim.study.causes import MODE

Step = tuple[str, Callable[[], object]]
ROM_MODES = (*TIMINGS, MODE)  # in which commands run the shipped ROMs


def warmup(options: argparse.Namespace) -> int:
    """Carry out the command."""
    names = list(dict.fromkeys(options.machine or MACHINE_NAMES))
    check_machines(names)
    if not is_writable(CACHE_FOLDER):
        raise RetrosimError(
            f"{CACHE_FOLDER}: cannot be written to, so nothing can be compiled ahead; set RETROSIM_HOME"
        )
    steps = list(_steps(names))
    before, begun = _cached(), time.perf_counter()
    done = []
    with Progress(is_quiet=options.json) as progress:
        for number, (text, compile_it) in enumerate(steps):
            progress.step(number, len(steps), f"compiling {text}")
            started = time.perf_counter()
            compile_it()
            done.append({"what": text, "seconds": time.perf_counter() - started})
    seconds, (files, size) = time.perf_counter() - begun, _cached()
    result = {"steps": done, "seconds": seconds, "folder": str(CACHE_FOLDER), "files": files, "bytes": size}
    if options.json:
        print_json(result | {"new_files": files - before[0], "new_bytes": size - before[1]})
        return 0
    print_lines(columns([[f"{step['seconds']:6.1f} s", step["what"]] for step in done], 0))
    new = f"{files - before[0]} of them new" if files > before[0] else "nothing new"
    print(f"{seconds:6.1f} s  in all; {files} files, {size / 1e6:.1f} MB in {CACHE_FOLDER}, {new}")
    return 0


def _cached() -> tuple[int, int]:
    """Return number and total size of the compiled files."""
    sizes = [path.stat().st_size for path in CACHE_FOLDER.rglob("*.nb?") if path.is_file()]
    return len(sizes), sum(sizes)


def _steps(names: list[str]) -> Iterator[Step]:
    """Yield what is to be compiled: first what the shipped ROMs need, then everything else."""
    presets = [PRESETS[name] for name in names if name in PRESETS]
    roms = [load_rom(name) for name in rom_names()]
    for preset, rom, timing in product(presets, roms, ROM_MODES):
        for info in rom.images:
            if info.isa == preset.isa and timing in preset.cpu().timing:
                text = f"{preset.name} for {rom.name} {info.build}, timing {timing}"
                yield text, partial(_run_frame, preset.name, rom, build=info.build, timing=timing)
    if NativeMachine.name in names:
        yield "the native machine", partial(_run_frame, NativeMachine.name)
        for dtype in (np.int16, np.int32):
            yield f"the collision routines on {np.dtype(dtype).name}", partial(_run_routines, dtype)
    for cpu, timing in product({preset.isa: preset.cpu() for preset in presets}.values(), TIMINGS):
        yield f"every instruction of the {cpu.model}, timing {timing}", partial(full_bank, cpu, timing)


def _run_frame(name: str, rom: Rom | str = "sectors", **settings: str) -> None:
    open_machine(name, rom, **settings).run(frames=1)


def _run_routines(dtype: type[np.signedinteger]) -> None:
    """Run every routine of `collide` once on coordinates of a type."""
    x, y = np.array([10, 35, 300], dtype), np.array([10, 12, 300], dtype)
    sizes = np.array([30, 20, 10])
    for method in collide.METHODS:
        for size in (30, sizes):
            collide.collided(x, y, size=size, method=method)
            collide.pairs(x, y, size=size, method=method)
