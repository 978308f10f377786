"""Counts what a machine executes: how often each instruction runs, what it takes, and who calls whom.

    counter = CompiledCounter(machine)             counter = SteppingCounter(machine)
    machine.run(frames=2)                          counter.run(instructions, progress)
    counted = counter.counted()                    counted = counter.counted()

Everything is counted, nothing sampled, and both counters give the same visits, clocks and calls; functions, lines, call
trees, files and pages are made of either by one code path (see `report`). `CompiledCounter` counts in compiled code
(see `cpu.engines.profiling`) while the machine is run by whoever owns it: for programs, and wherever only visits,
clocks and calls are wanted. `SteppingCounter` looks at the machine after each instruction, at some thousand a second.
It alone tells which instruction each cause, each cache miss and each outcome of a branch belongs to: the state that has
them changes with every instruction, and compiled code keeps only its sums.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from retrosim.cpu.engines.profiling import Profile
from retrosim.cpu.engines.regions.counting import CLOCK, KIND_SHIFT
from retrosim.cpu.spec.cpu import SERVICE, Cache
from retrosim.cpu.spec.rows import Insn
from retrosim.machine import PRESETS, Machine
from retrosim.machine.choices import CAUSES
from retrosim.machine.memory import YIELD_FRAME
from retrosim.machine.presets import preset
from retrosim.rom.symbols import SymbolTable

from .calls import BRANCH, ENTER, INTERRUPT, LEAVE, PASS, CallTree, Functions, kind_of
from .routines import routines

# The causes of clocks, counted by the timing model itself while a program runs.
#
# The counts come from the timing mode "causes" of a simulated CPU, whose clocks are those of "full". To them one cause
# is added here: `services`, the time that the machine let pass between two instructions. All of them together are the
# clocks that passed, to the last one.

SERVICE_TIME = {"services": "what a service takes beyond its trap: clock reads"}


class CauseCounter:
    """Reads the causes of the clocks that pass on a machine of timing "causes" from now on."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._last = self._read()

    def _read(self) -> np.ndarray:
        counted, cycles = self._machine.core.state[CAUSES], self._machine.cycles
        return np.append(counted, cycles - int(counted.sum())).astype(np.int64)

    def take(self) -> np.ndarray:
        """Return int64[len(causes_of(machine))], clocks since the last call."""
        before, self._last = self._last, self._read()
        return self._last - before


def causes_of(machine: str) -> dict[str, str]:
    """Return cause -> what is counted under it, on the CPU of a preset that counts them."""
    return {**preset(machine).cpu().causes, **SERVICE_TIME}


def named(machine: str, counts: np.ndarray) -> dict[str, int]:
    """Return clocks by name of the cause, on a preset."""
    return dict(zip(causes_of(machine), counts.tolist(), strict=True))


def has_causes(machine: str) -> bool:
    """Does the CPU of a preset count them?"""
    return CAUSES in preset(machine).cpu().timing


def check_causes(machine: str) -> None:
    """Refuse a preset whose CPU does not count them. Errors: ValueError."""
    if not has_causes(machine):
        able = ", ".join(name for name in PRESETS if has_causes(name))
        raise ValueError(f"machine {machine!r}: no pipeline whose clocks have causes; allowed {able}")


REPORT_EVERY = 5_000  # instructions between two reports of progress
MAX_STRETCHES = 200_000  # of time between two calls or returns that a timeline keeps
SERVICES = {1: "(service: microseconds)", 2: "(service: exit)", 3: "(service: text)"}
OTHER, INTERRUPT_ENTRY = 14, 15  # of what the machine does, beside the services
HOST = {**SERVICES, OTHER: "(service)", INTERRUPT_ENTRY: "(interrupt is taken)"}
COLUMNS = ("cycles", "instructions")
NO_CACHES = ("data", "instruction")  # whose misses are published as 0 where none is modelled

Progress = Callable[[int, int, str], None]


@dataclass
class Executed:
    """One instruction as it was executed.

    departures  how often another than the next one in memory followed; None where that was not looked at
    misses      of each cache, where they were looked at
    causes      int64[..], its clocks by cause, where the timing counts causes and they were looked at
    """

    insn: Insn
    code: bytes
    visits: int = 0
    cycles: int = 0
    departures: int | None = None
    misses: dict[str, int] = field(default_factory=dict)
    causes: np.ndarray | None = None


@dataclass(frozen=True)
class Counted:
    """What a machine has executed.

    executed      its instructions; a program that rewrites itself has several at one address, or the last one alone
    symbols       of the program, without labels inside routines
    tree          its calls
    columns       what the tree counts: cycles, instructions, and the misses of each cache that was looked at
    host          number of what the machine itself does -> name, for the tree
    accesses      to each cache that was looked at; None where the model does not count them
    cycles        in which the program was busy; waited: in which it waited for the next frame or an interrupt
    instructions  executed
    causes        cause -> busy clocks, None where the timing counts none
    frames        busy clocks of each frame that was completed
    """

    executed: list[Executed]
    symbols: SymbolTable
    tree: CallTree
    columns: tuple[str, ...]
    cycles: int
    instructions: int
    causes: dict[str, int] | None
    accesses: dict[str, int | None] = field(default_factory=dict)
    host: dict[int, str] = field(default_factory=dict)
    waited: int = 0
    frames: list[int] = field(default_factory=list)


class Counter(Protocol):
    """Counts what a machine executes, from the moment when it was made."""

    def counted(self) -> Counted:
        """Stop counting; return what was counted."""


def cause_counter(machine: Machine) -> CauseCounter | None:
    """Return a counter of the causes of clocks, None where the timing of the machine counts none."""
    return CauseCounter(machine) if machine.timing == CAUSES else None


class CompiledCounter:
    """Counts in compiled code while the machine runs; the clocks are those in which the program is busy.

    waited   clocks in which the program waited for the next frame or an interrupt
    frames   busy clocks of each frame that was completed
    """

    def __init__(self, machine: Machine) -> None:
        """Begin. Errors: ValueError for a machine on the evaluator, and for one that counts no clocks."""
        if machine.timing == "off":
            raise ValueError("timing 'off': counts no cycles; allowed table, full")
        self._machine, self._state = machine, machine.core.state
        self._table = routines(machine)
        self._functions = Functions(self._table)
        self._tree = CallTree(self._functions, int(self._state["pc"]), len(COLUMNS), True, MAX_STRETCHES)
        self.waited, self.frames = 0, list[int]()
        self._begun = self._ended = self._frame_began = machine.cycles
        self._instructions = machine.instructions
        self._causes = cause_counter(machine)
        self._pc, self._stopped = int(self._state["pc"]), False
        self._service: int | None = None
        self._tree.totals[0] = machine.cycles
        machine.attach_profile(Profile(machine.core, self._kind, self._consume, self._between))

    def _kind(self, insn: Insn) -> int | None:
        kind = kind_of(insn)
        if kind is None:
            function = self._functions.at(insn.pc)
            places = [insn.end] if insn.target is None else [insn.end, insn.target]
            kind = BRANCH if any(self._functions.at(place) != function for place in places) else None
        return kind

    def _between(self, instructions: int = 0) -> None:
        """Note what the machine has done since the program was under way: a service, a wait, an interrupt.

        instructions  of the run that begins
        """
        now, pc = self._machine.cycles, int(self._state["pc"])
        passed, service = now - self._ended, self._service
        if service == YIELD_FRAME or (service is None and self._stopped):
            self.waited += passed
            self._tree.totals[0] += passed
            if service == YIELD_FRAME:
                self.frames.append(self._ended - self._frame_began)
                self._frame_began = now
        elif passed:
            number = INTERRUPT_ENTRY if service is None else service if service in SERVICES else OTHER
            self._note(ENTER, number, self._ended)
            self._note(LEAVE, 0, now)
        if pc != self._pc and service is None:
            self._note(INTERRUPT, pc, now)
        self._tree.totals[1] = -instructions

    def _note(self, kind: int, following: int, clock: int) -> None:
        self._tree.add([self._pc | kind << KIND_SHIFT, following, self._pc], [clock, self._tree.totals[1]])

    def _consume(self, log: np.ndarray, left: int) -> None:
        """Take the log of a run of the engine, of which so many instructions are left."""
        if len(log):
            self._tree.add(log[:, :CLOCK], log[:, CLOCK:])
        state = self._state
        self._tree.add([PASS << KIND_SHIFT, 0, 0], [int(state["cycles"]), -left])
        self._ended, self._pc = int(state["cycles"]), int(state["pc"])
        self._service = int(state["detail"]) if state["reason"] == SERVICE else None
        self._stopped = bool(state["stopped"])

    def counted(self) -> Counted:
        """Stop counting; return what was counted: of a program that rewrites itself the last text."""
        machine = self._machine
        counts = machine.profile_counts()
        machine.attach_profile(None)
        self._between()
        causes = None if self._causes is None else self._causes.take()
        if causes is not None:
            causes[-1] -= self.waited  # of the services, which are what passes between instructions
        return Counted(
            executed=[self._executed(address, *count) for address, count in sorted(counts.items()) if count[0]],
            symbols=self._table,
            tree=self._tree,
            columns=COLUMNS,
            cycles=machine.cycles - self._begun - self.waited,
            instructions=machine.instructions - self._instructions,
            causes=None if causes is None else named(machine.name, causes),
            host=HOST,
            waited=self.waited,
            frames=self.frames,
        )

    def _executed(self, address: int, visits: int, cycles: int) -> Executed:
        insn = self._machine.core.decode(address)
        code = self._machine.mem[address : address + insn.length].tobytes()
        return Executed(insn, code, visits, cycles)


class SteppingCounter:
    """Runs a machine one instruction at a time, and looks at it after each."""

    def __init__(self, machine: Machine, look: Callable[[Insn], None] = lambda insn: None) -> None:
        """Begin, at the first instruction of a routine.

        look   is called with each instruction before it is executed for the first time
        """
        self._look = look
        self._machine = machine
        caches = machine.core.cpu.caches if machine.timing in ("full", CAUSES) else {}
        self._caches = [_CacheWatch(machine.core.state, name, cache) for name, cache in caches.items()]
        self._causes = cause_counter(machine)
        self._columns = (*COLUMNS, *(f"{watch.name}_misses" for watch in self._caches))
        self._totals, self._executed = [0] * len(self._columns), list[Executed]()
        self._latest: dict[int, Executed] = {}  # by address
        self._table = routines(machine, [machine.regs["pc"]])
        functions = Functions(self._table)
        self._log = _CallLog(functions)
        self._tree = CallTree(functions, machine.regs["pc"], len(self._columns), False, MAX_STRETCHES)

    def run(self, instructions: int, progress: Progress = lambda done, total, text: None) -> None:
        """Execute so many instructions. Errors: CpuFault."""
        core = self._machine.core
        for done in range(instructions):
            if done % REPORT_EVERY == 0:
                progress(done, instructions, "attributing cycles")
            row = self._row(core.decode(int(core.state["pc"])))
            insn = row.insn
            cycles = self._machine.run(instructions=1).cycles
            following = int(core.state["pc"])
            self._count(row, cycles, following != insn.end)
            if done + 1 < instructions:
                self._log.note(insn, following, self._totals)
            else:
                self._log.end(insn, following, self._totals)

    def _row(self, insn: Insn) -> Executed:
        """Return what counts an instruction."""
        row = self._latest.get(insn.pc)
        if row is None or row.insn is not insn:
            code = self._machine.mem[insn.pc : insn.pc + insn.length].tobytes()
            if row is None or row.code != code:
                no_misses = dict.fromkeys((watch.name for watch in self._caches), 0) or dict.fromkeys(NO_CACHES, 0)
                row = Executed(insn, code, departures=0, misses=no_misses)
                self._executed.append(row)
                self._look(insn)
            row.insn = insn
            self._latest[insn.pc] = row
        return row

    def _count(self, row: Executed, cycles: int, departs: bool) -> None:
        row.visits += 1
        row.cycles += cycles
        row.departures = (row.departures or 0) + departs
        self._totals[0] += cycles
        self._totals[1] += 1
        if self._causes:
            causes = self._causes.take()
            row.causes = causes if row.causes is None else row.causes + causes
        for column, watch in enumerate(self._caches, len(COLUMNS)):
            misses = watch.misses()
            row.misses[watch.name] += misses
            self._totals[column] += misses

    def counted(self) -> Counted:
        """Return what was counted."""
        self._tree.add(self._log.rows, self._log.totals)
        causes = sum(row.causes for row in self._executed if row.causes is not None)
        return Counted(
            executed=self._executed,
            symbols=self._table,
            tree=self._tree,
            columns=self._columns,
            cycles=self._totals[0],
            instructions=self._totals[1],
            causes=named(self._machine.name, causes) if isinstance(causes, np.ndarray) else None,
            accesses={watch.name: watch.accesses for watch in self._caches},
        )


class _CallLog:
    """Notes where the flow may have left a function."""

    def __init__(self, functions: Functions) -> None:
        self._functions = functions
        self._places: dict[int, tuple[int | None, int, bool]] = {}  # address -> kind, function, does the next differ
        self.rows: list[tuple[int, int, int]] = []
        self.totals: list[list[int]] = []

    def note(self, insn: Insn, following: int, totals: list[int]) -> None:
        """Note an instruction that has been executed, if it matters."""
        place = self._places.get(insn.pc)
        if place is None:
            function = self._functions.at(insn.pc)
            place = self._places[insn.pc] = kind_of(insn), function, function != self._functions.at(insn.end)
        kind, function, differs = place
        if kind is None:
            differs = differs if following == insn.end else self._functions.at(following) != function
            if not differs:
                return
            kind = BRANCH
        self.end(insn, following, totals, kind)

    def end(self, insn: Insn, following: int, totals: list[int], kind: int = PASS) -> None:
        """Note an instruction whatever it is."""
        self.rows.append((insn.pc | kind << KIND_SHIFT, following, insn.end))
        self.totals.append(totals.copy())


class _CacheWatch:
    """Accesses and misses of one cache: its counter steps at every access, a miss that allocates changes a tag."""

    def __init__(self, state: np.ndarray, name: str, cache: Cache) -> None:
        self.name, self.accesses = name, 0 if cache.accesses else None
        self._state, self._tags, self._counter = state, state[cache.tags], cache.accesses
        self._line_bits = ~self._tags.dtype.type(cache.status_bits)
        self._before, self._count = self._tags & self._line_bits, int(state[self._counter]) if self._counter else 0

    def misses(self) -> int:
        """Return the misses since the last call, and count the accesses."""
        if self.accesses is not None:
            count = int(self._state[self._counter])
            accesses = (count - self._count) & 0xFF
            if not accesses:
                return 0
            self.accesses += accesses
            self._count = count
        tags = self._tags & self._line_bits
        changed = int(np.count_nonzero(tags != self._before))
        self._before = tags
        return changed
