"""What is remembered of a pipeline: its states, and what each segment of code makes of them.

The state of a pipeline, by the clock it is at, takes few values. So regions do not compute clocks: they go from row to
row of a table. A row belongs to a segment and the state that it is entered in; it holds the clocks that the segment
takes, the row that is next on each edge, and at which clock each use of memory is made. (Schnarr and Larus, Fast
Out-of-Order Processor Simulation Using Memoization, 1998.) What is not in the table yet is asked for: the timing model
is run on the segment (steps.py), and the row is added.

The table has words of 64 bits, and four parts:

    ENTRIES   key, key, value, - in one of two places: what a row leads to with an input that is not 0, and the rows of
              entry points
    FOUND     states by a hash of their values
    states    the values of `Timing.times` less the clock, and of `Timing.marks`
    rows      end of each outcome, row of each edge, clock of each point, what its input 1 leads to, rows for inputs

A place is a distance from the beginning of the table in bytes. Ends and edges hold the clocks in the upper 32 bits, and
below them the place of a state or of a row; edges are 0 at first. When the table is full it is begun again.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # what `signal` wraps, without its enumerations: they would be half of what a short run costs
import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple
from weakref import WeakMethod

import numpy as np

from ..core import Core
from .segments import FIRST_EDGE, FIRST_END, INPUTS, RegionPlan, Segment
from .steps import CompiledSteps, StepRunner
from .traces import NEVER

MASK64 = (1 << 64) - 1
ENTRY_BITS, FOUND_BITS, TABLE_BITS = 16, 10, 25
WORD_SHIFT = 3  # log2 of the bytes of a word
ENTRY_BYTES = 32
FOUND = ENTRY_BYTES << ENTRY_BITS
MAX_WORDS = 512  # of a state or a row
MAX_BYTES = MAX_WORDS << WORD_SHIFT
NOWHERE = FOUND + (1 << FOUND_BITS + WORD_SHIFT)  # a row of zeros
FIRST = NOWHERE + MAX_BYTES
PLACES = 1 << TABLE_BITS
PLACE_MASK = PLACES - 1
TABLE_WORDS = PLACES + MAX_BYTES >> WORD_SHIFT
HASH_FACTOR = 0x9E3779B97F4A7C15
INPUT, ENTERED, EDGE_OF, STATE_OF, LEFT_AFTER = (kind << 60 for kind in range(1, 6))  # kinds of questions
POINT_SHIFT = 32  # of the number of a point or edge in a question
OFFSET_BITS = 12  # of two places in a row, below the number of a point: together a short constant
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64)


def hash_of(a: int, b: int) -> int:
    return ((a * HASH_FACTOR ^ b) * HASH_FACTOR & MASK64) >> 64 - ENTRY_BITS


class MemoRow(NamedTuple):
    """What a row is for: a segment from one of its steps on, the state there, and inputs that are not 0."""

    segment: Segment
    first: int
    state: int
    inputs: tuple[tuple[int, int], ...]


class Memo:
    """The table of a core, which answers its questions.

    words     uint64[TABLE_WORDS]
    callback  address of the function that is asked: question, details -> place
    """

    def __init__(self, core: Core) -> None:
        self.core, self.model = core, core.timing
        self.words = np.zeros(TABLE_WORDS, np.uint64)
        self._view = self.words.data
        self._blocks: dict[int, list[Segment]] = {}
        self._runner = StepRunner(core.cpu, self.model)
        fields = core.cpu.layout.fields
        self._times = [(name, fields[name][1]) for name in self.model.times]
        self._marks = [(name, fields[name][1]) for name in self.model.marks]
        answer = WeakMethod(self._asked)

        def ask(question: int, detail: int) -> int:
            method = answer()
            return method(question, detail) if method else NOWHERE

        self._function = CALLBACK(ask)
        self.callback = ctypes.cast(self._function, ctypes.c_void_p).value or 0
        self.error: BaseException | None = None
        self._end = 0
        self._begin()

    def add(self, plan: RegionPlan, steps: CompiledSteps) -> None:
        """Take the segments of a region in."""
        if any(self._blocks.get(start, segments) is not segments for start, segments in plan.segments.items()):
            self._begin()
        self._blocks |= plan.segments
        self._runner.add(plan, steps)

    def _begin(self) -> None:
        self.words[: self._end >> WORD_SHIFT] = 0  # what lies behind was never written, and takes no memory
        self._end = FIRST
        self._states: dict[bytes, int] = {}
        self._values: dict[int, bytes] = {}
        self._rows: dict[int, MemoRow] = {}
        self._places: dict[MemoRow, int] = {}

    def prepare(self) -> None:
        """Get ready for a run: forget what was computed for other parameters of the memory."""
        if self._runner.set_memory(self.core.state["memory"]):
            self._begin()

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Let compiled code ask for a while; raise the error that a question has ended in.

        Python tells of an interruption at its next step. In the middle of compiled code that would be the answer to a
        question, where no error can be raised. So SIGINT waits for the end, a fraction of a second.
        """
        if not self._blocks:
            yield
            return
        handler = _signal.getsignal(_signal.SIGINT)
        waits = threading.current_thread() is threading.main_thread() and callable(handler)
        waiting: list[int] = []
        if waits:
            _signal.signal(_signal.SIGINT, lambda number, frame: waiting.append(number))
        try:
            yield
        finally:
            if waits:
                _signal.signal(_signal.SIGINT, handler)
        if waiting and callable(handler):
            handler(_signal.SIGINT, None)
        if self.error is not None:
            error, self.error = self.error, None
            raise error

    def _asked(self, question: int, detail: int) -> int:
        """Answer a question; an error is raised when the run has ended, which a row without clocks leads to."""
        if self.error is None:
            try:
                return self._answer(question, detail)
            except BaseException as error:
                self.error = error
        return NOWHERE

    def _answer(self, question: int, detail: int) -> int:
        kind, number, place = question >> 60 << 60, question >> POINT_SHIFT & 0xFFFFFFF, question & 0xFFFFFFFF
        if kind == STATE_OF:
            self._begin_again_if_full()
            state = self._state(self._present())
            self._put(FOUND, number, state)
            return state
        if kind == ENTERED:
            values = self._values[detail]
            self._begin_again_if_full()
            answer = self._row(MemoRow(self._blocks[place][0], 0, self._state(values), ()))
        else:
            row = self._rows[place]
            values = self._values[row.state]
            if self._begin_again_if_full():
                row = row._replace(state=self._state(values))
            if kind == EDGE_OF:
                return self._follow(row, number)
            answer = self._left_after(row, number) if kind == LEFT_AFTER else self._after_input(row, number, detail)
        entry = hash_of(question, detail) * ENTRY_BYTES
        if self._view[entry >> WORD_SHIFT]:
            entry ^= ENTRY_BYTES
        for offset, word in enumerate((question, detail, answer)):
            self._put(entry, offset, word)
        return answer

    def _begin_again_if_full(self) -> bool:
        """Begin the table again if it is full; return whether it was."""
        is_full = self._end > PLACE_MASK - 4 * MAX_BYTES
        if is_full:
            self._begin()
        return is_full

    def _put(self, place: int, offset: int, word: int) -> None:
        """Write a word, so many words behind a place."""
        self._view[(place >> WORD_SHIFT) + offset] = word

    def _after_input(self, row: MemoRow, point: int, value: int) -> int:
        """Return what an input leads to, which is noted in the row too where that has a word for it."""
        word = self._with_input(row, point, value)
        last = row.segment.steps[-1]
        if value == 1:
            self._put(self._row(row), row.segment.place_of_one(point), word)
        if point >= last.first and not last.is_plain and value < INPUTS:
            self._put(self._row(row), row.segment.place_of_input(point, value), word)
        return word

    def _with_input(self, row: MemoRow, point: int, value: int) -> int:
        """Return the clocks and the row that an input leads to: after the last point of a step, that for the rest."""
        row = row._replace(inputs=tuple(sorted((*row.inputs, (point, value)))))
        number = row.segment.step_of(point)
        steps = row.segment.steps
        if point + 1 < steps[number].end or number + 1 == len(steps):
            return self._row(row)
        word = self._left_after(row, number)
        return word >> 32 << 32 | self._row(MemoRow(row.segment, number + 1, word & 0xFFFFFFFF, ()))

    def _left_after(self, row: MemoRow, number: int) -> int:
        """Return the clocks and the state after a step."""
        self._runner.begin(self._values[row.state], row.inputs)
        self._runner.run(row.segment, row.first, number + 1)
        return self._end_word()

    def _follow(self, row: MemoRow, number: int) -> int:
        """Fill in an edge of a row; return its word."""
        place = self._row(row)
        outcome, address = row.segment.edges[number]
        following = row.segment.following or self._blocks[address][0]
        end = self._view[(place >> WORD_SHIFT) + FIRST_END + outcome]
        word = end >> 32 << 32 | self._row(MemoRow(following, 0, end & 0xFFFFFFFF, ()))
        self._put(place, FIRST_EDGE + number, word)
        return word

    def _present(self) -> bytes:
        """Return the state of the pipeline that the core's state holds, as words of 64 bits."""
        state = self.core.state
        times = [np.atleast_1d(state[name] - state["cycles"]) for name, _ in self._times]
        marks = [np.atleast_1d(state[name]) for name, _ in self._marks]
        return np.concatenate([each.astype(np.uint64) for each in times + marks]).tobytes()

    def _state(self, values: bytes) -> int:
        place = self._states.get(values)
        if place is None:
            place = self._states[values] = self._end
            self._values[place] = values
            self._append(np.frombuffer(values, np.uint64))
        return place

    def _append(self, words: np.ndarray) -> None:
        first = self._end >> WORD_SHIFT
        self.words[first : first + len(words)] = words
        self._end += len(words) << WORD_SHIFT

    def _row(self, row: MemoRow) -> int:
        place = self._places.get(row)
        if place is None:
            words = self._words_of(row)
            place = self._places[row] = self._end
            self._rows[place] = row
            self._append(words)
        return place

    def _words_of(self, row: MemoRow) -> np.ndarray:
        """Return the words of a new row."""
        runner, segment = self._runner, row.segment
        last = len(segment.steps) - 1
        runner.begin(self._values[row.state], row.inputs)
        runner.run(segment, row.first, last)
        before = runner.state.copy() if segment.outcomes > 1 else runner.state
        words = np.zeros(segment.words, np.uint64)
        words[0] = row.state
        for outcome in range(segment.outcomes):
            if outcome:
                runner.state[:] = before
            runner.run(segment, last, last + 1, bool(outcome))
            words[FIRST_END + outcome] = self._end_word()
        first, passed = segment.steps[row.first].first, segment.steps[-1].end
        points = words[segment.first_point : segment.first_point + passed]
        points[:first], points[first:] = NEVER, runner.points[first:passed]
        return words

    def _end_word(self) -> int:
        clocks, values = self._runner.end()
        return clocks << 32 | self._state(values)
