"""Sums, products, quotients and decimal numbers at the edges, beside plain arithmetic (M68000PRM)."""

from __future__ import annotations

from itertools import product

import pytest

from tests.helpers.cpu.m68k_programs import DATA, MASK, compared, data_at, run

SIZES = {"b": 8, "w": 16, "l": 32}


def edges(size: int) -> list[int]:
    half = 1 << size - 1
    return [0, 1, half - 1, half, half + 1, 2 * half - 1]


def signed(value: int, size: int) -> int:
    return value - (value >> size - 1 << size)


@pytest.mark.parametrize("letter", SIZES)
def test_sums(letter: str) -> None:
    size = SIZES[letter]
    mask = (1 << size) - 1
    upper = 0x5A5A5A5A & ~mask
    for a, b in product(edges(size), repeat=2):
        difference = compared(b, a, size)
        core, flags = run(f"sub.{letter} d0,d1", d0=a, d1=upper | b)
        assert int(core.state["r"][1]) == upper | b - a & mask and flags == difference | {"x": difference["c"]}
        assert run(f"cmp.{letter} d0,d1", d0=a, d1=b)[1] == difference
        core, flags = run(f"add.{letter} d0,d1", d0=a, d1=upper | b)
        total = a + b & mask
        assert int(core.state["r"][1]) == upper | total
        carry = int(a + b > mask)
        overflow = int(signed(a, size) + signed(b, size) != signed(total, size))
        assert flags == {"x": carry, "n": total >> size - 1, "z": int(not total), "v": overflow, "c": carry}


@pytest.mark.parametrize("letter", SIZES)
def test_sums_of_more_words(letter: str) -> None:
    """With X; Z is cleared by a result that is not zero, and else stays."""
    size = SIZES[letter]
    mask = (1 << size) - 1
    for (a, b), before in product(product(edges(size)[::2], edges(size)[1::2]), ("", "xz")):
        x = int("x" in before)
        for name, exact, true in (
            ("addx", b + a + x, signed(b, size) + signed(a, size) + x),
            ("subx", b - a - x, signed(b, size) - signed(a, size) - x),
        ):
            core, flags = run(f"{name}.{letter} d0,d1", flags=before, d0=a, d1=b)
            result, carry = exact & mask, int(not 0 <= exact <= mask)
            assert int(core.state["r"][1]) == result, (name, a, b, before)
            expected = {"x": carry, "n": result >> size - 1, "z": int("z" in before and not result), "c": carry}
            assert flags == expected | {"v": int(true != signed(result, size))}
    for a, before in product(edges(size), ("", "xz")):
        x = int("x" in before)
        core, flags = run(f"negx.{letter} d1", flags=before, d1=a)
        result, borrow = -a - x & mask, int(a + x > 0)
        assert int(core.state["r"][1]) == result and flags["c"] == flags["x"] == borrow
        assert flags["z"] == int("z" in before and not result)
        core, flags = run(f"neg.{letter} d1", d1=a)
        assert int(core.state["r"][1]) == -a & mask and flags == compared(0, a, size) | {"x": int(a > 0)}


@pytest.mark.parametrize("name", ["mulu", "muls"])
def test_products(name: str) -> None:
    def number(value: int, size: int) -> int:
        return signed(value, size) if name == "muls" else value

    for a, b in product(edges(16), edges(16)):
        core, flags = run(f"{name}.w d0,d1", d0=a | 0x770000, d1=b | 0x880000)
        result = number(a, 16) * number(b, 16) & MASK
        assert int(core.state["r"][1]) == result
        assert flags == {"x": 1, "n": result >> 31, "z": int(not result), "v": 0, "c": 0}
    for a, b in product(edges(32), edges(32)[1::2]):
        exact = number(a, 32) * number(b, 32)
        core, flags = run(f"{name}.l d0,d2:d1", d0=a, d1=b)
        assert int(core.state["r"][2]) << 32 | int(core.state["r"][1]) == exact & (1 << 64) - 1
        assert flags == {"x": 1, "n": (exact >> 63) & 1, "z": int(not exact), "v": 0, "c": 0}
        core, flags = run(f"{name}.l d0,d1", d0=a, d1=b)
        fits = -(1 << 31) <= exact < 1 << 31 if name == "muls" else exact <= MASK
        result = exact & MASK
        assert int(core.state["r"][1]) == result
        assert flags == {"x": 1, "n": result >> 31, "z": int(not result), "v": int(not fits), "c": 0}


def divided(dividend: int, divisor: int) -> tuple[int, int]:
    """Return quotient and rest, rounded towards zero."""
    quotient = abs(dividend) // abs(divisor) * (1 if (dividend < 0) == (divisor < 0) else -1)
    return quotient, dividend - quotient * divisor


@pytest.mark.parametrize("is_signed", [False, True])
def test_quotients(is_signed: bool) -> None:
    """Where the quotient does not fit, the registers stay and V is set."""
    name = "divs" if is_signed else "divu"

    def number(value: int, size: int) -> int:
        return signed(value, size) if is_signed else value

    def fits(quotient: int, size: int) -> bool:
        return -(1 << size - 1) <= quotient < 1 << size - 1 if is_signed else quotient < 1 << size

    for a, b in product([*edges(32), 0x7FFF8000, 0xFFFF, 0x10000, 0xFFFF8000, 100], [1, 2, 7, 0x7FFF, 0x8000, 0xFFFF]):
        core, flags = run(f"{name}.w d0,d1", d0=b, d1=a)
        quotient, rest = divided(number(a, 32), number(b, 16))
        if fits(quotient, 16):
            assert int(core.state["r"][1]) == (rest & 0xFFFF) << 16 | quotient & 0xFFFF, (a, b)
            assert (flags["n"], flags["z"], flags["v"]) == (int(quotient & 0x8000 > 0), int(not quotient), 0)
        else:
            assert int(core.state["r"][1]) == a and flags["v"] == 1
        assert (flags["c"], flags["x"]) == (0, 1)
    for a, b in product([*edges(32), 100], [1, 7, 1 << 31, MASK]):
        quotient, rest = divided(number(a, 32), number(b, 32))
        core, flags = run(f"{name}l.l d0,d2:d1", d0=b, d1=a, d2=5)
        registers = [int(core.state["r"][n]) for n in (1, 2)]
        is_there = fits(quotient, 32)
        assert registers == ([quotient & MASK, rest & MASK] if is_there else [a, 5])
        assert flags["v"] == int(not is_there)
    for high, low, b in ((0, 100, 7), (6, 5, 7), (7, 0, 7), (MASK, MASK - 99, 7), (1 << 31, 0, MASK), (3, 7, 1 << 31)):
        quotient, rest = divided(number(high << 32 | low, 64), number(b, 32))
        core, flags = run(f"{name}.l d0,d2:d1", d0=b, d1=low, d2=high)
        registers = [int(core.state["r"][n]) for n in (1, 2)]
        is_there = fits(quotient, 32)
        assert registers == ([quotient & MASK, rest & MASK] if is_there else [low, high]), (high, low, b)
        assert flags["v"] == int(not is_there)


def decimal(number: int) -> int:
    return number // 10 << 4 | number % 10


@pytest.mark.parametrize("model", ["MC68000", "MC68040"])
def test_decimal_numbers(model: str) -> None:
    """Z as in ADDX; on the MC68040, N and V stay."""
    pairs = [
        (0, 0),
        (99, 1),
        (99, 0),
        (90, 10),
        (95, 4),
        (49, 50),
        (9, 1),
        (5, 5),
        (99, 99),
        (80, 20),
        (8, 1),
        (79, 21),
    ]
    for (a, b), before in product(pairs, ("", "xz")):
        x = int("x" in before)
        for name, exact in (("abcd", b + a + x), ("sbcd", b - a - x)):
            core, flags = run(f"{name} d0,d1", flags=before, model=model, d0=decimal(a), d1=0x500 | decimal(b))
            result, carry = exact % 100, int(not 0 <= exact < 100)
            assert int(core.state["r"][1]) == 0x500 | decimal(result), (name, a, b, before)
            assert (flags["x"], flags["c"]) == (carry, carry) and flags["z"] == int("z" in before and not result)
            if model == "MC68040":
                assert flags["n"] == flags["v"] == 0
        core, flags = run("nbcd d1", flags=before, model=model, d1=decimal(a))
        assert int(core.state["r"][1]) & 0xFF == decimal((-a - x) % 100) and flags["c"] == int(a + x > 0)


def test_packing() -> None:
    for word, adjustment in ((0x3234, 0), (0x3234, 0xCFD0), (0x0905, 0x0102)):
        core, _ = run(f"pack d0,d1,#{adjustment}", d0=word, d1=0x7777_7777)
        total = word + adjustment
        assert int(core.state["r"][1]) == 0x7777_7700 | (total >> 4 & 0xF0) | total & 15
    core, _ = run("unpk d0,d1,#$3030", d0=0x1227, d1=0x77777777)
    assert int(core.state["r"][1]) == 0x7777_3237
    core, _ = run("pack -(a0),-(a1),#$101", b"\x32\x34" + bytes(8), a0=DATA + 2, a1=DATA + 8)
    assert data_at(core, 1, DATA + 7) == 0x35 and [int(each) for each in core.state["r"][8:10]] == [DATA, DATA + 7]
    core, _ = run("unpk -(a0),-(a1),#$3030", b"\x27" + bytes(8), a0=DATA + 1, a1=DATA + 8)
    assert data_at(core, 2, DATA + 6) == 0x3237


def test_bounds() -> None:
    """CMP2: C outside, Z at an end; with signs where the lower end is below the upper one with signs."""
    for memory, value, c, z in (
        (b"\x10\x20", 0x10, 0, 1), (b"\x10\x20", 0x20, 0, 1), (b"\x10\x20", 0x18, 0, 0), (b"\x10\x20", 0x0F, 1, 0),
        (b"\x10\x20", 0x21, 1, 0), (b"\xf0\x10", 0xFF, 0, 0), (b"\xf0\x10", 0x11, 1, 0), (b"\xf0\x10", 0xEF, 1, 0),
    ):  # fmt: skip
        _, flags = run("cmp2.b (a0),d1", memory, a0=DATA, d1=value | 0xAA00)
        assert (flags["c"], flags["z"]) == (c, z), (memory, value)
    _, flags = run("cmp2.w (a0),a1", b"\xff\xf0\x00\x10", a0=DATA, a1=0xFFFFFFF0)
    assert (flags["c"], flags["z"]) == (0, 1)
    _, flags = run("cmp2.w (a0),a1", b"\xff\xf0\x00\x10", a0=DATA, a1=0x0000FFF0)  # all of an address register
    assert (flags["c"], flags["z"]) == (1, 0)
