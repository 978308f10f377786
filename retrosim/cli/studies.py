"""`retrosim timing`, `study` and `bench`: what the studies find, as tables, JSON or CSV."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrosim.cli.opening import NATIVE, check_machines, chosen_memory
from retrosim.cli.output import print_json, write_text
from retrosim.cli.progress import Progress
from retrosim.cli.values import bad_arguments

if TYPE_CHECKING:
    from retrosim.rom import Rom

FORMATS = ("json", "csv")


def timing(options: argparse.Namespace) -> int:
    """Carry out `retrosim timing`."""
    names = list(dict.fromkeys(options.machine)) if options.machine else None
    check_machines(names or [])
    if NATIVE in (names or []):
        raise argparse.ArgumentError(None, f"machine {NATIVE!r}: it has no CPU whose cycles could be counted")
    if options.json and options.csv:
        raise argparse.ArgumentError(None, "--json and --csv: allowed is one of them")
    if options.causes and options.full:
        raise argparse.ArgumentError(None, "--causes and --full: allowed is one of them")
    from retrosim.rom import load_rom
    from retrosim.study.causes import causes_table, check_causes
    from retrosim.study.timing import ROM, builds_of, timing_table
    from retrosim.study.timing_report import render_causes, render_timing, rows_csv

    rom = load_rom(ROM)
    names = names or _machines_for(options, rom)
    memory = chosen_memory(options, names)
    with bad_arguments():
        for name in names:
            builds_of(rom, name, options.build)
            if options.causes:
                check_causes(name)
    given = {"builds": options.build, "memory": memory, "engine": options.engine or "auto"}
    with Progress(is_quiet=options.json or options.csv) as progress:
        if options.causes:
            result = causes_table(names, progress.step, **given)
        else:
            result = timing_table(names, options.full, progress.step, **given)
    if options.json:
        print_json(result)
    elif options.csv:
        sys.stdout.write(rows_csv(result))
    else:
        print_table((render_causes if options.causes else render_timing)(result))
    return 0


def _machines_for(options: argparse.Namespace, rom: Rom) -> list[str]:
    """Return the machines of the table that have all that is asked for; when none has, all of them, to be refused."""
    from retrosim.machine import PRESETS
    from retrosim.study.causes import has_causes
    from retrosim.study.timing import builds_of, machines_of

    def fits(name: str) -> bool:
        has_builds = set(options.build or ()) <= set(builds_of(rom, name, None))
        has_memory = set(dict(options.memory)) <= set(PRESETS[name].memory)
        return has_builds and has_memory and (has_causes(name) or not options.causes)

    known = machines_of(rom)
    return [name for name in known if fits(name)] or known


def study(options: argparse.Namespace) -> int:
    """Carry out `retrosim study`."""
    names = list(dict.fromkeys(options.machine)) if options.machine else None
    check_machines(names or [])
    if NATIVE in (names or []):
        raise argparse.ArgumentError(None, f"machine {NATIVE!r}: it has no CPU whose cycles could be counted")
    if options.json and options.csv:
        raise argparse.ArgumentError(None, "--json and --csv: allowed is one of them")
    from retrosim.screen.palette import macintosh_palette
    from retrosim.screen.png import check_free, write_png
    from retrosim.study.comparison import compare_methods, method_named
    from retrosim.study.comparison_picture import draw_comparison
    from retrosim.study.comparison_report import comparison_csv, render_comparison

    with bad_arguments():
        for name in options.method or ():
            method_named(name)
    if options.picture:
        check_free(options.picture, overwrite=options.force)
    settings = {"scenes": options.scenes, "seed": options.seed, "engine": options.engine or "auto"}
    with Progress(is_quiet=options.json or options.csv) as progress:
        result = compare_methods(names, options.method, progress.step, **settings)
    if options.picture:
        write_png(options.picture, draw_comparison(result), macintosh_palette(), overwrite=options.force)
    if options.json:
        print_json(result)
    elif options.csv:
        sys.stdout.write(comparison_csv(result))
    else:
        print_table(render_comparison(result))
    return 0


def bench(options: argparse.Namespace) -> int:
    """Carry out `retrosim bench`."""
    kind = _format(options)
    from retrosim.screen.png import check_free
    from retrosim.study.bench import MACHINE, host_file

    measure, render, as_csv = _kernels(options) if options.kernels else _engines(options)
    kept = host_file("kernels" if options.kernels else options.machine or MACHINE) if options.save else None
    for path in filter(None, (options.output, kept)):
        check_free(path, overwrite=options.force)
    with Progress(is_quiet=kind is not None) as progress:
        result = measure(progress=progress.step, **({"rounds": options.rounds} if options.rounds else {}))
    if kept:
        write_text(kept, json.dumps(result, indent=1) + "\n", overwrite=options.force)
    if kind is None:
        print_table(render(result))
        return 0
    text = as_csv(result) if kind == "csv" else json.dumps(result, indent=2) + "\n"
    if options.output:
        write_text(Path(options.output), text, overwrite=options.force)
    else:
        sys.stdout.write(text)
    return 0


def _engines(options: argparse.Namespace) -> tuple[Callable, Callable, Callable]:
    """Return how engines are measured as the options say, and how the result becomes a table and CSV."""
    from retrosim.rom import load_rom
    from retrosim.study.bench import MACHINE, ROM, benchmark, results_csv
    from retrosim.study.bench_report import render_bench
    from retrosim.study.contenders import ENGINES
    from retrosim.study.timing import builds_of

    machine = options.machine or MACHINE
    scenes = _scenes(options, ENGINES, most=200)
    with bad_arguments():
        scenes["builds"] = builds_of(load_rom(ROM), machine, list(dict.fromkeys(options.build or ["O2"])))
    return partial(benchmark, machine=machine, startup=not options.no_startup, **scenes), render_bench, results_csv


def _kernels(options: argparse.Namespace) -> tuple[Callable, Callable, Callable]:
    """Return the same for kernels."""
    from retrosim.study.kernel_bench import benchmark_kernels, kernels_csv
    from retrosim.study.kernel_peers import CONTENDERS
    from retrosim.study.kernel_report import render_kernels

    for name in ("machine", "build", "no_startup"):
        if getattr(options, name):
            raise argparse.ArgumentError(None, f"--{name.replace('_', '-')}: --kernels has no use for it")
    return partial(benchmark_kernels, **_scenes(options, CONTENDERS)), render_kernels, kernels_csv


def _scenes(options: argparse.Namespace, engines: Iterable[str], most: int | None = None) -> dict[str, Any]:
    """Return what was given of contenders, out of `engines`, and of numbers of objects, up to `most`."""
    for engine in options.engine or []:
        if engine not in engines:
            raise argparse.ArgumentError(None, f"engine {engine!r}: allowed {', '.join(engines)}")
    for count in options.objects or []:
        if most is not None and count > most:
            raise argparse.ArgumentError(None, f"--objects: '{count}': allowed 1..{most}")
    given = {"engines": options.engine, "objects": options.objects}
    return {key: list(dict.fromkeys(values)) for key, values in given.items() if values}


def _format(options: argparse.Namespace) -> str | None:
    """Return "json" or "csv", None for a table. Errors: ArgumentError."""
    if options.json and options.csv:
        raise argparse.ArgumentError(None, "--json and --csv: allowed is one of them")
    chosen = "json" if options.json else "csv" if options.csv else None
    if options.output and chosen is None:
        chosen = Path(options.output).suffix.removeprefix(".")
        if chosen not in FORMATS:
            allowed = " or ".join(f".{kind}" for kind in FORMATS)
            raise argparse.ArgumentError(
                None, f"--output {options.output}: give --json or --csv, or end it in {allowed}"
            )
    return chosen


def print_table(table: Any) -> None:
    """Write what a rich console makes of a table; a reader who has gone is met as by every other command."""
    from rich.console import Console

    console = Console(highlight=False)
    with console.capture() as written:
        console.print(table)
    sys.stdout.write(written.get())
