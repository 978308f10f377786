"""Regions: how code is found and divided, where it looks at its limits, and the bounds of clocks that it relies on."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from retrosim.cpu import m68k
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.engines.handlers.handler_cache import handler_cache
from retrosim.cpu.engines.handlers.interpret import Interpreter
from retrosim.cpu.engines.regions import regions
from retrosim.cpu.engines.regions import regions as call_graph
from retrosim.cpu.engines.regions.compiled_region import CompiledRegion
from retrosim.cpu.engines.regions.regions import (
    BLANK,
    MAX_BLOCKS,
    MAX_INSTRUCTIONS,
    MAX_PATH,
    Region,
    discover,
    longest_path,
)
from retrosim.cpu.m68k.exceptions import ADDRESS_ERROR
from retrosim.cpu.m68k.state import M68K
from retrosim.cpu.spec.cpu import ADDRESS_MASK, Cpu
from retrosim.cpu.spec.instruction_set import InstructionSet
from retrosim.cpu.spec.rows import Insn
from retrosim.machine.boards import MAX_MEMORY_CLOCKS
from tests.helpers.amount import FULL
from tests.helpers.cpu import m68k_streams as streams
from tests.helpers.cpu.agreement import stay_within_bounds

SEED = 1994
CPU = m68k.cpu("MC68040")
NOP, RTS = "4e71", "4e75"


def found(code: str, roots: list[int] | None = None, start: int = 0x1000, known: tuple[int, ...] = ()) -> list[Region]:
    core = Core(CPU, "off")
    content = bytes.fromhex(code)
    core.ram[start : start + len(content)] = np.frombuffer(content, np.uint8)
    return discover(core, roots or [start], known)


def blocks(region: Region) -> dict[int, list[int]]:
    return {start: [insn.pc for insn in block.insns] for start, block in region.blocks.items()}


# --- discovery, by hand


def test_a_loop() -> None:
    """moveq #9,d1; addq.l #1,d0; dbra d1; rts"""
    (region,) = found(f"7209 5280 51c9 fffc {RTS}")
    assert blocks(region) == {0x1000: [0x1000], 0x1002: [0x1002, 0x1004], 0x1008: [0x1008]}
    assert region.entries == (0x1000, 0x1002) and region.checks == {0x1002}


def test_nested_loops_are_entered_at_each() -> None:
    """moveq; outer: moveq; inner: addq; dbra d1,inner; dbra d2,outer; rts"""
    (region,) = found(f"7409 7209 5280 51c9 fffc 51ca fff6 {RTS}")
    assert region.checks == {0x1002, 0x1004} and region.entries == (0x1000, 0x1002, 0x1004)


def test_a_call_is_entered_at_the_function_and_where_it_returns_to() -> None:
    """bsr f; rts; f: addq; rts"""
    (region,) = found(f"6102 {RTS} 5280 {RTS}")
    assert blocks(region) == {0x1000: [0x1000], 0x1002: [0x1002], 0x1004: [0x1004, 0x1006]}
    assert region.entries == (0x1000, 0x1002, 0x1004)


def test_a_call_by_register_returns_to_an_entry_and_what_it_calls_stays_unknown() -> None:
    """jsr (a0); rts; another function that nothing names"""
    (region,) = found(f"4e90 {RTS} 5280 {RTS}")
    assert blocks(region) == {0x1000: [0x1000], 0x1002: [0x1002]} and region.entries == (0x1000, 0x1002)


def test_a_service_is_a_call_of_the_machine() -> None:
    (region,) = found(f"5280 a000 5281 {RTS}")
    assert blocks(region) == {0x1000: [0x1000, 0x1002], 0x1004: [0x1004, 0x1006]}
    assert region.entries == (0x1000, 0x1004)


def test_a_function_that_falls_into_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regions, "MAX_JOINED", 0)
    both = found(f"5280 5281 {RTS}", [0x1000, 0x1002])
    assert sorted(sorted(region.blocks) for region in both) == [[0x1000], [0x1002]]
    assert {entry for region in both for entry in region.entries} == {0x1000, 0x1002}


def test_regions_have_copies_of_short_functions_that_they_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """f: bsr g; rts; g: addq; rts: compiled apart, f has g too, and g is entered in its own region"""
    monkeypatch.setattr(regions, "MAX_JOINED", 0)
    f, g = sorted(found(f"6102 {RTS} 5280 {RTS}"), key=lambda region: min(region.own_insns, key=lambda i: i.pc).pc)
    assert sorted(f.blocks) == [0x1000, 0x1002, 0x1004] and sorted(g.blocks) == [0x1004]
    assert f.copied == {0x1004} and f.entries == (0x1000, 0x1002) and f.guesses[0x1004] == (0x1002,)
    assert not g.copied and g.entries == (0x1004,)
    monkeypatch.setattr(call_graph, "MAX_COPIED", 1)
    assert not any(region.copied for region in found(f"6102 {RTS} 5280 {RTS}"))


def test_a_branch_into_another_region_leads_to_an_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    """f: beq into the middle of g; rts; g: addq; there: addq; rts"""
    monkeypatch.setattr(regions, "MAX_JOINED", 0)
    both = found(f"6704 {RTS} 5280 5281 {RTS}", [0x1000, 0x1004])
    assert {entry for region in both for entry in region.entries} == {0x1000, 0x1004, 0x1006}


def test_a_jump_table_ends_a_block() -> None:
    """jmp (a0,d2.w), and data behind it"""
    (region,) = found("4ef0 2000 ffff ffff")
    assert blocks(region) == {0x1000: [0x1000]}


def test_a_jump_into_the_middle_of_an_instruction_gives_overlapping_blocks() -> None:
    """move.l #$52804e75,d0; bsr 1002 = addq.l #1,d0; rts"""
    (region,) = found("203c 5280 4e75 61fa 60f6")
    assert 0x1000 in region.blocks and blocks(region)[0x1002] == [0x1002, 0x1004]


def test_odd_targets_and_roots_are_no_code() -> None:
    """bra to 1003; a root at 1005"""
    (region,) = found("6001", [0x1000, 0x1005])
    assert blocks(region) == {0x1000: [0x1000]}


def test_undefined_words_end_a_path() -> None:
    (region,) = found(f"5280 4afc 5281 {RTS}")
    assert blocks(region) == {0x1000: [0x1000, 0x1002]}


def test_blank_memory_is_no_code() -> None:
    """A program without an end does not take the rest of memory with it, and zeros in between are operands."""
    core = Core(CPU, "off")
    core.ram[0x1000:0x1002] = 0x52, 0x80
    (region,) = discover(core, [0x1000, 0x2000])
    assert blocks(region) == {0x1000: [0x1000]} and len(core.insns) < 3
    (region,) = found("23fc" + "00" * 8 + NOP + RTS)
    assert len(list(region.insns)) == 3 and BLANK > 8


def test_known_code_is_left_out() -> None:
    """addq; bsr 1008; rts; nop; 1008: addq; rts"""
    (region,) = found(f"5280 6104 {RTS} {NOP} 5281 {RTS}", known=(0x1008, 0x100A))
    assert blocks(region) == {0x1000: [0x1000, 0x1002], 0x1004: [0x1004]}


def test_code_at_the_end_of_memory() -> None:
    """It goes on at address 0; an instruction across the end is not taken."""
    core = Core(CPU, "off")
    core.ram[ADDRESS_MASK - 3 : ADDRESS_MASK + 1] = 0x52, 0x80, 0x52, 0x81
    core.ram[:4] = 0x52, 0x82, 0x4E, 0x75
    (region,) = discover(core, [ADDRESS_MASK - 3])
    assert blocks(region) == {0: [0, 2], ADDRESS_MASK - 3: [ADDRESS_MASK - 3, ADDRESS_MASK - 1]}
    assert region.edges[ADDRESS_MASK - 3] == (0,)
    core = Core(CPU, "off")
    core.ram[ADDRESS_MASK - 3 : ADDRESS_MASK + 1] = 0x52, 0x80, 0x20, 0x3C
    core.ram[:8] = 0x12, 0x34, 0x56, 0x78, 0x4E, 0x75, 0x4E, 0x75
    (region,) = discover(core, [ADDRESS_MASK - 3])
    assert blocks(region) == {ADDRESS_MASK - 3: [ADDRESS_MASK - 3]}


def test_long_functions_are_cut() -> None:
    straight = found(NOP * 3000 + RTS)
    assert all(sum(len(b.insns) for b in region.blocks.values()) <= MAX_INSTRUCTIONS for region in straight)
    assert sum(len(list(region.insns)) for region in straight) == 3001
    assert all(len(block.insns) <= MAX_PATH for region in straight for block in region.blocks.values())
    assert all(min(region.blocks) in region.entries for region in straight)  # the one before goes on there
    branchy = found("6702 5280" * 600 + RTS)  # beq over an addq, 1201 blocks
    assert all(len(region.blocks) <= MAX_BLOCKS for region in branchy)


# --- properties of random code


def random_code(choice: random.Random, count: int) -> str:
    """Return nops, branches, calls and returns whose targets are any even addresses of the code."""
    words: list[str] = []
    while len(words) < count:
        kind = choice.choice(("nop",) * 4 + ("6000", "6100", "6700", "6600", "51c9", "rts", "jsr"))
        displacement = 2 * choice.randrange(count) - 2 * (len(words) + 1)
        if kind in ("nop", "rts", "jsr"):
            words.append({"nop": NOP, "rts": RTS, "jsr": "4e90"}[kind])
        else:
            words += [kind, f"{displacement & 0xFFFF:04x}"]
    return "".join(words) + RTS


def unchecked(region: Region) -> dict[int, set[int]]:
    """Return the direct edges between blocks that no check interrupts, from the instructions themselves."""
    edges: dict[int, set[int]] = {}
    for start, block in region.blocks.items():
        following = {insn.target for insn in block.insns} - {None}
        if not block.insns[-1].row.options.get("ends"):
            following.add(block.end)
        following |= set(region.guesses[start])
        edges[start] = {t for t in following if t in region.blocks and t not in region.checks}
    return edges


def paths(region: Region, weight: dict[int, int]) -> int:
    """Return the weight of the heaviest path without a check; fail where there is a cycle."""
    edges, sums, under_way = unchecked(region), {}, set()

    def longest(start: int) -> int:
        assert start not in under_way, "a cycle without a check"
        if start not in sums:
            under_way.add(start)
            sums[start] = weight[start] + max((longest(t) for t in edges[start]), default=0)
            under_way.remove(start)
        return sums[start]

    return max(longest(start) for start in region.blocks)


@pytest.mark.first_case
@pytest.mark.parametrize("start", [0x1000, ADDRESS_MASK + 1 - 200])
def test_every_cycle_passes_a_check_and_paths_are_bounded(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one region and in many; the second start puts code across the end of memory."""
    choice = random.Random(SEED)
    monkeypatch.setattr(regions, "MAX_PATH", 20)
    checked = 0
    for program in range(150):
        monkeypatch.setattr(regions, "MAX_JOINED", choice.choice((0, 50, 10_000)))
        core = Core(CPU, "off")
        code = bytes.fromhex(random_code(choice, 150))
        for place, byte in enumerate(code, start=start):
            core.ram[place & ADDRESS_MASK] = byte
        roots = [start, *((start + 2 * choice.randrange(150)) & ADDRESS_MASK for _ in range(5))]
        parts = discover(core, roots)
        leaders = [pc for region in parts for pc in region.blocks.keys() - region.copied]
        assert len(leaders) == len(set(leaders)), f"seed {SEED}, program {program}"
        for region in parts:
            place = {start: number for number, start in enumerate(region.blocks)}
            assert all(place[start] < place[target] for start, ends in unchecked(region).items() for target in ends)
            weight = {start: len(block.insns) for start, block in region.blocks.items()}
            assert longest_path(region, weight) == paths(region, weight) <= 2 * 20, f"seed {SEED}, program {program}"
            checked += len(region.blocks)
            for outside in (other for other in parts if other is not region):
                for block in outside.blocks.values():
                    crossed = {insn.target for insn in block.insns} & (region.blocks.keys() - region.copied)
                    assert crossed <= set(region.entries), f"seed {SEED}, program {program}"
    print(f"{checked} blocks, seed {SEED}")


# --- bounds of clocks


@pytest.mark.first_case
@pytest.mark.parametrize(
    "model, timing", [("MC68000", "full"), ("MC68040", "table"), ("MC68040", "full"), ("MC68040", "causes")]
)
def test_no_instruction_takes_more_clocks_than_its_bound(model: str, timing: str) -> None:
    cpu = m68k.cpu(model)
    generator, choice = streams.Generator(cpu, SEED), random.Random(SEED)
    size = streams.CODE_BYTES if FULL else 0x400

    def load(core: Core) -> None:
        content = generator.code(size), generator.data(0x1000), generator.registers(), choice.getrandbits(5)
        streams.load(core, *content, span=size)
        first, line = sorted(choice.choice((0, 5, 11, MAX_MEMORY_CLOCKS)) for _ in range(2))
        others = [choice.choice((0, 4, MAX_MEMORY_CLOCKS)) for _ in range(2)]
        core.state["memory"] = [first, line, *others, choice.getrandbits(1)]

    def is_for_host(evaluator: Evaluator, insn: Insn) -> bool:
        return cpu.aligned and evaluator.raised == ADDRESS_ERROR

    rows = stay_within_bounds(cpu, timing, [load] * (50 if FULL else 25), is_for_host)
    assert len(rows) > (0.5 if FULL else 0.3) * len(cpu.table.rows)


# --- rows that other instruction sets will bring


def wider_cpu() -> Cpu:
    """An MC68040 with two more rows: registers by computed number, and an instruction that repeats itself."""
    isa = InstructionSet("m68k", M68K.kinds, word_bytes=2, max_bytes=22)
    isa.rows = list(M68K.rows)

    @isa.insn("COMPUTED", "1111000000000001", ref="none: of this test")
    def computed(m):
        m.set_reg(m.reg(0) & 7, m.reg(m.reg(1) & 7) + m.reg(2))

    @isa.insn("REPEAT", "1111000000000010", ref="none: of this test")
    def repeat(m):
        count = m.reg(3)

        def once() -> None:
            m.set_reg(3, count - 1)
            m.set_reg(4, m.reg(4) + count)
            m.when(count.ne(1), m.jump_back)

        m.when(count.ne(0), once)

    return replace(CPU, isa=isa, table=isa.table("MC68040"))


@pytest.mark.parametrize("repeated_at_entry", [False, True])
def test_computed_register_numbers_and_instructions_that_repeat(repeated_at_entry: bool) -> None:
    """COMPUTED; addq.l #1,d0; addq.l #3,d1; moveq #9,d3; REPEAT; add.l d0,d2; bra to the start"""
    cpu = wider_cpu()
    code = bytes.fromhex("f001 5280 5681 7609 f002 d480 60f2")
    ends = []
    for engine in ("evaluate", "recompile"):
        core = Core(cpu, "off")
        streams.load(core, code, b"", [3, 5, 7, 0, 0, 11, 13, 17, *[streams.DATA] * 7, streams.STACK], 0)
        runs: Evaluator | Interpreter = Evaluator(core)
        if engine == "recompile":
            runs = Interpreter(core, handler_cache(cpu, "off", []))
            roots = [streams.CODE, streams.CODE + 8] if repeated_at_entry else [streams.CODE]
            (region,) = discover(core, roots)
            runs.install(CompiledRegion(cpu, "off", region, quick=True))
        assert runs.run(1000) == 1000
        ends.append([core.state[name].tolist() for name in ("r", "pc", "x", "n", "z", "v", "c")])
    assert ends[0] == ends[1]
    assert runs.bridged < (100 if repeated_at_entry else 900)
