"""Instructions that may fault before they have done anything stay in their region, with clocks from a table."""

from __future__ import annotations

import random

import pytest

from retrosim import assemble
from retrosim.cpu import x86
from retrosim.cpu.engines.clock_table.segments import RegionPlan
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.regions.regions import Region, discover
from tests.helpers.cpu.cores import begin, handler_cache_for
from tests.helpers.cpu.three_engines import ThreeEngines

CODE, HANDLER, DATA, STACK, IDT, SEED, RUNS = 0x10000, 0x20000, 0x40000, 0x60000, 0x1000, 1994, 16
MEMORIES = {"i386_flat": (0, 0, 1, 22, 22), "i486_flat": (4, 10, 4, 8, 6)}
# For ever: divisions of random numbers by random divisors, one of them an entry of the region, one in a line of code of
# its own, some behind uses of memory. Divisors are 0 now and then, quotients too large.
SOURCE = """
        bits    32
loop:   imul    ebx,ebx,1664525
        add     ebx,1013904223
        mov     ecx,ebx
        shr     ecx,28
        mov     eax,ebx
        and     eax,0xffffff
        xor     edx,edx
        div     ecx
        mov     [esi],eax
        test    ebx,0x8000000
        jz      over
        mov     ax,bx
over:   div     bl
        lea     edi,[edi+eax*4+1]
        test    edi,3
        jnz     over
        mov     ecx,[esi]
        sub     ecx,17
        mov     eax,ebx
        cdq
        idiv    ecx
        align   16
        idiv    cx
        xor     edi,edx
        mov     [esi+4],edi
        idiv    dword [esi]
        jmp     loop
"""
RESUME = """
        bits    32
        add     dword [esp],2
        inc     ebp
        iret
"""


def content_of(source: str) -> bytes:
    (section,) = assemble(source, "i486").sections
    return section.content


def prepare(core: Core, seed: int) -> None:
    gate = (HANDLER & 0xFFFF).to_bytes(4, "little") + (HANDLER & 0xFFFF0000 | 0x8E00).to_bytes(4, "little")
    begin(core, {CODE: content_of(SOURCE), HANDLER: content_of(RESUME), IDT: gate}, CODE)
    core.state["idt_base"], core.state["idt_limit"] = IDT, 7
    core.state["memory"] = MEMORIES[core.cpu.model]
    core.state["r"][[3, 4, 6]] = seed, STACK, DATA


def find(core: Core) -> Region:
    prepare(core, 0)
    return discover(core, [CODE])[0]


@pytest.mark.first_case
@pytest.mark.parametrize("model", MEMORIES)
def test_three_engines(model: str) -> None:
    cpu, choice = x86.cpu(model), random.Random(SEED)
    probe = Core(cpu, "full")
    divisions = {insn.pc for insn in find(probe).insns if insn.row.name in ("DIV", "IDIV")}
    handlers = handler_cache_for(probe, [*(insn.pc for insn in find(probe).insns), HANDLER])
    plan = RegionPlan(cpu, probe.timing, find(probe))
    left = {step.insn.pc for step in plan.steps}
    assert len(divisions) == 5 and len(divisions - left) == 1, "one divides by memory"
    assert not divisions.isdisjoint(plan.region.entries)
    engines = ThreeEngines(cpu, "full", find, handlers, alone=True, quick=True)
    done = faults = 0
    for number in range(RUNS):
        seed = choice.getrandbits(32)
        done += engines.compare(lambda core, seed=seed: prepare(core, seed), choice, f"{model}, run {number}")
        faults += int(engines.cores[0].state["r"][5])
    assert faults > 100 and engines.recompiled > done / 3
