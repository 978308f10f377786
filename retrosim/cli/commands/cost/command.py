"""Count the clock cycles of one routine, by instruction, source line and function.

The routine is your own or one of a ROM. Your own comes as an object or archive
of an m68k, x86 or PowerPC compiler (.o, .a: linked here), a linked ELF file, an
Amiga or Atari executable, a DOS .COM or .EXE, S-records, Intel hex, a flat
binary (--at), assembly, or C, for which an installed cross compiler is called.
Sources and objects may be several; a folder is a project (`retrosim new`).
The machine is the first that can run it, unless --machine names another;
--machine all: a table of all that can. With GCC an object is made by
  m68k-linux-gnu-gcc -m68040 -O2 -g -ffreestanding -fno-pic -c blit.c
The routine is called by the C convention, once before the call that counts, so
that the caches are warm (--warm 0: as they are); a ROM first runs one frame.
`retrosim guide programs` says more about each format, `retrosim guide cost`
explains the figures.

examples:
  retrosim cost mine.o --entry blit
  retrosim cost mine.elf --entry blit --machine mc68040-25 --arg 64 --arg 0x3000
  retrosim cost blit.o --entry blit --reg a0=screen --reg d0=9 --mem 0x3000=00ff
  retrosim cost main.c blit.s --entry main --machine mc68000-8
  retrosim cost main.c blit.s --entry main --machine all
  retrosim cost sectors --build O1 --entry DetermineCollisions
  retrosim cost mine.elf --entry blit --machine mc68000-8 --csv
  retrosim cost sectors --entry DetermineCollisions --against build=O0
  retrosim cost objects --entry IntegerSquareRoot --arg n --sweep n=1..64
  retrosim cost b.bin --at 0x7c00 --bits 16 --entry 0x7c00 --machine i386dx-33
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from retrosim.machine.choices import MAX_STEPPED

from ... import arguments, profiling, values
from ...output import print_report, say
from ...parser import Parser
from ...profiling import OutputFiles, source_folders
from ...progress import Progress
from ...settings import BudgetSettings, JobSettings, MachineSettings, refuse
from ...values import bad_arguments
from . import compare, sweep
from .call import CallSettings, CostSettings, add_call, prepare_call
from .compare import compare_calls, other_settings
from .machines import ALL, check_options, cost_on_all
from .sweep import sweep_call

if TYPE_CHECKING:
    from retrosim.cost.against import CostComparison
    from retrosim.cost.machines import MachinesReport
    from retrosim.cost.report import CostReport
    from retrosim.cost.sweep import SweepReport

TRIES = 2000  # of the search for the most clocks


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    parser.add_argument("rom", metavar="FILE", help="a program's file, or a ROM's name, folder or rom.toml")
    arguments.add_others(parser)
    parser.add_argument(
        "--entry", metavar="SYMBOL", help="the routine, or its address as 0x...; default: the only one there is"
    )
    add_call(parser)
    arguments.add_warm(parser)
    arguments.add_interval(parser)
    arguments.add_machine(parser, f"; {ALL}: a table of all that can run it")
    arguments.add_at(parser)
    arguments.add_memory(parser)
    arguments.add_readings(parser)
    arguments.add_parameters(parser)
    help = f"give up after N instructions; default: {MAX_STEPPED}"
    parser.add_argument("--max-instructions", type=values.whole(1, 10**9), default=MAX_STEPPED, metavar="N", help=help)
    arguments.add_budget(parser, "the call", "")
    parser.add_argument(
        "--bounds", action="store_true", help="prove the least and the most clocks for any data; --arg ?: any argument"
    )
    parser.add_repeatable(
        "--loop",
        "WHERE=N",
        "with --bounds: the first instruction of a loop runs at most N times each time the loop is entered; WHERE "
        "is its address, a line, file:line, or a routine with one loop",
        type=_loop,
    )
    help = f"with --bounds: look for the most clocks in N random calls; default: {TRIES}"
    parser.add_argument("--search", type=values.whole(0, 10**7), default=TRIES, metavar="N", help=help)
    help = "with --bounds: seed of the search; default: 1994"
    parser.add_argument("--search-seed", type=values.whole(0, 2**32 - 1), default=1994, metavar="N", help=help)
    compare.add_options(parser)
    sweep.add_options(parser)
    arguments.add_formats(parser, "the annotated listing")
    profiling.add_top(parser)
    profiling.add_html(parser)
    profiling.add_files(parser, "--html")
    parser.need(["--loop", "--search", "--search-seed"], "--bounds")
    parser.exclude(["--csv", "--html", "--top", *(f"--{name}" for name in profiling.PROFILES)], "--bounds")


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    files = OutputFiles.of(options)
    files.check()
    if options.timing == "off":
        raise refuse("--timing off: counts no cycles; allowed table, full")
    if None in options.arg and not options.bounds:
        raise refuse("--arg ?: needs --bounds")
    machine, call = MachineSettings.of(options), CallSettings.of(options)
    limits = BudgetSettings.of(options)
    settings = CostSettings(machine, limits, call, not options.bounds, options.command_line)
    is_quiet = options.json or options.csv
    if machine.machine == ALL:
        check_options(options)
        with Progress(is_quiet) as progress:
            everywhere = cost_on_all(replace(settings, can_have_causes=False), progress)
        _tell_unset(list(dict.fromkeys(name for cost in everywhere.machines for name in cost.unset_registers)))
        return _print_machines(everywhere, options.json)
    if options.bounds:
        search = {"tries": options.search, "seed": options.search_seed}
        return _print_bounds(settings, dict(options.loop), search, options.json)
    if options.sweep:
        name, numbers = options.sweep
        swept = sweep_call(settings, name, numbers, JobSettings.of(options), is_quiet)
        _tell_unset(swept.unset_registers)
        return _print_sweep(swept, files, options.json)
    with Progress(is_quiet) as progress:
        report = _report(settings, options.sources, progress)
        if options.against:
            other = other_settings(settings, dict(options.against))
            compared = compare_calls((settings, report), (other, _report(other, options.sources, progress)))
    if options.against:
        return _print_comparison(compared, files, options.json, options.top)
    return _print_cost(report, files, "json" if options.json else "csv" if options.csv else "", options.top)


def _report(settings: CostSettings, sources: Iterable[str], progress: Progress) -> CostReport:
    """Return what the call costs."""
    from retrosim.cost.cost import cost_report

    prepared = prepare_call(settings, progress)
    words = [word for word in prepared.arguments if word is not None]
    folders = source_folders(sources, prepared.chosen.program, prepared.chosen.rom)
    how = settings.call.keywords() | {"program": settings.program, "command": settings.command}
    report = cost_report(prepared.machine, prepared.entry, *words, **how, sources=folders, progress=progress.step)
    _tell_unset(report.unset_registers)
    return report


def _tell_unset(names: Sequence[str]) -> None:
    """Say which registers a routine has read that nothing had set, and how to set them."""
    if names:
        options = " ".join(f"--reg {name}=N" for name in names)
        say(f"read before anything has set them, and taken as 0: {', '.join(names)}; to give them values: {options}")


def _print_cost(report: CostReport, files: OutputFiles, form: str, top: int) -> int:
    from retrosim.cost.page import cost_page
    from retrosim.cost.text import cost_title, listing_csv, render_cost

    files.write_html(lambda: cost_page(report))
    files.write_profiles(report, cost_title(report))
    if form == "csv":
        sys.stdout.write(listing_csv(report))
    else:
        print_report(report, form == "json", lambda: render_cost(report, top))
    return 0


def _print_comparison(compared: CostComparison, files: OutputFiles, as_json: bool, top: int) -> int:
    from retrosim.cost.against import against_page, render_against

    files.write_html(lambda: against_page(compared))
    print_report(compared, as_json, lambda: render_against(compared, top))
    return 0


def _print_machines(report: MachinesReport, as_json: bool) -> int:
    from retrosim.cost.machines import render_machines

    print_report(report, as_json, lambda: render_machines(report))
    return 0


def _print_sweep(swept: SweepReport, files: OutputFiles, as_json: bool) -> int:
    from retrosim.cost.sweep import render_sweep, sweep_page

    files.write_html(lambda: sweep_page(swept))
    print_report(swept, as_json, lambda: render_sweep(swept))
    return 0


def _print_bounds(settings: CostSettings, loops: dict[str | int, int], search: dict[str, int], as_json: bool) -> int:
    """Prove the bounds of the routine, and print them; search: for the most clocks."""
    from retrosim.bounds.call import bound, render_bounds

    call = settings.call
    with Progress(as_json) as progress:
        prepared = prepare_call(settings, progress)
        machine = prepared.machine
        machine.regs.update(machine.register_values(dict(call.registers)))
        how: dict[str, Any] = {"convention": call.convention, "loops": loops, "progress": progress.step} | search
        with bad_arguments():
            report = bound(machine, prepared.entry, *prepared.arguments, **how)
    print_report(report, as_json, lambda: render_bounds(report))
    return 1 if report.exceeded else 0


def _loop(text: str) -> tuple[str | int, int]:
    """Return where a loop is, and how often it is run at most. Errors: ArgumentTypeError."""
    where, _, times = text.rpartition("=")
    try:
        return int(where, 16) if where.startswith("0x") else where, int(times)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: allowed WHERE=N") from None
