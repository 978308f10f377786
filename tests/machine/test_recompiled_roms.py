"""Builds of the ROM recompiled, in both of its modes: all state is the interpreter's. --full: every one."""

from __future__ import annotations

import signal
from functools import partial

import pytest

from retrosim.cpu.engines import tiers
from retrosim.cpu.engines.clock_table.memo import Memo
from retrosim.cpu.engines.regions.compiled_region import CompiledRegion
from retrosim.machine import Machine, open_machine
from retrosim.rom import load_rom
from tests.helpers.amount import usually
from tests.helpers.cpu.cores import differences
from tests.helpers.machine.flat import MACHINE_OF

BUILDS = [(info.isa, info.build) for info in load_rom("sectors").images]
USUAL = "O2"
SOME = [(isa, build) for isa, build in BUILDS if build in (USUAL, "fast", "period")]
PARAMETERS = {"objects": 30, "seed": 11}
LIMITS = ({"instructions": 20_011}, {"cycles": 99_999}, {"frames": 3}, {"cycles": 500_000})


def assert_same(first: Machine, second: Machine, where: str) -> None:
    assert dict(first.regs) == dict(second.regs), where
    assert (first.cycles, first.instructions, first.frame_cycles, first.frame_instructions) == (
        second.cycles,
        second.instructions,
        second.frame_cycles,
        second.frame_instructions,
    ), where
    assert differences(first.core, second.core) == [], where


def test_there_are_builds() -> None:
    assert len(BUILDS) >= 10 and {isa for isa, _ in BUILDS} == {isa for isa, _ in SOME} == set(MACHINE_OF)


@pytest.mark.full
@pytest.mark.parametrize("isa, build", usually(SOME, BUILDS))
def test_frames_and_measurements(isa: str, build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "CompiledRegion", partial(CompiledRegion, quick=True))
    timing = "full" if build == USUAL else "table"  # the one of all regions that takes longest to compile
    for mode in ("demo", "harness"):
        interpreted, recompiled = (
            open_machine(MACHINE_OF[isa], build=build, timing=timing, parameters=PARAMETERS, mode=mode, engine=engine)
            for engine in ("interpret", "recompile")
        )
        assert recompiled.engine == "recompile"
        for step, limits in enumerate(LIMITS):
            for each in (interpreted, recompiled):
                each.set_input("pad", 5)
                each.run(**({"instructions": 300_000} | limits if mode == "harness" else limits))
            assert_same(interpreted, recompiled, f"{mode}, step {step}")
        if mode == "demo":
            assert interpreted.frame_number >= 3
            costs = [each.measure("DetermineCollisions") for each in (interpreted, recompiled)]
            assert costs[0] == costs[1] and costs[0].instructions > 1000
            assert_same(interpreted, recompiled, "measured")


@pytest.mark.full
def test_an_interruption_in_the_middle_of_compiled_code_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told when compiled code has come back; the machine goes on as if nothing had been."""
    answer, struck = Memo._asked, []

    def interrupted(memo: Memo, question: int, detail: int) -> int:
        if not struck:
            struck.append(question)
            signal.raise_signal(signal.SIGINT)
        return answer(memo, question, detail)

    plain = Machine("mc68040-25", "sectors", engine="recompile")
    monkeypatch.setattr(Memo, "_asked", interrupted)
    machine = Machine("mc68040-25", "sectors", engine="recompile")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a worker of the tests may ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            machine.run(frames=2)
        assert struck and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    machine.run(frames=4 - machine.frame_number)
    plain.run(frames=4)
    assert (machine.hash("machine"), machine.cycles) == (plain.hash("machine"), plain.cycles)
