"""Which fields are dead where a block begins: overwritten before anything reads them or sees the state."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..spec.cpu import Cpu
from ..spec.ir import POINTER, Function, Module, Signature
from ..spec.rows import Insn
from ..spec.values import Word
from .emit import Emitter

MAX_AHEAD = 3  # instructions that are examined


def dead_fields(cpu: Cpu, insns: Iterable[Insn]) -> tuple[frozenset[tuple[str, int]], int]:
    """Return the fields (name, element) that the first MAX_AHEAD of some instructions overwrite, whatever they held.

    An instruction after which the host may look at the state is the last that counts.
    Returns   the fields, and how many instructions it takes until the last of them is overwritten
    """
    watcher = _Watcher(cpu, Function(Module(), Signature("void", (POINTER,) * 3), "scratch"))
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


class _Watcher(Emitter):
    """Emits instructions that are thrown away, and notes which fields they use."""

    def __init__(self, cpu: Cpu, code: Function) -> None:
        super().__init__(cpu, code)
        self.ram, self.state, self.context = code.args
        self.read: set[tuple[str, int | None]] = set()
        self.written: set[tuple[str, int]] = set()
        self.aborts = self.ends = False
        self._depth = 0
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

    def when(self, condition: Word, then: Callable[[], None], otherwise: Callable[[], None] | None = None) -> None:
        self._depth += condition.known is None
        super().when(condition, then, otherwise)
        self._depth -= condition.known is None

    def for_each_bit(self, mask: Word, body: Callable[[Word], None], down: bool = False) -> None:
        self._depth += 1
        super().for_each_bit(mask, body, down)
        self._depth -= 1

    def abort_when(self, condition: Word, last: Callable[[], None]) -> None:
        self.aborts |= condition.known != 0

    def leave(self, reason: int, detail: Word | int = 0) -> None:
        self.ends = True

    def _jump(self, address: Word) -> None:
        self.ends = True

    def _branch(self, condition: Word, target: Word) -> None:
        self.ends = True
