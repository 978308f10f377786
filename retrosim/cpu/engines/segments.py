"""The parts of basic blocks whose clocks are looked up at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise, product
from typing import NamedTuple

from ..spec.cpu import Cpu
from ..spec.rows import Insn
from .regions import Block, Region, region_of
from .traces import NOW, Point, Replay, Trace, Tracer, Unpredictable

FIRST_END = 1  # where in a row its ends begin: behind the state that it is for
FIRST_EDGE = 3
INPUTS = 4  # those below have words of their own in a row, for each point of a last instruction that is not plain
MAX_POINTS = 16  # of a segment, but for its last instruction


@dataclass(eq=False)
class Step:
    """An instruction, and what it may have to do with clocks.

    first    number of its first point in the segment
    fetches  points at which it may be fetched; `is_sure`: it is, whatever has happened before in the block
    bounds   the most clocks and waits of it
    """

    trace: Trace
    first: int
    fetches: tuple[Point, ...]
    is_sure: bool
    bounds: tuple[int, int]

    @property
    def end(self) -> int:
        """Number of the first point behind its own."""
        return self.first + len(self.fetches) + self.trace.points


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
        return self.place_of_input(last.first if last.trace.is_plain else last.end)

    def step_of(self, point: int) -> int:
        """Return the number of the step that a point belongs to."""
        return next(number for number, step in enumerate(self.steps) if point < step.end)

    @property
    def outcomes(self) -> int:
        return 1 + self.steps[-1].trace.branches

    @property
    def first_point(self) -> int:
        """Where in a row its points begin."""
        return FIRST_EDGE + len(self.edges)


class Way(NamedTuple):
    """What happens to an instruction if conditions hold or not: where it is fetched, the most clocks and waits."""

    fetches: tuple[Point, ...]
    max_clocks: int
    max_waits: int


def blank_values(cpu: Cpu, model: type) -> dict[str, list[int]]:
    """Return the state of a pipeline in which nothing has happened for long."""
    values = {name: [NOW] * cpu.layout.fields[name][1] for name in ("cycles", *model.times)}
    return values | {name: [model.blank.get(name, 0)] * cpu.layout.fields[name][1] for name in model.marks}


class Plan:
    """A region without the instructions whose clocks depend on more, and the segments of its blocks.

    region    what is left: those instructions run by themselves
    segments  by block
    """

    def __init__(self, cpu: Cpu, model: type, region: Region) -> None:
        self._cpu, self._model = cpu, model
        self._replay = Replay(cpu, model)
        self.segments: dict[int, list[Segment]] = {}
        blocks, entries, guesses = {}, set(region.entries), {}
        for block in region.blocks.values():
            for part, segments in self._parts(block.insns):
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
        for segments in self.segments.values():
            segments[-1].fetched = [self._is_fetched(segments[-1], *edge) for edge in segments[-1].edges]

    def _edges(self, start: int) -> list[tuple[int, int]]:
        block = self.region.blocks[start]
        last = block.insns[-1]
        found = [(0, last.end)]
        if last.target is not None:
            found.append((int(self.segments[start][-1].steps[-1].trace.branches), last.target))
        found += [(0, guess) for guess in self.region.guesses[start]]
        return [(outcome, address) for outcome, address in found if address in self.region.blocks]

    def _is_fetched(self, segment: Segment, outcome: int, address: int) -> bool | None:
        """Is the line that a block begins in fetched on an edge?"""
        first = self.segments[address][0].steps[0]
        ways = self._ways(segment.steps[-1].trace, first.trace, bool(outcome))
        found = {bool(first.fetches) and first.fetches[0].words in {each.words for each in way.fetches} for way in ways}
        return found.pop() if len(found) == 1 else None

    def _ways(self, before: Trace | None, trace: Trace, taken: bool = False) -> list[Way]:
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
                found.append(Way(tuple(fetches), replay.timing.max_clocks, replay.timing.max_waits))
        return found

    def _parts(self, insns: tuple[Insn, ...]) -> Iterator[tuple[list[Insn], list[Segment]]]:
        """Cut out the instructions that are left out; yield what lies between."""
        part: list[Insn] = []
        segments: list[Segment] = []
        is_new = True
        for insn in insns:
            try:
                trace = Tracer(self._cpu, self._model).trace(insn)
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
            steps.append(Step(trace, first, tuple(points.values()), is_sure, bounds))
            part.append(insn)
            is_new = not trace.is_plain or steps[-1].end > MAX_POINTS
        if part:
            yield part, segments
