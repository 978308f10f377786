"""Which registers a routine reads before anything has set them.

A register that neither the call nor the routine has set holds 0: a pointer that was forgotten goes over whatever lies
at the bottom of memory, and nothing says so. So each instruction that a call comes to is first executed aside, with
several values of such a register. It reads the register if anything but that differs: another result, a flag, where it
accesses memory, where the program goes on. To save it on the stack is not to read it, and neither is XOR EAX,EAX.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.spec.cpu import RUNNING, SERVICE
from retrosim.cpu.spec.host import ALL_BITS
from retrosim.cpu.spec.rows import Insn
from retrosim.cpu.spec.values import Word
from retrosim.machine import Machine

SAMPLES = (0, 0x10004, 0xFFFFFFF8)  # values of a register
OTHER = 0x5A5A5A58  # of the other ones that nothing has set
MARK = 0xA5A5A5A4  # of a register that a call may set, though hardly to this
STACK_BELOW, STACK_ABOVE = 0x10000, 0x80  # bytes around the stack pointer at the call, the caller's frame among them
SAVED = "saved"
MAX_STEPPED = 20_000
NAMED_BASE = 0x100  # what names are found by: more than flags hold, in 16 bits


def unset_registers(
    machine: Machine, entry: int, words: Sequence[int | str], called: Mapping[str, Any]
) -> dict[int, str]:
    """Return number -> name of the registers that hold 0 at a call because nothing has set them.

    None of a program that has run a frame: they hold what it has left there. Registers that point to a program's data
    are not among them: the machine refuses a call that would find nothing in one.

    called   what `Machine.enter` takes beside entry and arguments
    """
    core = machine.core
    if machine.frame_number:
        return {}
    before, registers = core.state.copy(), core.state["r"]
    empty = registers == 0
    machine.enter(entry, *words, **called)
    empty &= registers == 0
    core.state[()] = before
    registers[empty] = MARK
    machine.enter(entry, *words, **called)
    unset = np.flatnonzero(registers == MARK).tolist()
    core.state[()] = before
    known = {core.cpu.zero_register, *(base.number for base in core.cpu.host.bases.values())}
    names = register_names(core)
    return {number: names[number] for number in unset if number in names and number not in known}


def register_names(core: Core) -> dict[int, str]:
    """Return number in the register file -> name."""
    state = np.zeros((), core.cpu.layout.dtype)
    count = len(state["r"])
    state["r"] = np.arange(count) + NAMED_BASE
    values = {name: register.get(state) - NAMED_BASE for name, register in core.cpu.host.registers.items()}
    return {number: name for name, number in values.items() if 0 <= number < count}


def unset_reads(
    machine: Machine, entry: int, words: Sequence[int | str], called: Mapping[str, Any], instructions: int
) -> list[str]:
    """Return the registers that a call reads before anything has set them, of its first MAX_STEPPED instructions.

    The machine runs so far; called: as for `unset_registers`.
    """
    unset = unset_registers(machine, entry, words, called)
    machine.enter(entry, *words, **called)
    reads = FirstReads(machine.core, unset)
    seen: set[int] = set()
    for _ in range(min(instructions, MAX_STEPPED) if unset else 0):
        insn = machine.core.decode(machine.regs["pc"])
        if insn.pc not in seen:
            seen.add(insn.pc)
            reads.look(insn)
        machine.run(instructions=1)
    return reads.read


def result_registers(core: Core) -> list[int]:
    """Return the numbers of the registers of a result, the one of its lower half first."""
    numbers = {name: number for number, name in register_names(core).items()}
    return [numbers[name] for name in core.cpu.host.result]


class FirstReads:
    """Notes which of some registers are read before they are set.

    read      their names, in the order in which that happened
    written   numbers of all that were set
    """

    def __init__(self, core: Core, unset: Mapping[int, str]) -> None:
        """Begin, at the first instruction of a routine."""
        self._unset, self.read, self.written = dict(unset), list[str](), set[int]()
        top = core.cpu.host.stack.pointer(core.state)
        self._aside = _Aside(core, range(top - STACK_BELOW, top + STACK_ABOVE))

    def look(self, insn: Insn) -> None:
        """Look at an instruction that is executed next, for the first time."""
        aside = self._aside
        aside.effects_of(insn, {})
        self.written |= aside.written
        touched, changed = sorted(aside.read & self._unset.keys()), aside.written & self._unset.keys()
        for number in touched:
            if self._is_read(insn, number):
                self.read.append(self._unset[number])
                changed.add(number)
        for number in changed:
            del self._unset[number]

    def _is_read(self, insn: Insn, number: int) -> bool:
        """Does what an instruction does depend on a register? Not if it only keeps bits of it as they are."""
        others = dict.fromkeys(self._unset, OTHER)
        done = [self._aside.effects_of(insn, others | {number: value}) for value in SAMPLES]
        changed = 0
        for value, effects in zip(SAMPLES, done):
            for effect in effects:
                changed |= (effect.value ^ value) & effect.mask if effect.sets(number) else 0
        alike = [[e._replace(value=e.value & changed) if e.sets(number) else e for e in effects] for effects in done]
        return any(effects != alike[0] for effects in alike)


class Effect(NamedTuple):
    """What an instruction does to something.

    what   "r": a register; a state field; "load", "store", SAVED: memory; "next": what is executed then
    where  number or address
    value  that it gets
    mask   bits that get it
    """

    what: str
    where: int = 0
    value: int = 0
    mask: int = 0

    def sets(self, register: int) -> bool:
        """Does it give a register a value, or a part of one?"""
        return (self.what, self.where) == ("r", register)


class _Aside(Evaluator):
    """Executes instructions for what they do, and leaves everything as it is.

    read, written  registers, by the instruction that was executed last: none of those that were told to it is in `read`
    """

    def __init__(self, core: Core, stack: range) -> None:
        super().__init__(core)
        self.begin(core.untimed)
        self.read, self.written = set[int](), set[int]()
        self._stack = stack
        self._results = set(result_registers(core))  # which a service may set
        self._registers: dict[int, int] = {}
        self._effects: list[Effect] = []

    def effects_of(self, insn: Insn, registers: Mapping[int, int]) -> list[Effect]:
        """Return the effects of an instruction.

        registers  that hold something else than the state says
        """
        self.read, self.written = set(), set()
        self._registers, self._effects = dict(registers), []
        self._fetch_state()
        self._values["reason"] = RUNNING
        self._execute(insn)
        if self._values["reason"] == SERVICE:
            self.written.update(self._results)
        if any(effect.what == SAVED for effect in self._effects):  # MOVE.L D2,-(SP) sets flags too
            self._effects = [effect for effect in self._effects if effect.what not in self._values]
        return [*self._effects, Effect("next", value=self._next)]

    def take_misaligned(self, insn: Insn) -> None:
        self._effects.append(Effect("abort"))

    def set(self, name: str, word: Word) -> None:
        super().set(name, word)
        self._effects.append(Effect(name, value=word.number))

    def set_element(self, name: str, n: Word, word: Word) -> None:
        self._effects.append(Effect(name, n.number, word.number))

    def _reg(self, n: Word, bits: int) -> Word:
        if n.number not in self._registers:
            self.read.add(n.number)
            return super()._reg(n, bits)
        return Word(bits, self._registers[n.number])

    def _set_reg(self, n: Word, word: Word) -> None:
        self._effects.append(Effect("r", n.number, word.number, (1 << word.bits) - 1))
        self.written.add(n.number)
        if word.bits == ALL_BITS:
            self._registers[n.number] = word.number

    def _load(self, location: Word, bits: int) -> Word:
        self._effects.append(Effect("load", location.number))
        return super()._load(location, bits)

    def _store(self, location: Word, word: Word) -> None:
        at = location.number
        is_saved = at in self._stack and Effect("load", at) not in self._effects
        self._effects.append(Effect(SAVED, at) if is_saved else Effect("store", at, word.number))
