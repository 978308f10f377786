"""`retrosim warmup`: compiles ahead what would otherwise be compiled when it is first needed."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from retrosim import collide
from retrosim.cli.arguments import MACHINE, ROM
from retrosim.cli.opening import check_machines
from retrosim.cli.output import columns, is_writable, print_json, print_lines
from retrosim.cli.progress import Progress
from retrosim.cpu.engines.banks import bank, full_bank, handlers_of
from retrosim.cpu.engines.recompile import CompiledRegion
from retrosim.cpu.engines.regions import Region, discover
from retrosim.cpu.spec.core import Cpu
from retrosim.errors import RetrosimError
from retrosim.jit import CACHE, CACHE_FOLDERS, cached_files
from retrosim.machine import MACHINE_NAMES, PRESETS, NativeMachine, Preset, open_machine
from retrosim.machine.native import SCENARIOS
from retrosim.rom import load_rom, rom_names
from retrosim.study.causes import MODE

Step = tuple[str, Callable[[], object]]
TIMINGS_BY_USE = ("full", "table", "off")


def warmup(options: argparse.Namespace) -> int:
    """Carry out the command."""
    names = list(dict.fromkeys(options.machine or MACHINE_NAMES))
    check_machines(names)
    if not all(map(is_writable, CACHE_FOLDERS.values())):
        raise RetrosimError(f"{CACHE}: cannot be written to, so nothing can be compiled ahead; set RETROSIM_HOME")
    steps = list(dict(_steps(names, options.all)).items())
    before, begun = _cached(), time.perf_counter()
    done = []
    with Progress(is_quiet=options.json) as progress:
        for number, (text, compile_it) in enumerate(steps):
            progress.step(number, len(steps), f"compiling {text}")
            started = time.perf_counter()
            compile_it()
            done.append({"what": text, "seconds": time.perf_counter() - started})
    seconds, (files, size) = time.perf_counter() - begun, _cached()
    result = {"steps": done, "seconds": seconds, "folder": str(CACHE), "files": files, "bytes": size}
    if options.json:
        print_json(result | {"new_files": files - before[0], "new_bytes": size - before[1]})
        return 0
    print_lines(columns([[f"{step['seconds']:6.1f} s", step["what"]] for step in done], 0))
    new = f"{files - before[0]} of them new" if files > before[0] else "nothing new"
    print(f"{seconds:6.1f} s  in all; {files} files, {size / 1e6:.1f} MB in {CACHE}, {new}")
    return 0


def _cached() -> tuple[int, int]:
    """Return number and total size of the compiled files."""
    sizes = [path.stat().st_size for path in cached_files()]
    return len(sizes), sum(sizes)


@dataclass(frozen=True)
class Program:
    """One build of a shipped ROM on the machines of its instruction set."""

    machine: str
    cpu: Cpu
    rom: str
    name: str
    is_default: bool
    regions: list[Region]

    def handlers(self, timing: str) -> Iterator[Step]:
        """Yield what the interpreter needs."""
        if timing in self.cpu.timing:
            handlers = handlers_of(insn for region in self.regions for insn in region.insns)
            yield self._named(timing, f"{len(handlers)} handlers"), partial(bank, self.cpu, timing, handlers)

    def whole(self, timing: str) -> Iterator[Step]:
        """Yield what the recompiler needs: the handlers for what runs between regions, and the regions."""
        yield from self.handlers(timing)
        for number, region in enumerate(self.regions, start=1):
            text = f"region {number} of {len(self.regions)}, {len(region.blocks)} blocks"
            yield self._named(timing, text), partial(CompiledRegion, self.cpu, timing, region)

    def _named(self, timing: str, what: str) -> str:
        return f"{self.name} for the {self.cpu.model}, timing {timing}: {what}"


def _programs(presets: Iterable[Preset]) -> Iterator[Program]:
    names = sorted(rom_names(), key=lambda name: (name != ROM, name))
    for preset, rom in product(presets, map(load_rom, names)):
        for info in rom.images:
            if info.isa == preset.isa:
                machine = open_machine(preset.name, rom, build=info.build, engine="evaluate")
                regions = discover(machine._core, machine.code_roots)
                is_run = info.default and not rom.is_library
                yield Program(preset.name, machine._core.cpu, rom.name, f"{rom.name} {info.build}", is_run, regions)


def _steps(names: list[str], everything: bool) -> Iterator[Step]:
    """Yield what is to be compiled, what is wanted most first; some of it more than once."""
    presets: dict[str, Preset] = {}
    for name in sorted(names, key=lambda name: name != MACHINE):
        if name in PRESETS:
            presets.setdefault(PRESETS[name].isa, PRESETS[name])
    programs = list(_programs(presets.values()))
    defaults = [program for program in programs if program.is_default]
    for program in defaults:
        yield from program.whole(TIMINGS_BY_USE[0])
    for program in defaults:
        yield f"a frame of {program.rom} on the {program.machine}", partial(_run_frame, program.machine, program.rom)
    if NativeMachine.name in names:
        for rom in SCENARIOS:
            yield f"{rom} on the native machine", partial(_run_frame, NativeMachine.name, rom)
        for dtype in (np.int16, np.int32):
            yield f"the collision routines on {np.dtype(dtype).name}", partial(_run_routines, dtype)
    for timing, program in product(("full", MODE), programs):
        yield from program.handlers(timing)
    if everything:
        for timing, program in product(TIMINGS_BY_USE, programs):
            yield from program.whole(timing)
        for program, timing in product(defaults, TIMINGS_BY_USE):
            text = f"every instruction of the {program.cpu.model}, timing {timing}"
            yield text, partial(full_bank, program.cpu, timing)


def _run_frame(name: str, rom: str) -> None:
    open_machine(name, rom).run(frames=1)


def _run_routines(dtype: type[np.signedinteger]) -> None:
    """Run every routine of `collide` once on coordinates of a type."""
    x, y = np.array([10, 35, 300], dtype), np.array([10, 12, 300], dtype)
    sizes = np.array([30, 20, 10])
    for method in (None, *collide.METHODS):
        for size in (30, sizes):
            collide.collided(x, y, size=size, method=method)
            collide.pairs(x, y, size=size, method=method)
