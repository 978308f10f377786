"""How a routine is followed: its blocks and loops, what ends it, and how often the longest path runs each block."""

from collections import Counter

import pytest

from retrosim.bounds import run
from retrosim.bounds.call import bound
from retrosim.bounds.engine import Unbounded
from retrosim.bounds.residence import Way
from retrosim.bounds.run import EXACT, MAX_PARTS, NO_PART, Loop, Part, Parts, routine_at, visits_of
from retrosim.bounds.state import AbstractState, Trail
from tests.helpers.bounds.programs import opened, opened_all

NESTED = "moveq #4,d0; o: moveq #3,d1; i: subq.l #1,d1; bne.s i; subq.l #1,d0; bne.s o; rts"


def blocks_of(folder, text: str, name: str = "mc68000-8") -> tuple[list[list[str]], list[int]]:
    """Return the blocks of a routine as texts, in the order in which they are visited, and the heads of all loops."""
    machine, (address,) = opened_all(folder, [text], name)
    flow = routine_at(machine.core, address)
    heads, todo = [], [flow.whole]
    while todo:
        loop = todo.pop()
        heads += loop.inner
        todo += loop.inner.values()
    blocks = [[insn.text.split()[0] for insn in flow.blocks[start]] for start in flow.order]
    return blocks, [flow.order.index(head) for head in sorted(heads)]


@pytest.mark.parametrize(
    ("text", "blocks", "loops"),
    [
        ("nop; rts", ["NOP RTS"], []),
        ("beq.s x; nop; x: rts", ["Beq", "NOP", "RTS"], []),
        ("beq.s x; nop; rts; x: clr.l d0; rts", ["Beq", "CLR.l RTS", "NOP RTS"], []),
        ("bsr.s f; nop; rts; f: rts", ["BSR", "NOP RTS"], []),  # what is called is another routine
        ("l: nop; bne.s l; rts", ["NOP Bne", "RTS"], [0]),
        (NESTED, ["MOVEQ", "MOVEQ", "SUBQ.l Bne", "SUBQ.l Bne", "RTS"], [1, 2]),
        ("bra.s x; y: nop; rts; x: bra.s y", ["BRA", "BRA", "NOP RTS"], []),
        ("l: beq.s x; nop; bra.s l; x: rts", ["Beq", "RTS", "NOP BRA"], [0]),
    ],
)
def test_blocks_and_loops(tmp_path, text, blocks, loops):
    texts, heads = blocks_of(tmp_path, text)
    assert ([" ".join(block) for block in texts], heads) == (blocks, loops)


def test_a_repeated_instruction_is_a_loop(tmp_path):
    blocks, heads = blocks_of(tmp_path, "mov ecx,5; rep movsd; nop; ret", "i386dx-33")
    assert (len(blocks), len(blocks[1]), heads) == (3, 1, [1])


def test_a_loop_visits_its_own_blocks_and_the_heads_of_those_inside():
    loop = Loop(1, {1, 2, 3, 4}, {2: Loop(2, {2, 3})})
    assert loop.visits([0, 1, 2, 3, 4, 5]) == [1, 2, 4]


def test_a_routine_is_limited(tmp_path, monkeypatch):
    machine = opened(tmp_path, "nop; nop; rts")
    monkeypatch.setattr(run, "MAX_INSTRUCTIONS", 3)
    assert bound(machine, "routine").maximum == 4 + 4 + 16
    monkeypatch.setattr(run, "MAX_INSTRUCTIONS", 2)
    with pytest.raises(Unbounded, match="the routine at 0x2000 has more than 2 instructions"):
        bound(machine, "routine")


def test_steps_are_told_and_limited(tmp_path, monkeypatch):
    machine = opened(tmp_path, "move.w #499,d0; l: dbra d0,l; rts")
    said: list[int] = []
    bound(machine, "routine", progress=lambda done, total, what: said.append(done))
    assert said == [500]
    monkeypatch.setattr(run, "MAX_STEPS", 502)
    bound(machine, "routine")
    monkeypatch.setattr(run, "MAX_STEPS", 501)
    with pytest.raises(Unbounded, match="more than 501 instructions to follow"):
        bound(machine, "routine")


def test_a_loop_that_could_be_left_each_time(tmp_path, monkeypatch):
    """It needs a bound as soon as it has gone on so often, though its count is known."""
    machine = opened(tmp_path, "moveq #9,d0; l: tst.l d1; beq.s x; subq.l #1,d0; bne.s l; x: rts")
    monkeypatch.setattr(run, "PATIENCE", 10)
    assert [loop.times for loop in bound(machine, "routine").loops] == [9]
    monkeypatch.setattr(run, "PATIENCE", 9)
    assert [loop.times for loop in bound(machine, "routine").loops] == [9]
    monkeypatch.setattr(run, "PATIENCE", 8)
    with pytest.raises(Unbounded, match=r"the loop at 0x2002 \(routine\) has no bound that its code shows"):
        bound(machine, "routine")


def test_a_loop_is_tried_so_often(tmp_path, monkeypatch):
    machine = opened(tmp_path, "moveq #9,d0; l: subq.l #1,d0; bne.s l; rts")
    monkeypatch.setattr(run, "MAX_TIMES", 9)
    assert [loop.times for loop in bound(machine, "routine").loops] == [9]
    monkeypatch.setattr(run, "MAX_TIMES", 8)
    with pytest.raises(Unbounded, match="has no bound"):
        bound(machine, "routine")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("bsr.s f; rts; f: bsr.s f; rts", r"0x2004 \(routine\) calls itself \(recursion\)"),
        ("bsr.s f; rts; f: bsr routine; rts; routine equ 0x2000", r"0x2000 \(routine\) calls itself"),
        (
            "bsr.s f; rts; f: dc.w 0x49c0",
            r"0x2004 \(routine\) does not return on any path: .* at 0x2004 .* is not an i",
        ),
        ("trap #0; nop; rts", r"TRAP #0 at 0x2000 \(routine\) always raises an exception"),
        ("l: bra.s l", "has no bound"),
        ("jmp (a0)", r"computed jump at 0x2000 \(routine\) \(JMP \(a0\)\), which has no bound"),
        ("jsr (a0); rts", "computed call at 0x2000"),
        ("pea 4(pc); rts", r"0x2000 \(routine\) does not return on any path$"),
    ],
)
def test_what_does_not_return(tmp_path, text, why):
    with pytest.raises(Unbounded, match=why):
        bound(opened(tmp_path, text), "routine")


def test_a_routine_may_be_called_again(tmp_path):
    machine, (once, twice) = opened_all(
        tmp_path, ["bsr.s f; rts; f: rts", "bsr.s f; bsr.s f; rts; f: moveq #2,d0; l: subq.l #1,d0; bne.s l; rts"]
    )
    assert bound(machine, once).maximum == 18 + 16 + 16
    report = bound(machine, twice)
    assert report.maximum == machine.measure(twice, warm=0).cycles
    assert {block.visits for block in report.path} == {1, 2, 4}


def test_a_loop_that_runs_on_is_multiplied(tmp_path):
    """As soon as nothing changes but the clocks: with loops and calls inside, each block has its share."""
    texts = [
        "l: dec ecx; jnz l; ret",
        "o: mov eax,3; i: dec eax; jnz i; dec ecx; jnz o; ret",
        "l: call f; dec ecx; jnz l; ret; f: ret",
        "o: mov eax,edx; i: dec eax; jnz i; dec ecx; jnz o; ret",
    ]
    machine, addresses = opened_all(tmp_path, texts, "i386dx-33")
    for address, loops, visits in (
        (addresses[0], (0,), [50, 1]),
        (addresses[1], (0,), [50, 150, 50, 1]),
        (addresses[2], (0,), [50, 50, 1, 50]),
        (addresses[3], (0, 2), [50, 1000, 50, 1]),
    ):
        given = {address + offset: times for offset, times in zip(loops, (50, 20), strict=False)}
        report = bound(machine, address, loops=given)
        assert [block.visits for block in report.path] == visits
        registers = {"ecx": 50, "edx": 20}
        high = machine.measure(address, registers=registers, warm=0).cycles
        registers = {"ecx": 1, "edx": 1}
        low = machine.measure(address, registers=registers, warm=0).cycles
        assert report.minimum <= low <= report.minimum + 2 and high <= report.maximum <= high + 4


@pytest.mark.parametrize("times", [1, 2, EXACT, EXACT + 1, EXACT + 2, 100])
def test_a_given_bound_is_the_number_of_times(tmp_path, times):
    machine = opened(tmp_path, "l: dec ecx; jnz l; ret", "i386dx-33")
    clocks = machine.measure("routine", registers={"ecx": times}, warm=0).cycles
    report = bound(machine, "routine", loops={"routine": times})
    assert clocks <= report.maximum <= clocks + 3
    assert [(loop.times, loop.given) for loop in report.loops] == [(times, True)]


def test_blocks_of_a_path_are_counted():
    first = Trail(1, None)
    inner = Trail(3, Trail(2, first))
    once = Trail(4, inner, inner, first, 5)  # what lies between is run five times more
    assert visits_of(first) == {1: 1} and visits_of(None) == {}
    assert visits_of(once) == {1: 1, 2: 6, 3: 6, 4: 1}
    around = Trail(6, once, once, first, 2)
    assert visits_of(around) == Counter({1: 1, 2: 18, 3: 18, 4: 3, 6: 1})


def test_parts_stay_apart_until_they_are_too_many():
    parts: Parts = {}
    for number in range(MAX_PARTS):
        part: Part = ((number,), frozenset())
        run._add(parts, part, AbstractState({}, {}, {}, (Way(number),)))
    assert len(parts) == MAX_PARTS
    run._add(parts, ((0,), frozenset()), AbstractState({}, {}, {}, (Way(99),)))
    assert len(parts) == MAX_PARTS and parts[(0,), frozenset()].maximum == 99
    run._add(parts, NO_PART, AbstractState({}, {}, {}, (Way(7),)))
    assert list(parts) == [NO_PART] and parts[NO_PART].maximum == 99
