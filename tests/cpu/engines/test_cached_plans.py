"""Plans of regions from the cache: they look clocks up as those do that were made anew."""

from __future__ import annotations

import json
from functools import partial

import pytest

from retrosim.cpu.engines import tiers
from retrosim.cpu.engines.clock_table.segments import RegionPlan, Segment
from retrosim.cpu.engines.compiled import CODE_SUFFIX, PLAN_SUFFIX, STORE
from retrosim.cpu.engines.handlers.handler_cache import handler_cache
from retrosim.cpu.engines.regions.compiled_region import CompiledRegion
from retrosim.cpu.engines.regions.regions import discover
from retrosim.machine import Machine, open_machine
from tests.helpers.machine import programs

# loop: add.l (a0)+,d1; bmi over; addq.l #1,d2; over: mulu d2,d3; movem.l d0-d3,(a1); dbf d0,loop; bra
CODE = "41f8 1000 43f8 3000 701f d298 6b02 5282 c6c2 48d1 000f 51c8 fff2 60e6"


def stored(suffix: str = PLAN_SUFFIX) -> list[str]:
    return [name for name in STORE.names() if name.endswith(suffix)]


def looks(segment: Segment) -> object:
    """Return all of a segment that looking clocks up asks for."""
    steps = [
        (step.insn, step.first, step.end, step.is_plain, step.branches, [point[:2] for point in step.fetches])
        for step in segment.steps
    ]
    traces = [(step.trace.fields, step.trace.points, step.trace.whens) for step in segment.steps]
    return steps, traces, segment.edges, segment.words, segment.outcomes, segment.following is None


@pytest.mark.parametrize("name", ["mc68040-25", "ppc601-80"])
def test_nothing_is_lost(name: str) -> None:
    machine = open_machine(name, "sectors", engine="evaluate")
    core = machine.core
    segments = 0
    for region in discover(core, machine.code_roots)[:4]:
        plan = RegionPlan(core.cpu, core.timing, region)
        cached = RegionPlan(core.cpu, core.timing, region, json.loads(json.dumps(plan.to_cache())))
        assert plan.is_complete and not cached.is_complete
        assert cached.region == plan.region and json.dumps(cached.to_cache()) == json.dumps(plan.to_cache())
        for start, expected in plan.segments.items():
            assert list(map(looks, cached.segments[start])) == list(map(looks, expected))
            segments += len(expected)
    assert segments > 50


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[CompiledRegion]:
    """Regions of the machines that the test opens, quickly compiled, without handlers beside them."""
    regions: list[CompiledRegion] = []

    def compiled(*arguments, **options) -> CompiledRegion:
        regions.append(CompiledRegion(*arguments, quick=True, **options))
        return regions[-1]

    monkeypatch.setattr(tiers, "handler_cache", lambda cpu, timing, _, quick=False: handler_cache(cpu, timing, []))
    monkeypatch.setattr(tiers, "CompiledRegion", compiled)
    monkeypatch.setattr(tiers, "MISSES_TO_COMPILE", 1 << 60)
    return regions


def test_a_machine_runs_by_a_cached_plan(opened: list[CompiledRegion]) -> None:
    def state(machine: Machine) -> tuple:
        machine.run(instructions=5000)
        return machine.cycles, machine.instructions, *programs.content(machine)

    open_it = partial(programs.machine, CODE)
    expected, first, second = (state(open_it(engine=engine)) for engine in ("evaluate", "recompile", "recompile"))
    assert first == expected and second == expected
    assert len(opened) == 2 and not opened[1].plan.is_complete
    given = json.loads(json.dumps(opened[1].plan.to_cache()))
    (plan,) = (name for name in stored() if json.loads(STORE.read(name)) == given)
    for name in stored(CODE_SUFFIX):
        if name.endswith(f"{plan.removesuffix(PLAN_SUFFIX)}_quick{CODE_SUFFIX}"):
            STORE.remove(name)
    assert state(open_it(engine="recompile")) == expected  # compiled again, by a plan that is made anew
    STORE.remove(plan)
    assert state(open_it(engine="recompile")) == expected and opened[3].plan.is_complete
