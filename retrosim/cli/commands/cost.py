"""Count the clock cycles of one routine, by instruction, source line and function.

The routine is your own or one of a ROM. Your own comes as an object or archive
of an m68k, x86 or PowerPC compiler (.o, .a: linked here), a linked ELF file, an
Amiga or Atari executable, a DOS .COM or .EXE, S-records, Intel hex, a flat
binary (--at), assembly, or C, for which an installed cross compiler is called.
Sources and objects may be several; a folder is a project (`retrosim new`).
The machine is the first that can run it, unless --machine names another. With
GCC an object is made by
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
  retrosim cost sectors --build O1 --entry DetermineCollisions
  retrosim cost mine.elf --entry blit --machine mc68000-8 --csv
  retrosim cost sectors --entry DetermineCollisions --against build=O0
  retrosim cost objects --entry IntegerSquareRoot --arg n --sweep n=1..64
  retrosim cost b.bin --at 0x7c00 --bits 16 --entry 0x7c00 --machine i386dx-33
"""

from __future__ import annotations

import argparse
import copy
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retrosim.errors import BudgetUsedUp
from retrosim.machine.choices import CAUSES, MAX_STEPPED

from .. import arguments, calling, comparing, profiling, values
from ..opening import check_budget, check_simulated, chosen_budget, open_chosen, open_rom, refuse
from ..output import print_json, print_table
from ..parser import Parser
from ..progress import Progress
from ..values import bad_arguments

if TYPE_CHECKING:
    from retrosim.cost.report import CostReport
    from retrosim.machine import Machine
    from retrosim.rom import Image, Rom

TRIES = 2000  # of the search for the most clocks


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    parser.add_argument("rom", metavar="FILE", help="a program's file, or a ROM's name, folder or rom.toml")
    arguments.add_others(parser)
    parser.add_argument(
        "--entry", metavar="SYMBOL", help="the routine, or its address as 0x...; default: the only one there is"
    )
    calling.add_call(parser)
    arguments.add_warm(parser)
    arguments.add_interval(parser)
    arguments.add_machine(parser)
    arguments.add_at(parser)
    arguments.add_memory(parser)
    arguments.add_readings(parser)
    arguments.add_parameters(parser)
    parser.add_argument(
        "--max-instructions",
        type=values.whole(1, 10**9),
        default=MAX_STEPPED,
        metavar="N",
        help=f"give up after N instructions; default: {MAX_STEPPED}",
    )
    arguments.add_budget(parser, "the call", "")
    parser.add_argument(
        "--bounds", action="store_true", help="prove the least and the most clocks for any data; --arg ?: any argument"
    )
    parser.add_argument(
        "--loop",
        action="append",
        default=[],
        type=_loop,
        metavar="WHERE=N",
        help="with --bounds: the first instruction of a loop runs at most N times each time the loop is entered; WHERE "
        f"is its address, a line, file:line, or a routine with one loop; {arguments.REPEATABLE}",
    )
    parser.add_argument(
        "--search",
        type=values.whole(0, 10**7),
        default=TRIES,
        metavar="N",
        help=f"with --bounds: look for the most clocks in N random calls; default: {TRIES}",
    )
    parser.add_argument(
        "--search-seed",
        type=values.whole(0, 2**32 - 1),
        default=1994,
        metavar="N",
        help="with --bounds: seed of the search; default: 1994",
    )
    comparing.add_options(parser)
    arguments.add_formats(parser, "the annotated listing")
    profiling.add_top(parser)
    profiling.add_html(parser)
    profiling.add_files(parser)
    parser.need(["--loop", "--search", "--search-seed"], "--bounds")
    parser.exclude(["--csv", "--html", "--top", *(f"--{name}" for name in profiling.OTHERS)], "--bounds")


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    from retrosim.cost.page import cost_page
    from retrosim.cost.text import cost_title, listing_csv, render_cost

    profiling.check_files(options)
    _check_options(options)
    if options.sweep:
        return comparing.print_sweep(options)
    with Progress(is_quiet=options.json or options.csv) as progress:
        other = copy.copy(options)  # as they were given
        prepared = opened(options, progress)
        if options.bounds:
            return _print_bounds(prepared, progress)
        report = _report(prepared, progress)
        if options.against:
            against = comparing.other_options(other)
            compared = _report(opened(against, progress), progress)
    if options.against:
        return comparing.print_comparison(options, [options, against], [report, compared])
    profiling.write_html(options, lambda: cost_page(report))
    profiling.write_files(options, report, cost_title(report))
    if options.json:
        print_json(report)
    elif options.csv:
        sys.stdout.write(listing_csv(report))
    else:
        print_table(render_cost(report, options.top))
    return 0


def _check_options(options: argparse.Namespace) -> None:
    """Refuse options that exclude each other. Errors: ArgumentError."""
    if options.timing == "off":
        raise refuse("--timing off: counts no cycles; allowed table, full")
    if not options.bounds and None in options.arg:
        raise refuse("--arg ?: needs --bounds")


@dataclass(frozen=True)
class Prepared:
    """A machine before the call, and what is called: name or address of the routine, arguments, options."""

    machine: Machine
    entry: str | int
    arguments: list[Any]
    options: argparse.Namespace
    program: Rom | Image


def opened(options: argparse.Namespace, progress: Progress) -> Prepared:
    """Open what options name, run a ROM's first frame, and set memory up. Errors: as of `open_chosen`."""
    from retrosim.checks import check_integer
    from retrosim.cost.causes import has_causes
    from retrosim.cost.cost import find_routine, only_routine
    from retrosim.machine import Machine
    from retrosim.rom import Rom

    program = open_rom(options)
    check_simulated([options.machine])
    check_budget(options, [options.machine])
    if not isinstance(program, Rom) and options.build is not None:
        raise refuse(f"--build {options.build}: a program's file has no builds")
    if options.timing in (None, "full") and has_causes(options.machine) and not options.bounds:
        options.timing = CAUSES
    budget = chosen_budget(options)
    machine = open_chosen(options, program, budget.before(progress.note))
    assert isinstance(machine, Machine)  # `check_simulated` has refused the other
    with bad_arguments():
        entry = only_routine(machine.image) if options.entry is None else _entry(options.entry)
        find_routine(machine.image, entry)
        bits = machine.argument_bits(options.convention or "c")
        arguments = calling.words(machine, options.arg)
        for argument in filter(None, arguments):
            check_integer("argument", argument, -(1 << bits - 1), (1 << bits) - 1)
        machine.register_values(dict(options.reg))
    machine.budget = budget
    if isinstance(program, Rom) and machine.run(frames=1).reason == "budget":
        raise BudgetUsedUp(machine.budget.spent)
    with bad_arguments():
        calling.set_up(options, machine)
    return Prepared(machine, entry, arguments, options, program)


def _report(prepared: Prepared, progress: Progress) -> CostReport:
    """Return what the call costs."""
    from retrosim.cost.cost import cost_report

    options = prepared.options
    chosen = {"convention": options.convention or "c", "registers": dict(options.reg), "warm": options.warm}
    chosen |= {"max_instructions": options.max_instructions, "interval": options.interval}
    chosen |= {"sources": profiling.source_folders(options, prepared.program), "progress": progress.step}
    return cost_report(prepared.machine, prepared.entry, *prepared.arguments, **chosen)


def _print_bounds(prepared: Prepared, progress: Progress) -> int:
    """Prove the bounds of the routine, and print them."""
    from retrosim.bounds.call import bound, render_bounds

    options, machine = prepared.options, prepared.machine
    machine.regs.update(machine.register_values(dict(options.reg)))
    chosen = {"convention": options.convention or "c", "tries": options.search, "seed": options.search_seed}
    with bad_arguments():
        loops = dict(options.loop)
        report = bound(machine, prepared.entry, *prepared.arguments, loops=loops, progress=progress.step, **chosen)
    if options.json:
        print_json(report)
    else:
        print_table(render_bounds(report))
    return 1 if report["exceeded"] else 0


def _loop(text: str) -> tuple[str | int, int]:
    """Return where a loop is, and how often it is run at most. Errors: ArgumentTypeError."""
    where, _, times = text.rpartition("=")
    try:
        return int(where, 16) if where.startswith("0x") else where, int(times)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: allowed WHERE=N") from None


def _entry(text: str) -> str | int:
    """Return a symbol, or the address given instead of one. Errors: ValueError."""
    try:
        return int(text, 16) if text.startswith("0x") else text
    except ValueError:
        raise ValueError(f"address {text!r}: allowed 0x and hexadecimal digits") from None
