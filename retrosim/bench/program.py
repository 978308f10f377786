"""`retrosim bench program`: a program of the user's own, on our engines, other emulators, and compiled for this host.

A run goes from the program's entry to its exit. All contenders run the same image with the same services (`services`),
and must end with the same exit status and text. `native-c` is the C sources of a project, compiled as for the machine
but for this host; what it writes otherwise (an address, say) is told, and no error.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from retrosim.asm.linking import COMPILED
from retrosim.asm.project import load_for, project_file, read_project
from retrosim.checks import check_choice
from retrosim.errors import RetrosimError
from retrosim.machine import Machine
from retrosim.machine.budget import Budget
from retrosim.machine.memory import EXIT, YIELD_FRAME
from retrosim.report.text import short_percent, times
from retrosim.rom import Image

from .contenders import (
    HOST_PACKAGES,
    LONGEST_RUN,
    SIMULATED,
    WARM_INSTRUCTIONS,
    Contender,
    Lap,
    Peer,
    opened,
    ready_for,
)
from .native import NativeProgram, why_missing
from .peers import PACKAGES, Services
from .programs import CONTENDERS, ProgramCase, ProgramCost, ProgramMethod, ProgramResult, SkippedOn, cases_of, means_of
from .race import Entrant, Progress, RaceProgress, Ready, check_laps, host, made_from, race
from .workload import LOOPS

USUAL = ("recompile-table", "recompile-full", "interpret-table", "unicorn", "native-c")
MAX_WARM_RUNS = 5
STEADY_LAPS, NEARLY, MAX_SETTLING_RUNS = 3, 1.5, 20  # laps of nearly the same length end the warming up
NO_LIMIT = 1 << 62  # instructions
NO_SOURCES = "there are no C sources: give the project, or the .c files"
SHOWN = 3  # lines that native C writes otherwise


@dataclass(frozen=True)
class Whole:
    """What another emulator repeats: a program from its entry to its exit.

    registers  name -> value at power-on
    result     names of the registers of a service's result
    """

    entry: int
    registers: dict[str, int]
    result: tuple[str, str]


class MeasuredMachine(Machine):
    """A machine whose program gets the answers of `Services`."""

    def begin(self) -> None:
        """Let the services begin anew."""
        result = self.core.cpu.host.result
        self.services = Services(
            lambda name: self.regs[name],
            self.regs.__setitem__,
            lambda address, size: self.mem[address : address + size].tobytes(),
            result,
        )

    def _serve(self, number: int) -> None:
        if number not in (YIELD_FRAME, EXIT):
            self._wait_until(self.cycles + (0 if self.timing == "off" else self.service_clocks))
            self.services.serve(number)
        else:
            super()._serve(number)


class OwnEngine(Contender):
    """The program on one of our engines."""

    def __init__(self, name: str, image: Image, engine: str, timing: str) -> None:
        self._machine = MeasuredMachine(name, image, engine=engine, timing=timing)
        self._start = self._machine.save()

    def run(self, count: int) -> Lap:
        seconds, machine = 0.0, self._machine
        for _ in range(count):
            machine.load(self._start)
            machine.begin()
            machine.budget = Budget(seconds=LONGEST_RUN)
            start = time.thread_time()
            result = machine.run(instructions=NO_LIMIT)
            seconds += time.thread_time() - start
            if result.reason == "budget":
                raise RetrosimError(f"does not end within {LONGEST_RUN} s")
            if result.reason != "exit":
                raise result.fault or RetrosimError(f"ended with {result.reason!r}")
        return Lap(seconds, machine.services.outcome(), None)

    def warm_up(self) -> None:
        """Run until the program's code has been found and recompiled.

        Of a large program what runs often is recompiled while it runs: so until some runs take about the least time.
        """
        done = 0
        laps: list[float] = []
        while not laps or (done < WARM_INSTRUCTIONS and len(laps) < MAX_WARM_RUNS) or not _is_settled(laps):
            laps.append(self.run(1).seconds)
            done += self._machine.instructions

    @property
    def cost(self) -> ProgramCost:
        """What the last run cost."""
        return ProgramCost(self._machine.instructions, self._machine.cycles / self._machine.clock_hz)

    def close(self) -> None:
        del self._machine


def _is_settled(laps: Sequence[float]) -> bool:
    """Have the last laps taken about as long as the shortest, or have there been many?"""
    is_steady = len(laps) >= STEADY_LAPS and max(laps[-STEADY_LAPS:]) <= NEARLY * min(laps)
    return is_steady or len(laps) >= MAX_SETTLING_RUNS


class OwnPeer(Peer):
    """The program on another emulator."""

    def __init__(self, engine: str, machine: Machine, folder: Path) -> None:
        registers = {name: machine.regs[name] for name in LOOPS[machine.image.isa].needs}
        whole = Whole(machine.image.entry, registers, machine.core.cpu.host.result)
        super().__init__(engine, machine.image.isa, machine.mem.tobytes(), whole, folder)


def benchmark_program(
    files: Sequence[str],
    *,
    machines: Sequence[str] | None = None,
    engines: Sequence[str] | None = None,
    rounds: int = 5,
    seconds: float = 0.2,
    flags: tuple[str, ...] = (),
    default: str | None = None,
    note: Callable[[str], None] = lambda text: None,
    progress: Progress | None = None,
) -> ProgramResult:
    """Measure a program that ends by itself.

    files     a project's folder, or an executable, or sources and objects
    machines  presets' names, None for the one that the program is for
    engines   some of `programs.CONTENDERS`, None for USUAL
    rounds    laps of each, 1 or more
    seconds   aimed at for a lap, which has whole runs
    flags     for the compiler of C
    default   machine of a program that runs on several
    note      gets the commands of compilers
    Returns   cases of one program; no goals
    Errors    ValueError, RomError, AssemblyError; RetrosimError for a program that does not end
    """
    asked = list(engines or USUAL)
    for engine in asked:
        check_choice("engine", engine, CONTENDERS)
    check_laps(rounds, seconds)
    project_path = project_file(files[0])
    project = read_project(project_path) if project_path else None
    sources = [*(project.sources if project else [Path(files[0])]), *map(Path, files[1:])]
    sources = [source for source in sources if source.suffix in COMPILED]
    all_flags = (*(project.flags if project else ()), *flags)
    program = project.name if project else Path(files[0]).stem
    chosen: list[str | None] = [*machines] if machines else [None]
    steps = RaceProgress(progress, len(chosen) * (1 + 2 * len(asked) + rounds))
    cases, skipped, notes = [], [], []
    for machine in chosen:
        loaded = load_for(files[0], machine, default, others=files[1:], note=note, flags=flags)
        if not isinstance(loaded.program, Image):
            raise ValueError(f"{files[0]}: is a ROM with a manifest; allowed a program that ends by itself")
        missing = {engine: why_missing(engine, loaded.program.isa, bool(sources), NO_SOURCES) for engine in asked}
        skipped += [SkippedOn(engine, reason, loaded.machine) for engine, reason in missing.items() if reason]
        field = _Entrants(loaded.program, loaded.machine, partial(NativeProgram, sources, all_flags))
        entries = field.race([engine for engine in asked if not missing[engine]], rounds, seconds, steps)
        cases += cases_of(loaded.machine, program, field.cost, entries)
        notes += field.notes
    steps.end()
    return ProgramResult(
        verdict=_verdict(program, cases),
        goals=[],
        means=means_of(cases),
        cases=cases,
        skipped=skipped,
        host=host(HOST_PACKAGES),
        made=made_from(),
        method=ProgramMethod(rounds, seconds, "exit status and text"),
        notes=notes,
    )


class _Entrants:
    """Those who race on one machine, and what the first run there found: what it costs, and its exit status and text.

    notes   where the text of native C differs
    """

    def __init__(self, image: Image, machine: str, native: Callable[[Path], NativeProgram]) -> None:
        self._image, self._machine, self._native = image, machine, native
        self.notes: list[str] = []

    def race(self, engines: Sequence[str], rounds: int, seconds: float, steps: RaceProgress) -> list[Entrant]:
        """Let the contenders take turns. Errors: RetrosimError, the program does not end."""
        steps.next(f"{self._machine}: first run, with the full timing model")
        engine = "recompile" if "recompile-full" in engines else "interpret"  # compiles nothing that was not asked for
        reference = OwnEngine(self._machine, self._image, engine, "full")
        reference.warm_up()
        self.cost = reference.cost
        self._expected = reference.run(1).result
        open_one = partial(self._open, reference)
        with opened(engines, open_one, lambda engine: steps.next(f"{self._machine}: {engine}, opening")) as contenders:
            entries = [Entrant(engine, partial(self._ready, engine, contenders[engine])) for engine in engines]
            race(entries, rounds, seconds, steps, self._machine)
        return entries

    def _open(self, reference: OwnEngine, engine: str, folder: Path) -> Contender:
        if SIMULATED.get(engine) == ("recompile", "full"):
            return reference
        if engine in SIMULATED:
            return OwnEngine(self._machine, self._image, *SIMULATED[engine])
        if engine in PACKAGES:
            return OwnPeer(engine, Machine(self._machine, self._image, engine="evaluate"), folder)
        return self._native(folder)

    def _ready(self, engine: str, contender: Contender | RetrosimError) -> Ready:
        if isinstance(contender, RetrosimError):
            raise contender
        return ready_for(engine, contender, partial(self._timed, engine, contender))

    def _timed(self, engine: str, contender: Contender, count: int) -> float:
        lap = contender.run(count)
        if engine == "native-c":
            self._compare(lap.result)
        elif lap.result != self._expected:
            raise RetrosimError("ends with another exit status or text than the first run, with full timing")
        return lap.seconds

    def _compare(self, text: bytes) -> None:
        """Note where the text of native C differs."""
        ours, theirs = self._expected[4:].splitlines(), text.splitlines()
        pairs = [(a, b) for a, b in zip(ours, theirs) if a != b]
        if (pairs or len(ours) != len(theirs)) and not self.notes:
            lines = [
                f"{a.decode('ascii', 'replace').strip()!r} there {b.decode('ascii', 'replace').strip()!r}"
                for a, b in pairs
            ]
            count = len(pairs) + abs(len(ours) - len(theirs))
            self.notes.append(
                f"{self._machine}: native-c writes {count} of {len(ours)} lines otherwise: {'; '.join(lines[:SHOWN])}"
            )


def _verdict(program: str, cases: Sequence[ProgramCase]) -> str:
    """Return what the user wants to know first: the speed of each machine on the fastest engine that counts clocks."""
    said = []
    for machine in dict.fromkeys(case.machine for case in cases):
        by_engine = {case.engine: case for case in cases if case.machine == machine and case.machine_code}
        engine = next((engine for engine in (*USUAL, *SIMULATED) if engine in by_engine and engine in SIMULATED), None)
        if engine is not None and (code := by_engine[engine].machine_code):
            ratios = by_engine[engine].ratio_to
            parts = [f"{short_percent(ratios[peer])} of native C" for peer in ratios if peer == "native-c"]
            parts += [f"{times(ratios[peer])} {peer.capitalize()}" for peer in ratios if peer in PACKAGES]
            parts.append(f"{times(code.times_machine)} real time")
            said.append(f"{program} on {machine}, {engine}: {', '.join(parts)}")
    wrong = sum(case.error is not None for case in cases)
    checked = f"{wrong} contenders have an error" if wrong else "all exit statuses and texts are equal"
    return f"{'; '.join(said) or f'{program}: no engine was measured'}; {checked}."
