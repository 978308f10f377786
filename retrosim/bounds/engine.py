"""An engine that runs an instruction on all states at once: the rows and the timing models, on words that are bounds.

It is written against the same value layer as the other engines, so that the semantics and the clocks are those of the
rows and of the timing model itself, whatever they are. Where a condition is not decided by what is known, both ways are
followed (paths.py); what is known afterwards is what all paths to the same next instruction agree on.

A cache is followed by the lines that are certain to be in it (caches.py): while the model looks such a line up,
it finds its tag; else tags are unknown, so that the model both hits and misses.

Paths that no call takes which returns are left out: those that raise an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from typing import Any, NamedTuple

from retrosim.cpu.engines.core import Core
from retrosim.cpu.spec.cpu import ADDRESS_MASK, FAULT, SERVICE
from retrosim.cpu.spec.rows import Insn
from retrosim.cpu.spec.semantics import ExecutionContext
from retrosim.errors import RetrosimError

from .caches import Near
from .counter import Look
from .paths import BEGINNING, MAX_PATHS, NEVER, ZERO, Infeasible, Path, TooManyPaths
from .residence import Residence, Use, Way, joined
from .state import ALIGNMENT, EVER, LONG_AGO, AbstractState, Key, WordPlace, either, join
from .words import HALF, NOW, Span, const, linear, unknown

MAX_FOLLOWED = 64  # entries of a state field: larger ones are caches, of which only certain lines are followed


class _Ended(NamedTuple):
    """The end of a path: what has changed, times as in `_time_at_end`; clocks taken; the ways that lead to it."""

    changed: dict[Key, Any]
    minimum: int
    maximum: int
    ways: list[Way]
    held: dict[str, Any]
    apart: dict[tuple[Key, Key], int]
    written: set[Key]


def _apart(pair: tuple[Key, Key], state: AbstractState, end: _Ended) -> int:
    """Return how many clocks a time lies behind another one at most, at the end of a path from a state."""
    if pair in end.apart or not end.written.isdisjoint(pair):
        return end.apart.get(pair, NEVER)
    return state.apart.get(pair, NEVER)


STACK_BYTES = 1 << 16  # below the stack pointer of the call: frames of the routine
RAM_LAST = (1 << 23) - 1  # machine memory map; above lie video memory and devices
NEAR = 1 << 16  # bytes: a store is to words within bounds so near to each other, else to any
VARIABLE = "variable"
Units = list[int] | Near | None


class Unbounded(RetrosimError):
    """A routine of which no bounds can be given."""


class Variable:
    """A mutable word, kept with what else the path changes."""

    def __init__(self, engine: BoundsEngine, word: Span) -> None:
        self.engine, self.key = engine, (VARIABLE, next(engine.numbers))
        self.set(word)

    def get(self) -> Span:
        return self.engine.variable_word(self.key)

    def set(self, word: Span) -> None:
        self.engine.changed[self.key] = word


def _number(span: Span) -> Any:
    """Return what two words of a path have in common only if they are the same number: the same sum, or object."""
    return span if span.lo != span.hi else (span.bits, span.lo, *sorted((span.terms or {}).items()))


class _End(NamedTuple):
    """The end of a path: clocks (after NOW) and words that it has changed, what is in the caches; which are times."""

    path: Path
    clocks: dict[Key, Span]
    words: dict[Key, Span | None]
    held: dict[str, Any]
    absolute: set[Key]


def is_variable(key: Key) -> bool:
    return isinstance(key, tuple) and key[0] in (VARIABLE, "result")


def _next_word(numbers: Iterator[int]) -> Span:
    return const(32, next(numbers))


class BoundsEngine(ExecutionContext):
    """Runs single instructions of a core on states."""

    name = "bounds"

    def __init__(
        self,
        core: Core,
        stack_top: int,
        parameters: Mapping[str, int],
        is_code_apart: bool = True,
        residence: Residence | None = None,
    ) -> None:
        """Take a core, whose state is not touched; the stack pointer of the call; the machine's memory parameters.

        is_code_apart  no operand lies in a line of the routine's code
        residence      what is used stays in the caches that it names, which is to be checked afterwards
        """
        self.core, self.cpu, self.stack_top, self._parameters = core, core.cpu, stack_top, parameters
        self.is_code_apart, self.residence = is_code_apart, residence or Residence({}, {})
        self.code_units: set[int] = set()
        self.operand_units: set[int] = set()
        self.alignment = ALIGNMENT[core.cpu.isa.word_bytes]
        self._widths = {name: bits for name, (bits, _) in core.cpu.layout.fields.items()}
        self._counts = {name: count for name, (_, count) in core.cpu.layout.fields.items()}
        self._memory = (
            [const(64, int(each)) for each in core.state["memory"].tolist()] if "memory" in self._counts else []
        )
        self._caches = {name: cache for name, cache in core.cpu.caches.items() if cache.lines}
        self._lines = {name: cache.lines for name, cache in core.cpu.caches.items() if cache.lines}
        self._arriving = dict.fromkeys(lines.arriving for lines in self._lines.values() if lines.arriving)
        self._tags = {cache.tags: name for name, cache in self._caches.items()}
        self._clock = linear(64, {NOW: 1}, 0, 0, self)
        self.begin(core.timing)

    # running instructions

    def outcomes(self, insn: Insn, state: AbstractState) -> dict[int | None, AbstractState]:
        """Run an instruction; return what holds at each next one, None: at addresses that are not known."""
        ends: dict[int | None, list[_Ended]] = {}
        todo: list[tuple[bool, ...]] = [()]
        fields = insn.fields + self.core.timing.fields(insn)
        paths = 0
        while todo:
            self.path = Path(self, todo.pop())
            self._begin(insn, state)
            numbers = iter(fields)
            paths += 1
            if paths > MAX_PATHS:
                raise TooManyPaths(f"{insn.text} at {insn.pc:#x}: more than {MAX_PATHS} paths through its clocks")
            try:
                self.run_row(insn.row, insn.statics, partial(_next_word, numbers))
                ends.setdefault(self._next, []).append(self._ended())
            except Infeasible:
                pass
            todo += self.path.others
        return {target: self._merged(state, found) for target, found in ends.items()}

    def _begin(self, insn: Insn, state: AbstractState) -> None:
        self.state, self.held = state, dict(state.held)
        self.changed: dict[Key, Any] = {}  # spans; None: nothing is known any more
        self._pc, self._end, self._next = insn.pc, insn.end, insn.end
        self._read_times: dict[Key, Span] = {}
        self._read_words: dict[Key, Span] = {}
        self._choices: dict[Key, Span] = {}
        self._written_fields: set[str] = set()
        self._looked_up: dict[str, bool] = {}
        self._deferred = 0
        self._uses: set[Use] = set()
        self._looks: list[Look] = []
        self._symbols = self._depth = 0
        self.numbers = count()
        self.changed[BEGINNING] = linear(64, {NOW: 1, BEGINNING: 1}, 0, 0, self)
        self.path.symbol(BEGINNING, -state.maximum, NEVER)
        self.begin(self.core.timing)
        if hasattr(self.timing, "exception"):
            self.timing.exception = self._leaves

    def _leaves(self, *_: Any) -> None:
        raise Infeasible

    def _ended(self) -> _Ended:
        self.changed = {key: span for key, span in self.changed.items() if not is_variable(key)}
        cycles, beginning = self.changed.pop("cycles", self._clock), self.changed.pop(BEGINNING)
        minimum, maximum = self.path.bounds(cycles - self._clock)
        wait = self.timing.max_wait_clocks().known or 0
        maximum = min(maximum, self.timing.max_clocks + self.timing.max_waits * wait)
        _, late = self.path.bounds(cycles - beginning)
        deferred = self.path.bounds(beginning - self._clock - linear(64, {BEGINNING: 1}, 0, 0, self))[0]
        ways = [
            Way(
                min(way.clocks + maximum - deferred, late),
                way.used | self._uses,
                way.misses.after(self._looks) if way.misses else None,
            )
            for way in self.state.ways
        ]
        since = max(way.clocks for way in ways)
        written = {key for key, span in self.changed.items() if span is not self._read_times.get(key, self)}
        new = (self._read_times | self.changed).items()
        times = [(key, span) for key, span in new if isinstance(key, str) and span is not None and span.terms]
        apart = {(a, b): self.path.bounds(x - y)[1] for a, x in times for b, y in times if a != b}
        changed: dict[Key, Any] = {}
        for key, span in self.changed.items():
            changed[key] = self._time_at_end(span, cycles, beginning) if span is not None and span.terms else span
        for key, span in self._read_times.items():
            changed.setdefault(key, self._time_at_end(span, cycles, beginning))
        for key, word in self._read_words.items():  # what this path has taken a word to be, it is
            if id(word) in self.path.decided and key not in changed:
                changed[key] = self._as_taken(word)
        for key, value in changed.items():
            if isinstance(value, tuple) and key not in self.cpu.stage_fields:  # what is under way ends within a wait
                changed[key] = value[0], min(value[1], wait), min(value[2], since + wait)
        return _Ended(changed, max(0, minimum), maximum, ways, self.held, apart, written)

    def _time_at_end(self, span: Span, cycles: Span, beginning: Span) -> tuple[int, int, int]:
        """Return the bounds of a time relative to the end, and the last one relative to the beginning of the call."""
        return *self.path.bounds(span - cycles), self.path.bounds(span - beginning)[1]

    def _merged(self, state: AbstractState, ends: list[_Ended]) -> AbstractState:
        minimum, maximum = min(end.minimum for end in ends), max(end.maximum for end in ends)
        held = ends[0].held
        for end in ends[1:]:
            held = {name: each.join(end.held[name]) for name, each in held.items()}
        words, times = dict(state.words), dict(state.times)
        ways = joined(way for end in ends for way in end.ways)
        result = AbstractState(words, times, held, ways, state.minimum + minimum, trail=state.trail)
        result.fast, result.slow = state.fast + minimum, state.slow + maximum
        for key in {key for end in ends for key in end.changed}:
            spans: list[Any] = []
            bounds: list[Any] = []
            for end in ends:
                value = end.changed.get(key, state)
                if value is state:
                    value = state.words.get(key)
                    if value is None and key not in self._others:
                        lo, hi, late = state.time(key)
                        value = lo - end.maximum, hi - end.minimum, late + state.maximum
                (bounds if isinstance(value, tuple) else spans).append(value)
            words.pop(key, None)
            times.pop(key, None)
            if bounds:
                lo = EVER if spans else min(each[0] for each in bounds)
                hi = max(0 if spans else -LONG_AGO, *(each[1] for each in bounds))
                latest = max(result.maximum if spans else 0, *(each[2] for each in bounds))
                result.set_time(key, lo, hi, latest - result.maximum)
            elif all(span is not None and span.bits == spans[0].bits for span in spans):
                word = spans[0]
                for span in spans[1:]:
                    word = join(word, span)
                words[key] = word
        for pair in set(state.apart).union(*(end.apart for end in ends)):
            clocks = max(_apart(pair, state, end) for end in ends)
            if clocks < LONG_AGO and pair[0] in times and pair[1] in times:
                result.apart[pair] = clocks
        return result

    # state

    @property
    def _others(self) -> Any:
        return _NoTimes(self._widths)

    def _time(self, key: Key, name: str) -> Span:
        found = self._read_times.get(key)
        if found is None:
            lo, hi, late = self.state.time(key)
            found = self._read_times[key] = self.path.clock(str(key), lo, hi)
            self.path.ends_by(str(key), late + self.state.maximum)
            for pair, clocks in self.state.apart.items():
                if key in pair:
                    first, second = map(str, pair)
                    self.path.lies_behind(first, second, clocks)
        return found

    def _read(self, key: Key, bits: int) -> Span:
        if key in self.changed:
            found = self.changed[key]
            return unknown(bits) if found is None else found
        found = self.state.words.get(key)
        if found is None:
            if bits == 64:
                return self._time(key, str(key))
            found = self._read_words.setdefault(key, unknown(bits))
        if found.values and isinstance(key, str) and bits > 1 and not self._depth:
            return self._chosen(key, found)
        self._read_words[key] = found
        return self._as_taken(found)

    def _chosen(self, key: Key, span: Span) -> Span:
        """Return a field of the timing model that has few values as one of them: each is a path."""
        if key not in self._choices:
            assert span.values is not None
            *others, last = sorted(span.values)
            taken = next((value for value in others if self.path.decide(Span(1, 0, 1))), last)
            self._choices[key] = const(span.bits, taken)
        return self._choices[key]

    def _as_taken(self, span: Span) -> Span:
        """Return a bit as this path takes it."""
        decided = self.path.decided.get(id(span))
        return span if decided is None else const(span.bits, decided[0])

    def get(self, name: str) -> Span:
        if name == "cycles":
            return self.changed.get(name, self._clock)
        word = self._read(name, self._widths[name])
        if name in self._arriving:
            self._arriving[name] = word
        return word

    def set(self, name: str, word: Any) -> None:
        if name in self._arriving and word is not self._arriving[name]:
            if self._cannot_miss():
                raise Infeasible
            self.changed[BEGINNING] += self._deferred
        self.changed[name] = word

    def _cannot_miss(self) -> bool:
        """Tell whether what is looked up is there: for certain, or because this path has found it arriving."""
        return self._finds_arriving() or (bool(self._looked_up) and all(self._looked_up.values()))

    def element(self, name: str, n: Any) -> Span:
        bits = max(8, self._widths[name])
        if name == "memory" and n.known is not None:
            return self._memory[n.known]
        if name in self._tags:
            return self._tag(self._tags[name], n, bits)
        if n.known is None or self._counts[name] > MAX_FOLLOWED:
            return unknown(bits)
        return self._read((name, n.known), bits)

    def set_element(self, name: str, n: Any, word: Any) -> None:
        self._written_fields.add(name)
        if self._counts[name] > MAX_FOLLOWED:
            return
        if n.known is not None:
            self.changed[name, n.known] = word
            return
        for number in range(n.lo, min(n.hi + 1, self._counts[name])):
            self.changed[name, number] = None

    def hits_at(self, address: Any, bits: int) -> Span:
        """Have every line looked up, which comes to the same."""
        return const(bits, 0)

    def set_hits(self, address: Any, word: Any) -> None:
        """Need no bits."""

    def _tag(self, cache: str, n: Any, bits: int) -> Span:
        """Return the tag of an entry: a line that is certain to be there lies in some way of its set."""
        lines = self._lines[cache]
        if n.known is not None:
            there = self.held[cache].of_set(n.known // lines.ways)
            way = n.known % lines.ways
            if way < len(there):
                ones, free = lines.tag(there[way].number, there[way].units)
                return Span(bits, ones, ones | free, ones, free)
            if self._looked_up.get(cache):
                return const(bits, 0)  # the line that is looked up is not here
        return unknown(bits)

    def _reg(self, n: Any, bits: int) -> Span:
        if n.known is None:
            return unknown(bits)
        return self._read(("r", n.known), 32).trunc(bits)

    def _set_reg(self, n: Any, word: Any) -> None:
        if n.known is None:
            for number in range(self._counts["r"]):
                self.changed["r", number] = None
            return
        if word.bits < 32:
            old = self._read(("r", n.known), 32)
            word = (old >> word.bits << word.bits) | word.zext(32)
        self.changed["r", n.known] = word

    # choices

    def _taken(self, condition: Any) -> Span:
        return const(1, self.path.decide(condition))

    def outcome(self, condition: Any) -> None:
        super().outcome(self._taken(condition))

    def vary(self, *data: Any) -> None:
        super().vary(*(self._taken(each) if getattr(each, "bits", 0) == 1 else each for each in data))

    def branch(self, condition: Any, target: Any) -> None:
        super().branch(self._taken(condition), target)

    def abort_when(self, condition: Any, last: Callable[[], None]) -> None:
        if condition.known:
            raise Infeasible

    def for_each_bit(self, mask: Any, body: Callable[[Any], None], down: bool = False) -> None:
        for number in range(mask.bits - 1, -1, -1) if down else range(mask.bits):
            if mask.may >> number & 1:
                self.when((mask >> number).trunc(1), partial(body, const(32, number)))

    # control flow

    @property
    def pc(self) -> Span:
        return const(32, self._pc)

    @property
    def next_pc(self) -> Span:
        return const(32, self._end)

    def const(self, bits: int, value: int) -> Span:
        return const(bits, value)

    def _jump(self, address: Any) -> None:
        self._next, self.flowed = address.known, True

    def _branch(self, condition: Any, target: Any) -> None:
        if self.path.decide(condition):
            self._next, self.flowed = target.known, True

    def leave(self, reason: int, detail: Any = 0) -> None:
        if reason == FAULT:
            raise Infeasible
        what = "asks the machine for a service" if reason == SERVICE else "changes what interrupts the processor"
        raise Unbounded(
            f"the instruction at {self._pc:#x} {what}, which has no bound; bound the routines that are called between"
        )

    @property
    def raised(self) -> int | None:
        return None

    @raised.setter
    def raised(self, vector: int | None) -> None:
        if vector is not None:
            raise Infeasible

    def load(self, address: Any, bits: int) -> Any:
        return super().load(self._operand(address, bits), bits)

    def store(self, address: Any, word: Any) -> None:
        super().store(self._operand(address, word.bits), word)

    def _operand(self, address: Any, bits: int) -> Any:
        """Take an unknown address as one in RAM, and aligned as far as compilers align operands."""
        if address.known is not None:
            return address
        low = min(bits // 8, self.alignment) - 1
        if address.ones & low:
            low = 0
        last = RAM_LAST + 1 - bits // 8  # the operand ends in RAM too
        hi = address.hi if address.lo > last else min(address.hi, last)
        span = Span(address.bits, address.lo & ~low, hi & ~low, address.ones, address.free & ~low, address.frame)
        root, offset, shift = address.place or (address, 0, 0)
        span.base = (address, 0) if shift else (root, offset)
        return span

    def _based(self, location: Span) -> tuple[Span, int]:
        operand, offset, shift = location.place or (location, 0, 0)
        if shift or operand.base is None:
            return location, 0
        base, more = operand.base
        return base, more + offset

    def _load(self, location: Any, bits: int) -> Span:
        if location.known is None:
            place = WordPlace(*self._based(location))
            found = self._cell(place)
            if found is None or found.bits != bits:
                found = unknown(bits)
                if bits <= 32:  # of a clock nothing is known, of a word that it stays
                    self.changed[place] = found
            return self._as_taken(found)
        start, size = location.known, bits // 8
        found = self._cell(start)
        if found is not None and found.bits == bits:
            return self._as_taken(found)
        for first in range(start - 7, start + 1):
            cell = self._cell(first)
            if cell is not None and first + cell.bits // 8 >= start + size:
                return (cell >> 8 * (start - first)).trunc(bits)
        word = unknown(bits)
        if self._in_frames(start):  # the same word when it is read again
            self.changed[start] = word
        return word

    def _cell(self, address: int | WordPlace) -> Span | None:
        return self.changed[address] if address in self.changed else self.state.words.get(address)

    def _store(self, location: Any, word: Any) -> None:
        size = word.bits // 8
        if location.known is not None:
            start = location.known
            self._forget(range(start - 7, start + size), start, start + size)
            self._forget_places(is_in_frame=self._in_frames(start))
            self.changed[start] = word.plain()
            return
        known = [key for key in {*self.state.words, *self.changed} if isinstance(key, int)]
        if location.hi - location.lo < NEAR:
            self._forget(known, location.lo, location.hi + size)
        else:
            self._forget((k for k in known if location.frame or not self._in_frames(k)), 0, ADDRESS_MASK + 1)
        self._forget_places(WordPlace(*self._based(location)), size)
        self.changed[WordPlace(*self._based(location))] = word.plain()

    def _forget_places(self, stored: WordPlace | None = None, size: int = 0, is_in_frame: bool = False) -> None:
        """Forget what is at unknown addresses, except what a store there does not touch, or if that is in a frame."""
        for key in {*self.state.words, *self.changed}:
            cell = self._cell(key) if isinstance(key, WordPlace) else None
            if cell is None or (is_in_frame and not key.base.frame):
                continue
            is_disjoint = (
                stored is not None
                and key.base is stored.base
                and (key.offset + cell.bits // 8 <= stored.offset or stored.offset + size <= key.offset)
            )
            if not is_disjoint:
                self.changed[key] = None

    def _in_frames(self, address: int) -> bool:
        return self.stack_top - STACK_BYTES <= address < self.stack_top

    def _forget(self, addresses: Any, start: int, end: int) -> None:
        for address in list(addresses):
            cell = self._cell(address)
            if cell is not None and address < end and start < address + cell.bits // 8:
                self.changed[address] = None

    def _marks(self, location: Any, bits: int) -> Span:
        return const(bits, 0)

    def select(self, condition: Any, a: Any, b: Any) -> Span:
        if condition.known is not None:
            return a if condition.known else b
        if id(condition) in self.path.decided:
            return a if self.path.decide(condition) else b
        if condition.test is None and not (a.terms or b.terms):
            return either(condition, a, b)
        if condition.test is None or not (a.terms or b.terms):
            return a if self.path.decide(condition) else b
        kind = (condition.test[1:], *map(_number, (condition.test[0], a, b)))
        if kind in self.path.chosen:  # of another symbol it would not be known that it is the same number
            return self.path.chosen[kind]
        is_absolute = any(span.terms and NOW in span.terms for span in (a, b))
        name = f"choice {next(self.numbers)}"
        base = self._base([a, b])
        ends = []
        for value, span in ((True, a), (False, b)):
            path = self.path.inside(())
            with self._on(path), suppress(Infeasible):
                path.take(condition, value)
                ends.append((path, {name: span + base - self._clock if is_absolute else span + base}))
        if not ends:
            raise Infeasible
        self.path.join(ends)
        symbol = linear(64, {name: 1}, 0, 0, self) - base
        self.path.chosen[kind] = symbol + self._clock if is_absolute else symbol
        return self.path.chosen[kind]

    def when(self, condition: Any, then: Callable[[], None], otherwise: Callable[[], None] | None = None) -> None:
        is_decided = condition.known is not None or id(condition) in self.path.decided
        if self._depth and not is_decided and not self._is_of_arriving(condition):
            self._explore([(then, condition, True), (otherwise or (lambda: None), condition, False)])
        elif self.path.decide(condition):
            then()
        elif otherwise is not None:
            otherwise()

    def _is_of_arriving(self, condition: Any) -> bool:
        """Tell whether a condition is about the line that arrives: it then splits the path, which has to know it."""
        return condition.tells is not None and any(word in self._arriving.values() for word in condition.tells[:2])

    def _finds_arriving(self) -> bool:
        """Tell whether this path has found that the line which it looks up is arriving."""
        return self.is_code_apart and any(
            value and bit.tells is not None and self._is_of_arriving(bit) and bit.tells[2]
            for value, bit in self.path.decided.values()
        )

    def variable(self, word: Any) -> Variable:
        return Variable(self, word)

    def variable_word(self, key: Key) -> Span:
        """Return the word of a variable."""
        return self.changed[key]

    def subroutine(self, name: str, function: Callable[..., Any], *words: Any) -> Any:
        """Run a subroutine on all its paths; return a word for what they return.

        What it changes and what it returns are symbols afterwards, with the differences that hold on all paths.
        """
        accesses = self._accesses(name, words)
        start = words[-1] - self._clock if words[-1].terms else const(64, 0)  # all of them are told the time last
        self._start = start
        self._deferred = 0
        for cache, units in accesses.items():
            self._looked_up[cache] = self._is_there(cache, units)
            lines = self._lines[cache]
            if cache in self.residence.lines:
                self._uses.update(self.residence.uses(cache, units, name in lines.fetches))
                if name in lines.operands or self.residence.counts_code:
                    self._deferred += self.residence.clocks[cache]
            elif cache == self.residence.counted:
                self._looks += self.residence.looks(units, self.held[cache])
                self._deferred += self.residence.clocks[cache]
                self.residence.is_known &= not self._depth  # else it may not be run

        def run() -> None:
            result = function(self, *(word for word in words))
            low, high = self.path.halves(result) if result.terms or result.hi >= HALF else (result, const(64, 0))
            self.changed["result", 0] = low + high + start  # when it is over: the second number is the first to pass
            if high.terms or high.hi:
                self.changed["result", 1] = high + start
            for cache, units in accesses.items():
                self._use(cache, name, units)

        written, self._written_fields = self._written_fields, set()
        self._explore([(run, None, True)])
        self._written_fields = written
        self._looked_up, self._deferred = {}, 0
        low, high = (self.changed.pop(("result", number), None) for number in (0, 1))
        return low - start if high is None else low - high + (high - start) * HALF

    def _explore(self, branches: list[tuple[Callable[[], None], Any, bool]]) -> None:
        """Run branches on all their paths, each where a condition is as given; go on from what all of them agree on."""
        outer, changed, held, read, written = self.path, self.changed, self.held, self._read_times, self._written_fields
        found: list[_End] = []
        fields: set[str] | None = None
        self._depth += 1
        for body, condition, value in branches:
            todo: list[tuple[bool, ...]] = [()]
            while todo:
                self.path = outer.inside(todo.pop())
                self.changed, self.held, self._read_times = dict(changed), dict(held), dict(read)
                self._written_fields = set(written)
                try:
                    if condition is not None:
                        self.path.take(condition, value)
                    body()
                    found.append(self._branch_end(changed))
                    fields = self._written_fields if fields is None else fields & self._written_fields
                except Infeasible:
                    pass
                todo += self.path.others
        self._depth -= 1
        self.path, self._read_times, self._written_fields = outer, read, fields or written
        if not found:
            raise Infeasible
        self.changed, self.held = dict(changed), found[0].held
        for end in found[1:]:
            self.held = {key: held.join(end.held[key]) for key, held in self.held.items()}
        self._join_ends(found)

    def _branch_end(self, before: dict[Key, Any]) -> _End:
        """Note what a path has changed."""
        clocks: dict[Key, Span] = {}
        words: dict[Key, Span | None] = {}
        for key, span in self.changed.items():
            if before.get(key, self) is span or (key not in before and is_variable(key) and key[0] == VARIABLE):
                continue
            if span is not None and span.terms:
                clocks[key] = span - self._clock if NOW in span.terms else span
            else:
                words[key] = span
        absolute = {key for key in clocks if NOW in self.changed[key].terms}
        return _End(self.path, clocks, words, self.held, absolute)

    def _join_ends(self, found: list[_End]) -> None:
        """Take what paths have changed over into the present one, as symbols."""
        keys = {key for end in found for key in end.clocks}
        for key in {key for end in found for key in end.words} - keys:
            spans = [end.words[key] if key in end.words else self._plain_before(key) for end in found]
            word = spans[0]
            for span in spans[1:]:
                word = None if word is None or span is None or word.bits != span.bits else join(word, span)
            self.changed[key] = word
        if len(found) == 1:
            self.path.adopt(found[0].path)
            for key, span in found[0].clocks.items():
                self.changed[key] = span + self._clock if key in found[0].absolute else span
            return
        names: dict[Key, str] = {}
        bases: dict[Key, Span] = {}
        parts: list[dict[str, Span]] = [{} for _ in found]
        absolute = set()
        for key in sorted(keys, key=str):
            kinds = [self._part(key, end) for end in found]
            is_absolute = any(now for _, now in kinds)
            names[key] = f"{key} {next(self.numbers)}"
            if is_absolute:
                absolute.add(key)
            bases[key] = self._base([span for span, _ in kinds])
            for part, (span, now), end in zip(parts, kinds, found, strict=True):
                with self._on(end.path):
                    known = span if now == is_absolute else linear(64, {ZERO: 1}, EVER, EVER, self)
                    part[names[key]] = known + bases[key]
                if now != is_absolute and is_variable(key):
                    raise Unbounded(f"{self._pc:#x}: a variable is both a clock and a number of clocks")
        self.path.join([(end.path, part) for end, part in zip(found, parts, strict=True)])
        for key in names:
            symbol = linear(64, {names[key]: 1}, 0, 0, self) - bases[key]
            self.changed[key] = symbol + self._clock if key in absolute else symbol

    @contextmanager
    def _on(self, path: Path) -> Iterator[None]:
        """Compute words on another path."""
        present, self.path = self.path, path
        try:
            yield
        finally:
            self.path = present

    def _base(self, spans: list[Span]) -> Span:
        """Return what the clocks are counted from that words hold: a sum of symbols that all paths know."""
        for span in spans:
            base = {s: -f for s, f in (span.terms or {}).items() if f < 0 and s not in (NOW, ZERO)}
            if base and all(symbol in self.path.symbols for symbol in base):
                return linear(64, base, 0, 0, self)
        return const(64, 0)

    def _part(self, key: Key, end: _End) -> tuple[Span, bool]:
        """Return a clock at the end of a path, after NOW if it is absolute, and whether it is."""
        if key in end.clocks:
            return end.clocks[key], key in end.absolute
        if key in end.words:
            word = end.words[key]
            return (unknown(64) if word is None else word), False
        if key == ("result", 1):
            return self._start, False
        read = self._read_times
        self._read_times = dict(read)
        with self._on(end.path):
            span = self.changed[key] if is_variable(key) else self._read(key, 64)
            is_absolute = bool(span.terms) and NOW in span.terms
            part = span - self._clock if is_absolute else span
        self._read_times = read
        return part, is_absolute

    def _plain_before(self, key: Key) -> Span | None:
        found = self.changed.get(key, self.state.words.get(key))
        return None if found is None or found.terms else found

    def _accesses(self, name: str, words: tuple[Any, ...]) -> dict[str, Units]:
        """Return which units of which caches a subroutine looks up, by number or near a base, None: any."""
        found: dict[str, Units] = {}
        for cache, each in self._caches.items():
            lines = each.lines
            if lines is None or name not in (*lines.fetches, *lines.operands):
                continue
            first, *rest = words
            if name in lines.fetches:
                found[cache] = [first.known] if first.known is not None else None
            elif rest[0].known is None:
                found[cache] = None
            elif first.known is None:
                base, offset = self._based(first)
                found[cache] = Near(base, tuple(sorted({offset, offset + rest[0].known - 1})))
            else:
                ends = first.known, first.known + rest[0].known - 1
                found[cache] = sorted({end // lines.unit_bytes for end in ends})
            self._note_place(name, lines, found[cache])
        return found

    def _note_place(self, name: str, lines: Any, units: Units) -> None:
        """Note the known units of code and of operands, where they have caches of their own."""
        if isinstance(units, list) and not (lines.fetches and lines.operands):
            (self.code_units if name in lines.fetches else self.operand_units).update(units)

    def _is_there(self, cache: str, units: Units) -> bool:
        """Tell whether all units that are looked up are in a cache for certain."""
        if units is None:
            return False
        held = self.held[cache]
        return held.has_near(units) if isinstance(units, Near) else all(map(held.has, units))

    def _use(self, cache: str, name: str, units: Units) -> None:
        each, held = self._caches[cache], self.held[cache]
        lines = self._lines[cache]
        if units is None:
            self.held[cache] = held.used_unknown()
            return
        allocates = name not in lines.stores or (
            lines.stores_allocate and bool(self._parameters.get(each.allocates, 1))
        )
        is_newest = not lines.order or lines.order in self._written_fields
        if isinstance(units, Near):
            held = held.used_near(units, allocates or held.has_near(units), is_newest)
        else:
            for unit in units:
                if unit * lines.unit_bytes < lines.end:
                    held = held.used(unit, allocates or held.has(unit), is_newest)
        self.held[cache] = held


class _NoTimes:
    """The keys that are no times: words in memory, and fields of less than 64 bits."""

    def __init__(self, widths: dict[str, int]) -> None:
        self._widths = widths

    def __contains__(self, key: Key) -> bool:
        return isinstance(key, int | WordPlace) or self._widths[key if isinstance(key, str) else key[0]] != 64
