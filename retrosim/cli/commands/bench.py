"""Compare the speed of engines and kernels on this computer with other programs.

A subject is what is measured; without one it is the engines. All that takes
part takes turns, and the median lap counts. `retrosim bench SUBJECT --help`
lists the options of a subject, `retrosim guide speed` explains the figures.

examples:
  retrosim bench
  retrosim bench --output bench.json
  retrosim bench --build O0 --build O2 --objects 200 --engine unicorn
  retrosim bench --machine i486dx2-66 --csv --engine kernel --engine native-c
  retrosim bench kernels --objects 200 --objects 20000
  retrosim bench programs
  retrosim bench programs sort lz --machine ppc601-80 --json
  retrosim bench program coremark --rounds 3
  retrosim bench debugger --machine mc68040-25
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from retrosim.checks import check_choice
from retrosim.report.files import write_text

from .. import arguments, profiling, values
from ..opening import compiler_flags
from ..output import print_table, say
from ..parser import Parser
from ..profiling import OutputFiles
from ..progress import Progress
from ..settings import check_simulated, refuse
from ..values import bad_arguments

FORMATS = ("json", "csv")
MAX_OBJECTS, MAX_ENGINE_OBJECTS = 1 << 22, 200
USUAL = "engines"


@dataclass(frozen=True)
class BenchPlan:
    """What is measured.

    name     of the file that --save writes
    measure  takes `progress`, and `rounds` if the user gave them; returns the result
    render   makes a table of the result, as_csv a text
    """

    name: str
    measure: Callable[..., Any]
    render: Callable[[Any], Any]
    as_csv: Callable[[Any], str]


@dataclass(frozen=True)
class Subject:
    """A subject: its help, the options that it alone has, and the plan that options make.

    rounds, engines   what it takes by default, for the help
    has_page          --html is among its options
    """

    help: str
    add_options: Callable[[Parser], None]
    plan: Callable[[argparse.Namespace], BenchPlan]
    rounds: int
    engines: str = "all"
    has_page: bool = True


def add_options(parser: Parser) -> None:
    """Add the subjects, each with its options."""
    subjects = parser.add_subparsers(metavar="SUBJECT", required=True)
    for name, subject in SUBJECTS.items():
        title = subject.help.partition("\n")[0].removesuffix(".")
        chosen = subjects.add_parser(name, help=title[0].lower() + title[1:], description=subject.help)
        chosen.set_defaults(subject=subject, parser=chosen)
        chosen.add_repeatable("--engine", "NAME", f"only this contender; default: {subject.engines}")
        subject.add_options(chosen)
        help = f"laps of each contender; default: {subject.rounds}"
        chosen.add_argument("--rounds", type=values.whole(1, 1000), metavar="N", help=help)
        arguments.add_formats(chosen, "a line per contender and scene")
        chosen.add_argument("--output", metavar="FILE", help="write JSON or CSV to this file")
        chosen.add_argument(
            "--save", action="store_true", help="in a checkout: also write tools/bench/..., a file for this computer"
        )
        if subject.has_page:
            profiling.add_html(chosen)
        arguments.add_force(chosen, "--output", "--save", *(["--html"] if subject.has_page else []))


def completed(words: Sequence[str]) -> list[str]:
    """Return the words behind `retrosim bench` with the usual subject where none is named."""
    if words and (words[0] in SUBJECTS or words[0] in ("-h", "--help")):
        return list(words)
    if words and not words[0].startswith("-"):
        return list(words)  # the parser says which subjects there are
    for word in words:
        if word.removeprefix("--") in SUBJECTS and word.startswith("--"):
            raise refuse(f"{word}: a subject, not an option: `retrosim bench {word.removeprefix('--')}`")
    return [USUAL, *words]


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    kind = _format(options)
    from retrosim.bench.race import bench_page, host_file
    from retrosim.report.files import FORCE, check_free
    from retrosim.report.json import to_json

    plan = options.subject.plan(options)
    saved = host_file(plan.name) if options.save else None
    files = OutputFiles.of(options) if options.subject.has_page else None
    if files:
        files.check()
    for path in filter(None, (options.output, saved)):
        check_free(path, overwrite=options.force, advice=FORCE)
    with Progress(is_quiet=kind is not None) as progress, bad_arguments():
        result = plan.measure(progress=progress.step, **({"rounds": options.rounds} if options.rounds else {}))
        published = to_json(result)
    if files and options.html:
        files.write_html(lambda: bench_page(result))
    if saved:
        write_text(saved, json.dumps(published, indent=1) + "\n", overwrite=options.force)
    if kind is None:
        print_table(plan.render(result))
        return 0
    text = plan.as_csv(result) if kind == "csv" else json.dumps(published, indent=2) + "\n"
    if options.output:
        write_text(Path(options.output), text, overwrite=options.force)
    else:
        sys.stdout.write(text)
    return 0


def _add_objects(parser: Parser, usual: str) -> None:
    parser.add_repeatable(
        "--objects", "N", f"number of objects in a scene; default: {usual}", type=values.whole(1, MAX_OBJECTS)
    )


def _add_machines(parser: Parser, usual: str) -> None:
    parser.add_repeatable("--machine", "MACHINE", f"default: {usual}", type=values.machine)


def _add_engine_options(parser: Parser) -> None:
    help = f"see `retrosim list machines`; default: {arguments.MACHINE}"
    parser.add_argument("--machine", type=values.machine, metavar="MACHINE", help=help)
    parser.add_repeatable("--build", "BUILD", "build of the ROM; default: O2")
    _add_objects(parser, "200 and 50")
    arguments.add_warm(parser)
    parser.add_argument("--no-startup", action="store_true", help="do not measure start-up and compile times")


def _engines(options: argparse.Namespace) -> BenchPlan:
    from retrosim.bench.contenders import ENGINES
    from retrosim.bench.engines import MACHINE, ROM, benchmark_engines, engines_csv, render_engines
    from retrosim.rom import load_rom
    from retrosim.table_1994.timing import builds_of

    machine = options.machine or MACHINE
    scenes = _scenes(options, ENGINES, MAX_ENGINE_OBJECTS)
    with bad_arguments():
        scenes["builds"] = builds_of(load_rom(ROM), machine, list(dict.fromkeys(options.build or ["O2"])))
    measure = partial(benchmark_engines, machine=machine, startup=not options.no_startup, warm=options.warm, **scenes)
    return BenchPlan(machine, measure, render_engines, engines_csv)


def _kernels(options: argparse.Namespace) -> BenchPlan:
    from retrosim.bench.kernel_peers import FINDERS
    from retrosim.bench.kernels import benchmark_kernels, kernels_csv, render_kernels

    measure = partial(benchmark_kernels, **_scenes(options, FINDERS))
    return BenchPlan("kernels", measure, render_kernels, kernels_csv)


def _add_program_options(parser: Parser) -> None:
    parser.add_argument("programs", nargs="*", metavar="NAME", help="only this program; default: all")
    _add_machines(parser, "one of each processor")


def _programs(options: argparse.Namespace) -> BenchPlan:
    from retrosim.bench.programs import CONTENDERS, ROM, benchmark_programs, programs_csv, render_programs
    from retrosim.machine.presets import preset
    from retrosim.rom import load_rom

    known = load_rom(ROM).constants
    with bad_arguments():
        for name in options.programs:
            check_choice("program", name, known)
        for name in options.machine:
            preset(name)
    chosen = {"programs": options.programs, "machines": options.machine}
    chosen = {key: list(dict.fromkeys(names)) for key, names in chosen.items() if names}
    measure = partial(benchmark_programs, **chosen, **_scenes(options, CONTENDERS))
    return BenchPlan("programs", measure, render_programs, programs_csv)


def _add_own_options(parser: Parser) -> None:
    parser.add_argument(
        "program", nargs="+", metavar="FILE", help="a project's folder, an executable, or sources and objects"
    )
    arguments.add_cflags(parser)
    _add_machines(parser, "the one that the program is for")


def _own(options: argparse.Namespace) -> BenchPlan:
    from retrosim.bench.program import benchmark_program
    from retrosim.bench.programs import CONTENDERS, programs_csv, render_programs

    check_simulated(options.machine)
    with bad_arguments():
        flags = compiler_flags(options.cflags or "", options.program)
    machines = list(dict.fromkeys(options.machine)) or None
    chosen: dict[str, Any] = {"machines": machines, "flags": flags, "note": say, "default": arguments.MACHINE}
    measure = partial(benchmark_program, options.program, **chosen, **_scenes(options, CONTENDERS))
    return BenchPlan("program", measure, render_programs, programs_csv)


def _debugger(options: argparse.Namespace) -> BenchPlan:
    from retrosim.bench.debugger import ENGINES, benchmark_debugger, debugger_csv, render_debugger
    from retrosim.machine.presets import preset

    with bad_arguments():
        for name in options.machine:
            preset(name)
    chosen = {"machines": list(dict.fromkeys(options.machine))} | _scenes(options, ENGINES)
    measure = partial(benchmark_debugger, **{name: given for name, given in chosen.items() if given})
    return BenchPlan("debugger", measure, render_debugger, debugger_csv)


def _scenes(options: argparse.Namespace, engines: Iterable[str], max_objects: int = MAX_OBJECTS) -> dict[str, Any]:
    """Return the contenders (out of `engines`) and numbers of objects that were given. Errors: ArgumentError."""
    objects = getattr(options, "objects", None)
    with bad_arguments():
        for engine in options.engine:
            check_choice("engine", engine, engines)
        for count in objects or []:
            if count > max_objects:
                raise ValueError(f"--objects: '{count}': allowed 1..{max_objects}")
    chosen = {"engines": options.engine, "objects": objects}
    return {key: list(dict.fromkeys(names)) for key, names in chosen.items() if names}


def _format(options: argparse.Namespace) -> str | None:
    """Return "json" or "csv", None for a table. Errors: ArgumentError."""
    chosen = "json" if options.json else "csv" if options.csv else None
    if options.output and chosen is None:
        chosen = Path(options.output).suffix.removeprefix(".")
        if chosen not in FORMATS:
            allowed = " or ".join(f".{kind}" for kind in FORMATS)
            raise refuse(f"--output {options.output}: needs --json, --csv, or a name that ends in {allowed}")
    return chosen


SUBJECTS = {
    "engines": Subject(
        """The engines on the machine code of the routine of 1994.

Beside Unicorn, Musashi and native C, as far as these are installed. --engine
takes recompile-TIMING or interpret-TIMING (full, table, off), evaluate, kernel,
unicorn, musashi and native-c.""",
        _add_engine_options,
        _engines,
        25,
    ),
    "kernels": Subject(
        """The functions of retrosim.collide beside pygame, scipy, shapely and others.

With 50 to 2,000,000 objects. What is not installed is left out and named.""",
        lambda parser: _add_objects(parser, "50 to 2,000,000"),
        _kernels,
        15,
    ),
    "programs": Subject(
        """Eighteen programs that nothing was tuned for, on every processor and engine.

Sorting, trees, text, matrices, decompression ...; `retrosim list roms`, bench.""",
        _add_program_options,
        _programs,
        5,
        "all but evaluate",
    ),
    "program": Subject(
        """A program of your own, from its start to its exit.

It must end by itself. Sources in C are also compiled for this computer and run
on it.""",
        _add_own_options,
        _own,
        5,
        "recompile-table, recompile-full, interpret-table, unicorn and native-c",
    ),
    "debugger": Subject(
        "A game under the debugger beside the same without one.",
        lambda parser: _add_machines(parser, "one of each processor"),
        _debugger,
        9,
        has_page=False,
    ),
}
