"""Going back in time, and finding what happened last."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from retrosim.checks import check_integer
from retrosim.cpu.spec.cpu import ADDRESS_MASK
from retrosim.errors import Interrupted
from retrosim.machine.budget import Budget

from . import places
from .conditions import Condition
from .points import MAX_WATCHED, Point, Stop, Time, Write
from .running import Running
from .stack import call_before, call_stack, stack_pointer

FAR = 200_000  # instructions: on a longer way the points are taken out
FIRST_WINDOW = 1000  # instructions that are searched first, backwards from now
WINDOW_GROWTH = 8
MAX_FOUND = 256  # stops in a window; one with more is searched in parts


def _at(instructions: int) -> Time:
    """Return the first moment when so many instructions have been executed."""
    return Time(instructions, -1, -1)


class Travel(Running):
    """The part of a debugger that goes back; `Debugger` sets it up."""

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
        own = Point(0, "breakpoint", "", (address,), condition=not_deeper)
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
        with self.returning():
            return self._last_write(where, size)

    def _last_write(self, where: int | str, size: int) -> Write | None:
        start = places.addresses(self.machine.image, where)[0]
        check_integer("size", size, 1, min(MAX_WATCHED, ADDRESS_MASK + 1 - start))
        here = self.time
        own = Point(0, "watchpoint", "", (start,), size, "write")
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
        return Write(found.by, text, self.time, *touched, places.described(self.machine.image, found.by))

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
