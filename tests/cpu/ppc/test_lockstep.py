"""Evaluator and interpreter agree on every register, byte and clock of random PowerPC programs (8100/80 memory).

RETROSIM_TESTS=all runs more; RETROSIM_LOCKSTEP names a number of instructions.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from retrosim.cpu import ppc
from retrosim.cpu.engines.core import Core
from retrosim.cpu.ppc.mpc601_clocks import memory
from retrosim.cpu.spec.cpu import CODE_WRITTEN, RUNNING, SERVICE, STATUS_WRITTEN
from tests.helpers.amount import EVERYTHING
from tests.helpers.cpu import ppc_streams as streams
from tests.helpers.cpu.agreement import SEED, agree

INSTRUCTIONS = int(os.environ.get("RETROSIM_LOCKSTEP", 8000 if EVERYTHING else 3000))  # per timing mode
CODE_BYTES, DATA_BYTES = (0x1000, 0x10000) if EVERYTHING else (0x400, 0x2000)  # of a program; zeros follow
GOES_ON = (RUNNING, CODE_WRITTEN, SERVICE, STATUS_WRITTEN)


@pytest.mark.parametrize("timing", ["full", "table", "off"])
def test_random_programs(timing: str) -> None:
    cpu = ppc.cpu("MPC601")
    generator = streams.Generator(cpu, SEED)

    def prepare() -> Callable[[Core], None]:
        code, data = generator.code(CODE_BYTES), generator.data(DATA_BYTES)
        program = code, data, generator.registers(), generator.random.getrandbits(82)

        def load(core: Core) -> None:
            streams.load(core, *program)
            core.state["memory"] = list(memory().values())

        return load

    wanted = INSTRUCTIONS if timing == "full" else INSTRUCTIONS // 4
    rows = agree(cpu, timing, wanted, prepare, goes_on=GOES_ON)
    assert INSTRUCTIONS < 20000 or timing != "full" or len(rows) > 0.98 * len(cpu.table.rows)
