"""The machines that play tapes: opened one at a time, or kept in a pool for the next tape of the same program.

Opening a simulated machine compiles its program; a pool lets the tapes of a program share that work.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .format import Tape

if TYPE_CHECKING:
    from retrosim.machine.interface import AnyMachine, PlayableMachine

Opener = Callable[[Tape, str], "PlayableMachine"]
"""Opens the machine of a name for a tape."""
Program = tuple[str, str | None]
"""A scenario, and the ROM build that a tape was recorded with, if it says."""


def open_for(
    tape: Tape, name: str, rom: str | Path | None = None, *, build: str | None = None, **options: Any
) -> AnyMachine:
    """Open a machine that can play a tape, with the ROM build the tape was recorded with where there is one.

    tape     a loaded tape
    name     of the machine, or "native"
    rom      instead of the ROM the tape names
    build    instead of that build
    options  for `open_machine`: engine, timing, progress, ...
    Errors   RomError; ValueError for an unknown machine or option
    """
    from retrosim.machine import open_machine  # imported here because reading a tape needs no compiler
    from retrosim.rom import load_rom

    found = load_rom(tape.scenario if rom is None else rom)
    recorded = tape.header["machines"].get(name, {}).get("build")
    if build is None and recorded in {image.build for image in found.images}:
        build = recorded
    return open_machine(name, found, build=build, **options)


class MachinePool:
    """Machines by name, for tapes that follow each other; use it as a context manager.

    opener   opens a machine that the pool does not have

    A machine stays for the next tape of the same program, whose player resets it. The pool holds one machine of each
    name, all of one scenario; a machine that leaves it compiles nothing more.
    """

    def __init__(self, opener: Opener = open_for) -> None:
        self._opener = opener
        self._scenario = ""
        self._machines: dict[str, tuple[Program, PlayableMachine]] = {}

    def __call__(self, tape: Tape, name: str) -> PlayableMachine:
        """Return the machine of a name for a tape.

        Errors   those of the opener
        """
        if tape.scenario != self._scenario:
            self._release(*self._machines)
            self._scenario = tape.scenario
        program = tape.scenario, tape.header["machines"].get(name, {}).get("build")
        if name in self._machines and self._machines[name][0] != program:
            self._release(name)
        if name not in self._machines:
            self._machines[name] = program, self._opener(tape, name)
        return self._machines[name][1]

    def _release(self, *names: str) -> None:
        for name in names:
            _, machine = self._machines.pop(name)
            machine.stop_compiling()
            del machine
        if names:
            gc.collect()  # tens of MiB each, in reference cycles that the collector seldom looks at

    def __enter__(self) -> MachinePool:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._release(*self._machines)
