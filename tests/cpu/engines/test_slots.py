"""What a region copies when it is entered and left: what its loops use and what it uses most, not the rest."""

from __future__ import annotations

import numpy as np

from retrosim.cpu import m68k
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.regions.recompile import MAX_OUTSIDE, RegionSlots
from retrosim.cpu.engines.regions.regions import Region, blocks_in_loops, discover
from retrosim.cpu.spec.ir import POINTER, Function, Module, Signature

CPU = m68k.cpu("MC68040")
AT = 0x1000
LOOP = "7209 5280 51c9 fffc 4e75"  # moveq #9,d1; addq.l #1,d0; dbra d1; rts


def region_of(code: str) -> Region:
    core = Core(CPU, "off")
    content = bytes.fromhex(code)
    core.ram[AT : AT + len(content)] = np.frombuffer(content, np.uint8)
    (region,) = discover(core, [AT])
    return region


def test_blocks_of_loops() -> None:
    assert blocks_in_loops(region_of(LOOP)) == {0x1002}
    nested = "7409 7209 5280 51c9 fffc 51ca fff6 4e75"
    assert blocks_in_loops(region_of(nested)) == {0x1002, 0x1004, 0x100A}


def test_a_loop_around_a_call_is_none() -> None:
    """moveq; again: bsr f; dbra; rts; f: rts"""
    region = region_of("7209 6106 51c9 fffc 4e75 4e75")
    assert 0x1002 in region.checks and blocks_in_loops(region) == set()


def test_what_has_a_slot() -> None:
    code = Function(Module(), Signature("void", (POINTER,)), "scratch")
    slots, (state,) = RegionSlots(code, CPU.layout), code.args
    in_loop, flag = ("r", 1), ("z", 0)
    often = [("r", number) for number in range(2, 2 + MAX_OUTSIDE)]
    seldom = [("r", number) for number in range(2 + MAX_OUTSIDE, 15)]
    for block, elements in ((0x1002, [in_loop]), (AT, [flag, *seldom, *often, *often])):
        for element in elements:
            slots.used(element, block)
            slots.changed.add(element)
    slots.settle(region_of(LOOP), state)
    assert slots.changed == {in_loop, flag, *often} == set(slots.loaded())
    code.ret("void")
    code.finish()
    text = code.module.text()
    assert text.count("alloca") == MAX_OUTSIDE + 2 and text.count(f"ptr {state}, i64") == len(seldom)
