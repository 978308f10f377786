"""Opens what settings name: a ROM or a program of the user's own, and the machine that runs it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrosim.checks import check_choice, shortened
from retrosim.errors import RomError
from retrosim.machine.choices import NATIVE

from . import arguments
from .output import say
from .settings import MachineSettings, check_machines, check_memory, refuse
from .values import bad_arguments

if TYPE_CHECKING:
    from retrosim.machine import Machine, NativeMachine
    from retrosim.rom import Image, Rom


@dataclass(frozen=True)
class Chosen:
    """A program, and the machine that is to run it; settings: what was given, with both of them named."""

    program: Rom | Image
    settings: MachineSettings

    @property
    def machine(self) -> str:
        """The name of the machine."""
        return self.settings.machine or arguments.MACHINE

    @property
    def rom(self) -> str:
        """What the program was given as: a name, a folder or a file."""
        return self.settings.rom or arguments.ROM

    @property
    def name(self) -> str:
        """What to call the program in file names."""
        return getattr(self.program, "name", "program")

    def with_causes(self, is_asked: bool = True) -> Chosen:
        """Count clocks by cause, if that was asked for. Errors: ArgumentError where the machine does not."""
        return replace(self, settings=self.settings.with_causes(self.machine)) if is_asked else self

    def parameters(self) -> Mapping[str, int]:
        """Return the ROM's parameters that were given. Errors: ArgumentError for a name or a value it does not have."""
        from retrosim.rom import Rom

        allowed = self.program.parameters if isinstance(self.program, Rom) else {}
        with bad_arguments():
            for name, value in self.settings.parameters.items():
                reason = "" if allowed else ": only ROMs with a rom.toml have parameters"
                check_choice("parameter", name, allowed, reason)
                if not allowed[name].minimum <= value <= allowed[name].maximum:
                    raise ValueError(f"{name} {value}: allowed {allowed[name].minimum}..{allowed[name].maximum}")
        return self.settings.parameters

    def check(self) -> None:
        """Check what was said about the machine, before anything is opened. Errors: ArgumentError, RomError."""
        from retrosim.rom import Rom

        check_machines([self.machine])
        settings, program = self.settings, self.program
        settings.of_cpu(self.machine)
        self.parameters()
        if self.machine == NATIVE:
            if not isinstance(program, Rom):
                raise refuse(f"{NATIVE} runs the routines of ROMs compiled for this computer, not machine code")
            return
        from retrosim.machine import PRESETS

        check_memory(settings.memory, settings.timing, [self.machine])
        isa, builds = PRESETS[self.machine].isa, []
        if isinstance(program, Rom):
            builds = [info.build for info in program.images if info.isa == isa]
        elif program.isa != isa:
            mode = program.boot or program.family.boots[0]
            fitting = (name for name, p in PRESETS.items() if p.isa in program.family.isas and mode in p.cpus)
            runs = f"the {self.machine} runs {isa}; choose --machine {' or '.join(fitting)}, or none"
            raise RomError(self.rom, f"is code for {program.isa}; {runs}")
        if settings.build is not None:
            with bad_arguments():
                check_choice("build", settings.build, builds, f" on {self.machine}")
        wanted = None if settings.build is None else [settings.build]
        check_readings(settings.readings, settings.timing, [self.machine], program, wanted)

    def open(self, note: Callable[[str], None]) -> Machine | NativeMachine:
        """Switch the machine on; `check` comes before.

        note     gets a line of text before long work
        Errors   ArgumentError, RomError
        """
        from retrosim.machine import open_machine

        settings = self.settings
        options = settings.of_cpu(self.machine) | {"parameters": dict(settings.parameters), "scene": settings.scene}
        if settings.memory:
            options["memory_clocks"] = dict(settings.memory)
        if settings.readings:
            options["readings"] = dict(settings.readings)
        with bad_arguments():
            return open_machine(self.machine, self.program, progress=note, **options)


def choose(settings: MachineSettings) -> Chosen:
    """Load the program that settings name; where they name no machine, choose one that runs it.

    Errors   RomError, AssemblyError; ArgumentError for an unknown machine, and for what does not fit the file
    """
    from retrosim.asm.linking import LINKED
    from retrosim.asm.project import BOOTS, load_for, project_file
    from retrosim.rom import Image, rom_names

    rom, others, at, bits = settings.rom or arguments.ROM, settings.others, settings.at, settings.bits
    if others and Path(rom).suffix not in LINKED and project_file(rom) is None:
        linked = f"only sources and objects are linked ({', '.join(LINKED)}), and {rom} is none (--help)"
        raise refuse(f"unexpected argument {shortened(others[0])!r}: {linked}")
    if settings.machine is not None:
        check_machines([settings.machine])
    if at is not None and rom in rom_names():
        raise refuse(f"--at {at:#x}: needs a flat binary, and {rom} is a ROM")
    with bad_arguments():
        how: dict[str, Any] = {"others": others, "boot": BOOTS[bits], "at": at, "note": say}
        flags = compiler_flags(settings.cflags, (rom, *others))
        loaded = load_for(rom, settings.machine, arguments.MACHINE, **how, flags=flags)
        if bits is not None and not isinstance(loaded.program, Image):
            raise ValueError(f"--bits {bits}: needs a file; a ROM's manifest states the mode of its images")
    return Chosen(loaded.program, replace(settings, rom=rom, machine=loaded.machine))


def choose_runnable(settings: MachineSettings) -> Chosen:
    """Load what runs by itself, as `choose` does; without a ROM the scene's, or the usual one.

    Errors   RomError, SceneError; ArgumentError for a library, and for a scene where none can be
    """
    from retrosim.rom import Rom
    from retrosim.rom.scene import load_scene

    chosen = choose(with_rom(settings))
    program = chosen.program
    if settings.scene is not None:
        if not isinstance(program, Rom):
            raise refuse(f"--scene: needs a ROM with a rom.toml, and {chosen.rom} is a program of another kind")
        load_scene(settings.scene, program)
    if isinstance(program, Rom) and program.is_library:
        advice = f"call one of its routines with `retrosim cost {chosen.rom} --entry SYMBOL`"
        raise refuse(f"{program.name} is a library and does not run by itself; {advice}")
    return chosen


def with_rom(settings: MachineSettings) -> MachineSettings:
    """Where settings name no ROM, let it be the scene's, or the usual one. Errors: SceneError, RomError."""
    from retrosim.rom.scene import load_scene

    if settings.rom is not None:
        return settings
    return replace(settings, rom=arguments.ROM if settings.scene is None else load_scene(settings.scene).rom)


def compiler_flags(flags: str, files: Iterable[str]) -> tuple[str, ...]:
    """Return the words of --cflags. Errors: ArgumentError if no file is a C source or a project; ValueError."""
    from retrosim.asm.linking import COMPILED
    from retrosim.asm.project import project_file

    if flags and not any(Path(file).suffix in COMPILED or project_file(file) for file in files):
        raise refuse(f"--cflags {shortened(flags)}: is for C sources, and there is none")
    try:
        return tuple(shlex.split(flags))
    except ValueError:
        raise ValueError(f"--cflags {shortened(flags)}: a quote is not closed") from None


def check_readings(
    given: Mapping[str, str],
    timing: str | None,
    names: Iterable[str],
    program: Rom | Image,
    builds: Iterable[str] | None = None,
) -> None:
    """Refuse readings that one of the machines lacks, or an option of one.

    names    machines, each of which must have them, in the state in which it starts the program
    builds   of a ROM that run, None for the default one
    Errors   ArgumentError
    """
    from retrosim.cpu.spec.sources import chosen_readings
    from retrosim.machine import PRESETS
    from retrosim.rom import Image

    if given and timing == "off":
        raise refuse("--reading: timing 'off' counts no cycles; allowed table, full")
    with bad_arguments():
        for name in names if given else ():
            isa, wanted = PRESETS[name].isa, builds or (None,)
            boots = [program.boot] if isinstance(program, Image) else [program.image_info(isa, b).boot for b in wanted]
            for cpu in map(PRESETS[name].cpu, dict.fromkeys(boots)):
                chosen_readings(cpu.readings, given, f" on {name}")
