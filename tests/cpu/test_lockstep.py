"""Evaluator and interpreter agree on every register, byte and clock of random programs."""

from __future__ import annotations

import os
import random
from collections.abc import Callable

import numpy as np
import pytest
import streams

from retrosim.cpu import m68k
from retrosim.cpu.banks import full_bank
from retrosim.cpu.core import CODE_WRITTEN, RUNNING, SERVICE, Core, Cpu
from retrosim.cpu.evaluate import Evaluator
from retrosim.cpu.interpret import Interpreter

INSTRUCTIONS = int(os.environ.get("RETROSIM_LOCKSTEP", "40000"))  # per model and timing mode
PROGRAM = 150  # instructions of one random program
SEED = 1994


def run(engine, core: Core, slices: list[int], goes_on: tuple[int, ...] = (RUNNING, CODE_WRITTEN, SERVICE)) -> int:
    """Run slice after slice, serving nothing; stop early for reasons that are not in `goes_on`."""
    done = 0
    for count in slices:
        left = count
        while left:
            executed = engine.run(left)
            left -= executed
            done += executed
            core.notice_writes()
            if core.state["reason"] not in goes_on:
                return done
    return done


def agree(cpu: Cpu, timing: str, wanted: int, prepare: Callable[[], Callable[[Core], None]], **options) -> set[str]:
    """Run random programs on both engines and compare all state; return the patterns of the rows that ran.

    wanted    instructions
    prepare   makes the next program, returned as what loads it into a core
    options   of `run`
    """
    first, second = Core(cpu, timing), Core(cpu, timing)
    evaluator, interpreter = Evaluator(first), Interpreter(second, full_bank(cpu, timing))
    cuts_of = random.Random(SEED)
    rows: set[str] = set()
    keys: set[tuple] = set()
    total = programs = 0
    while total < wanted:
        load = prepare()
        for core in (first, second):
            load(core)
        cuts = sorted(cuts_of.sample(range(1, PROGRAM), 3))
        slices = [b - a for a, b in zip([0, *cuts], [*cuts, PROGRAM], strict=True)]
        counts = run(evaluator, first, [PROGRAM], **options), run(interpreter, second, slices, **options)
        rows |= {insn.row.pattern for insn in first.insns.values()}
        keys |= {insn.key for insn in first.insns.values()}
        where = f"seed {SEED}, program {programs}, {counts} instructions"
        assert counts[0] == counts[1], where
        for name in first.state.dtype.names:
            if name not in ("reason", "detail", "access"):
                assert np.array_equal(first.state[name], second.state[name]), f"{where}: {name}"
        assert np.array_equal(first.ram, second.ram), where
        total += counts[0]
        programs += 1
    print(
        f"{cpu.model} {timing}: {programs} programs, {total} instructions, {len(rows)} rows, "
        f"{len(keys)} of {len(list(cpu.keys()))} handlers, seed {SEED}"
    )
    return rows


@pytest.mark.parametrize("timing", ["full", "table", "off"])
@pytest.mark.parametrize("model", m68k.MODEL_NAMES)
def test_random_programs(model: str, timing: str) -> None:
    cpu = m68k.cpu(model)
    generator = streams.Generator(cpu, SEED)

    def prepare() -> Callable[[Core], None]:
        program = generator.code(), generator.data(), generator.registers(), generator.random.getrandbits(5)
        return lambda core: streams.load(core, *program)

    rows = agree(cpu, timing, INSTRUCTIONS if timing == "full" else INSTRUCTIONS // 4, prepare)
    assert timing != "full" or len(rows) > 0.9 * len(cpu.table.rows)


@pytest.mark.parametrize("length", [1, 2, 3, 7, 1000])
def test_slices_of_any_length_give_the_same_end(length: int) -> None:
    cpu = m68k.cpu("MC68040")
    ends: list[tuple] = []
    for slices in ([3000], [length] * (3000 // length) + ([3000 % length] if 3000 % length else [])):
        generator = streams.Generator(cpu, SEED + length)
        core = Core(cpu, "full")
        streams.load(core, generator.code(), generator.data(), generator.registers(), 0)
        count = run(Interpreter(core, full_bank(cpu, "full")), core, slices)
        state = [core.state[name].tolist() for name in ("cycles", "r", "pc")]
        ends.append((count, state, core.ram.tobytes()))
    assert ends[0] == ends[1]
