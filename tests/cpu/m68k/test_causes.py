"""What the clocks of the MC68040 go to: small programs by hand, and random ones whose causes add up to their clocks."""

from __future__ import annotations

from functools import cache

import pytest

from retrosim.cpu import m68k
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.engines.handlers.interpret import Interpreter
from retrosim.cpu.m68k.mc68040_pipeline import CAUSES
from retrosim.cpu.spec.cpu import CODE_WRITTEN, RUNNING, SERVICE
from tests.helpers.amount import FULL
from tests.helpers.cpu import m68k_streams as streams

CPU = m68k.cpu("MC68040")
SEED = 1994
INSTRUCTIONS = 300 if FULL else 100  # of a random program; most soon go round in a small loop
REGISTERS = [0] * 8 + [streams.DATA + 0x100 * i for i in range(7)] + [streams.STACK]
MEMORY = [5, 11, 4, 5, 1]  # first_read, line_read, write, video_write, copyback


@cache
def machinery(name: str, timing: str) -> tuple[Core, Evaluator | Interpreter]:
    """Return a core and an engine with handlers for the programs of this file."""
    return streams.engine_for(CPU, name, timing, [program[0] for program in (*IDEAL.values(), *COLD.values())])


def counted(name: str, code: str, instructions: int, registers: dict[int, int], memory: list[int]) -> dict[str, int]:
    """Run a program from an empty pipeline and cold caches; return what its clocks went to, as far as anything did."""
    core, runs = machinery(name, "causes")
    values = [registers.get(i, value) for i, value in enumerate(REGISTERS)]
    streams.load(core, bytes.fromhex(code), bytes(0x1000), values, 0)
    core.state["memory"][:] = memory
    assert runs.run(instructions) == instructions
    counts = core.state["causes"].tolist()
    assert sum(counts) == core.state["cycles"]
    return {cause: clocks for cause, clocks in zip(CAUSES, counts, strict=True) if clocks}


# Clocks by the comments of PROGRAMS in test_clocks.py, whose stages e, f, x are used here; memory answers at once. The
# first instruction always finds the pipeline empty, which costs the two clocks of its way to the execute stage.
IDEAL = {
    "one moveq": ("7001", 1, {}, {"execute": 1, "refill": 2}),
    "four moveq": ("7001 7201 7401 7601", 4, {}, {"execute": 4, "refill": 2}),
    # the branch waits for the flags of the multiplication: x16, then e17 f18 x19
    "mulu.w; bne; moveq": ("c4c1 6602 7202", 3, {}, {"execute": 15, "branches": 2, "refill": 2}),
    # x3, stored by 4; the read begins at 2 and waits until then
    "move.l d0,(a1); move.l (a1),d1": ("2280 2211", 2, {}, {"execute": 2, "data": 2, "refill": 2}),
    # subq e1 f2 x3; bne e3 f4: waits 1; subq e4 f5: waits 1, both for the branch; at the end only the bne's own
    "subq.l #1,d0; bne, 100 passes": ("5380 66fc", 200, {0: 200}, {"execute": 100, "branches": 199, "refill": 2}),
    "moveq #0; bne; moveq": ("7000 6602 7202", 3, {}, {"execute": 2, "branches": 3, "refill": 2}),
    # the address register is ready when the instruction before has left the execute stage
    "movea d1,a1; move (a1),d0": ("2241 2011", 2, {}, {"execute": 2, "registers": 2, "refill": 2}),
    "movea; moveq; move (a1)": ("2241 7401 2011", 3, {}, {"execute": 3, "registers": 1, "refill": 2}),
    # 3/2L+1: address calculation beyond one clock
    "move (d16,pc),d0 twice": ("203a 0012 203a 0012", 2, {}, {"execute": 2, "addresses": 4, "refill": 2}),
    # 10/1L+9, two fetches
    "move ([0,a1]),d0": ("2031 2951", 1, {}, {"execute": 9, "addresses": 9, "operands": 1, "refill": 2}),
    # a long word at an odd address is read in two accesses
    "move.l (a1),d0 misaligned": ("2011", 1, {9: streams.DATA + 2}, {"execute": 1, "operands": 1, "refill": 2}),
    "move.l d0,(a1) misaligned": ("2280", 1, {9: streams.DATA + 2}, {"execute": 1, "stores": 1, "refill": 2}),
    "moveq; nop; moveq": ("7001 4e71 7201", 3, {}, {"execute": 9, "addresses": 7, "registers": 2, "refill": 2}),
}
# with the memory of a Quadra: a line whose first long word comes after 5 clocks and the last after 11
COLD = {
    "one moveq": ("7001", 1, {}, {"execute": 1, "code": 5, "refill": 2}),
    # code until 5 and the bus until 11; the operand is asked for at 6, begins at 11, is there at 16: e6, f7 and 10 more
    "move.l (a1),d0": ("2011", 1, {}, {"execute": 1, "code": 5, "data": 10, "refill": 2}),
    # e6 f7 x8: the store waits for the bus until 11, and its line until 16
    "move.l d0,(a1)": ("2280", 1, {}, {"execute": 1, "code": 5, "stores": 8, "refill": 2}),
}


@pytest.mark.parametrize("name", ["evaluate", "interpret"])
@pytest.mark.parametrize("program", IDEAL)
def test_causes_by_hand(program: str, name: str) -> None:
    code, instructions, registers, expected = IDEAL[program]
    assert counted(name, code, instructions, registers, [0, 0, 0, 0, 1]) == expected


@pytest.mark.parametrize("name", ["evaluate", "interpret"])
@pytest.mark.parametrize("program", COLD)
def test_causes_of_cold_caches(program: str, name: str) -> None:
    code, instructions, registers, expected = COLD[program]
    assert counted(name, code, instructions, registers, MEMORY) == expected


@pytest.mark.full
@pytest.mark.parametrize("copyback", [1, 0])
def test_random_programs_add_up_to_the_clocks_of_the_full_model(copyback: int) -> None:
    """After every slice; and the model that counts takes the same clocks as the one that does not."""
    generator = streams.Generator(CPU, SEED + copyback)
    total, seen = 0, set()
    for program in range(15):
        code, data, registers = generator.code(), generator.data(), generator.registers()
        ends = []
        for timing in ("causes", "full"):
            core, runs = machinery("evaluate", timing)
            streams.load(core, code, data, registers, 0)
            core.state["memory"][:] = [*MEMORY[:4], copyback]
            left = INSTRUCTIONS
            while left:
                executed = runs.run(min(left, 37))
                left -= executed
                core.notice_writes()
                where = f"seed {SEED + copyback}, program {program}, {INSTRUCTIONS - left} instructions, {timing}"
                counts = core.state["causes"].tolist()
                assert sum(counts) == (core.state["cycles"] if timing == "causes" else 0), where
                if core.state["reason"] not in (RUNNING, CODE_WRITTEN, SERVICE):
                    break
            ends.append((int(core.state["cycles"]), int(core.state["pc"]), left))
            seen |= {cause for cause, clocks in zip(CAUSES, counts, strict=True) if clocks}
            total += INSTRUCTIONS - left
        assert ends[0] == ends[1], where
    print(f"{total} instructions, seed {SEED + copyback}")
    assert seen == set(CAUSES)


def test_only_a_branch_or_an_empty_pipeline_leaves_clocks_to_its_successor() -> None:
    """In straight code without branches nothing is counted under them, whatever is executed."""
    branches = frozenset(row.name for row in CPU.table.rows if row.options.get("flow"))
    generator = streams.Generator(CPU, SEED, skip=branches)
    core, runs = machinery("evaluate", "causes")
    for _ in range(8):
        streams.load(core, generator.code(), generator.data(), generator.registers(), 0)
        core.state["memory"][:] = MEMORY
        for _ in range(200):
            before = dict(zip(CAUSES, core.state["causes"].tolist(), strict=True))
            was_empty = core.state["ea_end"] == core.state["cycles"]
            if core.decode(int(core.state["pc"])).row.options.get("flow"):
                break  # an exception has led into the middle of an instruction, which reads as a branch
            runs.run(1)
            after = dict(zip(CAUSES, core.state["causes"].tolist(), strict=True))
            assert after["branches"] == before["branches"]
            assert after["refill"] == before["refill"] or was_empty
            core.notice_writes()
            if core.state["reason"] not in (RUNNING, CODE_WRITTEN, SERVICE):
                break
