"""Compare the collision methods of five documents: errors, operations, cycles.

The documents are Moertel 1994, Mackey 1995, Jon E P 2007, No-collision boxes
2011 and Rekaby 2011. All methods run on the same random scenes, and on twelve
more that are made to break some of them. Errors are counted against an exact
test, cycles on the machine code of the ROMs. `retrosim guide study` explains
the table.

--sectors measures something else: what the size of a sector costs with the
four shifts of 1994, beside the size that the document advises.

examples:
  retrosim study
  retrosim study --sectors --machine i486dx2-66
  retrosim study --picture study.png
  retrosim study --method point-1 --method line-1 --machine mc68040-25
  retrosim study --scenes 100 --seed 7 --csv
  retrosim study --balance
"""

from __future__ import annotations

import argparse
import sys

from .. import arguments, profiling, values
from ..output import print_json, print_report, print_table
from ..parser import Parser
from ..profiling import OutputFiles
from ..progress import Progress
from ..settings import JobSettings, check_simulated
from ..values import bad_arguments

SCENES, SEED = 10, 2011  # the defaults
SIZE_SCENES = 3  # of --sectors


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    arguments.add_machines(parser)
    parser.add_repeatable("--method", "METHOD", "only this method of the table")
    help = f"scenes of each random kind; default: {SCENES}, --sectors: {SIZE_SCENES}"
    parser.add_argument("--scenes", type=values.whole(1, 1000), metavar="N", help=help)
    help = f"seed of the random scenes; default: {SEED}"
    parser.add_argument("--seed", type=values.whole(0, 2**32 - 1), default=SEED, metavar="N", help=help)
    parser.add_argument("--sectors", action="store_true", help="pair tests and clocks over the size of a sector")
    help = "instead: the best size of blocks on each machine, and what five points for eight save (Rekaby 2011)"
    parser.add_argument("--balance", action="store_true", help=help)
    arguments.add_engine(parser)
    parser.add_argument(
        "--picture", type=values.png, metavar="PNG", help="also draw errors and cycles as bars in this file"
    )
    profiling.add_html(parser)
    arguments.add_force(parser, "--picture", "--html")
    arguments.add_jobs(parser)
    arguments.add_formats(parser, "a line per method")
    others = ["--method", "--picture", "--html", "--csv", "--jobs", "--scheduler", "--resume"]
    parser.exclude([*others, "--engine", "--balance"], "--sectors")
    parser.exclude([*others, "--scenes"], "--balance")


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    names = list(dict.fromkeys(options.machine)) or None
    check_simulated(names or [])
    if options.sectors:
        return _sectors(names or [arguments.MACHINE], options.seed, options.scenes or SIZE_SCENES, options.json)
    if options.balance:
        return _balance(names, options.seed, options.engine or "auto", options.json)
    from retrosim.report.files import FORCE, check_free
    from retrosim.screen.framebuffer import macintosh_palette
    from retrosim.screen.png import write_png
    from retrosim.study.comparison import compare_methods, method_named
    from retrosim.study.comparison_report import comparison_csv, draw_comparison, render_comparison, study_page

    files = OutputFiles.of(options)
    files.check()
    with bad_arguments():
        for name in options.method:
            method_named(name)
    if options.picture:
        check_free(options.picture, overwrite=options.force, advice=FORCE)
    settings = {"scenes": options.scenes or SCENES, "seed": options.seed, "engine": options.engine or "auto"}
    settings["workers"] = JobSettings.of(options).workers()
    with Progress(is_quiet=options.json or options.csv) as progress:
        result = compare_methods(names, options.method or None, progress.step, **settings)
    if options.picture:
        write_png(options.picture, draw_comparison(result), macintosh_palette(), overwrite=options.force)
    files.write_html(lambda: study_page(result))
    if options.csv:
        sys.stdout.write(comparison_csv(result))
    else:
        print_report(result, options.json, lambda: render_comparison(result))
    return 0


def _sectors(names: list[str], seed: int, scenes: int, as_json: bool) -> int:
    """Carry out the command with --sectors."""
    from retrosim.table_1994.sector_sizes import render_sizes, sector_sizes

    seeds = range(seed, seed + scenes)
    with Progress(is_quiet=as_json) as progress:
        results = [sector_sizes(name, seeds, progress.step) for name in names]
    if as_json:
        print_json({"machines": results})
    else:
        for result in results:
            print_table(render_sizes(result))
    return 0


def _balance(names: list[str] | None, seed: int, engine: str, as_json: bool) -> int:
    """Carry out the command with --balance."""
    from retrosim.study.balance import measure_balance, render_balance

    with Progress(is_quiet=as_json) as progress, bad_arguments():
        result = measure_balance(names, progress.step, seed=seed, engine=engine)
    print_report(result, as_json, lambda: render_balance(result))
    return 0
