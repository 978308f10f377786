"""Words of which bounds are known hold every value that an operation gives, and few others."""

from collections.abc import Callable
from typing import Any

import pytest

from retrosim.bounds.state import join
from retrosim.bounds.words import Span, const, unknown

BITS, MASK = 4, 15


def _cases() -> list[Span]:
    intervals = [Span(BITS, lo, hi) for lo, hi in ((0, 0), (1, 1), (6, 6), (8, 8), (15, 15), (0, 3), (1, 4), (2, 9))]
    intervals += [Span(BITS, lo, hi) for lo, hi in ((7, 8), (9, 12), (12, 15), (0, 15))]
    bits = [Span(BITS, 0, MASK, ones, free) for ones, free in ((1, 6), (8, 5), (0, 10), (4, 8), (5, 2))]
    return [*intervals, *bits, join(const(BITS, 3), const(BITS, 12))]


CASES = _cases()


def values_of(span: Span) -> list[int]:
    return [value for value in range(1 << span.bits) if holds(span, value)]


def holds(span: Span, value: int) -> bool:
    return span.lo <= value <= span.hi and value & ~span.free == span.ones and (not span.values or value in span.values)


def signed(value: int) -> int:
    return value - 16 if value & 8 else value


def quotient(x: int, y: int) -> int:
    return int(signed(x) / signed(y))


# operation -> on words, on numbers, how many values too many its results hold, over all pairs of cases: what the
# bounds of an operation do not know
BINARY: dict[str, tuple[Callable[[Any, Any], Span], Callable[[int, int], int], int]] = {
    "+": (lambda a, b: a + b, lambda x, y: x + y, 758),
    "-": (lambda a, b: a - b, lambda x, y: x - y, 755),
    "*": (lambda a, b: a * b, lambda x, y: x * y, 1082),
    "&": (lambda a, b: a & b, lambda x, y: x & y, 176),
    "|": (lambda a, b: a | b, lambda x, y: x | y, 314),
    "^": (lambda a, b: a ^ b, lambda x, y: x ^ y, 902),
    "udiv": (Span.udiv, lambda x, y: x // y, 358),
    "urem": (Span.urem, lambda x, y: x % y, 797),
    "sdiv": (Span.sdiv, quotient, 3283),
    "srem": (Span.srem, lambda x, y: signed(x) - quotient(x, y) * signed(y), 3305),
    "ult": (Span.ult, lambda x, y: x < y, 0),
    "ule": (Span.ule, lambda x, y: x <= y, 0),
    "slt": (Span.slt, lambda x, y: signed(x) < signed(y), 16),
    "sle": (Span.sle, lambda x, y: signed(x) <= signed(y), 16),
    "eq": (Span.eq, lambda x, y: x == y, 8),
    "ne": (Span.ne, lambda x, y: x != y, 8),
}
DIVISIONS = ("udiv", "urem", "sdiv", "srem")
SHIFTS: dict[str, tuple[Callable[[Any, Any], Span], Callable[[int, int], int], int]] = {
    "<<": (lambda a, n: a << n, lambda x, n: x << n, 28),
    ">>": (lambda a, n: a >> n, lambda x, n: x >> n, 14),
    "sar": (Span.sar, lambda x, n: signed(x) >> n, 304),
}
UNARY: dict[str, tuple[Callable[[Any], Span], Callable[[int], int], int]] = {
    "~": (lambda a: ~a, lambda x: ~x, 44),
    "-": (lambda a: -a, lambda x: -x, 26),
    "5 -": (lambda a: 5 - a, lambda x: 5 - x, 36),
    "zext": (lambda a: a.zext(6), lambda x: x, 8),
    "sext": (lambda a: a.sext(6), signed, 246),
    "trunc": (lambda a: a.trunc(2), lambda x: x, 4),
    "resize": (lambda a: a.resize(6, signed=True), signed, 246),
    "leading": (Span.count_leading_zeros, lambda x: 4 - x.bit_length(), 3),
    "ones": (Span.count_ones, int.bit_count, 13),
    "sign": (lambda a: a.sign, lambda x: x >> 3, 0),
}


def too_many(result: Span, numbers: set[int]) -> int:
    """Return how many values a word has besides some numbers, all of which it has to have."""
    wrapped = {number & (1 << result.bits) - 1 for number in numbers}
    values = set(values_of(result))
    assert wrapped <= values, (result, wrapped)
    assert len(values) > 1 or result.known is not None
    return len(values - wrapped)


@pytest.mark.parametrize("name", BINARY)
def test_operations_on_two_words(name):
    operation, exact, loose = BINARY[name]
    count = 0
    for a in CASES:
        for b in CASES:
            pairs = [(x, y) for x in values_of(a) for y in values_of(b) if y or name not in DIVISIONS]
            if a is b or not pairs:
                continue  # the same word stands for the same value
            count += too_many(operation(a, b), {int(exact(x, y)) for x, y in pairs})
    assert count == loose


@pytest.mark.parametrize("name", SHIFTS)
def test_shifts(name):
    operation, exact, loose = SHIFTS[name]
    assert loose == sum(
        too_many(operation(a, n), {exact(x, n) for x in values_of(a)}) for a in CASES for n in range(BITS)
    )
    assert not too_many(operation(unknown(BITS), Span(BITS, 1, 2)), set(range(1 << BITS)))


@pytest.mark.parametrize("name", UNARY)
def test_operations_on_one_word(name):
    operation, exact, loose = UNARY[name]
    assert loose == sum(too_many(operation(a), {exact(x) for x in values_of(a)}) for a in CASES)


def test_the_order_of_bytes():
    word = Span(16, 0x1200, 0x12FF)
    assert (word.swap_bytes().ones, word.swap_bytes().free) == (0x12, 0xFF00)
    assert word.swap_bytes().swap_bytes().is_like(word)
    byte = unknown(8)
    assert byte.swap_bytes() is byte


def test_same_words_give_same_words():
    a, b = unknown(8), unknown(8)
    assert (a + b) is (a + b) and (a + 3) is (a + 3) and (a + 3) is not (a + 4) and (a + b) is not (b + b)
    assert (a + const(8, 3)) is (a + const(8, 3)) is not (a + const(8, 4))
    assert (a - a).known == (a ^ a).known == 0 and (a | a) is a and a.eq(a).known == 1 and (a & 0xFF) is a
    assert a.zext(8) is a.sext(8) is a.trunc(8) is a


def test_a_comparison_of_two_flags():
    """Carry or zero after a subtraction is less or equal, of the same two words."""
    a, b, other = Span(8, 0, 5), Span(8, 5, 9), Span(8, 0, 9)
    less, zero = a.ult(b), (a - b).eq(0)
    assert less.known is zero.known is None and (less | zero).known == (zero | less).known == 1
    for differs in (less | (other - b).eq(0), less | (a - other).eq(0), less | (a - b).eq(1), less | ~zero):
        assert differs.known is None


def test_words_a_known_distance_apart():
    """Is the second byte of an operand in the same line as the first?"""
    address = Span(32, 0, 0xFFFFFE, 0, 0xFFFFFE)  # even
    assert (address + 1 >> 4).eq(address >> 4).known == 1
    assert (address + 3 >> 4).eq(address >> 4).known is None
    assert (address + 16 >> 4).eq(address >> 4).known == 0
    assert (address - 15 >> 4).eq(address + 1 >> 4).known == 0
    assert (address - 3 >> 4).eq(address - 4 >> 4).known == 1
    assert (address + 1 >> 4).eq(address >> 5).known is None
    assert (address + 1 >> 4).eq(unknown(32) >> 4).known is None


def test_words_of_different_widths_do_not_meet():
    with pytest.raises(TypeError, match="8-bit word meets 4-bit word"):
        unknown(8) + unknown(4)


def test_a_part_of_a_word_keeps_its_bounds():
    part = Span(BITS, 5, 6).trunc(2)
    assert (part.lo, part.hi) == (1, 2)
    assert values_of(Span(BITS, 3, 4).trunc(2)) == [0, 1, 2, 3]
