"""Running under the debugger."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from retrosim.checks import check_integer

from . import places
from .history import History, now
from .points import Stop, Time
from .stack import call_stack, stack_pointer

if TYPE_CHECKING:
    from retrosim.machine.machine import Machine

    from .observer import Observer

MEMORY_LIMIT = 64 << 20  # bytes for states


class Running:
    """The running part of a debugger; `Debugger` sets it up."""

    machine: Machine
    _observer: Observer

    def _begin_history(self) -> None:
        self._history = self._observer.history = History(self.machine, MEMORY_LIMIT)
        self._observer.seal()

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
        stops = frozenset(places.addresses(self.machine.image, where))
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
