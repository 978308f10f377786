"""Evaluator and interpreter agree on every register, byte and clock of random x86 programs."""

from __future__ import annotations

import os

import numpy as np
import pytest
from agreement import run
from x86_streams import CODE, EDGES, STATUS_FLAGS, Generator

from retrosim.cpu import x86
from retrosim.cpu.banks import Bank, bank
from retrosim.cpu.core import ADDRESS_MASK, CODE_WRITTEN, RUNNING, SERVICE, STATUS_WRITTEN, STOPPED, Core
from retrosim.cpu.evaluate import Evaluator
from retrosim.cpu.interpret import Interpreter

INSTRUCTIONS = int(os.environ.get("RETROSIM_LOCKSTEP", "3000"))  # per model and timing mode
PROGRAM = 150  # instructions of one random program
SEED = 1994
IDT = 0x8000  # of flat models
GOES_ON = (RUNNING, CODE_WRITTEN, SERVICE, STATUS_WRITTEN, STOPPED)


def load(core: Core, generator: Generator) -> None:
    """Put a random program and state into a core; handlers of all exceptions lie in the program."""
    r = generator.random
    core.replace(np.zeros(ADDRESS_MASK + 1, np.uint8))
    core.ram[ADDRESS_MASK + 1 :] = 0
    for field in core.state.dtype.names:
        core.state[field] = 0
    x86.reset(core.state, unreal=r.random() < 0.3)
    core.state["written_low"], core.state["limit"] = 0xFFFFFFFF, 1 << 62
    core.write(0x10000, r.randbytes(0x80000))
    core.write(CODE, generator.program(0x1000))
    for vector in range(256):
        offset = 64 * (vector % 48)
        if generator.real:
            core.write(4 * vector, (CODE << 12 | offset).to_bytes(4, "little"))
        else:
            gate = (CODE + offset) & 0xFFFF, (CODE + offset & 0xFFFF0000) | 0x8E00
            core.write(IDT + 8 * vector, b"".join(word.to_bytes(4, "little") for word in gate))
    if not generator.real:
        core.state["idt_base"], core.state["idt_limit"] = IDT, 0x7FF
    core.state["r"][:8] = [generator.small() if r.random() < 0.5 else r.choice(EDGES) for _ in range(8)]
    core.state["r"][4] = generator.small() | 0x3000
    selectors = [0x2000, CODE >> 4, 0x4000, 0x3000, 0x5000, 0x6000] if generator.real else [0] * 6
    core.state["seg"], core.state["seg_base"] = selectors, [n << 4 for n in selectors]
    x86.put_flags(core.state, r.getrandbits(12) & STATUS_FLAGS)
    core.state["pc"] = CODE


def handlers(cpu, timing: str, programs: int) -> Bank:
    """Return compiled handlers for all that some random programs execute."""
    core, rows, needed = Core(cpu, timing), {row.pattern for row in cpu.table.rows}, {}
    for number in range(programs):
        load(core, Generator(cpu, SEED + number))
        run(Evaluator(core), core, [PROGRAM], GOES_ON)
        needed |= {insn.key: (insn.row, insn.statics) for insn in core.insns.values() if insn.row.pattern in rows}
    return bank(cpu, timing, [needed[key] for key in sorted(needed, key=repr)])


PAIRS = [(model, timing) for model in x86.MODEL_NAMES for timing in ("full", "table", "off")]
CHOSEN = PAIRS if "RETROSIM_LOCKSTEP" in os.environ else [("i386_real", "full"), ("i486_flat", "full")]


@pytest.mark.parametrize("model, timing", CHOSEN)
def test_random_programs(model: str, timing: str) -> None:
    cpu = x86.cpu(model)
    programs = max(INSTRUCTIONS // PROGRAM, 1)
    first, second = Core(cpu, timing), Core(cpu, timing)
    evaluator, interpreter = Evaluator(first), Interpreter(second, handlers(cpu, timing, programs))
    rows: set[str] = set()
    total = 0
    for number in range(programs):
        for core in (first, second):
            generator = Generator(cpu, SEED + number)
            load(core, generator)
        cuts = sorted(generator.random.sample(range(1, PROGRAM), 3))
        slices = [b - a for a, b in zip([0, *cuts], [*cuts, PROGRAM], strict=True)]
        counts = run(evaluator, first, [PROGRAM], GOES_ON), run(interpreter, second, slices, GOES_ON)
        rows |= {insn.row.pattern for insn in first.insns.values()}
        where = f"seed {SEED + number}, {counts} instructions"
        assert counts[0] == counts[1], where
        for name in first.state.dtype.names:
            if name not in ("reason", "detail", "access"):
                assert np.array_equal(first.state[name], second.state[name]), f"{where}: {name}"
        assert np.array_equal(first.ram, second.ram), where
        total += counts[0]
    print(f"{model} {timing}: {programs} programs, {total} instructions, {len(rows)} rows, seeds from {SEED}")
    print(f"{interpreter.bridged} instructions had no handler")
    assert interpreter.bridged < total / 10  # undefined ones, and what lies behind a store into the code
    assert len(rows) > (0.9 if INSTRUCTIONS > 15000 else 0.5) * len(cpu.table.rows)
