"""When code and operands go over the bus of the 80286: each rule by itself, on states that can be counted by hand."""

from __future__ import annotations

import pytest

from retrosim.cpu.x86.prefetch import START as LATENCY
from tests.helpers.cpu.x86_programs import START, core_with, run

NOW = 1000


def after(code: str, fetched: int, bus_free: int, waits: int = 0, refill: int = 0, ready: int = NOW, **registers: int):
    """Return the state behind one instruction; the queue ends `fetched` bytes behind its start."""
    core = core_with("i286_real", code, "full", ebx=0x2000, **registers)
    core.state["memory"] = [waits, 0, 0, 0, 0]
    core.state["cycles"], core.state["refill"] = ready, refill
    core.state["fetched"], core.state["bus_free"] = START + fetched, bus_free
    run(core)
    return {
        name: int(core.state[name]) - base for name, base in (("cycles", NOW), ("bus_free", NOW), ("fetched", START))
    }


@pytest.mark.parametrize(
    "code, clocks, free",
    [
        ("8907", 3, 3),  # MOV [bx],ax: a clock, then the write
        ("8b07", 5, 1 + 2 + 1),  # MOV ax,[bx]: a clock, the read, and one behind it
        ("0107", 7, 7),  # ADD [bx],ax: two clocks between; the write ends with the instruction
        ("8707", 5, 5),  # XCHG: none between
        ("c12705", 8 + 5, 8 + 5),  # SHL [bx],5: as long as shifting takes
        ("60", 17, 17),  # PUSHA: a clock and eight writes
    ],
)
def test_operands(code: str, clocks: int, free: int) -> None:
    state = after(code, 6, NOW, esp=0x4000)
    assert (state["cycles"], state["bus_free"]) == (clocks, free)


def test_words_at_odd_addresses() -> None:
    """The read takes two clocks more, and the write ends two clocks behind the instruction."""
    core = core_with("i286_real", "0107", "full", ebx=0x2001)
    core.state["cycles"], core.state["fetched"], core.state["bus_free"] = NOW, START + 6, NOW
    run(core)
    assert (core.state["cycles"], core.state["bus_free"]) == (NOW + 9, NOW + 11)


@pytest.mark.parametrize("free, words", [(-9, 2), (-1, 1), (0, 0), (1, 0)])
def test_no_fetch_begins_in_the_clock_before_an_operand(free: int, words: int) -> None:
    """The operand is due at 1. Of 6 bytes from its start on all may be there before."""
    state = after("8907", 2, NOW + free)
    assert state == {"cycles": 3, "bus_free": 3, "fetched": 2 + 2 * words}


def test_an_operand_waits_for_a_fetch_with_wait_states() -> None:
    assert after("8907", 2, NOW - 1, waits=3) == {"cycles": 3 + 3, "bus_free": 3 + 3, "fetched": 4}


def test_an_instruction_begins_some_clocks_behind_its_code() -> None:
    """A word is missing: 2 clocks, and START; with a wait state 3. One that came long ago is not waited for."""
    assert after("01d8", 0, NOW)["cycles"] == 2 + LATENCY + 2
    assert after("01d8", 0, NOW, waits=1)["cycles"] == 3 + LATENCY + 2
    assert after("01d8", 0, NOW - 6)["cycles"] == 2
    assert after("01d8", 0, NOW - 5)["cycles"] == 3


def test_a_full_queue_fetches_no_more() -> None:
    """Six bytes behind the start of the instruction; the bus is free for as long as nothing has left it."""
    assert after("01d8", 0, NOW - 50) == {"cycles": 2, "bus_free": 0, "fetched": 6}
    assert after("01d8", 6, NOW - 50) == {"cycles": 2, "bus_free": 0, "fetched": 6}


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("code, clocks", [("90", 1 + 3), ("01d8", 2 + 2), ("c70600201234", 6 + 3)])
def test_behind_a_jump_m_holds_the_code(code: str, clocks: int, place: int) -> None:
    """At even addresses, as the vectors have it, and at odd ones; a wait state delays the begin."""
    for waits, late in ((0, 0), (1, 1)):
        core = core_with("i286_real", "90" * place + code, "full")
        core.state["pc"] += place
        core.state["cycles"], core.state["refill"], core.state["memory"] = NOW, 1, [waits, 0, 0, 0, 0]
        run(core)
        assert core.state["cycles"] - NOW - clocks in ((0,) if not waits else range(late, 6))


@pytest.mark.parametrize("code", ["f3aa", "f32636aa"])
def test_a_repeat_goes_at_the_speed_of_its_writes(code: str) -> None:
    """Prefixes and all: an iteration of an instruction whose end lies far behind its start is no jump."""
    core = core_with("i286_real", code, "full", ecx=20, edi=0x2000)
    run(core, 4)
    start = int(core.state["cycles"])
    run(core, 10)
    assert int(core.state["cycles"]) - start == 3 * 10


def test_clocks_of_the_published_trace() -> None:
    """ADD [bx+0Eh],bl (README of SingleStepTests/80286): the jump takes 6, the write is at 15, the end at 17."""
    state = after("005f0ef4", 0, 0, refill=1)
    assert state["cycles"] == 17 - 6 and state["bus_free"] == 15 + 2 - 6


def test_figures_as_printed_and_as_timed() -> None:
    for code, printed, timed in (
        ("a4", 5, 7),
        ("9d", 5, 6),
        ("ff37", 5, 7),
        ("3b07", 6, 7),
        ("3907", 7, 6),
        ("6bc305", 21, 21),
    ):
        for option, expected in (("printed", printed), ("timed", timed)):
            core = core_with("i286_real", code, "table", readings={"figures": option}, ebx=0x2000, esp=0x4000)
            assert run(core).state["cycles"] == expected, (code, option)
