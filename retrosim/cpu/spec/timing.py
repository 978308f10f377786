"""Timing models: what the engine calls around and inside an instruction, and the hooks that instruction sets declare.

A *hook* passes on what an instruction's clocks depend on besides its encoding: a multiplier, a shift count, an
exception. Each instruction set declares its hooks in one class, as methods that do nothing; its timing models override
those that their clocks depend on. A row names the hook that its price varies with, and its semantic function calls it
as `m.vary(...)`. A name that is not declared is an error: in a row when the row is declared, in a model when its class
is made.

    class ToyHooks(Timing, declares=True):
        @hook
        def shift_count(self, count): ...

    @insn("SHL {d}", "0000ddd000000001", cost="SHL", varies="shift_count", ref=...)
    def shl(m, d):
        m.vary(m.reg(0))
        ...

    class ToyTable(ToyHooks):
        @hook
        def shift_count(self, count):
            self.clocks = 2 * count
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, ClassVar, NamedTuple
from weakref import ref

from retrosim.errors import SpecError

from .rows import Insn, Row
from .values import Word

OBSERVING = "_observing"  # ends the name of a mode whose model is an `observed` one
WATCH_WRITES, WATCH_READS = 2, 4  # marks of a byte: a store is noticed, a load is noticed by models that observe
MAX_VARYING_CLOCKS = 200  # more than any part of an instruction that depends on data (DIVS of the MC68000: 158)


def clock_bound(*words: Word) -> int:
    """Return a bound of the clocks that some words hold."""
    return sum(MAX_VARYING_CLOCKS if word.known is None else word.known for word in words)


def later(m: Any, a: Word, b: Word) -> Word:
    """Return the later of two clocks."""
    return m.select(a.ult(b), b, a)


def until(m: Any, time: Word, now: Word) -> Word:
    """Return the clocks from now until a time, 0 when it has passed."""
    return m.select(now.ult(time), time - now, m.const(64, 0))


def hook(method: Callable) -> Callable:
    """Mark a method that declares a hook, or that a timing model prices one with."""
    method.is_hook = True  # type: ignore[attr-defined]  # functions take attributes
    return method


class Usual(NamedTuple):
    """Whether a use of memory is a plain hit, for which its subroutine would return 0 unless it is late.

    hit      one bit
    effects  emits those of such a hit, given its clocks, but for the step of its counter; None: it has none
    late     a condition that seldom holds, and what emits the clocks, 64 bits, that such a hit may take; None: it takes
             none
    renewal  what emits a bit, asked for where `hit` does not hold, and a line: if it is 1, `Timing.renew` makes the
             use such a hit; without a line it is one, and `late` tells its clocks. None: there is no such use
    """

    hit: Word
    effects: Callable[[Word], None] | None = None
    late: tuple[Word, Callable[[], Word]] | None = None
    renewal: tuple[Callable[[], Word], Word | None] | None = None


class Timing:
    """Base of all timing models; one that overrides nothing counts nothing.

    hooks   names of the hooks of the instruction set
    priced  those that the model's clocks depend on
    choices reading -> option that the clocks are counted by; a `Cpu` makes classes that have them
    """

    hooks: ClassVar[frozenset[str]] = frozenset()
    priced: ClassVar[frozenset[str]] = frozenset()
    choices: ClassVar[Mapping[str, str]] = {}
    counts = False
    takes_a_clock = False  # does every instruction take at least one clock?
    splits_branches = False  # is the end of a branch simpler where its outcome is known?

    # what regions remember of a pipeline, where its clocks depend on nothing else than what `usual` and `input` tell
    times: ClassVar[tuple[str, ...]] = ()  # state fields with clocks at which something in the pipeline is ready
    marks: ClassVar[tuple[str, ...]] = ()  # its other state fields
    subroutines: ClassVar[Mapping[str, Callable[..., Word]]] = {}  # that the model calls, by name
    counters: ClassVar[Mapping[str, str]] = {}  # subroutine -> state field that steps at each use of a cache by it
    looked_up_in_place = 4  # most points of an instruction for which regions have the code of `usual` itself

    def __init_subclass__(cls, declares: bool = False, **options: Any) -> None:
        """Take the hooks of a class; `declares`: it is the one that declares them. Errors: SpecError."""
        super().__init_subclass__(**options)
        own = frozenset(name for name, value in vars(cls).items() if getattr(value, "is_hook", False))
        if declares:
            cls.hooks = cls.hooks | own
            return
        unknown = own - cls.hooks
        if unknown:
            declared = ", ".join(sorted(cls.hooks)) or "none"
            raise SpecError(f"{cls.__name__}: no hook {sorted(unknown)[0]!r}; declared are {declared}")
        cls.priced = cls.priced | own

    def __init__(self, m: Any) -> None:
        self._m = ref(m)  # no cycle of references: a machine's memory is freed as soon as it is dropped

    @property
    def m(self) -> Any:
        """The engine that this model belongs to."""
        return self._m()

    @property
    def max_clocks(self) -> int:
        """Most clocks of the last instruction, without waits for the bus; known when it is emitted."""
        return 0

    @property
    def max_waits(self) -> int:
        """Most waits of the last instruction for the bus."""
        return 0

    def max_wait_clocks(self) -> Word:
        """Return the most clocks of one wait for the bus."""
        return self.m.const(64, 0)

    @classmethod
    def has_waits(cls) -> bool:
        """Does the model compute waits for the bus?"""
        return cls.max_wait_clocks is not Timing.max_wait_clocks

    def forget(self) -> None:
        """Set clocks in the state that are too long ago to matter to the latest ones that do not."""

    def usual(self, name: str, address: Word, size: int, now: Callable[[], Word]) -> Usual:
        """Tell whether a use of memory is a plain hit of kind 0, for which the subroutine `name` would return 0.

        address  of an operand, with all its bits; where code is fetched, what the subroutine is given
        now      emits the clock of the use
        """
        raise NotImplementedError

    def hit(self, name: str, *words: Word) -> tuple[Word, Callable[[], None], Word] | None:
        """Tell of what is found by looking closer, quicker than by the subroutine itself; None: of nothing.

        words    that the subroutine is given
        Returns  one bit, what emits the effects of such a hit, and what the subroutine would return
        """
        return None

    def renew(self, name: str, line: Word) -> None:
        """Make a use of a line, 32 bits, that a `Usual.renewal` tells of a plain hit."""
        raise NotImplementedError

    def kind(self, location: Word, bits: int, write: bool) -> Word:
        """Return what the clocks of an operand depend on besides what the subroutine returns, 64 bits; usually 0."""
        return self.m.const(64, 0)

    def delay_of(self, kind: Word) -> Word:
        """Return how many clocks later an operand of a kind is used than one of kind 0, 64 bits."""
        return self.m.const(64, 0)

    @classmethod
    def location_of(cls, kind: int) -> int:
        """Return a location of a kind."""
        return 0

    @classmethod
    def operand_bytes(cls, row: Row, bits: int) -> int:
        """Return the size of an operand that its subroutine is told, 0 if it is not called."""
        return bits // 8

    def varies_by(self, name: str, *details: Any) -> Word | None:
        """Return what clocks depend on of what a hook is told, 64 bits, usually 0; None: on more than a few values."""
        return None

    @staticmethod
    def details_for(name: str, number: Word, *details: Any) -> tuple[Any, ...]:
        """Return details for which `varies_by` gives a number; `details`: what is known of them."""
        raise NotImplementedError

    @classmethod
    def fields(cls, insn: Insn) -> tuple[int, ...]:
        """Return the numbers that decoding puts into the record for this model."""
        return ()

    def start(self, row: Row, operands: dict[str, Any], take: Callable[[], Word]) -> None:
        """Begin an instruction."""

    def outcome(self, condition: Word) -> None:
        """Choose between the two costs of a row: the first when the condition holds."""

    def memory(self, address: Word, bits: int, write: bool) -> None:
        """Account for a memory operand."""

    def written(self, register: Word, stage: str) -> None:
        """A register gets its result in the named stage."""

    def taken(self, vector: Word) -> None:
        """The instruction takes an exception."""

    def finish(self) -> None:
        """End the instruction; one that splits branches has finish(outcome) for those of known outcome."""


@cache
def observed(model: type[Timing]) -> type[Timing]:
    """Return a model of the same clocks under which loads of watched memory and exceptions end a run."""

    class Observed(model):  # type: ignore[valid-type, misc]
        times = marks = ()  # its clocks are not remembered: what it tells the host depends on data

        def memory(self, address: Word, bits: int, write: bool) -> None:
            super().memory(address, bits, write)
            if not write:
                self.m.notice_load(address, bits)

        def taken(self, vector: Word) -> None:
            super().taken(vector)
            self.m.notice_exception(vector)

    return Observed
