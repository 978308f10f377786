"""Evaluator and interpreter agree on every register, byte and clock of random PowerPC programs (8100/80 memory).

--full runs more; --times N runs N times as many.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from retrosim.cpu import ppc
from retrosim.cpu.engines.core import Core
from retrosim.cpu.ppc.mpc601_clocks import memory
from retrosim.cpu.spec.cpu import CODE_WRITTEN, RUNNING, SERVICE, STATUS_WRITTEN
from tests.helpers.amount import FULL, amount
from tests.helpers.cpu import ppc_streams as streams
from tests.helpers.cpu.agreement import SEED, agree

INSTRUCTIONS = amount(3000, 8000)  # per timing mode
CODE_BYTES, DATA_BYTES = (0x1000, 0x10000) if FULL else (0x400, 0x2000)  # of a program; zeros follow
GOES_ON = (RUNNING, CODE_WRITTEN, SERVICE, STATUS_WRITTEN)


@pytest.mark.first_case
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
