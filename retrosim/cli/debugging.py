"""What the commands for debuggers share: the program they open, a ROM, a tape or a file, and the options for it."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from retrosim.errors import RetrosimError, TapeError
from retrosim.machine.choices import NATIVE

from . import arguments, values
from .opening import choose_runnable, with_rom
from .output import shown_path
from .parser import Parser
from .settings import MachineSettings, check_machines, refuse

if TYPE_CHECKING:
    import socket

    from retrosim.console.target import Target
    from retrosim.machine import Machine
    from retrosim.rom import Image, Rom
    from retrosim.tape import Player

TAPE_SUFFIX = ".rtape"
HOST = "127.0.0.1"
SET_BY_TAPES = ("objects", "seed", "at", "bits", "scene")


@dataclass(frozen=True)
class Debugged:
    """A machine to debug, and where its program came from."""

    machine: Machine
    program: Rom | Image
    name: str
    player: Player | None = None

    @property
    def file(self) -> Path | None:
        """The ELF file of the program, if it has one."""
        from retrosim.serve.programs import file_of

        return file_of(self.program, self.machine.image, self.name)

    def target(self) -> Target:
        """Return the machine as the servers take it."""
        from retrosim.console.target import Target

        return Target(self.machine, self.player)


def add_causes(parser: Parser, purpose: str) -> None:
    """Add the option that counts clocks by cause; `MachineSettings.with_causes` carries it out."""
    help = f"count clocks by cause, for {purpose}; on machines whose CPU has a pipeline"
    parser.add_argument("--causes", action="store_true", help=help)


def add_program(parser: Parser, causes: str) -> None:
    """Add the program, the sectors ROM by default, and `add_settings`."""
    help = f"name of a ROM or a tape, or a file of either, or a program's file; default: {arguments.ROM}"
    parser.add_argument("rom", nargs="?", metavar="PROGRAM", help=help)
    add_settings(parser, causes)


def add_settings(parser: Parser, causes: str) -> None:
    """Add the options that choose a machine and how its program starts; `causes` says what shows causes of clocks."""
    arguments.add_tape_rom(parser, note="with a tape: ", dest="tape_rom")
    arguments.add_machine(parser)
    add_causes(parser, causes)
    arguments.add_at(parser)
    arguments.add_memory(parser)
    arguments.add_readings(parser)
    arguments.add_parameters(parser)
    arguments.add_scene(parser)


def add_listening(parser: Parser, port: int | None, help: str) -> None:
    """Add the options that say where clients connect."""
    parser.add_argument("--port", type=values.whole(0, 65535), default=port, metavar="N", help=help)
    parser.add_argument(
        "--host",
        default=HOST,
        metavar="ADDRESS",
        help=f"address to listen on; default: {HOST}, this computer alone. Whoever can connect controls the machine "
        "and can read and write saved states with your rights",
    )


def listening_on(host: str, port: int) -> socket.socket:
    """Listen for clients. Errors: RetrosimError."""
    from retrosim.serve.stream import listen

    try:
        return listen(host, port)
    except OSError as error:
        reason = str(error.strerror or error).partition(" (while")[0]  # Python repeats the address there
        raise RetrosimError(f"{host}:{port}: cannot be listened on: {reason}") from None


def connecting(program: Rom | Image, image: Image, host: str, port: int) -> str:
    """Return the command that connects gdb, which then takes the program from the server."""
    from retrosim.rom.toolchains import source_folders
    from retrosim.serve.gdb_session import architecture

    where = f":{port}" if host == HOST else f"{f'[{host}]' if ':' in host else host}:{port}"
    steps = [f"set architecture {architecture(image)}"]
    if folders := source_folders(program):
        steps.append(f"directory {':'.join(map(shown_path, folders))}")
    words = ["gdb-multiarch"]
    for step in [*steps, f"target remote {where}"]:
        words += ["-ex", step]
    return shlex.join(words)


@dataclass(frozen=True)
class DebugSettings:
    """What is debugged; causes: clocks are counted by cause.

    tape_rom, is_unverified  with a tape: another ROM than the one it names, and that it may differ
    """

    machine: MachineSettings
    tape_rom: str | None
    is_unverified: bool
    causes: bool

    @classmethod
    def of(cls, options: argparse.Namespace) -> DebugSettings:
        """Return what was given."""
        return cls(MachineSettings.of(options), options.tape_rom, options.unverified, options.causes)


def open_debugged(settings: DebugSettings, note: Callable[[str], None]) -> Debugged:
    """Switch on the machine that settings describe, with its program, or with a tape at its start.

    Errors   ArgumentError, RomError, TapeError
    """
    if settings.machine.machine == NATIVE:
        raise refuse(f"{NATIVE} runs no machine code that could be debugged")
    named = with_rom(settings.machine)
    rom = named.rom or arguments.ROM
    if _is_tape(rom):
        return _open_tape(replace(settings, machine=named), rom, note)
    for option, given in (("--rom", settings.tape_rom), ("--unverified", settings.is_unverified)):
        if given:
            raise refuse(f"{option}: {rom} is no tape")
    chosen = choose_runnable(named).with_causes(settings.causes)
    chosen.check()
    return Debugged(cast("Machine", chosen.open(note)), chosen.program, rom)


def _is_tape(name: str) -> bool:
    if Path(name).suffix == TAPE_SUFFIX:
        return True
    if Path(name).exists():
        return False
    from retrosim.rom import rom_names
    from retrosim.tape import shipped_tapes

    return name not in rom_names() and name in {path.stem for path in shipped_tapes()}


def _open_tape(settings: DebugSettings, name: str, note: Callable[[str], None]) -> Debugged:
    from retrosim.tape import Player, load_tape, open_for

    tape, given = load_tape(name), settings.machine
    stated = [*given.parameters, *(option for option in ("at", "bits", "scene") if getattr(given, option) is not None)]
    if stated:
        option = stated[0] if stated[0] in SET_BY_TAPES else "set"
        raise refuse(f"--{option}: {name} is a tape, which says itself")
    on = given.machine or tape.machine
    if on == NATIVE:
        raise TapeError(tape.name, f"was recorded on {NATIVE}; name another with --machine")
    check_machines([on])
    chosen = given.with_causes(on) if settings.causes else given
    try:
        opened = open_for(tape, on, settings.tape_rom, progress=note, **chosen.of_cpu(on))
    except ValueError as error:
        raise TapeError(tape.name, str(error)) from error
    machine = cast("Machine", opened)
    return Debugged(machine, cast("Rom", machine.rom), name, Player(tape, machine, force=settings.is_unverified))
