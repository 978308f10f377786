"""`retrosim bench kernels`: the kernels of `retrosim.collide`, and what else a Python game finds overlaps with.

Flags and pairs are two questions. A lap is some frames in a row, and counts in wall time, since some use two threads.
Every answer of the first laps must be the one that `Judge` has.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from retrosim.checks import check_choice
from retrosim.collide import plane
from retrosim.collide._first_calls import COMPILER
from retrosim.errors import RetrosimError
from retrosim.report.tables import number_table

from .kernel_peers import FINDERS, Finder, Frames, is_missing
from .kernel_scenes import SIDE, SQUARES, Judge, mixed_scene, moving_scene
from .race import (
    Entrant,
    HostFacts,
    Made,
    Progress,
    RaceProgress,
    Ready,
    Skipped,
    cases_csv,
    check_laps,
    host,
    made,
    race,
    skipped_lines,
)

OBJECTS = (50, 200, 2_000, 20_000, 200_000, 2_000_000)
MAX_OBJECTS = plane.MAX_OBJECTS
VERY_LONG = 2.0  # seconds for a frame: with eight frames and every lap the others would wait for minutes
QUESTIONS = tuple(dict.fromkeys(finder.question for finder in FINDERS.values()))
HOST_PACKAGES = (
    *("numba", "numpy", "pygame", "pygame-ce", "scipy"),
    *("shapely", "pymunk", "rtree", "box2d", "fastquadtree"),
)  # as they are distributed
COLUMNS = ("name", "engine", "question", "objects", "seconds", "best_seconds", "per_second", "laps", "frames", "error")


@dataclass(frozen=True)
class KernelCase:
    """What a finder reached in one scene.

    per_second, seconds  frames, and of a frame: by the median lap; None with an error
    best_seconds         of a frame, by the best lap
    ratio_to             peer -> its time over ours; `best_ratio_to` by the best laps
    frames               in a lap
    judged               what knows the right answers
    """

    name: str
    engine: str
    question: str
    objects: int
    per_second: float | None
    seconds: float | None
    best_seconds: float | None
    ratio_to: dict[str, float]
    best_ratio_to: dict[str, float]
    laps: int
    frames: int
    judged: str
    error: str | None


@dataclass(frozen=True)
class KernelMethod:
    """How it was measured; `side` of the squares, in pixels."""

    rounds: int
    seconds: float
    seed: int
    side: int


@dataclass(frozen=True)
class KernelResult:
    """What `benchmark_kernels` measured."""

    cases: list[KernelCase]
    skipped: list[Skipped]
    host: HostFacts
    made: Made
    method: KernelMethod


def benchmark_kernels(
    *,
    objects: Sequence[int] = OBJECTS,
    engines: Sequence[str] | None = None,
    rounds: int = 15,
    seconds: float = 0.03,
    seed: int = 1994,
    progress: Progress | None = None,
) -> KernelResult:
    """Measure. The defaults take some minutes, the larger part for two million objects.

    objects   scenes, each 1..MAX_OBJECTS
    engines   some of FINDERS, None for all
    rounds    laps of each, 1 or more; finders whose frame takes long run fewer, spread over the rounds, and peers that
              take longer than VERY_LONG one
    seconds   aimed at for a lap, above 0
    seed      of the scenes
    Errors    ValueError
    """
    names = list(dict.fromkeys(engines or FINDERS))
    for name in names:
        check_choice("engine", name, FINDERS)
    for count in objects:
        if not 1 <= count <= MAX_OBJECTS:
            raise ValueError(f"objects {count}: allowed 1..{MAX_OBJECTS}")
    check_laps(rounds, seconds)
    absent = dict.fromkeys(FINDERS[name].package for name in names if is_missing(FINDERS[name]))
    names = [name for name in names if not is_missing(FINDERS[name])]
    fields: dict[tuple[int, str], list[str]] = {}  # objects, scene -> who answers there
    for count in dict.fromkeys(objects):
        for name in names:
            if FINDERS[name].min_objects <= count <= FINDERS[name].max_objects:
                fields.setdefault((count, FINDERS[name].scene), []).append(name)
    steps = RaceProgress(progress, sum(len(here) + rounds for here in fields.values()))
    cases: list[KernelCase] = []
    for (count, scene), here in fields.items():
        cases += _race(scene, count, here, rounds, seconds, seed, steps)
    steps.end()
    return KernelResult(
        cases=cases,
        skipped=[Skipped(str(package), "not installed") for package in absent],
        host=host(HOST_PACKAGES),
        made=made(),
        method=KernelMethod(rounds, seconds, seed, SIDE),
    )


def _race(
    scene: str, count: int, names: list[str], rounds: int, seconds: float, seed: int, steps: RaceProgress
) -> list[KernelCase]:
    """Let finders take turns at one scene."""
    frames: Frames = moving_scene(count, seed) if scene == SQUARES else mixed_scene(scene, count, seed)
    judge = Judge(frames, scene)
    entries = [Entrant(name, partial(_ready, FINDERS[name], frames, judge)) for name in names]
    race(entries, rounds, seconds, steps, f"{count} objects", errors=(Exception,), is_sparing=True)
    return _cases(count, judge.method, entries)


def _ready(finder: Finder, frames: Frames, judge: Judge) -> Ready:
    """Compare a finder's answer to each frame; a peer that takes very long answers one. Errors: RetrosimError."""
    answer, is_slow = finder.make(frames), False
    wrong = []
    for number in range(len(frames)):
        begun = time.perf_counter()
        answered = answer(number)
        is_slow = time.perf_counter() - begun > VERY_LONG and finder.package is not None
        answered = answered() if callable(answered) else answered
        wrong.append(judge.difference(finder.question, number, answered))
        COMPILER.wait()  # until then NumPy answers
        if is_slow:
            break
    if any(wrong):
        raise RetrosimError(next(filter(None, wrong)))
    return Ready(partial(_lap, answer, len(frames)), is_slow)


def _lap(answer: Callable[[int], Any], frames: int, count: int) -> float:
    """Return seconds of wall time for a lap."""
    numbers = [number % frames for number in range(count)]
    gc.collect(0)
    gc.disable()
    try:
        start = time.perf_counter()
        for number in numbers:
            answer(number)
        return time.perf_counter() - start
    finally:
        gc.enable()


def _cases(count: int, judged: str, entries: Sequence[Entrant]) -> list[KernelCase]:
    times: dict[str, tuple[float, float]] = {}  # engine -> seconds of a frame by the median lap, by the best
    for entry in entries:
        if entry.error is None:
            seconds = [1 / (rate * FINDERS[entry.engine].scenes) for rate in entry.rates]
            times[entry.engine] = statistics.median(seconds), min(seconds)
    cases = []
    for entry in entries:
        finder = FINDERS[entry.engine]
        median, best = times.get(entry.engine, (None, None))
        rivals = {
            name: theirs
            for name, theirs in times.items()
            if finder.package is None and FINDERS[name].package and FINDERS[name].question == finder.question
        }
        cases.append(
            KernelCase(
                name=f"{finder.question}, {count} objects",
                engine=entry.engine,
                question=finder.question,
                objects=count,
                per_second=1 / median if median else None,
                seconds=median,
                best_seconds=best,
                ratio_to={name: theirs[0] / median for name, theirs in rivals.items()} if median else {},
                best_ratio_to={name: theirs[1] / best for name, theirs in rivals.items()} if best else {},
                laps=len(entry.rates),
                frames=entry.count * finder.scenes,
                judged=judged,
                error=entry.error,
            )
        )
    return cases


def kernels_csv(result: KernelResult) -> str:
    """Return the cases as CSV, one column more per peer: its median time over ours."""
    peers = dict.fromkeys(peer for case in result.cases for peer in case.ratio_to)
    return cases_csv(COLUMNS, result.cases, peers)


# As text: two tables for each question, 80 columns wide for six scenes.

_UNITS = ((1, "s"), (1e-3, "ms"), (1e-6, "us"))


def render_kernels(result: KernelResult) -> RenderableType:
    """Return everything that was measured, for a rich console."""
    parts: list[RenderableType] = []
    for question in QUESTIONS:
        cases = [case for case in result.cases if case.question == question]
        if cases:
            parts += [Text(f"{question}, time of a frame: median lap", style="bold"), _times(cases, is_best=False)]
            parts += [Text(), Text(f"{question}, time of a frame: best lap", style="bold")]
            parts += [_times(cases, is_best=True), Text()]
    parts += [Text(f"{case.engine}, {case.name}: {case.error}") for case in result.cases if case.error]
    parts += skipped_lines(result.skipped)
    parts += [Text(f"{name}: {FINDERS[name].note}") for name in dict.fromkeys(case.engine for case in result.cases)]
    parts += [Text("peer/..: time of the best peer over that of ours; what finds pairs gives flags too")]
    method = result.method
    parts += [
        Text(str(result.host)),
        Text(f"200 objects to a screen, squares of {method.side} pixels or as named; {method.rounds} laps of"),
        Text(f"about {method.seconds:g} s of wall time, fewer where a frame takes long; all answers are the same."),
        Text("Whatever else the host does adds to the times, to the best laps least."),
    ]
    return Group(*parts)


def _times(cases: list[KernelCase], *, is_best: bool) -> RenderableType:
    """Return times by finder and scene; below them, how many times as fast as the best peer each of ours is."""
    counts = list(dict.fromkeys(case.objects for case in cases))
    engines = list(dict.fromkeys(case.engine for case in cases))
    by_place = {(case.engine, case.objects): case for case in cases}
    table = number_table("objects", *map(str, counts))
    for engine in engines:
        table.add_row(engine, *(_time(by_place.get((engine, count)), is_best=is_best) for count in counts))
    for engine in engines:
        mine = [by_place.get((engine, count)) for count in counts]
        lowest = [
            min((case.best_ratio_to if is_best else case.ratio_to).values(), default=None) if case else None
            for case in mine
        ]
        if any(lowest):
            table.add_row(f"peer/{engine}", *(f"{ratio:.3g} x" if ratio else "" for ratio in lowest))
    return table


def _time(case: KernelCase | None, *, is_best: bool) -> str:
    """Return a time with three digits and its unit."""
    if case is None:
        return ""
    seconds = case.best_seconds if is_best else case.seconds
    if seconds is None:
        return "error"
    size, unit = next((scale for scale in _UNITS if seconds >= scale[0]), _UNITS[-1])
    return f"{seconds / size:.3g} {unit}"
