"""How each routine's frame is unwound, found out by executing its instructions one by one on a machine of their own.

An instruction is executed twice, with two stacks and two sets of values in the registers. What is at the same distance
from both stacks is an address in the frame; what holds a value that the routine has found in a register keeps it. So
one analysis serves every instruction set: what an instruction does is what its row says.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.spec.cpu import ADDRESS_MASK, RUNNING
from retrosim.cpu.spec.decoding import IllegalEncoding

if TYPE_CHECKING:
    from retrosim.cpu.spec.rows import Insn
    from retrosim.machine.machine import Machine

FRAME_BYTES, ABOVE = 1 << 15, 256  # of a stack that are looked at, below and above where the frame begins
DATA_BYTES = 1 << 13  # where registers point whose contents nobody knows
MAX_INSTRUCTIONS = 20_000  # of a routine
SPACINGS = (64, 80)  # bytes between two values in registers, in each execution: no distance is the same in both
WORD = 4  # bytes
PC = "pc"


class Content(NamedTuple):
    """What a register holds. `register`: what that held when the routine began; None: frame + offset."""

    register: str | None
    offset: int = 0


@dataclass(frozen=True)
class UnwindRow:
    """How a frame is unwound from an instruction on, up to the next row.

    base, offset  the frame begins (where the stack pointer is again after the return) at register + offset
    slots         register -> where its earlier value is saved: frame + offset
    moved         register -> register that holds its earlier value
    lost          registers whose earlier values nobody has any more
    """

    address: int
    base: str
    offset: int
    slots: dict[str, int]
    moved: dict[str, str]
    lost: frozenset[str]


@dataclass(frozen=True)
class UnwindRoutine:
    """A routine: its addresses, start <= address < end, and how its frame is unwound, in the order of addresses."""

    start: int
    end: int
    rows: list[UnwindRow]


@dataclass(frozen=True)
class _KnownFrame:
    """What is known before an instruction. slots: offset in the frame -> register whose value is saved there."""

    registers: dict[str, Content]
    slots: dict[int, str]


@dataclass
class _Stack:
    """One of the two executions: where its frame begins, and what the registers held."""

    frame: int
    values: dict[str, int]
    unknown: dict[str, int]
    memory: np.ndarray = field(repr=False)

    def value(self, name: str, content: Content | None) -> int:
        if content is None:
            return self.unknown[name]
        return self.frame + content.offset if content.register is None else self.values[content.register]


class Unwinding:
    """Finds out how routines of a machine's program are unwound.

    names    registers that are followed, the stack pointer first
    scratch  those that a call may change
    """

    def __init__(self, machine: Machine, names: Collection[str], scratch: Collection[str]) -> None:
        self._image, cpu = machine.image, machine.core.cpu
        self._names, self._scratch = list(names), set(scratch)
        self._link = cpu.host.stack.link
        core = self._core = Core(cpu, "off")
        core.state[()] = machine.core.state
        for start, data in machine.image.segments:
            core.ram[start : start + len(data)] = np.frombuffer(data, np.uint8)
        self._order = "big" if cpu.big_endian else "little"
        self._evaluator = Evaluator(core)
        self._registers = {name: cpu.host.registers[name] for name in self._names}
        self._stacks = [self._stack(place, spacing) for place, spacing in zip(self._free_places(), SPACINGS)]
        self._insns: dict[int, Insn | None] = {}
        self._ends = self._routine_ends()
        self._followed: dict[int, dict[int, _KnownFrame]] = {}
        self._popped: dict[int, int] = {}  # routine -> bytes of arguments that it takes from the stack

    def _routine_ends(self) -> dict[int, int]:
        """Return where each routine ends, by its start."""
        sizes: dict[int, int] = {}
        for each in self._image.symbols.values():
            if each.kind == "function":
                sizes[each.address] = max(each.size, sizes.get(each.address, 0))
        starts = sorted(sizes)
        return {
            start: min(start + sizes[start], after) if sizes[start] else after
            for start, after in zip(starts, [*starts[1:], ADDRESS_MASK])
        }

    def _free_places(self) -> tuple[int, int]:
        """Return two places in memory that the program does not lie in."""
        size = FRAME_BYTES + ABOVE + DATA_BYTES
        taken = [(start, start + len(data)) for start, data in self._image.segments]
        taken += [(start, start + length) for start, length in self._image.bss]
        found: list[int] = []
        place = 0x7F0010
        while len(found) < 2:
            place -= size
            if all(place + size <= start or place >= end for start, end in taken):
                found.append(place)
        return found[0], found[1]

    def _stack(self, place: int, spacing: int) -> _Stack:
        frame, data = place + FRAME_BYTES, place + FRAME_BYTES + ABOVE
        names = [*self._names, PC]
        values = {name: data + spacing * n for n, name in enumerate(names, 1)}
        unknown = {name: data + spacing * (n + len(names)) for n, name in enumerate(reversed(names), 1)}
        return _Stack(frame, values, unknown, self._core.ram[place : frame + ABOVE])

    def routines(self) -> list[UnwindRoutine]:
        """Return the routines of the program in the order of their addresses."""
        rows = {start: self._rows(start, is_entry=start == self._image.entry) for start in self._ends}
        return [UnwindRoutine(start, self._ends[start], found) for start, found in rows.items() if found]

    def _insn(self, pc: int) -> Insn | None:
        if pc not in self._insns:
            try:
                self._insns[pc] = self._core.decode(pc) if self._image.has(pc) else None
            except IllegalEncoding:
                self._insns[pc] = None
        return self._insns[pc]

    def _rows(self, start: int, is_entry: bool) -> list[UnwindRow]:
        known = self._known(start)
        rows: list[UnwindRow] = []
        for pc in sorted(known):
            row = self._row(pc, known[pc], is_entry)
            if row is not None and (not rows or rows[-1] != replace(row, address=rows[-1].address)):
                rows.append(row)
        return rows if rows and rows[0].address == start else []

    def _known(self, start: int) -> dict[int, _KnownFrame]:
        """Return what is known before each instruction of a routine."""
        if start not in self._followed:
            self._followed[start] = {}  # for a routine that calls itself
            self._followed[start] = self._follow(start, self._ends[start])
        return self._followed[start]

    def _follow(self, start: int, end: int) -> dict[int, _KnownFrame]:
        sp = self._names[0]
        registers = {name: Content(name) for name in self._names}
        registers[sp] = Content(None, 0 if self._link else -WORD)
        first = _KnownFrame(registers, {} if self._link else {-WORD: PC})
        found: dict[int, _KnownFrame] = {}
        todo = [(start, first)]
        elsewhere: _KnownFrame | None = None  # at a jump that may lead anywhere in the routine
        while len(found) < MAX_INSTRUCTIONS:
            if not todo:
                pc = start if elsewhere is None else next(iter(self._unreached(start, end, found)), start)
                if pc in found or elsewhere is None:
                    break
                todo.append((pc, elsewhere))
            pc, before = todo.pop()
            insn = self._insn(pc) if start <= pc < end else None
            if pc in found or insn is None:
                continue
            found[pc] = before
            options, after = insn.row.options, before
            if options.get("calls"):
                after = self._called(insn.target, before)
            elif insn.row.leads_nowhere:
                continue
            else:
                after = self._executed(insn, before)
                top = after.registers.get(sp)
                if insn.target is not None:
                    todo.append((insn.target, after))
                elif options.get("ends") and top is not None and top.register is None:
                    if top.offset < 0:
                        elsewhere = elsewhere or after
                    else:  # a return
                        self._popped[start] = top.offset
            if not options.get("ends") or options.get("calls"):
                todo.append((insn.end, after))
        return found

    def _called(self, target: int | None, before: _KnownFrame) -> _KnownFrame:
        """Return what is known after a call."""
        kept = {name: each for name, each in before.registers.items() if name not in self._scratch}
        if target in self._ends:
            self._known(target)
            popped, sp = self._popped.get(target, 0), self._names[0]
            if popped and sp in kept:
                kept[sp] = kept[sp]._replace(offset=kept[sp].offset + popped)
        return _KnownFrame(kept, before.slots)

    def _unreached(self, start: int, end: int, found: Mapping[int, _KnownFrame]) -> list[int]:
        """Return where the instructions go on that nothing has led to."""
        pc = start
        while pc < end:
            insn = self._insn(pc)
            if pc not in found:
                return [pc] if insn is not None else []
            assert insn is not None
            pc = insn.end
        return []

    def _executed(self, insn: Insn, before: _KnownFrame) -> _KnownFrame:
        """Return what is known after an instruction."""
        after: list[dict[str, int]] = []
        changed: set[int] = set()
        core, state = self._core, self._core.state
        for stack in self._stacks:
            stack.memory[:] = 0
            for offset, name in before.slots.items():
                place = FRAME_BYTES + offset
                stack.memory[place : place + WORD] = np.frombuffer(self._word(stack.values[name]), np.uint8)
            for name, register in self._registers.items():
                register.set(state, stack.value(name, before.registers.get(name)))
            image = stack.memory.copy()
            core.cpu.host.go(state, insn.pc)
            state["taken"], state["limit"] = 0, int(state["cycles"]) + (1 << 40)
            self._evaluator.step(1)
            if state["reason"] != RUNNING or state["taken"]:
                return before
            changed |= {int(each) - FRAME_BYTES for each in np.flatnonzero(image != stack.memory)}
            after.append({name: register.get(state) for name, register in self._registers.items()})
        registers = {name: found for name in self._names if (found := self._content(name, after)) is not None}
        sp = registers.get(self._names[0])
        top = sp.offset if sp is not None and sp.register is None else -FRAME_BYTES
        slots = {at: name for at, name in before.slots.items() if at >= top}  # no routine overwrites what it has saved
        for at in {each - back for each in changed for back in range(WORD)}:
            saved = self._saved(at) if 0 <= at + FRAME_BYTES <= FRAME_BYTES + ABOVE - WORD else None
            if saved is not None and saved not in slots.values():
                slots[at] = saved
        return _KnownFrame(registers, slots)

    def _content(self, name: str, after: list[dict[str, int]]) -> Content | None:
        distances = {values[name] - stack.frame for values, stack in zip(after, self._stacks)}
        if len(distances) == 1 and -FRAME_BYTES <= (offset := distances.pop()) <= FRAME_BYTES:
            return Content(None, offset)
        held = [
            {each for each, value in stack.values.items() if value == values[name]}
            for values, stack in zip(after, self._stacks)
        ]
        both = held[0] & held[1]
        return Content(both.pop()) if both else None

    def _saved(self, offset: int) -> str | None:
        """Return the register whose earlier value both stacks have at a place."""
        names = []
        for stack in self._stacks:
            word = int.from_bytes(stack.memory[FRAME_BYTES + offset :][:WORD].tobytes(), self._order)  # type: ignore[arg-type]
            names.append(next((name for name, value in stack.values.items() if value == word), None))
        return names[0] if names[0] == names[1] else None

    def _word(self, value: int) -> bytes:
        return value.to_bytes(WORD, self._order)  # type: ignore[arg-type]

    def _row(self, pc: int, known: _KnownFrame, is_entry: bool) -> UnwindRow | None:
        """Return how the frame is unwound before an instruction, None where nothing tells where it begins."""
        base = next((n for n in self._names if n in known.registers and known.registers[n].register is None), None)
        if base is None:
            return None
        back = self._link or PC
        slots, moved, lost = dict[str, int](), dict[str, str](), set[str]()
        for name in dict.fromkeys([*self._names[1:], back]):
            place = max((at for at, saved in known.slots.items() if saved == name), default=None)
            if known.registers.get(name) == Content(name) and (name != back or place is None):
                continue  # a call changes the link register, and a debugger looks at the row of the call
            other = next((n for n, each in known.registers.items() if each == Content(name)), None)
            if place is not None:
                slots[name] = place
            elif other is not None:
                moved[name] = other
            elif name == back:
                lost.add(name)
        if is_entry:
            slots.pop(back, None)
            lost.add(back)
        return UnwindRow(pc, base, -known.registers[base].offset, slots, moved, frozenset(lost))
