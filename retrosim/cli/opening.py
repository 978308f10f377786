"""Opens what the options name: ROM or ELF file, machine, parameters."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrosim.checks import check_choice, shortened
from retrosim.errors import RomError
from retrosim.machine.choices import NATIVE

from . import arguments
from .output import say
from .values import bad_arguments

if TYPE_CHECKING:
    from retrosim.jobs import Workers
    from retrosim.machine import Machine, NativeMachine
    from retrosim.machine.budget import Budget
    from retrosim.rom import Image, Rom

FEW_JOBS = 4


def refuse(reason: str) -> argparse.ArgumentError:
    """Return the usage error to raise."""
    return argparse.ArgumentError(None, reason)


def open_rom(options: argparse.Namespace) -> Rom | Image:
    """Return the ROM or the user's own program that options name; without --machine choose one that runs it.

    options  rom, machine; at and bits where the command has them
    Errors   RomError, AssemblyError; ArgumentError for an unknown machine, and for what does not fit the file
    """
    from retrosim.asm.linking import LINKED
    from retrosim.asm.project import BOOTS, load_for, project_file
    from retrosim.rom import Image, rom_names

    others = getattr(options, "others", ())
    if others and Path(options.rom).suffix not in LINKED and project_file(options.rom) is None:
        linked = f"only sources and objects are linked ({', '.join(LINKED)}), and {options.rom} is none (--help)"
        raise refuse(f"unexpected argument {shortened(others[0])!r}: {linked}")
    if options.machine is not None:
        check_machines([options.machine])
    at, bits = getattr(options, "at", None), getattr(options, "bits", None)
    if at is not None and options.rom in rom_names():
        raise refuse(f"--at {at:#x}: needs a flat binary, and {options.rom} is a ROM")
    with bad_arguments():
        chosen: dict[str, Any] = {"others": others, "boot": BOOTS[bits], "at": at, "note": say}
        flags = compiler_flags(options, (options.rom, *others))
        loaded = load_for(options.rom, options.machine, arguments.MACHINE, **chosen, flags=flags)
        if bits is not None and not isinstance(loaded.program, Image):
            raise ValueError(f"--bits {bits}: needs a file; a ROM's manifest states the mode of its images")
    options.machine = loaded.machine
    return loaded.program


def compiler_flags(options: argparse.Namespace, files: Iterable[str]) -> tuple[str, ...]:
    """Return the words of --cflags. Errors: ArgumentError if no file is a C source or a project; ValueError."""
    from retrosim.asm.linking import COMPILED
    from retrosim.asm.project import project_file

    flags = getattr(options, "cflags", None) or ""
    if flags and not any(Path(each).suffix in COMPILED or project_file(each) for each in files):
        raise refuse(f"--cflags {shortened(flags)}: is for C sources, and there is none")
    try:
        return tuple(shlex.split(flags))
    except ValueError:
        raise ValueError(f"--cflags {shortened(flags)}: a quote is not closed") from None


def choose_rom(options: argparse.Namespace) -> None:
    """Where options name no ROM, let it be the scene's, or the usual one. Errors: SceneError, RomError."""
    from retrosim.rom.scene_library import load_scene

    if options.rom is None:
        scene = getattr(options, "scene", None)
        options.rom = arguments.ROM if scene is None else load_scene(scene).rom


def open_program(options: argparse.Namespace) -> Rom | Image:
    """Return what runs by itself, as `open_rom` does; without a ROM the scene's, or the usual one.

    Errors   RomError, SceneError; ArgumentError for a library, and for a scene where none can be
    """
    from retrosim.rom import Rom
    from retrosim.rom.scene_library import load_scene

    choose_rom(options)
    scene = getattr(options, "scene", None)
    rom = open_rom(options)
    if scene is not None:
        if not isinstance(rom, Rom):
            raise refuse(f"--scene: needs a ROM with a rom.toml, and {options.rom} is a program of another kind")
        load_scene(scene, rom)
    if isinstance(rom, Rom) and rom.is_library:
        advice = f"call one of its routines with `retrosim cost {options.rom} --entry SYMBOL`"
        raise refuse(f"{rom.name} is a library and does not run by itself; {advice}")
    return rom


def program_name(rom: Rom | Image) -> str:
    """Return what to call a program in file names."""
    return getattr(rom, "name", "program")


def check_machines(names: Iterable[str]) -> None:
    """Refuse unknown machine names. Errors: ArgumentError."""
    from retrosim.machine import MACHINE_NAMES

    with bad_arguments():
        for name in names:
            check_choice("machine", name, MACHINE_NAMES)


def check_simulated(names: Iterable[str]) -> None:
    """Refuse names of machines that are unknown or have no cycles. Errors: ArgumentError."""
    names = list(names)
    check_machines(names)
    if NATIVE in names:
        raise refuse(f"machine {NATIVE!r}: has no CPU whose cycles could be counted")


def chosen_settings(options: argparse.Namespace, name: str) -> dict[str, Any]:
    """Return build, engine and timing as far as given. Errors: ArgumentError where there is no CPU to have them."""
    given = {key: value for key in ("build", "engine", "timing") if (value := getattr(options, key, None)) is not None}
    others = [option for option, key in (("memory", "memory"), ("reading", "readings")) if getattr(options, key, None)]
    if name == NATIVE and (given or others):
        first = next(iter([*given, *others]))
        raise refuse(f"--{first}: does not apply to {NATIVE}, which simulates no CPU")
    return given


def chosen_memory(options: argparse.Namespace, names: Iterable[str]) -> dict[str, int]:
    """Return the parameters of caches and bus that were given. Errors: ArgumentError where a machine lacks one."""
    from retrosim.machine import PRESETS
    from retrosim.machine.options import memory_parameters

    given = dict(getattr(options, "memory", ()))
    timing = getattr(options, "timing", None) or "full"
    if given and timing in ("off", "table"):
        raise refuse(f"--memory: timing {timing!r} has neither caches nor bus; allowed full")
    with bad_arguments():
        for name in names:
            memory_parameters(PRESETS[name], given)
    return given


def chosen_readings(
    options: argparse.Namespace, names: Iterable[str], program: Rom | Image, builds: Iterable[str] | None = None
) -> dict[str, str]:
    """Return the readings that were given.

    names    machines, each of which must have them, in the state in which it starts the program
    builds   of a ROM that run, None for the default one
    Errors   ArgumentError where a machine lacks one, or an option of it
    """
    from retrosim.cpu.spec import readings
    from retrosim.machine import PRESETS
    from retrosim.rom import Image

    given = dict(getattr(options, "readings", ()))
    if given and getattr(options, "timing", None) == "off":
        raise refuse("--reading: timing 'off' counts no cycles; allowed table, full")
    with bad_arguments():
        for name in names if given else ():
            isa, wanted = PRESETS[name].isa, builds or (None,)
            boots = [program.boot] if isinstance(program, Image) else [program.image_info(isa, b).boot for b in wanted]
            for cpu in map(PRESETS[name].cpu, dict.fromkeys(boots)):
                readings.chosen_readings(cpu.readings, given, f" on {name}")
    return given


def check_budget(options: argparse.Namespace, names: Iterable[str]) -> None:
    """Check the limits that were given, before anything is opened. Errors: ArgumentError where they cannot be met."""
    from retrosim.machine.budget import memory_in_use

    if options.max_cycles is not None and getattr(options, "timing", None) == "off":
        raise refuse("--max-cycles: timing 'off' counts no cycles")
    if options.max_cycles is not None and list(names) == [NATIVE]:
        raise refuse(f"--max-cycles: {NATIVE} has no CPU whose cycles could be counted")
    if options.max_memory is not None and memory_in_use() is None:
        raise refuse("--max-memory: this system does not say how much memory a process has")


def has_budget(options: argparse.Namespace) -> bool:
    """Tell whether a limit was given."""
    return any(getattr(options, name) is not None for name in ("max_cycles", "max_seconds", "max_memory"))


def chosen_budget(options: argparse.Namespace) -> Budget:
    """Return what a run without a window may use up: what was given, else what is usual."""
    from retrosim.machine.budget import MIB, Budget

    return Budget(
        cycles=options.max_cycles,
        seconds=options.max_seconds or arguments.SECONDS,
        memory=(options.max_memory or arguments.MEMORY) * MIB,
        frame_seconds=None if options.max_cycles else arguments.FRAME_SECONDS,
    )


def chosen_workers(options: argparse.Namespace, jobs: int | None = None) -> Workers:
    """Return who does long work: what was given, else one process for each core.

    jobs  how many there are to do, where they are so short that processes of their own pay only from FEW_JOBS on
    """
    from retrosim.jobs import Workers, usable_cores

    usual = 1 if jobs is not None and jobs < FEW_JOBS else usable_cores()
    return Workers(options.jobs or usual, options.scheduler, options.resume)


def chosen_parameters(options: argparse.Namespace, rom: Rom | Image) -> dict[str, int]:
    """Return the ROM parameters that were given. Errors: ArgumentError for an unknown name or a value out of range."""
    from retrosim.rom import Rom

    known = rom.parameters if isinstance(rom, Rom) else {}
    given = dict(options.parameters)
    given |= {name: value for name in ("objects", "seed") if (value := getattr(options, name)) is not None}
    with bad_arguments():
        for name, value in given.items():
            check_choice("parameter", name, known, "" if known else ": only ROMs with a rom.toml have parameters")
            if not known[name].minimum <= value <= known[name].maximum:
                raise ValueError(f"{name} {value}: allowed {known[name].minimum}..{known[name].maximum}")
    return given


def check_chosen(options: argparse.Namespace, rom: Rom | Image) -> None:
    """Check what the options say about the machine, before anything is opened. Errors: ArgumentError, RomError."""
    from retrosim.rom import Rom

    check_machines([options.machine])
    settings = chosen_settings(options, options.machine)
    chosen_parameters(options, rom)
    if options.machine == NATIVE:
        if not isinstance(rom, Rom):
            raise refuse(f"{NATIVE} runs the routines of ROMs compiled for this computer, not machine code")
        return
    from retrosim.machine import PRESETS

    chosen_memory(options, [options.machine])
    isa, builds = PRESETS[options.machine].isa, []
    if isinstance(rom, Rom):
        builds = [info.build for info in rom.images if info.isa == isa]
    elif rom.isa != isa:
        mode = rom.boot or rom.family.boots[0]
        runs = [name for name, each in PRESETS.items() if each.isa in rom.family.isas and mode in each.cpus]
        raise RomError(
            options.rom,
            f"is code for {rom.isa}; the {options.machine} runs {isa}; choose --machine {' or '.join(runs)}, or none",
        )
    if settings.get("build") is not None:
        with bad_arguments():
            check_choice("build", settings["build"], builds, f" on {options.machine}")
    _readings_of(options, rom)


def _readings_of(options: argparse.Namespace, rom: Rom | Image) -> dict[str, str]:
    build = getattr(options, "build", None)
    return chosen_readings(options, [options.machine], rom, None if build is None else [build])


def open_chosen(options: argparse.Namespace, rom: Rom | Image, note: Callable[[str], None]) -> Machine | NativeMachine:
    """Switch on the machine that the options describe.

    note     gets a line of text before long work
    Errors   ArgumentError, RomError
    """
    from retrosim.machine import open_machine

    check_chosen(options, rom)
    settings = chosen_settings(options, options.machine)
    parameters = chosen_parameters(options, rom)
    simulated = [] if options.machine == NATIVE else [options.machine]
    if memory := chosen_memory(options, simulated):
        settings["memory_clocks"] = memory
    if simulated and (readings := _readings_of(options, rom)):
        settings["readings"] = readings
    with bad_arguments():
        scene = getattr(options, "scene", None)
        return open_machine(options.machine, rom, parameters=parameters, scene=scene, progress=note, **settings)
