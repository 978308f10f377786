"""What the commands for debuggers share: the program they open, a ROM, a tape or a file, and the options for it."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from retrosim.errors import RetrosimError, TapeError
from retrosim.machine.choices import CAUSES, NATIVE

from . import arguments, values
from .opening import check_machines, choose_rom, chosen_settings, open_chosen, open_program, refuse
from .output import shown_path
from .parser import Parser

if TYPE_CHECKING:
    import socket

    from retrosim.console.target import Target
    from retrosim.machine import Machine
    from retrosim.rom import Image, Rom
    from retrosim.tape import Player

TAPE_SUFFIX = ".rtape"
HOST = "127.0.0.1"


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
    """Add the option that counts clocks by cause; `count_causes` carries it out."""
    parser.add_argument(
        "--causes",
        action="store_true",
        help=f"count clocks by cause, for {purpose}; on machines whose CPU has a pipeline",
    )


def add_program(parser: Parser, causes: str) -> None:
    """Add the program, the sectors ROM by default, and `add_settings`."""
    parser.add_argument(
        "rom",
        nargs="?",
        metavar="PROGRAM",
        help=f"name of a ROM or a tape, or a file of either, or a program's file; default: {arguments.ROM}",
    )
    add_settings(parser, causes)


def add_settings(parser: Parser, causes: str) -> None:
    """Add the options that choose a machine and how its program starts; `causes` says what shows causes of clocks."""
    parser.add_argument(
        "--rom",
        dest="tape_rom",
        metavar="ROM",
        help="with a tape: folder or rom.toml to use instead of the ROM the tape names",
    )
    parser.add_argument("--unverified", action="store_true", help="with a tape: accept a ROM other than the recorded")
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
    from retrosim.serve.gdb_registers import architecture
    from retrosim.serve.programs import source_folders

    where = f":{port}" if host == HOST else f"{f'[{host}]' if ':' in host else host}:{port}"
    steps = [f"set architecture {architecture(image)}"]
    if folders := source_folders(program):
        steps.append(f"directory {':'.join(map(shown_path, folders))}")
    words = ["gdb-multiarch"]
    for step in [*steps, f"target remote {where}"]:
        words += ["-ex", step]
    return shlex.join(words)


def open_debugged(options: argparse.Namespace, note: Callable[[str], None]) -> Debugged:
    """Switch on the machine that the options describe, with its program, or with a tape at its start.

    options  rom: a ROM, a tape or a file; machine and what goes with it
    Errors   ArgumentError, RomError, TapeError
    """
    if options.machine == NATIVE:
        raise refuse(f"{NATIVE} runs no machine code that could be debugged")
    choose_rom(options)
    if _is_tape(options.rom):
        return _open_tape(options, note)
    for option, given in (("--rom", options.tape_rom), ("--unverified", options.unverified)):
        if given:
            raise refuse(f"{option}: {options.rom} is no tape")
    program = open_program(options)
    count_causes(options)
    return Debugged(cast("Machine", open_chosen(options, program, note)), program, options.rom)


def _is_tape(name: str) -> bool:
    if Path(name).suffix == TAPE_SUFFIX:
        return True
    if Path(name).exists():
        return False
    from retrosim.rom import rom_names
    from retrosim.tape import shipped_tapes

    return name not in rom_names() and name in {path.stem for path in shipped_tapes()}


def count_causes(options: argparse.Namespace, machine: str | None = None) -> None:
    """Choose the timing that counts clocks by cause, if it was asked for. Errors: ArgumentError.

    machine   its name; default: the one among the options
    """
    from retrosim.machine import PRESETS

    if not options.causes:
        return
    if options.timing not in (None, "full"):
        raise refuse(f"--causes: needs timing full, not {options.timing}")
    able = [name for name, preset in PRESETS.items() if CAUSES in preset.cpu().timing]
    name = machine or options.machine
    if name not in able:
        raise refuse(f"--causes: {name} has no pipeline whose clocks have causes; allowed {', '.join(able)}")
    options.timing = CAUSES


def _open_tape(options: argparse.Namespace, note: Callable[[str], None]) -> Debugged:
    from retrosim.tape import Player, find_tape, load_tape, open_for

    tape = load_tape(find_tape(options.rom))
    given = [name for name in ("objects", "seed", "at", "bits", "scene") if getattr(options, name) is not None]
    if given or options.parameters:
        raise refuse(f"--{[*given, 'set'][0]}: {options.rom} is a tape, which says itself")
    options.machine = options.machine or tape.machine
    if options.machine == NATIVE:
        raise TapeError(tape.path, f"was recorded on {NATIVE}; name another with --machine")
    check_machines([options.machine])
    count_causes(options)
    try:
        found = open_for(
            tape, options.machine, options.tape_rom, progress=note, **chosen_settings(options, options.machine)
        )
    except ValueError as error:
        raise TapeError(tape.path, str(error)) from error
    machine = cast("Machine", found)
    return Debugged(machine, cast("Rom", machine.rom), options.rom, Player(tape, machine, force=options.unverified))
