"""The builds in the style of 1994: their machine code keeps the rules that the head of their source states."""

from __future__ import annotations

import numpy as np
import pytest

from retrosim.cpu import m68k
from retrosim.cpu.engines.core import Core
from retrosim.machine import Machine
from retrosim.rom import load_rom

BUILDS = ["period", "period-calls", "period-68000", "period-registers"]
BUILDS_FOR_68000 = ["period-68000", "period-registers"]
FUNCTIONS = [
    *("GetMyFirstObject", "UpdateSectors", "ClearCollisionArray", "UpdateCollisionArray", "DetermineCollisions"),
    "CalcCollisionsInSector",
]


def listing(build: str, name: str, model: str = "MC68040") -> list[str]:
    """Return the instructions of a function."""
    image = load_rom("sectors").image("m68040", build)
    core = Core(m68k.cpu(model), "off")
    for address, content in image.segments:
        core.ram[address : address + len(content)] = np.frombuffer(content, np.uint8)
    symbol, lines = image.symbols[name], []
    pc = symbol.address
    while pc < symbol.address + symbol.size:
        insn = core.decode(pc)
        lines.append(insn.text.upper())
        pc += insn.length
    return lines


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_keeps_a_frame(build: str, name: str) -> None:
    lines = listing(build, name)
    assert lines[name == "DetermineCollisions"].startswith("LINK A6,#"), lines[:2]
    assert [line.split()[0] for line in lines[-2:]] == ["UNLK", "RTS"]
    assert sum(line.startswith("RTS") for line in lines) == 1


def test_products_and_quotients() -> None:
    """A short index takes MULS.W, a long one MULS.L or the library, a difference of pointers DIVS.L or the library."""

    def count(build: str, what: str) -> list[int]:
        return [sum(line.startswith(what) for line in listing(build, name)) for name in FUNCTIONS]

    assert count("period", "MULS.L") == [0, 1, 0, 0, 0, 0]
    assert count("period", "DIVS") == [0, 0, 0, 0, 0, 2]
    for build in BUILDS:
        in_lists = build == "period-registers"  # where the size of the array is enough to know that 16 bits are
        assert count(build, "MULS.W") == [0, in_lists, 0, 1, 0, 0]
    for build in BUILDS_FOR_68000:
        for what in ("MULS.L", "DIV"):
            assert not any(count(build, what))


def test_variables_are_in_registers_or_in_the_frame() -> None:
    def in_frame(build: str, name: str) -> int:
        return sum("A6)" in line for line in listing(build, name))

    arguments = {"UpdateSectors": 2, "CalcCollisionsInSector": 1}
    assert {name: number for name in FUNCTIONS if (number := in_frame("period-registers", name))} == arguments
    assert in_frame("period-68000", "CalcCollisionsInSector") > 20


@pytest.mark.parametrize("build", BUILDS_FOR_68000)
def test_the_68000_builds_have_no_other_instructions(build: str) -> None:
    symbols = load_rom("sectors").image("m68040", build).symbols
    for name in (*FUNCTIONS, "memset", *({"LongMultiply", "LongDivide"} & symbols.keys())):
        assert listing(build, name, "MC68000") == listing(build, name)


def test_other_builds_do() -> None:
    assert listing("period", "UpdateSectors", "MC68000") != listing("period", "UpdateSectors")


def test_what_is_called() -> None:
    symbols = {build: load_rom("sectors").image("m68040", build).symbols for build in BUILDS}
    assert [{"Abs", "IntersectQ"} <= symbols[build].keys() for build in BUILDS] == [False, True, False, False]
    for build in BUILDS:
        calls = [line for name in FUNCTIONS for line in listing(build, name) if line.startswith(("JSR", "BSR"))]
        assert len(calls) > 10
        assert all(",PC)" in line for line in calls)


def test_division_and_multiplication_of_the_library() -> None:
    """On signs and sizes that the routine itself never has."""
    machine = Machine("mc68040-25", build="period-68000", timing="off")
    draw = np.random.default_rng(1994)

    def call(name: str, d0: int, d1: int) -> int:
        machine.regs["d0"], machine.regs["d1"] = d0 & 0xFFFFFFFF, d1 & 0xFFFFFFFF
        result = machine.measure(name, warm=0).result
        return result - (result >> 31 << 32)

    for _ in range(300):
        a = int(draw.integers(-(2**31), 2**31)) >> int(draw.integers(0, 31))
        b = int(draw.integers(-(2**31), 2**31)) >> int(draw.integers(0, 31))
        divisor = int(draw.integers(1, 2**16)) >> int(draw.integers(0, 16)) or 1
        product = a * b & 0xFFFFFFFF
        assert call("LongMultiply", a, b) == product - (product >> 31 << 32)
        assert call("LongDivide", a, divisor) == (abs(a) // divisor) * (-1 if a < 0 else 1)
