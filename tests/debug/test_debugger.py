"""The debugger: where it stops, what it tells, and that going back gives what had been there.

--full: on all five processors and three engines.
"""

from __future__ import annotations

import random

import pytest

from retrosim.debug import Time
from retrosim.errors import CpuFault
from retrosim.machine import Machine
from tests.helpers.amount import amount
from tests.helpers.machine import flat

PLACES = amount(0, 60)
MACHINES = flat.MACHINES if PLACES else ("mc68000-8",)
ENGINES = ("evaluate", "interpret", "recompile") if PLACES else ("evaluate", "interpret")


def opened(name: str = "mc68040-25", engine: str = "interpret") -> Machine:
    return Machine(name, "shooter", engine=engine)


def whole(machine: Machine) -> tuple[Time, str, str]:
    return machine.debugger.time, machine.hash("machine"), machine.text


@pytest.mark.full
@pytest.mark.parametrize("name", MACHINES)
def test_engines_stop_at_the_same_places(name: str) -> None:
    seen = []
    for engine in ENGINES:
        machine = opened(name, engine)
        debugger = machine.debugger
        debugger.watchpoint("gStars", 4, "change")
        debugger.break_on("service")
        stops = [debugger.run(instructions=6000)]
        debugger.breakpoint(stops[0].by, "frame == 0", ignore=1)
        if name == "mc68000-8":  # reads need handlers of their own
            debugger.watchpoint("gNumObjects", 4, "read", temporary=True)
        stops += [debugger.run(instructions=1500) for _ in range(4)]
        stops += [debugger.reverse_run() for _ in range(3)]
        seen.append(([str(stop) for stop in stops], whole(machine), [point.hits for point in debugger.points]))
    assert all(each == seen[0] for each in seen)
    assert {"watchpoint", "breakpoint"} <= {stop.split()[0] for stop in seen[0][0]}, seen[0]


def random_places(name: str, engine: str, count: int, seed: int) -> None:
    """Compare what is found at random places by going there with what had been there."""
    r = random.Random(f"{name} {engine} {seed}")
    machine = opened(name, engine)
    debugger, states = machine.debugger, []
    for _ in range(count):
        if r.random() < 0.5:
            machine.set_input("pad", r.choice((0, 1, 16)))
        if r.random() < 0.1:
            debugger.write(debugger.resolve("gStars"), r.randbytes(3))
        states.append(whole(machine))
        debugger.run(instructions=r.choice((1, 10, 1000, 3000 if engine == "evaluate" else 300_000)))
    for _ in range(count):
        expected = r.choice(states)
        if r.random() < 0.2:
            debugger.reverse_step(r.choice((1, 5, 1000)))
        debugger.go_to(expected[0])
        assert whole(machine) == expected


@pytest.mark.full
@pytest.mark.parametrize("name", MACHINES)
def test_going_back_gives_what_had_been_there(name: str) -> None:
    for engine in ENGINES:
        random_places(name, engine, PLACES // 15 + 1 if PLACES else 4, 0)


def test_last_write_names_the_instruction_and_the_host() -> None:
    machine = opened()
    debugger = machine.debugger
    debugger.run(frames=2)
    before = whole(machine)
    write = debugger.last_write("gFrame", 4)
    assert write is not None and write.where.startswith("Main") and write.new == bytes([0, 0, 0, 2])
    assert whole(machine) == before
    debugger.go_to(write.time)
    assert machine.regs["pc"] == write.pc and debugger.evaluate("long[gFrame]") == 1
    debugger.write(debugger.resolve("gFrame"), bytes(4))
    host = debugger.last_write("gFrame", 4)
    assert host is not None and host.text == "the host"


def test_stepping_over_and_out_returns_to_the_same_depth() -> None:
    for name in MACHINES:
        machine = opened(name)
        debugger = machine.debugger
        debugger.run(frames=1)
        debugger.until("MoveAll")
        inner = debugger.call_stack()
        assert [frame.function for frame in inner] == ["MoveAll", "Main", "_start"]
        debugger.step(3)
        stop = debugger.step_out()
        assert (stop.reason, stop.pc) == ("step", inner[1].pc)
        debugger.reverse_step_over()
        assert machine.regs["pc"] == inner[1].call_pc
        assert debugger.step_over().pc == inner[1].pc


def test_a_fault_is_told() -> None:
    machine = opened()
    machine.write(machine.address("MoveAll"), bytes.fromhex("4afc"))
    stop = machine.debugger.run(frames=1)
    assert stop.reason == "fault" and isinstance(stop.fault, CpuFault)


def test_changing_the_past_begins_another_future() -> None:
    machine = opened()
    debugger = machine.debugger
    debugger.run(frames=3)
    end = debugger.end
    debugger.go_to(Time(end.instructions // 2, 0, 0))
    debugger.set_register("d0", 5)
    assert debugger.end == end
    debugger.step()
    assert debugger.end == debugger.time < end


def test_states_may_take_64_mib_and_not_less_than_one() -> None:
    debugger = opened().debugger
    assert debugger.memory_limit == 64 * 1024 * 1024
    debugger.memory_limit = 1024 * 1024
    assert debugger.memory_limit == 1024 * 1024
    with pytest.raises(ValueError, match="memory_limit 1048575: allowed 1048576 or more"):
        debugger.memory_limit = 1024 * 1024 - 1


def test_states_stay_within_their_memory() -> None:
    machine = opened()
    debugger = machine.debugger
    debugger.memory_limit = 1 << 20
    debugger.run(frames=300)
    assert debugger.used_bytes <= 1 << 20
    assert debugger.go_to(1).reason == "instructions" and machine.instructions == 1
