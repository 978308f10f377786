"""One path through an instruction: what it takes as true, and what follows for clocks.

Conditions that bounds do not decide split an instruction into paths. A path is run from its start by a script of
decisions; the first condition beyond the script is taken as true, and the same script with a false one is left to do.
The path keeps upper bounds of the differences between its symbols, closed under addition (a difference bound matrix),
so that it knows what its decisions imply.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

from retrosim.errors import RetrosimError

from .words import HALF, LATE, NOW, Span, const, linear, unknown

NEVER = 1 << 45  # no bound
UNKNOWN = 1 << 43  # a difference above is none
MAX_PATHS = 20_000  # of one instruction
ZERO = "zero"
BEGINNING = "beginning"  # of the call, before NOW
MAX_PAIRED = 4  # symbols added: more are paired as they come, in a sum


class Infeasible(Exception):
    """No call that returns takes this path."""


class TooManyPaths(RetrosimError):
    """An instruction splits into more paths than can be followed."""


class Path:
    """Decisions of one path, and bounds of its symbols."""

    def __init__(self, engine: Any, script: tuple[bool, ...] = ()) -> None:
        self.engine, self.script = engine, script
        self.taken: list[bool] = []
        self.others: list[tuple[bool, ...]] = []
        self.decided: dict[int, tuple[int, Span]] = {}  # word's id -> its value on this path
        self.symbols = [ZERO]
        self.maximum: dict[tuple[str, str], int] = {(ZERO, ZERO): 0}
        self.named: dict[int, tuple[str, Span]] = {}
        self.chosen: dict[Any, Span] = {}  # a choice of clocks, by its condition and the clocks -> its symbol

    def inside(self, script: tuple[bool, ...]) -> Path:
        """Return a path that goes on from here by a script of its own."""
        path = Path(self.engine, script)
        path.decided, path.symbols, path.maximum = dict(self.decided), list(self.symbols), dict(self.maximum)
        path.named, path.chosen = dict(self.named), dict(self.chosen)
        return path

    def symbol(self, name: str, lo: int, hi: int) -> None:
        """Declare a symbol, which is within lo..hi."""
        if name in self.symbols:
            return
        for other in self.symbols:
            above, below = self.maximum.get((other, ZERO), 0), self.maximum.get((ZERO, other), 0)
            self.maximum[name, other] = _bound(hi + below)
            self.maximum[other, name] = _bound(above - lo)
        self._add(name)

    def clock(self, name: str, lo: int, hi: int) -> Span:
        """Return the clock that lies lo..hi after NOW."""
        if lo == hi:
            return linear(64, {NOW: 1}, lo, lo, self.engine)
        self.symbol(name, lo, hi)
        return linear(64, {NOW: 1, name: 1}, 0, 0, self.engine)

    def ends_by(self, name: str, latest: int) -> None:
        """Know that a symbol lies at most so many clocks after the beginning."""
        if name in self.symbols:
            self._limit(name, BEGINNING, latest)

    def lies_behind(self, name: str, other: str, clocks: int) -> None:
        """Know that a symbol lies at most so many clocks behind another one."""
        if name in self.symbols and other in self.symbols:
            self._limit(name, other, clocks)

    def symbol_of(self, span: Span) -> Span:
        """Return a plain word as a symbol, the same one each time."""
        if id(span) not in self.named:
            name = f"word {len(self.named)} {id(self)}"
            self.named[id(span)] = name, span
            self.symbol(name, *span.signed_bounds)
        return linear(span.bits, {self.named[id(span)][0]: 1}, 0, 0, self.engine)

    def as_sum(self, span: Span) -> Span:
        """Return a word as a linear one."""
        if span.terms:
            return span
        return (
            self.symbol_of(span) if span.lo != span.hi else linear(span.bits, {ZERO: 1}, span.lo, span.lo, self.engine)
        )

    def short(self, span: Span) -> Span:
        """Return a sum of several symbols as one symbol, so that its differences to others can be known."""
        terms = {s: f for s, f in span.terms.items() if s not in (NOW, ZERO)}
        if len(terms) < 3 - (NOW in span.terms) or any(abs(factor) > MAX_PAIRED for factor in terms.values()):
            return span
        name = " ".join(f"{f:+}{s}" for s, f in sorted(terms.items()))
        if name not in self.symbols:
            for other in self.symbols:
                self.maximum[name, other] = _bound(self._above(_plus(terms, other, -1)))
                self.maximum[other, name] = _bound(self._above(_plus({s: -f for s, f in terms.items()}, other, 1)))
            self._add(name)
        now = {NOW: span.terms[NOW]} if NOW in span.terms else {}
        return linear(span.bits, now | {name: 1}, span.lo, span.hi, self.engine)

    def _above(self, terms: dict[str, int]) -> int:
        """Return a bound of a sum of symbols."""
        plus: list[str] = []
        minus: list[str] = []
        total = 0
        for symbol, factor in terms.items():
            if symbol == ZERO:
                continue
            if abs(factor) > 3:
                total += abs(factor) * self.maximum[(symbol, ZERO) if factor > 0 else (ZERO, symbol)]
            else:
                (plus if factor > 0 else minus).extend([symbol] * abs(factor))
        size = max(len(plus), len(minus))
        plus += [ZERO] * (size - len(plus))
        minus += [ZERO] * (size - len(minus))
        if size == 1:  # the quick way of what follows
            return total + self.maximum[plus[0], minus[0]]
        if size <= MAX_PAIRED:
            distance_of = self.maximum.__getitem__
            return total + min(sum(map(distance_of, zip(plus, order, strict=True))) for order in permutations(minus))
        return total + sum(map(self.maximum.__getitem__, zip(plus, minus, strict=True)))

    def _add(self, name: str) -> None:
        self.symbols.append(name)
        self.maximum[name, name] = 0

    def sum(self, a: Span, b: Span, sign: int) -> Span:
        """Return a + sign * b as a linear word."""
        terms: dict[str, int] = {}
        offset = 0
        for span, factor in ((a, 1), (b, sign)):
            if not span.terms and span.lo != span.hi:
                span = self.symbol_of(span)
            offset += factor * (span.lo if span.terms else span.signed_bounds[0])
            for symbol, each in (span.terms or {}).items():
                terms[symbol] = terms.get(symbol, 0) + factor * each
        terms = {symbol: factor for symbol, factor in terms.items() if factor}
        total = linear(a.bits, terms, offset, offset, self.engine)
        return self.short(total) if len(terms) > 2 else total

    def halves(self, span: Span) -> tuple[Span, Span]:
        """Return the two numbers of clocks that a linear word holds."""
        upper: dict[str, int] = {}
        lower: dict[str, int] = {}
        for symbol, factor in (span.terms or {}).items():
            above = (factor + HALF // 2) // HALF
            for terms, part in ((upper, above), (lower, factor - above * HALF)):
                if part:
                    terms[symbol] = part
        first, last = (span.lo + HALF // 2) // HALF, (span.hi + HALF // 2) // HALF
        low, high = sorted((span.lo - first * HALF, span.hi - last * HALF))
        return linear(span.bits, lower, low, high, self.engine), linear(span.bits, upper, first, last, self.engine)

    def compare(self, a: Span, b: Span, limit: int) -> Span:
        """Return a - b <= limit, of linear words."""
        if any(NOW not in (side.terms or ()) and self.bounds(side)[0] < 0 for side in (a, b)):
            return unknown(1)  # as an unsigned number it would be large
        difference = self.sum(a, b, -1)
        lo, hi = self.bounds(difference)
        if hi <= limit or lo > limit:
            return const(1, hi <= limit)
        return self._undecided(difference, limit, "order")

    def compare_equal(self, a: Span, b: Span) -> Span:
        """Return a == b, of linear words."""
        difference = self.sum(a, b, -1)
        lo, hi = self.bounds(difference)
        if lo == hi == 0 or lo > 0 or hi < 0:
            return const(1, lo == hi == 0)
        return self._undecided(difference, 0, "equal")

    def _undecided(self, difference: Span, limit: int, kind: str) -> Span:
        bit = Span(1, 0, 1)
        bit.test, bit.engine = (difference, limit, True, kind), self.engine
        return bit

    def bounds(self, span: Span) -> tuple[int, int]:
        """Return the least and the greatest value of a word."""
        if not span.terms:
            return span.lo, span.hi
        terms = dict(span.terms)
        late = terms.pop(NOW, 0)
        above = self._above(terms)
        below = -self._above({symbol: -factor for symbol, factor in terms.items()})
        lo = -NEVER if below <= -UNKNOWN else below + span.lo
        hi = NEVER if above >= UNKNOWN else above + span.hi
        if late > 0:
            return (lo + late * LATE if lo > -NEVER else -NEVER), NEVER * LATE
        if late < 0:
            return -NEVER * LATE, (hi + late * LATE if hi < NEVER else NEVER)
        return lo, hi

    def bounds_between(self, a: Span, b: Span) -> tuple[int, int]:
        """Return the bounds of a - b, of linear words."""
        (x, *more), (y, *rest) = a.terms or {}, b.terms or {}
        if not more and not rest and a.terms[x] == b.terms[y] == 1 and NOW not in (x, y):  # the quick way
            above, below = self.maximum[x, y], self.maximum[y, x]
            hi = NEVER if above >= UNKNOWN else above + a.hi - b.lo
            return (-NEVER if below >= UNKNOWN else a.lo - b.hi - below), hi
        return self.bounds(a if y == ZERO and not rest else self.sum(a, b, -1))

    def decide(self, bit: Span) -> bool:
        """Return whether this path takes a bit as true."""
        if bit.known is not None:
            return bool(bit.known)
        if id(bit) in self.decided:
            return bool(self.decided[id(bit)][0])
        number = len(self.taken)
        if number < len(self.script):
            value = self.script[number]
        else:
            value = True
            self.others.append((*self.taken, False))
        self.taken.append(value)
        self.take(bit, value)
        return value

    def take(self, bit: Span, value: bool) -> None:
        """Take a bit as true or false. Errors: Infeasible."""
        self.decided[id(bit)] = value, bit
        if bit.tells is not None and bit.tells[2] == value:
            for word, other in (bit.tells[:2], bit.tells[1::-1]):
                if word.known is None and other.known is not None:
                    self.decided[id(word)] = other.known, word
        if bit.test is not None:
            difference, limit, is_plain, kind = bit.test
            holds = value == is_plain
            if kind == "order":
                self._assume(difference, limit, 1) if holds else self._assume(difference, limit + 1, -1)
            elif holds:
                self._assume(difference, 0, 1)
                self._assume(difference, 0, -1)

    def _assume(self, difference: Span, limit: int, sign: int) -> None:
        """Take as true that sign * difference <= sign * limit. Errors: Infeasible."""
        terms = {s: sign * f for s, f in difference.terms.items() if s != ZERO}
        bound = sign * limit - (difference.lo if sign > 0 else -difference.hi)
        if NOW in terms or any(abs(factor) != 1 for factor in terms.values()):
            return
        for a in [s for s, f in terms.items() if f == 1] or [ZERO]:
            for b in [s for s, f in terms.items() if f == -1] or [ZERO]:
                rest = {s: -f for s, f in terms.items() if s not in (a, b)}
                more = self._above(rest)
                if more < UNKNOWN:
                    self._limit(a, b, bound + more)

    def _limit(self, a: str, b: str, bound: int) -> None:
        """Take as true that a - b <= bound. Errors: Infeasible."""
        if a == b:
            if bound < 0:
                raise Infeasible
            return
        if bound + self.maximum[b, a] < 0:
            raise Infeasible
        if bound >= self.maximum[a, b]:
            return
        maximum = self.maximum
        after = [(y, bound + maximum[b, y]) for y in self.symbols]
        for x in self.symbols:
            before = maximum[x, a]
            if before < UNKNOWN:
                for y, more in after:
                    if before + more < maximum[x, y] and x != y:
                        maximum[x, y] = before + more

    def adopt(self, other: Path) -> None:
        """Know what a path from here knows that is the only one."""
        self.symbols, self.maximum, self.named, self.chosen = other.symbols, other.maximum, other.named, other.chosen

    def join(self, ends: list[tuple[Path, dict[str, Span]]]) -> None:
        """Declare symbols for values that paths from here have found; what holds on all paths holds of them."""
        names = list(ends[0][1])
        before = [(symbol, linear(64, {symbol: 1}, 0, 0, self.engine)) for symbol in self.symbols]
        maximum: dict[tuple[str, str], int] = {}
        for path, values in ends:
            self.engine.path = path
            values = {name: path.as_sum(span) for name, span in values.items()}
            for number, a in enumerate(names):
                span = values[a]
                for b, other in [*((b, values[b]) for b in names[:number]), *before]:
                    lo, hi = path.bounds_between(span, other)
                    maximum[a, b] = max(maximum.get((a, b), -NEVER), _bound(hi))
                    maximum[b, a] = max(maximum.get((b, a), -NEVER), _bound(-lo))
        self.engine.path = self
        self.maximum.update(maximum)
        for name in names:
            self._add(name)


def _plus(terms: dict[str, int], symbol: str, factor: int) -> dict[str, int]:
    return terms | {symbol: terms.get(symbol, 0) + factor}


def _bound(maximum: int) -> int:
    return NEVER if maximum >= UNKNOWN else maximum
