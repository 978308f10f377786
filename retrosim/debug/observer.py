"""What looks on while a machine runs: it finds out which points were reached, and notes what comes from outside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

from retrosim.cpu.spec.cpu import SERVICE
from retrosim.cpu.spec.timing import WATCH_READS
from retrosim.machine import state_file
from retrosim.machine.memory import FOREVER

from .conditions import ConditionError
from .history import History, now
from .points import Point, Stop, Time

if TYPE_CHECKING:
    from retrosim.machine.machine import Machine


class PlayedTape(Protocol):
    """What a machine plays: `retrosim.tape.Player` is one."""

    def inputs(self, frame: int) -> Mapping[str, int] | None: ...
    def compare(self) -> None: ...
    def rewound(self) -> None: ...
    @property
    def mismatch(self) -> object | None: ...


class Observer:
    """Looks at a machine between two slices of its run, for one debugger.

    points    in the order of their numbers
    history   None until a debugged run begins
    is_debugged   does the debugger run the machine? Else it is run without it, and only hooks act
    collect   called with every stop in place of all else: the run is a search in the past, which it may end
    tape      what the machine plays
    is_interrupted  does somebody want the run to end soon?
    diverged  when the machine left the tape, and how
    """

    is_interrupted = False

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.points: list[Point] = []
        self.history: History | None = None
        self.is_debugged = False
        self.is_replaying = False
        self.is_muted = False
        self.collect: Callable[[Stop], bool] | None = None
        self.tape: PlayedTape | None = None
        self.diverged: tuple[Time, str] | None = None
        self.stop: Stop | None = None
        self._hits: list[tuple[Point, Stop]] = []
        self._breaks: frozenset[int] = frozenset()
        self._counted: tuple[int, int] | None = None
        self._frame = machine.frame_number
        self._registers = b""
        machine.core.on_write, machine.core.on_replace = self._written, self._replaced

    # what the machine's run calls

    def begin(self) -> None:
        """A run begins. One without the debugger, in the past, is the beginning of another future."""
        is_own = self.is_debugged or self.is_replaying
        if not is_own:
            self.is_interrupted = False
        if self.diverged is not None and not self.is_replaying and self.diverged[0] > now(self.machine):
            self.diverged = None  # this is another future
            if self.tape is not None:
                self.tape.rewound()
        if self.history is not None and not is_own and now(self.machine) < self.history.end:
            self.history.forget_after(now(self.machine))
        self.look()

    def look(self) -> None:
        """Make what was changed since the last run a part of history."""
        self.stop, self._hits, self._frame = None, [], self.machine.frame_number
        self._look_at_memory()
        if self.history is None or self.is_replaying:
            return
        at, known = now(self.machine), self._at
        if (at.instructions, at.frame) != (known.instructions, known.frame):
            self.history.restart()  # counters do not go back or jump but from outside
            self._tell_points()
        elif state_file.registers(self.machine.core) != self._registers:
            self.history.changed().registers = state_file.registers(self.machine.core)
        self.seal()

    def end(self) -> None:
        """A run ends."""
        self.seal()
        if self.history is not None and not self.is_replaying:
            self.history.note()

    def jumped(self) -> None:
        """The machine has been taken to another moment."""
        self._counted = None
        self._tell_points()
        self._look_at_memory()
        self.seal()

    def _tell_points(self) -> None:
        for point in self.points:
            point.moved(self.machine)

    def seal(self) -> None:
        """Remember the present state, to find out what is changed from outside."""
        self._at = now(self.machine)
        if self.history is not None:
            self._registers = state_file.registers(self.machine.core)

    @property
    def due(self) -> int:
        """Clock at which a run is looked at whatever happens."""
        return min((due for point in self.points if (due := point.due) is not None), default=FOREVER)

    def note(self, is_between: bool = False) -> None:
        """Find out what the last instruction did; `is_between`: what an interrupt between two did."""
        core, state = self.machine.core, self.machine.core.state
        by = None if is_between else int(state["touched_by"])
        if state["written_high"] and core.observed:
            self._touched(int(state["written_low"]), int(state["written_high"]), "write", by)
            core.notice_writes()
        if state["read_high"]:
            self._touched(int(state["read_low"]), int(state["read_high"]), "read", by)
            state["read_low"], state["read_high"] = 0xFFFFFFFF, 0
        if state["taken"]:
            if not is_between:
                self._event("exception", int(state["taken"]) - 1, by)
            state["taken"] = 0
        if state["reason"] == SERVICE and not is_between:
            self._event("service", int(state["detail"]), None)

    def is_stopped(self) -> bool:
        """Between two slices: call hooks, count hits; return whether the run ends here."""
        machine, state = self.machine, self.machine.core.state
        if machine.frame_number != self._frame:
            self._frame = machine.frame_number
            self._frame_begins()
        pc = int(state["pc"])
        if pc in self._breaks and not state["stopped"] and self._counted != (machine.instructions, pc):
            self._counted = machine.instructions, pc
            self._note_hits(point for point in self.points if point.reached(machine, pc))
            if not self.is_muted and not self._breaks.issuperset(self._places()):
                self.arm()
        late = next((point for point in self.points if point.is_late(machine.cycles)), None)
        self._note_hits([late] if late else [])
        hits, self._hits = self._hits, []
        try:
            for point, stop in hits:
                self._hit(point, stop)
        except BaseException:  # a hook's: the run ends here
            self.end()
            raise
        return self.stop is not None or self.is_interrupted

    # the rest

    def stopped(self, reason: str, point: Point | None = None, **details: object) -> Stop:
        """Return a record of the present moment."""
        return Stop(reason, int(self.machine.core.state["pc"]), now(self.machine), point, **details)  # type: ignore[arg-type]

    def _note_hits(self, points: Iterable[Point], **details: object) -> None:
        self._hits += [(point, self.stopped(point.reason, point, **details)) for point in points]

    def _hit(self, point: Point, stop: Stop) -> None:
        if self.is_muted or not point.enabled:
            return
        if point.acts and self.is_replaying:
            return  # what it has changed then comes again by itself
        if self.collect is None and not point.acts and not self.is_debugged:
            return
        stop = Stop(**{**stop.__dict__, "pc": int(self.machine.core.state["pc"]), "time": now(self.machine)})
        try:
            if point.condition is not None and not point.condition():
                return
        except ConditionError as error:
            stop = Stop(**{**stop.__dict__, "reason": "error", "text": str(error)})
        if self.collect is not None:
            if point.is_searched and self.collect(stop):
                self.stop = stop
            return
        point.hits += 1
        if stop.reason != "error" and (
            point.hits <= point.ignore or not self._act(point, stop) or not self.is_debugged
        ):
            return
        if point.temporary:
            self.points.remove(point)
            self.arm()
        self.stop = self.stop or stop

    def _act(self, point: Point, stop: Stop) -> bool:
        """Let a point do what it does at a hit; what it changes is part of history."""
        if self.history is None or not point.acts:
            return point.act(self.machine, stop)
        before = state_file.registers(self.machine.core)
        try:
            return point.act(self.machine, stop)
        finally:
            if (after := state_file.registers(self.machine.core)) != before:
                self.history.changed().registers = after

    def _frame_begins(self) -> None:
        frame, tape, time = self.machine.frame_number, self.tape, now(self.machine)
        if tape is not None and not self.is_replaying:
            tape.compare()
            if self.diverged is None and tape.mismatch is not None:
                self.diverged = time, str(tape.mismatch)
            for device, value in (tape.inputs(frame) or {}).items():
                self.machine.set_input(device, value)
        if self.diverged is not None and self.diverged[0] == time:
            self._event("divergence", None, None, self.diverged[1])
        self._event("frame", frame, None)

    def play(self, tape: PlayedTape) -> None:
        """Let the machine play a tape from now on."""
        self.tape, self.diverged = tape, None
        for device, value in (tape.inputs(self.machine.frame_number) or {}).items():
            self.machine.set_input(device, value)

    def _event(self, event: str, number: int | None, by: int | None, text: str = "") -> None:
        happened = (point for point in self.points if point.happened(event, number))
        self._note_hits(happened, number=number, by=by, text=text)

    def _touched(self, low: int, high: int, access: str, by: int | None) -> None:
        for point in self.points:
            if point.watched and (details := point.watched.touched(self.machine.core.ram, low, high, access)):
                self._note_hits([point], by=by, **details)

    def _look_at_memory(self) -> None:
        for point in self.points:
            if point.watched:
                point.watched.look(self.machine.core.ram)

    def _written(self, address: int, data: bytes) -> None:
        """Memory is being written from outside."""
        if self.history is not None and not self.is_replaying:
            self.history.changed().writes.append((address, bytes(data)))

    def _replaced(self) -> None:
        """Memory is being replaced as a whole: by the history itself, or what was loaded has another one."""
        if self.history is not None and not self.is_replaying:
            self._at = self._at._replace(instructions=-1)

    def _places(self) -> Iterator[int]:
        return (address for point in self.points if point.enabled for address in point.places)

    def arm(self) -> None:
        """Have the engines end where the points are."""
        machine, points = self.machine, [] if self.is_muted else [point for point in self.points if point.enabled]
        noted: dict[tuple[int, int], int] = {}
        for watched in (point.watched for point in points if point.watched):
            place = watched.address, watched.stop
            noted[place] = noted.get(place, 0) | watched.wants
        reads = any(wants & WATCH_READS for wants in noted.values())
        machine._observe_reads(reads or any(point.needs_exceptions for point in points))
        if noted != machine.core.observed:
            machine.core.observe(noted)
        self._breaks = frozenset() if self.is_muted else frozenset(self._places())
        machine._engine.break_at(self._breaks)
        self._look_at_memory()
