"""What instructions tell a timing model while they run, and the model run on that alone, in known numbers.

Most instructions always tell it the same: operands in memory, registers that get results, the outcome of a branch. Then
its clocks depend on nothing but the pipeline's state, whether a branch is taken, and what each use of memory takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from ...spec.cpu import Cpu
from ...spec.ir import POINTER, Function, Module, Signature
from ...spec.rows import Insn
from ...spec.timing import Timing
from ...spec.values import Word
from ..evaluate import Variable
from ..regions.liveness import Watcher

NOW = 1 << 40  # the clock at which a model is run: later than anything that matters, clocks before included
NEVER = 1 << 62
KIND_SHIFT = 56  # of the kind of an operand in an input, above what its subroutine returns: two numbers of clocks
WAIT = (1 << KIND_SHIFT) - 1
EDGE = None  # an outcome that is whether the branch at the end is taken


class Unpredictable(Exception):
    """The clocks of an instruction depend on more."""


class TracePoint(NamedTuple):
    """A place in an instruction where its clocks depend on what happens then: an input, usually 0.

    name   subroutine that is called there, "" for none
    words  what the subroutine works on where code is fetched
    now    the clock there if all before was as usual, by NOW; NEVER if it is not come to
    """

    name: str
    words: tuple[int, ...]
    now: int


class TraceEvent(NamedTuple):
    """What an instruction tells: a method of the model, and its arguments.

    Of memory operands those are (bits, write). Two are no methods: "when", for a condition that is an input and has
    events under it, with (the events if it holds, those if it does not), and "vary", for a hook that is told an input,
    with (its name, what it is told).
    """

    name: str
    details: tuple[Any, ...]

    @property
    def points(self) -> int:
        """How many points it has, whatever happens."""
        if self.name == "when":
            return 1 + sum(event.points for events in self.details for event in events)
        return self.name in ("memory", "vary") or (self.name == "outcome" and is_input(self.details[0]))


def is_input(condition: Word | None) -> bool:
    return condition is not EDGE and condition.known is None


def is_open(details: Iterable[Any]) -> bool:
    """Is something not known that a hook is told?"""
    return any(isinstance(each, Word) and each.known is None for each in details)


@dataclass(frozen=True)
class Trace:
    """What an instruction tells.

    whens     which of the conditions that are not known, in the order of emitting, are events
    branches  does it end with a branch on a condition?
    aborts    number of conditions that may abort the instruction before it has changed anything
    """

    insn: Insn
    operands: dict[str, Any]
    fields: tuple[int, ...]
    events: tuple[TraceEvent, ...]
    whens: frozenset[int]
    branches: bool
    aborts: int

    @property
    def is_plain(self) -> bool:
        """Do its clocks depend on nothing but what its uses of memory take?"""
        return all(event.name == "memory" or not event.points for event in self.events)

    @property
    def points(self) -> int:
        return sum(event.points for event in self.events)

    @cached_property
    def conditions(self) -> int:
        """How many of the points are conditions, of which each holds or does not."""
        return sum(map(_conditions, self.events))

    @cached_property
    def inputs(self) -> tuple[bool, ...]:
        """Tell of each outcome, in the order of emitting, whether it is an input."""
        return tuple(_outcomes(self.events))


def _conditions(event: TraceEvent) -> int:
    if event.name == "when":
        return 1 + sum(_conditions(each) for part in event.details for each in part)
    return event.name == "outcome" and is_input(event.details[0])


def _outcomes(events: Iterable[TraceEvent]) -> Iterator[bool]:
    for name, details in events:
        if name == "when":
            yield from (each for part in details for each in _outcomes(part))
        elif name == "outcome":
            yield is_input(details[0])


class _Notes:
    """Stands for a timing model, and takes down what happens."""

    def __init__(self, m: Tracer, model: type[Timing]) -> None:
        self.m, self.model = m, model
        self._whole = model(m)
        self.events: list[TraceEvent] = []

    def start(self, row: Any, operands: dict[str, Any], take: Callable[[], Word]) -> None:
        self.row, self.operands = row, operands

    def finish(self) -> None:
        pass

    def outcome(self, condition: Word) -> None:
        self._note("outcome", condition)

    def memory(self, address: Word, bits: int, write: bool) -> None:
        if self.model.operand_bytes(self.row, bits):
            self._note("memory", bits, write)

    def taken(self, vector: Word) -> None:
        """It matters to models that observe only."""

    def written(self, register: Word, stage: str) -> None:
        if register.known is None:
            raise Unpredictable
        self._note("written", register, stage)

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name not in self.model.hooks:
            raise AttributeError(name)
        return lambda *details: self._hook(name, details)

    def _hook(self, name: str, details: tuple[Any, ...]) -> None:
        if name not in self.model.priced:
            return
        if not is_open(details):
            self._note(name, *details)
        elif self._whole.varies_by(name, *details) is None:
            raise Unpredictable
        else:
            self._note("vary", name, details)

    def _note(self, name: str, *details: Any) -> None:
        if self.m.loops:
            raise Unpredictable
        self.events.append(TraceEvent(name, details))


class Tracer(Watcher):
    """Emits an instruction, throws the code away and keeps what it tells."""

    def __init__(self, cpu: Cpu, model: type[Timing]) -> None:
        super().__init__(cpu, Function(Module(), Signature("void", (POINTER,) * 3), "scratch"))
        self._own = {*model.times, *model.marks, "cycles"}
        self.timing = self._notes = _Notes(self, model)
        self._branched: Word | None = None
        self._count = 0
        self._whens: set[int] = set()
        self._aborts, self._is_begun = 0, False

    def trace(self, insn: Insn) -> Trace:
        """Return the trace of an instruction. Errors: Unpredictable."""
        self.run(insn)
        notes, taken = self._notes, None if self._branched is None else self._branched.value
        events = tuple(
            TraceEvent(name, (EDGE,))
            if name == "outcome" and is_input(details[0]) and details[0].value == taken
            else event
            for event in notes.events
            for name, details in [event]
        )
        branches = self._branched is not None and self._branched.known is None
        fields = notes.model.fields(insn)
        return Trace(insn, notes.operands, fields, events, frozenset(self._whens), branches, self._aborts)

    def abort_when(self, condition: Word, last: Callable[[], None]) -> None:
        if condition.known == 0:
            return
        if condition.known or self._is_begun or self._depth or any(event.points for event in self._notes.events):
            raise Unpredictable
        self._aborts += 1

    def when(self, condition: Word, then: Callable[[], None], otherwise: Callable[[], None] | None = None) -> None:
        if condition.known is not None:
            super().when(condition, then, otherwise)
            return
        notes, number = self._notes, self._count
        self._count += 1
        before = notes.events
        details: tuple[list[TraceEvent], list[TraceEvent]] = [], []

        def noting(body: Callable[[], None], events: list[TraceEvent]) -> Callable[[], None]:
            def run() -> None:
                notes.events = events
                body()

            return run

        super().when(condition, noting(then, details[0]), otherwise and noting(otherwise, details[1]))
        notes.events = before
        if details[0] or details[1]:
            self._whens.add(number)
            before.append(TraceEvent("when", details))

    def _note(self, name: str, n: int | None, is_write: bool) -> None:
        if name in self._own:
            raise Unpredictable
        self._is_begun |= is_write
        super()._note(name, n, is_write)

    def for_each_bit(self, mask: Word, body: Callable[[Word], None], down: bool = False) -> None:
        (super().for_each_bit if mask.known is None else self.for_each_known_bit)(mask, body, down)

    def _branch(self, condition: Word, target: Word) -> None:
        super()._branch(condition, target)
        self._branched = condition


class Replay:
    """Runs a timing model on traces, in known numbers.

    points   of the instructions since `begin`
    values   state field -> its elements
    holding  for the conditions that are come to next: whether they hold, in place of their inputs
    parameters  what other fields hold, likewise, as far as the model may look at them
    """

    def __init__(self, cpu: Cpu, model: type[Timing]) -> None:
        self.cpu, self.model = cpu, model
        fields = cpu.layout.fields
        self.parameters = {"memory": [0] * fields["memory"][1]}
        self._widths = {name: bits for name, (bits, _) in cpu.layout.fields.items()}
        self.timing = model(self)
        self.points: list[TracePoint] = []
        self.inputs: Mapping[int, int] = {}
        self.holding: Iterator[bool] = iter(())

    def begin(self, values: dict[str, list[int]], inputs: Mapping[int, int], points: int = 0) -> None:
        """Begin with these values; the clock is NOW.

        inputs  that are not 0, by the numbers of points
        points  how many have been passed
        """
        self.values, self.inputs = values, inputs
        self.points = [TracePoint("", (), NEVER)] * points

    def step(self, trace: Trace, taken: bool = False, fetches: tuple[TracePoint, ...] | None = None) -> None:
        """Run an instruction; `fetches` are the points at which it may be fetched, None when they are to be found."""
        insn, timing = trace.insn, self.timing
        self.pc, self.next_pc = Word(32, insn.pc), Word(32, insn.end)
        fields = iter(trace.fields)
        self._operand: int | None = None
        self._fetches, self._first, self.row = fetches, len(self.points), insn.row
        if fetches is not None:
            self.points += [point._replace(now=NEVER) for point in fetches]
        timing.start(insn.row, trace.operands, lambda: Word(32, next(fields)))
        self._run(trace.events, taken)
        timing.finish()

    def _run(self, events: Iterable[TraceEvent], taken: bool) -> None:
        for name, details in events:
            if name == "memory":
                self._memory(*details)
            elif name == "when":
                then, otherwise = details
                self._when(then, otherwise, taken)
            elif name == "outcome":
                self.timing.outcome(self._condition(details[0], taken))
            elif name == "vary":
                hook, known = details
                getattr(self.timing, hook)(*self.model.details_for(hook, Word(64, self._new_point()), *known))
            else:
                getattr(self.timing, name)(*details)

    def _new_point(self) -> int:
        """Add a point; return its input."""
        self.points.append(TracePoint("", (), NEVER))
        return self.inputs.get(len(self.points) - 1, 0)

    def _when(self, then: list[TraceEvent], otherwise: list[TraceEvent], taken: bool) -> None:
        holds = self._holds()
        for events, is_run in ((then, holds), (otherwise, not holds)):
            if is_run:
                self._run(events, taken)
            else:
                self.points += [TracePoint("", (), NEVER)] * sum(event.points for event in events)

    def _condition(self, details: Word | None, taken: bool) -> Word:
        if details is EDGE:
            return Word(1, taken)
        return Word(1, self._holds()) if is_input(details) else details

    def _holds(self) -> int:
        known = self._new_point()
        return next(self.holding, known)

    def _memory(self, bits: int, write: bool) -> None:
        given = self._new_point()
        self._operand = given & WAIT
        self.timing.memory(Word(32, self.model.location_of(given >> KIND_SHIFT)), bits, write)
        self._operand = None

    def subroutine(self, name: str, function: Callable[..., Word], *words: Word) -> Word:
        *known, now = (word.number for word in words)
        if self._operand is not None:
            if self.points[-1].name:
                raise Unpredictable
            self.points[-1] = TracePoint(name, (), now)
            return Word(64, self._operand)
        if self._fetches is None:
            self.points.append(TracePoint(name, tuple(known), now))
            return Word(64, self.inputs.get(len(self.points) - 1, 0))
        for number, point in enumerate(self._fetches, self._first):
            if point.words == tuple(known):
                self.points[number] = point._replace(now=now)
                return Word(64, self.inputs.get(number, 0))
        raise Unpredictable

    # what models are written against

    def const(self, bits: int, value: int) -> Word:
        return Word(bits, value)

    def get(self, name: str) -> Word:
        return Word(self._widths[name], self._list(name)[0])

    def set(self, name: str, word: Word) -> None:
        self.values[name][0] = word.number

    def element(self, name: str, n: Word) -> Word:
        return Word(self._widths[name], self._list(name)[n.number])

    def set_element(self, name: str, n: Word, word: Word) -> None:
        self.values[name][n.number] = word.number

    def _list(self, name: str) -> list[int]:
        found = self.values.get(name) or self.parameters.get(name)
        if found is None:
            raise Unpredictable
        return found

    def hits_at(self, address: Word, bits: int) -> Word:
        """Know of no plain hit: what a use of memory takes is an input."""
        return Word(bits, 0)

    def select(self, condition: Word, a: Word, b: Word) -> Word:
        return a if condition.known else b

    def when(self, condition: Word, then: Callable[[], None], otherwise: Callable[[], None] | None = None) -> None:
        if condition.known:
            then()
        elif otherwise is not None:
            otherwise()

    def variable(self, word: Word) -> Variable:
        return Variable(word)

    def pass_clocks(self, clocks: Word) -> None:
        self.values["cycles"][0] += clocks.number


# What of a trace fixes the code that a timing model makes of it (steps.py), and what is only numbers for that code.

WIDTH = 32  # of words that are numbers; others belong to the shape


def shape_of(trace: Trace, fetches: list[tuple[int, ...]]) -> tuple[str, list[int]]:
    """Return the shape of an instruction as text, and its numbers, 32 bits each.

    fetches  the words of each point at which it may be fetched
    """
    numbers = [word for words in fetches for word in words]
    numbers += [*trace.insn.fields, *trace.fields]
    events = tuple(_shape(event, numbers) for event in trace.events)
    widths = tuple(map(len, fetches))
    return repr((trace.insn.key, widths, events)), [number & 0xFFFFFFFF for number in numbers]


def _shape(detail: Any, numbers: list[int]) -> Any:
    """Return what of an event, or a part of it, belongs to the shape; add the rest to the numbers."""
    if isinstance(detail, Word):
        if is_number(detail):
            numbers.append(detail.number)
            return "number"
        return detail.bits, detail.known
    if isinstance(detail, (tuple, list)):
        return tuple(_shape(each, numbers) for each in detail)
    if not isinstance(detail, int | str | None):
        raise TypeError(f"an instruction tells its timing model a {type(detail).__name__}")
    return detail


def is_number(word: Word) -> bool:
    return word.known is not None and word.bits == WIDTH
