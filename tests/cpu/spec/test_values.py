"""The value layer: known words against plain Python, emitted words against known ones."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable

import numpy as np
import pytest

from retrosim.cpu.spec.ir import Function, Module, Signature
from retrosim.cpu.spec.values import Word
from tests.helpers.cpu.llvm_sweep import Sweep

Pair = tuple[int, int]
WIDTHS = (16, 32, 64)


def signed(a: int, bits: int) -> int:
    return a - (1 << bits) if a >> (bits - 1) else a


def toward_zero(a: int, b: int) -> int:
    """Divide 8-bit numbers: the quotient as a float is exact enough to be cut."""
    return math.trunc(a / b)


# name -> (on words, on Python integers of `n` bits); results are compared modulo the width of the word's result
OPERATORS: dict[str, tuple[Callable, Callable[[int, int, int], int]]] = {
    "a + b": (lambda a, b: a + b, lambda a, b, n: a + b),
    "a - b": (lambda a, b: a - b, lambda a, b, n: a - b),
    "a * b": (lambda a, b: a * b, lambda a, b, n: a * b),
    "a & b": (lambda a, b: a & b, lambda a, b, n: a & b),
    "a | b": (lambda a, b: a | b, lambda a, b, n: a | b),
    "a ^ b": (lambda a, b: a ^ b, lambda a, b, n: a ^ b),
    "~a": (lambda a, b: ~a, lambda a, b, n: -1 - a),
    "-a": (lambda a, b: -a, lambda a, b, n: -a),
    "a == b": (lambda a, b: a.eq(b), lambda a, b, n: a == b),
    "a != b": (lambda a, b: a.ne(b), lambda a, b, n: a != b),
    "a < b": (lambda a, b: a.ult(b), lambda a, b, n: a < b),
    "a <= b": (lambda a, b: a.ule(b), lambda a, b, n: a <= b),
    "signed a < b": (lambda a, b: a.slt(b), lambda a, b, n: signed(a, n) < signed(b, n)),
    "signed a <= b": (lambda a, b: a.sle(b), lambda a, b, n: signed(a, n) <= signed(b, n)),
    "sign": (lambda a, b: a.sign, lambda a, b, n: a >= 1 << (n - 1)),
    "zeros left": (lambda a, b: a.count_leading_zeros(), lambda a, b, n: len(f"{a:0{n}b}1".split("1")[0])),
    "swap": (lambda a, b: a.swap_bytes(), lambda a, b, n: int.from_bytes(a.to_bytes(n // 8, "big"), "little")),
    "a + 3": (lambda a, b: a + 3, lambda a, b, n: a + 3),
    "3 + a": (lambda a, b: 3 + a, lambda a, b, n: a + 3),
    "a - 3": (lambda a, b: a - 3, lambda a, b, n: a - 3),
    "3 - a": (lambda a, b: 3 - a, lambda a, b, n: 3 - a),
    "3 * a": (lambda a, b: 3 * a, lambda a, b, n: 3 * a),
    "12 & a": (lambda a, b: 12 & a, lambda a, b, n: 12 & a),
    "12 | a": (lambda a, b: 12 | a, lambda a, b, n: 12 | a),
    "12 ^ a": (lambda a, b: 12 ^ a, lambda a, b, n: 12 ^ a),
    "a - -1": (lambda a, b: a - -1, lambda a, b, n: a + 1),
    "a + 0": (lambda a, b: a + 0, lambda a, b, n: a),
    "a * 1": (lambda a, b: a * 1, lambda a, b, n: a),
    "a / 1": (lambda a, b: a.udiv(1), lambda a, b, n: a),
    "zext": (lambda a, b: a.zext(64), lambda a, b, n: a),
    "sext": (lambda a, b: a.sext(64), lambda a, b, n: signed(a, n)),
    "trunc": (lambda a, b: a.trunc(3), lambda a, b, n: a % 8),
    "trunc, sext": (lambda a, b: a.trunc(3).sext(8), lambda a, b, n: signed(a % 8, 3)),
    "resize": (lambda a, b: a.resize(64), lambda a, b, n: a),
    "resize signed": (lambda a, b: a.resize(64, True), lambda a, b, n: signed(a, n)),
    "resize down": (lambda a, b: a.resize(5, True), lambda a, b, n: a % 32),
    "several": (
        lambda a, b: (a.zext(64) * b.zext(64) + 7 >> 3).trunc(8) ^ a.trunc(8),
        lambda a, b, n: ((a * b + 7) % 2**64 >> 3) ^ a,
    ),
}
SHIFTS: dict[str, tuple[Callable, Callable[[int, int, int], int]]] = {
    "a << b": (lambda a, b: a << b, lambda a, b, n: a * 2**b),
    "a >> b": (lambda a, b: a >> b, lambda a, b, n: a // 2**b),
    "a sar b": (lambda a, b: a.sar(b), lambda a, b, n: signed(a, n) // 2**b),
    "a << 5": (lambda a, b: a << 5, lambda a, b, n: a * 32),
    "a >> 0": (lambda a, b: a >> 0, lambda a, b, n: a),
    "a sar 7": (lambda a, b: a.sar(7), lambda a, b, n: signed(a, n) // 128),
}
DIVISIONS: dict[str, tuple[Callable, Callable[[int, int, int], int]]] = {
    "a / b": (lambda a, b: a.udiv(b), lambda a, b, n: a // b),
    "a % b": (lambda a, b: a.urem(b), lambda a, b, n: a % b),
    "signed a / b": (lambda a, b: a.sdiv(b), lambda a, b, n: toward_zero(signed(a, n), signed(b, n))),
    "signed a % b": (lambda a, b: a.srem(b), lambda a, b, n: int(math.fmod(signed(a, n), signed(b, n)))),
}
ALL = OPERATORS | SHIFTS | DIVISIONS
ALL_PAIRS = list(itertools.product(range(256), repeat=2))


def legal(name: str, bits: int, a: int, b: int) -> bool:
    """Is the result defined: shifts below the width, divisors that no machine refuses?"""
    if name in SHIFTS:
        return b < bits
    if name in DIVISIONS:
        return b != 0 and not (a == 1 << (bits - 1) and b == (1 << bits) - 1)
    return True


def known(name: str, bits: int, pairs: list[Pair]) -> list[Word]:
    expression = ALL[name][0]
    words = {number: Word(bits, number) for pair in pairs for number in pair}
    return [expression(words[a], words[b]) for a, b in pairs]


def bytes_pairs(name: str) -> list[Pair]:
    if name in OPERATORS:
        return ALL_PAIRS
    return [pair for pair in ALL_PAIRS if legal(name, 8, *pair)]


def wide_pairs(name: str, bits: int, count: int = 400) -> list[Pair]:
    """Return edges against edges, and random numbers of random lengths."""
    r = random.Random(f"{name} {bits}")
    edges = {0, 1, 2, 3, 7, bits - 1, (1 << bits) - 1, (1 << bits) - 2}
    edges |= {(1 << k) + d for k in (7, 8, bits // 2, bits - 1) for d in (-1, 0, 1)}
    values = sorted(edges)
    pairs = list(itertools.product(values, repeat=2))
    pairs += [(r.getrandbits(r.randint(1, bits)), r.getrandbits(r.randint(1, bits))) for _ in range(count)]
    if name in SHIFTS:
        pairs += [(a, r.randrange(bits)) for a, _ in pairs]
    return [(a, b) for a, b in pairs if legal(name, bits, a, b)]


@pytest.fixture(scope="module")
def sweeps() -> dict[int, Sweep]:
    return {bits: Sweep(bits, {name: words for name, (words, _) in ALL.items()}) for bits in (8, *WIDTHS)}


def run(sweep: Sweep, name: str, pairs: list[Pair]) -> list[int]:
    a, b = np.array(pairs, np.uint64).T
    return sweep(name, a, b).tolist()


@pytest.mark.first_case
@pytest.mark.parametrize("name", ALL)
def test_every_pair_of_bytes(name: str, sweeps: dict[int, Sweep]) -> None:
    pairs = bytes_pairs(name)
    plain = ALL[name][1]
    words = known(name, 8, pairs)
    width = words[0].bits
    expected = [int(plain(a, b, 8)) % (1 << width) for a, b in pairs]
    assert [word.known for word in words] == expected
    assert run(sweeps[8], name, pairs) == expected


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("name", ALL)
def test_wider_words(name: str, bits: int, sweeps: dict[int, Sweep]) -> None:
    pairs = wide_pairs(name, bits)
    words = known(name, bits, pairs)
    assert run(sweeps[bits], name, pairs) == [word.known for word in words]
    if name not in ("signed a / b", "signed a % b"):  # floats are too coarse for these; see the identity below
        plain, width = ALL[name][1], words[0].bits
        assert [word.known for word in words] == [int(plain(a, b, bits)) % (1 << width) for a, b in pairs]


@pytest.mark.parametrize("bits", WIDTHS)
def test_signed_division_is_that_of_the_machines(bits: int) -> None:
    """Quotient and remainder make up the dividend again; the remainder has the dividend's sign."""
    for a, b in wide_pairs("signed a / b", bits):
        x, y = Word(bits, a), Word(bits, b)
        dividend, divisor, quotient, remainder = x.signed, y.signed, x.sdiv(y).signed, x.srem(y).signed
        assert quotient * divisor + remainder == dividend
        assert abs(remainder) < abs(divisor) and (remainder == 0 or (remainder < 0) == (dividend < 0))


CONSTANTS = (0, 1, 2, 7, 12, 127, 128, 254, 255)


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_known_operand_beside_an_emitted_one(side: str) -> None:
    """Short cuts such as a + 0 must not change a result; a missing builder is taken from the other operand."""
    names = [name for name in ALL if "b" in name]
    expressions, wanted = {}, {}
    numbers = list(range(256))
    for name, constant in itertools.product(names, CONSTANTS):
        if side == "right" and not any(legal(name, 8, n, constant) for n in numbers):
            continue

        def expression(a: Word, b: Word, name: str = name, constant: int = constant) -> Word:
            return ALL[name][0](Word(8, constant), b) if side == "left" else ALL[name][0](a, Word(8, constant))

        expressions[f"{name} {constant}"] = expression
        wanted[f"{name} {constant}"] = (name, constant)
    sweep = Sweep(8, expressions)
    for key, (name, constant) in wanted.items():
        pairs = [(constant, n) if side == "left" else (n, constant) for n in numbers]
        pairs = [(a, b) for a, b in pairs if legal(name, 8, a, b)]
        assert run(sweep, key, pairs) == [word.known for word in known(name, 8, pairs)], key


def test_known_words_stay_known() -> None:
    for name in ALL:
        word = known(name, 8, [(200, 3)])[0]
        assert word.known is not None and word.code is None and not word.value, name


def test_an_unchanged_emitted_word_is_the_same_word() -> None:
    """What costs no instruction emits none."""
    seen = []

    def expression(a: Word, b: Word) -> Word:
        for same in (a + 0, a - 0, a | 0, a ^ 0, a << 0, a >> 0, a.sar(0), a * 1, a.udiv(1), a.sdiv(1)):
            seen.append(same is a)
        seen.extend(same is a for same in (a.zext(8), a.sext(8), a.trunc(8), a.resize(8), a.swap_bytes()))
        return a

    Sweep(8, {"same": expression})
    assert seen and all(seen)


def test_refusals() -> None:
    a = Word(8, 5)
    with pytest.raises(TypeError, match="8-bit word meets 16-bit word"):
        a + Word(16, 5)
    with pytest.raises(TypeError, match="8-bit word meets 16-bit word"):
        a.ult(Word(16, 5))
    with pytest.raises(TypeError, match="no truth value"):
        bool(a)
    emitted = Word(8, None, "%p0", Function(Module(), Signature("void", ("i8",)), "unused"))
    for word in (a, emitted):
        for count in (8, 200, 256, -1, Word(8, 8)):
            for shift in (Word.__lshift__, Word.__rshift__, Word.sar):
                with pytest.raises(ValueError, match="shift of a 8-bit word by"):
                    shift(word, count)


@pytest.mark.parametrize("bits", [1, 3, 8, 32, 64])
def test_a_word_is_reduced_to_its_width(bits: int) -> None:
    assert Word(bits, -1).known == 2**bits - 1
    assert Word(bits, 2**bits + 1).known == 1 % 2**bits
    assert Word(bits, -1).signed == -1 and Word(bits, 2 ** (bits - 1)).signed == -(2 ** (bits - 1))
    assert repr(Word(bits, 1)) == f"Word{bits}(1)"
