"""A machine's past: states saved now and then, and everything that came from outside in between.

A state is kept as pages, which it shares with the states before it as far as they are the same, so it costs what has
changed. From a state and what came from outside later (inputs, changes made while the machine was stopped) any moment
after it is reached again by running: the machine is deterministic to the instruction and clock. Where memory gets
scarce, states go from where they stand closest, measured by how long ago that was: the recent past stays dense.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from retrosim.cpu.engines.core import CHUNK_BYTES, memory_chunks
from retrosim.cpu.spec.cpu import ADDRESS_MASK
from retrosim.machine import state_file

from .points import Time

if TYPE_CHECKING:
    from retrosim.machine.machine import Machine

PAGE = 4096
PERIOD_SECONDS = 2  # of the machine's, between two saved states; and instructions: a slice of the engine
ENTRY_BYTES = 100  # of a page's entry in a state, about
_TIME = attrgetter("time")  # of states, and of changes
MIN_STATES = 4  # that stay whatever they take


def now(machine: Machine) -> Time:
    """Return the present moment of a machine."""
    return Time(machine.instructions, machine.cycles, machine.frame_number)


@dataclass(frozen=True)
class KeptState:
    """A machine at a moment.

    pages  page number -> contents, of those that are not all 0
    cost   bytes that it does not share with the state before it
    """

    time: Time
    registers: bytes
    counters: state_file.Counters
    text: str
    pages: dict[int, bytes]
    cost: int


@dataclass
class Change:
    """What came from outside at a moment: bytes written, and the registers if they were changed."""

    time: Time
    writes: list[tuple[int, bytes]] = field(default_factory=list)
    registers: bytes | None = None


class History:
    """The past of one machine.

    limit_bytes  memory for states, besides one whole copy of the machine's memory
    end          the latest moment known
    """

    def __init__(self, machine: Machine, limit_bytes: int) -> None:
        self.machine, self.limit_bytes = machine, limit_bytes
        self.period, self.period_clocks = machine._engine.SLICE, PERIOD_SECONDS * machine.clock_hz
        self._copy = np.zeros(ADDRESS_MASK + 1, np.uint8)  # memory as in the state that was saved or restored last
        self.restart()

    def restart(self) -> None:
        """Forget everything: history begins now."""
        self.states: list[KeptState] = []
        self.changes: list[Change] = []
        self._applied = 0  # how many of the changes the present has behind it
        self._copy[:] = 0
        self._pages: dict[int, bytes] = {}
        self.used_bytes = 0
        self.end = now(self.machine)
        self._save()

    @property
    def beginning(self) -> Time:
        """The earliest moment that can be gone back to."""
        return self.states[0].time

    def note(self) -> None:
        """Take notice of the present moment; save the state if the last one is long ago."""
        at = now(self.machine)
        self.end = max(self.end, at)
        number = bisect_right(self.states, at, key=_TIME)
        last = self.states[number - 1].time if number else None
        if last is None or at.instructions - last.instructions >= self.period or self._is_late(at, last):
            self._save()

    def _is_late(self, at: Time, last: Time) -> bool:
        return at.clocks - last.clocks >= self.period_clocks

    def due_in(self) -> tuple[int, int]:
        """Return after how many instructions, and clocks, the next state is due."""
        at = now(self.machine)
        last = self.states[max(0, bisect_right(self.states, at, key=_TIME) - 1)].time
        return (
            max(1, last.instructions + self.period - at.instructions),
            max(1, last.clocks + self.period_clocks - at.clocks),
        )

    def _save(self) -> None:
        machine, pages, cost = self.machine, dict(self._pages), 0
        memory = machine.core.ram[: ADDRESS_MASK + 1]
        for start in range(0, ADDRESS_MASK + 1, CHUNK_BYTES):
            new, old = memory[start : start + CHUNK_BYTES], self._copy[start : start + CHUNK_BYTES]
            if np.array_equal(new.view(np.uint64), old.view(np.uint64)):
                continue
            for number in np.flatnonzero((new != old).reshape(-1, PAGE).any(axis=1)).tolist():
                page = new[PAGE * number : PAGE * (number + 1)]
                if page.any():
                    pages[start // PAGE + number] = page.tobytes()
                    cost += PAGE
                else:
                    pages.pop(start // PAGE + number, None)
            old[:] = new
        registers = state_file.registers(machine.core)
        cost += len(registers) + len(machine.text) + ENTRY_BYTES * len(pages)
        state = KeptState(now(machine), registers, machine._counters(), machine.text, pages, cost)
        self.states.insert(bisect_right(self.states, state.time, key=_TIME), state)
        self._pages = pages
        self.used_bytes += cost
        while self.used_bytes > self.limit_bytes and len(self.states) > MIN_STATES:
            self._thin_out()

    def _thin_out(self) -> None:
        """Drop the state whose neighbors are closest to each other for their age; what only it has goes with it."""
        times = [state.time.instructions for state in self.states]
        latest = times[-1]
        number = min(
            range(1, len(times) - 1), key=lambda i: (times[i + 1] - times[i - 1]) / (latest - times[i - 1] + 1)
        )
        gone = self.states.pop(number)
        before, after = self.states[number - 1], self.states[number]
        own = sum(page is not before.pages.get(n) and page is not after.pages.get(n) for n, page in gone.pages.items())
        self.used_bytes -= len(gone.registers) + len(gone.text) + ENTRY_BYTES * len(gone.pages) + PAGE * own

    def restore(self, time: Time) -> None:
        """Put the last state at or before a moment back."""
        self._put(self.states[max(0, bisect_right(self.states, time, key=_TIME) - 1)])

    def is_nearer(self, time: Time) -> bool:
        """Is there a state between now and a later moment?"""
        number = bisect_right(self.states, time, key=_TIME)
        return number > 0 and self.states[number - 1].time > now(self.machine)

    def _put(self, state: KeptState) -> None:
        machine = self.machine
        state_file.apply(
            machine.core, state.registers, memory_chunks((PAGE * number, page) for number, page in state.pages.items())
        )
        machine._count_on(state.counters)
        self._applied = bisect_left(self.changes, state.time, key=_TIME)  # those of that moment come again
        machine.text = state.text
        self._copy[:] = machine.core.ram[: ADDRESS_MASK + 1]
        self._pages = state.pages

    def next_change(self) -> Change | None:
        """Return what comes next from outside."""
        return self.changes[self._applied] if self._applied < len(self.changes) else None

    def apply(self, change: Change) -> None:
        """Let what came from outside next come again."""
        core = self.machine.core
        for address, data in change.writes:
            core.write(address, data)
        if change.registers is not None:
            state_file.apply_registers(core, change.registers)
        self._applied += 1

    def forget_after(self, time: Time) -> None:
        """Forget the future of a moment: something else happens now."""
        del self.states[bisect_right(self.states, time, key=_TIME) :]
        del self.changes[bisect_right(self.changes, time, key=_TIME) :]
        self.used_bytes = sum(state.cost for state in self.states)
        self.end = time

    def changed(self) -> Change:
        """Return the entry of what comes from outside now, the last one: the future is another one from now on."""
        at = now(self.machine)
        if self.end > at:
            self.forget_after(at)
        if not self.changes or self.changes[-1].time != at:
            self.changes.append(Change(at))
        self._applied = len(self.changes)
        return self.changes[-1]
