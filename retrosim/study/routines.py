"""Clocks of methods: their ROM code on simulated machines, on the same scenes as the kernels."""

from __future__ import annotations

from collections.abc import Sequence

from retrosim.errors import RetrosimError
from retrosim.machine import Measurement
from retrosim.machine.presets import preset
from retrosim.rom import Rom, load_rom

from .forms import Forms
from .method import Method
from .unit import Unit

BUILDS = ("O2", "flat")  # the first of these that a ROM has for a processor


def build_of(rom: Rom, machine: str) -> str:
    """Return the build to measure on a machine."""
    there = [info.build for info in rom.images if info.isa == preset(machine).isa]
    return next(build for build in BUILDS if build in there)


def roms_of(methods: Sequence[Method]) -> dict[str, Rom]:
    """Return the ROMs that hold these methods."""
    return {name: load_rom(name) for name in dict.fromkeys(method.routine.rom for method in methods if method.routine)}


def open_unit(machine: str, rom: Rom, objects: int, engine: str) -> Unit:
    """Switch on a machine with a ROM."""
    parameters = {"objects": objects} if "objects" in rom.parameters else None
    return Unit(machine, rom, build=build_of(rom, machine), parameters=parameters, engine=engine)


def run_routine(method: Method, unit: Unit, forms: Forms) -> tuple[Measurement, object]:
    """Lay a scene out and run a frame of it; return what that costs, and what the ROM has found."""
    (symbol, arguments), read = method.routine.layout(unit, forms, method.routine.entry)
    return unit.measure(symbol, *arguments), read()


def kernel_result(method: Method, forms: Forms) -> object:
    """Return what the kernel finds in a scene, in the form in which `run_routine` returns it."""
    frame = method.frame(forms)
    frame.run()
    return method.routine.expected(forms, frame)


def measure_method(method: Method, unit: Unit, scenes: Sequence[Forms]) -> tuple[float, float]:
    """Return clocks and instructions of a frame, the mean over scenes of as many objects each.

    Caches are warm, see `Machine.measure`: code and data are where a program that runs frame after frame finds them.
    Errors  RetrosimError  the ROM finds other collisions than the kernel
    """
    cycles = instructions = 0
    for forms in scenes:
        cost, found = run_routine(method, unit, forms)
        if found != kernel_result(method, forms):
            raise RetrosimError(f"{unit.name}: {method.name} of the ROM {method.routine.rom} differs from its kernel")
        cycles += cost.cycles
        instructions += cost.instructions
    return cycles / len(scenes), instructions / len(scenes)
