"""Plain hits of data caches: the bits that say which uses of memory need no look at the cache never change a clock."""

from __future__ import annotations

import random

import numpy as np
import pytest

from retrosim import assemble
from retrosim.cpu import m68k, ppc, x86
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.engines.regions.regions import Region, discover
from retrosim.cpu.spec.hits import FIELD as HITS
from retrosim.cpu.spec.hits import READS, WRITES
from tests.helpers.cpu.cores import begin, differences, handler_cache_for
from tests.helpers.cpu.three_engines import Looking, ThreeEngines

CODE, DATA, SEED, RUNS = 0x10000, 0x40000, 1994, 12
# For ever: a random address among lines of few sets, more than these have ways; loads and stores there, now and then
# across units, and one store to an address that only every eighth turn changes.
PROGRAMS = {
    "68040": (m68k.cpu("MC68040"), "m68040", (3, 33, 40, 1, 1)),
    "i486": (x86.cpu("i486_flat"), "i486", (4, 10, 4, 8, 6)),
    "601": (ppc.cpu("MPC601"), "ppc601", None),
}
SOURCES = {
    "m68040": """
loop:   muls.l  #1664525,d0
        addi.l  #1013904223,d0
        move.l  d0,d1
        lsr.l   #8,d1
        andi.l  #$3c1f,d1
        lea     (a0,d1.l),a1
        move.l  (a1),d2
        move.b  d2,(3,a1)
        add.w   (6,a1),d2
        btst    #28,d0
        beq     over
        move.l  a1,a2
        move.w  d2,(4,a1)
over:   move.l  d2,(a2)
        move.l  (a2),d3
        eor.l   d3,d4
        bra     loop
""",
    "i486": """
        bits    32
loop:   imul    eax,eax,1664525
        add     eax,1013904223
        mov     ecx,eax
        shr     ecx,8
        and     ecx,0x781f
        add     ecx,ebx
        mov     edx,[ecx]
        mov     [ecx+3],dl
        add     dx,[ecx+6]
        test    eax,0x10000000
        jz      over
        mov     esi,ecx
        mov     [ecx+4],dx
over:   mov     [esi],edx
        xor     edi,[esi]
        jmp     loop
""",
    "ppc601": """
loop:   mulli   3,3,1765
        addi    3,3,12345
        rlwinm  4,3,24,0,31
        and     4,4,9
        add     4,4,5
        lwz     6,0(4)
        stb     6,3(4)
        lhz     7,6(4)
        add     6,6,7
        andis.  7,3,0x1000
        beq     over
        mr      8,4
        sth     6,4(4)
over:   stw     6,0(8)
        lwz     7,0(8)
        xor     10,10,7
        b       loop
""",
}
REGISTERS = {  # by number: where data lie, twice, and a mask
    "m68040": {8: DATA, 10: DATA},
    "i486": {3: DATA, 6: DATA},
    "ppc601": {5: DATA, 8: DATA, 9: 0x1F07F},
}


def code_of(isa: str) -> bytes:
    (section,) = assemble(SOURCES[isa], isa).sections
    return section.content


def prepare(core: Core, isa: str, seed: int, memory: tuple[int, ...] | None) -> None:
    begin(core, {CODE: code_of(isa)}, CODE)
    core.state["memory"] = memory if memory else tuple(ppc.mpc601_clocks.memory().values())
    core.state["r"][3 if isa == "ppc601" else 0] = seed
    for number, value in REGISTERS[isa].items():
        core.state["r"][number] = value


@pytest.mark.first_case
@pytest.mark.parametrize("name", PROGRAMS)
def test_three_engines_and_one_that_looks_every_line_up(name: str) -> None:
    cpu, isa, memory = PROGRAMS[name]
    choice = random.Random(SEED)

    def find(core: Core) -> Region:
        prepare(core, isa, 0, memory)
        (region,) = discover(core, [CODE])
        return region

    probe = Core(cpu, "full")
    handlers = handler_cache_for(probe, [insn.pc for insn in find(probe).insns])
    engines = ThreeEngines(cpu, "full", find, handlers, alone=True, quick=True)
    seen = [0] * len(engines.cores)
    for number in range(RUNS):
        seed = choice.getrandbits(32)
        engines.compare(lambda core, seed=seed: prepare(core, isa, seed, memory), choice, f"{name}, run {number}")
        seen = [bits | int(np.bitwise_or.reduce(core.hits)) for bits, core in zip(seen, engines.cores, strict=True)]
    assert engines.recompiled > 500
    every = 63 if isa == "m68040" else 127  # elsewhere lines may be present, too
    assert seen[1:] == [every] * 2, "loads and stores of all sizes"


@pytest.mark.full
def test_a_load_may_come_before_the_store_ahead_of_it() -> None:
    """A load reads a line, a store comes as soon as it is there, the next load is a clock sooner; then another line."""
    for between in range(40):
        waits = " moveq #7,d2\n" * between
        source = f"loop: move.l (a0),d0\n{waits} move.l d0,(4,a0)\n move.l (8,a0),d1\n lea (16,a0),a0\n bra loop\n"
        (section,) = assemble(source, "m68040").sections
        cores = [opened()[0] for _ in range(2)]
        for core, kind in zip(cores, (Evaluator, Looking), strict=True):
            core.write(CODE, section.content)
            kind(core).run(3 * (between + 5) - 2)
        assert differences(*cores) == [], between


def opened() -> tuple[Core, Evaluator]:
    core = Core(m68k.cpu("MC68040"), "full")
    prepare(core, "m68040", SEED, PROGRAMS["68040"][2])
    return core, Evaluator(core)


def test_they_are_cleared_when_the_host_replaces_the_state() -> None:
    core, runs = opened()
    before = core.state.copy()
    runs.run(400)
    assert core.hits.any()
    core.state[()] = before
    runs.run(1)
    assert not core.hits.any(), "its cache is empty again"


def test_they_are_cleared_when_a_state_comes_from_another_core() -> None:
    (core, runs), (other, others) = opened(), opened()
    runs.run(400)
    others.run(3)
    core.state[()] = other.state
    runs.run(1)
    assert not core.hits.any()
    assert core.state[HITS] != other.state[HITS]


def test_bits_are_of_aligned_accesses() -> None:
    assert READS.to_bytes(8, "little") == bytes([7, 1, 3, 1, 7, 1, 3, 1])
    assert WRITES.to_bytes(8, "little") == bytes([56, 8, 24, 8, 56, 8, 24, 8])
