"""What instructions do with state fields: which are dead where a block begins, and whether a register's value is used.

A field is dead that is overwritten before anything reads it or sees the state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from ...spec.cpu import Cpu
from ...spec.ir import POINTER, Function, Module, Signature
from ...spec.rows import Insn
from ...spec.values import Word
from ..emit import Emitter

MAX_AHEAD = 3  # instructions that are examined
SAMPLE_VALUES = (0, 0x10000)  # of a register


def dead_fields(cpu: Cpu, insns: Iterable[Insn]) -> tuple[frozenset[tuple[str, int]], int]:
    """Return the fields (name, element) that the first MAX_AHEAD of some instructions overwrite, whatever they held.

    An instruction after which the host may look at the state is the last that counts.
    Returns   the fields, and how many instructions it takes until the last of them is overwritten
    """
    watcher = Watcher(cpu, Function(Module(), Signature("void", (POINTER,) * 3), "scratch"))
    dead: frozenset[tuple[str, int]] = frozenset()
    taken = 0
    for number, insn in zip(range(1, MAX_AHEAD + 1), insns, strict=False):
        watcher.run(insn)
        if watcher.aborts:
            break
        if watcher.written > dead:
            dead, taken = frozenset(watcher.written), number
        if watcher.ends:
            break
    return dead, taken


class RegisterUse(NamedTuple):
    """What an instruction does with a register.

    is_used      does it use the value for more than saving it?
    is_changed   does it give the register another value?
    results      addresses that it accesses and values that it computes if the register holds 0, where they are known
    """

    is_used: bool
    is_changed: bool
    results: tuple[int, ...]


def register_use(cpu: Cpu, insn: Insn, number: int) -> RegisterUse:
    """Tell what an instruction does with the value of a register.

    To store it is no use: but for that, the same code must come out for any value.
    """
    tracers = []
    for value in SAMPLE_VALUES:
        tracers.append(tracer := _Tracer(cpu, number, value))
        tracer.run(insn)
        if not tracer.is_read:
            return RegisterUse(False, tracer.is_changed, ())
    is_used = len({tracer.text() for tracer in tracers}) > 1
    return RegisterUse(is_used, tracers[0].is_changed, tuple(tracers[0].results))


class Watcher(Emitter):
    """Emits instructions that are thrown away, and notes which fields they use."""

    def __init__(self, cpu: Cpu, code: Function) -> None:
        super().__init__(cpu, code)
        self.ram, self.state, self.context = code.args
        self.read: set[tuple[str, int | None]] = set()
        self.written: set[tuple[str, int]] = set()
        self.aborts = self.ends = False
        self.begin(cpu.timing["off"])

    def run(self, insn: Insn) -> None:
        self._insn = insn
        fields = iter(insn.fields)
        self.run_row(insn.row, insn.statics, lambda: Word(32, next(fields)))

    @property
    def pc(self) -> Word:
        return Word(32, self._insn.pc)

    @property
    def next_pc(self) -> Word:
        return Word(32, self._insn.end)

    def _note(self, name: str, n: int | None, is_write: bool) -> None:
        if not is_write:
            if (name, n) not in self.written:
                self.read.add((name, n))
        elif n is not None and not self._depth and self.read.isdisjoint({(name, n), (name, None)}):
            self.written.add((name, n))

    def get(self, name: str) -> Word:
        self._note(name, 0, False)
        return super().get(name)

    def set(self, name: str, word: Word) -> None:
        self._note(name, 0, True)
        super().set(name, word)

    def element(self, name: str, n: Word) -> Word:
        self._note(name, n.known, False)
        return super().element(name, n)

    def set_element(self, name: str, n: Word, word: Word) -> None:
        self._note(name, n.known, True)
        super().set_element(name, n, word)

    def _reg(self, n: Word, bits: int) -> Word:
        self._note("r", n.known, False)
        return super()._reg(n, bits)

    def _set_reg(self, n: Word, word: Word) -> None:
        if word.bits < 32:
            self._note("r", n.known, False)
        self._note("r", n.known, True)
        super()._set_reg(n, word)

    def abort_when(self, condition: Word, last: Callable[[], None]) -> None:
        self.aborts |= condition.known != 0

    def leave(self, reason: int, detail: Word | int = 0) -> None:
        self.ends = True

    def _jump(self, address: Word) -> None:
        self.ends = True

    def _branch(self, condition: Word, target: Word) -> None:
        self.ends = True


class _Tracer(Watcher):
    """Emits an instruction in which one register is known, without what it stores and the flags that it sets."""

    def __init__(self, cpu: Cpu, number: int, value: int) -> None:
        super().__init__(cpu, Function(Module(), Signature("void", (POINTER,) * 3), "scratch"))
        self.number, self.value = number, Word(32, value)
        self.is_read = self.is_changed = False
        self.results: list[int] = []
        self._targets: list[str] = []

    def text(self) -> str:
        """Return all that was emitted, and where it jumps."""
        self.code.finish()
        return "\n".join([*self.code.module.parts, *self._targets])

    def set(self, name: str, word: Word) -> None:
        self._note(name, 0, True)

    def set_element(self, name: str, n: Word, word: Word) -> None:
        self._note(name, n.known, True)

    def store(self, address: Word, word: Word) -> None:
        super().store(address, self.const(word.bits, 0))

    def _location(self, address: Word) -> Word:
        self._result(address)
        return super()._location(address)

    def _result(self, word: Word) -> None:
        if word.known is not None:
            self.results.append(word.known)

    def _reg(self, n: Word, bits: int) -> Word:
        if n.known != self.number:
            return super()._reg(n, bits)
        self.is_read = True
        return self.value.trunc(bits)

    def _set_reg(self, n: Word, word: Word) -> None:
        if n.known == self.number:
            self.is_changed |= not self._depth
        else:
            self._result(word)
            super()._set_reg(n, word)

    def _jump(self, address: Word) -> None:
        self._targets.append(address.operand)
        super()._jump(address)

    def _branch(self, condition: Word, target: Word) -> None:
        self._targets.append(target.operand)
        super()._branch(condition, target)
