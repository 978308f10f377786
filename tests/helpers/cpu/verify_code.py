"""Proves of emitted code that it stays in its memory: each load, each store, each call.

An address must be a base and an offset whose interval (code_ranges.py) lies inside what that base has:

    memory, code marks,  2^24 bytes and the mirrors at both ends, read and written; marks are only read
    hits
    state                bytes of the one field that the constant offset lies in
    record               the words of this record; of another one only its handler, to be called with it, and whether
                         that is a region
    index                an entry for each instruction unit of memory, and the table of variants behind them
    context              its pointers; only the budget and the state that is handed over are written
    table                the words that memo.py fills in: places in it that come from it are masked, or LLVM is told
                         where they end, which is taken as memo.py promises it, and must be in the table
    slot                 the whole of it

What the host puts into records and tables is taken as it promises: fields have the values that decoding gives
(field_ranges.py), addresses have 24 bits, distances and numbers lead to records. So is what LLVM is told: shifts are by
less than the width, divisors not 0, the word whose zeros are counted is not 0 where it must not be.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from retrosim.cpu.engines.clock_table.memo import TABLE_WORDS
from retrosim.cpu.engines.core import MIRROR_BYTES
from retrosim.cpu.engines.emit import (
    ASK_POINTER,
    BUDGET,
    CODE_POINTER,
    CONTEXT_ENTRIES,
    HANDED,
    HITS_POINTER,
    INDEX_POINTER,
    MISSED,
    POINTER_BYTES,
    RECORDS_POINTER,
    TABLE_POINTER,
)
from retrosim.cpu.engines.handlers.handler_cache import VARIANTS, units_of
from retrosim.cpu.engines.handlers.handlers import (
    COUNTING_WORD,
    END_WORD,
    FIELDS_WORD,
    HANDLER_WORD,
    ORDINARY_WORD,
    PC_WORD,
    RECORD_BYTES,
    TARGET_WORD,
    UNKNOWN_RECORD,
)
from retrosim.cpu.engines.handlers.handlers import HANDLER as HANDLER_TYPE
from retrosim.cpu.spec.cpu import ADDRESS_MASK, Cpu
from tests.helpers.cpu.code_ranges import BINARY, CALL, CodeFunction, Facts, Range, Ranges, full, signed

RAM, CODE, STATE, RECORD, OTHER_RECORD, CONTEXT, INDEX, RECORDS, HANDLER, STATUS, SLOT, TABLE, HOST, HITS = (
    "memory", "code marks", "state", "record", "another record", "context", "index", "records", "handler", "status",
    "slot", "table", "host", "hits",
)  # fmt: skip
TABLES = {CODE_POINTER: CODE, INDEX_POINTER: INDEX, RECORDS_POINTER: RECORDS, TABLE_POINTER: TABLE, ASK_POINTER: HOST}
TABLES |= {HITS_POINTER: HITS}
BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "ptr": 64, "v4xi32": 128, "v8xi32": 256}
SHIFTS, DIVISIONS = ("shl", "lshr", "ashr"), ("udiv", "urem", "sdiv", "srem")
HARMLESS = {
    "zext", "sext", "trunc", "select", "icmp", "getelementptr", "alloca", "insertelement", "shufflevector", "bitcast",
    *BINARY,
} - {*SHIFTS, *DIVISIONS}  # fmt: skip
ADDRESS = re.compile(r"getelementptr inbounds (\w+), ptr (\S+), i64 (\S+)")
VECTOR = re.compile(r"<(\d+) x (i\d+)>")
CONVENTION = r"preserve_\w+ "
FUNCTION = rf"({CONVENTION})?(\S+) ([@%][^(]+)\("
STATUS_VALUE = re.compile(r"ptr inttoptr \(i64 [12] to ptr\)")


class Pointer(NamedTuple):
    """A base, the interval of offsets from it, and which offsets belong to it (first, behind the last)."""

    base: str
    low: int
    high: int
    first: int
    end: int


class Wrong(Exception):
    """An access that is not proved; says why."""


class Memory:
    """What the bases of a CPU have."""

    def __init__(self, cpu: Cpu) -> None:
        layout = cpu.layout
        self.fields = sorted(
            (offset, offset + max(layout.fields[name][0], 8) // 8 * layout.fields[name][1], name)
            for name, offset in layout.offsets.items()
        )
        memory = -MIRROR_BYTES, ADDRESS_MASK + 1 + MIRROR_BYTES
        self.extents = {
            RAM: memory,
            CODE: memory,
            HITS: memory,
            STATE: (0, layout.dtype.itemsize),
            RECORD: (0, RECORD_BYTES),
            OTHER_RECORD: (0, RECORD_BYTES),
            CONTEXT: (0, CONTEXT_ENTRIES * POINTER_BYTES),
            INDEX: (0, (units_of(cpu) + VARIANTS) * 4),
            RECORDS: (0, 0),
            HANDLER: (0, 0),
            STATUS: (0, 0),
            TABLE: (0, 8 * TABLE_WORDS),
            HOST: (0, 0),
        }
        self.pc = layout.offsets["pc"]

    def whole(self, base: str) -> Pointer:
        return Pointer(base, 0, 0, *self.extents[base])

    def field(self, offset: int) -> Pointer:
        for first, end, _ in self.fields:
            if first <= offset < end:
                return Pointer(STATE, offset, offset, first, end)
        raise Wrong(f"offset {offset} of the state is in no field")


class Verifier:
    """Checks one function.

    words   of a record from FIELDS_WORD on: the interval of each
    """

    def __init__(self, code: CodeFunction, memory: Memory, words: Sequence[Range]) -> None:
        self.code, self.memory, self._words = code, memory, words
        self._pointers: dict[str, Pointer] = {}
        pointers = [name for kind, name in code.parameters if kind == "ptr"]
        bases = (RAM, STATE, RECORD, CONTEXT) if code.result == "ptr" else (STATE, CONTEXT)[: len(pointers)]
        for base, name in zip(bases, pointers, strict=True):
            self._pointers[name] = memory.whole(base)
        self._quick, self._precise = (Ranges(code, self._loaded, precise) for precise in (False, True))
        self.accesses: dict[str, int] = {}
        self._block = 0

    @property
    def _here(self) -> Facts:
        """What is known to hold in this block."""
        return self.code.facts[self._block]

    def faults(self) -> Iterator[str]:
        """Yield what is not proved."""
        for line in self.code.lines:
            try:
                self._line(line)
            except Wrong as wrong:
                if self.code.is_reached(self._block):
                    yield f"{self.code.name}: {line}: {wrong}"

    def _line(self, line: str) -> None:
        if line.startswith("%"):
            self._instruction(line.partition(" = ")[2])
        elif line.startswith("store "):
            _, kind, value, _, place, *rest = line.replace(",", "").split()
            self._store(kind, value, place, not rest)
        elif line.startswith("ret "):
            self._return(line)
        elif line.endswith(":"):
            self._block += 1
        elif line and not line.startswith(("br ", "switch ")):
            raise Wrong("unknown")

    def _instruction(self, instruction: str) -> None:
        kind = instruction.partition(" ")[0]
        if kind in HARMLESS:
            return
        if kind == "load":
            _, type_, _, place, *rest = instruction.replace(",", "").split()
            self._load(type_, place, "align" not in rest)
            if "!range" in rest and self._pointer(place).base != TABLE:
                raise Wrong("promises a range")
        elif kind in SHIFTS:
            self._shift(instruction)
        elif kind in DIVISIONS:
            self._divide(instruction)
        elif kind in ("call", "musttail"):
            self._call(instruction)
        else:
            raise Wrong("unknown")

    # what has no defined result

    def _shift(self, instruction: str) -> None:
        _, kind, _, count = instruction.replace(",", "").split()
        self._in_range(count, int(kind[1:]), int(kind[1:]) - 1)

    def _divide(self, instruction: str) -> None:
        operation, kind, dividend, divisor = instruction.replace(",", "").split()
        bits, precise = int(kind[1:]), self._precise
        if not precise.is_zero_impossible(divisor, bits, self._here):
            raise Wrong("may divide by 0")
        if operation[0] == "s" and not self._is_defined(dividend, divisor, bits):
            raise Wrong("may divide the minimum by -1")

    def _is_defined(self, dividend: str, divisor: str, bits: int) -> bool:
        """Is the signed quotient sure to fit, because of the intervals, a branch or a select that sorts it out?"""
        minimum, minus_one = 1 << bits - 1, (1 << bits) - 1
        overflow = {f"icmp eq i{bits} {dividend}, {minimum}", f"icmp eq i{bits} {divisor}, {minus_one}"}
        if any(not holds and self._says(condition, overflow) for condition, holds in self._here):
            return True
        made = self.code.definitions.get(divisor, "").replace(",", "").split()
        if made[:1] == ["select"] and made[4] != str(minus_one):
            overflow = {f"icmp eq i{bits} {dividend}, {minimum}", f"icmp eq i{bits} {made[6]}, {minus_one}"}
            if self._says(made[2], overflow):
                return True
        if signed(self._precise.of(dividend, bits, self._here), bits)[0] > -minimum:
            return True
        low, high = signed(self._precise.of(divisor, bits, self._here), bits)
        return low > -1 or high < -1

    def _says(self, condition: str, comparisons: set[str]) -> bool:
        """Does a condition hold wherever these comparisons, or one that is among them, hold?"""
        instruction = self.code.definitions.get(condition, "")
        if instruction.startswith("or i1"):
            return any(self._says(part, comparisons) for part in instruction.replace(",", "").split()[2:])
        if instruction.startswith("and i1"):
            return all(self._says(part, comparisons) for part in instruction.replace(",", "").split()[2:])
        return instruction in comparisons

    # accesses

    def _load(self, kind: str, place: str, is_aligned: bool) -> None:
        pointer = self._inside(place, kind, is_aligned)
        handlers = [(kind, word) for kind in ("ptr", "i64") for word in (HANDLER_WORD, COUNTING_WORD)]
        if pointer.base == OTHER_RECORD and (pointer.low != pointer.high or (kind, pointer.low // 4) not in handlers):
            raise Wrong("reads another record")
        if kind == "ptr" and pointer.base not in (CONTEXT, RECORD, OTHER_RECORD, SLOT):
            raise Wrong(f"takes a pointer from the {pointer.base}")

    def _store(self, kind: str, value: str, place: str, is_aligned: bool) -> None:
        pointer = self._inside(place, kind, is_aligned)
        written = [number * POINTER_BYTES for number in (BUDGET, HANDED)]
        is_context = pointer.base == CONTEXT and pointer.low == pointer.high in written
        is_missed = pointer.base == CONTEXT and pointer.low >= MISSED * POINTER_BYTES and kind == "i64"
        if not is_context and not is_missed and pointer.base not in (RAM, HITS, STATE, SLOT):
            raise Wrong(f"writes to the {pointer.base}")
        if kind == "ptr" and (pointer.base != SLOT or self._pointer(value).base not in (RECORD, OTHER_RECORD)):
            raise Wrong("stores a pointer")
        if pointer.base == STATE and pointer.first == self.memory.pc:
            self._in_range(value, 32, ADDRESS_MASK)

    def _inside(self, place: str, kind: str, is_aligned: bool) -> Pointer:
        size = (BITS[kind] + 7) // 8
        for ranges in (self._quick, self._precise):
            pointer = self._pointer(place, ranges)
            if pointer.first <= pointer.low and pointer.high + size <= pointer.end:
                break
        else:
            raise Wrong(
                f"{pointer.base} from {pointer.low} to {pointer.high + size}, not {pointer.first}..{pointer.end}"
            )
        if pointer.base == SLOT and kind != self.code.slots[place]:
            raise Wrong("another type")
        if is_aligned and pointer.base in (RAM, CODE, HITS) and size > 1:
            raise Wrong("promises alignment")
        if is_aligned and pointer.low == pointer.high and pointer.low % size:
            raise Wrong("is misaligned")
        self.accesses[pointer.base] = self.accesses.get(pointer.base, 0) + 1
        return pointer

    def _in_range(self, value: str, bits: int, maximum: int) -> None:
        low, high = self._quick.of(value, bits)
        if not 0 <= low <= high <= maximum:
            low, high = self._precise.of(value, bits, self._here)
        if not 0 <= low <= high <= maximum:
            raise Wrong(f"{value} from {low} to {high}, not 0..{maximum}")

    # pointers

    def _pointer(self, name: str, ranges: Ranges | None = None) -> Pointer:
        found = self._pointers.get(name)
        if found is None:
            found, is_certain = self._pointer_to(name, ranges or self._quick)
            if is_certain:
                self._pointers[name] = found
        return found

    def _pointer_to(self, name: str, ranges: Ranges) -> tuple[Pointer, bool]:
        """Return where a value points to; is that certain, so that it need not be looked at more precisely?"""
        if name in self.code.slots:
            return Pointer(SLOT, 0, 0, 0, (BITS[self.code.slots[name]] + 7) // 8), True
        instruction = self.code.definitions.get(name)
        if instruction is None:
            raise Wrong(f"{name} is no pointer")
        if instruction.startswith("load ptr"):
            return self._loaded_pointer(instruction.split()[3].rstrip(",")), True
        match = ADDRESS.match(instruction)
        if match is None:
            raise Wrong(f"{name} is no address")
        kind, base, index = match.groups()
        pointer = self._pointer(base, ranges)
        if pointer.base == RECORDS and self._is_record_number(index):
            return self.memory.whole(OTHER_RECORD), True
        is_own = pointer == self.memory.whole(RECORD)
        if is_own and (index == str(RECORD_BYTES) or self._is_target(index)):
            return self.memory.whole(OTHER_RECORD), True
        if pointer == self.memory.whole(STATE):
            if index[0] == "%":
                raise Wrong("an index into the state as a whole")
            return self.memory.field(int(index) * BITS[kind] // 8), True
        low, high = signed(ranges.of(index, 64, () if ranges is self._quick else self._here), 64)
        size = BITS[kind] // 8
        return pointer._replace(low=pointer.low + low * size, high=pointer.high + high * size), index[0] != "%"

    def _loaded_pointer(self, place: str) -> Pointer:
        pointer = self._pointer(place)
        if pointer.base == SLOT:
            bases = {self._pointer(value).base for value in self.code.stores.get(place, ())}
            if bases <= {RECORD, OTHER_RECORD}:
                return self.memory.whole(OTHER_RECORD)
        if pointer.low == pointer.high:
            if pointer.base == CONTEXT and pointer.low // POINTER_BYTES in TABLES:
                return self.memory.whole(TABLES[pointer.low // POINTER_BYTES])
            is_first = pointer.low in (4 * HANDLER_WORD, 4 * COUNTING_WORD) and pointer.base in (RECORD, OTHER_RECORD)
            if is_first or (pointer.base == RECORD and pointer.low == 4 * ORDINARY_WORD):
                return self.memory.whole(HANDLER)
        raise Wrong(f"a pointer from {pointer.base} + {pointer.low}")

    def _made_by(self, value: str, *forms: str) -> str | None:
        """Return what a value is made of by instructions of these forms, one after the other; None if it is not."""
        for form in forms:
            match = re.fullmatch(form, self.code.definitions.get(value, ""))
            if match is None:
                return None
            value = match[1]
        return value

    def _is_target(self, index: str) -> bool:
        """Is it the distance to the target in this record?"""
        place = self._made_by(index, r"sext i32 (\S+) to i64", r"load i32, ptr (\S+)")
        return place is not None and self._pointer(place)[:3] == (RECORD, 4 * TARGET_WORD, 4 * TARGET_WORD)

    def _is_record_number(self, index: str) -> bool:
        """Is it the distance of a record whose number stands in the index, or of that of unknown addresses?"""
        number = self._made_by(index, rf"mul i64 (\S+), {RECORD_BYTES}", r"zext i32 (\S+) to i64")
        if number is None:
            return False
        number = self._made_by(number, rf"select i1 \S+, i32 (\S+), i32 {UNKNOWN_RECORD}") or number
        place = self._made_by(number, r"load i32, ptr (\S+)")
        return place is not None and self._pointer(place).base == INDEX

    def _loaded(self, place: str, bits: int) -> Range:
        """Return what a word in memory can be."""
        pointer = self._pointer(place)
        if pointer.base == RECORD and pointer.low == pointer.high and bits == 32:
            word, rest = divmod(pointer.low, 4)
            if word in (PC_WORD, END_WORD) and not rest:
                return 0, ADDRESS_MASK
            if FIELDS_WORD <= word < FIELDS_WORD + len(self._words) and not rest:
                return self._words[word - FIELDS_WORD]
        return full(bits)

    # calls and returns

    def _call(self, instruction: str) -> None:
        result, callee, text = CALL.match(instruction).groups()
        arguments = [argument.split()[1] for argument in text.split(", ")]
        if callee.startswith("@llvm."):
            never = callee.startswith("@llvm.cttz") and arguments[1] == "1"
            if never and not self._precise.is_zero_impossible(arguments[0], int(result[1:]), self._here):
                raise Wrong("counts the zeros of 0")
            return
        if callee[0] == "@":
            if result != "i64" or self._pointer(arguments[0]) != self.memory.whole(STATE):
                raise Wrong("a subroutine without the state")
            if ", ptr " in text and self._pointer(arguments[1]) != self.memory.whole(CONTEXT):
                raise Wrong("a subroutine without the context")
            return
        if self._pointer(callee).base == HOST:
            if (result, text.count("i64 "), len(arguments)) != ("i64", 2, 2):
                raise Wrong("asks the host otherwise")
            return
        ram, state, record, context, *_ = arguments
        for argument, base in ((ram, RAM), (state, STATE), (context, CONTEXT)):
            if self._pointer(argument) != self.memory.whole(base):
                raise Wrong(f"passes another {base}")
        place = self._made_by(callee, r"load ptr, ptr (\S+)")
        ordinary = RECORD, 4 * ORDINARY_WORD, 4 * ORDINARY_WORD
        is_own = record == self.code.parameters[2][1] and place is not None and self._pointer(place)[:3] == ordinary
        of_record = rf"getelementptr inbounds i8, ptr {re.escape(record)}, i64 {4 * COUNTING_WORD}"
        is_alone = place is not None and re.fullmatch(of_record, self.code.definitions.get(place, ""))
        if self._pointer(callee).base != HANDLER or not (place == record or is_own or is_alone):
            raise Wrong("calls what is no handler of that record")

    def _return(self, line: str) -> None:
        if self.code.result != "ptr" or STATUS_VALUE.fullmatch(line[4:]):
            return
        value = line.split()[2]
        called = self.code.definitions.get(value, "").startswith("musttail call ptr")
        if not called and self._pointer(value).base not in (RECORD, OTHER_RECORD):
            raise Wrong("returns no record")


class Report:
    """What was looked at: functions, accesses by base, and what is not proved."""

    def __init__(self, functions: int = 0, accesses: dict[str, int] | None = None, faults: list[str] | None = None):
        self.functions, self.accesses, self.faults = functions, Counter(accesses), list(faults or ())

    def __add__(self, other: Report) -> Report:
        return Report(self.functions + other.functions, self.accesses + other.accesses, [*self.faults, *other.faults])

    def __str__(self) -> str:
        counts = ", ".join(f"{count} {base}" for base, count in self.accesses.most_common())
        return (
            f"{self.functions} functions, {sum(self.accesses.values())} accesses ({counts}), {len(self.faults)} faults"
        )


def verify(text: str, cpu: Cpu, words: Callable[[str], Sequence[Range]] = lambda name: ()) -> Report:
    """Check the text of a module.

    words   words(name of a function): the intervals of its record's fields, which else can be anything
    """
    report, start = Report(), 0
    conventions = {name: how for how, _, name in re.findall(rf"define internal {FUNCTION}", text)}
    for how, result, name in re.findall(rf"call {FUNCTION}", text):
        of_pointers = HANDLER_TYPE.convention if result == "ptr" else ""
        if how != (of_pointers if name[0] == "%" else conventions.get(name, "")):
            report.faults.append(f"{name}: called by another convention")
    memory, lines = Memory(cpu), VECTOR.sub(r"v\1x\2", re.sub(CONVENTION, "", text)).split("\n")
    for number, line in enumerate(lines):
        if line.startswith("define "):
            start = number
        elif line == "}":
            code = CodeFunction(lines[start:number])
            verifier = Verifier(code, memory, words(code.name))
            report.faults += verifier.faults()
            report.functions += 1
            report.accesses.update(verifier.accesses)
    return report
