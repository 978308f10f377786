"""The reports of `cost` and of `run --profile`: what was counted, by instruction, line, function and call.

The fields are the keys that `--json` prints (see `retrosim.report.json`). Where an instruction is explained:

base     clocks from the manual, alone, as the CPU's `legend` says; averaged over the two outcomes of a branch where the
         outcome shows in the flow
stalls   average - base: what the CPU's `legend` says, below 0 where instructions overlapped. Of a service: the time it
         takes
causes   what the clocks went to (see `causes`), name -> clocks, whose sum is `cycles`; None unless the machine's timing
         is "causes", whose clocks are those of "full"
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from retrosim.cpu.spec.sources import changed_readings
from retrosim.machine import Machine
from retrosim.machine.choices import CAUSES
from retrosim.machine.presets import changed_memory
from retrosim.report.json import HIDDEN, SPREAD, spread
from retrosim.rom import Image
from retrosim.rom.symbols import SymbolTable
from retrosim.version import __version__

from .calls import HOST_WORK, NO_FUNCTION, CallTree
from .counting import COLUMNS, Counted, Executed, named
from .sources import line_of, source_texts

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Explanation:
    """What the clocks of an instruction are made of: see above.

    entry      the row of the manual's table that `base` comes from; source: that table
    reference  the instruction's description
    misses     of each cache; without caches those of data and instruction are there, and 0
    """

    base: float
    stalls: float
    entry: str
    source: str
    reference: str
    misses: dict[str, int] = field(metadata=spread("{}_misses"))
    causes: dict[str, int] | None


@dataclass(frozen=True)
class InstructionCost:
    """An executed instruction; average: clocks of a visit."""

    address: int
    code: str
    text: str
    function: str | None
    offset: int | None
    file: str | None
    line: int | None
    visits: int
    cycles: int
    average: float
    explanation: Explanation | None = field(metadata=SPREAD)

    @property
    def causes(self) -> dict[str, int] | None:
        """The clocks by cause, None where they were not counted."""
        return self.explanation.causes if self.explanation else None

    @property
    def misses(self) -> dict[str, int]:
        """The misses of each cache, as far as they were counted."""
        return self.explanation.misses if self.explanation else {}


@dataclass(frozen=True)
class FunctionCost:
    """What a function took.

    function   None: outside all functions
    visits     calls and jumps to its first address
    inclusive  clocks with all that it calls, of recursive calls once
    """

    function: str | None
    cycles: int
    percent: float
    instructions: int
    visits: int
    inclusive: int
    inclusive_percent: float


@dataclass(frozen=True)
class LineCost:
    """What a source line took; visits: those of its busiest instruction; text: None where the file was not found."""

    file: str | None
    line: int | None
    cycles: int
    percent: float
    instructions: int
    visits: int
    text: str | None


@dataclass(frozen=True)
class CallCost:
    """A function as it was called from one place: a node of the call tree.

    node, parent  numbers of nodes; the parent of the first, which was called from outside, is None
    function      a name, or the address outside functions
    is_host       whether it is something that the machine itself does
    address       of its first instruction, None for what the machine does
    site          address of the instruction that called; its line: site_file, site_line
    calls         how often
    misses        of each cache that was looked at
    percent       of the inclusive clocks
    """

    node: int
    parent: int | None
    depth: int
    function: str
    is_host: bool
    address: int | None
    site: int | None
    site_file: str | None
    site_line: int | None
    calls: int
    cycles: int
    instructions: int
    misses: dict[str, int] = field(metadata=spread("{}_misses"))
    inclusive_cycles: int
    inclusive_instructions: int
    inclusive_misses: dict[str, int] = field(metadata=spread("inclusive_{}_misses"))
    percent: float


@dataclass(frozen=True)
class Breakdown:
    """Where the clocks went.

    functions, lines  most clocks first; no lines for a program without them
    calls      each node before those that it calls
    listing    executed instructions, by address
    sources    file -> lines of its text, where it was found
    timeline   [number of a node, clocks] in order of time, as far as there was room
    """

    functions: list[FunctionCost]
    lines: list[LineCost]
    calls: list[CallCost]
    listing: list[InstructionCost]
    sources: dict[str, list[str]] = field(metadata=HIDDEN)
    timeline: list[list[int]] = field(metadata=HIDDEN)


@dataclass(frozen=True)
class ClockSettings:
    """Parameters of caches and bus, how open questions of the clocks are answered, and what of both differs."""

    memory: dict[str, int]
    memory_changed: dict[str, int]
    readings: dict[str, str]
    readings_changed: dict[str, str]


@dataclass(frozen=True)
class Origin:
    """What a report is of, and how to have it once more.

    program     what it was given as: the name of a ROM, or files
    parameters  of a ROM -> values
    version     of retrosim
    command     its command line, "" where there was none
    """

    program: str
    parameters: dict[str, int]
    version: str
    command: str


def origin_of(machine: Machine, program: str = "", command: str = "") -> Origin:
    """Return what a report of a machine is of; without a program's name that of its ROM."""
    rom = machine.rom
    return Origin(program or ("" if rom is None else rom.name), dict(machine.parameters), __version__, command)


@dataclass(frozen=True)
class CalledRoutine:
    """What was called; symbol: None for an address."""

    symbol: str | None
    address: int

    def __str__(self) -> str:
        return self.symbol or f"{self.address:06X}"


@dataclass(frozen=True)
class CallTotals:
    """What a call took.

    low, high      between which the clocks plausibly are, None without an interval
    result         what it returned; result_signed: the same as a signed word
    has_result     has an instruction set the register of a result? If not, it returned nothing
    """

    cycles: int
    low: int | None
    high: int | None
    instructions: int
    cycles_per_instruction: float
    microseconds: float
    result: int
    result_signed: int
    has_result: bool
    causes: dict[str, int] | None


@dataclass(frozen=True)
class CacheCounts:
    """What went on in a cache.

    accesses  operands (each line that one touches), and lines of code entered: the model looks code up once a line.
              Memory that is not cached is not counted. None where the model does not count them
    hits      with write-through caches, data misses are those of reads and hits unknown (None)
    misses    lines, or sectors of lines, that have come into the cache, those that it reads ahead included
    """

    accesses: int | None
    hits: int | None
    misses: int


@dataclass(frozen=True)
class CostReport:
    """What one call of a routine cost: `retrosim cost --json`.

    arguments  words
    registers  name -> word, what the routine found in registers beside them
    unset_registers  that it read before anything had set them: they held 0
    warm       calls before the one that counts, after which memory is as before and caches are warm; with 0 caches are
               as the program has left them, empty in a program that has not run
    caches     by name: data and instruction, or unified; None where none are modelled
    """

    origin: Origin = field(metadata=SPREAD)
    machine: str
    model: str
    clock_hz: int
    timing: str
    engine: str
    build: str
    entry: CalledRoutine
    arguments: list[int]
    registers: dict[str, int]
    unset_registers: list[str]
    warm: int
    clocks: ClockSettings = field(metadata=SPREAD)
    totals: CallTotals
    caches: dict[str, CacheCounts] | None
    breakdown: Breakdown = field(metadata=SPREAD)


@dataclass(frozen=True)
class ProfileTotals:
    """What a run took.

    cycles   in which the program was busy; waited: in which it waited for the next frame or an interrupt
    frames   that were completed, and the busy clocks of one; None where there was none
    causes   cause -> busy clocks, None unless the timing is "causes"
    """

    cycles: int
    waited: int
    instructions: int
    frames: int
    cycles_minimum: int | None
    cycles_mean: float | None
    cycles_maximum: int | None
    causes: dict[str, int] | None


@dataclass(frozen=True)
class ProfileReport:
    """What a run of a program took: `profile` in `retrosim run --profile --json`."""

    origin: Origin = field(metadata=SPREAD)
    machine: str
    model: str
    clock_hz: int
    timing: str
    build: str
    clocks: ClockSettings = field(metadata=SPREAD)
    totals: ProfileTotals
    breakdown: Breakdown = field(metadata=SPREAD)


Report = CostReport | ProfileReport


def timing_of(machine: Machine) -> str:
    """Return the timing of a machine as reports name it: that of causes has the clocks of "full"."""
    return "full" if machine.timing == CAUSES else machine.timing


def clocks_of(machine: Machine) -> ClockSettings:
    """Return what the clocks of a machine depend on."""
    memory, readings = machine.memory_clocks, machine.readings
    changed = changed_memory(machine.preset, memory), changed_readings(machine.core.cpu.readings, readings)
    return ClockSettings(memory, changed[0], readings, changed[1])


def profile_report(
    machine: Machine, counted: Counted, sources: Sequence[Path] = (), program: str = "", command: str = ""
) -> ProfileReport:
    """Return what a run took.

    sources  folders in which the text of source files is looked for
    program, command  see `Origin`
    """
    frames = counted.frames
    mean = sum(frames) / len(frames) if frames else None
    low, high = (min(frames), max(frames)) if frames else (None, None)
    totals = counted.cycles, counted.waited, counted.instructions, len(frames), low, mean, high, counted.causes
    return ProfileReport(
        origin_of(machine, program, command),
        machine.name,
        machine.core.cpu.model,
        machine.clock_hz,
        timing_of(machine),
        machine.image.build,
        clocks_of(machine),
        ProfileTotals(*totals),
        breakdown_of(machine, counted, sources),
    )


def breakdown_of(machine: Machine, counted: Counted, sources: Sequence[Path] = ()) -> Breakdown:
    """Return where the clocks that were counted went.

    sources  folders in which the text of source files is looked for
    """
    executed = sorted(counted.executed, key=lambda row: row.insn.pc)
    listing = [_instruction(machine, row, counted.symbols) for row in executed]
    calls = call_costs(counted, machine.image)
    texts = source_texts((row.file for row in listing), sources)
    functions, lines = _functions(listing, calls), _lines(listing, texts)
    return Breakdown(functions, lines, calls, listing, texts, counted.tree.stretches())


def _instruction(machine: Machine, row: Executed, symbols: SymbolTable) -> InstructionCost:
    function, offset = symbols.at(row.insn.pc) or (None, None)
    file, line = machine.image.source_line(row.insn.pc) or (None, None)
    code, average = row.code.hex(" ", 2), row.cycles / row.visits
    place = row.insn.pc, code, row.insn.text, function, offset, file, line
    return InstructionCost(*place, row.visits, row.cycles, average, _explained(machine, row))


def _explained(machine: Machine, row: Executed) -> Explanation | None:
    if row.departures is None:
        return None
    cpu, average = machine.core.cpu, row.cycles / row.visits
    said = cpu.explain(row.insn, row.visits, row.departures, cpu.choices)
    causes = None if row.causes is None else named(machine.name, row.causes)
    about = said.entry, said.source, row.insn.row.ref
    return Explanation(said.clocks, average - said.clocks, *about, row.misses, causes)


def call_costs(counted: Counted, image: Image) -> list[CallCost]:
    """Return the nodes of the call tree, each before those that it calls."""
    tree, names = counted.tree, counted.columns[len(COLUMNS) :]
    caches = [name.removesuffix("_misses") for name in names]
    nodes = tree.nodes()
    total = nodes[0].inclusive[0] or 1
    calls = []
    for node in nodes:
        file, line = (image.source_line(node.site) if node.site is not None else None) or (None, None)
        is_host = node.function <= HOST_WORK
        (cycles, instructions, *misses), (all_cycles, all_instructions, *all_misses) = node.own, node.inclusive
        calls.append(
            CallCost(
                node=node.number,
                parent=node.parent,
                depth=node.depth,
                function=_name(tree, node.function, node.entry, counted.host),
                is_host=is_host,
                address=None if is_host else node.entry,
                site=node.site,
                site_file=file,
                site_line=line,
                calls=node.calls,
                cycles=cycles,
                instructions=instructions,
                misses=dict(zip(caches, misses, strict=True)),
                inclusive_cycles=all_cycles,
                inclusive_instructions=all_instructions,
                inclusive_misses=dict(zip(caches, all_misses, strict=True)),
                percent=100 * all_cycles / total,
            )
        )
    return calls


def _name(tree: CallTree, function: int, entry: int, host: Mapping[int, str]) -> str:
    if function <= HOST_WORK:
        return host[HOST_WORK - function]
    return f"{entry:06X}" if function == NO_FUNCTION else tree.functions.names[function]


def _inclusive_cycles(calls: Sequence[CallCost]) -> dict[str, int]:
    """Return function -> its cycles with all that it calls; what it calls of itself counts once."""
    inclusive: dict[str, int] = {}
    callers: list[tuple[str, ...]] = []
    for call in calls:
        above = () if call.parent is None else callers[call.parent]
        if call.function not in above:
            inclusive[call.function] = inclusive.get(call.function, 0) + call.inclusive_cycles
            above = (*above, call.function)
        callers.append(above)
    return inclusive


def _functions(listing: Sequence[InstructionCost], calls: Sequence[CallCost]) -> list[FunctionCost]:
    inclusive, total = _inclusive_cycles(calls), sum(row.cycles for row in listing)
    costs = []
    for function, rows in _grouped(listing, lambda row: row.function).items():
        cycles = sum(row.cycles for row in rows)
        visits = sum(row.visits for row in rows if row.offset == 0)
        below = cycles if function is None else inclusive.get(function, cycles)
        counts = cycles, _percentage(cycles, total), sum(row.visits for row in rows), visits
        costs.append(FunctionCost(function, *counts, below, _percentage(below, total)))
    return sorted(costs, key=lambda cost: -cost.cycles)


def _lines(listing: Sequence[InstructionCost], texts: Mapping[str, list[str]]) -> list[LineCost]:
    total = sum(row.cycles for row in listing)
    costs = []
    for (file, line), rows in _grouped(listing, lambda row: (row.file, row.line)).items():
        cycles = sum(row.cycles for row in rows)
        counts = cycles, _percentage(cycles, total), sum(row.visits for row in rows), max(row.visits for row in rows)
        costs.append(LineCost(file, line, *counts, line_of(texts, file, line)))
    if all(cost.file is None for cost in costs):
        return []
    return sorted(costs, key=lambda cost: -cost.cycles)


def _grouped(
    listing: Iterable[InstructionCost], key: Callable[[InstructionCost], Key]
) -> dict[Key, list[InstructionCost]]:
    groups: dict[Key, list[InstructionCost]] = {}
    for row in listing:
        groups.setdefault(key(row), []).append(row)
    return groups


def _percentage(cycles: int, total: int) -> float:
    return 100 * cycles / total if total else 0.0
