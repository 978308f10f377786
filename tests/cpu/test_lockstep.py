"""Evaluator, interpreter and recompiled regions agree on every register, byte and clock of random programs."""

from __future__ import annotations

import os
import random
from collections.abc import Callable

import pytest
import streams
from agreement import SEED, agree, assert_same

from retrosim.cpu import interpret, m68k
from retrosim.cpu.banks import bank, full_bank
from retrosim.cpu.core import FAULT, Core, Cpu
from retrosim.cpu.evaluate import Evaluator
from retrosim.cpu.interpret import Interpreter
from retrosim.cpu.recompile import CompiledRegion
from retrosim.machine.presets import MOST_MEMORY_CLOCKS

INSTRUCTIONS = int(os.environ.get("RETROSIM_LOCKSTEP", "40000"))  # per model with full timing; a quarter otherwise
REGION_BYTES, OPTIMISED_BYTES = 640, 160  # of a program that is recompiled, quickly or with full optimisation
LONGEST = 2000  # instructions of one run of it
LENGTHS = (1, 2, 3, 7, 1000)  # of slices
FAR = 1 << 62
MEMORIES = ([0, 0, 0, 0, 1], [5, 11, 4, 5, 1], [5, 11, 4, 5, 0], [MOST_MEMORY_CLOCKS] * 4 + [1])


def run(engine, core: Core, slices: list[int], period: int = FAR) -> tuple[int, list[int]]:
    """Run slice after slice, serving nothing, up to a fault; return (instructions, where the clock passed a period)."""
    done, passed = 0, []
    for count in slices:
        left = count
        while left:
            limit = core.state["limit"] = (int(core.state["cycles"]) // period + 1) * period
            executed = engine.run(left)
            left -= executed
            done += executed
            core.notice_writes()
            if core.state["cycles"] >= limit:
                passed.append(done)
            if core.state["reason"] == FAULT:
                return done, passed
    return done, passed


def cut(choice: random.Random, count: int) -> list[int]:
    """Cut a run into slices: one, all of a length, or any."""
    kind = choice.choice(("one", "one", "one", "any", "any", choice.choice(LENGTHS)))
    slices: list[int] = []
    left = count
    while left:
        length = {"one": count, "any": choice.randint(1, LONGEST)}.get(kind, kind)
        slices.append(min(length, left))
        left -= slices[-1]
    return slices


@pytest.mark.parametrize("timing", ["full", "table", "off"])
@pytest.mark.parametrize("model", m68k.MODEL_NAMES)
def test_interpreter(model: str, timing: str) -> None:
    """Many short programs: every row."""
    cpu = m68k.cpu(model)
    generator = streams.Generator(cpu, SEED)

    def prepare() -> Callable[[Core], None]:
        program = generator.code(), generator.data(), generator.registers(), generator.random.getrandbits(5)
        return lambda core: streams.load(core, *program)

    rows = agree(cpu, timing, INSTRUCTIONS if timing == "full" else INSTRUCTIONS // 4, prepare)
    assert timing != "full" or len(rows) > 0.9 * len(cpu.table.rows)


class Region:
    """A random program as one recompiled region, beside the other engines.

    alone   no handlers beside the region: the evaluator bridges what it does not run, and that is counted
    """

    def __init__(self, cpu: Cpu, timing: str, code: bytes, alone: bool, quick: bool) -> None:
        self.code, self.cores = code, [Core(cpu, timing) for _ in range(3)]
        streams.load(self.cores[2], code, b"", [0] * 16, 0, span=len(code))
        self.region = streams.one_region(self.cores[2], len(code))
        handlers = full_bank(cpu, timing)
        self.recompiler = Interpreter(self.cores[2], bank(cpu, timing, []) if alone else handlers)
        self.recompiler.install(CompiledRegion(cpu, timing, self.region, quick))
        self.engines = Evaluator(self.cores[0]), Interpreter(self.cores[1], handlers), self.recompiler
        self.recompiled = 0  # instructions that the region has run, where that is counted
        self.alone = alone

    def compare(self, generator: streams.Generator, choice: random.Random, where: str) -> int:
        """Run all engines on the same random data in different slices; return how many instructions."""
        data, registers, flags = generator.data(0x1000), generator.registers(), choice.getrandbits(5)
        count, memory = choice.randint(1, LONGEST), choice.choice(MEMORIES)
        period = choice.choice((1000, 100_000, FAR, FAR, FAR))
        ends, bridged = [], self.recompiler.bridged
        for core, engine in zip(self.cores, self.engines, strict=True):
            streams.load(core, self.code, data, registers, flags, span=len(self.code))
            core.state["memory"] = memory
            ends.append(run(engine, core, [count] if engine is self.engines[0] else cut(choice, count), period))
        assert ends[0] == ends[1] == ends[2], where
        for core in self.cores[1:]:
            assert_same(self.cores[0], core, f"{where}, {ends[0][0]} instructions")
        if self.alone:
            self.recompiled += ends[0][0] - (self.recompiler.bridged - bridged)
        return ends[0][0]


@pytest.mark.parametrize("timing", ["full", "table", "off"])
@pytest.mark.parametrize("model", m68k.MODEL_NAMES)
def test_three_engines(model: str, timing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few programs, compiled once and run many times with other data."""
    monkeypatch.setattr(interpret, "MOST_BREAKS", 1 << 30)
    cpu = m68k.cpu(model)
    generator, choice = streams.Generator(cpu, SEED + 1), random.Random(SEED)
    wanted = INSTRUCTIONS if timing == "full" else INSTRUCTIONS // 4
    programs = (4 if timing == "full" else 2) + wanted // 50_000
    rows: set[str] = set()
    total = alone = recompiled = runs = 0
    for number in range(programs):
        optimised = number == programs - 1
        code = streams.closed(generator.code(OPTIMISED_BYTES if optimised else REGION_BYTES))
        region = Region(cpu, timing, code, alone=number % 2 == 0, quick=not optimised)
        done = 0
        while done < wanted / programs:
            done += region.compare(generator, choice, f"seed {SEED}, program {number}, run {runs}")
            runs += 1
        rows |= {insn.row.pattern for insn in region.region.insns}
        total += done
        alone += done if region.alone else 0
        recompiled += region.recompiled
    print(f"{model} {timing}: {programs} programs, {runs} runs, {total} instructions, {len(rows)} rows, seed {SEED}")
    print(f"{recompiled} of {alone} instructions of programs without handlers were run by regions")
    assert recompiled > alone / 4


@pytest.mark.parametrize("engine", ["interpret", "recompile"])
@pytest.mark.parametrize("length", LENGTHS)
def test_slices_of_any_length_give_the_same_end(length: int, engine: str) -> None:
    cpu = m68k.cpu("MC68040")
    ends: list[tuple] = []
    for slices in ([3000], [length] * (3000 // length) + ([3000 % length] if 3000 % length else [])):
        generator = streams.Generator(cpu, SEED + length)
        core = Core(cpu, "full")
        code = streams.closed(generator.code(REGION_BYTES))
        streams.load(core, code, generator.data(), generator.registers(), 0)
        runs = Interpreter(core, full_bank(cpu, "full"))
        if engine == "recompile":
            runs.install(CompiledRegion(cpu, "full", streams.one_region(core, len(code)), quick=True))
        count = run(runs, core, slices)[0]
        state = [core.state[name].tolist() for name in ("cycles", "r", "pc")]
        ends.append((count, state, core.ram.tobytes()))
    assert ends[0] == ends[1]
