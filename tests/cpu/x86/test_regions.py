"""Recompiled regions of x86 code: the three engines agree, and no clock of an instruction is above its bound.

--full runs more; --times N so many times as many, with every timing.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import lru_cache

import pytest

from retrosim.cpu import x86
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.engines.handlers import interpret
from retrosim.cpu.engines.handlers.handler_cache import handler_cache, handlers_of
from retrosim.cpu.engines.regions.regions import Region
from retrosim.cpu.spec.rows import Insn
from retrosim.cpu.x86.i486_cache import UNCACHED_FROM
from retrosim.cpu.x86.modrm import EBX, ECX, EDI, ESI, ESP
from retrosim.machine.boards import MAX_MEMORY_CLOCKS
from tests.helpers.amount import SOAK, amount
from tests.helpers.cpu import m68k_streams as streams
from tests.helpers.cpu.agreement import IS_LONG, stay_within_bounds
from tests.helpers.cpu.three_engines import ThreeEngines
from tests.helpers.cpu.x86_streams import Generator, closed, program

INSTRUCTIONS = amount(2000, 6000)  # per model and timing mode
FOR_BOUNDS = amount(3000, 5000)  # likewise, on the evaluator alone
RUN = 2000  # instructions of one long run
SEED = 1994
REGION_BYTES, OPTIMISED_BYTES = 400, 120  # of a program that is recompiled, quickly or with full optimisation
MEMORIES = {
    "i286": ([0] * 5, [1, 1, 1, 3, 3], [3, 2, 5, 40, 30], [MAX_MEMORY_CLOCKS] * 5),
    "i386": ([0] * 5, [0, 0, 1, 22, 22], [3, 2, 5, 40, 30], [MAX_MEMORY_CLOCKS] * 5),
    "i486": ([0] * 5, [4, 10, 4, 8, 6], [10, 22, 8, 16, 12], [MAX_MEMORY_CLOCKS] * 5),
}
PAIRS = [(model, timing) for model in x86.MODEL_NAMES for timing in ("full", "table", "off")]
FEW = [
    ("i286_real", "full"),
    ("i386_real", "full"),
    ("i386_flat", "table"),
    ("i486_real", "off"),
    ("i486_flat", "full"),
]


@pytest.mark.full
@pytest.mark.parametrize("model, timing", PAIRS if SOAK else FEW)
def test_three_engines(model: str, timing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few programs, compiled once and run many times with other data."""
    monkeypatch.setattr(interpret, "MAX_BREAKS", 1 << 30)
    cpu = x86.cpu(model)
    generator, choice = Generator(cpu, SEED + 2), random.Random(SEED)
    programs = 2 + INSTRUCTIONS // 50_000
    total = alone = recompiled = runs = 0
    for number in range(programs):
        optimised = number == programs - 1 and timing == "full"
        code = closed(cpu, generator.program(OPTIMISED_BYTES if optimised else REGION_BYTES))
        first = program(generator, code)

        def find(core: Core, first=first, size: int = len(code)) -> Region:
            first(core)
            return streams.one_region(core, size)

        insns = find(Core(cpu, timing)).insns
        handlers = handler_cache(cpu, timing, handlers_of(insns), quick=not (optimised or SOAK))
        engines = ThreeEngines(cpu, timing, find, handlers, alone=number % 2 == 0, quick=not optimised)
        done = 0
        while done < INSTRUCTIONS / programs:
            load, memory = program(generator, code), choice.choice(MEMORIES[model[:4]])

            def load_all(core: Core, load=load, memory=memory) -> None:
                load(core)
                core.state["memory"] = memory

            done += engines.compare(load_all, choice, f"seed {SEED}, program {number}, run {runs}")
            runs += 1
        total += done
        alone += done if engines.alone else 0
        recompiled += engines.recompiled
    print(f"{model} {timing}: {programs} programs, {runs} runs, {total} instructions, seed {SEED}")
    print(f"{recompiled} of {alone} instructions of programs without handlers were run by regions")
    assert recompiled > alone / 10  # exceptions, short runs and long waits leave the rest to the other engines


@pytest.mark.full
@pytest.mark.parametrize("model", ["i386_flat", "i486_flat"])
def test_operands_that_wait_for_the_bus(model: str) -> None:
    """Behind stores, at all distances from the ends of double words and lines, and from ordinary into video memory."""
    cpu = x86.cpu(model)
    generator = Generator(cpu, SEED)
    code = closed(cpu, bytes.fromhex("8903 8b06 668903 83c6 07 83c3 05" * 5))  # stores at EBX, a load at ESI; both move
    start = program(generator, code)

    def find(core: Core) -> Region:
        start(core)
        return streams.one_region(core, len(code))

    engines = ThreeEngines(cpu, "full", find, handler_cache(cpu, "full", []), alone=True, quick=True)
    for memory in MEMORIES[model[:4]]:

        def load(core: Core, memory: list[int] = memory) -> None:
            start(core)
            core.state["memory"] = memory
            core.state["r"][[EBX, ESI]] = UNCACHED_FROM - 100, 0x1001

        assert engines.compare(load, random.Random(SEED), f"memory {memory}", RUN) > 500


@pytest.mark.first_case
@pytest.mark.parametrize("model", ["i386_flat", "i486_flat"])
def test_repetitions_that_go_on_or_end(model: str) -> None:
    """The region is left behind each, as stores at the ends of memory are noticed; the outcome decides the row."""
    cpu = x86.cpu(model)
    code = closed(cpu, bytes.fromhex("f3a4 83c1 09" * 12))  # REP MOVSB, ADD ECX,9
    start = program(Generator(cpu, SEED), code)

    def find(core: Core) -> Region:
        start(core)
        return streams.one_region(core, len(code))

    engines = ThreeEngines(cpu, "full", find, handler_cache(cpu, "full", []), alone=True, quick=True)
    choice = random.Random(SEED)
    for memory in MEMORIES[model[:4]]:

        def load(core: Core, memory: list[int] = memory) -> None:
            start(core)
            core.state["memory"] = memory
            core.state["r"][[ECX, ESI, EDI]] = 5, 0x8000, 0x40

        assert engines.compare(load, choice, f"memory {memory}", 400)
    assert engines.recompiled > 100


PENALTIES = "ff37 8f07 88c8 01c1 8a07"  # PUSH and POP of memory, bytes of registers
CARRY_AND_PRODUCTS = "d1d0 d3d8 c1d202 f7e1 0fafd9"
READ_OTHERWISE = {  # code that readings decide; of the i386 also an address of two registers, a repeat of three, LOOP
    "i286_real": "0117 d127 ff37 8f07 8717 c12703 3b07 a4 9c 9d e300",
    "i386_real": f"8b01 b90300 f3a4 {CARRY_AND_PRODUCTS} e200",
    "i386_flat": f"8b043b b903000000 f3a4 {CARRY_AND_PRODUCTS} e200",
    "i486_real": PENALTIES,
    "i486_flat": PENALTIES,
}
OPTIONS = [
    *((model, option) for model in ("i486_real", "i486_flat") for option in ("default", "last")),
    *(("i386_real", each.name) for each in x86.cpu("i386_real").readings),
    *((model, option) for model in ("i286_real", "i386_flat") for option in ("default", "last")),
]
OTHERS = [each for each in OPTIONS if each[1] != "default" or each[0] == "i386_flat"]  # FEW has the others' defaults


@pytest.mark.first_case
@pytest.mark.parametrize("model, other", OPTIONS if IS_LONG else OTHERS)
def test_three_engines_by_readings(model: str, other: str) -> None:
    """The default readings, or the last option of one or of every reading."""
    usual = x86.cpu(model)
    cpu = usual.with_readings({each.name: each.options[-1] for each in usual.readings if other in ("last", each.name)})
    code = closed(cpu, bytes.fromhex(READ_OTHERWISE[model] * 5))
    start = program(Generator(cpu, SEED), code)

    def load(core: Core) -> None:
        start(core)
        core.state["memory"] = MEMORIES[model[:4]][0]
        core.state["r"][[EBX, ESP, ESI, EDI]] = 0x2000, 0x4000, 0x3000, 0x2000

    def find(core: Core) -> Region:
        load(core)
        return streams.one_region(core, len(code))

    engines = ThreeEngines(cpu, "full", find, handler_cache(cpu, "full", []), alone=True, quick=True)
    assert engines.compare(load, random.Random(SEED), model, RUN) > 500 and engines.recompiled > 250


@lru_cache(FOR_BOUNDS // 250 if FOR_BOUNDS < 50_000 else 1)  # as many as both timings of a model run
def random_program(model: str, number: int) -> Callable[[Core], None]:
    return program(Generator(x86.cpu(model), SEED + number))


@pytest.fixture(scope="module", autouse=True)
def forgotten() -> Iterator[None]:
    yield
    random_program.cache_clear()


@pytest.mark.first_case
@pytest.mark.parametrize("model, timing", [pair for pair in PAIRS if pair[1] != "off"])
def test_no_instruction_takes_more_clocks_than_its_bound(model: str, timing: str) -> None:
    cpu, choice = x86.cpu(model), random.Random(SEED)

    def loads() -> Iterator[Callable[[Core], None]]:
        for number in range(FOR_BOUNDS // 250):
            other = [choice.choice((0, 5, MAX_MEMORY_CLOCKS)) for _ in range(5)]
            memory = choice.choice((*MEMORIES[model[:4]], other))

            def load(core: Core, number: int = number, memory: list[int] = memory) -> None:
                random_program(model, number)(core)
                core.state["memory"] = memory

            yield load

    def is_for_host(evaluator: Evaluator, insn: Insn) -> bool:
        return evaluator.raised is not None and not insn.row.name.startswith("INT")

    assert len(stay_within_bounds(cpu, timing, loads(), is_for_host)) > (0.5 if IS_LONG else 0.3) * len(cpu.table.rows)
