"""Evaluator and interpreter agree on every register, byte and clock of random x86 programs."""

from __future__ import annotations

import pytest

from retrosim.cpu import x86
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.engines.handlers.handler_cache import HandlerCache, handler_cache
from retrosim.cpu.engines.handlers.interpret import Interpreter
from retrosim.cpu.spec.cpu import CODE_WRITTEN, RUNNING, SERVICE, STATUS_WRITTEN, STOPPED
from tests.helpers.amount import SOAK, amount
from tests.helpers.cpu.agreement import IS_LONG, run
from tests.helpers.cpu.cores import differences
from tests.helpers.cpu.x86_streams import Generator, program

INSTRUCTIONS = amount(1500, 3000)  # per model and timing mode
PROGRAM = 150 if IS_LONG else 60  # instructions of one random program
SEED = 1994
GOES_ON = (RUNNING, CODE_WRITTEN, SERVICE, STATUS_WRITTEN, STOPPED)


def handlers(cpu, timing: str, programs: int) -> HandlerCache:
    """Return compiled handlers for all that some random programs execute."""
    core, rows, needed = Core(cpu, "off"), {row.pattern for row in cpu.table.rows}, {}
    for number in range(programs):
        program(Generator(cpu, SEED + number))(core)
        run(Evaluator(core), core, [PROGRAM], GOES_ON)
        needed |= {insn.key: (insn.row, insn.statics) for insn in core.insns.values() if insn.row.pattern in rows}
    is_quick = not SOAK  # programs of the ROMs run on optimised ones
    return handler_cache(cpu, timing, [needed[key] for key in sorted(needed, key=repr)], is_quick)


PAIRS = [(model, timing) for model in x86.MODEL_NAMES for timing in ("full", "table", "off")]
CHOSEN = PAIRS if SOAK else [("i386_real", "full"), ("i486_flat", "full")]


@pytest.mark.first_case
@pytest.mark.parametrize("model, timing", CHOSEN)
def test_random_programs(model: str, timing: str) -> None:
    cpu = x86.cpu(model)
    programs = max(INSTRUCTIONS // PROGRAM, 1)
    first, second = Core(cpu, timing), Core(cpu, timing)
    evaluator, interpreter = Evaluator(first), Interpreter(second, handlers(cpu, timing, programs))
    rows: set[str] = set()
    total = 0
    for number in range(programs):
        generator = Generator(cpu, SEED + number)
        load = program(generator)
        for core in (first, second):
            load(core)
        cuts = sorted(generator.random.sample(range(1, PROGRAM), 3))
        slices = [b - a for a, b in zip([0, *cuts], [*cuts, PROGRAM], strict=True)]
        counts = run(evaluator, first, [PROGRAM], GOES_ON), run(interpreter, second, slices, GOES_ON)
        rows |= {insn.row.pattern for insn in first.insns.values()}
        where = f"seed {SEED + number}, {counts} instructions"
        assert counts[0] == counts[1], where
        assert differences(first, second) == [], where
        total += counts[0]
    print(f"{model} {timing}: {programs} programs, {total} instructions, {len(rows)} rows, seeds from {SEED}")
    print(f"{interpreter.bridged} instructions had no handler")
    assert interpreter.bridged < total / 10  # undefined ones, and what lies behind a store into the code
    assert len(rows) > (0.9 if INSTRUCTIONS > 15000 else 0.5) * len(cpu.table.rows)
