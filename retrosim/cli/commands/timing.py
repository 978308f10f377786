"""Compare the cycles of the routine of 1994 with the table printed that year.

The answer is for one build of the routine, chosen beforehand; --details has all
builds and what a check is made of. Without --full each cell is a short sample.
`retrosim guide table` says what could account for the differences.

examples:
  retrosim timing
  retrosim timing --details --machine mc68040-25 --full
  retrosim timing --causes --build O0 --build period
  retrosim timing --memory copyback=0 --json
  retrosim timing --reading lead=overlapped --machine mc68040-25
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .. import arguments, profiling
from ..opening import check_readings
from ..output import print_json, print_table
from ..parser import Parser
from ..profiling import OutputFiles
from ..progress import Progress
from ..settings import JobSettings, check_memory, check_simulated
from ..values import bad_arguments

if TYPE_CHECKING:
    from retrosim.rom import Rom


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    arguments.add_machines(parser)
    parser.add_repeatable("--build", "BUILD", "only this build of the ROM")
    parser.add_argument("--details", action="store_true", help="all builds, the parts of a check, the analysis of 1994")
    arguments.add_engine(parser)
    arguments.add_memory(parser)
    arguments.add_readings(parser)
    arguments.add_interval(parser)
    arguments.add_jobs(parser)
    tables = parser.add_mutually_exclusive_group()
    tables.add_argument("--full", action="store_true", help="run the whole experiments, 30 simulated seconds each")
    tables.add_argument("--causes", action="store_true", help="show instead what the clocks of a check are spent on")
    arguments.add_formats(parser, "a line per cell")
    profiling.add_html(parser)
    arguments.add_force(parser, "--html")
    parser.exclude(["--details", "--no-interval", "--jobs", "--scheduler", "--resume"], "--causes")


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    names = list(dict.fromkeys(options.machine))
    check_simulated(names)
    files = OutputFiles.of(options)
    files.check()
    from retrosim.cost.counting import check_causes
    from retrosim.rom import load_rom
    from retrosim.table_1994.causes import CausesTable, causes_table
    from retrosim.table_1994.report import causes_page, render_causes, render_timing, rows_csv, timing_page
    from retrosim.table_1994.timing import ROM, TimingTable, builds_of, timing_table

    rom = load_rom(ROM)
    builds, memory, readings = options.build or None, dict(options.memory), dict(options.readings)
    names = names or _machines_for(rom, options.build, {*memory}, {*readings}, options.causes)
    check_memory(memory, None, names)
    with bad_arguments():
        for name in names:
            builds_of(rom, name, builds)
            if options.causes:
                check_causes(name)
    check_readings(readings, None, names, rom, builds)
    details = options.details or builds is not None
    given: dict[str, Any] = {"builds": builds, "memory": memory, "readings": readings}
    given["engine"] = options.engine or "auto"
    with Progress(is_quiet=options.json or options.csv) as progress:
        if options.causes:
            result: CausesTable | TimingTable = causes_table(names, progress.step, **given)
        else:
            workers = JobSettings.of(options).workers(None if details or options.full else len(names))
            given |= {"details": details, "interval": options.interval, "workers": workers}
            result = timing_table(names, options.full, progress.step, **given)
    files.write_html(lambda: causes_page(result) if isinstance(result, CausesTable) else timing_page(result))
    if options.json:
        print_json(result)
    elif options.csv:
        sys.stdout.write(rows_csv(result))
    else:
        print_table(render_causes(result) if isinstance(result, CausesTable) else render_timing(result, details))
    return 0


def _machines_for(rom: Rom, builds: Iterable[str], memory: set[str], readings: set[str], by_causes: bool) -> list[str]:
    """Return the machines of the table that have all that is asked for; when none has, all of them, to be refused."""
    from retrosim.cost.counting import has_causes
    from retrosim.machine import PRESETS
    from retrosim.table_1994.timing import builds_of, machines_of

    def fits(name: str) -> bool:
        has_builds = set(builds) <= set(builds_of(rom, name, None))
        has_readings = readings <= {reading.name for reading in PRESETS[name].cpu().readings}
        has_memory = memory <= set(PRESETS[name].memory)
        return has_builds and has_memory and has_readings and (has_causes(name) or not by_causes)

    names = machines_of(rom)
    return [name for name in names if fits(name)] or names
