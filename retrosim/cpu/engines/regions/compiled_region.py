"""A region compiled, or loaded from the cache."""

from __future__ import annotations

import hashlib
import json
from functools import partial

from ...spec.cpu import Cpu
from ...spec.ir import Function
from ...spec.timing import Timing
from ..clock_table.memo_region import MemoRegionEmitter
from ..clock_table.segments import RegionPlan
from ..clock_table.steps import CompiledSteps
from ..compiled import Effort, cache_plan, cached_plan, compile_functions
from .counting import Counting, CountingRegionEmitter
from .recompile import RegionEmitter
from .regions import Region


class CompiledRegion:
    """A region as a function of the handler type, at `address`.

    region  what it runs
    counting  how it counts for a profile, None if it does not
    plan    where its clocks come from a table, how (memo.py)
    steps   that fill the table
    """

    def __init__(
        self, cpu: Cpu, timing: str, region: Region, quick: bool = False, counting: Counting | None = None
    ) -> None:
        """Compile, or load from the cache. `counting`: for models whose clocks come from no table."""
        model = cpu.timing_class(timing)
        self.counting = counting
        self.plan = _plan(cpu, timing, region) if model.marks else None
        self.steps = CompiledSteps(cpu, timing, self.plan) if self.plan else None
        self.region = self.plan.region if self.plan else region
        emit = partial(_emit, cpu, model, region, self.plan, counting)
        # with waits for the bus to compute, loops are too long to gain anything by more passes
        effort = Effort.QUICK if quick else Effort.FEW if model.has_waits() else Effort.ALL
        self._functions = compile_functions(region_name(cpu, timing, region, quick, counting), [emit], effort)
        self.address = int(self._functions.addresses[0])


def _plan(cpu: Cpu, timing: str, region: Region) -> RegionPlan:
    """Return the plan of a region: made from what is in the cache, or put there."""
    name, model = region_name(cpu, timing, region), cpu.timing_class(timing)
    cached = cached_plan(name)
    if cached is not None:
        return RegionPlan(cpu, model, region, json.loads(cached))
    plan = RegionPlan(cpu, model, region)
    cache_plan(name, json.dumps(plan.to_cache(), separators=(",", ":")).encode())
    return plan


def region_name(cpu: Cpu, timing: str, region: Region, quick: bool = False, counting: Counting | None = None) -> str:
    insns = [(insn.pc, insn.length, insn.key, insn.fields) for insn in region.insns]
    text = repr((insns, sorted(region.blocks), region.entries, sorted(region.checks), region.guesses))
    text += repr((counting.first, sorted(counting.kinds.items()))) if counting else ""
    digest = hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
    kind = "counting" if counting else "region"
    return f"{kind}_{cpu.label}_{timing}_{digest}{'_quick' if quick else ''}"


def emit_region(cpu: Cpu, model: type[Timing], region: Region | RegionPlan, code: Function) -> None:
    """Emit the function of a region; by a plan its clocks come from the table."""
    if isinstance(region, RegionPlan):
        MemoRegionEmitter(cpu, model, code, region).emit()
    else:
        RegionEmitter(cpu, model, code, region).emit()


def _emit(
    cpu: Cpu, model: type[Timing], region: Region, plan: RegionPlan | None, counting: Counting | None, code: Function
) -> None:
    if counting is not None:
        CountingRegionEmitter(cpu, model, code, region, counting).emit()
        return
    if plan is not None and not plan.is_complete:
        plan = RegionPlan(cpu, model, region)
    emit_region(cpu, model, plan or region, code)
