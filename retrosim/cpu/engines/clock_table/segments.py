"""The parts of basic blocks whose clocks are looked up at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise, product
from typing import Any, NamedTuple

from ...spec.cpu import Cpu
from ...spec.rows import Insn
from ...spec.timing import Timing
from ..regions.regions import Block, Region, region_of
from .traces import NEVER, NOW, Replay, Trace, TracePoint, Tracer, Unpredictable, shape_of

FIRST_END = 1  # where in a row its ends begin: behind the state that it is for
FIRST_EDGE = 3
INPUTS = 4  # those below have words of their own in a row, for each point of a last instruction that is not plain
MAX_POINTS = 16  # of a segment, but for its last instruction


@dataclass(eq=False)
class Step:
    """An instruction, and what it may have to do with clocks.

    trace_of  makes its trace, which is not needed before its clocks are looked for
    first     number of its first point in the segment
    fetches   points at which it may be fetched
    points, is_plain, branches  of its trace
    shape, numbers  of the function that runs the timing model on it (traces.py)
    is_sure   is it fetched at these points, whatever has happened before in the block?
    bounds    the most clocks and waits of it
    """

    insn: Insn
    trace_of: Callable[[Insn], Trace]
    first: int
    fetches: tuple[TracePoint, ...]
    points: int
    is_plain: bool
    branches: bool
    shape: str
    numbers: list[int]
    is_sure: bool = False
    bounds: tuple[int, int] = (0, 0)

    @cached_property
    def trace(self) -> Trace:
        return self.trace_of(self.insn)

    @property
    def end(self) -> int:
        """Number of the first point behind its own."""
        return self.first + len(self.fetches) + self.points


@dataclass(eq=False)
class Segment:
    """Consecutive instructions of a block; only the last one depends on more than what its uses of memory take.

    edges      what follows inside the region: (is the branch taken?, address)
    fetched    for each edge: is the line that follows fetched? None if that depends on what happens
    following  the next one of the same block
    """

    steps: list[Step]
    edges: list[tuple[int, int]] = field(default_factory=list)
    fetched: list[bool | None] = field(default_factory=list)
    following: Segment | None = None

    def place_of_input(self, point: int, value: int = 0) -> int:
        """Return where in a row the row for an input lies; the value is below INPUTS."""
        last = self.steps[-1]
        return self.place_of_one(last.end) + INPUTS * (point - last.first) + value

    def place_of_one(self, point: int) -> int:
        """Return where in a row what input 1 of any point leads to lies."""
        return self.first_point + self.steps[-1].end + point

    @property
    def words(self) -> int:
        """Return how long its rows are."""
        last = self.steps[-1]
        return self.place_of_input(last.first if last.is_plain else last.end)

    def step_of(self, point: int) -> int:
        """Return the number of the step that a point belongs to."""
        return next(number for number, step in enumerate(self.steps) if point < step.end)

    @property
    def outcomes(self) -> int:
        return 1 + self.steps[-1].branches

    @property
    def first_point(self) -> int:
        """Where in a row its points begin."""
        return FIRST_EDGE + len(self.edges)


class ClockCase(NamedTuple):
    """What happens to an instruction if conditions hold or not: where it is fetched, the most clocks and waits."""

    fetches: tuple[TracePoint, ...]
    max_clocks: int
    max_waits: int


Cached = dict[str, Any]
"""
shapes  of steps, each once
parts   of blocks, by address: the segments, of these the steps: fetches, points, is_plain, branches, number of the
        shape, numbers
"""


def blank_values(cpu: Cpu, model: type[Timing]) -> dict[str, list[int]]:
    """Return the state of a pipeline in which nothing has happened for long."""
    values = {name: [NOW] * cpu.layout.fields[name][1] for name in ("cycles", *model.times)}
    return values | {name: [cpu.blank.get(name, 0)] * cpu.layout.fields[name][1] for name in model.marks}


class RegionPlan:
    """A region without the instructions whose clocks depend on more, and the segments of its blocks.

    region       what is left: those instructions run by themselves
    segments     by block
    is_complete  has it all that the region is compiled from? If not, only what its clocks are looked up by
    """

    def __init__(self, cpu: Cpu, model: type[Timing], region: Region, cached: Cached | None = None) -> None:
        """Plan a region; `cached` is what `to_cache` returned for it, which saves most of the work."""
        self._cpu, self._model, self.is_complete = cpu, model, cached is None
        self._replay = Replay(cpu, model)
        self.segments: dict[int, list[Segment]] = {}
        blocks, entries, guesses = {}, set(region.entries), {}
        for block in region.blocks.values():
            for part, segments in self._parts(block.insns) if cached is None else self._cached_parts(block, cached):
                start = part[0].pc
                blocks[start], self.segments[start] = Block(tuple(part)), segments
                if start != block.start:
                    entries.add(start)
                if part[-1] is block.insns[-1]:
                    guesses[start] = region.guesses[block.start]
        left = region_of(dict(sorted(blocks.items())), entries & set(blocks), guesses, region.functions)
        self.region = replace(left, left_out=region.left_out)
        for start, segments in self.segments.items():
            for one, following in pairwise(segments):
                one.edges, one.following = [(0, following.steps[0].trace.insn.pc)], following
            segments[-1].edges = self._edges(start)
        for segments in self.segments.values() if self.is_complete else ():
            segments[-1].fetched = [self._is_fetched(segments[-1], *edge) for edge in segments[-1].edges]

    @property
    def steps(self) -> Iterator[Step]:
        for segments in self.segments.values():
            for segment in segments:
                yield from segment.steps

    def _edges(self, start: int) -> list[tuple[int, int]]:
        block = self.region.blocks[start]
        last = block.insns[-1]
        found = [(0, last.end)]
        if last.target is not None:
            found.append((int(self.segments[start][-1].steps[-1].branches), last.target))
        found += [(0, guess) for guess in self.region.guesses[start]]
        return [(outcome, address) for outcome, address in found if address in self.region.blocks]

    def _is_fetched(self, segment: Segment, outcome: int, address: int) -> bool | None:
        """Is the line that a block begins in fetched on an edge?"""
        first = self.segments[address][0].steps[0]
        ways = self._ways(segment.steps[-1].trace, first.trace, bool(outcome))
        found = {bool(first.fetches) and first.fetches[0].words in {each.words for each in way.fetches} for way in ways}
        return found.pop() if len(found) == 1 else None

    def _ways(self, before: Trace | None, trace: Trace, taken: bool = False) -> list[ClockCase]:
        """Run an instruction after another one, for each way that the conditions in both may be."""
        replay, found = self._replay, []
        own = list(product((False, True), repeat=trace.conditions))
        for first in product((False, True), repeat=before.conditions if before else 0):
            for second in own:
                replay.begin(blank_values(self._cpu, self._model), {})
                if before:
                    replay.holding = iter(first)
                    replay.step(before, taken)
                start, replay.holding = len(replay.points), iter(second)
                replay.step(trace)
                fetches = replay.points[start : len(replay.points) - trace.points]
                found.append(ClockCase(tuple(fetches), replay.timing.max_clocks, replay.timing.max_waits))
        return found

    def _parts(self, insns: tuple[Insn, ...]) -> Iterator[tuple[list[Insn], list[Segment]]]:
        """Cut out the instructions that are left out; yield what lies between."""
        part: list[Insn] = []
        segments: list[Segment] = []
        is_new = True
        for insn in insns:
            try:
                trace = self._trace(insn)
                ways = self._ways(segments[-1].steps[-1].trace if part else None, trace)
            except Unpredictable:
                if part:
                    yield part, segments
                part, segments, is_new = [], [], True
                continue
            points = {point.words: point for way in ways for point in way.fetches}
            is_sure = bool(part) and all(len(way.fetches) == len(points) for way in ways)
            if is_new:
                segments.append(Segment([]))
            steps = segments[-1].steps
            first = steps[-1].end if steps else 0
            bounds = max(way.max_clocks for way in ways), max(way.max_waits for way in ways)
            shape, numbers = shape_of(trace, [point.words for point in points.values()])
            fetches = tuple(points.values())
            known = trace.points, trace.is_plain, trace.branches
            step = Step(insn, self._trace, first, fetches, *known, shape, numbers, is_sure, bounds)
            step.trace = trace
            steps.append(step)
            part.append(insn)
            is_new = not trace.is_plain or steps[-1].end > MAX_POINTS
        if part:
            yield part, segments

    def _trace(self, insn: Insn) -> Trace:
        return Tracer(self._cpu, self._model).trace(insn)

    def to_cache(self) -> Cached:
        """Return what is needed to look its clocks up, as plain data."""
        order = {shape: number for number, shape in enumerate(dict.fromkeys(step.shape for step in self.steps))}

        def cached(step: Step) -> list[Any]:
            fetches = [point[:2] for point in step.fetches]
            return [fetches, step.points, step.is_plain, step.branches, order[step.shape], step.numbers]

        parts = {
            str(start): [list(map(cached, segment.steps)) for segment in segments]
            for start, segments in self.segments.items()
        }
        return {"shapes": list(order), "parts": parts}

    def _cached_parts(self, block: Block, cached: Cached) -> Iterator[tuple[list[Insn], list[Segment]]]:
        """Do what `_parts` does, by what was cached."""
        insns, shapes, parts = iter(block.insns), cached["shapes"], cached["parts"]
        for insn in insns:
            if str(insn.pc) not in parts:
                continue
            part: list[Insn] = []
            segments: list[Segment] = []
            for cached_steps in parts[str(insn.pc)]:
                steps: list[Step] = []
                for fetches, points, is_plain, branches, shape, numbers in cached_steps:
                    part.append(next(insns) if part else insn)
                    places = tuple(TracePoint(name, tuple(words), NEVER) for name, words in fetches)
                    first, text = steps[-1].end if steps else 0, shapes[shape]
                    steps.append(Step(part[-1], self._trace, first, places, points, is_plain, branches, text, numbers))
                segments.append(Segment(steps))
            yield part, segments
