"""What is known of one CPU model: its rows, its state fields, its byte order, how it takes exceptions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .decoding import OpcodeTable
from .hits import FIELD as HITS
from .host import Host
from .instruction_set import InstructionSet
from .rows import Insn, Row
from .sources import ClockSources, Reading, changed_readings, chosen_readings
from .timing import OBSERVING, Timing, observed

ADDRESS_BITS = 24
ADDRESS_MASK = (1 << ADDRESS_BITS) - 1

# Why a compiled loop or the evaluator gave control back (state field `reason`).
RUNNING, UNDECODED, SERVICE, CODE_WRITTEN, FAULT, REACHED, STOPPED, MISALIGNED, STATUS_WRITTEN, OBSERVED = range(10)

ENGINE_FIELDS = (
    ("pc", 32, 1),
    ("reason", 32, 1),  # one of the above
    ("stopped", 1, 1),  # waiting for an interrupt
    ("detail", 32, 1),  # service number, exception vector, or misaligned address
    ("access", 32, 1),  # of a misaligned access: its number in the instruction (0, 1, ...), + ACCESS_...
    ("written_low", 32, 1),  # decoded or watched bytes written since the last look: low <= address < high
    ("written_high", 32, 1),
    ("read_low", 32, 1),  # watched bytes read since the last look, where reads are observed
    ("read_high", 32, 1),
    ("touched_by", 32, 1),  # the instruction that did either, or took an exception
    ("taken", 32, 1),  # vector of an exception taken since the last look + 1, where exceptions are observed
    (HITS, 64, 1),  # after which run it was left so (Core.check_hits)
    ("cycles", 64, 1),
    ("limit", 64, 1),  # leave when cycles reach it
)


ACCESS_WRITE, ACCESS_FETCH = 0x100, 0x200
NO_CODE = (1 << 32) - 1  # in a state field that names the line an instruction came from: none
DOUBLE_FAULT = 0x100  # in `detail`, in place of a vector: an exception could not be taken


class StateLayout:
    """Names, widths and places of the state fields: (name, bits, count); one-bit fields take a byte.

    The registers of the CPU come first, then ENGINE_FIELDS, then what its timing models remember.
    """

    def __init__(self, fields: tuple[tuple[str, int, int], ...]) -> None:
        self.fields = {name: (bits, count) for name, bits, count in fields}
        names = list(self.fields)
        self.registers = tuple(names[: names.index(ENGINE_FIELDS[0][0])])
        spec = [(n, f"<u{max(b, 8) // 8}", (c,) if c > 1 else ()) for n, b, c in fields]
        self.dtype = np.dtype([(n, t, s) for n, t, s in spec], align=True)
        self.offsets = {name: place[1] for name, place in (self.dtype.fields or {}).items()}


@dataclass(frozen=True)
class Lines:
    """How a cache holds its lines, for bounds: which of them are certain to be there.

    unit_bytes  what an access brings into the cache for certain
    units       of a line
    sets, ways
    survives    how many other lines of its set may be used after a line before it can be gone
    end         first address that is not cached
    tag         tag(number of a line, units that are valid) -> (bits that are 1, bits that may be either)
    arriving    state field that names the unit which is being read and is in the cache from then on: what only a miss
                changes
    fetches     the model's subroutines that look up code by the number of a unit
    operands    those that look up an operand by address and size
    stores      those of them that store
    stores_allocate  does a store bring in a line that is not there? (and see Cache.allocates)
    order       state field that a use changes, which the replacement goes by; "" where every access is noted
    missing     memory parameters: together the clocks in which the bus is busy with one miss
    """

    unit_bytes: int
    sets: int
    ways: int
    survives: int
    end: int
    tag: Callable[[int, int], tuple[int, int]]
    arriving: str
    units: int = 1
    fetches: tuple[str, ...] = ("fetch",)
    operands: tuple[str, ...] = ("read", "write")
    stores: tuple[str, ...] = ("write",)
    stores_allocate: bool = True
    order: str = ""
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cache:
    """Where the state holds a cache that a timing model has.

    tags         state field of its tags: a miss that allocates changes one
    accesses     state field that steps at every access, "" where there is none
    status_bits  bits of a tag that change without a miss
    dirty        state field that tells of each entry that it is written out before it is replaced, "" for status bits
    allocates    memory parameter that is not 0 when stores allocate too, "" when they always do
    lines        how it holds its lines
    shortcuts    state fields that say what is in it for certain: 0 when something else changes the tags
    behind       state fields of caches that it is filled from: 0 when they are empty
    """

    tags: str
    accesses: str = ""
    status_bits: int = 0
    dirty: str = ""
    allocates: str = ""
    lines: Lines | None = None
    shortcuts: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cpu:
    """One CPU model: what the engines need of it, the machine, and reports.

    model      vendor part name, for example "MC68040"
    isa        its instruction set; `table` holds the rows of this model
    layout     state fields, ENGINE_FIELDS included; the register file is the field "r"
    big_endian byte order of memory
    undefined  undefined(opcode word, address, too long) -> the row that runs where nothing is encoded, or at a
               misaligned address
    unserved   the row that runs where a program asks for a service that the machine does not have
    service_bytes  length of the instruction that asks
    timing     mode name -> class of the timing model
    causes     cause -> what is counted under it, in the order of the state field `causes`; where a mode counts them
    caches     name -> where the state holds it, of the caches that the mode "full" models
    explain    explain(instruction, visits, departures, choices): its base clocks and where they come from
    legend     what base clocks and the rest of an instruction's clocks are; {source} is the table they come from
    exception  exception(m, vector): take an exception; interrupt(m, level): take an interrupt
    reset      reset(state): bring a state of zeros to that after start-up code
    accepts    accepts(state, level): would an interrupt be taken now?
    vector_name  what an exception vector means
    host       registers by name, calls, faults, tracing
    stage_fields  state fields that hold when the stages of a pipeline are free
    busy_fields   state fields that hold when what has been begun is over: work of the bus, results of instructions
    blank         state field -> value, of what the pipeline remembers of the instructions before: when there were none
    in_registers  state fields that regions may keep in registers, as they do the clock: no subroutine uses them
    derived    state fields that only tell sooner what others say; 0 in them is always true
    zero_register  number of a register that is always 0, or None
    aligned    words and long words at odd addresses abort the instruction
    misaligned  what such an abort does then: an exception of the CPU, run on the evaluator
    readings   what the sources leave open of its clocks
    choices    reading -> option that its clocks are counted by: the defaults, unless it comes from `with_readings`
    """

    model: str
    isa: InstructionSet
    table: OpcodeTable
    layout: StateLayout
    big_endian: bool
    undefined: Callable[[int, int, bool], Row]
    unserved: Row
    service_bytes: int
    timing: dict[str, Any]
    exception: Callable[[Any, int], None]
    interrupt: Callable[[Any, int], None]
    reset: Callable[[np.ndarray], None]
    accepts: Callable[[np.ndarray, int], bool]
    vector_name: Callable[[int], str]
    host: Host
    explain: Callable[[Insn, int, int, Mapping[str, str]], ClockSources]
    legend: str
    stage_fields: tuple[str, ...] = ()
    busy_fields: tuple[str, ...] = ()
    blank: Mapping[str, int] = field(default_factory=dict)
    in_registers: frozenset[str] = frozenset()
    derived: frozenset[str] = frozenset()
    zero_register: int | None = None
    causes: Mapping[str, str] = field(default_factory=dict)
    caches: Mapping[str, Cache] = field(default_factory=dict)
    aligned: bool = False
    misaligned: Callable[[Any, Insn], None] | None = None
    readings: tuple[Reading, ...] = ()
    choices: Mapping[str, str] = field(default_factory=dict)
    _variants: dict[str, Cpu] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        choices = chosen_readings(self.readings, self.choices)
        object.__setattr__(self, "choices", choices)
        if choices:
            timing = {mode: type(each.__name__, (each,), {"choices": choices}) for mode, each in self.timing.items()}
            object.__setattr__(self, "timing", timing)

    @property
    def label(self) -> str:
        """The model and the choices that are not the defaults: what compiled clocks depend on."""
        changed = changed_readings(self.readings, self.choices)
        return "".join([self.model, *(f"_{name}_{option}" for name, option in changed.items())])

    def with_readings(self, given: Mapping[str, str] | None) -> Cpu:
        """Return this CPU with some readings chosen otherwise. Errors: ValueError."""
        choices = chosen_readings(self.readings, {**self.choices, **(given or {})})
        if choices == self.choices:
            return self
        changed = replace(self, choices=choices)
        return self._variants.setdefault(changed.label, changed)

    def timing_class(self, mode: str) -> type[Timing]:
        """Return the timing model of a mode; with the suffix OBSERVING, one that notices loads and exceptions too."""
        name, observing, _ = mode.partition(OBSERVING)
        model: type[Timing] = self.timing[name]
        return observed(model) if observing else model  # type: ignore[arg-type]  # classes are hashable

    def handlers(self) -> Iterable[tuple[Row, tuple[Any, ...]]]:
        """Yield (row, statics) of every handler of a full interpreter: the table's and those of undefined encodings."""
        yield from self.table.handlers()
        rows = (self.undefined(opcode, 0, False) for opcode in range(len(self.table.first)))
        for row in {row.syntax: row for row in rows}.values():
            yield row, ()
