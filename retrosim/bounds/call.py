"""Proven least and most clocks of a routine, for any data and any contents of the caches.

How they are proven: an engine on sets of states (engine.py) runs the routine once on all states at once
(run.py). It runs the rows and the timing model themselves, on words of which only bounds are known, so a rule of
the model needs no second statement here; an instruction takes no more than the model's own bound of it in any case
(`Timing.max_clocks`, `max_waits`, `max_wait_clocks`). The argument is by induction over the instructions of a call: the
state of the machine lies in the set that is kept, before the first one by the assumptions, after each one because every
operation on words gives a set that holds the result, because both outcomes of an undecided condition are followed, and
because states are only ever joined to larger sets.

What is assumed:

    call     it begins with an empty pipeline, an idle bus, and the stack pointer where it is now; it is not interrupted
    return   the routine returns: calls that end in an exception take other clocks
    loops    bounds that are given hold
    stack    a store to an address that is not known does not reach the routine's frames, unless it is made from the
             stack pointer: what C promises of pointers to anything else
    operands at addresses that are not known lie in RAM, aligned as the C compilers align them: words and long words at
             even addresses on the 68K, at multiples of their size elsewhere; where code has a cache of its own, not in
             the lines of the routine. (Operands at known addresses may: then the routine is run again without this.)
    code     the routine does not change itself
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from retrosim.cost.cost import find_routine, place_stack
from retrosim.cost.report import CalledRoutine
from retrosim.machine import Machine, Measurement, memory
from retrosim.report.text import grouped

from .caches import Held
from .engine import BoundsEngine, Unbounded
from .residence import Residence
from .run import Runner, visits_of
from .search import ARGUMENTS, Found, search
from .state import AbstractState
from .words import Span, const, unknown

ASSUMPTIONS = (
    "a call begins with an empty pipeline and an idle bus, at the present stack pointer, and is not interrupted",
    "the routine returns, without an exception",
    "stores to unknown addresses do not reach the stack frames of the routine",
    "operands at unknown addresses lie in RAM, aligned as the C compilers align them, and not in the routine's code",
    "the routine does not change its own code",
)
# what a routine finds as it is: the state of the processor that the convention of calls fixes
SYSTEM = (
    "s", "m", "trace", "ipl", "vbr", "cacr", "msr", "df", "tf", "if", "nt", "ac", "iopl", "seg", "seg_base",
    "seg_limit", "idt_base", "idt_limit", "cr",
)  # fmt: skip
# what a model notes of the bus, when it is idle, and of the queue of code when a jump from elsewhere has emptied it
IDLE = {"filling": 0xFFFFFFFF, "other": 0, "fetched": 0}

SHORT_STEPS = 1300  # instructions that were followed: a routine with more is not followed once more for a lower bound
# in turn until one holds: is no operand in a line of code; do lines stay; are misses of code counted (if so, and the
# routine is short, once more without)
ATTEMPTS = (
    (True, True, True), (True, True, False), (True, False, False),
    (False, True, True), (False, True, False), (False, False, False),
)  # fmt: skip

__all__ = ["ASSUMPTIONS", "BoundsReport", "Unbounded", "bound", "measure_bounded"]


@dataclass(frozen=True)
class Place:
    """Where an instruction is."""

    address: int
    function: str | None
    file: str | None
    line: int | None


@dataclass(frozen=True)
class LoopTimes(Place):
    """A loop: how often its head was reached at most each time it was entered; given: is that a bound from outside?"""

    times: int
    given: bool


@dataclass(frozen=True)
class PathBlock(Place):
    """A block of the longest path: the text of its first instruction, and how often it is executed."""

    text: str
    visits: int


@dataclass(frozen=True)
class BoundsReport:
    """What `retrosim cost --bounds --json` prints.

    arguments         words, None where one may be any
    minimum, maximum  clocks
    path              blocks by address
    found             None without a search
    exceeded          a call has taken more than the maximum or less than the minimum: a bound that was given, or an
                      assumption, does not hold
    """

    machine: str
    model: str
    clock_hz: int
    timing: str
    build: str
    entry: CalledRoutine
    arguments: list[int | None]
    minimum: int
    maximum: int | None
    loops: list[LoopTimes]
    path: list[PathBlock]
    found: Found | None
    exceeded: bool
    assumptions: list[str]


def bound(
    machine: Machine,
    symbol: str | int,
    *arguments: int | None,
    loops: Mapping[str | int, int] | None = None,
    convention: str = "c",
    tries: int = 0,
    seed: int = 1994,
    progress: Callable[[int, int | None, str], None] = lambda done, total, what: None,
) -> BoundsReport:
    """Return proven least and most clocks of a routine. The machine is left as it was.

    machine    simulated, with timing "table" or "full"; its memory parameters count, its caches do not
    symbol     name or address of the routine
    arguments  words; None, and those that are left out, may be any
    loops      address of a loop's first instruction, name of a routine with one loop, "line" or "file:line" -> how
               often its first instruction is executed at most each time the loop is entered
    tries      calls with random inputs, which look for the most clocks; 0 for none
    seed       of the inputs
    progress   progress(how far, of how many if that is known, what is done)
    Errors     ValueError; Unbounded, which says why there is no bound
    """
    if machine.timing not in ("table", "full"):
        raise ValueError(f"timing {machine.timing!r}: allowed table, full")
    entry = find_routine(machine.image, symbol)
    given = _Given(machine, loops or {})
    before = machine.snapshot()
    try:
        place_stack(machine)
        words = [*arguments, *[None] * (ARGUMENTS - len(arguments))]
        state, stack_top = _entered(machine, entry, words, convention)

        def followed(steps: int) -> None:
            progress(steps, None, "following instructions")

        maximum: int | None = None
        attempts = list(ATTEMPTS)
        while attempts:
            is_code_apart, stays, counts_code = attempts.pop(0)
            residence = Residence(machine.core.cpu.caches if stays else {}, machine.memory_clocks, counts_code)
            if stays and not (residence.lines or residence.counted):
                continue
            engine = BoundsEngine(machine.core, stack_top, machine.memory_clocks, is_code_apart, residence)
            runner = Runner(machine.core, engine, given, given.name, followed)
            entered = replace(state, held=residence.entered(state.held), ways=residence.begins(engine.alignment))
            end = runner.call(entry, entered, memory.RETURN_ADDRESS)
            if engine.code_units & engine.operand_units and is_code_apart:
                attempts = [each for each in attempts if not each[0]]
                continue
            if stays and not residence.holds(end.ways):
                attempts = [each for each in attempts if each[:2] != (is_code_apart, True)]
                continue
            proven = residence.maximum(end.ways, engine.alignment)
            maximum = proven if maximum is None else min(proven, maximum)
            if residence.counted:  # where each miss is seen, there may be fewer clocks
                attempts = [(is_code_apart, False, False)]
            elif not counts_code or runner.steps > SHORT_STEPS:
                break
        given.check_used()
        found = None
        if tries:
            stack = int(machine.core.state["r"][_stack_register(machine)])
            chosen: dict[str, Any] = {"stack": stack, "convention": convention, "tries": tries, "seed": seed}
            found = search(machine, entry, words, **chosen, progress=lambda done: progress(done, tries, "searching"))
    finally:
        machine.restore(before)
    exceeded = False
    if found is not None and found.minimum is not None and found.maximum is not None:
        exceeded = not end.minimum <= found.minimum <= found.maximum <= (maximum or 0)
    loop_times = sorted(runner.times.items())
    visits = sorted(visits_of(end.trail).items())
    return BoundsReport(
        machine.name,
        machine.core.cpu.model,
        machine.clock_hz,
        machine.timing,
        machine.image.build,
        CalledRoutine(symbol if isinstance(symbol, str) else None, entry),
        list(arguments),
        end.minimum,
        maximum,
        [LoopTimes(*_place(machine, head), times, head in given.used) for head, times in loop_times],
        [PathBlock(*_place(machine, start), machine.core.decode(start).text, count) for start, count in visits],
        found,
        exceeded,
        list(ASSUMPTIONS),
    )


def measure_bounded(
    machine: Machine,
    symbol: str | int,
    *arguments: int,
    loops: Mapping[str | int, int] | None = None,
    convention: str = "c",
    **chosen: Any,
) -> Measurement:
    """Return what one call costs, as `machine.measure` does, and in `bound` the most clocks of any call.

    loops   as for `bound`
    chosen  options of `machine.measure`
    Errors  those of `bound` and of `machine.measure`
    """
    maximum = bound(machine, symbol, loops=loops, convention=convention).maximum
    return replace(machine.measure(symbol, *arguments, convention=convention, **chosen), bound=maximum)


def _place(machine: Machine, address: int) -> tuple[int, str | None, str | None, int | None]:
    """Return the fields of a Place."""
    function, _ = machine.image.symbol_at(address) or (None, 0)
    file, line = machine.image.source_line(address) or (None, None)
    return address, function, file, line


class _Given(Mapping[int, int]):
    """Bounds of loops by the addresses of their heads, as they were given: by address, routine or source line."""

    def __init__(self, machine: Machine, loops: Mapping[str | int, int]) -> None:
        self.machine, self.loops = machine, dict(loops)
        self.used: dict[int, str | int] = {}
        for key, times in self.loops.items():
            if times < 1:
                raise ValueError(f"loop {key}={times}: allowed 1 or more")

    def __iter__(self) -> Any:
        return iter(self.used)

    def __len__(self) -> int:
        return len(self.used)

    def __getitem__(self, head: int) -> int:
        place = Place(*_place(self.machine, head))
        names: tuple[Any, ...] = (head, place.function, str(place.line), f"{place.file}:{place.line}")
        for key in names:
            if key in self.loops:
                if self.used.setdefault(head, key) == key and key != head and self._others(head, key):
                    raise ValueError(f"loop {key}: several loops are there; give the address: {head:#x}")
                return self.loops[key]
        raise KeyError(head)

    def _others(self, head: int, key: str | int) -> bool:
        return any(other != head and used == key for other, used in self.used.items())

    def check_used(self) -> None:
        """Errors: ValueError for a loop that the routine does not have."""
        for key in self.loops:
            if key not in self.used.values():
                raise ValueError(f"loop {key if isinstance(key, str) else hex(key)}: the routine has none there")

    def name(self, address: int) -> str:
        """Return an address with the routine and the source line that it is in."""
        place = Place(*_place(self.machine, address))
        line = f", {place.file}:{place.line}" if place.file else ""
        return f"{address:#x} ({place.function or 'no routine'}{line})"


def _entered(
    machine: Machine, entry: int, arguments: Sequence[int | None], convention: str
) -> tuple[AbstractState, int]:
    """Return what is known when a routine is entered, and the stack pointer's top.

    The call is entered twice, with all that may be any different each time: what is the same is known.
    """
    core = machine.core
    start = core.state.copy()
    stack = _stack_register(machine)
    ends = []
    for filler in (0, -1):
        core.state[()] = start
        for number in range(len(core.state["r"])):
            if number != stack:
                core.state["r"][number] = filler & 0xFFFFFFFF
        if "lr" in core.cpu.layout.fields:
            core.state["lr"] = filler & 0xFFFFFFFF
        written = _Written(core)
        machine.enter(entry, *(filler if word is None else word for word in arguments), convention=convention)
        written.end()
        ends.append((core.state.copy(), written.cells))
    core.state[()] = start
    (state, cells), (other, others) = ends
    words: dict[Any, Span] = {}
    for number in range(len(state["r"])):
        is_known = state["r"][number] == other["r"][number]
        words["r", number] = const(32, int(state["r"][number])) if is_known else unknown(32)
    words["r", stack].frame = True
    if "lr" in core.cpu.layout.fields:
        words["lr"] = const(32, int(state["lr"]))
    for address, data in cells.items():
        if others[address] == data:
            words[address] = const(8 * len(data), int.from_bytes(data, "little"))
    for name, (bits, count) in core.cpu.layout.fields.items():
        if name in SYSTEM:
            for number in range(count):
                key = name if count == 1 else (name, number)
                words[key] = const(bits, int(state[name] if count == 1 else state[name][number]))
        elif name in IDLE:
            words[name] = const(bits, IDLE[name])
    held = {name: Held(cache.lines) for name, cache in core.cpu.caches.items() if cache.lines}
    top = max([int(state["r"][stack]), *(address + len(data) for address, data in cells.items())])
    single = {name for name, (_, count) in core.cpu.layout.fields.items() if count == 1}
    times = single.intersection((*core.cpu.stage_fields, *core.cpu.busy_fields))
    apart = {(a, b): 0 for a in times for b in times if a != b}
    return AbstractState(words, dict.fromkeys(times, (0, 0, 0)), held, apart=apart), top


class _Written:
    """What is written into a core's memory from outside, by address, until `end`."""

    def __init__(self, core: Any) -> None:
        self.cells: dict[int, bytes] = {}
        self._core, self._write = core, core.write
        core.write = self._note

    def _note(self, address: int, data: bytes) -> None:
        self.cells[address] = bytes(data)
        self._write(address, data)

    def end(self) -> None:
        """Note nothing more."""
        del self._core.write


def _stack_register(machine: Machine) -> int:
    """Return the number of the register that setting the stack changes."""
    state = machine.core.state
    before = state.copy()
    state["r"] = 1
    machine.set_stack(memory.STACK_START)
    number = int(np.flatnonzero(state["r"] != 1)[0])
    state[()] = before
    return number


# Bounds of a routine as text.

CACHES = {
    "left": "as the call before left them",
    "given": "as the program left them",
    "empty": "empty",
    "dirty": "full of other lines, to be written out",
    "mixed": "other lines, some of them to be written out, and gaps",
}


def render_bounds(report: BoundsReport) -> RenderableType:
    """Return a report as a table under its answer."""
    return Group(Text("\n".join(_summary(report))), _path(report), Text("\n".join(_assumptions(report))))


def answer(report: BoundsReport) -> str:
    """Return the bounds in one line."""
    text = f"{report.machine}: {grouped(report.minimum)} .. {grouped(report.maximum)} clocks proven"
    found = report.found
    if not found:
        return text
    if found.maximum is None:
        return f"{text}; none of {grouped(found.tries)} tries returned: {found.failure}"
    return f"{text}; most found {grouped(found.maximum)} (seed {found.seed}, in {grouped(found.tries)} tries)"


def _summary(report: BoundsReport) -> Iterator[str]:
    yield answer(report)
    if report.exceeded:
        yield "EXCEEDED: a call lay outside; a loop bound that was given does not hold for its input, or an assumption"
    found = report.found
    if found and found.maximum is not None:
        words = ", ".join(f"{word:#x}" for word in found.arguments)
        yield f"  with the arguments {words}; caches: {CACHES[found.caches]}; its memory is in --json"
    for loop in report.loops:
        origin = "given" if loop.given else "found"
        yield f"loop at {loop.address:#x}{_where(loop)}: at most {grouped(loop.times)} times ({origin})"


def _where(place: Place) -> str:
    parts = [place.function or "", f"{place.file}:{place.line}" if place.file else ""]
    text = " ".join(part for part in parts if part)
    return f" ({text})" if text else ""


def _path(report: BoundsReport) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, title="The longest path, by blocks", title_justify="left")
    for heading in ("address", "first instruction", "where", "times"):
        table.add_column(heading, justify="right" if heading == "times" else "left")
    for block in report.path:
        table.add_row(f"{block.address:06X}", block.text, _where(block).strip(" ()"), grouped(block.visits))
    return table


def _assumptions(report: BoundsReport) -> Iterator[str]:
    yield "Assumed:"
    for sentence in report.assumptions:
        yield f"  {sentence}"
