"""Evaluator, interpreter and recompiled regions agree on every register, byte and clock of random programs.

--full runs more and longer ones, and the MC68040 without timing; --times N runs N times as many.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from retrosim.cpu import m68k
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.handlers import interpret
from retrosim.cpu.engines.handlers.handler_cache import handler_cache, handlers_of
from retrosim.cpu.engines.handlers.interpret import Interpreter
from retrosim.cpu.engines.regions import regions
from retrosim.cpu.engines.regions.compiled_region import CompiledRegion
from retrosim.machine.boards import MAX_MEMORY_CLOCKS
from tests.helpers.amount import FULL, amount
from tests.helpers.cpu import m68k_streams as streams
from tests.helpers.cpu.agreement import IS_LONG, SEED, agree
from tests.helpers.cpu.all_handlers import all_handlers
from tests.helpers.cpu.three_engines import LENGTHS, ThreeEngines, run

INSTRUCTIONS = amount(5000, 18000)  # per model with full timing; a quarter otherwise
IN_SLICES = amount(800, 3000)
IN_REGIONS = amount(3000, 9000)  # likewise; of few programs, again and again
PROGRAM_BYTES = streams.CODE_BYTES if IS_LONG else 0x400
REGION_BYTES, OPTIMISED_BYTES = 640, 160  # of a program that is recompiled, quickly or with full optimisation
LONGEST = 300  # instructions of a run in regions: more than their headroom, and soon begun elsewhere
MODELS = [
    (model, timing)
    for model in m68k.MODEL_NAMES
    for timing in ("full", "table", "off")
    if timing == "full" or m68k.cpu(model).timing[timing] is not m68k.cpu(model).timing["full"]  # once is enough
]
CHOSEN = [pair for pair in MODELS if pair != ("MC68040", "off")]  # the MC68000 runs without timing too
MEMORIES = ([0, 0, 0, 0, 1], [5, 11, 4, 5, 1], [5, 11, 4, 5, 0], [MAX_MEMORY_CLOCKS] * 4 + [1])


@pytest.mark.full
@pytest.mark.parametrize(("model", "timing"), MODELS if IS_LONG else CHOSEN)
def test_interpreter(model: str, timing: str) -> None:
    """Many short programs: every row."""
    cpu = m68k.cpu(model)
    generator = streams.Generator(cpu, SEED)

    def prepare() -> Callable[[Core], None]:
        program = (
            generator.code(PROGRAM_BYTES),
            generator.data(),
            generator.registers(),
            generator.random.getrandbits(5),
        )
        return lambda core: streams.load(core, *program, span=PROGRAM_BYTES)

    rows = agree(cpu, timing, INSTRUCTIONS if timing == "full" else INSTRUCTIONS // 4, prepare)
    assert timing != "full" or len(rows) > 0.9 * len(cpu.table.rows)


def loader(generator: streams.Generator, choice: random.Random, code: bytes) -> Callable[[Core], None]:
    """Return what loads the code with random data, to begin at any of its entries: from one, most loop in traps."""
    data, registers = generator.data(0x1000), generator.registers()
    flags, memory = choice.getrandbits(5), choice.choice(MEMORIES)
    pc = streams.CODE + 64 * choice.randrange(len(code) // 64)

    def load(core: Core) -> None:
        streams.load(core, code, data, registers, flags, pc, len(code))
        core.state["memory"] = memory

    return load


@pytest.mark.full
@pytest.mark.parametrize(("model", "timing"), MODELS if IS_LONG else CHOSEN)
def test_three_engines(model: str, timing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few programs, compiled once and run many times with other data."""
    monkeypatch.setattr(interpret, "MAX_BREAKS", 1 << 30)
    cpu = m68k.cpu(model)
    generator, choice = streams.Generator(cpu, SEED + 1), random.Random(SEED)
    wanted = IN_REGIONS if timing == "full" else IN_REGIONS // 4
    programs = (2 if timing != "full" else 4 if IS_LONG else 3) + wanted // 50_000
    rows: set[str] = set()
    total = alone = recompiled = runs = 0
    for number in range(programs):
        optimised = number == programs - 1
        code = streams.closed(generator.code(OPTIMISED_BYTES if optimised else REGION_BYTES))

        def find(core: Core, code: bytes = code) -> regions.Region:
            streams.load(core, code, b"", [0] * 16, 0, span=len(code))
            return streams.one_region(core, len(code))

        region = ThreeEngines(cpu, timing, find, all_handlers(cpu, timing), alone=number % 2 == 0, quick=not optimised)
        done = 0
        while done < wanted / programs:
            load = loader(generator, choice, code)
            done += region.compare(load, choice, f"seed {SEED}, program {number}, run {runs}", LONGEST)
            runs += 1
        rows |= {insn.row.pattern for insn in region.region.insns}
        total += done
        alone += done if region.alone else 0
        recompiled += region.recompiled
    print(f"{model} {timing}: {programs} programs, {runs} runs, {total} instructions, {len(rows)} rows, seed {SEED}")
    print(f"{recompiled} of {alone} instructions of programs without handlers were run by regions")
    assert recompiled > alone / 10  # short runs and exceptions leave the rest to the other engines


@pytest.mark.first_case
@pytest.mark.parametrize("engine", ["interpret", "recompile"])
@pytest.mark.parametrize("length", LENGTHS)
def test_slices_of_any_length_give_the_same_end(length: int, engine: str) -> None:
    cpu = m68k.cpu("MC68040")
    ends: list[tuple] = []
    whole, rest = divmod(IN_SLICES, length)
    for slices in ([IN_SLICES], [length] * whole + [rest] * bool(rest)):
        generator = streams.Generator(cpu, SEED + (length if IS_LONG else 1))  # by default one region for all
        core = Core(cpu, "full")
        code = streams.closed(generator.code(REGION_BYTES))
        streams.load(core, code, generator.data(), generator.registers(), 0)
        runs = Interpreter(core, all_handlers(cpu, "full"))
        if engine == "recompile":
            runs.install(CompiledRegion(cpu, "full", streams.one_region(core, len(code)), quick=True))
        count = run(runs, core, slices)[0]
        state = [core.state[name].tolist() for name in ("cycles", "r", "pc")]
        ends.append((count, state, core.ram.tobytes()))
    assert ends[0] == ends[1]


def test_what_an_instruction_does_at_a_known_odd_address_is_known_to_the_table_too() -> None:
    cpu = m68k.cpu("MC68040")
    code = streams.closed(bytes.fromhex("d280 4eba 0041 d280 4ef9 0001 0021 d280"))  # JSR ($43,pc), JMP ($10021)

    def find(core: Core) -> regions.Region:
        streams.load(core, code, b"", [0] * 16, 0, span=len(code))
        return streams.one_region(core, len(code))

    def load(core: Core) -> None:
        streams.load(core, code, b"", [0] * 15 + [streams.DATA + 0x800], 0, span=len(code))
        core.state["memory"] = MEMORIES[1]

    region = ThreeEngines(cpu, "full", find, all_handlers(cpu, "full"), alone=True, quick=True)
    assert region.compare(load, random.Random(SEED), "odd") > 10 and region.recompiled > 10


@pytest.mark.full
def test_three_engines_by_the_other_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every reading the last option, on small programs: the engines emit other code for them."""
    monkeypatch.setattr(interpret, "MAX_BREAKS", 1 << 30)
    usual = m68k.cpu("MC68040")
    cpu = usual.with_readings({each.name: each.options[-1] for each in usual.readings})
    generator, choice = streams.Generator(cpu, SEED + 2), random.Random(SEED)
    for number in range(2 if FULL else 1):
        code = streams.closed(generator.code(OPTIMISED_BYTES))

        def find(core: Core, code: bytes = code) -> regions.Region:
            streams.load(core, code, b"", [0] * 16, 0, span=len(code))
            return streams.one_region(core, len(code))

        known = handlers_of(find(Core(cpu, "full")).insns)
        region = ThreeEngines(cpu, "full", find, handler_cache(cpu, "full", known), alone=False, quick=True)
        done = run_number = 0
        while done < (2000 if FULL else 1000):
            done += region.compare(loader(generator, choice, code), choice, f"program {number}, run {run_number}")
            run_number += 1
