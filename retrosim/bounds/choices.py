"""Undecided choices in the value layer: both ways are run, and what they agree on is what is known afterwards.

A choice between two clocks becomes a symbol; so does what the paths through a subroutine return and change, with the
differences between symbols that hold on all of them. Outside subroutines a condition splits the instruction instead,
because what it does besides, such as a jump, cannot be joined.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from retrosim.cpu.spec.semantics import ExecutionContext
from retrosim.errors import RetrosimError

from .caches import Near
from .counter import Look
from .paths import ZERO, Infeasible, Path
from .residence import Residence, Use
from .state import EVER, Key, State, either, join
from .words import HALF, NOW, Span, const, linear, unknown

VARIABLE = "variable"
Units = list[int] | Near | None


class Unbounded(RetrosimError):
    """A routine of which no bounds can be given."""


class Variable:
    """A mutable word, kept with what else the path changes."""

    def __init__(self, engine: Choices, word: Span) -> None:
        self.engine, self.key = engine, (VARIABLE, next(engine.numbers))
        self.set(word)

    def get(self) -> Span:
        return self.engine.variable_word(self.key)

    def set(self, word: Span) -> None:
        self.engine.changed[self.key] = word


class Choices(ExecutionContext, ABC):
    """The part of the engine that follows choices; `BoundsEngine` sets it up."""

    path: Path
    state: State
    changed: dict[Key, Any]
    held: dict[str, Any]
    numbers: Iterator[int]
    _clock: Span
    _pc: int
    _depth: int
    _start: Span
    _caches: Mapping[str, Any]
    _parameters: Mapping[str, int]
    _looked_up: dict[str, bool]
    _read_times: dict[Key, Span]
    _written_fields: set[str]
    _arriving: dict[str, Span]
    _deferred: int
    _uses: set[Use]
    _looks: list[Look]
    is_code_apart: bool
    residence: Residence
    code_units: set[int]
    operand_units: set[int]

    @abstractmethod
    def _read(self, key: Key, bits: int) -> Span:
        """Return what is known of an entry of the state."""

    @abstractmethod
    def _based(self, location: Span) -> tuple[Span, int]:
        """Return a word, and how many bytes beyond it an unknown location is."""

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
            lines = self._caches[cache].lines
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
        lines = each.lines
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
