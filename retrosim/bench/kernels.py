"""`retrosim bench kernels`: the kernels of `retrosim.collide`, and what else a Python game finds overlaps with.

Objects of one size lie at random, as many to a pixel as 200 on the screen; from frame to frame all of them move. Flags
and pairs are two questions. Contenders take turns, lap by lap, so that a disturbance of the host meets all; a lap is
some frames in a row, and counts in wall time, since some use two threads. Every answer of the first laps must be the
one that `Judge` has; a contender that gives another one is reported as an error and gets no figure.
"""

from __future__ import annotations

import csv
import gc
import io
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import numpy as np
from rich.console import Group, RenderableType
from rich.text import Text

from retrosim.cache.sources import source_digest
from retrosim.checks import check_choice
from retrosim.collide import plane, world
from retrosim.collide._first_calls import COMPILER
from retrosim.collide.kernels.pairs.sector_grid import SCREEN_HEIGHT, SCREEN_WIDTH
from retrosim.report.tables import number_table

from .engines import Steps, host
from .kernel_peers import CONTENDERS, FLAGS, SIDE, SQUARES, Contender, Frames, is_missing
from .laps import fill_lap
from .mixed_peers import expected_pairs, mixed_scene

OBJECTS = (50, 200, 2_000, 20_000, 200_000, 2_000_000)
MAX_OBJECTS = plane.MAX_OBJECTS
ON_SCREEN = 200  # objects on the screen: the density of Moertel 1994
MAX_STEP = 3  # pixels that an object moves in a frame along each axis
VERY_LONG = 2.0  # seconds for a frame: with eight frames and every lap the others would wait for minutes
MAX_JUDGED = 5_000  # objects up to which every pair is compared
QUESTIONS = tuple(dict.fromkeys(contender.question for contender in CONTENDERS.values()))
PACKAGES = (
    "numba",
    "numpy",
    "pygame",
    "pygame-ce",
    "scipy",
    "shapely",
    "pymunk",
    "rtree",
    "box2d",
    "fastquadtree",
)  # as they are distributed
COLUMNS = ("name", "engine", "question", "objects", "seconds", "best_seconds", "per_second", "laps", "frames", "error")


@dataclass
class _Entry:
    """One contender in one scene: what it answers with, frames in a lap, its laps, and what went wrong."""

    name: str
    contender: Contender
    answer: Callable[[int], Any] = lambda number: None
    frames: int = 1
    every: int = 1
    seconds: list[float] = field(default_factory=list)
    error: str | None = None


def benchmark_kernels(
    *,
    objects: Sequence[int] = OBJECTS,
    engines: Sequence[str] | None = None,
    rounds: int = 15,
    seconds: float = 0.03,
    seed: int = 1994,
    progress: Callable[[int, int, str], None] | None = None,
) -> dict[str, Any]:
    """Measure. The defaults take some minutes, the larger part for two million objects.

    objects   scenes, each 1..MAX_OBJECTS
    engines   some of CONTENDERS, None for all
    rounds    laps of each, 1 or more; contenders whose frame takes long run fewer, spread over the rounds, and peers
              that take longer than VERY_LONG one
    seconds   aimed at for a lap, above 0
    seed      of the scenes
    progress  called with steps done, their number, and what comes next
    Returns   dict for JSON with
        cases    one dict per scene and contender: name, engine, question, objects, per_second and seconds (a
                 frame, by the median lap; None with an error), best_seconds (by the best lap), ratio_to and
                 best_ratio_to (peer -> its time over ours), laps, frames (in a lap), judged (what knows the right
                 answers), error (None)
        skipped  dicts of engine and reason
        host     what it ran on
        made     date, digest of sources
        method   rounds, seconds, seed, side
    Errors    ValueError
    """
    names = list(dict.fromkeys(engines or CONTENDERS))
    for name in names:
        check_choice("engine", name, CONTENDERS)
    for count in objects:
        if not 1 <= count <= MAX_OBJECTS:
            raise ValueError(f"objects {count}: allowed 1..{MAX_OBJECTS}")
    if rounds < 1 or not 0 < seconds <= 60:
        raise ValueError(f"rounds {rounds}, seconds {seconds}: allowed 1 or more, and above 0, to 60")
    absent = dict.fromkeys(CONTENDERS[name].package for name in names if is_missing(CONTENDERS[name]))
    names = [name for name in names if not is_missing(CONTENDERS[name])]
    fields = {
        count: [n for n in names if CONTENDERS[n].min_objects <= count <= CONTENDERS[n].max_objects]
        for count in objects
    }
    races = sum(len({CONTENDERS[name].scene for name in field}) for field in fields.values())
    steps = Steps(progress, sum(map(len, fields.values())) + rounds * races)
    cases = []
    for count, field_names in fields.items():
        for scene in dict.fromkeys(CONTENDERS[name].scene for name in field_names):
            here = [name for name in field_names if CONTENDERS[name].scene == scene]
            cases += _race(scene, count, here, rounds, seconds, seed, steps)
    steps.end()
    return {
        "cases": cases,
        "skipped": [{"engine": package, "reason": "not installed"} for package in absent],
        "host": host(PACKAGES),
        "made": {"date": date.today().isoformat(), "sources": source_digest()},
        "method": {"rounds": rounds, "seconds": seconds, "seed": seed, "side": SIDE},
    }


def moving_scene(count: int, seed: int) -> Frames:
    """Place objects at random on a plane that grows with their number, and let them move.

    Returns  x, y of each frame: int32[count], pixels; 16 frames up to 2000 objects, 4 up to 200 000, then 2
    """
    rng = np.random.default_rng([seed, count])
    scale = (count / ON_SCREEN) ** 0.5
    limits = max(1, round(SCREEN_WIDTH * scale)), max(1, round(SCREEN_HEIGHT * scale))
    here = [rng.integers(0, limit, count) for limit in limits]
    frames = []
    for _ in range(16 if count <= 2_000 else 4 if count <= 200_000 else 2):
        frames.append(tuple(axis.astype(np.int32) for axis in here))
        moved = [axis + rng.integers(-MAX_STEP, MAX_STEP + 1, count) for axis in here]
        here = [np.clip(axis, 0, limit - 1) for axis, limit in zip(moved, limits)]
    return frames


def every_pair(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the pairs that overlap, int[m, 2] in ascending order, by NumPy and nothing of ours."""
    x, y = x.astype(np.int64), y.astype(np.int64)
    lists = [
        i + 1 + np.flatnonzero((abs(x[i + 1 :] - x[i]) < SIDE) & (abs(y[i + 1 :] - y[i]) < SIDE)) for i in range(len(x))
    ]
    return np.stack([np.repeat(np.arange(len(x)), [len(each) for each in lists]), np.concatenate(lists)], axis=1)


class Judge:
    """The right answers for some frames: by NumPy up to MAX_JUDGED objects, then our pairs, for peers to confirm.

    scene  which kind, see `Contender`
    """

    def __init__(self, frames: Frames, scene: str = SQUARES) -> None:
        self._count = len(frames[0][0])
        is_small = self._count <= MAX_JUDGED or scene in ("bullets", "rays")
        self.method = "every pair" if is_small else "plane.pairs" if scene == SQUARES else "world.pairs"
        self._pairs = [self._find(frame, scene) for frame in frames]

    def _find(self, frame: tuple[np.ndarray, ...], scene: str) -> np.ndarray:
        """Return the pairs of a frame."""
        if self.method != "every pair":
            return plane.pairs(*frame) if scene == SQUARES else world.pairs(*frame[:2], size=frame[2])
        return every_pair(*frame) if scene == SQUARES else expected_pairs(scene, frame)

    def difference(self, question: str, number: int, answer: Any) -> str | None:
        """Return what is wrong with an answer to frame `number`, None if it is right."""
        right, given = self._pairs[number], np.asarray(answer)
        if question == FLAGS:
            flags = np.zeros(self._count, bool)
            flags[right.ravel()] = True
            wrong = np.count_nonzero(flags != (given != 0)) if given.shape == flags.shape else self._count
            return f"wrong collision flags: {wrong} of {self._count}" if wrong else None
        given = given.reshape(-1, 2).astype(np.int64)
        keys = np.sort(given.min(axis=1) << 32 | given.max(axis=1))
        is_right = np.array_equal(keys, right[:, 0].astype(np.int64) << 32 | right[:, 1].astype(np.int64))
        return None if is_right else f"wrong pairs: {len(given)}, expected {len(right)}"


def _race(
    scene: str, count: int, names: list[str], rounds: int, seconds: float, seed: int, steps: Steps
) -> list[dict[str, Any]]:
    """Let contenders take turns at one scene; return their cases."""
    frames: Frames = moving_scene(count, seed) if scene == SQUARES else [*mixed_scene(scene, count, seed)]
    judge, entries = Judge(frames, scene), [_Entry(name, CONTENDERS[name]) for name in names]
    for entry in entries:
        steps.next(f"{count} objects: {entry.name}, first laps")
        _begin(entry, frames, judge, rounds, seconds)
    for number in range(rounds):
        steps.next(f"{count} objects: lap {number + 1} of {rounds}")
        for entry in entries:
            if entry.error is None and number % entry.every == 0:
                entry.seconds.append(
                    _lap(entry.answer, entry.frames, len(frames)) / (entry.frames * entry.contender.scenes)
                )
    return _cases(count, judge.method, entries)


def _begin(entry: _Entry, frames: Frames, judge: Judge, rounds: int, seconds: float) -> None:
    """Make a contender ready, compare its answer to each frame, and choose how many frames and laps to run.

    One that takes very long answers the first frame, and has one lap of one frame.
    """
    is_slow = False
    try:
        entry.answer = entry.contender.make(frames)
        for number in range(len(frames)):
            begun = time.perf_counter()
            answer = entry.answer(number)
            is_slow = time.perf_counter() - begun > VERY_LONG and entry.contender.package is not None
            answer = answer() if callable(answer) else answer
            entry.error = entry.error or judge.difference(entry.contender.question, number, answer)
            COMPILER.wait()  # until then NumPy answers
            if is_slow:
                break
    except Exception as error:  # whatever a peer throws at us, it is not the end of the others
        entry.error = f"{type(error).__name__}: {error}"
    if is_slow:
        entry.every = rounds
    elif entry.error is None:
        entry.frames, taken = fill_lap(lambda count: _lap(entry.answer, count, len(frames)), seconds)
        laps = min(rounds, max(3, round(rounds * min(1, 0.25 / taken))))
        entry.every = max(1, rounds // laps)


def _lap(answer: Callable[[int], Any], count: int, frames: int) -> float:
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


def _cases(count: int, judged: str, entries: list[_Entry]) -> list[dict[str, Any]]:
    cases = []
    right = [entry for entry in entries if entry.error is None]
    times = {e.name: (statistics.median(e.seconds), min(e.seconds)) for e in right}
    for entry in entries:
        question, (median, best) = entry.contender.question, times.get(entry.name, (None, None))
        rivals = {
            other.name: [theirs / ours for theirs, ours in zip(times[other.name], (median, best)) if ours]
            for other in right
            if median and other.contender.package and other.contender.question == question
        }
        ours = entry.contender.package is None
        cases.append(
            {
                "name": f"{question}, {count} objects",
                "engine": entry.name,
                "question": question,
                "objects": count,
                "per_second": 1 / median if median else None,
                "seconds": median,
                "best_seconds": best,
                "ratio_to": {name: ratio for name, (ratio, _) in rivals.items()} if ours else {},
                "best_ratio_to": {name: ratio for name, (_, ratio) in rivals.items()} if ours else {},
                "laps": len(entry.seconds),
                "frames": entry.frames * entry.contender.scenes,
                "judged": judged,
                "error": entry.error,
            }
        )
    return cases


def kernels_csv(result: dict[str, Any]) -> str:
    """Return the cases as CSV, one column more per peer: its median time over ours."""
    text, peers = io.StringIO(), list(dict.fromkeys(peer for case in result["cases"] for peer in case["ratio_to"]))
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*COLUMNS, *(f"ratio_to_{peer}" for peer in peers)])
    for case in result["cases"]:
        writer.writerow([*(case[column] for column in COLUMNS), *(case["ratio_to"].get(peer) for peer in peers)])
    return text.getvalue()


def lowest_ratio(case: dict[str, Any], kind: str = "ratio_to") -> tuple[float, str] | None:
    """Return how many times as fast as the best peer a case of ours is, and that peer; None without peers."""
    return min(((ratio, peer) for peer, ratio in case[kind].items()), default=None)


# The benchmark of kernels as text: a rich table per question, 80 columns wide for six scenes.

_UNITS = ((1, "s"), (1e-3, "ms"), (1e-6, "us"))


def render_kernels(result: dict[str, Any]) -> RenderableType:
    """Return everything that `benchmark_kernels` found, for a rich console."""
    parts: list[RenderableType] = []
    for question in QUESTIONS:
        cases = [case for case in result["cases"] if case["question"] == question]
        if cases:
            parts += [Text(f"{question}, time of a frame: median lap", style="bold"), _times(cases, "seconds")]
            parts += [Text(), Text(f"{question}, time of a frame: best lap", style="bold")]
            parts += [_times(cases, "best_seconds"), Text()]
    parts += [Text(f"{c['engine']}, {c['name']}: {c['error']}") for c in result["cases"] if c["error"]]
    parts += [Text(f"{skipped['engine']}: left out, {skipped['reason']}") for skipped in result["skipped"]]
    shown = dict.fromkeys(case["engine"] for case in result["cases"])
    parts += [Text(f"{name}: {CONTENDERS[name].note}") for name in shown]
    parts += [Text("peer/..: time of the best peer over that of ours; what finds pairs gives flags too")]
    host, method = result["host"], result["method"]
    packages = ", ".join(f"{name} {number}" for name, number in host["packages"].items())
    parts += [
        Text(f"{host['processor']}, {host['cpus']} CPUs, {host['system']}, Python {host['python']}, {packages}"),
        Text(f"200 objects to a screen, squares of {method['side']} pixels or as named; {method['rounds']} laps of"),
        Text(f"about {method['seconds']:g} s of wall time, fewer where a frame takes long; all answers are the same."),
        Text("Whatever else the host does adds to the times, to the best laps least."),
    ]
    return Group(*parts)


def _times(cases: list[dict[str, Any]], kind: str) -> RenderableType:
    """Return times by contender and scene; below them, how many times as fast as the best peer our first one is."""
    counts = list(dict.fromkeys(case["objects"] for case in cases))
    table = number_table("objects", *(str(count) for count in counts))
    for engine in dict.fromkeys(case["engine"] for case in cases):
        mine = {case["objects"]: case for case in cases if case["engine"] == engine}
        table.add_row(engine, *(_time(mine.get(count), kind) for count in counts))
    ours = [name for name in dict.fromkeys(case["engine"] for case in cases) if CONTENDERS[name].package is None]
    ratio_of = "ratio_to" if kind == "seconds" else "best_ratio_to"
    for engine in ours:
        mine = {case["objects"]: case for case in cases if case["engine"] == engine}
        ratios = [lowest_ratio(mine[count], ratio_of) if count in mine else None for count in counts]
        if any(ratios):
            table.add_row(f"peer/{engine}", *(f"{ratio[0]:.3g} x" if ratio else "" for ratio in ratios))
    return table


def _time(case: dict[str, Any] | None, kind: str) -> str:
    """Return a time with three digits and its unit."""
    if case is None:
        return ""
    if case[kind] is None:
        return "error"
    size, unit = next((each for each in _UNITS if case[kind] >= each[0]), _UNITS[-1])
    return f"{case[kind] / size:.3g} {unit}"
