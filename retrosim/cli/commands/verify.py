"""Replay tapes on several machines and name the first frame and field that differ.

examples:
  retrosim verify mine.rtape
  retrosim verify *.rtape --on all
  retrosim verify mine.rtape --on mc68040-25,native --json
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from retrosim.cli import arguments, values
from retrosim.cli.opening import NATIVE, check_budget, check_machines, chosen_budget, counted_on
from retrosim.cli.output import print_json, print_lines, say
from retrosim.cli.parser import Parser
from retrosim.cli.progress import Progress
from retrosim.errors import RomError, TapeError

if TYPE_CHECKING:
    from retrosim.machine.budget import Budget
    from retrosim.machine.interface import PlayableMachine
    from retrosim.tape import MachinePool, Tape

ALL = "all"


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    parser.add_argument("tapes", nargs="+", metavar="TAPE", help="tape files, or names from `retrosim list tapes`")
    parser.add_argument(
        "--on",
        type=values.names,
        metavar="MACHINES",
        help=f"names separated by commas, or {ALL}; default: the machine of the tape, and {NATIVE}",
    )
    parser.add_argument("--rom", metavar="ROM", help="folder or rom.toml to use instead of the ROM the tapes name")
    arguments.add_engine(parser)
    parser.add_argument("--unverified", action="store_true", help="accept a ROM other than the recorded one")
    parser.add_argument(
        "--allow-partial",
        action="store_true",
        help="accept an interrupted recording, verified to its last line",
    )
    arguments.add_budget(parser, "each replay", "")
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    from retrosim.tape import exit_status, report_lines, shortcoming

    if options.on != [ALL]:
        check_machines(options.on or [])
    check_budget(options, options.on or [])
    with Progress(is_quiet=options.json) as progress:
        entries = _verify_tapes(list(dict.fromkeys(options.tapes)), options, progress)
    report = {"tapes": entries}
    if options.json:
        print_json(report)
    else:
        print_lines(report_lines({"tapes": [entry for entry in entries if "error" not in entry]}))
    for entry in entries:
        if reason := entry.get("error") or shortcoming(entry, options.allow_partial):
            say(f"{entry['path']}: {reason}")
    return exit_status(report, options.allow_partial)


def _machines(tape: Tape, options: argparse.Namespace) -> list[str]:
    """Return the machines to verify a tape on; not every ROM has native kernels."""
    from retrosim.machine import PRESETS
    from retrosim.rom import load_rom
    from retrosim.scenarios import SCENARIOS

    if options.on not in (None, [ALL]):
        return list(options.on)
    rom = load_rom(options.rom or tape.scenario)
    isas = {info.isa for info in rom.images}
    simulated = [name for name, preset in PRESETS.items() if preset.isa in isas] if options.on else [tape.machine]
    return list(dict.fromkeys([*simulated, *([NATIVE] if rom.name in SCENARIOS else [])]))


def _verify_tapes(names: list[str], options: argparse.Namespace, progress: Progress) -> list[dict[str, Any]]:
    from retrosim.tape import MachinePool, open_for

    budget = chosen_budget(options)
    note = counted_on(budget, progress.note)

    def open_one(tape: Tape, name: str) -> PlayableMachine:
        settings = {"engine": options.engine} if options.engine and name != NATIVE else {}
        return open_for(tape, name, options.rom, progress=note, **settings)

    with MachinePool(open_one) as machine_of:
        return [
            _verify_tape(name, f"{number} of {len(names)}, {name}", machine_of, options, progress, budget)
            for number, name in enumerate(names, 1)
        ]


def _verify_tape(
    name: str, place: str, machine_of: MachinePool, options: argparse.Namespace, progress: Progress, budget: Budget
) -> dict[str, Any]:
    from retrosim.tape import find_tape, load_tape, open_for, verify

    def reference(tape: Tape, machine: str) -> PlayableMachine:
        return open_for(tape, machine, options.rom, progress=progress.note, engine="interpret")

    def on_progress(path: str, machine: str, frame: int, frames: int) -> None:
        progress.step(frame, frames, f"verifying {place} on {machine}")

    entry: dict[str, Any] = {"path": name, "frames": 0, "complete": False, "note": "", "results": []}
    try:
        entry["path"] = path = find_tape(name)
        tape = load_tape(path)
        entry |= {"frames": tape.frames, "complete": tape.is_complete, "note": tape.note}
        report = verify(
            [path],
            _machines(tape, options),
            opener=machine_of,
            reference=reference,
            force=options.unverified,
            on_progress=on_progress,
            budget=budget,
        )
    except TapeError as error:
        return entry | {"error": error.reason}
    except (RomError, ValueError) as error:  # its ROM, or a machine that only the tape names
        return entry | {"error": str(error)}
    verified: dict[str, Any] = report["tapes"][0]
    return verified
