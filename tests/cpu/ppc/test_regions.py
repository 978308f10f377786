"""Recompiled regions of PowerPC code: the three engines agree, and no clock of an instruction is above its bound.

--full runs more; --times N so many times as many, with every timing.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from retrosim.cpu import ppc
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.engines.handlers import interpret
from retrosim.cpu.engines.handlers.handler_cache import handler_cache, handlers_of
from retrosim.cpu.engines.handlers.interpret import Interpreter
from retrosim.cpu.engines.regions.compiled_region import CompiledRegion
from retrosim.cpu.engines.regions.regions import Region
from retrosim.cpu.ppc.mpc601_clocks import memory
from retrosim.cpu.spec.hits import FIELD as HITS
from retrosim.machine.boards import MAX_MEMORY_CLOCKS
from tests.helpers.amount import SOAK, amount
from tests.helpers.cpu import ppc_streams as streams_ppc
from tests.helpers.cpu.agreement import IS_LONG, SEED, assert_same, stay_within_bounds
from tests.helpers.cpu.m68k_streams import one_region
from tests.helpers.cpu.ppc_assembler import addi, b, code, encode, lwz
from tests.helpers.cpu.three_engines import ThreeEngines, run

INSTRUCTIONS = amount(2400, 8000)  # per timing mode
PROGRAMS, PROGRAM_BYTES = amount(40, 40), 0x1000 if IS_LONG else 0x400  # whose clocks have bounds
REGION_BYTES = 640  # of a program that is recompiled quickly
OPTIMISED_BYTES = 480 if IS_LONG else 240  # likewise with full optimisation
CPU = ppc.cpu("MPC601")
STMW = 47 << 26 | 7 << 21 | 4 << 16  # r7 to r31 to 0(r4)
FIXED = ("l2", "timer")  # parameters that are no clocks of an access
MEMORIES = (
    memory(),
    memory() | {"l2": 0},
    {name: value if name in FIXED else 0 for name, value in memory().items()},
    {name: value if name in FIXED else MAX_MEMORY_CLOCKS for name, value in memory().items()},
)
TIMINGS = ("full", "table", "off", "causes")


def closed(code: bytes) -> bytes:
    """Return code that begins again at its end."""
    return code + (0x48000000 | -len(code) & 0x3FFFFFC).to_bytes(4, "big")


def loader(generator: streams_ppc.Generator, choice: random.Random, code: bytes) -> Callable[[Core], None]:
    """Return what loads the code with random data."""
    program = generator.data(0x4000), generator.registers(), choice.getrandbits(82)
    parameters = list(choice.choice(MEMORIES).values())

    def load(core: Core) -> None:
        streams_ppc.load(core, code, *program)
        core.state["memory"] = parameters

    return load


@pytest.mark.full
@pytest.mark.parametrize("timing", TIMINGS if SOAK else ("full", "off"))
def test_three_engines(timing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few programs, compiled once and run many times with other data."""
    monkeypatch.setattr(interpret, "MAX_BREAKS", 1 << 30)
    generator, choice = streams_ppc.Generator(CPU, SEED), random.Random(SEED)
    programs = 2 + INSTRUCTIONS // 50_000
    total = alone = recompiled = runs = 0
    for number in range(programs):
        optimised = number == programs - 1 and timing == "full"
        code = closed(generator.code(OPTIMISED_BYTES if optimised else REGION_BYTES))

        def find(core: Core, code: bytes = code) -> Region:
            streams_ppc.load(core, code, b"", [0] * 32, 0)
            return one_region(core, len(code))

        handlers = handler_cache(CPU, timing, handlers_of(find(Core(CPU, timing)).insns), quick=not (optimised or SOAK))
        engines = ThreeEngines(CPU, timing, find, handlers, alone=number % 2 == 0, quick=not optimised)
        done = 0
        while done < INSTRUCTIONS / programs:
            load = loader(generator, choice, code)
            done += engines.compare(load, choice, f"seed {SEED}, program {number}, run {runs}")
            runs += 1
        total += done
        alone += done if engines.alone else 0
        recompiled += engines.recompiled
    print(f"{timing}: {programs} programs, {runs} runs, {total} instructions, seed {SEED}")
    print(f"{recompiled} of {alone} instructions of programs without handlers were run by regions")
    assert recompiled > alone / 10


@pytest.mark.full
@pytest.mark.parametrize("timing", ["full", "table", "causes"])
def test_no_instruction_takes_more_clocks_than_its_bound(timing: str) -> None:
    generator, choice = streams_ppc.Generator(CPU, SEED), random.Random(SEED)
    loads = (loader(generator, choice, generator.code(PROGRAM_BYTES)) for _ in range(PROGRAMS))
    assert len(stay_within_bounds(CPU, timing, loads)) > 0.6 * len(CPU.table.rows)


def test_the_ends_of_runs_change_no_clock() -> None:
    """A branch during a store of many words: its target is fetched as soon as the cache is free, however one counts."""
    program = code(STMW, b(8), addi(3, 3, 1), addi(3, 3, 1), addi(3, 3, 1))
    ends = []
    for slices in ([4], [1, 3], [1, 1, 1, 1]):
        core = Core(CPU, "full")
        streams_ppc.load(core, program, b"", [streams_ppc.DATA] * 32, 0)
        run(Evaluator(core), core, slices)
        core.state[HITS] = 0
        ends.append(core.state.tobytes())
    assert ends[0] == ends[1] == ends[2]


# the second sector is the one that is left no more; both programs begin with what is done once
PRIVILEGED = code(encode("dcbi", ra=0, rb=4), addi(3, 3, 1), b(24), *[addi(3, 3, 1)] * 5, addi(3, 3, 1), b(-4))
LOADS = code(lwz(3, 4), lwz(5, 4, 0x1000), lwz(5, 4, 0x2000), b(20), *[addi(3, 3, 1)] * 4, addi(3, 3, 1), b(-4))


@pytest.mark.parametrize("program, missing", [(PRIVILEGED, 0), (LOADS, 200_000)], ids=["privileged", "late data"])
def test_regions_of_few_instructions(program: bytes, missing: int) -> None:
    """An exception that could have come fetches nothing; a stall may be longer than 16 bits tell."""
    first, second = Core(CPU, "full"), Core(CPU, "full")
    for core in (first, second):
        streams_ppc.load(core, program, b"", [streams_ppc.DATA] * 32, 0)
        core.state["memory"] = list(memory().values())
        core.state["missing"] = missing
    engine = Interpreter(second, handler_cache(CPU, "full", []))
    engine.install(CompiledRegion(CPU, "full", one_region(second, len(program)), quick=True))
    run(Evaluator(first), first, [1000])
    run(engine, second, [1000])
    assert engine.bridged < 500
    assert_same(first, second, "1000 instructions")
