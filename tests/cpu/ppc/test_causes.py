"""What the clocks of the PowerPC 601 go to: small programs by hand, random ones whose causes add up to their clocks."""

from __future__ import annotations

from functools import cache

import pytest

from retrosim.cpu import ppc
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.engines.handlers.interpret import Interpreter
from retrosim.cpu.ppc.mpc601_clocks import memory
from retrosim.cpu.ppc.mpc601_pipeline import CAUSES
from retrosim.cpu.spec.cpu import CODE_WRITTEN, RUNNING, SERVICE, STATUS_WRITTEN
from tests.helpers.amount import FULL
from tests.helpers.cpu import ppc_streams as streams
from tests.helpers.cpu.agreement import SEED
from tests.helpers.cpu.cores import handler_cache_for
from tests.helpers.cpu.ppc_assembler import BLR, addi, b, bc, cmpwi, code, encode, lwz, mtspr, stw

CPU = ppc.cpu("MPC601")
INSTRUCTIONS = 300 if FULL else 150  # of a random program
GOES_ON = (RUNNING, CODE_WRITTEN, SERVICE, STATUS_WRITTEN)
MEMORY = list(memory().values())
NO_MEMORY = [0] * len(MEMORY)
A, FAR = addi(3, 3, 1), 4 * 9

# The clocks are those of PROGRAMS in test_ppc_clocks.py. The first integer instruction enters its execute stage at 2.
START = {"refill": 2}
PROGRAMS = {
    "addi x 8": ([A] * 8, 8, {}, {"execute": 8}),
    "load, use": ([lwz(3, 4), addi(5, 3, 1)], 2, {}, {"execute": 2, "operands": 1}),
    "mflr, use": ([encode("mfspr", d=3, p=8 << 5), addi(5, 3, 1)], 2, {}, {"execute": 2, "operands": 1}),
    "division": ([encode("divw", d=5, a=4, b=6), A], 2, {}, {"execute": 2, "longer": 35}),
    "lmw r29": ([encode("lmw", d=29, a=4), A], 2, {}, {"execute": 2, "longer": 2}),
    "load across a double word": ([lwz(3, 4), addi(5, 6, 1)], 2, {4: 0x20006}, {"execute": 2, "crossing": 1}),
    "branch behind three": ([A, A, A, b(FAR), *[A] * 8, A], 5, {}, {"execute": 4}),
    "branch behind one": ([A, b(FAR), *[A] * 8, A], 3, {}, {"execute": 2, "targets": 1}),
    "compare, not taken": ([A, A, A, cmpwi(0, 10, 1), bc(12, 2, FAR), A], 6, {10: 0}, {"execute": 5}),
    "compare, taken, wrong": (
        [A, A, A, cmpwi(0, 10, 0), bc(12, 2, FAR), *[A] * 9],
        6,
        {10: 0},
        {"execute": 5, "mispredicted": 3},
    ),
    "compare, 1, taken, wrong": (
        [A, A, A, cmpwi(0, 10, 0), A, bc(12, 2, FAR), *[A] * 9],
        7,
        {10: 0},
        {"execute": 6, "mispredicted": 2},
    ),
    # executed at 5, its target fetched for 7: two clocks of each wait lie behind the end of mtlr, at 3
    "mtlr, blr": ([mtspr(8, 4), BLR], 3, {4: 0x10000 + FAR}, {"execute": 2, "links": 3, "targets": 2}),
    "data leave no clock for the fetch": (
        [lwz(3, 4)] + [stw(5, 4)] * 8,
        9,
        {},
        {"execute": 9, "contention": 1},
    ),
}
COLD = {  # with the memory of the 8100/80: miss + first data from DRAM 3 + 16
    "addi": ([A], 1, {}, {"execute": 1, "code": 19}),
    # ends at 22; the bus is busy with the sector of code until 1 + 34, the data come 19 later and can be used at 55
    "load, use": ([lwz(3, 4), addi(5, 3, 1)], 2, {}, {"execute": 2, "code": 19, "data": 33}),
}


@cache
def machinery(name: str, timing: str) -> tuple[Core, Evaluator | Interpreter]:
    core = Core(CPU, timing)
    if name == "evaluate":
        return core, Evaluator(core)
    words = sorted({word for program in (*PROGRAMS.values(), *COLD.values()) for word in program[0]} | {A})
    core.write(streams.CODE, code(*words))
    return core, Interpreter(core, handler_cache_for(core, [streams.CODE + 4 * i for i in range(len(words))]))


def counted(name: str, words: list[int], instructions: int, registers: dict[int, int], parameters: list[int]) -> dict:
    """Run a program from an empty pipeline and cold caches; return what its clocks went to, as far as anything did."""
    core, runs = machinery(name, "causes")
    values = [registers.get(n, streams.DATA) for n in range(32)]
    streams.load(core, code(*words, *[A] * 20), b"", values, 0)
    core.state["memory"] = parameters
    assert runs.run(instructions) == instructions
    counts = core.state["causes"].tolist()
    assert sum(counts) == core.state["cycles"]
    return {cause: clocks for cause, clocks in zip(CAUSES, counts, strict=True) if clocks}


@pytest.mark.parametrize("name", ["evaluate", "interpret"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_causes_by_hand(program: str, name: str) -> None:
    words, instructions, registers, expected = PROGRAMS[program]
    assert counted(name, words, instructions, registers, NO_MEMORY) == START | expected


@pytest.mark.parametrize("name", ["evaluate", "interpret"])
@pytest.mark.parametrize("program", COLD)
def test_causes_of_a_cold_cache(program: str, name: str) -> None:
    words, instructions, registers, expected = COLD[program]
    assert counted(name, words, instructions, registers, MEMORY) == START | expected


@pytest.mark.full
@pytest.mark.parametrize("name", ["evaluate", "interpret"])
def test_any_cause_that_the_state_names_is_one(name: str) -> None:
    """A state from outside can name any: clocks are counted among the causes, and nowhere else."""
    core, runs = machinery(name, "causes")
    for bubble in range(256):
        streams.load(core, code(*[A] * 4), b"", [streams.DATA] * 32, 0)
        core.state["entered"], core.state["fetched"], core.state["bubble"] = 2, 6, bubble
        runs.run(1)
        counts = core.state["causes"].tolist()
        assert sum(counts) == core.state["cycles"] and counts[bubble & 7] > 0
        assert core.state["bubble"] == bubble


@pytest.mark.full
def test_random_programs_add_up_to_the_clocks_of_the_full_model() -> None:
    """After every slice; and the model that counts takes the same clocks as the one that does not."""
    generator = streams.Generator(CPU, SEED)
    total, seen = 0, set()
    for program in range(12):
        content = generator.code(), generator.data(), generator.registers(), generator.random.getrandbits(82)
        ends = []
        for timing in ("causes", "full"):
            core, runs = machinery("evaluate", timing)
            streams.load(core, *content)
            core.state["memory"] = MEMORY
            left = INSTRUCTIONS
            while left:
                left -= runs.run(min(left, 37))
                core.notice_writes()
                where = f"seed {SEED}, program {program}, {INSTRUCTIONS - left} instructions, {timing}"
                counts = core.state["causes"].tolist()
                assert sum(counts) == (core.state["cycles"] if timing == "causes" else 0), where
                assert min(counts) >= 0 and max(counts) < 1 << 40, where
                if core.state["reason"] not in GOES_ON:
                    break
            ends.append((int(core.state["cycles"]), int(core.state["pc"]), left))
            seen |= {cause for cause, clocks in zip(CAUSES, counts, strict=True) if clocks}
            total += INSTRUCTIONS - left
        assert ends[0] == ends[1], where
    print(f"{total} instructions, seed {SEED}")
    assert seen >= set(CAUSES) - {"contention", "links"}  # rare among misses; the programs by hand have them
