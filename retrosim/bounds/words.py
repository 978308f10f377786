"""Words of which only bounds are known: the value layer on sets of values.

A `Span` stands for all values that a word may have. It is one of

    plain    lo <= value <= hi, and its bits: those of `ones` are 1, those of `free` may be either, all others are 0
    linear   a clock, or a difference of clocks: a sum of symbols plus an offset lo..hi (`terms`: symbol -> factor).
             A symbol is a number of clocks whose bounds the path knows (paths.py); NOW is the clock at which the
             instruction began, of which nothing is known but that it is late.

Every operation gives a Span that holds each value that the operation can give. `known` is the value where there is one
only. A comparison of linear words that is not decided keeps what it compares (`test`), so that a path which takes it as
true or false knows the clocks better; one of plain words for equality keeps both (`tells`), so that
such a path knows the word that is compared with a known one. Operations on the same words give the same word: so
words can be the same although nothing is known of their values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from retrosim.cpu.spec.values import Word

# Division, shifts with the sign, and counts of bits, on sets of values.

MASKS = [(1 << bits) - 1 for bits in range(129)]


NOW = "now"
LATE = 1 << 40  # NOW is at least this, and any offset much less
NO_TERMS: dict[str, int] = {}  # of a plain word
HALF = 1 << 32  # linear words may hold a second number of clocks from this bit on


def _kept(operation: Callable[..., Span]) -> Callable[..., Span]:
    """Have an operation give the same word each time that its operands are the same words."""

    def run(self: Span, *operands: Any) -> Span:
        key: list[Any] = [operation]
        for each in operands:
            is_word = isinstance(each, Span)
            if is_word and (each.terms or each.test is not None):
                return operation(self, *operands)
            key.append((each.bits, each.known, id(each) if each.known is None else 0) if is_word else each)
        if self.known is not None or self.terms or self.test is not None:
            return operation(self, *operands)
        found = self.derived.get(tuple(key))
        if found is None:
            found = self.derived[tuple(key)] = operation(self, *operands), operands
        return found[0]

    return run


class Span(Word):
    """All values that a word may have; see the head of this module."""

    __slots__ = (
        "base",
        "derived",
        "engine",
        "frame",
        "free",
        "hi",
        "lo",
        "ones",
        "order",
        "place",
        "tells",
        "terms",
        "test",
        "values",
    )

    def __init__(self, bits: int, lo: int, hi: int, ones: int = 0, free: int = -1, frame: bool = False) -> None:
        """Make a plain word. `frame`: it may be an address in a stack frame."""
        mask = MASKS[bits]
        if lo != hi:
            free &= mask
            lo, hi = max(lo, ones), min(hi, ones | free)
            low = MASKS[(lo ^ hi).bit_length()]
            ones = ones & low | lo & ~low
            free &= low
            if not free:
                lo = hi = ones
        if lo == hi:
            ones, free = lo, 0
        self.bits, self.lo, self.hi, self.ones, self.free, self.frame = bits, lo, hi, ones, free, frame
        self.known = lo if lo == hi else None
        self.terms = NO_TERMS
        self.test: tuple[Span, int, bool, str] | None = None
        self.tells: tuple[Span, Span, bool] | None = None
        self.place: tuple[Span, int, int] | None = None
        self.order: tuple[Span, Span] | None = None
        self.base: tuple[Span, int] | None = None
        self.engine: Any = None
        self.values: frozenset[int] | None = None
        self.derived: dict[Any, tuple[Span, tuple[Any, ...]]] = {}

    def __repr__(self) -> str:
        if self.terms:
            return f"Span({self.terms} + {self.lo}..{self.hi})"
        return f"Span{self.bits}({self.lo:#x}..{self.hi:#x}, {self.free:#x})"

    def is_like(self, other: Span) -> bool:
        """Tell whether two plain words stand for the same values."""
        return (self.lo, self.hi, self.free, self.values) == (
            other.lo,
            other.hi,
            other.free,
            other.values,
        ) and self.ones == other.ones

    @property
    def path(self) -> Any:
        """The path that is run now."""
        return self.engine.path if self.engine is not None else None

    @property
    def among(self) -> frozenset[int] | None:
        """The values of a word that has few."""
        return frozenset((self.lo,)) if self.lo == self.hi else self.values

    @property
    def may(self) -> int:
        """The bits that can be 1."""
        return self.ones | self.free

    @property
    def signed_bounds(self) -> tuple[int, int]:
        """The least and the greatest value as a signed number."""
        half, whole = 1 << self.bits - 1, 1 << self.bits
        if self.hi < half:
            return self.lo, self.hi
        return (self.lo - whole, self.hi - whole) if self.lo >= half else (-half, half - 1)

    @property
    def sign(self) -> Span:
        return self.slt(0)

    def _other(self, operand: Any) -> Span:
        if isinstance(operand, int):
            return const(self.bits, operand)
        if operand.bits != self.bits:
            raise TypeError(f"{self.bits}-bit word meets {operand.bits}-bit word")
        return operand

    # words that are a known distance from another

    def placed(self, word: Span, offset: int = 0, shift: int = 0) -> Span:
        """Note that this is (word + offset) >> shift; return it."""
        if self.known is None:
            root, more, shifted = word.place or (word, 0, 0)
            if not shifted or not offset:
                self.place = root, more + offset, shifted + shift
        return self

    def _is_same(self, other: Span) -> bool | None:
        """Tell whether two words at known distances from a third one, both shifted, are equal, None: perhaps."""
        if not (self.place and other.place):
            return None
        (root, first, shift), (same, last, shift_2) = sorted((self.place, other.place), key=lambda place: place[1])
        if root is not same or shift != shift_2:
            return None
        begin, low = root.plain() + first, MASKS[shift]
        if last - first + (begin.may & low) <= low:
            return True
        return False if last - first + (begin.ones & low) > low else None

    # linear words

    def plain(self) -> Span:
        """Return a linear word as a plain one."""
        if not self.terms:
            return self
        lo, hi = self.path.bounds(self)
        return Span(self.bits, lo, hi) if lo >= 0 and hi <= MASKS[self.bits] else unknown(self.bits)

    def _sum(self, other: Span, sign: int) -> Span:
        return (self.path or other.path).sum(self, other, sign)

    def _scaled(self, factor: int) -> Span:
        terms = {symbol: each * factor for symbol, each in self.terms.items()}
        return linear(self.bits, terms, self.lo * factor, self.hi * factor, self.engine)

    def settled(self) -> Span:
        """Return a bit that depends on clocks as a decided one."""
        return const(1, self.path.decide(self)) if self.test is not None and self.known is None else self

    # arithmetic

    @_kept
    def __add__(self, operand: Any) -> Span:
        a, b = self, self._other(operand)
        if a.terms or b.terms:
            return a._sum(b, 1)
        mask = MASKS[a.bits]
        if a.known is not None and b.known is not None:
            return Span(a.bits, (a.lo + b.lo) & mask, (a.lo + b.lo) & mask, frame=a.frame or b.frame)
        lo, hi = a.lo + b.lo, a.hi + b.hi
        if lo > mask:
            lo, hi = lo - mask - 1, hi - mask - 1
        elif hi > mask:
            lo, hi = 0, mask
        total = a.ones + b.ones
        free = total + a.free + b.free ^ total | a.free | b.free
        result = Span(a.bits, lo, hi, total & ~free & mask, free, a.frame or b.frame)
        if a.known is None and b.known is None:
            return result
        return result.placed(a, b.signed_bounds[0]) if b.known is not None else result.placed(b, a.signed_bounds[0])

    __radd__ = __add__

    @_kept
    def __sub__(self, operand: Any) -> Span:
        a, b = self, self._other(operand)
        if a.terms or b.terms:
            return a._sum(b, -1)
        if a is b:
            return const(a.bits, 0)
        mask = MASKS[a.bits]
        if a.known is not None and b.known is not None:
            return Span(a.bits, (a.lo - b.lo) & mask, (a.lo - b.lo) & mask, frame=a.frame)
        lo, hi = a.lo - b.hi, a.hi - b.lo
        if hi < 0:
            lo, hi = lo + mask + 1, hi + mask + 1
        elif lo < 0:
            lo, hi = 0, mask
        total = a.ones - b.ones
        free = (total + a.free) ^ (total - b.free) | a.free | b.free
        result = Span(a.bits, lo, hi, total & ~free & mask, free, a.frame or b.frame)
        if a.bits > 1:  # a bit that has an order is a comparison
            result.order = b, a
        return result.placed(a, -b.signed_bounds[0]) if b.known is not None else result

    def __rsub__(self, left: int) -> Span:
        return const(self.bits, left) - self

    def __neg__(self) -> Span:
        return const(self.bits, 0) - self

    @_kept
    def __mul__(self, operand: Any) -> Span:
        a, b = self, self._other(operand)
        if a.terms or b.terms:
            a, b = (a, b) if a.terms else (b, a)
            return a._scaled(b.known) if b.known is not None and not b.terms else (a.plain() * b.plain())
        lo, hi = a.lo * b.lo, a.hi * b.hi
        if lo == hi:
            return const(a.bits, lo)
        zeros = trailing_zeros(a.may, a.bits) + trailing_zeros(b.may, b.bits)
        free = MASKS[a.bits] & ~MASKS[min(zeros, a.bits)]
        return Span(a.bits, lo, hi, 0, free) if hi <= MASKS[a.bits] else Span(a.bits, 0, MASKS[a.bits], 0, free)

    __rmul__ = __mul__

    @_kept
    def __and__(self, operand: Any) -> Span:
        a, b = self.settled(), self._other(operand).settled()
        if a.terms and b.known == HALF - 1:
            return a.path.halves(a)[0]
        a, b = a.plain(), b.plain()
        if b.known is not None and not a.may & ~b.known:
            return a
        ones = a.ones & b.ones
        free = a.may & b.may & ~ones
        return Span(a.bits, ones, ones | free, ones, free, a.frame).within(0, min(a.hi, b.hi))

    __rand__ = __and__

    @_kept
    def __or__(self, operand: Any) -> Span:
        a, b = self.settled(), self._other(operand).settled()
        if a.terms or b.terms:
            return a._sum(b, 1)  # two numbers side by side
        if a is b:
            return a
        for x, y in ((a, b), (b, a)):
            if (both := x._less_or_equal(y)) is not None:
                return both
        ones, may = a.ones | b.ones, a.may | b.may
        return Span(a.bits, ones, may, ones, may & ~ones).within(max(a.lo, b.lo), may)

    __ror__ = __or__

    @_kept
    def __xor__(self, operand: Any) -> Span:
        a, b = self.settled().plain(), self._other(operand).settled().plain()
        if a is b:
            return const(a.bits, 0)
        free = a.free | b.free
        ones = (a.ones ^ b.ones) & ~free
        return Span(a.bits, ones, ones | free, ones, free)

    __rxor__ = __xor__

    def __invert__(self) -> Span:
        if self.test is not None and self.known is None:
            bit = Span(1, 0, 1)
            bit.test, bit.engine = (*self.test[:2], not self.test[2], self.test[3]), self.engine
            return bit
        bit = self ^ MASKS[self.bits]
        if self.tells is not None and bit.known is None:
            bit.tells = *self.tells[:2], not self.tells[2]
        return bit

    def _less_or_equal(self, other: Span) -> Span | None:
        """Return whether x <= y, of bits that say x < y and x - y == 0, None of others."""
        if self.bits > 1 or self.order is None or other.tells is None:
            return None
        difference, zero, is_equal = other.tells
        if difference.order is None or zero.known != 0 or not is_equal:
            return None
        less, greater = self.order
        subtracted, minuend = difference.order
        return less.ule(greater) if subtracted is greater and minuend is less else None

    def within(self, lo: int, hi: int) -> Span:
        """Return the values of a plain word that lie within bounds."""
        return Span(self.bits, max(lo, self.lo), min(hi, self.hi), self.ones, self.free, self.frame)

    @_kept
    def __lshift__(self, operand: Any) -> Span:
        count = self._other(operand).plain()
        if count.known is None:
            return unknown(self.bits)
        if self.terms:
            return self._scaled(1 << count.known)
        mask, n = MASKS[self.bits], count.known
        lo, hi = (self.lo << n, self.hi << n) if self.hi << n <= mask else (0, mask)
        return Span(self.bits, lo, hi, self.ones << n & mask, self.free << n & mask)

    @_kept
    def __rshift__(self, operand: Any) -> Span:
        count = self._other(operand).plain()
        if self.terms and count.known == HALF.bit_length() - 1:
            return self.path.halves(self)[1]
        a = self.plain()
        if count.known is None:
            return Span(a.bits, 0, a.hi)
        n = count.known
        return Span(a.bits, a.lo >> n, a.hi >> n, a.ones >> n, a.free >> n).placed(a, 0, n)

    # comparisons

    def ult(self, operand: Any) -> Span:
        b = self._other(operand)
        if self.terms or b.terms:
            return (self.path or b.path).compare(self, b, -1)
        bit = _bit(self.hi < b.lo, self.lo >= b.hi)
        if bit.known is None:
            bit.order = self, b
        return bit

    def ule(self, operand: Any) -> Span:
        b = self._other(operand)
        if self.terms or b.terms:
            return (self.path or b.path).compare(self, b, 0)
        return _bit(self.hi <= b.lo, self.lo > b.hi)

    def slt(self, operand: Any) -> Span:
        a, b = self.plain().signed_bounds, self._other(operand).plain().signed_bounds
        return _bit(a[1] < b[0], a[0] >= b[1])

    def sle(self, operand: Any) -> Span:
        a, b = self.plain().signed_bounds, self._other(operand).plain().signed_bounds
        return _bit(a[1] <= b[0], a[0] > b[1])

    def eq(self, operand: Any) -> Span:
        b = self._other(operand)
        if self.terms or b.terms:
            return (self.path or b.path).compare_equal(self, b)
        a, b = self.settled(), b.settled()
        if (a.values or b.values) and not (a.among & b.among if a.among and b.among else True):
            return FALSE
        same = a._is_same(b)
        if same is not None:
            return _bit(same, not same)
        differ = (a.ones ^ b.ones) & ~(a.free | b.free) != 0 or a.hi < b.lo or b.hi < a.lo
        bit = _bit(a is b or (a.known is not None and a.known == b.known), differ)
        if bit.known is None:
            bit.tells = a, b, True
        return bit

    def ne(self, operand: Any) -> Span:
        return ~self.eq(operand)

    # widths and bits

    @_kept
    def zext(self, bits: int) -> Span:
        if bits == self.bits:
            return self
        a = self.settled()
        result = Span(bits, a.lo, a.hi, a.ones, a.free, a.frame)
        return result.placed(a) if a.lo != a.hi else result

    @_kept
    def sext(self, bits: int) -> Span:
        a = self.settled()
        if bits == a.bits:
            return a
        sign, low = a.sign.known, MASKS[a.bits - 1]
        above = MASKS[bits] & ~MASKS[a.bits]
        if sign is None:
            return Span(bits, 0, MASKS[bits], a.ones & low, a.free & low | above | low + 1)
        more = above if sign else 0
        return Span(bits, a.lo | more, a.hi | more, a.ones | more, a.free)

    @_kept
    def trunc(self, bits: int) -> Span:
        if bits == self.bits:
            return self
        a, mask = self.plain(), MASKS[bits]
        fits = a.lo >> bits == a.hi >> bits
        lo, hi = (a.lo & mask, a.hi & mask) if fits else (0, mask)
        result = Span(bits, lo, hi, a.ones & mask, a.free & mask, a.frame)
        return result.placed(a) if fits and not a.lo >> bits else result

    def resize(self, bits: int, signed: bool = False) -> Span:
        if bits <= self.bits:
            return self.trunc(bits)
        return self.sext(bits) if signed else self.zext(bits)

    def _any(self) -> Any:
        return type(self)(self.bits, 0, MASKS[self.bits])

    def sar(self, operand: Any) -> Any:
        count = self._other(operand)
        if self.sign.known == 0:
            return self >> count
        if count.known is not None and self.sign.known:
            low, high = (side >> count.known for side in self.signed_bounds)
            return type(self)(self.bits, low & MASKS[self.bits], high & MASKS[self.bits])
        return self._any()

    def udiv(self, operand: Any) -> Any:
        a, b = self.plain(), self._other(operand).plain()
        return type(self)(a.bits, a.lo // b.hi, a.hi // max(1, b.lo)) if b.hi else self._any()

    def urem(self, operand: Any) -> Any:
        a, b = self.plain(), self._other(operand).plain()
        if a.known is not None and b.known:
            return self._other(a.known % b.known)
        return type(self)(a.bits, 0, min(a.hi, max(0, b.hi - 1)))

    def sdiv(self, operand: Any) -> Any:
        a, b = self.signed_bounds, self._other(operand).signed_bounds
        if a[0] == a[1] and b[0] == b[1] and b[0]:
            return self._other(abs(a[0]) // abs(b[0]) * (1 if (a[0] < 0) == (b[0] < 0) else -1))
        return self._any()

    def srem(self, operand: Any) -> Any:
        b = self._other(operand)
        return self - self.sdiv(b) * b if self.known is not None and b.known else self._any()

    def count_leading_zeros(self) -> Any:
        return type(self)(self.bits, self.bits - self.hi.bit_length(), self.bits - self.lo.bit_length())

    def count_ones(self) -> Any:
        return type(self)(self.bits, self.ones.bit_count(), self.may.bit_count())

    def swap_bytes(self) -> Any:
        if self.bits == 8:
            return self
        ones, free = (int.from_bytes(bits.to_bytes(self.bits // 8, "little"), "big") for bits in (self.ones, self.free))
        return type(self)(self.bits, ones, ones | free, ones, free)


def const(bits: int, value: int) -> Span:
    """Return a word of one value."""
    value &= MASKS[bits]
    return Span(bits, value, value)


def unknown(bits: int) -> Span:
    """Return a word of any value."""
    return Span(bits, 0, MASKS[bits])


def linear(bits: int, terms: dict[str, int], lo: int, hi: int, engine: Any) -> Span:
    """Return a sum of symbols and an offset; without symbols it is a plain word where it is not below 0."""
    if not terms and lo >= 0:
        return Span(bits, lo, hi)
    span = Span.__new__(Span)
    span.bits, span.lo, span.hi, span.ones, span.free, span.frame = bits, lo, hi, 0, MASKS[bits], False
    span.known = span.test = span.values = span.tells = span.place = span.order = span.base = None
    span.terms, span.engine, span.derived = terms or {"zero": 1}, engine, {}
    return span


def _bit(is_true: bool, is_false: bool) -> Span:
    return TRUE if is_true else FALSE if is_false else Span(1, 0, 1)


def trailing_zeros(bits: int, width: int) -> int:
    """Return how many zeros are below the lowest one."""
    return (bits & -bits).bit_length() - 1 if bits else width


TRUE, FALSE = const(1, 1), const(1, 0)
