"""Options of `cost` that run a call more than once: against another one, and over a range of values."""

from __future__ import annotations

import argparse
import copy
import os
from typing import TYPE_CHECKING, Any

from . import arguments, profiling, values
from .opening import chosen_workers, open_rom, refuse
from .output import print_json, print_table
from .parser import Parser
from .progress import Progress

if TYPE_CHECKING:
    from retrosim.cost.report import CostReport

KEYS = ("file", "machine", "build", "entry", "timing", "convention", "cflags")
MAX_POINTS = 10_000
PER_JOB = 64  # points, at most: a process opens the machine once for them


def add_options(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument(
        "--against",
        action="append",
        default=[],
        type=_other,
        metavar="WHAT",
        help="compare with another call: another program's file, or what is different: file=, machine=, build=, "
        f"entry=, timing=, convention= or cflags=; {arguments.REPEATABLE}",
    )
    parser.add_argument(
        "--sweep",
        type=_range,
        metavar="NAME=A..B",
        help="run the call for each value from A to B (A..B:STEP: every STEP) of a parameter of the ROM, or of what "
        "--arg NAME or --reg REGISTER=NAME names, and find the law: constant, linear, quadratic",
    )
    arguments.add_jobs(parser)
    parser.need(["--jobs", "--scheduler", "--resume"], "--sweep")
    alone = ["--bounds", "--csv", *(f"--{name}" for name in profiling.OTHERS)]
    parser.exclude(alone, "--against")
    parser.exclude([*alone, "--against", "--top"], "--sweep")


def _other(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or name not in KEYS:
        name, value = "file", text
        if sign and not os.path.lexists(text):
            value = ""
    if not value:
        raise argparse.ArgumentTypeError(f"{text!r}: allowed a file, or {', '.join(KEYS)} with = and a value")
    return name, value


def _range(text: str) -> tuple[str, range]:
    name, _, numbers = text.partition("=")
    ends, _, step = numbers.partition(":")
    low, dots, high = ends.partition("..")
    if not name or not dots:
        raise argparse.ArgumentTypeError(f"{text!r}: allowed NAME=A..B or NAME=A..B:STEP")
    read = values.whole(-(2**31), 2**32 - 1)
    first, last = read(low), read(high)
    found = range(first, last + 1, values.whole(1, 2**32)(step) if step else 1)
    if not 2 <= len(found) <= MAX_POINTS:
        raise argparse.ArgumentTypeError(f"{text!r}: allowed 2..{MAX_POINTS} values, and these are {len(found)}")
    return name, found


def other_options(options: argparse.Namespace) -> argparse.Namespace:
    """Return the options of the call to compare with."""
    other, changed = copy.copy(options), dict(options.against)
    if "file" in changed:
        other.rom, other.others = changed.pop("file"), []
    for name, value in changed.items():
        setattr(other, name, value)
    if "machine" in changed and "build" not in changed:
        other.build = None
    if other.timing not in (None, *arguments.TIMINGS[1:]):
        raise refuse(f"--against timing={other.timing}: allowed {', '.join(arguments.TIMINGS[1:])}")
    return other


def print_comparison(options: argparse.Namespace, both: list[argparse.Namespace], reports: list[CostReport]) -> int:
    """Print what differs between two calls."""
    from retrosim.cost.against import against_page, compare_costs, render_against

    first, second = reports
    found = compare_costs(first, second, [each.rom for each in both], [each.cflags or "" for each in both])
    profiling.write_html(options, lambda: against_page(found))
    if options.json:
        print_json(found)
    else:
        print_table(render_against(found, options.top))
    return 0


def print_sweep(options: argparse.Namespace) -> int:
    """Run the call for all values, and print what it takes and the law."""
    from pathlib import Path

    from retrosim.cost.sweep import SweepPoint, SweepReport, fit, render_sweep, sweep_page
    from retrosim.jobs import Job, run_jobs
    from retrosim.rom import Rom

    name, numbers = options.sweep
    program = open_rom(copy.copy(options))
    parameters = program.parameters if isinstance(program, Rom) else {}
    if name not in (*parameters, *options.arg, *dict(options.reg).values()):
        known = f" (it has {', '.join(parameters)})" if parameters else ""
        advice = f"for an argument of the call add --arg {name}, for a register --reg REGISTER={name}"
        raise refuse(f"--sweep {name}: is no parameter of {options.rom}{known}; {advice}")
    chunks = [list(numbers[start : start + PER_JOB]) for start in range(0, len(numbers), PER_JOB)]
    plain = {key: value for key, value in vars(options).items() if _is_plain(value)} | {"sweep": None}
    plain |= {"load": [[str(path), where] for path, where in options.load]}
    files = [options.rom, *getattr(options, "others", [])]
    plain |= {"there": [Path(file).exists() for file in files]}
    paths = tuple(str(Path(file)) for file in files if Path(file).exists())
    jobs = [Job({"options": plain, "name": name, "values": chunk}, paths) for chunk in chunks]
    done = 0
    with Progress(is_quiet=options.json) as progress:
        progress.step(0, len(numbers), "values")

        def ended(index: int) -> None:
            nonlocal done
            done += len(chunks[index])
            progress.step(done, len(numbers), "values")

        results = run_jobs(measure_values, jobs, chosen_workers(options, len(jobs)), ended)
    points = [SweepPoint(**point) for result in results for point in result["points"]]
    law = fit([(point.value, point.cycles) for point in points])
    swept = SweepReport(**results[0] | {"name": name, "points": points, "law": law})
    profiling.write_html(options, lambda: sweep_page(swept))
    if options.json:
        print_json(swept)
    else:
        print_table(render_sweep(swept))
    return 0


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, int | str | float | list | tuple)


def measure_values(argument: dict[str, Any], *paths: Any) -> dict[str, Any]:
    """Measure a call for some values; the job of a sweep.

    argument  options: those of the command; name: of what is swept; values
    paths     of the program's files, as far as those named are files
    """
    from retrosim.cost.cost import place_stack
    from retrosim.cost.report import timing_of

    from .commands.cost import opened

    given, left = dict(argument["options"]), list(paths)
    files = [given["rom"], *given.get("others", [])]
    files = [str(left.pop(0)) if there else file for file, there in zip(files, given.pop("there"), strict=True)]
    given |= {"rom": files[0], "others": files[1:], "reg": [tuple(each) for each in given["reg"]]}
    given |= {key: [tuple(each) for each in given[key]] for key in ("parameters", "memory", "readings", "mem", "load")}
    name, points, prepared = argument["name"], [], None
    options = argparse.Namespace(**given)
    in_arguments, in_registers = name in options.arg, [key for key, value in options.reg if value == name]
    is_parameter = not in_arguments and not in_registers
    with Progress(is_quiet=True) as progress:
        for value in argument["values"]:
            each = copy.copy(options)
            each.arg = [value if word == name else word for word in options.arg]
            each.reg = [(key, value if word == name else word) for key, word in options.reg]
            if is_parameter:
                each.parameters = [*options.parameters, (name, value)]
            if prepared is None or is_parameter:
                prepared = opened(each, progress)
                state = prepared.machine.snapshot()
            machine = prepared.machine
            machine.restore(state)
            place_stack(machine)
            called: dict[str, Any] = {"convention": each.convention or "c", "registers": dict(each.reg)}
            called |= {"warm": each.warm, "max_instructions": each.max_instructions, "interval": each.interval}
            cost = machine.measure(prepared.entry, *each.arg, **called)
            counts = {"cycles": cost.cycles, "low": cost.low, "high": cost.high}
            counts |= {"instructions": cost.instructions, "result": cost.result}
            points.append({"value": value} | counts)
    assert prepared is not None
    about = {"machine": machine.name, "model": machine.core.cpu.model, "clock_hz": machine.clock_hz}
    about |= {"timing": timing_of(machine), "build": machine.image.build, "entry": prepared.entry}
    return about | {"warm": options.warm, "points": points}
