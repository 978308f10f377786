"""An engine that runs an instruction on all states at once: the rows and the timing models, on words that are bounds.

It is written against the same value layer as the other engines, so that the semantics and the clocks are those of the
rows and of the timing model itself, whatever they are. Where a condition is not decided by what is known, both ways are
followed (paths.py); what is known afterwards is what all paths to the same next instruction agree on.

A cache is followed by the lines that are certain to be in it (caches.py): while the model looks such a line up,
it finds its tag; else tags are unknown, so that the model both hits and misses.

Paths that no call takes which returns are left out: those that raise an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, NamedTuple

from retrosim.cpu.engines.core import Core
from retrosim.cpu.spec.cpu import FAULT, SERVICE
from retrosim.cpu.spec.rows import Insn

from .choices import Unbounded, is_variable
from .counter import Look
from .memory import Memory
from .paths import BEGINNING, MAX_PATHS, NEVER, Infeasible, Path, TooManyPaths
from .residence import Residence, Use, Way, joined
from .state import ALIGNMENT, EVER, LONG_AGO, Key, Place, State, join
from .words import NOW, Span, const, linear, unknown

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


def _apart(pair: tuple[Key, Key], state: State, end: _Ended) -> int:
    """Return how many clocks a time lies behind another one at most, at the end of a path from a state."""
    if pair in end.apart or not end.written.isdisjoint(pair):
        return end.apart.get(pair, NEVER)
    return state.apart.get(pair, NEVER)


class BoundsEngine(Memory):
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
        self._arriving = dict.fromkeys(c.lines.arriving for c in self._caches.values() if c.lines.arriving)
        self._tags = {cache.tags: name for name, cache in self._caches.items()}
        self._clock = linear(64, {NOW: 1}, 0, 0, self)
        self.begin(core.timing)

    # running instructions

    def outcomes(self, insn: Insn, state: State) -> dict[int | None, State]:
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
                self.run_row(insn.row, insn.statics, lambda n=numbers: const(32, next(n)))
                ends.setdefault(self._next, []).append(self._ended())
            except Infeasible:
                pass
            todo += self.path.others
        return {target: self._merged(state, found) for target, found in ends.items()}

    def _begin(self, insn: Insn, state: State) -> None:
        self.state, self.changed, self.held = state, {}, dict(state.held)
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
        self._clock = linear(64, {NOW: 1}, 0, 0, self)
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

    def _merged(self, state: State, ends: list[_Ended]) -> State:
        minimum, maximum = min(end.minimum for end in ends), max(end.maximum for end in ends)
        held = ends[0].held
        for end in ends[1:]:
            held = {name: each.join(end.held[name]) for name, each in held.items()}
        words, times = dict(state.words), dict(state.times)
        ways = joined(way for end in ends for way in end.ways)
        result = State(words, times, held, ways, state.minimum + minimum, trail=state.trail)
        result.fast, result.slow = state.fast + minimum, state.slow + maximum
        for key in {key for end in ends for key in end.changed}:
            spans, bounds = [], []
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
                    self.path.lies_behind(*map(str, pair), clocks)
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
        lines = self._caches[cache].lines
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
                self.when((mask >> number).trunc(1), lambda number=number: body(const(32, number)))

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
    def raised(self) -> int | None:  # type: ignore[override]
        return None

    @raised.setter
    def raised(self, vector: int | None) -> None:
        if vector is not None:
            raise Infeasible


class _NoTimes:
    """The keys that are no times: words in memory, and fields of less than 64 bits."""

    def __init__(self, widths: dict[str, int]) -> None:
        self._widths = widths

    def __contains__(self, key: Key) -> bool:
        return isinstance(key, int | Place) or self._widths[key if isinstance(key, str) else key[0]] != 64
