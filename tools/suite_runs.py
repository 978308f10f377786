"""Runs suites of single-instruction tests, file by file, in as many processes as are wanted, and counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from single_steps import Bench
from suites import SUITES, Suite
from vectors import Vector

from retrosim.jobs import HERE, Job, Workers, run_jobs
from retrosim.machine import PRESETS


@dataclass
class Report:
    """The outcome of the tests of one file, or of all."""

    name: str
    total: int = 0
    passed: int = 0
    cycles_exact: int = 0
    cycles_known: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    failures: list[dict] = field(default_factory=list)
    cycle_differences: list[dict] = field(default_factory=list)

    def add(self, report: Report) -> None:
        """Add the outcome of a file."""
        for name in ("total", "passed", "cycles_exact", "cycles_known"):
            setattr(self, name, getattr(self, name) + getattr(report, name))
        for name, count in report.skipped.items():
            self.skipped[name] = self.skipped.get(name, 0) + count
        self.failures += report.failures
        self.cycle_differences += report.cycle_differences

    @property
    def counts(self) -> dict:
        return {
            "total": self.total,
            "passed": self.passed,
            "cycles_exact": self.cycles_exact,
            "cycles_known": self.cycles_known,
            "skipped": sum(self.skipped.values()),
            "skip_reasons": self.skipped,
        }

    @property
    def line(self) -> str:
        """One line of text."""
        skipped = ", ".join(f"{name} {count}" for name, count in self.skipped.items())
        parts = [f"{self.passed} of {self.passed + len(self.failures)} pass"]
        if self.cycles_known:
            parts.append(f"{self.cycles_exact} of {self.cycles_known} with exact clocks")
        if skipped:
            parts.append(f"skipped: {skipped}")
        return f"{self.name}: {'; '.join(parts)}"


def run_file(suite: Suite, bench: Bench, path: Path, limit: int | None, also: int) -> Report:
    """Run the tests of one file.

    limit    run at most that many of its first tests
    also     bits of Vector.skip of classes that run too
    Errors   InputFileError
    """
    report = Report(path.name)
    is_own = suite.recorded in ("", bench.core.cpu.model)
    for vector in suite.read(path)[:limit]:
        report.total += 1
        left_out = vector.skip & ~also & (suite.always if suite.recorded and is_own else ~0)
        if left_out:
            names = [name for name, bit in suite.classes.items() if left_out & bit] or ["unknown class"]
            report.skipped[names[0]] = report.skipped.get(names[0], 0) + 1
            continue
        why, cycles = suite.run(bench, vector)
        if why:
            report.failures.append(_finding(bench, path, vector, why))
        else:
            report.passed += 1
        if vector.cycles is not None and is_own:
            report.cycles_known += 1
            if cycles == vector.cycles:
                report.cycles_exact += 1
            else:
                why = f"{cycles} clocks, expected {vector.cycles}"
                report.cycle_differences.append(_finding(bench, path, vector, why))
    return report


def _finding(bench: Bench, path: Path, vector: Vector, why: str) -> dict:
    return {"file": path.name, "index": vector.index, "instruction": bench.listing, "why": why}


def open_bench(suite: Suite, machine: str, engine: str, timing: str = "table") -> Bench:
    """Return a core of the CPU in a machine. Errors: ValueError where the suite is for another CPU."""
    cpus = [(name, preset.cpu(boot)) for name, preset in PRESETS.items() for boot in preset.cpus]
    fitting = {name: cpu for name, cpu in cpus if cpu.model in suite.models}
    if machine not in fitting:
        raise ValueError(f"machine {machine} for the suite {suite.name}: allowed {', '.join(fitting) or 'none yet'}")
    return Bench(fitting[machine], engine, timing)


@cache
def _bench(suite: str, machine: str, engine: str, timing: str) -> Bench:
    return open_bench(SUITES[suite], machine, engine, timing)


def run_one(argument: dict[str, Any], path: Path) -> dict[str, Any]:
    """Run the tests of a file, as a job. Errors: InputFileError."""
    bench = _bench(*(argument[name] for name in ("suite", "machine", "engine", "timing")))
    return asdict(run_file(SUITES[argument["suite"]], bench, path, argument["limit"], argument["also"]))


def run_suite(
    suite: Suite,
    machine: str,
    files: list[Path],
    *,
    engine: str = "evaluate",
    timing: str | None = None,
    limit: int | None = None,
    classes: tuple[str, ...] = (),
    workers: Workers = HERE,
    progress: Callable[[int], None] = lambda ended: None,
) -> tuple[Report, list[Report]]:
    """Run tests of files on a machine's CPU.

    timing    mode whose clocks are compared, None for the suite's
    limit     tests of each file, None for all
    classes   names of classes of tests that run too
    workers   the processes that do it
    progress  called with how many files are done
    Returns   the sum, and one report a file
    Errors    ValueError, InputFileError
    """
    unknown = [name for name in classes if name not in suite.classes]
    if unknown:
        raise ValueError(f"class {unknown[0]} of {suite.name}: allowed {', '.join(suite.classes) or 'none'}")
    also = sum(suite.classes[name] for name in set(classes))
    timing = timing or suite.timing
    open_bench(suite, machine, engine, timing)  # a wrong machine is refused before any work
    chosen = {"suite": suite.name, "machine": machine, "engine": engine, "timing": timing, "limit": limit, "also": also}
    ended = 0

    def one_more(index: int) -> None:
        nonlocal ended
        ended += 1
        progress(ended)

    found = run_jobs(run_one, [Job(chosen, (str(path),)) for path in files], workers, one_more)
    reports = [Report(**each) for each in found]
    total = Report(f"{suite.name} on {machine}")
    for report in reports:
        total.add(report)
    return total, reports
