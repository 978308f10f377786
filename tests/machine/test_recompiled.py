"""Machines on recompiled regions: whatever a program does, all state is the evaluator's.

The machines here have no handlers beside their regions: what no region runs, the evaluator bridges, and that is
counted. So a test knows how much a region has run. By default each program that changes itself has full timing and one
other, ticks and clocks are fewer; --full does everything.
"""

from __future__ import annotations

import random
from functools import partial

import pytest

from retrosim.cpu.engines import tiers
from retrosim.cpu.engines.handlers import interpret
from retrosim.cpu.engines.handlers.handler_cache import handler_cache
from retrosim.cpu.engines.regions import regions
from retrosim.cpu.engines.regions import regions as call_graph
from retrosim.cpu.engines.regions.compiled_region import CompiledRegion
from retrosim.machine import Machine
from retrosim.machine.memory import STACK_START
from tests.helpers.amount import FULL, usually
from tests.helpers.cpu.cores import differences
from tests.helpers.machine import programs
from tests.helpers.machine.programs import ENTRY

MODELS = {"mc68000-8": "m68000", "mc68040-25": "m68040"}
HANDLER = ENTRY + 0x200
SEED = 1994


@pytest.fixture(autouse=True)
def regions_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "handler_cache", lambda cpu, timing, _, quick=False: handler_cache(cpu, timing, []))
    monkeypatch.setattr(tiers, "CompiledRegion", partial(CompiledRegion, quick=True))
    monkeypatch.setattr(tiers, "MISSES_TO_COMPILE", 1 << 60)


def placed(parts: dict[int, str]) -> str:
    """Return code words with each part at its address, nops between."""
    content = b""
    for address, code in sorted(parts.items()):
        assert len(content) <= address - ENTRY
        content += bytes.fromhex("4e71") * ((address - ENTRY - len(content)) // 2) + bytes.fromhex(code)
    return content.hex()


def pair(code: str, name: str = "mc68040-25", **options) -> tuple[Machine, Machine]:
    """Return the machine on the evaluator, and on regions."""
    isa = MODELS[name]
    slow, fast = (
        programs.machine(code, name=name, isa=isa, engine=engine, **options) for engine in ("evaluate", "recompile")
    )
    assert fast.engine == "recompile"
    return slow, fast


def bridged(ours: Machine) -> int:
    """Return how many instructions were not run by regions."""
    return ours._engine._interpreter.bridged


def assert_same(slow: Machine, fast: Machine, where: object = "") -> None:
    assert dict(fast.regs) == dict(slow.regs), where
    assert (fast.cycles, fast.instructions, fast.frame_number) == (slow.cycles, slow.instructions, slow.frame_number)
    assert differences(fast.core, slow.core) == [], where


def run_both(slow: Machine, fast: Machine, count: int, steps: int = 1) -> None:
    for step in range(steps):
        for each in (slow, fast):
            each.run(instructions=count)
        assert_same(slow, fast, f"step {step} of {count} instructions")


# --- code that changes


# move.w #$5280,d0; there: move.w d0,ahead; addq.l #1,d2,d3,d4; ahead: addq.l #1,d5; bra there
AHEAD = "303c 5280 33c0 0000 1010 5282 5283 5284 5285 60f2"
# addq.l #1,d0; eori.w #$200,(the addq: by 1 or 9); bra
BEHIND = "5280 0a79 0200 0000 1000 60f4"
# loop: a hundred times addq.l #1,d0; eori.w #$200,(the addq); bra loop
RESTORED = "323c 0063 5280 51c9 fffc 0a79 0200 0000 1004 60ec"
# jsr $1020; eori.w #$200,$1020; bra; f: addq.l #1,d0; rts
OTHER = placed({ENTRY: "4eb8 1020 0a79 0200 0000 1020 60f2", 0x1020: "5280 4e75"})
# move.w #$5280,$3000; move.w #$4e75,$3002; jsr $3000 twice; addq.w #$200... the next function written differs
WRITTEN = "303c 5280 33c0 0000 3000 33fc 4e75 0000 3002 4eb8 3000 4eb8 3000 0a40 0200 60e4"
# move.l #$52804e75,d0; bsr into it: addq.l #1,d0; rts; bra
MIDDLE = "203c 5280 4e75 5281 61f8 60f4"
# jmp (a0,d2.w) by d1 & 3
TABLE = placed(
    {ENTRY: "41f8 1020 3401 0242 0003 d442 d442 5241 4ef0 2000"}
    | {0x1020 + 4 * n: f"{0x5280 + 0x200 * n:04x} 60{0x100 - 0x24 - 4 * n:02x}" for n in range(4)}
)
# bsr with the stack in code: the return address becomes ori.b #6,d0 in the function
STACKED = "4ff8 1014 6104 5280 60f6 5281 6002 4e71 5283 5284 4e75"
CHANGING = {
    "ahead": AHEAD, "behind": BEHIND, "restored": RESTORED, "another region": OTHER, "copied": OTHER,
    "written": WRITTEN, "middle": MIDDLE, "table": TABLE, "stack in code": STACKED,
}  # fmt: skip


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("program", "timing"),
    usually(
        [(program, timing) for n, program in enumerate(CHANGING) for timing in ("full", ("table", "off")[n % 2])],
        [(program, timing) for program in CHANGING for timing in ("full", "table", "off")],
    ),
)
def test_programs(program: str, timing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if program in ("another region", "copied"):
        for limit in ("MAX_JOINED", "MAX_JOINED_WAITING"):
            monkeypatch.setattr(regions, limit, 0)
    if program == "another region":
        monkeypatch.setattr(call_graph, "MAX_LEAF", 0)
    slow, fast = pair(CHANGING[program], timing=timing)
    run_both(slow, fast, 400, 3)
    run_both(slow, fast, 61, 10)
    assert bridged(fast) < fast.instructions


@pytest.mark.parametrize(
    "program", usually(("ahead", "stack in code"), ("ahead", "restored", "table", "stack in code"))
)
def test_programs_on_the_mc68000(program: str) -> None:
    slow, fast = pair(CHANGING[program], "mc68000-8")
    run_both(slow, fast, 997, 3)
    assert bridged(fast) < fast.instructions


def test_a_region_comes_back_with_its_code_until_it_has_changed_too_often() -> None:
    """Of every two rounds of 203 instructions one has the code that was compiled."""
    slow, fast = pair(RESTORED, timing="off")
    run_both(slow, fast, 4 * 203)
    assert 2 * 150 < fast.instructions - bridged(fast) < 2 * 203
    run_both(slow, fast, 2 * interpret.MAX_BREAKS * 203)
    before = fast.instructions - bridged(fast)
    run_both(slow, fast, 4 * 203)
    assert fast.instructions - bridged(fast) == before


# --- where runs end


@pytest.mark.parametrize("timing", ["full", "off"])
def test_budgets_around_the_margin(timing: str) -> None:
    """A run of any length gives what the evaluator gives, from wherever the last one ended."""
    slow, fast = pair(TABLE, timing=timing)
    for count in (*range(1, 60), 100, 399, 400, 401):
        run_both(slow, fast, count)
    assert bridged(fast) < fast.instructions


@pytest.mark.first_case
@pytest.mark.parametrize("timing", ["full", "table"])
@pytest.mark.parametrize("name", MODELS)
def test_clock_limits(name: str, timing: str) -> None:
    slow, fast = pair(TABLE, name, timing=timing)
    choice = random.Random(SEED)
    for clocks in (
        1,
        2,
        3,
        7,
        1000,
        *(choice.randrange(5000 if FULL else 2000) for _ in range(20 if FULL else 6)),
    ):
        for each in (slow, fast):
            each.run(cycles=clocks)
        assert_same(slow, fast, f"seed {SEED}, {clocks} clocks")
    assert bridged(fast) < fast.instructions


@pytest.mark.parametrize("name", MODELS)
def test_a_computed_jump_out_of_its_region_counts_once(name: str) -> None:
    """lea target,a0; addq.l #1,d2; jmp (a0); target, which no region knows: addq.l #1,d0; bra to the beginning."""
    slow, fast = pair(placed({ENTRY: "41f9 0000 1020 5282 4ed0", ENTRY + 0x20: "5280 60dc"}), name)
    for ours in (slow, fast):
        ours.run(instructions=203)
    assert slow.regs["d2"] == 41
    assert_same(slow, fast)


def test_until_an_address_inside_a_region() -> None:
    slow, fast = pair(TABLE)
    for address in (*range(ENTRY, ENTRY + 0x30, 2), 0x1001):
        for _ in range(2):
            results = [each.run(until=address, instructions=300 if FULL else 100) for each in (slow, fast)]
            assert results[0] == results[1], hex(address)
            assert_same(slow, fast, hex(address))
            run_both(slow, fast, 1)
    before = bridged(fast)
    run_both(slow, fast, 1000)
    assert bridged(fast) - before < 500  # the region is back


# --- states


def test_reset_load_and_restore_bring_the_code_back() -> None:
    slow, fast = pair(RESTORED)
    states = []
    for _ in range(3):
        run_both(slow, fast, 150)
        states.append((slow.save(), fast.snapshot()))
    for saved, snapshot in reversed(states):
        slow.load(saved)
        fast.restore(snapshot)
        assert_same(slow, fast)
        run_both(slow, fast, 50)
    for saved, _ in states:
        for each in (slow, fast):
            each.load(saved)
        run_both(slow, fast, 50)
    for each in (slow, fast):
        each.reset()
    before = bridged(fast)
    run_both(slow, fast, 200)
    assert bridged(fast) - before < 100
    for each in (slow, fast):
        each.write(ENTRY + 4, bytes.fromhex("5680"))
    run_both(slow, fast, 1000)


# --- interrupts, services, exceptions

# move #$2000,sr; loop: moveq #20,d1; addq.l #1,d0; mulu d0,d2; move.l d0,(a0); dbra d1; bra loop
# the handler: addq.l #1,d7; move.l (2,sp),d6: the PC; rte
BUSY = placed({ENTRY: "46fc 2000 207c 0000 4000 7214 5280 c4c0 2080 51c9 fff8 60f4", HANDLER: "5287 2c2f 0002 4e73"})


@pytest.mark.first_case
@pytest.mark.parametrize("timing", ["full", "table"])
@pytest.mark.parametrize("name", MODELS)
def test_ticks_arrive_at_the_same_instruction(name: str, timing: str) -> None:
    slow, fast = pair(BUSY, name, timing=timing, handler=HANDLER)
    choice = random.Random(SEED)
    for each in (slow, fast):
        each.write(4 * 25, HANDLER.to_bytes(4, "big"))
    for number in range(1, 31 if FULL else 9):
        before = choice.randrange(3000)
        for each in (slow, fast):
            each._wait_until(each._next_tick - 1 - before)
            each.run(cycles=before + 2000)
        assert fast.regs["d7"] == number
        assert_same(slow, fast, f"seed {SEED}, {before} clocks before tick {number}")
    assert bridged(fast) < fast.instructions / 2


@pytest.mark.parametrize("name", MODELS)
def test_stop_and_services(name: str) -> None:
    """Frames, clock reads and waiting for ticks, with loops between."""
    loop = "7264 5280 51c9 fffc"
    code = placed({ENTRY: f"46fc 2000 {loop} a001 {loop} a000 {loop} 4e72 2000 60de", HANDLER: "5287 4e73"})
    slow, fast = pair(code, name, handler=HANDLER)
    for each in (slow, fast):
        each.write(4 * 25, HANDLER.to_bytes(4, "big"))
        each.run(frames=6)
    assert_same(slow, fast)
    assert fast.frame_number == 6 and fast.regs["d7"] >= 5
    assert bridged(fast) < fast.instructions / 2


# what causes an exception, on which models; data registers are as left by "3c3c"
EXCEPTIONS = {
    "divu by 0": "7200 80c1",
    "divs by 0": "7200 81c1",
    "chk above": "323c 0005 303c 0007 4181",
    "chk below": "323c 0005 303c ffff 4181",
    "trapv": "003c 0002 4e76",
    "trap": "4e41",
    "trap #15": "4e4f",
    "illegal": "4afc",
    "line f": "ffff",
    "a service that is none": "a123",
    "privilege": "027c dfff 4e72 2700",
    "jump to an odd address": "207c 0000 1001 4ed0",
    "call of an odd address": "207c 0000 1001 4e90",
    "branch to an odd address": "6001",
    "branch to an odd address, taken by z": "7000 6701",
    "branch to an odd address, not taken": "7001 6701",
    "bsr to an odd address": "6101",
    "return to an odd address": "4879 0000 1001 4e75",
    "odd read": "3039 0000 2001",
    "odd write": "33c0 0000 2001",
    "odd read, changed": "d179 0000 2001",
    "movem to an odd address": "207c 0000 2003 48d0 00ff",
}
ODD_STACK = "2e7c 0000 2001 4e41"  # a double fault of the MC68000
CAUSED = 0x1010


def exceptions() -> tuple[str, dict[str, int]]:
    """Return a program that goes through all of them for ever, and where each begins.

    Each loads the address behind it into a5, where the handler goes on: lea (behind,pc),a5; ...; jmp (a5)
    """
    parts, symbols, place = {ENTRY: "4ef8 1010"}, {}, CAUSED
    for number, body in enumerate(EXCEPTIONS.values()):
        length = len(bytes.fromhex(body))
        symbols[f"cause{number}"] = place
        parts[place] = f"4bfa {length + 4:04x} {body} 4ed5"
        place += length + 6
    parts[place] = "4ef8 1010"
    # the handler: lea STACK_START,a7; addq.l #1,d7; moveq #9,d1; loop: addq.l #1,d6; dbra d1,loop; jmp (a5)
    parts[HANDLER + 0x100] = f"4ff9 {STACK_START:08x} 5287 7209 5286 51c9 fffc 4ed5"
    return placed(parts), symbols | {"handler": HANDLER + 0x100}


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("name", "timing"),
    usually(
        (("mc68000-8", "full"), ("mc68000-8", "table"), ("mc68040-25", "full"), ("mc68040-25", "off")),
        [(name, timing) for name in MODELS for timing in ("full", "table", "off")],
    ),
)
def test_exceptions(name: str, timing: str) -> None:
    code, symbols = exceptions()
    slow, fast = pair(code, name, timing=timing, **symbols)
    for each in (slow, fast):
        for vector in range(2, 64):
            each.write(4 * vector, symbols["handler"].to_bytes(4, "big"))
    run_both(slow, fast, 1300, 3 if FULL else 1)
    run_both(slow, fast, 173, 10 if FULL else 5)
    assert fast.regs["d7"] > (100 if FULL else 50)
    assert bridged(fast) < fast.instructions / 2


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("cause", ["divu by 0", "trapv", "illegal", "jump to an odd address", "odd read", "odd stack"])
def test_faults_without_a_handler(cause: str, name: str) -> None:
    slow, fast = pair(f"7864 5280 51cc fffc {EXCEPTIONS.get(cause, ODD_STACK)} 60f0", name)
    results = [each.run(instructions=400) for each in (slow, fast)]
    assert (str(results[0].fault), results[0].pc) == (str(results[1].fault), results[1].pc)
    assert_same(slow, fast)
