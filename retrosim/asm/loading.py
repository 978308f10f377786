"""Loads whatever a user names: a ROM, a program's file, a source; and chooses the machine where none is named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from retrosim.checks import check_choice
from retrosim.machine.presets import PRESETS
from retrosim.rom import Image, Rom, load_program
from retrosim.rom.library import in_boot

from .linking import ASSEMBLY, OBJECTS, PASCAL, link_sources
from .processors import FLAT, REAL
from .project import project_file, read_project

BOOTS = {None: "", 16: REAL, 32: FLAT}
"""Bits that a user says the code has -> what the CPU starts in."""


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
    others: Sequence[str | Path] = (),
    boot: str = "",
    at: int | None = None,
    note: Callable[[str], None] = lambda text: None,
    flags: tuple[str, ...] = (),
) -> Loaded:
    """Load a program for a machine.

    name     of a ROM, or the path of a project or of a file that `load_program` or the assembler takes
    machine  None: the first that can run the program
    default  machine of what runs on several: a ROM, an assembly source; None: one has to be named
    others   sources and objects that are linked with it
    boot, at, note, flags  as for `load_program`
    Errors   RomError, AssemblyError; ValueError for what does not fit the file, and where a machine has to be named
    """
    if found := project_file(name):
        _check_at(at)
        project = read_project(found)
        machine = machine or project.machine
        check_choice("machine", machine, tuple(PRESETS))
        image = link_sources([*project.sources, *map(Path, others)], machine, note, (*project.flags, *flags))
        return Loaded(in_boot(image, boot), machine)
    paths = [Path(name), *map(Path, others)]
    if others or (paths[0].suffix in (*ASSEMBLY, *PASCAL) and paths[0].is_file()):
        _check_at(at)
        machine = machine or _machine_of(paths) or _needed(name, default)
        check_choice("machine", machine, tuple(PRESETS))
        return Loaded(in_boot(link_sources(paths, machine, note, flags), boot), machine)
    isa = PRESETS[machine].isa if machine in PRESETS else None
    program = load_program(name, isa, boot, at=at, note=note, flags=flags)
    if machine is None:
        runs = [each.name for each in PRESETS.values() if isinstance(program, Image) and each.isa == program.isa]
        machine = next(iter(runs), None) or _needed(name, default)
    return Loaded(program, machine)


def _check_at(at: int | None) -> None:
    if at is not None:
        raise ValueError(f"at {at:#x}: allowed for a flat binary only")


def _machine_of(paths: Sequence[Path]) -> str | None:
    """Return the first machine that runs the first object among files, None where there is none."""
    found = next((path for path in paths if path.suffix in OBJECTS), None)
    return None if found is None else load_for(found, None).machine


def _needed(name: str | Path, default: str | None) -> str:
    if default is None:
        raise ValueError(f"{name} runs on several machines: name one of {', '.join(PRESETS)}")
    return default
