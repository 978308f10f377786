"""Runs a timing model on the segments of a plan, by compiled steps (steps.py)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

import numpy as np

from ..spec.cpu import Cpu
from ..spec.ir import Function
from .compiled import Effort
from .groups import functions_of, groups_with
from .segments import Plan, Segment
from .steps import FIRST_WORD, LOAD, RUN, STEP, STORE, TAKEN_SHIFT, StepEmitter
from .traces import KIND_SHIFT, Trace, Unpredictable

CALL = ctypes.PYFUNCTYPE(ctypes.c_uint64, *[ctypes.c_uint64] * 5)
POINTS = 64  # that there is room for at first


def _emit_step(cpu: Cpu, model: type, trace_of: Callable[[], Trace], widths: tuple[int, ...], code: Function) -> None:
    StepEmitter(cpu, model, code).emit_step(trace_of(), widths)


def _emit_other(cpu: Cpu, model: type, number: int, code: Function) -> None:
    StepEmitter(cpu, model, code).emit_other(number)


class Records(NamedTuple):
    """The records of a segment, uint32, where they are in memory, and where each step's begins."""

    words: np.ndarray
    address: int
    begins: list[int]


class Steps:
    """The steps of a plan, compiled, or loaded from the cache.

    run, load, store  the functions that are no step
    """

    def __init__(self, cpu: Cpu, timing: str, plan: Plan) -> None:
        model, wanted = cpu.timing_class(timing), {}
        for step in plan.steps:
            if step.shape not in wanted:
                widths = tuple(len(point.words) for point in step.fetches)
                wanted[step.shape] = partial(_emit_step, cpu, model, partial(getattr, step, "trace"), widths)
        others = [partial(_emit_other, cpu, model, number) for number in (RUN, LOAD, STORE)]
        self._groups = groups_with(wanted, f"steps_{cpu.label}_{timing}_", others, Effort.QUICK, signature=STEP)
        self._functions = functions_of(self._groups)
        self.run, self.load, self.store = map(CALL, self._groups[0].stubs)

    def records(self, segment: Segment) -> Records:
        words: list[int] = []
        begins: list[int] = []
        for step in segment.steps:
            begins.append(4 * len(words))
            length = FIRST_WORD + len(step.numbers)
            length += length & 1
            record = [0, 0, 4 * length, step.first, step.insn.pc, step.insn.end, *step.numbers]
            words += record + [0] * (length - len(record))
        records = np.array(words, np.uint32)
        for step, begin in zip(segment.steps, begins, strict=True):
            records.view(np.uint64)[begin // 8] = self._functions[step.shape]
        return Records(records, records.ctypes.data, begins)


class StepRunner:
    """Runs the timing model of a core on segments.

    state   uint8[..]: its fields at present
    points  uint64[..]: the clock of each point of the segment, less NOW
    """

    def __init__(self, cpu: Cpu, model: type) -> None:
        self.model = model
        fields = np.zeros(1, cpu.layout.dtype)
        self.state, self._memory = fields.view(np.uint8), fields["memory"][0]
        self._values = np.zeros(sum(cpu.layout.fields[name][1] for name in (*model.times, *model.marks)), np.uint64)
        self._values_at, self._state_at = self._values.ctypes.data, self.state.ctypes.data
        self._inputs: Iterable[tuple[int, int]] = ()
        self._steps: dict[Segment, Steps] = {}
        self._records: dict[Segment, Records] = {}
        self._hold(POINTS)

    def _hold(self, points: int) -> None:
        """Make room for so many points."""
        self.points, given = np.zeros(points, np.uint64), np.zeros(2 * points, np.uint64)
        self._given = memoryview(given)
        self._points_at, self._given_at = self.points.ctypes.data, given.ctypes.data

    def add(self, plan: Plan, steps: Steps) -> None:
        """Get ready for the segments of a plan."""
        self._functions = steps
        added = [segment for segments in plan.segments.values() for segment in segments]
        self._steps |= dict.fromkeys(added, steps)
        maximum = max((segment.steps[-1].end for segment in added), default=0)
        if maximum > len(self.points):
            self._hold(maximum)

    def set_memory(self, parameters: np.ndarray) -> bool:
        """Set the parameters of the memory; return whether they have changed."""
        now = parameters.tobytes()
        if now == self._memory.tobytes():
            return False
        self._memory[:] = parameters
        return True

    def begin(self, values: bytes, inputs: Iterable[tuple[int, int]]) -> None:
        """Begin in a state, with the inputs that are not 0, by the numbers of points."""
        given = self._given
        for point, _ in self._inputs:
            given[2 * point] = given[2 * point + 1] = 0
        self._inputs = inputs
        for point, number in inputs:
            given[2 * point], given[2 * point + 1] = number, self.model.location_of(number >> KIND_SHIFT)
        self._values[:] = np.frombuffer(values, np.uint64)
        self._functions.load(self._values_at, self._state_at, 0, 0, 0)

    def run(self, segment: Segment, first: int, end: int, taken: bool = False) -> None:
        """Run steps of a segment; `taken`: does the last one branch? Errors: Unpredictable."""
        if first == end:
            return
        records = self._records.get(segment)
        if records is None:
            records = self._records[segment] = self._steps[segment].records(segment)
        count = taken << TAKEN_SHIFT | end - first
        record = records.address + records.begins[first]
        if self._functions.run(self._given_at, self._state_at, record, self._points_at, count):
            raise Unpredictable

    def end(self) -> tuple[int, bytes]:
        """Return the clocks that have passed, and the state."""
        clocks = self._functions.store(self._values_at, self._state_at, 0, 0, 0)
        return clocks, self._values.tobytes()
