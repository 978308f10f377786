"""Loads whatever a user names: a ROM, a program's file, a source; and chooses the machine where none is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from retrosim.checks import check_choice
from retrosim.machine.presets import PRESETS
from retrosim.rom import Image, Rom, load_program
from retrosim.rom.formats import File, load_file

from .assembling import assemble_file

ASSEMBLY = (".s", ".asm")


@dataclass(frozen=True)
class Loaded:
    """A program, and the machine that is to run it."""

    program: Rom | Image
    machine: str


def load_for(
    name: str | Path,
    machine: str | None,
    default: str | None = None,
    *,
    boot: str = "",
    at: int | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> Loaded:
    """Load a program for a machine.

    name     of a ROM, or the path of a file that `load_program` or the assembler takes
    machine  None: the first that can run the program
    default  machine of what runs on several: a ROM, an assembly source; None: one has to be named
    boot, at, note  as for `load_program`
    Errors   RomError, AssemblyError; ValueError for what does not fit the file, and where a machine has to be named
    """
    if Path(name).suffix in ASSEMBLY and Path(name).is_file():
        machine = machine or _needed(name, default)
        return Loaded(_assembled(Path(name), machine), machine)
    isa = PRESETS[machine].isa if machine in PRESETS else None
    program = load_program(name, isa, boot, at=at, note=note)
    if machine is None:
        runs = [each.name for each in PRESETS.values() if isinstance(program, Image) and each.isa == program.isa]
        machine = next(iter(runs), None) or _needed(name, default)
    return Loaded(program, machine)


def _needed(name: str | Path, default: str | None) -> str:
    if default is None:
        raise ValueError(f"{name} runs on several machines: name one of {', '.join(PRESETS)}")
    return default


def _assembled(path: Path, machine: str) -> Image:
    """Assemble a source, and load what comes of it. Errors: AssemblyError, RomError; ValueError."""
    check_choice("machine", machine, tuple(PRESETS))
    assembly = assemble_file(path, machine)
    return load_file(File(path, assembly.elf, assembly.isa))
