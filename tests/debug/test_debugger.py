"""The debugger: where it stops, what it tells, and that going back gives what had been there.

--full: on all five processors and three engines.
"""

from __future__ import annotations

import random

import pytest

from retrosim.debug import ConditionError, Point, Time
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


def test_a_hook_changes_the_machine_and_its_error_leaves_it_whole() -> None:
    machine, calls = opened(), []
    other = opened()

    def hook(given: Machine) -> None:
        calls.append(given.regs["pc"])
        if len(calls) == 3:
            raise KeyError("mine")

    point = machine.on("MoveAll", hook)
    with pytest.raises(KeyError, match="mine"):
        machine.run(frames=9)
    assert calls == [machine.address("MoveAll")] * 3 and machine.regs["pc"] == calls[0]
    machine.debugger.remove(point)
    machine.run(frames=1)
    other.run(frames=machine.frame_number)
    assert machine.hash("machine") == other.hash("machine") and len(calls) == 3


def test_watch_hook_gets_what_was_written() -> None:
    machine, seen = opened(), []
    machine.watch("gFrame", 4, lambda given, stop: seen.append((given.frame_number, stop.old, stop.new)), "change")
    machine.run(frames=2)
    assert seen == [(0, bytes(4), bytes([0, 0, 0, 1])), (1, bytes([0, 0, 0, 1]), bytes([0, 0, 0, 2]))]


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


def test_a_limit_stops_what_runs_longer() -> None:
    machine = opened()
    debugger = machine.debugger
    debugger.limit("CheckAllObjects", 1_000_000)
    assert debugger.run(frames=2).reason == "frames"
    debugger.clear()
    debugger.limit("CheckAllObjects", 5_000)
    stop = debugger.run(frames=2)
    assert stop.reason == "limit"
    assert [frame.function for frame in debugger.call_stack()][-2:] == ["Main", "_start"]
    start = machine.cycles
    debugger.reverse_step_out()
    assert 5_000 < start - machine.cycles < 5_300


def test_each_of_two_limits_of_a_routine_stops() -> None:
    debugger = opened().debugger
    points = [debugger.limit("CheckAllObjects", clocks) for clocks in (5_000, 5_400)]
    assert [debugger.run(frames=2).point for _ in range(2)] == points
    debugger.enable(points[0], False)
    assert debugger.run(frames=2).point is points[1]


def test_a_limit_that_was_removed_meanwhile_does_not_stop() -> None:
    debugger = opened().debugger
    point = debugger.limit("CheckAllObjects", 5_000)
    debugger.until("CheckAllObjects")
    debugger.run(instructions=10)
    debugger.remove(point)
    assert debugger.run(frames=2).reason == "frames"


def test_a_kind_of_point_of_ones_own_says_what_it_reacts_to() -> None:
    class Odd(Point):
        kind = "odd"

        def happened(self, event: str, number: int | None) -> bool:
            return event == "frame" and (number or 0) % 2 == 1

    debugger = opened().debugger
    point = debugger.add(Odd(where="frames"), "frame > 2")
    stop = debugger.run(frames=9)
    assert (stop.reason, stop.number, str(point)) == ("odd", 3, "odd 1: frames, if frame > 2, 1 hits")
    assert debugger.run(frames=9).number == 5 and debugger.reverse_run().time == stop.time
    assert (point.addresses, point.size, point.access, point.event) == ((), 0, "", "")


def test_points_say_what_they_were_told() -> None:
    debugger = opened().debugger
    debugger.breakpoint("MoveAll", temporary=True)
    debugger.watchpoint("gFrame", 4, "change")
    debugger.break_on("frame", 3, "d0 == 1")
    debugger.limit(debugger.resolve("MoveAll"), 500)
    debugger.hook("gFrame", print, 4)
    move, frame = debugger.resolve("MoveAll"), debugger.resolve("gFrame")
    assert [(str(point), point.command, point.addresses) for point in debugger.points] == [
        ("breakpoint 1: MoveAll", "tbreak MoveAll", (move,)),
        ("watchpoint 2: change of 4 bytes at gFrame", "cwatch gFrame, 4", (frame,)),
        ("event 3: frame 3, if d0 == 1", "catch frame 3", ()),
        (f"limit 4: more than 500 clocks in {move:#x}", f"limit {move:#x}, 500", (move,)),
        ("hook 5: gFrame", "", (frame,)),
    ]


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


def test_an_exception_stops_the_run() -> None:
    machine = opened()
    debugger = machine.debugger
    debugger.run(frames=1)
    handler = debugger.resolve("RandomBits")
    debugger.write(4 * 4, handler.to_bytes(4, "big"))  # the vector of illegal instructions
    debugger.write(debugger.resolve("MoveAll"), bytes.fromhex("4afc"))
    point = debugger.break_on("exception")
    stop = debugger.run(frames=2)
    assert (stop.reason, stop.number, stop.by, stop.pc) == ("exception", 4, debugger.resolve("MoveAll"), handler)
    debugger.remove(point)
    machine.write(4 * 4, bytes(4))
    debugger.go_to(stop.time)
    debugger.reverse_step()
    assert machine.regs["pc"] == stop.by


def test_a_fault_is_told() -> None:
    machine = opened()
    machine.write(machine.address("MoveAll"), bytes.fromhex("4afc"))
    stop = machine.debugger.run(frames=1)
    assert stop.reason == "fault" and isinstance(stop.fault, CpuFault)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 + 3 * 4 == 14 and not 0", 1),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("sbyte[gStars] < 0 or $10 | 0x01", 1),
        ("1 << 4 & 0xF0 ^ 3", 19),
        ("~0 == -1", 1),
        ("@gStars == gStars", 1),
        ("word[gStars + 2 * (1 + 1)] >= 0", 1),
    ],
)
def test_expressions(text: str, value: int) -> None:
    assert opened().debugger.evaluate(text) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("d0 = 5", "character 4"),
        ("d0 == ", "expected a number"),
        ("gFrme == 1", "did you mean gFrame"),
        ("(" * 60 + "1", "nested too deeply"),
        ("1+" * 300 + "1", "allowed up to 500"),
        ("1 / (d0 - d0)", "division by zero"),
        ("1 << 64", "shift by 64: allowed 0..63"),
        ("__import__('os')", "character 12"),
        ("word[gFrame", "expected ']'"),
        ("d0 == 1 2", "expected an operator"),
    ],
)
def test_bad_expressions_are_told_in_one_line(text: str, message: str) -> None:
    with pytest.raises(ConditionError, match="character") as caught:
        opened().debugger.evaluate(text)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_a_condition_that_cannot_be_computed_stops() -> None:
    debugger = opened().debugger
    debugger.breakpoint("MoveAll", "1 / word[gFrame]")
    stop = debugger.run(frames=1)
    assert stop.reason == "error" and "division by zero" in stop.text


def test_bad_points_are_refused() -> None:
    debugger = opened().debugger
    for call in (
        lambda: debugger.breakpoint("NoSuch"),
        lambda: debugger.breakpoint(1 << 24),
        lambda: debugger.breakpoint("nothing.c:1"),
        lambda: debugger.watchpoint("gFrame", 0),
        lambda: debugger.watchpoint("gFrame", 4, "peek"),
        lambda: debugger.break_on("birthday"),
        lambda: debugger.limit("Main", 0),
        lambda: debugger.remove(7),
        lambda: debugger.go_to(-1),
    ):
        with pytest.raises(ValueError, match=r"allowed|no symbol|no source"):
            call()
    assert not debugger.points


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


def test_states_stay_within_their_memory() -> None:
    machine = opened()
    debugger = machine.debugger
    debugger.memory_limit = 1 << 20
    debugger.run(frames=300)
    assert debugger.used_bytes <= 1 << 20
    assert debugger.go_to(1).reason == "instructions" and machine.instructions == 1
