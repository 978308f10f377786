"""Exceptions, interrupts and supervisor state of the PowerPC 601, and the clocks RTC and DEC (601UM chapter 5)."""

from __future__ import annotations

import pytest

from retrosim.cpu import ppc
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.ppc.exceptions import vector_name
from retrosim.cpu.ppc.mpc601_clocks import memory
from retrosim.cpu.spec.cpu import FAULT, RUNNING, SERVICE, STATUS_WRITTEN
from tests.helpers.cpu.ppc_assembler import addi, code, encode

CPU = ppc.cpu("MPC601")
AT = 0x10000
EE, PR, ME, EP = 0x8000, 0x4000, 0x1000, 0x40
SPR = {"srr0": 26, "srr1": 27, "sprg2": 274, "dec": 22, "user dec": 6, "rtcu": 4, "rtcl": 5, "pvr": 287, "bat3l": 535}
SPR |= {"write rtcu": 20, "write rtcl": 21, "hid0": 1008, "ear": 282}


def swapped(number: int) -> int:
    return (number & 31) << 5 | number >> 5


def mfspr(d: int, name: str) -> int:
    return encode("mfspr", d=d, p=swapped(SPR[name]))


def mtspr(name: str, s: int) -> int:
    return encode("mtspr", d=s, p=swapped(SPR[name]))


def start(*words: int, registers: dict[int, int] | None = None, msr: int = 0, timing: str = "full", handlers=True):
    """Put a program into a core; every vector holds `addi r31,0,vector >> 8`."""
    core = Core(CPU, timing)
    core.state["limit"], core.state["written_low"] = 1 << 62, 0xFFFFFFFF
    core.write(AT, code(*words))
    for vector in range(0x100, 0x3000, 0x100) if handlers else ():
        for base in (0, 0xF00000):
            core.write(base + vector, code(encode("addi", d=31, a=0, i=vector >> 8)))
    for number, value in (registers or {}).items():
        core.state["r"][number] = value
    core.state["pc"], core.state["msr"] = AT, msr
    return core, Evaluator(core)


# word, registers before -> (vector, cause in SRR1)
CAUSES = {
    "illegal": (0, {}, 0x700, 0x00080000),
    "mftb is none": (0x7C6C42E6, {}, 0x700, 0x00080000),
    "trap": (encode("tw", t=31), {}, 0x700, 0x00020000),
    "trap less": (encode("twi", t=16, a=3, i=0), {3: 0xFFFFFFFF}, 0x700, 0x00020000),
    "trap logically less": (encode("twi", t=2, a=3, i=5), {3: 4}, 0x700, 0x00020000),
    "floating": (encode("fadd", d=1, a=2, b=3), {}, 0x800, 0),
    "floating load": (encode("lfd", d=1, a=2, i=4), {}, 0x800, 0),
    "alignment": (encode("lwarx", d=7, a=3, b=4), {3: 0x20001, 4: 1}, 0x600, 0),
    "external control": (encode("eciwx", d=7, a=3, b=4), {3: 0x20000}, 0x300, 0),
}


@pytest.mark.parametrize("cause", CAUSES)
def test_exceptions(cause: str) -> None:
    word, registers, vector, bits = CAUSES[cause]
    msr = EE | ME | 0x0030
    core, runs = start(word, registers=registers, msr=msr)
    assert runs.run(1) == 1
    state = core.state
    assert state["reason"] == RUNNING and state["pc"] == vector
    assert (state["srr0"], state["srr1"], state["msr"]) == (AT, msr | bits, ME)
    runs.run(1)
    assert state["r"][31] == vector >> 8


def test_what_an_alignment_exception_tells() -> None:
    """DAR: the address; DSISR: bits 29-30, 25, 21-24 of the instruction, rD, rA."""
    core, runs = start(encode("stwcx", d=7, a=3, b=4), registers={3: 0x20000, 4: 2})
    runs.run(1)
    word = encode("stwcx", d=7, a=3, b=4)
    bits = (word >> 1 & 3) << 5 | (word >> 6 & 1) << 4 | word >> 7 & 15
    assert core.state["dar"] == 0x20002
    assert core.state["dsisr"] == bits << 10 | 7 << 5 | 3


def test_a_load_that_is_not_aligned_is_no_exception() -> None:
    core, runs = start(encode("lwz", d=5, a=3), encode("lmw", d=30, a=3), registers={3: 0x20001})
    core.write(0x20001, bytes(range(1, 9)))
    runs.run(2)
    assert core.state["r"][5] == core.state["r"][30] == 0x01020304 and core.state["r"][31] == 0x05060708


def test_vectors_move_with_the_prefix_bit() -> None:
    core, runs = start(0, msr=EP)
    runs.run(1)
    assert core.state["pc"] == 0xF00700 and core.state["msr"] == EP


def test_without_a_handler_the_run_ends() -> None:
    core, runs = start(addi(3, 3, 1), 0, handlers=False)
    assert runs.run(10) == 2
    state = core.state
    assert (state["reason"], state["detail"], state["pc"]) == (FAULT, 0x700, AT + 4)
    assert "program" in vector_name(int(state["detail"]))
    assert state["srr0"] == 0


def test_services() -> None:
    """sc leaves with the number in r0; one that nobody serves is the processor's own system call."""
    core, runs = start(encode("sc"), addi(3, 3, 1), registers={0: 7}, msr=EE)
    assert runs.run(5) == 1
    state = core.state
    assert (state["reason"], state["detail"], state["pc"]) == (SERVICE, 7, AT + 4)
    runs.refuse_service()
    assert (state["pc"], state["srr0"], state["srr1"], state["msr"]) == (0xC00, AT + 4, EE | 0x00020000, 0)


def test_rfi_returns() -> None:
    core, runs = start(encode("rfi"))
    core.state["srr0"], core.state["srr1"] = AT + 0x103, 0xFFFF0000 | EE | PR
    runs.run(5)
    assert core.state["pc"] == AT + 0x100 and core.state["msr"] == EE | PR
    assert core.state["reason"] == STATUS_WRITTEN


def test_interrupts_between_two_instructions() -> None:
    core, runs = start(addi(3, 3, 1), addi(3, 3, 1), msr=EE | ME)
    runs.run(1)
    before = int(core.state["cycles"])
    runs.between(lambda m: CPU.interrupt(m, 1))
    state = core.state
    assert (state["pc"], state["srr0"], state["srr1"], state["msr"]) == (0x500, AT + 4, EE | ME, ME)
    assert state["cycles"] == before + 16
    for field in CPU.stage_fields:
        assert state[field] == state["cycles"]


PRIVILEGED = [
    encode("mfmsr", d=3),
    encode("mtmsr", d=3),
    encode("rfi"),
    encode("mtsr", d=3, p=2),
    encode("mfsrin", d=3, b=4),
    encode("tlbie", b=3),
    encode("dcbi", a=3, b=4),
    mfspr(3, "srr0"),
    mtspr("sprg2", 3),
    mtspr("dec", 3),
    mfspr(3, "pvr"),
]


@pytest.mark.parametrize("word", PRIVILEGED)
def test_users_may_not(word: int) -> None:
    core, runs = start(word, registers={3: 0x1234}, msr=PR | EE)
    runs.run(1)
    assert core.state["pc"] == 0x700 and core.state["srr1"] == PR | EE | 0x00040000
    assert core.state["r"][3] == 0x1234
    supervisor, runs = start(word, registers={3: 0x1234})
    runs.run(1)
    assert supervisor.state["pc"] != 0x700


def test_special_registers_keep_what_is_written() -> None:
    for name in ("srr0", "sprg2", "bat3l", "hid0", "ear"):
        core, runs = start(mtspr(name, 3), mfspr(4, name), registers={3: 0xA5A51234})
        runs.run(2)
        assert core.state["r"][4] == 0xA5A51234, name
    core, runs = start(mfspr(4, "pvr"))
    runs.run(1)
    assert core.state["r"][4] == 0x00010001
    core, runs = start(encode("mtsrin", d=3, b=4), encode("mfsr", d=5, p=9), registers={3: 77, 4: 0x90000000})
    runs.run(2)
    assert core.state["r"][5] == 77


def test_the_real_time_clock_and_the_decrementer() -> None:
    """7.8336 MHz at 80 MHz: in 8,000,000 clocks 783,360 periods, each of 128 ns or counts."""
    words = [mtspr("write rtcu", 3), mtspr("write rtcl", 4), mtspr("dec", 5)]
    words += [mfspr(6, "rtcu"), mfspr(7, "rtcl"), mfspr(8, "dec"), mfspr(9, "user dec")]
    start_ns = 999_999_872
    core, runs = start(*words, registers={3: 41, 4: start_ns, 5: 1000}, timing="off")
    core.state["memory"] = list(memory().values())
    runs.run(3)
    core.state["cycles"] = 8_000_000
    runs.run(4)
    periods = 8_000_000 * 100_000 // memory()["timer"]
    assert abs(periods - 783_360) <= 2
    seconds, nanoseconds = divmod(start_ns + 128 * periods, 1_000_000_000)
    assert core.state["r"][6:10].tolist() == [41 + seconds, nanoseconds] + [(1000 - 128 * periods) & 0xFFFFFFFF] * 2


def test_without_a_timer_the_clocks_stand_still() -> None:
    core, runs = start(mfspr(6, "rtcl"), mfspr(7, "dec"))
    core.state["cycles"] = 10**9
    runs.run(2)
    assert core.state["r"][6] == core.state["r"][7] == 0


def test_reservations() -> None:
    load, store = encode("lwarx", d=5, a=0, b=3), encode("stwcx", d=4, a=0, b=3)
    core, runs = start(store, load, store, store, registers={3: 0x20000, 4: 99})
    runs.run(4)
    assert core.ram[0x20003] == 99
    outcomes = []
    core, runs = start(store, load, store, store, registers={3: 0x20000, 4: 99})
    for _ in range(4):
        runs.run(1)
        outcomes.append(int(core.state["cr"][2]))
    assert outcomes == [0, 0, 1, 0]
    far = encode("stwcx", d=4, a=0, b=6)
    core, runs = start(load, far, registers={3: 0x20000, 4: 99, 6: 0x20020})
    runs.run(2)
    assert core.state["cr"][2] == 0 and core.ram[0x20023] == 0


def test_update_forms_that_powerpc_calls_invalid() -> None:
    """The 601 does as POWER: what is loaded into rA stays, and r0 is no base."""
    core, runs = start(
        encode("lwzu", d=3, a=3, i=8), encode("stwu", d=4, a=0, i=0x300), registers={0: 5, 3: 0x20000, 4: 6}
    )
    core.write(0x20008, code(0x11223344))
    runs.run(2)
    assert core.state["r"][3] == 0x11223344 and core.state["r"][0] == 5
    assert core.ram[0x303] == 6


def test_a_sector_is_cleared() -> None:
    core, runs = start(encode("dcbz", a=3, b=4), registers={3: 0x20000, 4: 0x2B})
    core.write(0x20000, b"\xff" * 128)
    runs.run(1)
    assert not core.ram[0x20020:0x20040].any()
    assert core.ram[0x20000:0x20020].all() and core.ram[0x20040:0x20080].all()
