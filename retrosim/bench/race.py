"""The race that every benchmark is: contenders take turns, lap by lap, so that a disturbance of the host meets all.

A lap is some repetitions in a row. Whoever does what it should wrongly is reported with its error and gets no figure;
who cannot take part is left out, with the reason. Beside the figures stands what they were measured on and how.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

from rich.text import Text

from retrosim.cache.sources import PACKAGE, source_digest
from retrosim.errors import RetrosimError
from retrosim.report.json import to_json
from retrosim.report.page import PageSection, facts, page, paragraph, records, settings
from retrosim.report.text import csv_text

SHOWN = 3  # contenders beside the first, while a race goes on
REPEATED = 2  # times that a lap which seems long enough is run again
MAX_GROWTH = 50
MIN_LAPS, LONG_LAP = 3, 0.25  # a contender whose laps are longer than so many seconds may run fewer, but so many
RESULTS = PACKAGE.parent / "tools" / "bench"  # of a checkout: one file per host
Progress = Callable[[int, int, str], None]
"""Is called with steps done, their number, and what comes next."""


@dataclass(frozen=True)
class Ready:
    """A contender that can start.

    run      repetitions -> seconds that they took
    is_slow  one lap of one repetition is enough
    """

    run: Callable[[int], float]
    is_slow: bool = False


@dataclass
class Entrant:
    """A contender in a race.

    engine      its name
    make_ready  called before its first lap
    count       repetitions in a lap
    every       rounds after which it runs again
    rates       repetitions per second of each lap
    error       what went wrong, None if nothing did
    """

    engine: str
    make_ready: Callable[[], Ready]
    count: int = 1
    every: int = 1
    rates: list[float] = field(default_factory=list)
    error: str | None = None

    @property
    def rate(self) -> float | None:
        """Repetitions per second by the median lap; None with an error."""
        return median(self.rates) if self.rates and self.error is None else None

    @property
    def best_rate(self) -> float | None:
        """Repetitions per second by the best lap; None with an error."""
        return max(self.rates) if self.rates and self.error is None else None

    @property
    def spread(self) -> float | None:
        """Fastest less slowest lap, over the median; None with an error."""
        return (max(self.rates) - min(self.rates)) / self.rate if self.rate else None


class RaceProgress:
    """Progress: says what comes next, and how much is done."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0

    def next(self, text: str) -> None:
        """Begin a step."""
        if self._progress is not None:
            self._progress(min(self._done, self._total), self._total, text)
        self._done += 1

    def end(self) -> None:
        """Say that all is done."""
        self._done = self._total
        self.next("done")


def check_laps(rounds: int, seconds: float) -> None:
    """Refuse a number of rounds, or the seconds aimed at for a lap. Errors: ValueError."""
    if rounds < 1:
        raise ValueError(f"rounds {rounds}: allowed 1 or more")
    if not 0 < seconds <= 60:
        raise ValueError(f"seconds {seconds}: allowed above 0, to 60")


def race(
    entries: Sequence[Entrant],
    rounds: int,
    seconds: float,
    steps: RaceProgress,
    scene: str,
    *,
    errors: tuple[type[Exception], ...] = (RetrosimError,),
    is_sparing: bool = False,
    are_alike: bool = False,
) -> None:
    """Let contenders take turns: each chooses the repetitions of a lap, then in every round each runs a lap.

    seconds     aimed at for a lap
    scene       what they do, for the progress: a step for each contender and each round
    errors      that end a contender's race, and no other's
    is_sparing  contenders whose laps take long run fewer, spread over the rounds
    are_alike   laps of all have as many repetitions as those of the first, so that all do the same
    """
    runs: dict[str, Callable[[int], float]] = {}
    rates: dict[str, float] = {}  # of the latest laps
    for entry in entries:
        steps.next(f"{scene}: {entry.engine}, first laps{standing(rates)}")
        try:
            ready = entry.make_ready()
            runs[entry.engine] = ready.run
            if ready.is_slow:
                entry.every = rounds
            elif are_alike and entry is not entries[0]:
                entry.count = entries[0].count
            else:
                entry.count, taken = fill_lap(ready.run, seconds)
                rates[entry.engine] = entry.count / taken
                laps = min(rounds, max(MIN_LAPS, round(rounds * min(1, LONG_LAP / taken)))) if is_sparing else rounds
                entry.every = max(1, rounds // laps)
        except errors as error:
            entry.error = _text_of(error)
    for number in range(rounds):
        steps.next(f"{scene}: lap {number + 1} of {rounds}{standing(rates)}")
        for entry in entries:
            if entry.error is None and number % entry.every == 0:
                try:
                    rates[entry.engine] = entry.count / runs[entry.engine](entry.count)
                    entry.rates.append(rates[entry.engine])
                except errors as error:
                    entry.error = _text_of(error)


def standing(rates: Mapping[str, float]) -> str:
    """Return who is ahead, and the speed of the next ones as a share of that; "" while there are not two to compare."""
    if len(rates) < 2:
        return ""
    (first, highest), *others = sorted(rates.items(), key=lambda item: -item[1])
    return f"; so far {first} 1, " + ", ".join(f"{name} {rate / highest:.2g}" for name, rate in others[:SHOWN])


def _text_of(error: Exception) -> str:
    return str(error) if isinstance(error, RetrosimError) else f"{type(error).__name__}: {error}"


def fill_lap(run: Callable[[int], float], seconds: float) -> tuple[int, float]:
    """Find out how many repetitions take so long.

    A disturbance, or what only the first lap has to do (the garbage collector, memory that is touched first), makes a
    lap longer, never shorter. So the shortest of several counts: one slow lap of a single repetition would else settle
    on that, and ever after the call be measured and not what it does.

    run      run(count) -> seconds
    seconds  aimed at
    Returns  the count; how long the last laps of the search took, at least a quarter of `seconds`
    """
    count = 1
    while True:
        taken = run(count)
        for _ in range(REPEATED):
            if taken >= seconds / 4:
                taken = min(taken, run(count))
        if taken >= seconds / 4:
            return max(1, round(count * seconds / taken)), taken
        count *= max(2, min(MAX_GROWTH, int(seconds / 2 / max(taken, 1e-9))))


def ratios(
    rate: float | None, rates: Mapping[str, float | None], peers: Iterable[str], engine: str
) -> dict[str, float]:
    """Return the speed of an engine over that of each peer that has one; nothing for an engine without a speed."""
    speeds = {peer: rates.get(peer) for peer in peers if peer != engine}
    return {peer: rate / speed for peer, speed in speeds.items() if rate and speed}


@dataclass(frozen=True)
class Skipped:
    """Who was left out, and why."""

    engine: str
    reason: str


@dataclass(frozen=True)
class HostFacts:
    """What a benchmark ran on; `packages`: name -> version."""

    system: str
    processor: str
    cpus: int | None
    python: str
    packages: dict[str, str]

    def __str__(self) -> str:
        packages = ", ".join(f"{name} {number}" for name, number in self.packages.items())
        return f"{self.processor}, {self.cpus} CPUs, {self.system}, Python {self.python}, {packages}"


@dataclass(frozen=True)
class Made:
    """When a benchmark was made, and the digest of the sources that it measured."""

    date: str
    sources: str


@dataclass(frozen=True)
class MadeFrom(Made):
    """The same with the commit that a checkout stood at, None outside a checkout."""

    commit: str | None


def host(packages: Iterable[str]) -> HostFacts:
    """Return what this runs on, with the versions of some packages, as far as they are installed."""
    versions = {}
    for package in packages:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return HostFacts(platform.system(), _processor(), os.cpu_count(), platform.python_version(), versions)


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def made() -> Made:
    """Return when and of what sources a benchmark is made: today, of these."""
    return Made(date.today().isoformat(), source_digest())


def made_from() -> MadeFrom:
    """Return the same with the commit of a checkout."""
    today = made()
    return MadeFrom(today.date, today.sources, commit())


def commit() -> str | None:
    """Return the commit that a checkout stands at, with "+" if files differ from it; None outside a checkout."""
    try:
        done = subprocess.run(
            ["git", "-C", str(PACKAGE.parent), "describe", "--always", "--abbrev=12", "--exclude=*", "--dirty=+"],
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return None
    return done.stdout.strip() or None


def host_file(name: str) -> Path:
    """Return where a checkout keeps results by name and kind of host: processor, system, Python; no host's name.

    Errors   RetrosimError  this is no checkout
    """
    if not RESULTS.is_dir():
        raise RetrosimError(f"{RESULTS}: no such folder; results are kept in a checkout of the repository only")
    here = host(())
    processor = re.sub(r"\((r|tm)\)|\b(cpu|processor)\b|@.*", " ", here.processor.lower())
    python = here.python.rpartition(".")[0]
    words = re.findall(r"[a-z0-9.]+", f"{processor} {here.cpus} cpus {here.system} python {python}".lower())
    return RESULTS / f"{name}-{'-'.join(words)}.json"


def cases_csv(columns: Sequence[str], cases: Sequence[Any], peers: Iterable[str] = ()) -> str:
    """Return cases as CSV: their published keys, and a column for each peer: our speed over its."""
    rows = []
    for case in map(to_json, cases):
        rows.append(case | {f"ratio_to_{peer}": ratio for peer, ratio in case.get("ratio_to", {}).items()})
    return csv_text([*columns, *(f"ratio_to_{peer}" for peer in peers)], rows)


def skipped_lines(skipped: Iterable[Skipped]) -> list[Text]:
    """Return a line for each that was left out; those of several machines once."""
    return [Text(line) for line in dict.fromkeys(f"{one.engine}: left out, {one.reason}" for one in skipped)]


def bench_page(result: Any) -> str:
    """Return the page of what a subject of `retrosim bench` measured."""
    published = to_json(result)
    host, cases = published["host"], published["cases"]
    packages = ", ".join(f"{name} {number}" for name, number in host["packages"].items())
    about = {"Host": f"{host['processor']}, {host['cpus']} CPUs, {host['system']}", "Python": host["python"]}
    about |= {"Packages": packages} | settings(published["method"])
    sections: list[PageSection] = []
    key = "name" if all("name" in case for case in cases) else "machine"
    for name in dict.fromkeys(case[key] for case in cases):
        rows = [{**case} for case in cases if case[key] == name]
        for row in rows:
            del row[key]
        sections.append(PageSection(name, [records(f"case-{len(sections)}", rows, "per_second")]))
    for key, title in (("startup", "To the first frame, seconds"), ("regions", "Compiling the regions of the ROM")):
        if times := published.get(key):
            rows = [{"start": kind, **each} for kind, each in times.items()] if isinstance(times, dict) else times
            sections.append(PageSection(title, [records(key, rows)]))
    skipped = [paragraph(f"{one['engine']}: left out, {one['reason']}") for one in published["skipped"]]
    return page("Speed on this computer", [facts(about), *skipped], sections)
