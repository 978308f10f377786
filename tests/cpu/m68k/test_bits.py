"""Bits, bit fields, TAS, CAS and CAS2 of the MC68040 beside what the manual's text says of numbers (M68000PRM)."""

from __future__ import annotations

import random

import pytest

from tests.helpers.amount import amount
from tests.helpers.cpu.m68k_programs import DATA, MASK, compared, run

TRIES = amount(1, 200)


def numbers(seed: str) -> list[int]:
    chance = random.Random(seed)
    return [0, MASK, 0x80000000, 1, *(chance.getrandbits(32) for _ in range(TRIES))]


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("btst", lambda value, bit: value), ("bchg", lambda value, bit: value ^ bit),
        ("bclr", lambda value, bit: value & ~bit), ("bset", lambda value, bit: value | bit),
    ],
)  # fmt: skip
def test_single_bits(name: str, change) -> None:
    """Modulo 32 in a register, modulo 8 in memory; only Z changes."""
    for value in numbers(name):
        for number in (0, 7, 8, 33):
            for text, is_register in ((f"{name} d1,d2", True), (f"{name} d1,(a0)", False)):
                core, flags = run(text, bytes([value & 255]) + b"\x5a" * 15, d1=number, d2=value, a0=DATA)
                bit = 1 << number % (32 if is_register else 8)
                before = value if is_register else value & 255
                found = int(core.state["r"][2]) if is_register else int(core.ram[DATA])
                assert found == change(before, bit), (text, number)
                assert flags == {"x": 1, "n": 0, "z": int(not before & bit), "v": 1, "c": 1}
            assert core.ram[DATA + 1] == 0x5A
    core, flags = run(f"{name} #33,d2", d2=2)
    assert (int(core.state["r"][2]), flags["z"]) == (change(2, 2), 0)
    core, flags = run(f"{name} #9,(a0)", b"\1", a0=DATA)
    assert (int(core.ram[DATA]), flags["z"]) == (change(1, 2), 1)


def test_test_and_set() -> None:
    for value, n, z in ((0, 0, 1), (0x80, 1, 0), (0x7F, 0, 0)):
        core, flags = run("tas (a0)", bytes([value]), a0=DATA)
        assert core.ram[DATA] == value | 0x80 and flags == {"x": 1, "n": n, "z": z, "v": 0, "c": 0}
        core, _ = run("tas d0", d0=0x1234_0000 | value)
        assert core.state["r"][0] == 0x1234_0080 | value


@pytest.mark.parametrize(("letter", "size"), [("b", 8), ("w", 16), ("l", 32)])
def test_compare_and_swap(letter: str, size: int) -> None:
    """Equal: memory gets the second register; else the first register gets what is in memory."""
    mask = (1 << size) - 1
    for value in numbers(letter):
        for expected in (value, value ^ 1, value ^ 0x80808080, value + 5 & MASK):
            memory = (value & mask).to_bytes(size // 8, "big") + bytes(8)
            core, flags = run(f"cas.{letter} d0,d1,(a0)", memory, d0=expected, d1=0x11223344, a0=DATA)
            is_equal = value & mask == expected & mask
            assert flags == compared(value & mask, expected & mask, size)
            found = int.from_bytes(core.ram[DATA : DATA + size // 8].tobytes(), "big")
            assert found == (0x11223344 & mask if is_equal else value & mask)
            assert int(core.state["r"][0]) == (expected if is_equal else expected & ~mask | value & mask)


@pytest.mark.parametrize(("letter", "size"), [("w", 16), ("l", 32)])
def test_compare_and_swap_of_two(letter: str, size: int) -> None:
    mask, count = (1 << size) - 1, size // 8
    for first, second in ((5, 7), (5, 8), (6, 7), (6, 8)):
        memory = (5).to_bytes(count, "big") + (7).to_bytes(count, "big")
        core, flags = run(
            f"cas2.{letter} d0:d1,d2:d3,(a0):(a1)", memory, d0=first, d1=second, d2=0x12341111, d3=0x12342222,
            a0=DATA, a1=DATA + count,
        )  # fmt: skip
        is_equal = (first, second) == (5, 7)
        found = [int.from_bytes(core.ram[at : at + count].tobytes(), "big") for at in (DATA, DATA + count)]
        assert found == ([0x12341111 & mask, 0x12342222 & mask] if is_equal else [5, 7])
        registers = [int(core.state["r"][n]) for n in range(2)]
        assert registers == ([5, 7])
        assert flags == (compared(7, second, size) if first == 5 else compared(5, first, size))


FIELDS = {
    "bftst": lambda field, width: field, "bfchg": lambda field, width: ~field,
    "bfclr": lambda field, width: 0, "bfset": lambda field, width: -1,
}  # fmt: skip


@pytest.mark.parametrize("name", [*FIELDS, "bfextu", "bfexts", "bfffo", "bfins"])
@pytest.mark.parametrize("place", ["d2", "(a0)"])
def test_bit_fields(name: str, place: str) -> None:
    """Offsets count from the highest bit: modulo 32 in a register, any number of bits in memory; width 0 is 32."""
    chance = random.Random(name + place)
    bits = 32 if place == "d2" else 128
    for number in range(9 + TRIES):
        content = chance.getrandbits(bits) if number % 3 else (0, (1 << bits) - 1, 1 << number % bits)[number // 3 % 3]
        offset = chance.choice((0, 7, 31, chance.randrange(32))) if place == "d2" else chance.randrange(-64, 33)
        given = offset + chance.choice((0, 32, 64)) if place == "d2" else offset
        width, other = chance.choice((1, 8, 31, 32, chance.randrange(1, 33))), chance.getrandbits(32)
        text = f"{name} {place}{{d4:d5}}"
        if name == "bfins":
            text = f"bfins d3,{place}{{d4:d5}}"
        elif name not in FIELDS:
            text += ",d3"
        memory = content.to_bytes(16, "big") if bits == 128 else bytes(16)
        core, flags = run(text, memory, a0=DATA + 8, d2=content, d3=other, d4=given, d5=width & 31 | 0x40)
        start = offset if bits == 32 else offset + 64
        shift, mask = -(start + width), (1 << width) - 1
        whole = (1 << bits) - 1
        turned = (content << bits | content) >> (2 * bits + shift) if bits == 32 else content >> (bits + shift)
        field = turned & mask
        new = other & mask if name == "bfins" else FIELDS[name](field, width) & mask if name in FIELDS else field
        if bits == 32:
            twice = content << 32 | content
            at = 64 - start - width
            changed = twice & ~(mask << at) | new << at
            high = changed >> 32
            if start + width > 32:  # what goes beyond the end goes on at the beginning
                over = start + width - 32
                high = high & ~(((1 << over) - 1) << 32 - over) | (new & (1 << over) - 1) << 32 - over
            expected = high & MASK
            found = int(core.state["r"][2])
        else:
            expected = (content & ~(mask << bits + shift) | new << bits + shift) & whole
            found = int.from_bytes(core.ram[DATA : DATA + 16].tobytes(), "big")
        assert found == expected, (text, offset, width)
        tested = new if name == "bfins" else field
        assert flags == {"x": 1, "n": tested >> width - 1, "z": int(not tested), "v": 0, "c": 0}
        result = {
            "bfextu": field, "bfexts": (field - (field >> width - 1 << width)) & MASK,
            "bfffo": (offset + width - field.bit_length()) & MASK,
        }.get(name, other)  # fmt: skip
        assert int(core.state["r"][3]) == result, (text, offset, width)


@pytest.mark.parametrize(("size", "expected"), [("w", 0xABCD1234), ("l", 0x12340000)])
@pytest.mark.parametrize("register", [0xABCD0022, 0xABCD1234])
def test_cas2_with_one_compare_register(register: int, size: str, expected: int) -> None:
    """Unequal, it keeps operand 1 (M68000PRM 4-69)."""
    memory = bytes.fromhex("12340000 56789abc")
    core, _ = run(f"cas2.{size} d5:d5,d1:d2,(a0):(a1)", memory, d5=register, a0=DATA, a1=DATA + 4)
    assert int(core.state["r"][5]) == expected
    assert core.ram[DATA : DATA + 8].tobytes() == memory
