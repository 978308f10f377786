"""A call over a range of values: the option --sweep, and the jobs that measure some of the values each."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import arguments, profiling, values
from ...opening import choose
from ...parser import Parser
from ...progress import Progress
from ...settings import BudgetSettings, JobSettings, MachineSettings, refuse
from .call import CallSettings, CostSettings, prepare_call

if TYPE_CHECKING:
    from retrosim.cost.sweep import SweepReport

MAX_POINTS = 10_000
PER_JOB = 64  # points, at most: a process opens the machine once for them


def add_options(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument(
        "--sweep",
        type=_range,
        metavar="NAME=A..B",
        help="run the call for each value from A to B (A..B:STEP: every STEP) of a parameter of the ROM, or of what "
        "--arg NAME or --reg REGISTER=NAME names, and find the law: constant, linear, quadratic",
    )
    arguments.add_jobs(parser)
    parser.need(["--jobs", "--scheduler", "--resume"], "--sweep")
    alone = ["--bounds", "--csv", *(f"--{name}" for name in profiling.PROFILES)]
    parser.exclude([*alone, "--against", "--top"], "--sweep")


def _range(text: str) -> tuple[str, range]:
    name, _, numbers = text.partition("=")
    ends, _, step = numbers.partition(":")
    low, dots, high = ends.partition("..")
    if not name or not dots:
        raise argparse.ArgumentTypeError(f"{text!r}: allowed NAME=A..B or NAME=A..B:STEP")
    read = values.whole(-(2**31), 2**32 - 1)
    first, last = read(low), read(high)
    chosen = range(first, last + 1, values.whole(1, 2**32)(step) if step else 1)
    if not 2 <= len(chosen) <= MAX_POINTS:
        raise argparse.ArgumentTypeError(f"{text!r}: allowed 2..{MAX_POINTS} values, and these are {len(chosen)}")
    return name, chosen


@dataclass(frozen=True)
class Swept:
    """A call, and what is given in place of a name in it; is_parameter: a parameter of the ROM."""

    settings: CostSettings
    name: str
    is_parameter: bool

    def at(self, value: int) -> CostSettings:
        """Return the settings with a value in place of the name."""
        settings, name, call = self.settings, self.name, self.settings.call
        if self.is_parameter:
            parameters = {**settings.machine.parameters, name: value}
            return replace(settings, machine=replace(settings.machine, parameters=parameters))
        words = tuple(value if word == name else word for word in call.arguments)
        registers = {register: value if word == name else word for register, word in call.registers.items()}
        return replace(settings, call=replace(call, arguments=words, registers=registers))

    def as_json(self) -> dict[str, Any]:
        """Return plain data, which `swept_of` takes."""
        call = self.settings.call
        plain = asdict(call) | {"memory": [[where, content.hex()] for where, content in call.memory]}
        plain |= {"files": [[str(path), where] for path, where in call.files]}
        machine, limits = asdict(self.settings.machine), asdict(self.settings.limits)
        return {"machine": machine, "limits": limits, "call": plain, "name": self.name, "parameter": self.is_parameter}


def swept_of(plain: Mapping[str, Any], files: Sequence[str]) -> Swept:
    """Return what `Swept.as_json` made plain, with the program's files where they are now."""
    call, machine = plain["call"], plain["machine"] | {"rom": files[0], "others": tuple(files[1:])}
    call |= {name: tuple(call[name]) for name in ("arguments", "before")}
    call |= {"memory": tuple((where, bytes.fromhex(content)) for where, content in call["memory"])}
    call |= {"files": tuple((Path(path), where) for path, where in call["files"])}
    limits = BudgetSettings(**plain["limits"])
    settings = CostSettings(MachineSettings(**machine), limits, CallSettings(**call))
    return Swept(settings, plain["name"], plain["parameter"])


def sweep_call(
    settings: CostSettings, name: str, numbers: Sequence[int], jobs: JobSettings, is_quiet: bool
) -> SweepReport:
    """Run a call for all values of a name in it; return what it takes, and the law.

    Errors   ArgumentError for a name that is not in it; as of `prepare_call`
    """
    from retrosim.cost.report import Origin
    from retrosim.cost.sweep import SweepPoint, SweepReport, fit
    from retrosim.jobs import Job, run_jobs
    from retrosim.rom import Rom
    from retrosim.version import __version__

    machine, call = settings.machine, settings.call
    program = choose(machine).program
    parameters = program.parameters if isinstance(program, Rom) else {}
    in_call = name in (*call.arguments, *call.registers.values())
    if not in_call and name not in parameters:
        has = f" (it has {', '.join(parameters)})" if parameters else ""
        advice = f"for an argument of the call add --arg {name}, for a register --reg REGISTER={name}"
        raise refuse(f"--sweep {name}: is no parameter of {machine.rom}{has}; {advice}")
    swept = Swept(settings, name, not in_call)
    chunks = [list(numbers[start : start + PER_JOB]) for start in range(0, len(numbers), PER_JOB)]
    files = [machine.rom or "", *machine.others]
    are_there = [Path(file).exists() for file in files]
    paths = tuple(str(Path(file)) for file, is_there in zip(files, are_there) if is_there)
    common = {"swept": swept.as_json(), "there": are_there}
    work = [Job(common | {"values": chunk}, paths) for chunk in chunks]
    done = 0
    with Progress(is_quiet=is_quiet) as progress:
        progress.step(0, len(numbers), "values")

        def ended(index: int) -> None:
            nonlocal done
            done += len(chunks[index])
            progress.step(done, len(numbers), "values")

        results = run_jobs(measure_values, work, jobs.workers(len(work)), ended)
    points = [SweepPoint(**point) for result in results for point in result["points"]]
    law = fit([(point.value, point.cycles) for point in points])
    origin = Origin(settings.program, machine.parameters | results[0].pop("parameters"), __version__, settings.command)
    return SweepReport(origin, **results[0] | {"name": name, "points": points, "law": law})


def measure_values(argument: dict[str, Any], *paths: Any) -> dict[str, Any]:
    """Measure a call for some values; the job of a sweep.

    argument  swept: the call; values; there: which of the program's files are files, and not names
    paths     of these
    """
    from retrosim.cost.cost import place_stack
    from retrosim.cost.report import timing_of
    from retrosim.cost.unset import unset_reads

    left, machine = list(paths), argument["swept"]["machine"]
    files = [machine["rom"], *machine["others"]]
    files = [str(left.pop(0)) if there else file for file, there in zip(files, argument["there"], strict=True)]
    swept = swept_of(argument["swept"], files)
    points: list[dict[str, Any]] = []
    prepared = None
    with Progress(is_quiet=True) as progress:
        for value in argument["values"]:
            settings = swept.at(value)
            if prepared is None or swept.is_parameter:
                prepared = prepare_call(settings, progress)
                state = prepared.machine.snapshot()
            on = prepared.machine
            on.restore(state)
            place_stack(on)
            words = [word for word in settings.call.arguments if word is not None]  # None needs --bounds
            cost = on.measure(prepared.entry, *words, **settings.call.keywords())
            if not points:
                on.restore(state)
                place_stack(on)
                at, called = on.address(prepared.entry), settings.call.convention_and_registers()
                unset = unset_reads(on, at, words, called, cost.instructions)
            counts = {"cycles": cost.cycles, "low": cost.low, "high": cost.high}
            points.append({"value": value} | counts | {"instructions": cost.instructions, "result": cost.result})
    assert prepared is not None
    about = {"machine": on.name, "model": on.core.cpu.model, "clock_hz": on.clock_hz, "timing": timing_of(on)}
    about |= {"build": on.image.build, "entry": prepared.entry, "warm": swept.settings.call.warm}
    parameters = {} if swept.is_parameter else dict(on.parameters)
    return about | {"parameters": parameters, "unset_registers": unset, "points": points}
