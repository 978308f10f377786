"""Compiled functions that run a timing model on what instructions tell (traces.py), to fill the table of memo.py.

There is one for each shape of a trace (trace_shapes.py); the numbers, such as registers, addresses and clocks of the
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

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from ..spec.cpu import Cpu
from ..spec.ir import I32, I64, POINTER, UNLIKELY, Function, Signature
from ..spec.rows import bind
from ..spec.values import Word
from .emit import Emitter
from .trace_shapes import WIDTH, is_number
from .traces import EDGE, NEVER, NOW, WAIT, Event, Trace, is_input

# a record: words of 32 bits; of consecutive ones each begins where the one before ends
FUNCTION_WORD, SIZE_WORD, POINT_WORD, PC_WORD, END_WORD, FIRST_WORD = 0, 2, 3, 4, 5, 6
STEP = Signature(I64, (POINTER, POINTER, POINTER, POINTER, I64))
RUN, LOAD, STORE = range(3)
INPUT_BYTES, POINT_BYTES = 16, 8
TAKEN_SHIFT = 32


class StepEmitter(Emitter):
    """Emits a function of the type of a step."""

    def __init__(self, cpu: Cpu, model: type, code: Function) -> None:
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
        self._next_word, self._operand = FIRST_WORD, None
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

    def _run(self, events: Iterable[Event]) -> None:
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

    def _when(self, then: list[Event], otherwise: list[Event]) -> None:
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

    def _field(self, name: str, n: Word | None = None) -> Word:
        if name not in self._known:
            self._fail()
        return super()._field(name, n)

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
