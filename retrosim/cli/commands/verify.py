"""Replay tapes on several machines and name the first frame and field that differ.

examples:
  retrosim verify mine.rtape
  retrosim verify *.rtape --on all
  retrosim verify mine.rtape --on mc68040-25,native --json
  retrosim verify mine.rtape --rom my-rom --unverified --blame
  retrosim verify *.rtape --scheduler tcp://127.0.0.1:8786 --resume
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from retrosim.machine.choices import NATIVE

from .. import arguments, values
from ..output import print_json, print_lines, say
from ..parser import Parser
from ..progress import Progress
from ..settings import BudgetSettings, JobSettings, check_machines

if TYPE_CHECKING:
    from retrosim.tape import Tape
    from retrosim.tape.parts import Verification

ALL = "all"


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    parser.add_argument("tapes", nargs="+", metavar="TAPE", help="tape files, or names from `retrosim list tapes`")
    help = f"names separated by commas, or {ALL}; default: the machine of the tape, and {NATIVE}"
    parser.add_argument("--on", type=values.machines, metavar="MACHINES", help=help)
    arguments.add_tape_rom(parser, "the tapes name")
    arguments.add_engine(parser)
    help = "find the instructions that make a divergence, compared with the ROM that the tape was recorded with"
    parser.add_argument("--blame", action="store_true", help=help)
    parser.add_argument(
        "--allow-partial", action="store_true", help="accept an interrupted recording, verified to its last line"
    )
    arguments.add_budget(parser, "each replay", "")
    arguments.add_jobs(parser)
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    from retrosim.tape import exit_status, report_lines, shortcoming, tape_name
    from retrosim.tape.parts import Verification

    if options.on != [ALL]:
        check_machines(options.on or [])
    limits = BudgetSettings.of(options, options.on or [])
    budget = asdict(limits.budget())
    budget = {name: budget[name] for name in ("cycles", "seconds", "memory", "frame_seconds")}
    how = Verification(options.rom, options.engine, options.unverified, budget, options.blame)
    names, jobs = list(dict.fromkeys(options.tapes)), JobSettings.of(options)
    with Progress(is_quiet=options.json) as progress:
        report = _verify_tapes(names, options.on, how, jobs, progress)
    entries = report["tapes"]
    if options.json:
        print_json(report)
    else:
        print_lines(report_lines({"tapes": [entry for entry in entries if "error" not in entry]}))
    for entry in entries:
        if reason := entry.get("error") or shortcoming(entry, options.allow_partial):
            say(f"{tape_name(entry['path'])}: {reason}")
    return exit_status(report, options.allow_partial)


def _machines(tape: Tape, rom_name: str | None, on: list[str] | None) -> list[str]:
    """Return the machines to verify a tape on; not every ROM has native kernels."""
    from retrosim.machine import PRESETS
    from retrosim.rom import load_rom
    from retrosim.scenarios import SCENARIOS

    if on and on != [ALL]:
        return list(on)
    rom = load_rom(rom_name or tape.scenario)
    isas = {info.isa for info in rom.images}
    simulated = [name for name, preset in PRESETS.items() if preset.isa in isas] if on else [tape.machine]
    return list(dict.fromkeys([*simulated, *([NATIVE] if rom.name in SCENARIOS else [])]))


def _verify_tapes(
    names: list[str], on: list[str] | None, how: Verification, jobs: JobSettings, progress: Progress
) -> dict[str, Any]:
    from retrosim.tape import tape_name
    from retrosim.tape.parts import verify_parts

    place = {name: f"{number} of {len(names)}, {name}" for number, name in enumerate(names, 1)}

    def on_progress(path: str, machine: str, frame: int, frames: int) -> None:
        name = tape_name(path)
        progress.step(frame, frames, f"verifying {place.get(name, name)} on {machine}")

    return verify_parts(
        names,
        lambda tape: _machines(tape, how.rom, on),
        how,
        jobs.workers,
        done=lambda ended, total: progress.step(ended, total, "replays"),
        on_progress=on_progress,
        note=progress.note,
    )
