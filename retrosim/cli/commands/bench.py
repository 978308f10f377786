"""Compare the speed of engines and kernels on this computer with other programs.

The engines run the machine code of the routine of 1994 beside Unicorn, Musashi
and native C, as far as these are installed. --engine takes recompile-TIMING or
interpret-TIMING (full, table, off), evaluate, kernel, unicorn, musashi and
native-c. With --kernels the functions of retrosim.collide run beside pygame,
scipy, shapely, pymunk and NumPy, with 50 to 2 000 000 objects. With --programs
eighteen programs that nothing was tuned for run on every processor (sorting,
trees, text, matrices, decompression ...; `retrosim list roms`, bench). With
--program a program of your own runs from its start to its exit; sources in C
are also compiled for this computer and run on it. All take turns, and the
median lap counts. `retrosim guide speed` explains the figures.

examples:
  retrosim bench
  retrosim bench --output bench.json
  retrosim bench --build O0 --build O2 --objects 200 --engine unicorn
  retrosim bench --machine i486dx2-66 --csv --engine kernel --engine native-c
  retrosim bench --kernels --objects 200 --objects 20000
  retrosim bench --programs
  retrosim bench --debugger --machine mc68040-25
  retrosim bench --programs sort lz --machine ppc601-80 --json
  retrosim bench --program coremark --rounds 3
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from retrosim.checks import check_choice
from retrosim.machine.choices import WARM_CALLS

from .. import arguments, profiling, values
from ..opening import compiler_flags
from ..output import print_table, say, write_text
from ..parser import Parser
from ..profiling import OutputFiles
from ..progress import Progress
from ..settings import check_simulated, refuse
from ..values import bad_arguments

FORMATS = ("json", "csv")
MAX_OBJECTS, MAX_ENGINE_OBJECTS = 1 << 22, 200


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "--engine", action="append", metavar="NAME", help=f"only this contender; {arguments.REPEATABLE}"
    )
    parser.add_argument("--kernels", action="store_true", help="measure the library's kernels instead of the engines")
    parser.add_argument(
        "--programs",
        nargs="*",
        metavar="NAME",
        help="run the programs of the ROM bench, all or those named, on every processor and engine (evaluate only if "
        "asked for)",
    )
    parser.add_argument(
        "--program",
        nargs="+",
        metavar="FILE",
        help="run your own program instead: a project's folder, an executable, or sources and objects; it must end by "
        "itself",
    )
    arguments.add_cflags(parser)
    parser.add_argument(
        "--debugger",
        action="store_true",
        help="measure a game under the debugger beside the same without one, on every processor",
    )
    parser.add_argument(
        "--machine",
        action="append",
        metavar="MACHINE",
        help=f"default: {arguments.MACHINE}, with --programs and --debugger one of each processor, with "
        f"--program the one that it is for; there it {arguments.REPEATABLE}",
    )
    parser.add_argument(
        "--build", action="append", metavar="BUILD", help=f"build of the ROM; default: O2; {arguments.REPEATABLE}"
    )
    parser.add_argument(
        "--objects",
        action="append",
        type=values.whole(1, MAX_OBJECTS),
        metavar="N",
        help=f"number of objects in a scene; default: 200 and 50; {arguments.REPEATABLE}",
    )
    parser.add_argument(
        "--rounds",
        type=values.whole(1, 1000),
        metavar="N",
        help="laps of each contender; default: 25, --kernels: 15, --debugger: 9, --programs and --program: 5",
    )
    arguments.add_warm(parser)
    parser.add_argument("--no-startup", action="store_true", help="do not measure start-up and compile times")
    arguments.add_formats(parser, "a line per contender and scene")
    parser.add_argument("--output", metavar="FILE", help="write JSON or CSV to this file")
    parser.add_argument(
        "--save", action="store_true", help="in a checkout: also write tools/bench/..., a file for this computer"
    )
    profiling.add_html(parser)
    arguments.add_force(parser)


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    kind = _format(options)
    from retrosim.bench.engines import host_file
    from retrosim.screen.png import FORCE, check_free

    kinds = {"kernels": _kernels, "programs": _programs, "program": _own, "debugger": _debugger}
    asked = [name for name in kinds if getattr(options, name) not in (None, False)]
    if len(asked) > 1:
        raise refuse(f"--{asked[1]}: not allowed with --{asked[0]}")
    prepare = kinds[asked[0]] if asked else _engines
    if options.cflags and not options.program:
        raise refuse("--cflags: has a meaning with --program only")
    subject, measure, render, as_csv = prepare(options)
    saved = host_file(subject) if options.save else None
    files = OutputFiles.of(options)
    files.check()
    for path in filter(None, (options.output, saved)):
        check_free(path, overwrite=options.force, advice=FORCE)
    with Progress(is_quiet=kind is not None) as progress, bad_arguments():
        result = measure(progress=progress.step, **({"rounds": options.rounds} if options.rounds else {}))
    if options.html:
        from retrosim.report.records import bench_page

        files.write_html(lambda: bench_page(result))
    if saved:
        write_text(saved, json.dumps(result, indent=1) + "\n", overwrite=options.force)
    if kind is None:
        print_table(render(result))
        return 0
    text = as_csv(result) if kind == "csv" else json.dumps(result, indent=2) + "\n"
    if options.output:
        write_text(Path(options.output), text, overwrite=options.force)
    else:
        sys.stdout.write(text)
    return 0


Plan = tuple[str, Callable, Callable, Callable]


def _engines(options: argparse.Namespace) -> Plan:
    """Return what is measured, how the options say, and how the result becomes a table and CSV: here the engines."""
    from retrosim.bench.contenders import ENGINES
    from retrosim.bench.engines import MACHINE, ROM, benchmark, render_bench, results_csv
    from retrosim.rom import load_rom
    from retrosim.table_1994.timing import builds_of

    if len(options.machine or ()) > 1:
        raise refuse("--machine: may be repeated with --programs, --program and --debugger only")
    machine = options.machine[0] if options.machine else MACHINE
    scenes = _scenes(options, ENGINES, MAX_ENGINE_OBJECTS)
    with bad_arguments():
        scenes["builds"] = builds_of(load_rom(ROM), machine, list(dict.fromkeys(options.build or ["O2"])))
    run = partial(benchmark, machine=machine, startup=not options.no_startup, warm=options.warm, **scenes)
    return machine, run, render_bench, results_csv


def _kernels(options: argparse.Namespace) -> Plan:
    """Return the same for kernels."""
    from retrosim.bench.kernel_peers import CONTENDERS
    from retrosim.bench.kernels import benchmark_kernels, kernels_csv, render_kernels

    _refuse_others(options, "--kernels", "machine", "build", "no_startup", "warm")
    return "kernels", partial(benchmark_kernels, **_scenes(options, CONTENDERS)), render_kernels, kernels_csv


def _programs(options: argparse.Namespace) -> Plan:
    """Return the same for the programs of the ROM bench."""
    from retrosim.bench.programs import CONTENDERS, ROM, benchmark_programs, programs_csv, render_programs
    from retrosim.machine.presets import preset
    from retrosim.rom import load_rom

    _refuse_others(options, "--programs", "objects", "build", "no_startup", "warm")
    known = load_rom(ROM).constants
    with bad_arguments():
        for name in options.programs:
            check_choice("program", name, known)
        for name in options.machine or ():
            preset(name)
    chosen = {"programs": options.programs, "machines": options.machine}
    chosen = {key: list(dict.fromkeys(given)) for key, given in chosen.items() if given}
    run = partial(benchmark_programs, **chosen, **_scenes(options, CONTENDERS))
    return "programs", run, render_programs, programs_csv


def _own(options: argparse.Namespace) -> Plan:
    """Return the same for a program of the user's own."""
    from retrosim.bench.program import benchmark_own
    from retrosim.bench.programs import CONTENDERS, programs_csv, render_programs

    _refuse_others(options, "--program", "objects", "build", "no_startup", "warm")
    if options.machine:
        check_simulated(options.machine)
    with bad_arguments():
        flags = compiler_flags(options.cflags or "", options.program)
    machines = list(dict.fromkeys(options.machine or ())) or None
    chosen: dict[str, Any] = {"machines": machines, "flags": flags, "note": say, "default": arguments.MACHINE}
    run = partial(benchmark_own, options.program, **chosen, **_scenes(options, CONTENDERS))
    return "program", run, render_programs, programs_csv


def _debugger(options: argparse.Namespace) -> Plan:
    """Return the same for the debugger."""
    from retrosim.bench.debugger import ENGINES, benchmark_debugger, debugger_csv, render_debugger
    from retrosim.machine.presets import preset

    _refuse_others(options, "--debugger", "objects", "build", "no_startup", "warm")
    if options.html:
        raise refuse("--html: has no meaning with --debugger")
    with bad_arguments():
        for name in options.machine or ():
            preset(name)
    given = {"machines": list(dict.fromkeys(options.machine or ()))} | _scenes(options, ENGINES)
    run = partial(benchmark_debugger, **{name: values for name, values in given.items() if values})
    return "debugger", run, render_debugger, debugger_csv


def _refuse_others(options: argparse.Namespace, kind: str, *names: str) -> None:
    """Refuse options that mean nothing for one kind of benchmark. Errors: ArgumentError."""
    usual = {"machine": None, "build": None, "objects": None, "no_startup": False, "warm": WARM_CALLS}
    for name in names:
        if getattr(options, name) != usual[name]:
            raise refuse(f"--{name.replace('_', '-')}: has no meaning with {kind}")


def _scenes(options: argparse.Namespace, engines: Iterable[str], max_objects: int = MAX_OBJECTS) -> dict[str, Any]:
    """Return the contenders (out of `engines`) and numbers of objects that were given. Errors: ArgumentError."""
    with bad_arguments():
        for engine in options.engine or []:
            check_choice("engine", engine, engines)
        for count in options.objects or []:
            if count > max_objects:
                raise ValueError(f"--objects: '{count}': allowed 1..{max_objects}")
    given = {"engines": options.engine, "objects": options.objects}
    return {key: list(dict.fromkeys(values)) for key, values in given.items() if values}


def _format(options: argparse.Namespace) -> str | None:
    """Return "json" or "csv", None for a table. Errors: ArgumentError."""
    chosen = "json" if options.json else "csv" if options.csv else None
    if options.output and chosen is None:
        chosen = Path(options.output).suffix.removeprefix(".")
        if chosen not in FORMATS:
            allowed = " or ".join(f".{kind}" for kind in FORMATS)
            raise refuse(f"--output {options.output}: needs --json, --csv, or a name that ends in {allowed}")
    return chosen
