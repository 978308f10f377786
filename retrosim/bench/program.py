"""`retrosim bench program`: a program of the user's own, on our engines, other emulators, and compiled for this host.

A run goes from the program's entry to its exit. All contenders run the same image with the same services (`services`),
and must end with the same exit status and text. `native-c` is the C sources of a project, compiled as for the machine
but for this host, with the services in `_DRIVER`; what it writes otherwise (an address, say) is told, and no error.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from retrosim.asm.linking import COMPILED
from retrosim.asm.project import load_for, project_file, read_project
from retrosim.cache.sources import source_digest
from retrosim.checks import check_choice
from retrosim.errors import RetrosimError
from retrosim.machine import Machine
from retrosim.machine.budget import Budget
from retrosim.machine.memory import EXIT, YIELD_FRAME
from retrosim.rom import Image
from retrosim.rom.formats.sources import FLAGS

from .contenders import LONGEST_RUN, SIMULATED, WARM_INSTRUCTIONS, Lap, Peer, call_tool, find_compiler, missing_peer
from .engines import Steps, host
from .laps import Entry
from .peers import PACKAGES, Services
from .programs import CONTENDERS, Cost, cases_of, commit, means_of, percent, run_laps, times
from .workload import LOOPS

USUAL = ("recompile-table", "recompile-full", "interpret-table", "unicorn", "native-c")
MAX_WARM_RUNS = 5
STEADY_LAPS, NEARLY, MAX_SETTLING_RUNS = 3, 1.5, 20  # laps of nearly the same length end the warming up
NO_LIMIT = 1 << 62  # instructions
SHOWN = 3  # lines that native C writes otherwise
_MAIN = "main_of_the_program"
_DRIVER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct timespec start;
static const char *taken;
static unsigned readings;

void yield_frame(void)
{
}

unsigned microseconds(void)
{
    return ++readings * 1000000u;
}

void write_text(const char *from, unsigned size)
{
    fwrite(from, 1, size < 4096 ? size : 4096, stdout);
}

/* However the program ends: write its text, and the seconds it took. */
static void end(void)
{
    struct timespec now;
    FILE *file;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    fflush(stdout);
    file = fopen(taken, "w");
    fprintf(file, "%.9f", difftime(now.tv_sec, start.tv_sec) + 1e-9 * (now.tv_nsec - start.tv_nsec));
    fclose(file);
    _Exit(0);
}

void exit_program(int status)
{
    exit(status);
}

int main_of_the_program();

int main(int count, char **names)
{
    char *none = NULL;

    (void)count;
    taken = names[1];
    atexit(end);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    exit(main_of_the_program(0, &none));
}
"""


@dataclass(frozen=True)
class Whole:
    """What another emulator repeats: a program from its entry to its exit.

    registers  name -> value at power-on
    result     names of the registers of a service's result
    """

    entry: int
    registers: dict[str, int]
    result: tuple[str, str]


class Measured(Machine):
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


class OwnEngine:
    """The program on one of our engines."""

    def __init__(self, name: str, image: Image, engine: str, timing: str) -> None:
        self._machine = Measured(name, image, engine=engine, timing=timing)
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

    def warm_up(self) -> Cost:
        """Run until the program's code has been found and recompiled; return what a run costs.

        Of a large program what runs often is recompiled while it runs: so until some runs take about the least time.
        """
        done = 0
        laps: list[float] = []
        while not laps or (done < WARM_INSTRUCTIONS and len(laps) < MAX_WARM_RUNS) or not _is_settled(laps):
            laps.append(self.run(1).seconds)
            done += self._machine.instructions
        return Cost(self._machine.instructions, self._machine.cycles / self._machine.clock_hz)

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

    def warm_up(self) -> None:
        """There is nothing to compile in advance."""


class NativeSources:
    """C sources, compiled for this host; every run is a process that times itself."""

    def __init__(self, sources: Sequence[Path], flags: Sequence[str], folder: Path) -> None:
        compiler, self._program = find_compiler() or "cc", folder / "native"
        self._taken = folder / "seconds"
        (folder / "driver.c").write_text(_DRIVER)
        own, joined = [], str(folder / "program.o")
        for number, source in enumerate(sources):
            own.append(str(folder / f"{number}.o"))
            call_tool([compiler, *FLAGS, *flags, f"-Dmain={_MAIN}", "-w", "-c", str(source.resolve()), "-o", own[-1]])
        call_tool([compiler, "-r", "-nostdlib", *own, "-o", joined])
        # the program's own printf or malloc must not become those of the host's library
        call_tool([shutil.which("objcopy") or "objcopy", f"--keep-global-symbol={_MAIN}", joined])
        call_tool([compiler, "-O2", "-no-pie", str(folder / "driver.c"), joined, "-lm", "-o", str(self._program)])

    def run(self, count: int) -> Lap:
        seconds, text = 0.0, ""
        for _ in range(count):
            text = call_tool([str(self._program), str(self._taken)])
            seconds += float(self._taken.read_text())
        return Lap(seconds, text.encode(), None)

    def warm_up(self) -> None:
        """It is compiled already."""

    def close(self) -> None:
        self._program.unlink(missing_ok=True)


def benchmark_own(
    files: Sequence[str],
    *,
    machines: Sequence[str] | None = None,
    engines: Sequence[str] | None = None,
    rounds: int = 5,
    seconds: float = 0.2,
    flags: tuple[str, ...] = (),
    default: str | None = None,
    note: Callable[[str], None] = lambda text: None,
    progress: Callable[[int, int, str], None] | None = None,
) -> dict[str, Any]:
    """Measure a program that ends by itself.

    files     a project's folder, or an executable, or sources and objects
    machines  presets' names, None for the one that the program is for
    engines   some of `programs.CONTENDERS`, None for USUAL
    rounds    laps of each, 1 or more
    seconds   aimed at for a lap, which has whole runs
    flags     for the compiler of C
    default   machine of a program that runs on several
    note      gets the commands of compilers
    progress  called with steps done, their number, and what comes next
    Returns   dict as of `benchmark_programs`; no goals
    Errors    ValueError, RomError, AssemblyError; RetrosimError for a program that does not end
    """
    asked = list(engines or USUAL)
    for engine in asked:
        check_choice("engine", engine, CONTENDERS)
    if rounds < 1 or not 0 < seconds <= 60:
        raise ValueError(f"rounds {rounds}, seconds {seconds}: allowed 1 or more, and above 0, to 60")
    found = project_file(files[0])
    project = read_project(found) if found else None
    sources = [*(project.sources if project else [Path(files[0])]), *map(Path, files[1:])]
    sources = [each for each in sources if each.suffix in COMPILED]
    all_flags = (*(project.flags if project else ()), *flags)
    program = project.name if project else Path(files[0]).stem
    chosen: list[str | None] = [*machines] if machines else [None]
    steps = Steps(progress, len(chosen) * (1 + len(asked) + rounds))
    cases, skipped, notes = [], [], []
    for machine in chosen:
        loaded = load_for(files[0], machine, default, others=files[1:], note=note, flags=flags)
        if not isinstance(loaded.program, Image):
            raise ValueError(f"{files[0]}: is a ROM with a manifest; allowed a program that ends by itself")
        missing = {engine: _why_missing(engine, sources, loaded.program.isa) for engine in asked}
        skipped += [{"machine": loaded.machine, "engine": e, "reason": r} for e, r in missing.items() if r]
        race = _Race(loaded.program, loaded.machine, program, partial(NativeSources, sources, all_flags))
        cases += race.run([engine for engine in asked if not missing[engine]], rounds, seconds, steps)
        notes += race.notes
    steps.end()
    means = means_of(cases)
    return {
        "verdict": _verdict(program, cases),
        "goals": [],
        "means": means,
        "cases": cases,
        "skipped": skipped,
        "notes": notes,
        "host": host(),
        "made": {"date": date.today().isoformat(), "sources": source_digest(), "commit": commit()},
        "method": {"rounds": rounds, "seconds": seconds, "compared": "exit status and text"},
    }


def _why_missing(engine: str, sources: Sequence[Path], isa: str) -> str | None:
    if engine != "native-c":
        return missing_peer(engine, isa)
    if not sources:
        return "there are no C sources: give the project, or the .c files"
    return None if find_compiler() else "no C compiler is installed"


class _Race:
    """One machine: its contenders, and what the first of them found."""

    def __init__(self, image: Image, machine: str, program: str, native: Callable[[Path], NativeSources]) -> None:
        self._image, self._machine, self._program, self._native = image, machine, program, native
        self._contenders: dict[str, OwnEngine | OwnPeer | NativeSources | RetrosimError] = {}
        self.notes: list[str] = []

    def run(self, engines: list[str], rounds: int, seconds: float, steps: Steps) -> list[dict[str, Any]]:
        """Let the contenders take turns; return their cases."""
        steps.next(f"{self._machine}: first run, with the full timing model")
        engine = "recompile" if "recompile-full" in engines else "interpret"  # compiles nothing that was not asked for
        reference = OwnEngine(self._machine, self._image, engine, "full")
        cost = reference.warm_up()
        self._expected = reference.run(1).result
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="retrosim-bench-")))
            for engine in engines:
                steps.next(f"{self._machine}: {engine}, opening")
                try:
                    self._contenders[engine] = opened = self._open(engine, reference, folder)
                    stack.callback(opened.close)
                except RetrosimError as error:
                    self._contenders[engine] = error
            entries = [Entry(engine) for engine in engines]
            for number in range(rounds):
                steps.next(f"{self._machine}: lap {number + 1} of {rounds}")
                run_laps(entries, self._timed, self._warm_up, seconds)
        return cases_of(self._machine, self._program, cost, entries)

    def _open(self, engine: str, reference: OwnEngine, folder: Path) -> OwnEngine | OwnPeer | NativeSources:
        own = Path(tempfile.mkdtemp(prefix=f"{engine}-", dir=folder))
        if SIMULATED.get(engine) == ("recompile", "full"):
            return reference
        if engine in SIMULATED:
            return OwnEngine(self._machine, self._image, *SIMULATED[engine])
        if engine in PACKAGES:
            return OwnPeer(engine, Machine(self._machine, self._image, engine="evaluate"), own)
        return self._native(own)

    def _contender(self, engine: str) -> OwnEngine | OwnPeer | NativeSources:
        contender = self._contenders[engine]
        if isinstance(contender, RetrosimError):
            raise contender
        return contender

    def _warm_up(self, engine: str) -> None:
        self._contender(engine).warm_up()

    def _timed(self, engine: str, count: int) -> float:
        lap = self._contender(engine).run(count)
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


def _verdict(program: str, cases: list[dict[str, Any]]) -> str:
    """Return what the user wants to know first: the speed of each machine on the fastest engine that counts clocks."""
    said = []
    for machine in dict.fromkeys(case["machine"] for case in cases):
        rates = {c["engine"]: c for c in cases if c["machine"] == machine and c["per_second"]}
        engine = next((engine for engine in (*USUAL, *SIMULATED) if engine in rates and engine in SIMULATED), None)
        if engine is not None:
            ratios = rates[engine]["ratio_to"]
            parts = [f"{percent(ratios[peer])} of native C" for peer in ratios if peer == "native-c"]
            parts += [f"{times(ratios[peer])} {peer.capitalize()}" for peer in ratios if peer in PACKAGES]
            parts.append(f"{times(rates[engine]['times_machine'])} real time")
            said.append(f"{program} on {machine}, {engine}: {', '.join(parts)}")
    wrong = sum(case["error"] is not None for case in cases)
    checked = f"{wrong} contenders have an error" if wrong else "all exit statuses and texts are equal"
    return f"{'; '.join(said) or f'{program}: no engine was measured'}; {checked}."
