"""The value layer: words of a fixed number of bits, in which every instruction is written.

A `Word` is either known (a Python integer, masked) or emitted (a value of LLVM code, ir.py); the same expression works
on both, and an expression of known words stays known. Semantic functions never ask which kind they hold.

    a + b   a - b   a * b   a & b   a | b   a ^ b   ~a      modulo 2^bits; an int operand takes the width of the other
    a << n  a >> n  a.sar(n)                                logical left, logical right, arithmetic right; n < bits
    a.udiv(b) a.urem(b) a.sdiv(b) a.srem(b)                 truncating; b is not 0, nor -1 under the minimum integer
    a.eq(b) a.ne(b) a.ult(b) a.ule(b) a.slt(b) a.sle(b)     one-bit words
    a.zext(n) a.sext(n) a.trunc(n) a.resize(n, signed)      other widths
    a.sign                                                  top bit as a one-bit word
    a.count_leading_zeros() a.count_ones()                  leading zeros (all of them when a is 0); ones
    a.swap_bytes()                                          byte order reversed

What surrounds the words (registers, memory, conditions, control flow) belongs to the engine: semantics.py lists it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TypeAlias

from .ir import Function

MAX_BITS = 128
MASKS = [(1 << bits) - 1 for bits in range(MAX_BITS + 1)]


Operator: TypeAlias = "Callable[[Word, Word | int], Word]"


def _signed(known: int, bits: int) -> int:
    return known - (known >> bits - 1 << bits)


def _quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int:
    return a - _quotient(a, b) * b


def _binary(
    known: Callable[[int, int], int],
    emit: str,
    identity: int | None = None,
    *,
    signed: bool = False,
    compares: bool = False,
    distance: int = 0,
) -> Operator:
    """Make an operator.

    known     computes it from values: as two's complement where the operator is signed
    emit      LLVM's instruction
    identity  the right operand that leaves the left one as it is
    compares  is it a comparison, which gives a one-bit word?
    distance  what the result is away from the left operand, times the right one
    """

    def operator(self: Word, operand: Word | int) -> Word:
        bits, a = self.bits, self.known
        b: int | None
        if isinstance(operand, int):
            b = operand & MASKS[bits]
        elif operand.bits == bits:
            b = operand.known
        else:
            raise TypeError(f"{bits}-bit word meets {operand.bits}-bit word")
        if a is not None and b is not None:
            result = known(_signed(a, bits), _signed(b, bits)) if signed else known(a, b)
            return BITS[result] if compares else Word(bits, result)
        if b is not None and b == identity:
            return self
        other = Word(bits, operand) if isinstance(operand, int) else operand
        code, left, right = (self if a is None else other).function, self.operand, other.operand
        value = code.computed(f"{emit} i{bits} {left}, {right}")
        if distance and b is not None:
            code.sums[value] = left, _signed(b, bits) * distance
        elif distance > 0 and a is not None:
            code.sums[value] = right, _signed(a, bits)
        return Word(1 if compares else bits, None, value, code)

    return operator


def _shift(known: Callable[[int, int], int], emit: str, signed: bool = False) -> Operator:
    """Make a shift operator, which refuses counts that are known to reach the width: LLVM leaves them undefined."""
    shift = _binary(known, emit, 0, signed=signed)

    def operator(self: Word, operand: Word | int) -> Word:
        count = operand if isinstance(operand, int) else operand.known
        if count is not None and not 0 <= count < self.bits:
            raise ValueError(f"shift of a {self.bits}-bit word by {count}")
        return shift(self, operand)

    return operator


class Word:
    """A word of `bits` bits: `known` is its value, or None when `value` names the one that `code` computes."""

    __slots__ = ("bits", "code", "known", "value")

    def __init__(self, bits: int, known: int | None, value: str = "", code: Function | None = None):
        self.bits = bits
        self.known = None if known is None else known & MASKS[bits]
        self.value = value
        self.code = code

    def __repr__(self) -> str:
        return f"Word{self.bits}({self.known if self.known is not None else self.value})"

    def __bool__(self) -> bool:
        raise TypeError("a Word has no truth value: decide with m.select or m.when")

    @property
    def number(self) -> int:
        """The value of a known word. Errors: TypeError."""
        if self.known is None:
            raise TypeError(f"{self!r} is not known")
        return self.known

    @property
    def function(self) -> Function:
        """The function that computes an emitted word. Errors: TypeError."""
        if self.code is None:
            raise TypeError(f"{self!r} is not emitted")
        return self.code

    @property
    def operand(self) -> str:
        """The word in LLVM code, a constant when it is known."""
        return self.value if self.known is None else str(self.known)

    @property
    def type(self) -> str:
        """The type of the word in LLVM code."""
        return f"i{self.bits}"

    @property
    def signed(self) -> int:
        """The known value as two's complement."""
        return _signed(self.number, self.bits)

    @property
    def sign(self) -> Word:
        return self.slt(0)

    def _cast(self, instruction: str, bits: int) -> Word:
        value = self.function.computed(f"{instruction} i{self.bits} {self.value} to i{bits}")
        return Word(bits, None, value, self.code)

    def _call(self, name: str, *flags: str) -> Word:
        return Word(self.bits, None, self.function.call_intrinsic(name, self.bits, self.value, *flags), self.code)

    def zext(self, bits: int) -> Word:
        if bits == self.bits:
            return self
        if self.known is not None:
            return Word(bits, self.known)
        return self._cast("zext", bits)

    def sext(self, bits: int) -> Word:
        if bits == self.bits:
            return self
        if self.known is not None:
            return Word(bits, self.signed)
        return self._cast("sext", bits)

    def trunc(self, bits: int) -> Word:
        if bits == self.bits:
            return self
        if self.known is not None:
            return Word(bits, self.known)
        return self._cast("trunc", bits)

    def resize(self, bits: int, signed: bool = False) -> Word:
        if bits <= self.bits:
            return self.trunc(bits)
        return self.sext(bits) if signed else self.zext(bits)

    __add__ = __radd__ = _binary(operator.add, "add", 0, distance=1)
    __sub__ = _binary(operator.sub, "sub", 0, distance=-1)
    __mul__ = __rmul__ = _binary(operator.mul, "mul", 1)
    __and__ = __rand__ = _binary(operator.and_, "and")
    __or__ = __ror__ = _binary(operator.or_, "or", 0)
    __xor__ = __rxor__ = _binary(operator.xor, "xor", 0)
    __lshift__ = _shift(operator.lshift, "shl")
    __rshift__ = _shift(operator.rshift, "lshr")
    sar = _shift(operator.rshift, "ashr", signed=True)
    udiv = _binary(operator.floordiv, "udiv", 1)
    urem = _binary(operator.mod, "urem")
    sdiv = _binary(_quotient, "sdiv", 1, signed=True)
    srem = _binary(_remainder, "srem", signed=True)
    eq = _binary(operator.eq, "icmp eq", compares=True)
    ne = _binary(operator.ne, "icmp ne", compares=True)
    ult = _binary(operator.lt, "icmp ult", compares=True)
    ule = _binary(operator.le, "icmp ule", compares=True)
    slt = _binary(operator.lt, "icmp slt", signed=True, compares=True)
    sle = _binary(operator.le, "icmp sle", signed=True, compares=True)

    def __invert__(self) -> Word:
        return self ^ ((1 << self.bits) - 1)

    def __neg__(self) -> Word:
        return Word(self.bits, 0) - self

    def __rsub__(self, left: int) -> Word:
        return Word(self.bits, left) - self

    def count_leading_zeros(self) -> Word:
        if self.known is not None:
            return Word(self.bits, self.bits - self.known.bit_length())
        return self._call("ctlz", "0")

    def count_ones(self) -> Word:
        if self.known is not None:
            return Word(self.bits, self.known.bit_count())
        return self._call("ctpop")

    def swap_bytes(self) -> Word:
        if self.bits == 8:
            return self
        if self.known is not None:
            return Word(self.bits, int.from_bytes(self.known.to_bytes(self.bits // 8, "little"), "big"))
        return self._call("bswap")


BITS = (Word(1, 0), Word(1, 1))
