"""The value layer: words of a fixed number of bits, in which every instruction is written.

A `Word` is either known (a Python integer, masked) or emitted (an LLVM value under construction); the same expression
works on both, and an expression of known words stays known. Semantic functions never ask which kind they hold.

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

from llvmlite import ir

MAX_BITS = 128
MASKS = [(1 << bits) - 1 for bits in range(MAX_BITS + 1)]

class Word:
    """A word of `bits` bits: `known` is its value, or None when `value` holds the emitted LLVM value."""

    __slots__ = ("bits", "builder", "known", "value")

    def __init__(
        self, bits: int, known: int | None, value: ir.Value | None = None, builder: ir.IRBuilder | None = None
    ):
        self.bits = bits
        self.known = None if known is None else known & MASKS[bits]
        self.value = value
        self.builder = builder

    def __repr__(self) -> str:
        return f"Word{self.bits}({self.known if self.known is not None else self.value})"

    def __bool__(self) -> bool:
        raise TypeError("a Word has no truth value: decide with m.select or m.when")

    @property
    def ir(self) -> ir.Value:
        """The LLVM value, a constant when the word is known."""
        return self.value if self.known is None else ir.Constant(ir.IntType(self.bits), self.known)

    @property
    def signed(self) -> int:
        """The known value as two's complement."""
        return _signed(self.known, self.bits)

    @property
    def sign(self) -> Word:
        return self.slt(0)

    def emitted(self, value: ir.Value) -> Word:
        """Wrap an LLVM value made by this word's builder."""
        return Word(value.type.width, None, value, self.builder)

    def zext(self, bits: int) -> Word:
        if bits == self.bits:
            return self
        if self.known is not None:
            return Word(bits, self.known)
        return self.emitted(self.builder.zext(self.value, ir.IntType(bits)))

    def sext(self, bits: int) -> Word:
        if bits == self.bits:
            return self
        if self.known is not None:
            return Word(bits, self.signed)
        return self.emitted(self.builder.sext(self.value, ir.IntType(bits)))

    def trunc(self, bits: int) -> Word:
        if bits == self.bits:
            return self
        if self.known is not None:
            return Word(bits, self.known)
        return self.emitted(self.builder.trunc(self.value, ir.IntType(bits)))

    def resize(self, bits: int, signed: bool = False) -> Word:
        if bits <= self.bits:
            return self.trunc(bits)
        return self.sext(bits) if signed else self.zext(bits)

    def __invert__(self) -> Word:
        return self ^ ((1 << self.bits) - 1)

    def __neg__(self) -> Word:
        return Word(self.bits, 0) - self

    def __rsub__(self, left: int) -> Word:
        return Word(self.bits, left) - self

    def count_leading_zeros(self) -> Word:
        if self.known is not None:
            return Word(self.bits, self.bits - self.known.bit_length())
        return self.emitted(self.builder.ctlz(self.value, ir.Constant(ir.IntType(1), 0)))

    def count_ones(self) -> Word:
        if self.known is not None:
            return Word(self.bits, self.known.bit_count())
        return self.emitted(self.builder.ctpop(self.value))

    def swap_bytes(self) -> Word:
        if self.bits == 8:
            return self
        if self.known is not None:
            return Word(self.bits, int.from_bytes(self.known.to_bytes(self.bits // 8, "little"), "big"))
        return self.emitted(self.builder.bswap(self.value))


BITS = (Word(1, 0), Word(1, 1))


def _signed(known: int, bits: int) -> int:
    return known - (known >> bits - 1 << bits)


def _quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _binary(
    known: Callable[[int, int], int], emit: str, identity: int | None = None, *, signed: bool = False, symbol: str = ""
) -> Callable:
    """Make an operator.

    known     computes it from values: as two's complement where the operator is signed
    emit      the IRBuilder's method; a comparison's takes `symbol` first, and gives a one-bit word
    identity  the right operand that leaves the left one as it is
    """

    def operator(self: Word, operand: Word | int) -> Word:
        bits, a = self.bits, self.known
        if isinstance(operand, int):
            b = operand & MASKS[bits]
        elif operand.bits == bits:
            b = operand.known
        else:
            raise TypeError(f"{bits}-bit word meets {operand.bits}-bit word")
        if a is not None and b is not None:
            result = known(_signed(a, bits), _signed(b, bits)) if signed else known(a, b)
            return BITS[result] if symbol else Word(bits, result)
        if b is not None and b == identity:
            return self
        right = Word(bits, b) if isinstance(operand, int) else operand
        builder = self.builder or right.builder
        if symbol:
            return Word(1, None, getattr(builder, emit)(symbol, self.ir, right.ir), builder)
        return Word(bits, None, getattr(builder, emit)(self.ir, right.ir), builder)

    return operator


def _shift(known: Callable[[int, int], int], emit: str, signed: bool = False) -> Callable:
    """Make a shift operator, which refuses counts that are known to reach the width: LLVM leaves them undefined."""
    shift = _binary(known, emit, 0, signed=signed)

    def operator(self: Word, operand: Word | int) -> Word:
        count = operand if isinstance(operand, int) else operand.known
        if count is not None and not 0 <= count < self.bits:
            raise ValueError(f"shift of a {self.bits}-bit word by {count}")
        return shift(self, operand)

    return operator


for _name, _emit, _identity in (
    ("add", "add", 0),
    ("sub", "sub", 0),
    ("mul", "mul", 1),
    ("and", "and_", None),
    ("or", "or_", 0),
    ("xor", "xor", 0),
):
    setattr(Word, f"__{_name}__", _binary(getattr(operator, f"__{_name}__"), _emit, _identity))
for _name in ("add", "mul", "and", "or", "xor"):
    setattr(Word, f"__r{_name}__", getattr(Word, f"__{_name}__"))
Word.__lshift__ = _shift(operator.lshift, "shl")
Word.__rshift__ = _shift(operator.rshift, "lshr")
Word.sar = _shift(operator.rshift, "ashr", signed=True)
Word.udiv = _binary(operator.floordiv, "udiv", 1)
Word.urem = _binary(operator.mod, "urem")
Word.sdiv = _binary(_quotient, "sdiv", 1, signed=True)
Word.srem = _binary(lambda a, b: a - _quotient(a, b) * b, "srem", signed=True)
Word.eq = _binary(operator.eq, "icmp_unsigned", symbol="==")
Word.ne = _binary(operator.ne, "icmp_unsigned", symbol="!=")
Word.ult = _binary(operator.lt, "icmp_unsigned", symbol="<")
Word.ule = _binary(operator.le, "icmp_unsigned", symbol="<=")
Word.slt = _binary(operator.lt, "icmp_signed", signed=True, symbol="<")
Word.sle = _binary(operator.le, "icmp_signed", signed=True, symbol="<=")
