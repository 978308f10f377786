"""The kinds of points: what each reacts to, what it says, and what is refused."""

from __future__ import annotations

import pytest

from retrosim.debug import Point
from retrosim.debug.points import Event
from retrosim.machine import Machine


def opened(name: str = "mc68040-25", engine: str = "interpret") -> Machine:
    return Machine(name, "shooter", engine=engine)


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


@pytest.mark.parametrize(
    "event, parameter, happening, expected",
    [
        ("frame", None, ("frame", 7), True),
        ("frame", None, ("exception", 7), False),
        ("frame", 5, ("frame", 10), True),  # every fifth
        ("frame", 5, ("frame", 12), False),
        ("frame", 5, ("exception", 5), False),
        ("exception", 5, ("exception", 5), True),
        ("exception", 5, ("exception", 10), False),
        ("exception", 0, ("exception", 0), True),
        ("exception", 0, ("exception", None), False),
    ],
)
def test_which_events_stop(event: str, parameter: int | None, happening: tuple, expected: bool) -> None:
    point = Event(event=event, parameter=parameter)
    assert point.happened(*happening) is expected
    assert point.needs_exceptions == (event == "exception") and point.reason == event
    assert point.command == (f"catch {event}" if parameter is None else f"catch {event} {parameter}")
