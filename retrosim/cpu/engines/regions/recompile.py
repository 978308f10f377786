"""Tier 2: the known code of a ROM, recompiled: one compiled function per region of basic blocks.

A region is a handler like any other (handlers.py): the records of its entry points call it, and it continues with
the record of whatever address it leaves to. So interpreter and regions pass control to each other without the host,
and code that no region knows just runs in between. Inside, operands are literals, guest branches are branches, and what
is used most of the state lives in SSA values (`RegionSlots`); it is loaded on entry and stored on exit.

A region runs only while the budget and the clock's limit are further away than its longest path between two checks can
take (`Timing.max_clocks` bounds an instruction); the rest of a slice is the interpreter's, which stops exactly.
"""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

from retrosim.errors import SpecError

from ...spec.cpu import ADDRESS_MASK, CODE_WRITTEN, Cpu, StateLayout
from ...spec.ir import I32, I64, POINTER, UNLIKELY, Function
from ...spec.ir import Block as IrBlock
from ...spec.rows import Insn
from ...spec.values import Word
from ..core import MIRROR_BYTES
from ..emit import CODE_POINTER, MISSED, MISSES, SPARING, Emitter, base_and_distance
from ..handlers.handlers import LEFT, ORDINARY_WORD, PC_WORD, Chain
from .liveness import dead_fields
from .regions import Block, Region, blocks_in_loops, longest_path

# Where a region keeps the fields of the state: in slots on the stack, which become SSA values, or where they lie.
#
# What is in a slot is loaded when control comes from another region, and stored when it goes there. That pays for what
# loops use, and for what is used most. LLVM has no more registers than for a few fields anyway; the other ones would
# only be copied to the stack and back.

MOVED_BITS = 32  # of the fields that may stay where they lie: flags are set more often than they are used
MAX_OUTSIDE = 4  # of those fields that have slots even if no loop uses them

Element = tuple[str, int]
"""Name of a field, and which of its elements."""


class RegionSlots:
    """The slots of a region's function.

    changed  elements that are to be stored when the region is left
    """

    def __init__(self, code: Function, layout: StateLayout) -> None:
        self._code, self._layout = code, layout
        self._addresses: dict[Element, str] = {}
        self.changed: set[Element] = set()
        self._uses: collections.Counter[Element] = collections.Counter()
        self._blocks: dict[Element, set[int]] = {}  # that use an element

    def address(self, element: Element) -> str:
        """Return where an element is, while the region runs."""
        if element not in self._addresses:
            self._addresses[element] = self._code.slot(f"i{self._layout.fields[element[0]][0]}")
        return self._addresses[element]

    def used(self, element: Element, block: int) -> str:
        """Note a use of an element in a block; return where it is."""
        self._uses[element] += 1
        self._blocks.setdefault(element, set()).add(block)
        return self.address(element)

    def settle(self, region: Region, state: str) -> None:
        """Decide, when all blocks have been emitted, which elements have no slot."""
        inner = blocks_in_loops(region)
        registers = [each for each, _ in self._uses.most_common() if self._layout.fields[each[0]][0] == MOVED_BITS]
        for name, number in registers[MAX_OUTSIDE:]:
            if inner.isdisjoint(self._blocks[name, number]):
                offset = self._layout.offsets[name] + number * MOVED_BITS // 8
                self._code.move_slot(self._addresses.pop((name, number)), state, offset)
                self.changed.discard((name, number))

    def loaded(self) -> list[Element]:
        """Return the elements to be loaded when the region is entered."""
        return list(self._addresses)


# How a region counts instructions and clocks while it runs, and notices that its headroom is used up.
#
# The headroom is what the budget and the clock's limit leave, less the longest path between two checks.


class CounterEmitter:
    """Emits the counting into a region."""

    def __init__(self, m: Emitter) -> None:
        self.m = m
        self._left, self._margin, self._safe, self._clocks = (m.code.slot(I64) for _ in range(4))

    def _load(self, slot: str) -> Word:
        return self.m.loaded(64, slot)

    def _store(self, word: Word, slot: str) -> None:
        self.m.put(word, slot)

    def start(self, left: Word, margin: int, now: Word, safe: Word) -> None:
        """Begin to count.

        left    instructions of headroom; the budget is `margin` more
        now     the clock, 0 where nothing counts clocks
        safe    the clock at which the headroom ends, greater than `now`
        """
        self._store(left, self._left)
        self._store(self.m.const(64, margin), self._margin)
        self._store(now, self._clocks)
        self._store(safe, self._safe)

    def count(self, instructions: int, clocks: int) -> None:
        if instructions:
            self._store(self._load(self._left) - instructions, self._left)
        if clocks:
            self._store(self._load(self._clocks) + clocks, self._clocks)

    def is_used_up(self) -> Word:
        """Is the headroom used up?"""
        return self._load(self._left).sle(0) | self._load(self._safe).sle(self._load(self._clocks))

    def budget(self) -> Word:
        """Return how many instructions are left of the budget."""
        return self._load(self._left) + self._load(self._margin)

    def clock(self) -> Word:
        return self._load(self._clocks)

    def set_clock(self, word: Word) -> None:
        self._store(word, self._clocks)


EXECUTED_BITS = 20  # of a packed counter: instructions executed since it began
MAX_COUNTED = 1 << EXECUTED_BITS - 1  # what it counts before headroom ends in any case, so that those bits suffice
FIRST_EXECUTED = 1 << EXECUTED_BITS - 2  # what they begin with: blocks may take back what others count in advance


class PackedCounter(CounterEmitter):
    """Counts what decoding knows, instructions and clocks, in one number: a host has few registers.

    The number is negative while there is headroom: what has been counted (clocks, and instructions where some take no
    clock) less the headroom, times 2 ** EXECUTED_BITS, plus the instructions executed and FIRST_EXECUTED. So counting
    is one addition, and the sign is the check. Where both are counted, headroom ends early, by half at most: then the
    region is entered again.
    """

    def __init__(self, m: Emitter) -> None:
        self.m, self.timing = m, m.timing
        self._number, self._budget, self._end = (m.code.slot(I64) for _ in range(3))
        self._weight = int(not self.timing.takes_a_clock)  # of an instruction

    def start(self, left: Word, margin: int, now: Word, safe: Word) -> None:
        m = self.m
        headroom = m.select(left.slt(MAX_COUNTED), left, m.const(64, MAX_COUNTED))
        if self.timing.counts:
            clocks = safe - now
            headroom = m.select(clocks.slt(headroom), clocks, headroom)
        self._store(left + margin, self._budget)
        self._store(now + headroom, self._end)
        self._store(((0 - headroom) << EXECUTED_BITS) + FIRST_EXECUTED, self._number)

    def count(self, instructions: int, clocks: int) -> None:
        step = ((clocks + self._weight * instructions) << EXECUTED_BITS) + instructions
        if step:
            self._store(self._load(self._number) + step, self._number)

    def is_used_up(self) -> Word:
        return self.m.const(64, -1).slt(self._load(self._number))

    def _executed(self) -> Word:
        return (self._load(self._number) & (1 << EXECUTED_BITS) - 1) - FIRST_EXECUTED

    def budget(self) -> Word:
        return self._load(self._budget) - self._executed()

    def clock(self) -> Word:
        counted = self._load(self._end) + self._load(self._number).sar(EXECUTED_BITS)
        return counted - self._executed() if self._weight else counted

    def set_clock(self, word: Word) -> None:
        self._store(self._load(self._number) + ((word - self.clock()) << EXECUTED_BITS), self._number)


NOTHING = 0, 0
MAX_ACCESS_BYTES = 8
LEAVE, CONTINUE, ALONE = range(3)  # how a region is left: to the host, the record of an address, its instruction alone


class RegionEmitter(Emitter):
    """Emits the function of one region."""

    alone_word = ORDINARY_WORD  # of a record: the handler of the instruction alone
    counter: type[CounterEmitter] = PackedCounter
    nothing: tuple[int, ...] = NOTHING  # executed and not counted yet

    def __init__(self, cpu: Cpu, timing: Any, code: Function, region: Region) -> None:
        super().__init__(cpu, code)
        self.chain = Chain(self, self.now)
        code.attributes[:4] = ["noalias"] * 4
        self.region = region
        self._slots = RegionSlots(code, cpu.layout)
        self._address, self._how = code.slot(I32), code.slot(I32)
        self._cached: dict[tuple[str, int], Word] = {}  # values that fields are known to hold here in the block
        # (instructions, clocks) executed and not counted yet: here, and at the start of each block by every edge to it
        self._pending = self.nothing
        self._pending_at = dict.fromkeys([*region.entries, *region.checks], self.nothing)
        self._dead = {start: dead_fields(cpu, region.blocks[start].insns) for start in region.checks}
        self._watches = super().context_pointer(CODE_POINTER)
        self._dispatch, self._out = code.new_block(), code.new_block()
        self._blocks = {pc: code.new_block() for pc in region.blocks}
        self.begin(timing)
        self._counter = self.counter(self)

    def emit(self) -> None:
        clocks, waits, instructions = {}, {}, {}
        for start, block in self.region.blocks.items():
            self.code.go_on(self._blocks[start])
            clocks[start], waits[start] = self._block(block)
            instructions[start] = [1] * len(block.insns)
        self._slots.settle(self.region, self.state)
        self._emit_dispatch()
        self._emit_out()
        self._emit_start(*map(self._headroom, (instructions, clocks, waits)))

    def _headroom(self, weights: dict[int, list[int]]) -> int:
        """Return the most between two checks, and what follows a check until the fields that are dead there are set."""
        ahead = (sum(weights[start][:taken]) for start, (_, taken) in self._dead.items())
        return longest_path(self.region, {start: sum(each) for start, each in weights.items()}) + max(ahead, default=0)

    def _block(self, block: Block) -> tuple[list[int], list[int]]:
        """Emit a block; return the most clocks of its instructions, and their most waits for the bus."""
        clocks, waits = [], []
        self._block_now = block.start
        self._cached = {}
        self._pending = self._pending_at.setdefault(block.start, self.nothing)
        for insn in block.insns:
            self._insn(insn)
            clocks.append(self.timing.max_clocks)
            waits.append(self.timing.max_waits)
        if not self.code.block.is_ended:
            self._edge(block.end)
        return clocks, waits

    def _insn(self, insn: Insn) -> None:
        self._pc_now, self._end_now = insn.pc, insn.end
        self._can_leave = self._can_jump = False
        self._target: Word | None = None
        self._splits = False
        self._taken: Word | None = None
        self._left, self._jumped = self.variable(self.const(1, 0)), self.variable(self.const(1, 0))
        self._next_pc = self.variable(self.next_pc)
        fields = iter(insn.fields + self.timing.fields(insn))
        self._count_later(1, 0)
        self.run_row(insn.row, insn.statics, lambda: Word(32, next(fields)))
        if self.timing.takes_a_clock and self.timing.min_clocks < 1:
            raise SpecError(f"{insn.text}: an instruction of no clocks")
        if self._can_leave:
            with self.code.if_then(self._left.get().operand, UNLIKELY):
                self._exit(LEAVE, self._next_pc.get())
        if self._target is not None:
            if insn.target is not None and self._target.known == insn.target and not self._can_jump:
                self._edge(insn.target)
            elif insn.row.options.get("jumps"):
                self._switch(self._next_pc.get())
            else:
                self._computed_jump(self._next_pc.get())
        elif self._can_jump:
            with self.code.if_then(self._jumped.get().operand, UNLIKELY):
                self._to_dispatch(self._next_pc.get())
        if self._taken is not None:
            assert insn.target is not None  # where branches go is decoded
            self._branch_away(insn, self._taken, insn.target)

    def _branch_away(self, insn: Insn, condition: Word, target: int) -> None:
        taken, passed = self.code.new_block(), self.code.new_block()
        self.code.branch_if(condition.operand, taken, passed)
        pending, cached = self._pending, self._cached
        for block, address, outcome in ((taken, target, True), (passed, insn.end, False)):
            self.code.go_on(block)
            self._pending, self._cached, self._outcome = pending, dict(cached), int(outcome)
            if self._splits:
                self.timing.finish(outcome)
            self._edge(address)

    def _count_later(self, instructions: int, clocks: int) -> None:
        self._pending = self._pending[0] + instructions, self._pending[1] + clocks, *self._pending[2:]

    def _flush(self, expected: tuple[int, ...]) -> None:
        """Count what has been executed, but for what the code that is next expects to be pending."""
        self._counter.count(*(now - then for now, then in zip(self._pending[:2], expected)))

    def _edge(self, address: int) -> None:
        """Continue at an address that decoding knows."""
        if address in self._blocks and address not in self.region.checks:
            self._enter(address)
        else:
            self._checked_edge(address)

    def _enter(self, address: int) -> None:
        """Branch to a block, which expects some of what has been executed not to be counted yet."""
        self._flush(self._pending_at.setdefault(address, self._pending))
        self.code.branch(self._blocks[address])

    def _checked_edge(self, address: int) -> None:
        if address in self._blocks:
            self._flush(self.nothing)
            pending, self._pending = self._pending, self.nothing
            with self.code.if_then(self._counter.is_used_up().operand, UNLIKELY):
                for name, element in sorted(self._dead[address][0]):
                    if not self._in_memory(name):
                        self.code.store(f"i{self._width(name)}", "undef", self._slots.address((name, element)))
                self._exit(CONTINUE, Word(32, address))
            self._enter(address)
            self._pending = pending
        else:
            self._exit(CONTINUE, Word(32, address))

    def _computed_jump(self, address: Word) -> None:
        for guess in self.region.guesses[self._block_now]:
            with self.code.if_then(address.eq(guess).operand):
                self._edge(guess)
        self._to_dispatch(address)

    def _begin_timing(self) -> None:
        """Prepare what the timing model keeps outside of fields."""

    def _end_timing(self) -> None:
        """Finish what the clocks of the way out need."""

    def _switch(self, address: Word) -> None:
        """Go to one of the entries from here: each computed jump has a branch of its own, which processors predict."""
        self._flush(self.nothing)
        self._pending = self.nothing
        self._emit_switch(address)

    def _to_dispatch(self, address: Word) -> None:
        self._end_timing()
        self._flush(self.nothing)
        self.put(address, self._address)
        self.code.branch(self._dispatch)

    def _exit(self, how: int, address: Word) -> None:
        self._end_timing()
        self._flush(self.nothing)
        self.put(address, self._address)
        self.put(Word(32, how), self._how)
        self.code.branch(self._out)

    def _emit_start(self, instructions: int, clocks: int, waits: int) -> None:
        """Emit what comes first: check the headroom, load the state, go to the entry point."""
        self.code.go_on(self.code.first)
        self._pending = self.nothing
        left, now, safe = self.word(64, self.chain.budget) - instructions, self.const(64, 0), self.const(64, 1)
        refused = left.sle(0)
        if self.timing.counts:
            now = self.chain.begun
            safe = self.field("limit") - (self.timing.max_wait_clocks() * waits + clocks)
            refused = refused | safe.sle(now)
        with self.code.if_then(refused.operand, UNLIKELY):
            self._refuse()
            handler = self.code.load(POINTER, self.chain.address(self.alone_word))
            self.chain.call_handler(handler, self.chain.record, self.chain.budget, self.chain.begun)
        self._counter.start(left, instructions, now, safe)
        for name, element in self._slots.loaded():
            self.put(self.field(name, Word(32, element)), self._slots.address((name, element)))
        self._begin_timing()
        self._to_dispatch(self.chain.word(PC_WORD))

    def _refuse(self) -> None:
        """Prepare for the handler of a single instruction."""

    def _entry(self, pc: int) -> IrBlock:
        """Return what to branch to with an entry point."""
        return self._blocks[pc]

    def _emit_dispatch(self) -> None:
        self.code.go_on(self._dispatch)
        self._pending = self.nothing
        self._emit_switch(self.loaded(32, self._address))

    def _emit_switch(self, address: Word) -> None:
        entries = [(pc, self._entry(pc)) for pc in self.region.entries]
        miss = self.code.new_block()
        with self.code.if_then(self._counter.is_used_up().operand, UNLIKELY):
            self.code.branch(miss)
        self.code.switch(I32, address.operand, miss, entries)
        self.code.go_on(miss)
        number = (address >> self.cpu.isa.word_bytes.bit_length() - 1) & (MISSES - 1)
        place = self.code.address(self.context_entry(MISSED), number.zext(64).operand, I64)
        self.put(address.zext(64), place)
        self._exit(CONTINUE, address)

    def _emit_out(self) -> None:
        """Store the state; return to the host or continue with the record of the address."""
        self.code.go_on(self._out)
        for name, element in sorted(self._slots.changed):
            word = self.loaded(self._width(name), self._slots.address((name, element)))
            self.set_field(name, word, Word(32, element))
        self._store_timing()
        address = self.loaded(32, self._address)
        self.set_field("pc", address)
        left = self._counter.budget().operand
        with self.code.if_then(self.loaded(32, self._how).eq(LEAVE).operand):
            self.chain.return_number(LEFT, left)
        self._run_next(self.chain.record_of(address), left)

    def _run_next(self, record: str, left: str) -> None:
        self.chain.run_record(record, left)

    def now(self) -> Word:
        return self._counter.clock() if self.timing.counts else self.chain.begun

    def _store_timing(self) -> None:
        """Store what the timing model keeps outside of fields."""

    def finish_timing(self) -> None:
        """Leave the end of a branch's timing to its two edges, where its outcome is known, if that makes it simpler."""
        ends_here = self._can_leave or self._can_jump
        self._splits = self._taken is not None and self.timing.splits_branches and not ends_here
        if not self._splits:
            self.timing.finish()

    def context_pointer(self, number: int) -> str:
        return self._watches if number == CODE_POINTER else super().context_pointer(number)

    # operands: everything that decoding knows is a literal

    @property
    def pc(self) -> Word:
        return Word(32, self._pc_now)

    @property
    def next_pc(self) -> Word:
        return Word(32, self._end_now)

    def _width(self, name: str) -> int:
        return self.cpu.layout.fields[name][0]

    def _in_memory(self, name: str) -> bool:
        return name not in self.cpu.in_registers

    def _location(self, address: Word) -> Word:
        """Mask the base of an address: once for all accesses around one register."""
        base, distance = (address, 0) if address.known is not None else base_and_distance(address)
        if not -MIRROR_BYTES <= distance <= MIRROR_BYTES - MAX_ACCESS_BYTES:
            base, distance = address, 0
        return super()._location(base).zext(64) + distance

    def get(self, name: str) -> Word:
        if name == "cycles":
            return self._counter.clock() + self._pending[1]
        return super().get(name) if self._in_memory(name) else self._cached_value(name, 0)

    def set(self, name: str, word: Word) -> None:
        if name == "cycles":
            self._counter.set_clock(word - self._pending[1])
        elif self._in_memory(name):
            super().set(name, word)
        else:
            self._change(name, 0, word)

    def _change(self, name: str, element: int, word: Word) -> None:
        self.put(word, self._slots.used((name, element), self._block_now))
        self._slots.changed.add((name, element))
        self._cached.pop((name, element), None)
        if not self._depth and word.known is None:  # what decoding does not know stays unknown: blocks depend on it
            self._cached[name, element] = word

    def _cached_value(self, name: str, element: int) -> Word:
        cached = self._cached.get((name, element))
        if cached is not None:
            return cached
        word = self.loaded(self._width(name), self._slots.used((name, element), self._block_now))
        if not self._depth:
            self._cached[name, element] = word
        return word

    def pass_clocks(self, clocks: Word) -> None:
        if clocks.known is not None and self._depth == 0:
            self._count_later(0, clocks.known)
        else:
            super().pass_clocks(clocks)

    def element(self, name: str, n: Word) -> Word:
        if self._in_memory(name):
            return super().element(name, n)
        if n.known is not None:
            return self._cached_value(name, n.known)
        word = self._cached_value(name, 0)
        for number in range(1, self._count_of(name)):
            word = self.select(n.eq(number), self._cached_value(name, number), word)
        return word

    def set_element(self, name: str, n: Word, word: Word) -> None:
        if self._in_memory(name):
            super().set_element(name, n, word)
        elif n.known is not None:
            self._change(name, n.known, word)
        else:
            for number in range(self._count_of(name)):
                self._change(name, number, self.select(n.eq(number), word, self._cached_value(name, number)))

    def _count_of(self, name: str) -> int:
        return self.cpu.layout.fields[name][1]

    def _code_written(self, location: Word, size: int) -> None:
        start = (location.trunc(32) & ADDRESS_MASK).zext(64)
        words = start, Word(64, size), self.pc.zext(64)
        self.subroutine("code", _note_code_written, *words, convention=SPARING)
        self._can_leave = True
        self._left.set(self.const(1, 1))

    def _reg(self, n: Word, bits: int) -> Word:
        return self.element("r", n).trunc(bits)

    def _set_reg(self, n: Word, word: Word) -> None:
        if word.bits < 32:
            old = self.element("r", n)
            word = (old >> word.bits << word.bits) | word.zext(32)
        self.set_element("r", n, word)

    # control

    def for_each_bit(self, mask: Word, body: Callable[[Word], None], down: bool = False) -> None:
        if mask.known is None:
            self._cached.clear()  # what the body changes, its beginning sees the next time
            super().for_each_bit(mask, body, down)
        else:
            self.for_each_known_bit(mask, body, down)

    def abort_when(self, condition: Word, last: Callable[[], None]) -> None:
        if condition.known == 0:
            return
        saved = self._can_leave, self._can_jump, self._target, self._pending, dict(self._cached)
        with self.code.if_then(condition.operand, UNLIKELY):
            last()
            self._exit(LEAVE, self._next_pc.get())
        self._can_leave, self._can_jump, self._target, self._pending, self._cached = saved

    def _jump(self, address: Word) -> None:
        if self._depth == 0:
            self._target = address
        else:
            self._can_jump = True
            self._jumped.set(self.const(1, 1))
        self._next_pc.set(address)


def _note_code_written(m: Emitter, start: Word, size: Word, pc: Word) -> Word:
    """Widen the range of code that has been written, and leave for it."""
    low, high, first, end = m.get("written_low"), m.get("written_high"), start.trunc(32), (start + size).trunc(32)
    m.set("written_low", m.select(first.ult(low), first, low))
    m.set("written_high", m.select(high.ult(end), end, high))
    m.set("touched_by", pc.trunc(32))
    m.set("reason", m.const(32, CODE_WRITTEN))
    m.set("detail", m.const(32, 0))
    return m.const(64, 0)
