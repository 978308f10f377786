"""The debugger of one machine: points, running to them, and looking around."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from retrosim.checks import check_choice, check_integer
from retrosim.cpu.spec.cpu import ADDRESS_MASK
from retrosim.errors import Interrupted
from retrosim.machine.budget import Budget
from retrosim.report.text import counted

from .conditions import Condition, Names, addresses_of, condition, described
from .history import History, now
from .observer import Observer, PlayedTape
from .points import Breakpoint, Event, Hook, Limit, Point, Stop, Time, Watched, Watchpoint, Write
from .stack import Frame, call_before, call_stack, stack_pointer

if TYPE_CHECKING:
    from retrosim.machine.machine import Machine

MAX_POINTS = 1000
MAX_READ = 1 << 20  # bytes at once
FAR = 200_000  # instructions: on a longer way the points are taken out
FIRST_WINDOW = 1000  # instructions that are searched first, backwards from now
WINDOW_GROWTH = 8
MAX_FOUND = 256  # stops in a window; one with more is searched in parts
MEMORY_LIMIT = 64 << 20  # bytes for states


def _shown(where: int | str) -> str:
    """Return a place as points show it."""
    return where if isinstance(where, str) else f"{where:#x}"


def _at(instructions: int) -> Time:
    """Return the first moment when so many instructions have been executed."""
    return Time(instructions, -1, -1)


class Debugger:
    """Stops a machine where one wants, looks around, and goes back in time.

    points   all there are, in the order of their numbers; hooks too
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._observer = machine._observer = Observer(machine)
        self._history = self._observer.history = History(machine, MEMORY_LIMIT)
        self._observer.seal()

    def __repr__(self) -> str:
        points, instructions = counted(len(self._observer.points), "point"), self.time.instructions
        return f"<Debugger of {self.machine.name}: {points}, at instruction {instructions:,}>"

    # points

    @property
    def points(self) -> list[Point]:
        """All points, hooks too."""
        return list(self._observer.points)

    def breakpoint(
        self, where: int | str, condition: str | None = None, *, ignore: int = 0, temporary: bool = False
    ) -> Point:
        """Stop before an instruction.

        where      an address, "symbol", "symbol+0x10" or "file.c:12"
        condition  what has to hold, see `conditions`
        ignore     hits that do not stop
        temporary  remove it when it stops
        Errors     ValueError
        """
        addresses = tuple(self.resolve_all(where))
        return self.add(Breakpoint(where=_shown(where), addresses=addresses, temporary=temporary), condition, ignore)

    def watchpoint(
        self,
        where: int | str,
        size: int = 1,
        access: str = "write",
        condition: str | None = None,
        *,
        ignore: int = 0,
        temporary: bool = False,
    ) -> Point:
        """Stop after an instruction that touches some memory.

        size     bytes, 1..65536
        access   "read", "write", "access" (either) or "change": written, and other than before
        the rest as for `breakpoint`
        """
        watched = Watched(self.resolve(where), size, access)
        return self.add(Watchpoint(where=_shown(where), watched=watched, temporary=temporary), condition, ignore)

    def break_on(
        self,
        event: str,
        number: int | None = None,
        condition: str | None = None,
        *,
        ignore: int = 0,
        temporary: bool = False,
    ) -> Point:
        """Stop when something happens.

        event    "exception" (number: its vector), "service" (its number), "frame" (frames between two stops), or
                 "divergence": the machine plays a tape (see `play`) and leaves it
        number   None for any
        """
        point = Event(where=event, event=event, parameter=number, temporary=temporary)
        if event == "divergence" and self._observer.tape is None:
            raise ValueError("divergence: the machine plays no tape that it could leave; open one in place of a ROM")
        return self.add(point, condition, ignore)

    def limit(self, routine: int | str, clocks: int, condition: str | None = None) -> Point:
        """Stop when a routine has run longer than so many clocks since its first instruction. Errors: ValueError."""
        check_integer("clocks", clocks, 1, 1 << 62)
        if self.machine.timing == "off":
            raise ValueError("timing 'off': counts no clocks; allowed table, full")
        limit = Limit(where=_shown(routine), addresses=(self.resolve(routine),), parameter=clocks)
        return self.add(limit, condition)

    def hook(self, where: int | str, function: Callable[..., object], size: int = 0, access: str = "write") -> Point:
        """Call a function in place of stopping, see `Machine.on` and `Machine.watch`. Errors: ValueError."""
        if not callable(function):
            raise ValueError(f"hook {function!r}: allowed a function of the machine")
        watched = Watched(self.resolve(where), size, access) if size else None
        addresses = () if size else tuple(self.resolve_all(where))
        return self.add(Hook(where=_shown(where), addresses=addresses, watched=watched, function=function))

    def add(self, point: Point, condition: str | None = None, ignore: int = 0) -> Point:
        """Let a new point of any kind act, and return it: a kind is a class, see `points`. Errors: ValueError."""
        if len(self._observer.points) == MAX_POINTS:
            raise ValueError(f"{MAX_POINTS} points: no more are allowed; remove some")
        check_integer("ignore", ignore, 0, 1 << 62)
        point.condition = self._condition(condition, point) if condition else None
        point.number, point.ignore = max((other.number for other in self._observer.points), default=0) + 1, ignore
        point.moved(self.machine)
        self._observer.points.append(point)
        self._observer.arm()
        return point

    def _found(self, point: Point | int) -> Point:
        """Return a point by itself or its number. Errors: ValueError."""
        for each in self._observer.points:
            if each is point or (isinstance(point, int) and each.number == point):
                return each
        known = ", ".join(str(each.number) for each in self._observer.points) or "none"
        raise ValueError(f"point {point if isinstance(point, int) else point.number}: there is none; allowed {known}")

    def remove(self, point: Point | int) -> None:
        """Remove a point, given itself or its number. Errors: ValueError."""
        self._observer.points.remove(self._found(point))
        self._observer.arm()

    def clear(self) -> None:
        """Remove all points, hooks too."""
        self._observer.points.clear()
        self._observer.arm()

    def release(self) -> None:
        """Take the debugger off: the machine pays nothing again, and its next debugger begins without points."""
        machine = self.machine
        self.clear()
        machine._observer = machine.core.on_write = machine.core.on_replace = None
        machine.__dict__.pop("debugger", None)

    def enable(self, point: Point | int, on: bool = True) -> None:
        """Let a point act again. Errors: ValueError."""
        self._found(point).enabled = on
        self._observer.arm()

    def disable(self, point: Point | int) -> None:
        """Keep a point, but do not let it act. Errors: ValueError."""
        self.enable(point, False)

    def play(self, tape: PlayedTape) -> None:
        """Let the machine play a tape: its inputs are applied as frames begin, its hash lines compared as they end.

        tape   a `retrosim.tape.Player` of this machine, which has brought it to the start of the tape
        """
        self._observer.play(tape)

    # looking

    def resolve(self, where: int | str) -> int:
        """Return the first address of a place. Errors: ValueError."""
        return self.resolve_all(where)[0]

    def resolve_all(self, where: int | str) -> list[int]:
        """Return the addresses of a place: several for a line that is compiled into several functions."""
        return addresses_of(self.machine.image, where)

    def describe(self, address: int) -> str:
        """Return function, offset and source line of an address, as far as they are known."""
        return described(self.machine.image, address)

    def registers(self) -> dict[str, int]:
        """Return all registers by name."""
        return dict(self.machine.regs)

    def set_register(self, name: str, value: int) -> None:
        """Change a register. Errors: ValueError."""
        check_choice("register", name, tuple(self.machine.regs))
        self.machine.regs[name] = value

    def read(self, address: int, size: int) -> bytes:
        """Return memory; after the last address comes the first. Errors: ValueError."""
        check_integer("address", address, 0, ADDRESS_MASK)
        check_integer("size", size, 0, MAX_READ)
        memory = self.machine.mem
        return memory[address : address + size].tobytes() + memory[: max(0, address + size - len(memory))].tobytes()

    def write(self, address: int, data: bytes) -> None:
        """Change memory. Errors: ValueError."""
        self.machine.write(address, data)

    def evaluate(self, text: str) -> int:
        """Return the value of an expression, see `conditions`. Errors: ConditionError."""
        return self._condition(text, None)()

    def _condition(self, text: str, point: Point | None) -> Condition:
        return condition(text, self._names(point))

    def _names(self, point: Point | None) -> Names:
        machine, host = self.machine, self.machine.core.cpu.host
        values: dict[str, Callable[[], int]] = {
            "clock": lambda: machine.cycles,
            "frame": lambda: machine.frame_number,
            "instructions": lambda: machine.instructions,
            "hits": lambda: point.hits if point else 0,
        }

        def of(register: str) -> Callable[[], int]:
            return lambda: machine.regs[register]

        values |= {name: of(name) for name in machine.regs}
        values |= {alias: of(name) for alias, name in host.aliases.items() if alias not in values}
        order = "big" if machine.core.cpu.big_endian else "little"

        def memory(address: int, size: int, signed: bool) -> int:
            return int.from_bytes(self.read(address & ADDRESS_MASK, size), order, signed=signed)  # type: ignore[arg-type]

        return Names(values, {name: symbol.address for name, symbol in machine.image.symbols.items()}, memory)

    def call_stack(self, limit: int = 64) -> list[Frame]:
        """Return the routines under way, the innermost first, as far as the stack tells (see `stack`)."""
        return call_stack(self.machine, check_integer("limit", limit, 1, 10_000))

    def source_line(self, pc: int) -> tuple[str, int] | None:
        """Return file and line of an address, None where unknown."""
        return self.machine.image.source_line(pc)

    def listing(self, pc: int, count: int = 1) -> list[str]:
        """Return instructions from an address on, as `Machine.listing` does."""
        return self.machine.listing(pc, count)

    _is_traveling = False

    @contextmanager
    def returning(self) -> Iterator[None]:
        """Travel in the block; what is interrupted, or fails, leaves the machine where it was.

        Errors   Interrupted, when `interrupt` was called
        """
        if self._is_traveling:
            yield
            return
        observer = self._observer
        observer.look()
        here, self._is_traveling, observer.is_interrupted = self.time, True, False
        try:
            yield
        except BaseException:
            observer.is_interrupted = False
            if self.time != here:
                self._go(here)
            raise
        finally:
            self._is_traveling = False

    def _travel(self, go: Callable[[], Stop]) -> Stop:
        """Go somewhere, unless somebody interrupts."""
        if self._is_traveling:
            return go()
        try:
            with self.returning():
                return go()
        except Interrupted:
            return self._observer.stopped("interrupted")

    def go_to(self, time: Time | int) -> Stop:
        """Go to a moment of history, or to where so many instructions had been executed; no point stops on the way.

        Returns  reason "beginning" or "end" where history does not go so far, else "instructions"
        Errors   ValueError
        """
        wanted = time if isinstance(time, Time) else _at(check_integer("instructions", time, 0))
        return self._travel(lambda: self._to_moment(wanted))

    def _to_moment(self, wanted: Time) -> Stop:
        reached = min(max(wanted, self.beginning), self.end)
        self._go(reached)
        short = "beginning" if wanted.instructions < reached.instructions else "instructions"
        return self._observer.stopped("end" if wanted > reached else short)

    def reverse_step(self, n: int = 1) -> Stop:
        """Undo instructions. Errors: ValueError."""
        stop = self.go_to(max(0, self.time.instructions - check_integer("n", n, 1)))
        return replace(stop, reason="step") if stop.reason == "instructions" else stop

    def reverse_run(self, instructions: int | None = None) -> Stop:
        """Go back to the last hit of a point before now, or to the beginning; not farther than so many instructions.

        Conditions hold as they do forwards; hits are not counted, `ignore` and limits do not matter. Behind an
        instruction that touched watched memory the machine stands as it does forwards: right after it.
        """
        if instructions is not None:
            check_integer("instructions", instructions, 0)
        return self._travel(lambda: self._back_to_hit(instructions))

    def _back_to_hit(self, instructions: int | None) -> Stop:
        here = self.time
        first = self.beginning.instructions if instructions is None else here.instructions - instructions
        found = self._last_stop(first, here)
        if found is not None:
            self._go(found.time)
            return found
        stop = self._to_moment(_at(max(0, first)))
        return replace(stop, reason="beginning") if self.time == self.beginning else stop

    def reverse_step_over(self) -> Stop:
        """Undo an instruction; a call with all that it called."""
        return self._travel(self._back_over)

    def _back_over(self) -> Stop:
        call, pc = call_before(self.machine, self.machine.regs["pc"]), self.machine.regs["pc"]
        stop = self.reverse_step()
        if call is None or stop.reason != "step" or stop.pc in (call.pc, pc):
            return stop
        deeper = 0 if self.machine.core.cpu.host.stack.link else 1
        return self._back_to(call.pc, stack_pointer(self.machine) + deeper)

    def reverse_step_out(self) -> Stop:
        """Go back to the call of the present routine. Errors: ValueError where no caller is known."""
        frames = call_stack(self.machine, 2)
        if len(frames) < 2 or frames[1].call_pc is None:
            raise ValueError("reverse step out: the stack tells no caller of this routine")
        return self._back_to(frames[1].call_pc, frames[1].sp)

    def _back_to(self, address: int, sp: int) -> Stop:
        """Go back to where an instruction was last reached with the stack no deeper than `sp`, or to a point after."""
        not_deeper = Condition("", lambda: stack_pointer(self.machine) >= sp)
        own = Breakpoint(addresses=(address,), condition=not_deeper)
        with self._points([*self._observer.points, own]):
            stop = self.reverse_run()
        return replace(stop, reason="step", point=None) if stop.point is own else stop

    @contextmanager
    def _points(self, points: Sequence[Point]) -> Iterator[None]:
        """Have other points for a while."""
        observer = self._observer
        before, observer.points = observer.points, list(points)
        observer.arm()
        try:
            yield
        finally:
            observer.points = before
            observer.arm()

    def last_write(self, where: int | str, size: int = 1) -> Write | None:
        """Find out who wrote some memory last, the host included; None if nobody did in all of history.

        The machine stays where it is.
        Errors   ValueError, Interrupted
        """
        start = self.resolve(where)
        here, own = self.time, Watchpoint(watched=Watched(start, size, "write"))
        with self.returning():
            with self._points([own]):
                found = self._last_stop(self.beginning.instructions, here, is_included=True)
            write = self._host_wrote(start, size, here)
            if found is not None and (write is None or write.time < found.time):
                write = self._write_of(found)
            self._go(here)
        return write

    def _host_wrote(self, start: int, size: int, until: Time) -> Write | None:
        for change in reversed(self._history.changes):
            for address, data in reversed(change.writes):
                low, high = max(address, start), min(address + len(data), start + size)
                if low < high and change.time <= until:
                    new = data[low - address : high - address]
                    return Write(None, "the host", change.time, low, high - low, b"", new, "")
        return None

    def _write_of(self, found: Stop) -> Write:
        touched = found.address or 0, found.size, found.old, found.new
        if found.by is None:
            return Write(None, "an interrupt", found.time, *touched, "")
        self._go(_at(found.time.instructions - 1))
        text = self.machine.listing(found.by)[0]
        return Write(found.by, text, self.time, *touched, described(self.machine.image, found.by))

    def _last_stop(self, first: int, end: Time, is_included: bool = False) -> Stop | None:
        """Return the last stop before a moment, or at it too; search windows that grow, backwards.

        first   number of instructions to search back to
        """
        high, size = end.instructions, FIRST_WINDOW
        bound = end._replace(clocks=end.clocks + 1) if is_included else end
        first = max(first, self.beginning.instructions)
        while high > first:
            low = max(first, high - size)
            found = self._last_in(low, high, bound)
            if found is not None:
                return found
            high, size = low, size * WINDOW_GROWTH
        return None

    def _last_in(self, low: int, high: int, bound: Time) -> Stop | None:
        """Return the last stop between two numbers of instructions, before a moment."""
        found = list[Stop]()

        def collect(stop: Stop) -> bool:
            if stop.time < bound and stop.time.instructions <= high:
                found.append(stop)
            return len(found) >= MAX_FOUND and high - stop.time.instructions > MAX_FOUND

        self._go(_at(low))
        self._collect(bound if high == bound.instructions else _at(high), collect)
        if len(found) < MAX_FOUND or high - found[-1].time.instructions <= MAX_FOUND:
            return found[-1] if found else None
        seen = found[-1]
        middle = (seen.time.instructions + high) // 2
        later = self._last_in(middle, high, bound) or self._last_in(seen.time.instructions, middle, bound)
        return later or seen

    def survey(self, points: Sequence[Point], until: Time, note: Callable[[Stop], bool]) -> None:
        """Run on through known history to a later moment, and hand every stop of some points to a function.

        points   breakpoints and watchpoints, which need not be among the debugger's own
        until    not after `end`
        note     may look at the machine; what returns True ends the run there
        """
        self._observer.look()
        with self._points(points):
            self._collect(until, note)

    def _collect(self, until: Time, note: Callable[[Stop], bool]) -> None:
        """Run on through known history to a later moment, with `note` in place of stopping."""
        observer = self._observer
        with self._replaying():
            observer.collect = note
            try:
                self._run_to(min(until, self.end))
            finally:
                observer.collect = observer.stop = None
                observer.seal()

    def _go(self, time: Time) -> None:
        """Get to a moment of history; nothing acts on the way."""
        observer, history = self._observer, self._history
        history.end = max(history.end, self.time)
        before, observer.is_muted = observer.is_muted, True
        with self._replaying():
            if time < self.time or history.is_nearer(time):
                history.restore(time)
            is_far = time.instructions - self.machine.instructions > FAR
            try:
                if is_far:
                    observer.arm()
                self._run_to(time)
            finally:
                observer.is_muted = before
                if is_far:
                    observer.arm()
        observer.jumped()

    def _run_to(self, time: Time) -> None:
        """Run to a later moment, with all that came from outside; what was run before is not counted again."""
        machine, budget = self.machine, self.machine.budget
        machine.budget = Budget()
        try:
            self._run_again(time)
        finally:
            machine.budget = budget

    def _run_again(self, time: Time) -> None:
        machine, history = self.machine, self._history
        while True:
            while (change := history.next_change()) is not None and change.time <= self.time:
                history.apply(change)
            at = self.time
            if at >= time:
                return
            target = time if change is None else min(change.time, time)
            if target.instructions > at.instructions:
                count = min(target.instructions - at.instructions, machine._engine.SLICE)
                machine._run(None, None, count, frozenset())
            elif target.clocks > at.clocks:
                machine._run(None, target.clocks - at.clocks, None, frozenset())
            if self._observer.is_interrupted:
                raise Interrupted("interrupted; the machine is where it was")
            if self._observer.stop is not None or self.time == at:
                return  # enough has been found, or the program has ended

    # time

    @property
    def time(self) -> Time:
        """The present moment."""
        return now(self.machine)

    @property
    def beginning(self) -> Time:
        """The earliest moment that can be gone back to."""
        return self._history.beginning

    @property
    def end(self) -> Time:
        """The latest moment that has been run to."""
        return max(self._history.end, self.time)

    @property
    def memory_limit(self) -> int:
        """Bytes that saved states may take, besides 16 MiB for the newest."""
        return self._history.limit_bytes

    @memory_limit.setter
    def memory_limit(self, limit: int) -> None:
        self._history.limit_bytes = check_integer("memory_limit", limit, 1 << 20)

    @property
    def used_bytes(self) -> int:
        """Bytes that saved states take."""
        return self._history.used_bytes

    # forwards

    def run(self, instructions: int | None = None, clocks: int | None = None, frames: int | None = None) -> Stop:
        """Run to a point, or to the first of the given limits; without any as long as the program does.

        Errors   ValueError; whatever a hook raises
        """
        given = {"instructions": instructions, "clocks": clocks, "frames": frames}
        for name, value in given.items():
            if value is not None:
                check_integer(name, value, 0)
        self._observer.is_interrupted = False
        return self._forward(instructions, clocks, frames)

    def step(self, n: int = 1) -> Stop:
        """Execute instructions, as many as are wanted if no point comes first. Errors: ValueError."""
        check_integer("n", n, 1)
        self._observer.is_interrupted = False
        stop = self._forward(n, None, None)
        return replace(stop, reason="step") if stop.reason == "instructions" else stop

    def until(self, where: int | str) -> Stop:
        """Run to a place, or to a point before it. Errors: ValueError."""
        stops = frozenset(addresses_of(self.machine.image, where))
        self._observer.is_interrupted = False
        return self._forward(None, None, None, stops)

    def step_over(self) -> Stop:
        """Execute an instruction; a call with all that it calls."""
        insn = self.machine.core.decode(self.machine.regs["pc"])
        if not insn.row.options.get("calls"):
            return self.step()
        return self._until_back(insn.end, stack_pointer(self.machine), "step")

    def step_out(self) -> Stop:
        """Run until the present routine has returned to its caller. Errors: ValueError where no caller is known."""
        frames = call_stack(self.machine, 2)
        if len(frames) < 2:
            raise ValueError("step out: the stack tells no caller of this routine")
        return self._until_back(frames[1].pc, frames[1].sp, "step")

    def _until_back(self, back: int, sp: int, reason: str) -> Stop:
        """Run until an address is reached with the stack no deeper than `sp`."""
        self._observer.is_interrupted = False
        while True:
            stop = self._forward(None, None, None, frozenset([back]))
            if stop.reason != "until":
                return stop
            if stack_pointer(self.machine) >= sp:
                return replace(stop, reason=reason)

    def interrupt(self) -> None:
        """End the present run soon, from another thread or a signal handler; without one nothing happens.

        A search in the past ends where it began.
        """
        self._observer.is_interrupted = True

    def _forward(
        self, instructions: int | None, clocks: int | None, frames: int | None, stops: frozenset[int] = frozenset()
    ) -> Stop:
        """Run in pieces: to where something comes from outside, or a state is to be saved."""
        machine, observer, start = self.machine, self._observer, self.time
        observer.look()
        with self._debugged():
            while True:
                self._happen()
                reason = self._ended(start, instructions, clocks, frames)
                if reason:
                    return observer.stopped(reason)
                at, (due, due_clocks) = self.time, self._history.due_in()
                if (change := self._history.next_change()) is not None:
                    due = min(due, max(1, change.time.instructions - at.instructions))
                    if change.time.instructions == at.instructions:  # it waits
                        due_clocks = min(due_clocks, max(1, change.time.clocks - at.clocks))
                if at < self._history.end:
                    due = min(due, max(1, self._history.end.instructions - at.instructions))
                if instructions is not None:
                    due = min(due, start.instructions + instructions - at.instructions)
                if clocks is not None:
                    due_clocks = min(due_clocks, start.clocks + clocks - at.clocks)
                left = None if frames is None else start.frame + frames - at.frame
                observer.is_replaying = at < self._history.end
                result = machine._run(left, due_clocks, min(due, machine._engine.SLICE), stops)
                observer.is_replaying = False
                self._history.note()
                if observer.stop is not None:
                    return observer.stop
                if result.reason in ("exit", "fault", "budget", "until"):
                    spent = machine.budget.spent if result.reason == "budget" else ""
                    return replace(observer.stopped(result.reason, text=spent), fault=result.fault)

    def _happen(self) -> None:
        """Let what came from outside at this moment come again."""
        while (change := self._history.next_change()) is not None and change.time <= self.time:
            with self._replaying():
                self._history.apply(change)
            self._observer.seal()

    def _ended(self, start: Time, instructions: int | None, clocks: int | None, frames: int | None) -> str:
        at = self.time
        if self._observer.is_interrupted:
            return "interrupted"
        if instructions is not None and at.instructions - start.instructions >= instructions:
            return "instructions"
        if frames is not None and at.frame - start.frame >= frames:
            return "frames"
        return "clocks" if clocks is not None and at.clocks - start.clocks >= clocks else ""

    @contextmanager
    def _debugged(self) -> Iterator[None]:
        self._observer.is_debugged = True
        try:
            yield
        finally:
            self._observer.is_debugged = self._observer.is_replaying = False
            self._observer.seal()

    @contextmanager
    def _replaying(self) -> Iterator[None]:
        before, self._observer.is_replaying = self._observer.is_replaying, True
        try:
            yield
        finally:
            self._observer.is_replaying = before
