"""The PowerPC machine: ticks, services, calls and states, small programs in hand-assembled words."""

from __future__ import annotations

import numpy as np
import pytest

from retrosim.cpu.ppc import mpc601_clocks
from retrosim.cpu.ppc.state import MSR_EE
from retrosim.errors import IllegalInstruction, RetrosimError
from retrosim.machine import PRESETS, Machine, memory, open_machine
from retrosim.machine.presets import MACINTOSH_TICK_HZ
from tests.helpers.amount import usually
from tests.helpers.cpu.cores import same_memory
from tests.helpers.machine import programs

NAME, TIMINGS = "ppc601-80", ("off", "table", "full", "causes")
EXTERNAL = 0x500
ENABLE = "3860 8000 7c60 0124"  # li r3,-32768; mtmsr r3: EE, and bits that do not matter here
COUNT = "3884 0001 4bff fffc"  # addi r4,r4,1; b .-4
HANDLER = "38a5 0001 4c00 0064"  # addi r5,r5,1; rfi
SUM = "7c63 2214 7c63 2a14 7c63 5214 4e80 0020"  # add r3,r3,r4; add r3,r3,r5; add r3,r3,r10; blr
DIFFERENT = frozenset({"reason", "limit", "written_low", "written_high", "touched_by"})  # how a run ended


def program(code: str, engine: str = "evaluate", **options) -> Machine:
    timing = options.pop("timing", "full")
    return Machine(NAME, programs.image(code, isa="ppc601", **options), engine=engine, timing=timing)


def ticking(engine: str, timing: str) -> Machine:
    ours = program(f"{ENABLE} {COUNT}", engine, timing=timing)
    ours.write(EXTERNAL, bytes.fromhex(HANDLER))
    return ours


def state_of(machine: Machine) -> dict[str, bytes]:
    state, different = machine.core.state, DIFFERENT | machine.core.cpu.derived
    return {name: np.asarray(state[name]).tobytes() for name in state.dtype.names if name not in different}


def differences(one: Machine, other: Machine) -> list[str]:
    first, second = state_of(one), state_of(other)
    found = [name for name in first if first[name] != second[name]]
    return found + ["memory"] * (not same_memory(one.core, other.core))


def test_the_preset() -> None:
    preset = PRESETS[NAME]
    assert (preset.clock_hz, preset.tick_hz, preset.frame_hz) == (80_000_000, MACINTOSH_TICK_HZ, MACINTOSH_TICK_HZ)
    assert {name: each.value for name, each in preset.memory.items()} == mpc601_clocks.memory()
    assert 20 <= preset.service_clocks <= 30
    for name, each in preset.parameters.items():
        assert each.source and each.meaning and each.minimum <= each.value <= each.maximum, name
    assert preset.service.confidence == "estimated"


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"sector_read": 15}, "sector_read 15: allowed 16..1000 with first_read 16"),
        ({"l2_first": 19}, "l2_sector 18: allowed 19..1000 with l2_first 19"),
        ({"l2": 2}, "l2 2: allowed 0..1"),
    ],
)
def test_bad_memory_parameters(changed: dict[str, int], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        open_machine(NAME, engine="evaluate", memory_clocks=changed)


@pytest.mark.parametrize("timing", ["table", "full"])
def test_ticks_interrupt_at_the_same_instruction(timing: str) -> None:
    """The clock is set close to two ticks, one after the other, and the engines go on step by step and as a whole."""
    one, other = (ticking(engine, timing) for engine in ("evaluate", "interpret"))
    for tick in (1, 2):
        for ours in (one, other):
            ours.run(instructions=100)
            ours._wait_until(ours._next_tick - 40)
            ours.run(instructions=200)
            assert ours.ticks == ours.regs["r5"] == tick  # one interrupt each, and its handler has returned
            assert ours.regs["msr"] & MSR_EE
        assert differences(one, other) == []


@pytest.mark.parametrize("engine", ["evaluate", "interpret"])
def test_where_an_interrupt_strikes(engine: str) -> None:
    ours = ticking(engine, "full")
    ours.run(instructions=10)
    ours._wait_until(ours._next_tick - 10)
    before = ours.regs["r4"]
    ours.run(instructions=1000, until=EXTERNAL)
    assert ours.regs["pc"] == EXTERNAL and ours.regs["srr0"] in (0x1008, 0x100C)
    assert ours.regs["srr1"] & MSR_EE and not ours.regs["msr"] & MSR_EE
    assert ours.regs["r4"] - before in range(1, 20)


def test_a_tick_waits_for_the_mask() -> None:
    """addi r4,r4,1 three times with EE off, a tick pending; then mtmsr lets it in at once."""
    ours = program("3884 0001 3884 0001 3884 0001 " + ENABLE + COUNT)
    ours.write(EXTERNAL, bytes.fromhex(HANDLER))
    ours._wait_until(ours._next_tick)
    ours.run(instructions=3)
    assert (ours.regs["r4"], ours.regs["r5"]) == (3, 0)
    ours.run(instructions=2)
    assert (ours.regs["pc"], ours.regs["srr0"]) == (EXTERNAL, 0x1014)


@pytest.mark.parametrize("engine", ["evaluate", "interpret"])
def test_services(engine: str) -> None:
    """li r0,0; sc; li r0,1; sc; li r3,7; li r0,2; sc."""
    code = "3800 0000 4400 0002 3800 0001 4400 0002 3860 0007 3800 0002 4400 0002"
    ours = program(code, engine)
    assert ours.run(frames=1).reason == "frames"
    assert ours.cycles == -(-ours.clock_hz * MACINTOSH_TICK_HZ.denominator // MACINTOSH_TICK_HZ.numerator)
    ours.run(instructions=2)
    assert (ours.regs["r3"], ours.regs["r4"]) == (ours.cycles * 1_000_000 // ours.clock_hz, 0)
    assert ours.run(instructions=10).reason == "exit" and ours.exit_status == 7


def test_what_a_service_costs() -> None:
    """The trap by the manual's table, and the preset's estimate."""
    ours = program("3800 0001 4400 0002", timing="table")
    assert ours.run(instructions=2).cycles == 1 + mpc601_clocks.table()["sc"].execute[0] + ours.service_clocks


def test_an_unknown_service_is_a_system_call() -> None:
    """li r0,99; sc: without a handler a fault, with one its instructions."""
    ours = program("3800 0063 4400 0002")
    fault = ours.run(instructions=10).fault
    assert fault.pc == 0x1004 and "calls a system (sc), call 0x63" in str(fault)
    ours = program("3800 0063 4400 0002")
    ours.write(0xC00, bytes.fromhex(HANDLER))
    ours.run(instructions=3)
    assert (ours.regs["srr0"], ours.regs["r5"]) == (0x1008, 1)


def test_floating_point_is_named() -> None:
    """fadd f1,f2,f3."""
    fault = program("fc22 182a").run(instructions=1).fault
    assert isinstance(fault, IllegalInstruction) and "floating-point unavailable" in str(fault)


@pytest.mark.parametrize("engine", ["evaluate", "interpret"])
def test_measure_follows_the_c_convention(engine: str) -> None:
    ours = program(SUM, engine)
    before, registers = ours.regs["r1"], [ours.regs[f"r{n}"] for n in range(32)]
    measured = ours.measure("_start", 1, 20, 300, 0, 0, 0, 0, 4000)
    assert (measured.result, measured.instructions) == (4321, 4)
    assert registers == [ours.regs[f"r{n}"] for n in range(32)] and before % 16 == 0


@pytest.mark.parametrize("arguments", [0, 8, 9, 11])
def test_the_frame_that_a_routine_finds(arguments: int) -> None:
    """Back chain at 0(r1), room for LR at 4(r1), the ninth argument and more from 8(r1)."""
    ours = program(SUM)
    top = ours.regs["r1"]
    ours.enter("_start", *range(1, arguments + 1))
    sp = ours.regs["r1"]
    words = ours.mem[sp : sp + 8 + 4 * max(arguments - 8, 0)].view(">u4").tolist()
    assert sp % 16 == 0 and sp < top
    assert words == [top, 0, *range(9, arguments + 1)]
    assert [ours.regs[f"r{n}"] for n in range(3, 3 + min(arguments, 8))] == list(range(1, min(arguments, 8) + 1))
    assert ours.regs["lr"] == memory.RETURN_ADDRESS


def test_registers_that_are_packed() -> None:
    ours = program(SUM)
    for name, value in (("cr", 0x80000001), ("cr", 0x12345678), ("xer", 0xE000FF7F), ("xer", 0x2000007F)):
        ours.regs[name] = value
        assert ours.regs[name] == value


def test_a_routine_that_does_not_return() -> None:
    with pytest.raises(RetrosimError, match="did not return"):
        program(COUNT).measure("_start", max_instructions=100)


def test_saved_states() -> None:
    """Go on from a state in the middle of a frame, on the same engine and on another."""
    machines = [open_machine(NAME, engine="interpret", parameters={"objects": 9}) for _ in range(3)]
    machines[0].run(frames=1)
    machines[0].run(instructions=1234)
    saved = machines[0].save()
    machines[1].load(saved)
    machines[2].restore(machines[0].snapshot())
    for ours in machines:
        ours.run(frames=1)
    assert differences(machines[0], machines[1]) == differences(machines[0], machines[2]) == []
    assert len({ours.hash("machine") for ours in machines}) == 1


@pytest.mark.first_case
@pytest.mark.parametrize("timing", usually(("off", "table", "causes"), TIMINGS))
def test_recompiled_code_is_the_interpreters(timing: str) -> None:
    """The ROM for frames and for parts of frames: same registers, caches, memory and clocks.

    Full timing is part of that with causes, and that of every build: test_recompiled_roms.py.
    """
    one, other = (
        open_machine(NAME, engine=engine, timing=timing, parameters={"objects": 30})
        for engine in ("interpret", "recompile")
    )
    assert other.engine == "recompile"
    for limits in ({"frames": 2}, {"instructions": 1001}, {"cycles": 777}, {"frames": 1}):
        if limits == {"cycles": 777} and timing == "off":
            continue
        ran = [(ours.run(**limits), ours.cycles, ours.instructions) for ours in (one, other)]
        assert ran[0] == ran[1], limits
        assert differences(one, other) == [], limits


@pytest.mark.parametrize("build", ["O0", "O1", "O2", "period", "period-calls", "period-divide", "period-level0"])
def test_the_world_is_that_of_the_native_machine(build: str) -> None:
    ours = open_machine(NAME, build=build, engine="interpret", timing="off", parameters={"objects": 60, "seed": 5})
    native = open_machine("native", parameters={"objects": 60, "seed": 5})
    for pad in (0, 2, 16, 9):
        for each in (ours, native):
            each.set_input("pad", pad)
            each.run(frames=7)
        assert ours.hash() == native.hash()
        assert np.array_equal(ours.frame, native.frame)


def test_a_routine_finds_the_base_of_its_globals() -> None:
    """r2, which only DetermineCollisions sets, is there for what it calls before the program has come to it."""
    ours = open_machine(NAME, build="period", engine="interpret", parameters={"objects": 5})
    ours.run(frames=1)
    found = ours.measure("UpdateCollisionArray")
    assert ours.regs["r2"] == ours.address("TOC")
    ours.regs["r2"] = 0
    assert ours.measure("UpdateCollisionArray").instructions == found.instructions
    assert ours.regs["r2"] == 0
    ours.regs["r2"] = ours.address("TOC") + 0x1000  # what the program has put there stays
    assert ours.measure("UpdateCollisionArray").instructions != found.instructions
