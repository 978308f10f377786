"""The PowerPC builds in the style of 1994: their machine code keeps the rules that the head of their source states."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from retrosim.cpu import ppc
from retrosim.cpu.engines.core import Core
from retrosim.cpu.spec.rows import Insn
from retrosim.rom import load_rom

BUILDS = ["period", "period-calls", "period-divide", "period-level0"]
FUNCTIONS = (
    *("GetMyFirstObject", "UpdateSectors", "ClearCollisionArray", "UpdateCollisionArray", "DetermineCollisions"),
    *("CalcCollisionsInSector", "Abs", "IntersectQ"),
)


def instructions(build: str, name: str) -> list[Insn]:
    image = load_rom("sectors").image("ppc601", build)
    core = Core(ppc.cpu("MPC601"), "off")
    for address, content in image.segments:
        core.ram[address : address + len(content)] = np.frombuffer(content, np.uint8)
    symbol = image.symbols[name]
    return [core.decode(pc) for pc in range(symbol.address, symbol.address + symbol.size, 4)]


def functions(build: str) -> list[str]:
    known = load_rom("sectors").image("ppc601", build).symbols
    return [name for name in FUNCTIONS if name in known]


def texts(build: str, name: str) -> list[str]:
    return [insn.text for insn in instructions(build, name)]


@pytest.mark.parametrize("build", BUILDS)
def test_who_calls_keeps_a_frame_and_nobody_else(build: str) -> None:
    for name in functions(build):
        lines = texts(build, name)
        calls = any(line.startswith("bl ") for line in lines)
        assert calls == ("mflr r0" in lines) == any(line.startswith("stwu r1,-") for line in lines), name
        assert sum(line == "blr" for line in lines) == 1 and lines[-1] == "blr", name


@pytest.mark.parametrize("build", BUILDS)
def test_globals_by_the_toc_and_calls_with_a_nop(build: str) -> None:
    image = load_rom("sectors").image("ppc601", build)
    names = {"memset", "GetMyFirstObject", "Abs", "IntersectQ"} & image.symbols.keys()
    external = {image.symbols[name].address for name in names}
    called = set()
    for name in functions(build):
        found = instructions(build, name)
        for insn, behind in pairwise(found):
            if insn.text.startswith("bl "):
                assert (behind.text == "nop") == (insn.target in external), (name, insn.text)
                called.add(insn.target)
        assert not any(line.startswith("lis") for line in texts(build, name)) or name == "DetermineCollisions"
        assert not any("(r2)" in line and not line.startswith("lwz") for line in texts(build, name))
    assert external <= called


def test_products_and_quotients() -> None:
    def count(build: str, what: str) -> dict[str, int]:
        found = {name: sum(line.split()[0] == what for line in texts(build, name)) for name in functions(build)}
        return {name: number for name, number in found.items() if number}

    for build in BUILDS:
        assert count(build, "mulli") == {"UpdateSectors": 1, "UpdateCollisionArray": 1}
        assert count(build, "divw") == ({"CalcCollisionsInSector": 2} if build == "period-divide" else {})
        assert count(build, "addze") == ({} if build == "period-divide" else {"CalcCollisionsInSector": 2})


def test_what_is_called() -> None:
    symbols = {build: load_rom("sectors").image("ppc601", build).symbols for build in BUILDS}
    assert [{"Abs", "IntersectQ"} <= symbols[build].keys() for build in BUILDS] == [False, True, False, False]


def test_saved_registers() -> None:
    """At level 0 a function that calls nothing saves the registers of its two variables; elsewhere it saves none."""

    def saved(build: str) -> list[int]:
        return [sum(word in line for line in texts(build, "CalcCollisionsInSector")) for word in ("(r1)", "r31")]

    assert saved("period-level0")[0] == 4 and saved("period-level0")[1] > 10
    assert saved("period") == [0, 0]
