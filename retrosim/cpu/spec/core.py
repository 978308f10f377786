"""What the engines of one CPU share: memory, state, decoded instructions.

Memory is one flat masked array; beside it lies a map of the bytes that have been decoded as instructions, so that a
store into code is noticed by every engine.

Behind the last address comes the first. So EDGE bytes of each end of memory have a copy behind the other end, and an
access that begins at most so far outside needs no look at where memory ends. The ends are on the map too: stores there
are noticed, and the copies made equal again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakMethod

import numpy as np

from .host import Host
from .rows import IllegalEncoding, Insn, InstructionSet, OpcodeTable, Row, TooLong

ADDRESS_BITS = 24
ADDRESS_MASK = (1 << ADDRESS_BITS) - 1
EDGE = 1024  # bytes: the exception vectors; no program lies there

# Why a compiled loop or the evaluator gave control back (state field `reason`).
RUNNING, UNDECODED, SERVICE, CODE_WRITTEN, FAULT, REACHED, STOPPED, MISALIGNED, STATUS_WRITTEN = range(9)

ENGINE_FIELDS = (
    ("pc", 32, 1),
    ("reason", 32, 1),  # one of the above
    ("stopped", 1, 1),  # waiting for an interrupt
    ("detail", 32, 1),  # service number, exception vector, or misaligned address
    ("access", 32, 1),  # of a misaligned access: its place in the instruction (0, 1, ...), + ACCESS_...
    ("written_low", 32, 1),  # decoded code bytes written since the last look: low <= address < high
    ("written_high", 32, 1),
    ("cycles", 64, 1),
    ("limit", 64, 1),  # leave when cycles reach it
)


ACCESS_WRITE, ACCESS_FETCH = 0x100, 0x200
DOUBLE_FAULT = 0x100  # in `detail`, in place of a vector: an exception could not be taken


class Layout:
    """Names, widths and places of the state fields: (name, bits, count); one-bit fields take a byte."""

    def __init__(self, fields: tuple[tuple[str, int, int], ...]) -> None:
        self.fields = {name: (bits, count) for name, bits, count in fields}
        spec = [(n, f"<u{max(b, 8) // 8}", (c,) if c > 1 else ()) for n, b, c in fields]
        self.dtype = np.dtype([(n, t, s) for n, t, s in spec], align=True)
        self.offsets = {name: self.dtype.fields[name][1] for name in self.fields}


@dataclass(frozen=True)
class Cpu:
    """One CPU model as the engines see it.

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
    exception  exception(m, vector): take an exception; interrupt(m, level): take an interrupt
    reset      reset(state): bring a state of zeros to that after start-up code
    accepts    accepts(state, level): would an interrupt be taken now?
    vector_name  what an exception vector means
    host       registers by name, calls, faults, tracing
    stage_fields  state fields that hold when the stages of a pipeline are free
    in_registers  state fields that regions keep in registers beside the clock: no subroutine uses them
    zero_register  number of a register that is always 0, or None
    aligned    words and long words at odd addresses abort the instruction
    misaligned  what such an abort does then: an exception of the CPU, run on the evaluator
    """

    model: str
    isa: InstructionSet
    table: OpcodeTable
    layout: Layout
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
    stage_fields: tuple[str, ...] = ()
    in_registers: frozenset[str] = frozenset()
    zero_register: int | None = None
    causes: Mapping[str, str] = field(default_factory=dict)
    aligned: bool = False
    misaligned: Callable[[Any, Insn], None] | None = None

    def keys(self) -> Iterable[tuple[Row, tuple[Any, ...]]]:
        """Yield (row, statics) of every handler of a full interpreter: the table's and those of undefined encodings."""
        yield from self.table.keys()
        rows = (self.undefined(opcode, 0, False) for opcode in range(len(self.table.first)))
        for row in {row.syntax: row for row in rows}.values():
            yield row, ()


def undefined_insn(row: Row, pc: int, length: int, opcode: int) -> Insn:
    """Return the instruction that stands for an encoding which is none."""
    return Insn(pc, length, row, (), (), row.syntax.format(opcode=opcode), {})


def places(insn: Insn) -> list[int]:
    """Return the addresses of an instruction's bytes; behind the last address comes the first."""
    return [(insn.pc + i) & ADDRESS_MASK for i in range(insn.length)]


class Core:
    """Memory, state and decoded instructions of one simulated CPU."""

    def __init__(self, cpu: Cpu, timing: str) -> None:
        self.cpu = cpu
        self.timing_mode = timing
        self.timing = cpu.timing[timing]
        whole = np.zeros((2, EDGE + (1 << ADDRESS_BITS) + EDGE), np.uint8)
        self.ram, self.code = whole[:, EDGE:]  # from address 0 on
        self._edges = [(whole[0, :EDGE], whole[0, -2 * EDGE : -EDGE]), (whole[0, -EDGE:], whole[0, EDGE : 2 * EDGE])]
        self._edges_before = [np.zeros(EDGE, np.uint8) for _ in self._edges]
        self._watched_edges = whole[1, : 2 * EDGE], whole[1, -2 * EDGE :]
        self.state = np.zeros((), cpu.layout.dtype)
        self.state["written_low"] = 0xFFFFFFFF
        self.insns: dict[int, Insn] = {}
        self.on_invalidate: list[WeakMethod] = []  # called with the address of an instruction that is forgotten
        self._bytes, self._watched = memoryview(self.ram), memoryview(self.code)
        self._watch_edges()

    def _watch_edges(self) -> None:
        for edge in self._watched_edges:
            edge[:] = 1

    def join_edges(self) -> None:
        """Make the copies of the ends of memory equal to it, after stores into either."""
        for (copy, place), before in zip(self._edges, self._edges_before):
            if not np.array_equal(copy, before):
                np.copyto(place, copy, where=copy != before)
        for (copy, place), before in zip(self._edges, self._edges_before):
            copy[:] = before[:] = place

    def word(self, address: int) -> int:
        """Read one code word."""
        address &= ADDRESS_MASK
        size = self.cpu.isa.word_bytes
        return int.from_bytes(self._bytes[address : address + size], "big" if self.cpu.big_endian else "little")

    def decode(self, pc: int) -> Insn:
        """Return the instruction at `pc`, decoded once; undefined encodings get the model's row for them."""
        insn = self.insns.get(pc)
        if insn is None:
            try:
                if pc % self.cpu.isa.word_bytes:
                    raise IllegalEncoding
                insn = self.cpu.table.decode(pc, self.word)
            except IllegalEncoding as error:
                opcode = self.word(pc)
                row = self.cpu.undefined(opcode, pc, isinstance(error, TooLong))
                insn = undefined_insn(row, pc, self.cpu.isa.word_bytes, opcode)
            self.insns[pc] = insn
            for place in places(insn):
                self._watched[place] = 1
        return insn

    def forget(self, pc: int) -> None:
        """Drop the decoded instruction at an address."""
        del self.insns[pc]
        for method in self.on_invalidate:
            forget = method()
            if forget is not None:
                forget(pc)

    def invalidate(self, start: int, stop: int) -> None:
        """Forget every instruction with a byte in start..stop-1, because that memory was written."""
        longest = self.cpu.isa.longest
        size = stop - start
        near = (pc & ADDRESS_MASK for pc in range(start - longest, stop))
        for pc in near if size + longest < len(self.insns) else list(self.insns):
            insn = self.insns.get(pc)
            if insn and ((pc - start) & ADDRESS_MASK < size or (start - pc) & ADDRESS_MASK < insn.length):
                self.forget(pc)
        self.code[start:stop] = 0
        self._watch_edges()

    def notice_writes(self) -> None:
        """Forget the instructions that the program itself has overwritten."""
        if self.state["written_high"]:
            self.join_edges()
            self.invalidate(int(self.state["written_low"]), int(self.state["written_high"]))
        self.state["written_low"], self.state["written_high"] = 0xFFFFFFFF, 0

    def write(self, address: int, data: bytes) -> None:
        """Write memory from outside (loader, debugger): decoded code in the range is forgotten."""
        self.ram[address : address + len(data)] = np.frombuffer(data, np.uint8)
        if self.code[address : address + len(data)].any():
            self.invalidate(address, address + len(data))

    def replace(self, content: np.ndarray) -> None:
        """Replace memory as a whole, uint8[2**24]: decoded instructions whose bytes stay the same are kept."""
        size = 8
        old, new = (memory.view(f"u{size}") for memory in (self.ram[: len(content)], content))
        changed = (size * np.flatnonzero(old != new)[:, np.newaxis] + np.arange(size)).ravel()
        changed = changed[(self.ram[changed] != content[changed]) & (self.code[changed] != 0)]
        self.ram[: len(content)] = content
        if len(changed):
            for stretch in np.split(changed, np.flatnonzero(np.diff(changed) > 1) + 1):
                self.invalidate(int(stretch[0]), int(stretch[-1]) + 1)
