"""What semantic functions are written against: what every engine offers them, built from a few primitives.

    m.pc, m.next_pc                        address of this instruction and of the next one in memory
    m.const(bits, value)                   a known word
    m.get(name)  m.set(name, word)         state fields
    m.reg(n, bits)  m.set_reg(n, word)     register file "r"; narrow accesses touch the low bits
    m.load(address, bits)  m.store(address, word)
    m.peek(address, bits)                  what m.load would give, seen from outside: no access, no time
    m.hits_at(address, bits)  m.set_hits(address, word)   what is known of the cache there (hits.py)
    m.select(c, a, b)                      one of two words
    m.when(c, then, otherwise)             run `then` or `otherwise` (functions) under a condition
    m.for_each_bit(mask, body, down)       body(bit number) for each one in the mask, lowest first unless `down`
    m.variable(word)                       a variable that survives m.when and m.for_each_bit: .get() .set(word)
    m.jump(address)                        continue at a computed address
    m.branch(c, target)                    continue at a decoded target when c holds
    m.outcome(c)                           tell the timing which of the row's two costs applies
    m.vary(data)                           call the hook that the row's price varies with (timing.py)
    m.timing.HOOK(data)                    call another hook of the instruction set (an exception, ...)
    m.pass_clocks(clocks)                  let clocks pass
    m.leave(reason, detail)                return control to the host after this instruction
    m.subroutine(name, function, words)    function(m, *words) on 64-bit words, emitted once and called
    m.abort_when(c, last)                  when c holds, run `last` and nothing more of this instruction

`stage` of set_reg names when a result is there for address calculation: "execute" unless the address unit made it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from retrosim.errors import SpecError

from .cpu import ACCESS_FETCH, ACCESS_WRITE, ADDRESS_MASK, CODE_WRITTEN, MISALIGNED, OBSERVED, Cpu
from .rows import Row, bind
from .timing import WATCH_READS
from .values import Word


class ExecutionContext:
    """Base of what runs or emits the rows: subclasses give the primitives (leading underscore) and the rest above."""

    cpu: Cpu
    row: Row  # of this instruction
    accesses = 0  # memory operands of this instruction so far
    raised: int | None = None  # vector of the exception that this instruction has taken
    flowed = False  # has this instruction changed the flow?

    if TYPE_CHECKING:  # the primitives, and what engines do in ways of their own

        @property
        def pc(self) -> Word: ...
        @property
        def next_pc(self) -> Word: ...
        def get(self, name: str) -> Word: ...
        def set(self, name: str, word: Word) -> None: ...
        def element(self, name: str, n: Word) -> Word: ...
        def set_element(self, name: str, n: Word, word: Word) -> None: ...
        def _reg(self, n: Word, bits: int) -> Word: ...
        def _set_reg(self, n: Word, word: Word) -> None: ...
        def _load(self, location: Word, bits: int) -> Word: ...
        def _store(self, location: Word, word: Word) -> None: ...
        def _marks(self, location: Word, bits: int) -> Word: ...
        def _hits(self, location: Word, bits: int) -> Word: ...
        def _set_hits(self, location: Word, word: Word) -> None: ...
        def select(self, condition: Word, a: Word, b: Word) -> Word: ...
        def when(
            self, condition: Word, then: Callable[[], None], otherwise: Callable[[], None] | None = None
        ) -> None: ...
        def abort_when(self, condition: Word, last: Callable[[], None]) -> None: ...
        def _jump(self, address: Word) -> None: ...
        def _branch(self, condition: Word, target: Word) -> None: ...
        def leave(self, reason: int, detail: Word | int = 0) -> None: ...

    def begin(self, timing_class: Any) -> None:
        self.timing = timing_class(self)

    def run_row(self, row: Row, statics: tuple[Any, ...], take: Callable[[], Word]) -> None:
        """Run or emit one instruction; `take` yields its fields, then those of the timing."""
        self.row, self.accesses, self.raised, self.flowed = row, 0, None, False
        operands = bind(self, row, statics, take)
        self.timing.start(row, operands, take)
        row.function(self, **operands)
        self.finish_timing()

    def finish_timing(self) -> None:
        self.timing.finish()

    def const(self, bits: int, value: int) -> Word:
        return Word(bits, value)

    def for_each_known_bit(self, mask: Word, body: Callable[[Word], None], down: bool = False) -> None:
        """Do what m.for_each_bit does for a mask that is known, without a loop in code."""
        numbers = [number for number in range(mask.bits) if mask.number >> number & 1]
        for number in reversed(numbers) if down else numbers:
            body(Word(32, number))

    def check_alignment(self, address: Word, bits: int, write: bool) -> None:
        """Abort the instruction at a misaligned access, on CPUs that do; the host then takes the exception."""
        if not self.cpu.aligned or bits == 8:
            return
        self._abort_misaligned((address & 1).ne(0), address, self.accesses | (ACCESS_WRITE if write else 0))
        self.accesses += 1

    def _abort_misaligned(self, condition: Word, address: Word, access: int) -> None:
        def last() -> None:
            self.set("access", self.const(32, access))
            self.jump_back()
            self.leave(MISALIGNED, address)

        self.abort_when(condition, last)

    def jump_back(self) -> None:
        """Stay at this instruction: the host looks at it."""
        self._jump(self.pc)

    def load(self, address: Word, bits: int) -> Word:
        self.check_alignment(address, bits, False)
        self.timing.memory(address, bits, False)
        return self.peek(address, bits)

    def _location(self, address: Word) -> Word:
        """Return where in memory an address lies; every access passes here, so that none leaves it and its mirrors."""
        return address & ADDRESS_MASK

    def location(self, address: Word) -> Word:
        """Return where in memory an address lies; in a region up to a KB outside, where nothing is a plain hit."""
        return self._location(address).trunc(32)

    def hits_at(self, address: Word, bits: int) -> Word:
        """Return the bytes that say which accesses are plain hits (hits.py), from an address on."""
        return self._hits(self._location(address), bits)

    def set_hits(self, address: Word, word: Word) -> None:
        self._set_hits(self._location(address), word)

    def peek(self, address: Word, bits: int) -> Word:
        word = self._load(self._location(address), bits)
        return word.swap_bytes() if self.cpu.big_endian else word

    def store(self, address: Word, word: Word) -> None:
        """Store a word; every store passes here, and a store into decoded code ends the run of old code."""
        self.check_alignment(address, word.bits, True)
        self.timing.memory(address, word.bits, True)
        location = self._location(address)
        self._store(location, word.swap_bytes() if self.cpu.big_endian else word)
        self.when(self._marks(location, word.bits).ne(0), lambda: self._code_written(location, word.bits // 8))

    def _code_written(self, location: Word, size: int) -> None:
        start = location.trunc(32) & ADDRESS_MASK
        low, high = self.get("written_low"), self.get("written_high")
        self.set("written_low", self.select(start.ult(low), start, low))
        self.set("written_high", self.select(high.ult(start + size), start + size, high))
        self.set("touched_by", self.pc)
        self.leave(CODE_WRITTEN)

    def notice_load(self, address: Word, bits: int) -> None:
        """End the run after this instruction if it reads watched memory."""
        location = self._location(address)
        reads = self.const(bits, int.from_bytes(bytes([WATCH_READS]) * (bits // 8), "little"))

        def read() -> None:
            start = location.trunc(32) & ADDRESS_MASK
            low, high = self.get("read_low"), self.get("read_high")
            self.set("read_low", self.select(start.ult(low), start, low))
            self.set("read_high", self.select(high.ult(start + bits // 8), start + bits // 8, high))
            self.set("touched_by", self.pc)
            self.leave(OBSERVED)

        self.when((self._marks(location, bits) & reads).ne(0), read)

    def exception_taken(self, vector: Word | int) -> None:
        """Tell the timing model that this instruction takes an exception."""
        self.timing.taken(self.const(32, vector) if isinstance(vector, int) else vector)

    def notice_exception(self, vector: Word) -> None:
        """End the run after an exception was taken."""
        self.set("taken", vector + 1)
        self.set("touched_by", self.pc)
        self.leave(OBSERVED)

    def set_reg(self, n: Word | int, word: Word, stage: str = "execute") -> None:
        index = self.const(32, n) if isinstance(n, int) else n
        self._set_reg(index, word)
        self.timing.written(index, stage)

    def reg(self, n: Word | int, bits: int = 32) -> Word:
        number = self.const(32, n) if isinstance(n, int) else n
        if number.known is not None and number.known == self.cpu.zero_register:
            return self.const(bits, 0)
        return self._reg(number, bits)

    def outcome(self, condition: Word) -> None:
        self.timing.outcome(condition)

    def vary(self, *data: Any) -> None:
        if not self.row.varies:
            raise SpecError(f"{self.row.syntax}: the row does not say what its price varies with")
        getattr(self.timing, self.row.varies)(*data)

    def pass_clocks(self, clocks: Word) -> None:
        self.set("cycles", self.get("cycles") + clocks)

    def jump(self, address: Word) -> None:
        if self.cpu.aligned:
            self._abort_misaligned((address & 1).ne(0), address, self.accesses | ACCESS_FETCH)
        self._jump(address & ADDRESS_MASK)

    def branch(self, condition: Word, target: Word) -> None:
        self.outcome(condition)
        if self.cpu.aligned and target.known is not None:  # engines that do not know targets never run odd ones
            self._abort_misaligned(condition & (target & 1).ne(0), target, self.accesses | ACCESS_FETCH)
        self._branch(condition, target & ADDRESS_MASK)
