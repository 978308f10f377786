"""Code that is met at run time: what a computed jump leads to within a function is a case of it."""

from __future__ import annotations

import numpy as np
import pytest

from retrosim import assemble
from retrosim.cpu import m68k
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.handlers.interpret import Interpreter
from retrosim.cpu.engines.regions.regions import discover
from tests.helpers.cpu.cores import handler_cache_for

CODE, END = 0x10000, 1 << 62
SOURCE = """
        org     $10000
start:  lea     (choose).l,a0
        jsr     (a0)
        bra     start
choose: addq.l  #1,d0
        moveq   #6,d1
        and.l   d0,d1
        jmp     (table,pc,d1.l)
table:  bra.b   first
        bra.b   second
        bra.b   first
        bra.b   last
first:  addq.l  #1,d2
        rts
second: addq.l  #1,d3
        bra.b   first
last:   tst.l   d3
        beq.b   first
        subq.l  #1,d3
        rts
"""


@pytest.fixture
def core() -> Core:
    core = Core(m68k.cpu("MC68040"), "off")
    core.cpu.reset(core.state)
    core.state["written_low"], core.state["limit"], core.state["pc"] = 0xFFFFFFFF, END, CODE
    core.state["r"][15] = 0x8000
    (section,) = assemble(SOURCE, "m68040").sections
    core.write(CODE, section.content)
    return core


def symbols(*names: str) -> list[int]:
    found = assemble(SOURCE, "m68040").symbols
    return [found[name] for name in names]


def test_cases_belong_to_the_function_that_was_met_before_them(core: Core) -> None:
    choose, table, second = symbols("choose", "table", "second")
    regions = discover(core, [CODE], indirect=[choose, table, table + 2, table + 6])
    assert [region.functions for region in regions] == [{CODE, choose}]
    (region,) = regions
    assert {choose, table, table + 2, table + 6} <= set(region.entries)
    assert second in region.blocks and second not in region.entries


def test_what_known_code_leads_to_is_not_met(core: Core) -> None:
    """Branches and the code before lead to the others."""
    choose, table, *cases = symbols("choose", "table", "first", "second", "last")
    probe = discover(core, [CODE], indirect=[choose, table, table + 2, table + 6])
    every = [insn.pc for region in probe for insn in region.insns]
    for handlers in (handler_cache_for(core, every), handler_cache_for(core, every[::3])):
        runs = Interpreter(core, handlers)
        core.state["pc"], core.state["r"][:8] = CODE, np.zeros(8, np.uint32)
        assert runs.run(2000) == 2000
        assert {choose, table, table + 2, table + 6} <= runs.indirect_targets.keys()
        assert not runs.indirect_targets.keys() & set(cases)
