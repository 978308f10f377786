"""Tier 0: runs the rows on Python integers. No compiler, no waiting: oracle, debugger, bridge."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from ..spec.cpu import ADDRESS_MASK, CODE_WRITTEN, DOUBLE_FAULT, FAULT, MISALIGNED, REACHED, RUNNING
from ..spec.rows import Insn, undefined_insn
from ..spec.semantics import ExecutionContext
from ..spec.values import Word
from .core import Core


class Variable:
    """A mutable word."""

    def __init__(self, word: Word) -> None:
        self.word = word

    def get(self) -> Word:
        return self.word

    def set(self, word: Word) -> None:
        self.word = word


class Aborted(Exception):
    """The instruction ends here."""


class Evaluator(ExecutionContext):
    """Executes instructions of a core one by one, directly on its state."""

    name = "evaluate"
    SLICE = 20_000  # instructions at a time, a fraction of a second: between two, the user can interrupt

    def __init__(self, core: Core) -> None:
        self.core = core
        self.cpu = core.cpu
        self.breaks: frozenset[int] = frozenset()  # where every run ends
        self._widths = {name: bits for name, (bits, _) in core.cpu.layout.fields.items()}
        fields = core.cpu.layout.fields
        self._arrays = {name: core.state[name].data for name in fields}  # views of the state
        self._single = [(name, self._arrays[name]) for name, (_, count) in fields.items() if count == 1]
        self._values: dict[str, int] = {}  # of fields that are no arrays, during a run
        self._ram, self._code, self._hit_bytes = core.ram.data, core.code.data, core.hits.data
        self._pc = self._end = self._next = 0
        self.begin(core.timing)

    def run(self, instructions: int, stops: Collection[int] = ()) -> int:
        """Execute up to `instructions`, or to one of the addresses `stops`; return how many. The state tells why."""
        done = self.step(instructions, stops)
        self.forget()
        return done

    def forget(self) -> None:
        """Make the same of states whose difference does not matter any more, as every run does at its end."""
        self._fetch_state()
        self.timing.forget()
        self._store_state()

    def step(self, instructions: int, stops: Collection[int] = ()) -> int:
        """Run without that: for an engine that does it."""
        self.core.begin_run()
        self._fetch_state()
        values, done = self._values, 0
        values["reason"] = RUNNING
        self._next = values["pc"]
        while done < instructions and values["reason"] == RUNNING and values["cycles"] < values["limit"]:
            self._execute(self.core.decode(self._next))
            done += 1
            if (self._next in stops or self._next in self.breaks) and values["reason"] == RUNNING:
                values["reason"] = REACHED
        values["pc"] = self._next
        self._store_state()
        return done

    def break_at(self, addresses: Iterable[int]) -> None:
        """End every run before the instructions at some addresses, which take the place of those before."""
        self.breaks = frozenset(addresses)

    def refuse_service(self) -> None:
        """Give the instruction that asked for an unknown service back to the CPU: it takes its exception instead."""
        self._fetch_state()
        self._values["reason"] = RUNNING
        pc = (self._values["pc"] - self.cpu.service_bytes) & ADDRESS_MASK
        self._execute(undefined_insn(self.cpu.unserved, pc, self.cpu.service_bytes, self.core.word(pc)))
        self._values["pc"] = self._next
        self._store_state()

    def _execute(self, insn: Insn) -> None:
        self._pc, self._end = insn.pc, insn.end
        self._next = self._end
        fields = iter(insn.fields + self.core.timing.fields(insn))
        try:
            self.run_row(insn.row, insn.statics, lambda: Word(32, next(fields)))
        except Aborted:
            if self._values["reason"] == MISALIGNED:
                self.take_misaligned(insn)

    def take_misaligned(self, insn: Insn) -> None:
        """Take the exception that a misaligned access of `insn` has caused; it counts its own clocks."""
        self._values["reason"] = CODE_WRITTEN if self._values["written_high"] else RUNNING  # by what it did before
        self.begin(self.core.untimed)
        assert self.cpu.misaligned is not None  # a CPU on which accesses have to be aligned
        try:
            self.cpu.misaligned(self, insn)
        except Aborted:  # again while its frame was pushed: a double fault
            self._values["reason"], self._values["detail"] = FAULT, DOUBLE_FAULT
        self.begin(self.core.timing)

    def between(self, action: Callable[[ExecutionContext], None], pc: int | None = None) -> None:
        """Let something happen between two instructions: an interrupt, or the trace exception of the one at `pc`."""
        self._fetch_state()
        self._values["reason"] = RUNNING
        self._next = self._end = self._values["pc"]
        self._pc = self._end if pc is None else pc
        self.begin(self.core.untimed)
        try:
            action(self)
        except Aborted:
            self._values["reason"], self._values["detail"] = FAULT, DOUBLE_FAULT
        self.begin(self.core.timing)
        for field in self.cpu.stage_fields:  # nothing is left in the pipeline
            self._values[field] = self._values["cycles"]
        self._values["pc"] = self._next
        self._store_state()

    def finish_misaligned(self) -> None:
        """Take the exception of an instruction that another engine has aborted."""
        self._fetch_state()
        insn = self.core.decode(self._values["pc"])
        self._pc, self._end, self._next = insn.pc, insn.end, insn.pc
        self.take_misaligned(insn)
        self._values["pc"] = self._next
        self._store_state()

    def abort_when(self, condition: Word, last: Callable[[], None]) -> None:
        if condition.known:
            last()
            raise Aborted

    def _fetch_state(self) -> None:
        for name, field in self._single:
            self._values[name] = field[()]

    def _store_state(self) -> None:
        for name, field in self._single:
            field[()] = self._values[name]

    @property
    def pc(self) -> Word:
        return Word(32, self._pc)

    @property
    def next_pc(self) -> Word:
        return Word(32, self._end)

    @property
    def opcode(self) -> int:
        """First code word of the instruction."""
        return self.core.word(self._pc)

    def get(self, name: str) -> Word:
        return Word(self._widths[name], self._values[name])

    def set(self, name: str, word: Word) -> None:
        self._values[name] = word.number

    def element(self, name: str, n: Word) -> Word:
        return Word(self._widths[name], self._arrays[name][n.number])

    def set_element(self, name: str, n: Word, word: Word) -> None:
        self._arrays[name][n.number] = word.number

    def _reg(self, n: Word, bits: int) -> Word:
        return Word(bits, self._arrays["r"][n.number])

    def _set_reg(self, n: Word, word: Word) -> None:
        file, number = self._arrays["r"], n.number
        file[number] = file[number] >> word.bits << word.bits | word.number

    def _load(self, location: Word, bits: int) -> Word:
        start = location.number
        return Word(bits, int.from_bytes(self._ram[start : start + bits // 8], "little"))

    def _store(self, location: Word, word: Word) -> None:
        start, size = location.number, word.bits // 8
        self._ram[start : start + size] = word.number.to_bytes(size, "little")

    def _marks(self, location: Word, bits: int) -> Word:
        start = location.number
        return Word(bits, int.from_bytes(self._code[start : start + bits // 8], "little"))

    def _hits(self, location: Word, bits: int) -> Word:
        start = location.number
        return Word(bits, int.from_bytes(self._hit_bytes[start : start + bits // 8], "little"))

    def _set_hits(self, location: Word, word: Word) -> None:
        start, size = location.number, word.bits // 8
        self._hit_bytes[start : start + size] = word.number.to_bytes(size, "little")

    def select(self, condition: Word, a: Word, b: Word) -> Word:
        return a if condition.known else b

    def when(self, condition: Word, then: Callable[[], None], otherwise: Callable[[], None] | None = None) -> None:
        if condition.known:
            then()
        elif otherwise is not None:
            otherwise()

    def for_each_bit(self, mask: Word, body: Callable[[Word], None], down: bool = False) -> None:
        self.for_each_known_bit(mask, body, down)

    def subroutine(self, name: str, function: Callable[..., Word], *words: Word) -> Word:
        return function(self, *words)

    def variable(self, word: Word) -> Variable:
        return Variable(word)

    def _jump(self, address: Word) -> None:
        self._next, self.flowed = address.number, True

    def _branch(self, condition: Word, target: Word) -> None:
        if condition.known:
            self._next, self.flowed = target.number, True

    def leave(self, reason: int, detail: Word | int = 0) -> None:
        self._values["reason"] = reason
        self._values["detail"] = detail if isinstance(detail, int) else detail.number
