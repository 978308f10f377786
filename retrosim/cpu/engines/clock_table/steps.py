"""Compiled functions that run a timing model on what instructions tell (traces.py), to fill the table of memo.py.

There is one for each shape of a trace (traces.py); the numbers, such as registers, addresses and clocks of the
table, lie in a record. They work on a state of their own, at clock NOW, that holds nothing but the fields of the
pipeline and the parameters of the memory:

    step(inputs, state, record, points, taken) -> 0, or 1 if the clocks depend on more

    inputs  of the step's points: pairs of words of 64 bits, the input and the location of an operand of its kind
    points  gets the clock of each, less NOW
    taken   is the branch at the end taken?

Three more have the same type: RUN runs the steps of consecutive records, as many as `taken` says, the last one with its
upper half; LOAD sets the state from the words of memo.py; STORE writes them, and returns the clock less NOW.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...spec.cpu import Cpu
from ...spec.ir import I32, I64, POINTER, UNLIKELY, Function, Signature
from ...spec.rows import bind
from ...spec.timing import Timing
from ...spec.values import Word
from ..compiled import Effort, functions_of, groups_with
from ..emit import Emitter
from .segments import RegionPlan, Segment
from .traces import EDGE, KIND_SHIFT, NEVER, NOW, WAIT, WIDTH, Trace, TraceEvent, Unpredictable, is_input, is_number

# a record: words of 32 bits; of consecutive ones each begins where the one before ends
SIZE_WORD, POINT_WORD, PC_WORD, END_WORD, FIRST_WORD = range(2, 7)  # words 0 and 1: the function
STEP = Signature(I64, (POINTER, POINTER, POINTER, POINTER, I64))
RUN, LOAD, STORE = range(3)
INPUT_BYTES, POINT_BYTES = 16, 8
TAKEN_SHIFT = 32


class StepEmitter(Emitter):
    """Emits a function of the type of a step."""

    def __init__(self, cpu: Cpu, model: type[Timing], code: Function) -> None:
        super().__init__(cpu, code)
        self.inputs, self.state, self.record, self.points, self.taken = code.args
        self.model = model
        self._known = {"cycles", *model.times, *model.marks, "memory"}
        self._status = code.slot(I64)
        code.store(I64, "0", self._status)
        self.begin(model)

    def _ret(self, word: Word) -> None:
        self.code.ret(word.operand)

    def _fail(self) -> None:
        self.code.store(I64, "1", self._status)

    # steps

    def emit_step(self, trace: Trace, widths: tuple[int, ...]) -> None:
        """Emit the step for the shape of a trace.

        widths  how many words each point has at which the instruction may be fetched
        """
        insn, self.row = trace.insn, trace.insn.row
        self._next_word = FIRST_WORD
        self._operand: int | None = None
        for number in range(len(widths) + trace.points):
            self._note(number, Word(64, NEVER + NOW))
        self._fetches = [[self._take() for _ in range(width)] for width in widths]
        operands = bind(self, insn.row, insn.statics, self._take)
        self.timing.start(insn.row, operands, self._take)
        self._point = len(widths)
        self._run(trace.events)
        self.timing.finish()
        self._ret(self.loaded(64, self._status))

    def _in_record(self, number: int) -> Word:
        return self.word(WIDTH, self.code.load_constant(I32, self.code.address(self.record, 4 * number)))

    def _take(self) -> Word:
        self._next_word += 1
        return self._in_record(self._next_word - 1)

    @property
    def pc(self) -> Word:
        return self._in_record(PC_WORD)

    @property
    def next_pc(self) -> Word:
        return self._in_record(END_WORD)

    def _note(self, point: int, now: Word) -> None:
        self.put(now - NOW, self.code.address(self.points, POINT_BYTES * point))

    def _input(self, point: int) -> Word:
        return self.word(64, self.code.load_constant(I64, self.code.address(self.inputs, INPUT_BYTES * point)))

    def _new_point(self) -> int:
        self._point += 1
        return self._point - 1

    def _run(self, events: Iterable[TraceEvent]) -> None:
        for name, details in events:
            if name == "memory":
                self._memory(*details)
            elif name == "when":
                self._when(*details)
            elif name == "outcome":
                self.timing.outcome(self._condition(details[0]))
            elif name == "vary":
                hook, known = details
                given = self._input(self._new_point())
                getattr(self.timing, hook)(*self.model.details_for(hook, given, *self._numbered(known)))
            else:
                getattr(self.timing, name)(*self._numbered(details))

    def _numbered(self, details: Iterable[Any]) -> Iterator[Any]:
        """Take numbers that are no part of the shape from the record."""
        for each in details:
            yield self._take() if isinstance(each, Word) and is_number(each) else each

    def _memory(self, bits: int, write: bool) -> None:
        point = self._new_point()
        self._operand = point
        location = self.code.load_constant(I32, self.code.address(self.inputs, INPUT_BYTES * point + 8))
        self.timing.memory(self.word(32, location), bits, write)
        self._operand = None

    def _when(self, then: list[TraceEvent], otherwise: list[TraceEvent]) -> None:
        condition = self._input(self._new_point()).trunc(1)
        self.when(condition, lambda: self._run(then), lambda: self._run(otherwise))

    def _condition(self, condition: Word | None) -> Word:
        if condition is EDGE:
            return self.word(64, self.taken).trunc(1)
        return self._input(self._new_point()).trunc(1) if is_input(condition) else condition

    def subroutine(self, name: str, function: Callable[..., Word], *words: Word, convention: str = "") -> Word:
        """Take what it returns from the inputs."""
        *known, now = words
        if self._operand is not None:
            self._note(self._operand, now)
            return self._input(self._operand) & WAIT
        result, found = self.variable(self.const(64, 0)), self.variable(self.const(1, 0))

        def fetch(number: int) -> None:
            self._note(number, now)
            result.set(self._input(number))
            found.set(self.const(1, 1))

        for number, fetched in enumerate(self._fetches):
            same = self.const(1, 1)
            for one, other in zip(known, fetched, strict=True):
                same = same & one.eq(other.zext(64))
            self.when(same, partial(fetch, number))
        self.when(~found.get(), self._fail)
        return result.get()

    def hits_at(self, address: Word, bits: int) -> Word:
        """Know of no plain hit: what a use of memory takes is an input."""
        return Word(bits, 0)

    def field(self, name: str, n: Word | None = None) -> Word:
        if name not in self._known:
            self._fail()
        return super().field(name, n)

    def _state_pointer(self, name: str, n: Word | None = None) -> str:
        """No number of a record leads out of its field."""
        if n is not None and n.known is None:
            is_inside = n.ult(self.cpu.layout.fields[name][1])
            self.when(~is_inside, self._fail)
            n = self.select(is_inside, n, self.const(n.bits, 0))
        return super()._state_pointer(name, n)

    # the others

    def emit_other(self, number: int) -> None:
        (self._emit_run, self._emit_load, self._emit_store)[number]()

    def _emit_run(self) -> None:
        code = self.code
        record, left = code.slot(POINTER), code.slot(I64)
        code.store(POINTER, self.record, record)
        self.put(self.word(64, self.taken) & (1 << TAKEN_SHIFT) - 1, left)
        test, body, done = code.new_block(), code.new_block(), code.new_block()
        code.join(test)
        code.branch_if(self.loaded(64, left).eq(0).operand, done, body, UNLIKELY)
        code.go_on(body)
        self.record = code.load(POINTER, record)
        rest = self.loaded(64, left) - 1
        self.put(rest, left)
        taken = self.select(rest.eq(0), self.word(64, self.taken) >> TAKEN_SHIFT, self.const(64, 0))
        size, point = (
            self.loaded(32, code.address(self.record, 4 * word)).zext(64) for word in (SIZE_WORD, POINT_WORD)
        )
        code.store(POINTER, code.address(self.record, size.operand), record)
        arguments = [
            code.address(self.inputs, (point * INPUT_BYTES).operand),
            self.state,
            self.record,
            code.address(self.points, (point * POINT_BYTES).operand),
            taken.operand,
        ]
        failed = self.word(64, code.call(STEP, code.load(POINTER, self.record), arguments))
        self.put(self.loaded(64, self._status) | failed, self._status)
        code.branch(test)
        code.go_on(done)
        self._ret(self.loaded(64, self._status))

    def _elements(self) -> Iterator[tuple[str, Word, str]]:
        """Yield what a state has: field, element, address of its word."""
        fields, place = self.cpu.layout.fields, 0
        for name in (*self.model.times, *self.model.marks):
            for number in range(fields[name][1]):
                yield name, Word(32, number), self.code.address(self.inputs, 8 * place)
                place += 1

    def _emit_load(self) -> None:
        for name, number, address in self._elements():
            word = self.loaded(64, address)
            is_time = name in self.model.times
            self.set_element(name, number, word + NOW if is_time else word.trunc(self.cpu.layout.fields[name][0]))
        self.set("cycles", self.const(64, NOW))
        self._ret(self.const(64, 0))

    def _emit_store(self) -> None:
        self.timing.forget()
        now = self.get("cycles")
        for name, number, address in self._elements():
            word = self.element(name, number)
            self.put(word - now if name in self.model.times else word.zext(64), address)
        self._ret(now - NOW)


# Runs a timing model on the segments of a plan, by compiled steps (steps.py).

CALL = ctypes.PYFUNCTYPE(ctypes.c_uint64, *[ctypes.c_uint64] * 5)
POINTS = 64  # that there is room for at first


def _emit_step(
    cpu: Cpu, model: type[Timing], trace_of: Callable[[], Trace], widths: tuple[int, ...], code: Function
) -> None:
    StepEmitter(cpu, model, code).emit_step(trace_of(), widths)


def _emit_other(cpu: Cpu, model: type[Timing], number: int, code: Function) -> None:
    StepEmitter(cpu, model, code).emit_other(number)


class StepRecords(NamedTuple):
    """The records of a segment, uint32, where they are in memory, and where each step's begins."""

    words: np.ndarray
    address: int
    begins: list[int]


class CompiledSteps:
    """The steps of a plan, compiled, or loaded from the cache.

    run, load, store  the functions that are no step
    """

    def __init__(self, cpu: Cpu, timing: str, plan: RegionPlan) -> None:
        model, wanted = cpu.timing_class(timing), {}
        for step in plan.steps:
            if step.shape not in wanted:
                widths = tuple(len(point.words) for point in step.fetches)
                wanted[step.shape] = partial(_emit_step, cpu, model, partial(getattr, step, "trace"), widths)
        others = [partial(_emit_other, cpu, model, number) for number in (RUN, LOAD, STORE)]
        self._groups = groups_with(wanted, f"steps_{cpu.label}_{timing}_", others, Effort.QUICK, signature=STEP)
        self._functions = functions_of(self._groups)
        self.run, self.load, self.store = map(CALL, self._groups[0].stubs)

    def records(self, segment: Segment) -> StepRecords:
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
        return StepRecords(records, records.ctypes.data, begins)


class StepRunner:
    """Runs the timing model of a core on segments.

    state   uint8[..]: its fields at present
    points  uint64[..]: the clock of each point of the segment, less NOW
    """

    def __init__(self, cpu: Cpu, model: type[Timing]) -> None:
        self.model = model
        fields = np.zeros(1, cpu.layout.dtype)
        self.state, self._memory = fields.view(np.uint8), fields["memory"][0]
        self._values = np.zeros(sum(cpu.layout.fields[name][1] for name in (*model.times, *model.marks)), np.uint64)
        self._values_at, self._state_at = self._values.ctypes.data, self.state.ctypes.data
        self._inputs: Iterable[tuple[int, int]] = ()
        self._steps: dict[Segment, CompiledSteps] = {}
        self._records: dict[Segment, StepRecords] = {}
        self._hold(POINTS)

    def _hold(self, points: int) -> None:
        """Make room for so many points."""
        self.points, given = np.zeros(points, np.uint64), np.zeros(2 * points, np.uint64)
        self._given = given.data
        self._points_at, self._given_at = self.points.ctypes.data, given.ctypes.data

    def add(self, plan: RegionPlan, steps: CompiledSteps) -> None:
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
