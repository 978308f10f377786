"""Services and the clock: frames end at ticks, time is exact, registers are kept, other A-line words are exceptions."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from retrosim.machine import PRESETS, Machine
from tests.helpers.amount import usually
from tests.helpers.machine import programs
from tests.helpers.machine.programs import ENTRY

ENGINES = ("evaluate", "interpret")
FRAMES = "a000 60fc"  # yield_frame for ever
REGISTERS = [*(f"d{i}" for i in range(8)), *(f"a{i}" for i in range(8))]


def tick_start(machine: Machine, number: int) -> int:
    """Return the first clock of a tick, from the published ratio alone."""
    return math.ceil(number * machine.clock_hz * Fraction(704 * 370, 15_667_200))


def fill_registers(machine: Machine) -> dict[str, int]:
    for number, name in enumerate(REGISTERS):
        machine.regs[name] = 0x01010102 * (number + 1)
    return {name: machine.regs[name] for name in REGISTERS}


@pytest.mark.parametrize("name", [name for name, preset in PRESETS.items() if preset.isa == "m68040"])
def test_the_tick_is_the_macintoshs(name: str) -> None:
    assert PRESETS[name].tick_hz == Fraction(15_667_200, 704 * 370)
    assert float(PRESETS[name].tick_hz) == pytest.approx(60.147, abs=0.0005)


@pytest.mark.parametrize("timing", ["off", "full"])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_frame_ends_at_the_next_tick(engine: str, timing: str) -> None:
    ours = programs.machine(FRAMES, engine=engine, timing=timing)
    for number in range(1, 20):
        ours.run(frames=1)
        assert ours.cycles == tick_start(ours, number)
        assert ours.ticks == ours.frame_number == number


def test_the_clock_is_exact_over_long_runs() -> None:
    """No rounding gathers: 8000 frames, or 20 000 in 5.5 simulated minutes, end at their tick's first clock."""
    ours = programs.machine(FRAMES, engine="interpret", timing="off")
    lengths = set()
    for number in usually(range(1000, 8001, 1000), range(1000, 20_001, 1000)):
        before = ours.cycles
        ours.run(frames=999)
        assert ours.cycles == tick_start(ours, number - 1)
        ours.run(frames=1)
        assert ours.cycles == tick_start(ours, number)
        lengths.add(ours.cycles - before)
    assert len(lengths) > 1 and abs(max(lengths) - min(lengths)) == 1  # 415646.5... clocks a tick do not divide


@pytest.mark.parametrize("cycle", [10**9 + 7, 2**40 + 1, 2**52 + 12345])
def test_the_clock_is_exact_far_out(cycle: int) -> None:
    """Beyond what a float can tell apart."""
    ours = programs.machine("a000 a001 60fa", timing="off")
    ours.run(frames=1)
    number = cycle * ours.tick_hz // ours.clock_hz
    for field in ("cycles", "ea_end", "fetch_end"):
        ours.core.state[field] = cycle
    ours.restart_ticks(pending=False)
    assert ours.ticks == number
    ours.run(instructions=1)
    assert ours.regs["d1"] << 32 | ours.regs["d0"] == cycle * 1_000_000 // ours.clock_hz
    ours.run(frames=1)
    assert ours.cycles == tick_start(ours, int(number) + 1)


def test_a_frame_longer_than_a_tick_is_slowdown() -> None:
    """Two loops of 65536 passes at 4 clocks are more than one tick and less than two."""
    code = "303c ffff 51c8 fffe 303c ffff 51c8 fffe a000 60ec"
    ours = programs.machine(code, engine="interpret")
    for number in range(1, 4):
        ours.run(frames=1)
        assert ours.cycles == tick_start(ours, 2 * number)
        assert ours.frame_cycles == pytest.approx(8 * 65536, rel=0.001)
        assert ours.frame_instructions == 2 * 65537 + (1 if number == 1 else 2)


def test_services_cost_what_the_preset_says() -> None:
    for timing, free, cost in (("full", 0, 1000), ("table", 0, 1000), ("off", 7, 7)):
        costs = []
        for clocks in (0, 1000):
            ours = programs.machine(FRAMES, timing=timing, service_clocks=clocks)
            ours.run(frames=1)
            costs.append(ours.frame_cycles)
        assert costs[1] - costs[0] == cost - free
    assert programs.machine(FRAMES).service_clocks == PRESETS["mc68040-25"].service_clocks > 0


def test_busy_clocks_exclude_the_wait() -> None:
    ours = programs.machine(FRAMES, service_clocks=50, timing="table")
    ours.run(frames=2)
    assert ours.frame_cycles == 2 + 16 + 50  # bra 2, A-line 16, service
    assert ours.frame_instructions == 2


@pytest.mark.parametrize("engine", ENGINES)
def test_microseconds(engine: str) -> None:
    ours = programs.machine("a001 60fc", engine=engine)
    before = fill_registers(ours)
    for _ in range(3):
        ours.run(cycles=12_345)
        ours.run(until=0x1002)
        now = ours.cycles * 1_000_000 // ours.clock_hz
        assert (ours.regs["d0"], ours.regs["d1"]) == (now, 0) and now > 400
    assert {name: ours.regs[name] for name in REGISTERS[2:]} == {name: before[name] for name in REGISTERS[2:]}


@pytest.mark.parametrize("engine", ENGINES)
def test_services_keep_registers_and_flags(engine: str) -> None:
    ours = programs.machine("a000 a002", engine=engine)
    before = fill_registers(ours)
    ours.regs["sr"] = ours.regs["sr"] | 0x1F
    status = ours.regs["sr"]
    ours.run(frames=1)
    assert {name: ours.regs[name] for name in REGISTERS} == before and ours.regs["sr"] == status
    ours.run(instructions=1)
    assert {name: ours.regs[name] for name in REGISTERS} == before and ours.regs["sr"] == status


@pytest.mark.parametrize("engine", ENGINES)
def test_exit_halts_the_machine(engine: str) -> None:
    ours = programs.machine("7007 a002 7001 60fe", engine=engine)
    result = ours.run(instructions=100)
    assert (result.reason, result.instructions, result.pc, ours.exit_status) == ("exit", 2, 0x1004, 7)
    for limits in ({"frames": 5}, {"cycles": 10**9}, {"instructions": 10}, {"until": 0x1006}):
        result = ours.run(**limits)
        assert (result.reason, result.frames, result.cycles, result.instructions) == ("exit", 0, 0, 0)
    assert ours.regs["d0"] == 7
    ours.reset()
    assert ours.exit_status is None and ours.regs["d0"] == 0
    assert ours.run(instructions=1).reason == "instructions"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("word", ["a004", "a123", "afff"])
def test_an_unknown_service_is_exception_10(engine: str, word: str) -> None:
    """The program's handler gets the frame: status, address of the instruction, format 0 and vector offset 28."""
    ours = programs.machine(f"7005 {word} 4e71", engine=engine)
    ours.write(0x28, (0x1100).to_bytes(4, "big"))
    ours.write(0x1100, bytes.fromhex("7206 60fe"))
    before, status = fill_registers(ours), ours.regs["sr"]
    ours.regs["a7"] = 0x80000
    result = ours.run(until=0x1100, instructions=10)
    assert (result.reason, result.instructions) == ("until", 2)
    assert ours.regs["a7"] == 0x80000 - 8
    frame = ours.mem[0x80000 - 8 : 0x80000].tobytes().hex(" ", 2)
    assert frame == f"{status & ~0xF:04x} 0000 1002 0028"
    assert {n: ours.regs[n] for n in REGISTERS[1:-1]} == {n: before[n] for n in REGISTERS[1:-1]}
    ours.run(instructions=1)
    assert ours.regs["d1"] == 6


@pytest.mark.parametrize("engine", ENGINES)
def test_an_unknown_service_without_a_handler_is_a_fault(engine: str) -> None:
    ours = programs.machine("7005 a123 4e71", engine=engine)
    result = ours.run(instructions=10)
    assert (result.reason, result.pc) == ("fault", ENTRY + 2)
    assert "unimplemented A-line instruction at 001002" in str(result.fault)
