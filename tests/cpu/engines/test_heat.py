"""Of a large program the regions in which it runs often are compiled, and what it does is the same."""

from __future__ import annotations

import numpy as np
import pytest

from retrosim.cpu import m68k, ppc
from retrosim.cpu.engines import tiers
from retrosim.cpu.engines import tiers as heat
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.handlers.handler_cache import handler_cache
from retrosim.cpu.engines.handlers.interpret import Interpreter
from retrosim.cpu.engines.regions.compiled_region import CompiledRegion
from retrosim.cpu.engines.regions.recompile import MAX_COUNTED
from retrosim.cpu.engines.regions.regions import Region, discover
from retrosim.cpu.engines.tiers import Tiers
from retrosim.cpu.spec.cpu import Cpu
from retrosim.cpu.spec.hits import FIELD as HITS

HOT, COLD = 0x1000, 0x2000
INSTRUCTIONS = 3 * MAX_COUNTED + 12345  # a region counts no further than that at once

# hot: add; or; branch back to hot; cold: a branch to itself
CODE: dict[str, tuple[Cpu, str, str]] = {
    "68040": (m68k.cpu("MC68040"), "5280 8280 60fa", "60fe"),
    "601": (ppc.cpu("MPC601"), "38630001 7c641b78 4bfffff8", "48000000"),
}


def state_after(core: Core, engine: Tiers) -> dict[str, object]:
    done = 0
    while done < INSTRUCTIONS:
        done += engine.run(INSTRUCTIONS - done)
    assert done == INSTRUCTIONS
    return {name: core.state[name].tolist() for name in core.cpu.layout.offsets.keys() - {HITS}}


@pytest.mark.parametrize("name", CODE)
def test_what_runs_often_is_compiled(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cpu, hot, cold = CODE[name]
    ends, compiled = [], []

    def compile_region(cpu: Cpu, timing: str, region: Region) -> CompiledRegion:
        compiled.append(region.entries[0])
        return CompiledRegion(cpu, timing, region, quick=True)

    monkeypatch.setattr(tiers, "CompiledRegion", compile_region)
    monkeypatch.setattr(tiers, "is_compiled", lambda name: False)
    monkeypatch.setattr(heat, "FIRST_INTERVAL", 1000)
    for mode, maximum, before, after in (
        ("interpret", 0, [], []),
        ("recompile", 0, [], [HOT]),
        ("recompile", 100, [HOT, COLD], [HOT, COLD]),
    ):
        monkeypatch.setattr(tiers, "MAX_AT_ONCE", maximum)
        compiled.clear()
        core = Core(cpu, "table")
        for start, code in ((HOT, hot), (COLD, cold)):
            content = bytes.fromhex(code)
            core.ram[start : start + len(content)] = np.frombuffer(content, np.uint8)
        core.state["pc"], core.state["limit"] = HOT, 1 << 40
        engine = Tiers(core, [HOT, COLD], mode, quick=True)
        assert sorted(compiled) == before
        ends.append(state_after(core, engine))
        assert sorted(compiled) == after and engine.name == mode
    assert ends[0] == ends[1] == ends[2]


def test_a_region_takes_the_place_of_older_ones_of_its_code() -> None:
    """add; or; branch back, then again with an entry in the middle: blocks differ, and so does their plan."""
    cpu = CODE["68040"][0]
    core, (first, second) = Core(cpu, "full"), ([HOT], [HOT, HOT + 2])
    content = bytes.fromhex(CODE["68040"][1])
    core.ram[HOT : HOT + len(content)] = np.frombuffer(content, np.uint8)
    engine = Interpreter(core, handler_cache(cpu, "full", []))
    for roots in (first, second):
        (region,) = discover(core, roots)
        engine.install(CompiledRegion(cpu, "full", region, quick=True))
        (in_force,) = engine.regions_at(HOT)
        assert sorted(in_force.blocks) == roots
