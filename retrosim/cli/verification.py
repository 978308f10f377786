"""`retrosim verify`: every hash line of every tape on every machine wanted."""

from __future__ import annotations

import argparse
from typing import Any

from retrosim.cli.opening import check_machines, tape_path
from retrosim.cli.output import print_json, print_lines, say
from retrosim.cli.progress import Progress
from retrosim.errors import RomError, TapeError
from retrosim.machine import NATIVE, PRESETS
from retrosim.machine.interface import PlayableMachine
from retrosim.machine.native import SCENARIOS
from retrosim.rom import load_rom
from retrosim.tape import MachinePool, Tape, exit_status, load_tape, open_for, report_lines
from retrosim.tape import verify as verify_tapes

ALL = "all"


def verify(options: argparse.Namespace) -> int:
    """Carry out the command."""
    if options.on != [ALL]:
        check_machines(options.on or [])
    paths = list(dict.fromkeys(map(tape_path, options.tapes)))
    with Progress(is_quiet=options.json) as progress:
        entries = _verify_tapes(paths, options, progress)
    report = {"tapes": entries}
    if options.json:
        print_json(report)
    else:
        print_lines(report_lines({"tapes": [entry for entry in entries if "error" not in entry]}))
    for entry in entries:
        if "error" in entry:
            say(f"{entry['path']}: {entry['error']}")
    return exit_status(report)


def _machines(tape: Tape, options: argparse.Namespace) -> list[str]:
    """Return the machines to verify a tape on; not every ROM has native kernels."""
    if options.on not in (None, [ALL]):
        return options.on
    rom = load_rom(options.rom or tape.scenario)
    isas = {info.isa for info in rom.images}
    simulated = [name for name, preset in PRESETS.items() if preset.isa in isas] if options.on else [tape.machine]
    return list(dict.fromkeys([*simulated, *([NATIVE] if rom.name in SCENARIOS else [])]))


def _verify_tapes(paths: list[str], options: argparse.Namespace, progress: Progress) -> list[dict[str, Any]]:
    def open_one(tape: Tape, name: str) -> PlayableMachine:
        settings = {"engine": options.engine} if options.engine and name != NATIVE else {}
        return open_for(tape, name, options.rom, progress=progress.note, **settings)

    with MachinePool(open_one) as machine_of:
        entries = []
        for number, path in enumerate(paths, 1):
            place = f"{number} of {len(paths)}, {path}"
            entries.append(_verify_tape(path, place, machine_of, options, progress))
        return entries


def _verify_tape(
    path: str, place: str, machine_of: MachinePool, options: argparse.Namespace, progress: Progress
) -> dict[str, Any]:
    def reference(tape: Tape, name: str) -> PlayableMachine:
        return open_for(tape, name, options.rom, progress=progress.note, engine="interpret")

    def on_progress(path: str, name: str, frame: int, frames: int) -> None:
        progress.step(frame, frames, f"verifying {place} on {name}")

    entry = {"path": path, "frames": 0, "complete": False, "note": "", "results": []}
    try:
        tape = load_tape(path)
        entry |= {"frames": tape.frames, "complete": tape.is_complete, "note": tape.note}
        machines = _machines(tape, options)
        report = verify_tapes(
            [path],
            machines,
            opener=machine_of,
            reference=reference,
            force=options.unverified,
            on_progress=on_progress,
        )
    except TapeError as error:
        return entry | {"error": error.reason}
    except (RomError, ValueError) as error:  # its ROM, or a machine that only the tape names
        return entry | {"error": str(error)}
    return report["tapes"][0]
