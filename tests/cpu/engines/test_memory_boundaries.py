"""Accesses near the ends of memory, which meet: a region reaches over them in one piece, others cut addresses off."""

from __future__ import annotations

import random

import numpy as np
import pytest

from retrosim.cpu import m68k, ppc, x86
from retrosim.cpu.engines.core import MIRROR_BYTES, Core
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.engines.regions.regions import Region, discover
from retrosim.cpu.spec.cpu import ADDRESS_MASK, CODE_WRITTEN
from tests.helpers.cpu.cores import begin, handler_cache_for
from tests.helpers.cpu.three_engines import MAX_RUN, ThreeEngines

CODE, SEED = 0x10000, 1994
# stores and loads around a register that moves on by 2, for ever: 4 bytes at 0, 4 at 4, 2 at -6, 1 at -1, 4 at 1020
PROGRAMS = {
    "68040": (m68k.cpu("MC68040"), 8, "2080 2228 0004 3141 fffa 1428 ffff 2142 03fc 5488 60ea"),
    "i486": (x86.cpu("i486_flat"), 0, "8908 8b5004 668950fa 8a58ff 899ffc030000 83c002 ebea"),
    "601": (ppc.cpu("MPC601"), 3, "90830000 80a30004 b0a3fffa 88c3ffff 90a303fc 38630002 4bffffe8"),
}
STARTS = [
    0,
    MIRROR_BYTES,
    -MIRROR_BYTES,
    4,
    6,
    -2,
    -1,
    ADDRESS_MASK,
    ADDRESS_MASK - 6,
    0xFF000001,
    ADDRESS_MASK - MIRROR_BYTES + 1,
]


def prepare(core: Core, content: bytes, registers: np.ndarray) -> None:
    begin(core, {CODE: content}, CODE)
    core.state["r"][: len(registers)] = registers


@pytest.mark.first_case
@pytest.mark.parametrize("timing", ["off", "table"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_three_engines_at_the_ends(name: str, timing: str) -> None:
    cpu, base, code = PROGRAMS[name]
    content, choice = bytes.fromhex(code), random.Random(SEED)

    def find(core: Core) -> Region:
        prepare(core, content, np.zeros(8, np.uint32))
        (region,) = discover(core, [CODE])
        return region

    probe = Core(cpu, timing)
    handlers = handler_cache_for(probe, [insn.pc for insn in find(probe).insns])
    engines = ThreeEngines(cpu, timing, find, handlers, alone=True, quick=True)
    for start in STARTS:
        registers = np.array([choice.getrandbits(32) for _ in range(16 if name == "68040" else 8)], np.uint32)
        registers[base] = start & 0xFFFFFFFF
        engines.compare(lambda core, r=registers: prepare(core, content, r), choice, f"{name}, {start:#x}")
    assert engines.recompiled > MAX_RUN // 2


@pytest.mark.parametrize("start", [ADDRESS_MASK - n for n in range(4)])
def test_behind_the_last_byte_comes_the_first(start: int) -> None:
    """move.l d0,(a0): the bytes beyond the end lie at the beginning, and are read from there."""
    core = Core(m68k.cpu("MC68040"), "off")
    prepare(core, bytes.fromhex("2080 2210"), np.array([0x12345678] + [0] * 7 + [start], np.uint32))
    runs = Evaluator(core)
    runs.run(1)
    assert core.state["reason"] == CODE_WRITTEN  # the ends are watched
    core.notice_writes()
    places = (start + np.arange(4)) & ADDRESS_MASK
    assert core.ram[places].tobytes().hex() == "12345678"
    core.ram[places] = [1, 2, 3, 4]  # from outside
    runs.run(1)
    assert core.state["r"][1] == 0x01020304


def test_invalidating_code_leaves_the_ends_watched() -> None:
    core = Core(m68k.cpu("MC68040"), "off")
    core.write(0, bytes(8))
    core.decode(0)
    core.write(0, b"\x4e\x71")
    assert core.code[:MIRROR_BYTES].all() and core.code[ADDRESS_MASK + 1 - MIRROR_BYTES :].all()
    assert not core.code[MIRROR_BYTES]
