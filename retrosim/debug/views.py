"""What a debugger shows of a machine that stands still, as rows of plain data: windows and terminals draw them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrosim.checks import check_integer
from retrosim.cpu.spec.cpu import ADDRESS_MASK
from retrosim.cpu.spec.decoding import IllegalEncoding

from .conditions import symbol_text
from .points import Point, Time

if TYPE_CHECKING:
    from retrosim.cpu.spec.rows import Insn
    from retrosim.machine.machine import Machine

    from .debugger import Debugger

MAX_BACK = 1 << 14  # bytes, and instructions, before an address where others are looked for
TRIES = 32  # places to begin at
END = ADDRESS_MASK + 1
SAMPLES = 400  # of a stretch of time
MEMORY_ROW = 16  # bytes


@dataclass(frozen=True)
class RegisterRow:
    """A register.

    text        its value in hexadecimal, as wide as it is
    is_changed  is it another than before?
    """

    name: str
    value: int
    bits: int
    text: str
    is_changed: bool


@dataclass(frozen=True)
class CodeRow:
    """An instruction.

    code    its bytes
    text    in the assembler's words, "(no instruction)" where nothing is encoded
    clocks  its base clocks in words: "4", of a branch "6/4", taken and not; "" where unknown
    symbol  the function and the offset in it: "Main+0x10"; "" outside all
    is_entry  does the function begin here?
    file, line  source, None where unknown
    is_pc   is it the next that the CPU executes?
    point   a breakpoint before it
    """

    address: int
    code: bytes
    text: str
    clocks: str
    symbol: str
    is_entry: bool
    file: str | None
    line: int | None
    is_pc: bool
    point: Point | None


@dataclass(frozen=True)
class MemoryRow:
    """Some bytes of memory.

    changed   which of them are others than before, by their place in the row
    """

    address: int
    data: bytes
    changed: tuple[int, ...] = ()

    @property
    def characters(self) -> str:
        """The bytes as ASCII, "." for what cannot be printed."""
        return "".join(chr(each) if 32 <= each < 127 else "." for each in self.data)


@dataclass(frozen=True)
class HotRow:
    """A function and its part of some time, sampled. share: 0..1"""

    function: str
    clocks: int
    share: float


@dataclass(frozen=True)
class CauseClocks:
    """What clocks went to.

    share   of all clocks of the time, 0..1
    about   in words
    """

    cause: str
    clocks: int
    share: float
    about: str


@dataclass(frozen=True)
class Elapsed:
    """What lies between two moments."""

    clocks: int
    instructions: int
    frames: int
    seconds: float


def registers(debugger: Debugger, before: Mapping[str, int] | None = None) -> list[RegisterRow]:
    """Return the registers; before: their values at the last stop, for the marks."""
    known, rows = debugger.machine.core.cpu.host.registers, []
    for name, value in debugger.registers().items():
        bits = known[name].bits
        is_changed = before is not None and before.get(name, value) != value
        rows.append(RegisterRow(name, value, bits, f"{value:0{-(-bits // 4)}x}", is_changed))
    return rows


X86_FLAGS = (
    *(("nt", 14, 1), ("iopl", 12, 2), ("of", 11, 1), ("df", 10, 1), ("if", 9, 1), ("tf", 8, 1)),
    *(("sf", 7, 1), ("zf", 6, 1), ("af", 4, 1), ("pf", 2, 1), ("cf", 0, 1)),
)
FLAGS: Mapping[str, tuple[tuple[str, int, int], ...]] = {
    "sr": (
        *(("t1", 15, 1), ("t0", 14, 1), ("s", 13, 1), ("m", 12, 1), ("i", 8, 3)),
        *(("x", 4, 1), ("n", 3, 1), ("z", 2, 1), ("v", 1, 1), ("c", 0, 1)),
    ),
    "flags": X86_FLAGS,
    "eflags": (("ac", 18, 1), *X86_FLAGS),
    "cr": tuple(
        (f"{field}:{name}", 31 - 4 * field - place, 1)
        for field in range(8)
        for place, name in enumerate(("lt", "gt", "eq", "so"))
    ),
    "xer": (("so", 31, 1), ("ov", 30, 1), ("ca", 29, 1)),
}
"""Register -> its flags: name, lowest bit, bits.

Source   the status registers of M68000PRM, of Intel's 80486 PRM and of the PowerPC 601 UM; of CR field and flag
"""
MISSING = {"MC68000": ("t0", "m"), "i386": ("ac",)}
"""Beginning of a model's name -> flags that it has not."""
MANY = 16  # flags; of a register with more, those are named that are set


def flags(debugger: Debugger) -> list[tuple[str, str]]:
    """Return the registers that hold flags, and these in words: in capitals what is set, "i=7" where it has bits."""
    model, rows = debugger.machine.core.cpu.model, []
    missing = next((names for beginning, names in MISSING.items() if model.startswith(beginning)), ())
    for register, value in debugger.registers().items():
        words = []
        for name, bit, bits in FLAGS.get(register, ()):
            part = value >> bit & ((1 << bits) - 1)
            if bits > 1:
                words.append(f"{name}={part}")
            elif name not in missing and (part or len(FLAGS[register]) <= MANY):
                words.append(name.upper() if part else name)
        if register in FLAGS:
            rows.append((register, " ".join(words)))
    return rows


def memory(
    debugger: Debugger, address: int, size: int, before: bytes | None = None, row: int = MEMORY_ROW
) -> list[MemoryRow]:
    """Return memory in rows of so many bytes; before: the same bytes at the last stop. Errors: ValueError."""
    check_integer("address", address, 0, ADDRESS_MASK)
    data, rows = debugger.read(address, size), []
    for start in range(0, size, row):
        part = data[start : start + row]
        old = part if before is None else before[start : start + row]
        changed = tuple(place for place, (a, b) in enumerate(zip(part, old)) if a != b)
        rows.append(MemoryRow((address + start) & ADDRESS_MASK, part, changed))
    return rows


def code(debugger: Debugger, address: int, count: int, before: int = 0) -> list[CodeRow]:
    """Return instructions: up to `before` that lead to an address, and `count` from there."""
    machine = debugger.machine
    points = {marked: point for point in debugger.points for marked in point.marks}
    decoder = Decoder(machine)
    rows = []
    for pc, insn in [*decoder.before(address, before), *decoder.following(address, count)]:
        found, (file, line) = machine.image.symbol_at(pc), machine.image.source_line(pc) or (None, None)
        rows.append(
            CodeRow(
                pc,
                debugger.read(pc, insn.length if insn else machine.image.family.unit),
                insn.text if insn else "(no instruction)",
                base_clocks(machine, insn) if insn else "",
                symbol_text(machine.image, pc),
                found is not None and found[1] == 0,
                file,
                line,
                pc == machine.regs["pc"],
                points.get(pc),
            )
        )
    return rows


def elapsed(machine: Machine, start: Time, end: Time) -> Elapsed:
    """Return what lies between two moments of a machine: a stopwatch. Negative where the end comes first."""
    clocks = end.clocks - start.clocks
    seconds = clocks / machine.clock_hz
    return Elapsed(clocks, end.instructions - start.instructions, end.frame - start.frame, float(seconds))


def hottest(debugger: Debugger, start: int | None = None) -> list[HotRow]:
    """Return the functions in which the clocks before now went, those with the most first; waiting is left out.

    The past is run again and looked at in SAMPLES places; the machine stands where it stood afterwards.

    start    instructions since power-on from which on it is looked at; default: where history begins
    Errors   ValueError where there is no such time; Interrupted
    """
    machine, now = debugger.machine, debugger.time
    begin = debugger.beginning.instructions if start is None else start
    span = now.instructions - begin
    if span <= 0 or begin < debugger.beginning.instructions:
        raise ValueError("nothing has run since the debugger began; let the program run first")
    spent: dict[str, int] = {}
    with debugger.returning():
        debugger.go_to(begin)
        for n in range(1, SAMPLES + 1):
            frame, clocks = machine.frame_number, machine.clocks_in_frame
            name, _ = machine.image.symbol_at(machine.regs["pc"]) or ("(no function)", 0)
            debugger.go_to(begin + span * n // SAMPLES)
            busy = machine.clocks_in_frame - clocks + (machine.frame_cycles if machine.frame_number > frame else 0)
            spent[name] = spent.get(name, 0) + busy
        debugger.go_to(now)
    total = max(1, sum(spent.values()))
    rows = [HotRow(name, clocks, clocks / total) for name, clocks in spent.items() if clocks]
    return sorted(rows, key=lambda row: (-row.clocks, row.function))


def counted_causes(machine: Machine) -> dict[str, int]:
    """Return the clocks since power-on by cause; nothing where they are not counted so."""
    if machine.timing != "causes":
        return {}
    return dict(zip(machine.core.cpu.causes, map(int, machine.core.state["causes"])))


def causes(machine: Machine, before: Mapping[str, int]) -> list[CauseClocks]:
    """Return what the clocks since an earlier count went to, most first.

    before   what `counted_causes` returned then
    Errors   ValueError, which says why clocks are not counted by cause
    """
    if "causes" not in machine.core.cpu.timing:
        raise ValueError(f"{machine.name} has no pipeline whose clocks have causes")
    if machine.timing != "causes":
        raise ValueError("clocks are not counted by cause: start retrosim with --causes")
    spent = {name: count - before.get(name, 0) for name, count in counted_causes(machine).items()}
    total, about = max(1, sum(spent.values())), machine.core.cpu.causes
    rows = [CauseClocks(name, count, count / total, about[name]) for name, count in spent.items() if count]
    return sorted(rows, key=lambda row: -row.clocks)


def base_clocks(machine: Machine, insn: Insn) -> str:
    """Return the base clocks of an instruction in words: of a branch, taken and not taken; "" of what is none."""
    if not insn.row.pattern:
        return ""
    cpu = machine.core.cpu
    taken, straight = (cpu.explain(insn, 1, departures, cpu.choices).clocks for departures in (1, 0))
    return f"{taken:g}" if taken == straight else f"{taken:g}/{straight:g}"


class Decoder:
    """Decodes memory for a view. It remembers what it has decoded: make one for each view.

    The machine's own decoding would make it look out for stores into whatever is shown.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._decodings: dict[int, Insn | None] = {}

    def at(self, pc: int) -> Insn | None:
        """Return the instruction at an address; None where nothing is encoded."""
        core = self._machine.core
        if pc not in self._decodings:
            try:
                self._decodings[pc] = core.insns.get(pc) or core.cpu.table.decode(pc, core.word)
            except IllegalEncoding:
                self._decodings[pc] = None
        return self._decodings[pc]

    def following(self, start: int, count: int, end: int = END) -> list[tuple[int, Insn | None]]:
        """Return (address, instruction) that begin before `end`; None for a unit of memory that is none."""
        found: list[tuple[int, Insn | None]] = []
        while len(found) < count and start < end:
            insn = self.at(start)
            found.append((start, insn))
            start += insn.length if insn else self._machine.image.family.unit
        return found

    def before(self, address: int, count: int) -> list[tuple[int, Insn | None]]:
        """Return up to `count` instructions before an address.

        Code cannot be read backwards: it is decoded from the start of the function, or from a place from which decoding
        meets the address.
        """
        found: list[tuple[int, Insn | None]] = []
        while len(found) < count and (run := self._function_before(address) or self._met(address, count - len(found))):
            found, address = run + found, run[0][0]
        return found[-count:] if count > 0 else []

    def _function_before(self, address: int) -> list[tuple[int, Insn | None]]:
        """Return the instructions from the start of the function before an address; none where they do not meet it."""
        found = self._machine.image.symbol_at(address - 1)
        if address == 0 or found is None or found[1] >= MAX_BACK:
            return []
        return self._run(address - 1 - found[1], address)

    def _met(self, address: int, count: int) -> list[tuple[int, Insn | None]]:
        """Return up to `count` instructions before an address, from a place from which decoding meets it."""
        machine = self._machine
        unit, longest = machine.image.family.unit, machine.core.cpu.isa.max_bytes
        first = max(0, address - longest * count) // unit * unit
        best: list[tuple[int, Insn | None]] = []
        for start in range(first, min(first + TRIES * unit, address), unit):
            run = self._run(start, address)
            if len(run) > len(best):
                best = run
            if len(best) >= count:
                break
        return best[-count:]

    def _run(self, start: int, end: int) -> list[tuple[int, Insn | None]]:
        """Return the instructions from one address to another, none if they do not meet that."""
        run = self.following(start, MAX_BACK, end)
        unit = self._machine.image.family.unit
        return run if run and run[-1][0] + (run[-1][1].length if run[-1][1] else unit) == end else []
