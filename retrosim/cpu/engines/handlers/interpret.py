"""Tier 1: decoded records, one compiled handler per row and addressing class.

Decoding is plain Python, once per address; a record holds the handler's address, its fields, and the numbers of the
records that follow. An instruction whose handler has not been compiled yet is run by the evaluator, so that nothing
ever waits for a rare one. Regions that the recompiler has made are entered through the records of their entry points.
"""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache
from weakref import WeakMethod

import numpy as np

from ...spec.cpu import ADDRESS_MASK, MISALIGNED, REACHED, RUNNING
from ...spec.ir import POINTER, Function, Signature
from ...spec.rows import Insn
from ...spec.timing import Timing
from ..clock_table.memo import Memo
from ..compiled import CompiledFunctions, Effort, compile_functions
from ..core import Core
from ..emit import (
    ASK_POINTER,
    BUDGET,
    CODE_POINTER,
    CONTEXT_ENTRIES,
    COUNTS_POINTER,
    HITS_POINTER,
    INDEX_POINTER,
    MISSED,
    MISSES,
    RECORDS_POINTER,
    TABLE_POINTER,
)
from ..evaluate import Evaluator
from ..profiling import Profile
from ..regions.compiled_region import CompiledRegion
from ..regions.regions import Region
from .handler_cache import VARIANTS, HandlerCache, Key, Variants, units_of
from .handlers import (
    CHOICE,
    COUNTING_WORD,
    END_WORD,
    FIELDS_WORD,
    FORGET,
    GOTO,
    HANDLER,
    HANDLER_WORD,
    NOT_EXECUTED,
    ORDINARY_WORD,
    PC_WORD,
    RECORD_BYTES,
    RECORD_WORDS,
    TARGET_WORD,
    UNDECODED_PC,
    UNKNOWN,
    UNKNOWN_RECORD,
    VARIANT,
)

# How the host enters compiled code.

# a function by the convention of C that calls a handler: its address, then what that is given. Other threads run
# meanwhile. It is called without Numba, whose compiler takes longer to come up than everything else that a machine
# needs before its first frame.
ENTER = Signature(POINTER, (POINTER, *HANDLER.parameters))
ENTER_TYPE = ctypes.CFUNCTYPE(ctypes.c_uint64, *[ctypes.c_void_p] * 5, *[ctypes.c_int64] * 2)


@cache
def _entering() -> CompiledFunctions:
    def emit(code: Function) -> None:
        handler, *arguments = code.args
        code.ret(code.call(HANDLER, handler, arguments))

    return compile_functions("enter", [emit], Effort.FEW, signature=ENTER)


_NO_COUNTS, _NO_MISSES = np.zeros(1, np.int64), bytes(8 * MISSES)


class Entrance:
    """Where the host enters compiled code: with the memory of the machine, at a record."""

    def __init__(
        self,
        ram: np.ndarray,
        code: np.ndarray,
        hits: np.ndarray,
        state: np.ndarray,
        records: np.ndarray,
        index: np.ndarray,
        table: np.ndarray,
        ask: int,
        counts: np.ndarray = _NO_COUNTS,
    ) -> None:
        self._enter = ENTER_TYPE(int(_entering().addresses[0]))
        self._arrays = ram, code, hits, state, records, index, table, counts
        self._ram, self._state, self._records = (each.ctypes.data for each in (ram, state, records))
        self._count, self._words = len(records), records.reshape(-1).view(np.uint64).data
        context = np.zeros(CONTEXT_ENTRIES, np.uint64)
        self._context, self._address = context.data, context.ctypes.data
        self._missed, self._misses = context[MISSED:], context[MISSED:].view(np.uint8).data
        context[CODE_POINTER], context[INDEX_POINTER] = code.ctypes.data, index.ctypes.data
        context[HITS_POINTER] = hits.ctypes.data
        context[RECORDS_POINTER], context[TABLE_POINTER] = self._records, table.ctypes.data
        context[ASK_POINTER], context[COUNTS_POINTER] = ask, counts.ctypes.data

    def missed(self) -> list[int]:
        """Return where computed jumps have led to that no region knew, since the last call."""
        if bytes(self._misses) == _NO_MISSES:
            return []
        found = self._missed[np.flatnonzero(self._missed)].tolist()
        self._missed[:] = 0
        return found

    def call(self, handler: int, clock: int) -> None:
        """Call a handler that returns to the host at once."""
        self._enter(handler, self._ram, self._state, self._records, self._address, 0, clock)

    def run(self, start: int, budget: int, clock: int) -> tuple[int, int]:
        """Run records from number `start`, at a clock.

        Returns  (next record, or -LEFT or -NOT_EXECUTED; instructions executed)
        """
        if not 0 <= start < self._count:
            raise IndexError("no such record")
        handler = self._words[start * (RECORD_BYTES // 8) + HANDLER_WORD]
        first = self._records + start * RECORD_BYTES
        following = self._enter(handler, self._ram, self._state, first, self._address, budget, clock)
        executed = budget - self._context[BUDGET]
        if following <= NOT_EXECUTED:
            return -following, executed
        return (following - self._records) // RECORD_BYTES, executed


MAX_DECODED_AHEAD = 64  # instructions decoded ahead
MAX_RECORDS = 1 << 17
MAX_VISITS = 2000  # times that code runs into something not decoded or compiled before a run ends early
MAX_TARGETS = 1 << 14  # addresses remembered where code was met
MAX_BREAKS = 8  # writes into a region before it stays with the interpreter


@dataclass
class InstalledRegion:
    """A recompiled region: `insns` are its instructions by address, `breaks` counts writes into them."""

    compiled: CompiledRegion
    insns: dict[int, Insn]
    is_active: bool = False
    breaks: int = 0


class Interpreter:
    """Executes a core through compiled handlers, however few: the evaluator bridges what is missing.

    missing   instructions that were bridged for lack of a handler, by key
    bridged   how many times
    indirect_targets  addresses where execution came to code that was not linked, by computed jumps, in that order
    direct_targets    likewise, where known code leads there
    """

    name = "interpret"
    SLICE = 10_000_000  # instructions at a time, a fraction of a second: between two, the user can interrupt

    def __init__(self, core: Core, cache: HandlerCache) -> None:
        self.core = core
        self.bridge = Evaluator(core)
        self._caches = [cache]  # whose code the records point to
        self._handlers = dict(cache.handlers)
        self._stubs = cache.stubs
        self._forgets = core.timing.forget is not Timing.forget
        self.indirect_targets: dict[int, None] = {}
        self.direct_targets: dict[int, None] = {}
        self._behind_bridge = -1  # address where the instruction bridged last ends, if it goes on there
        self._bridge_to: int | None = None  # the target that decoding knows of it
        self.forget_missing()
        unit = core.cpu.isa.word_bytes
        self._shift = unit.bit_length() - 1
        self._profile: Profile | None = None
        self.breaks: frozenset[int] = frozenset()  # where every run ends
        self._stops: Collection[int] = ()  # where the present run ends
        self._entered: dict[int, InstalledRegion] = {}  # entry point -> the region in force
        self._covering: dict[int, list[InstalledRegion]] = {}  # instruction -> the regions that contain it
        self._state = core.state.reshape(1).view(np.uint8)
        self._memo = Memo(core)
        self._clear()
        core.on_invalidate.append(WeakMethod(self._forget))

    def run(self, instructions: int, stops: Collection[int] = ()) -> int:
        """Execute up to `instructions`, or to one of the addresses `stops`; return how many. The state tells why.

        The run ends early, with the reason RUNNING, if much had to be decoded or bridged: the caller goes on.
        """
        self.core.begin_run()
        self.core.state["reason"] = RUNNING
        if not self._profile:
            return self._run_to(instructions, stops)
        done = 0
        self._profile.begin(instructions)
        try:
            done = self._run_to(instructions, stops)
            return done
        finally:
            self._profile.end()
            self._profile.consume(instructions - done)

    def _run_to(self, instructions: int, stops: Collection[int]) -> int:
        if not stops:
            return self._run(instructions)
        self._stops = self.breaks.union(stops)
        regions = [region for stop in stops for region in self._covering.get(stop, ())]
        for region in regions:
            self._suspend(region)
        self._watch_stops()
        try:
            return self._run(instructions)
        finally:
            self._stops = self.breaks
            for region in regions:
                self._resume(region)

    def break_at(self, addresses: Iterable[int]) -> None:
        """End every run before the instructions at some addresses, which take the place of those before."""
        old, self.breaks = self.breaks, frozenset(addresses)
        self._stops = self.breaks
        for region in {id(r): r for at in self.breaks - old for r in self._covering.get(at, ())}.values():
            self._suspend(region)
        self._watch_stops()
        for region in {id(r): r for at in old - self.breaks for r in self._covering.get(at, ())}.values():
            self._resume(region)

    def regions_at(self, address: int) -> list[Region]:
        """Return the recompiled regions that have an instruction."""
        return [installed.compiled.region for installed in self._covering.get(address, ())]

    def _run(self, instructions: int) -> int:
        try:
            return self._run_records(instructions)
        finally:
            if self._forgets:
                self._entrance.call(self._stubs[FORGET], int(self.core.state["cycles"]))

    def _run_records(self, instructions: int) -> int:
        core, memo, done, visits = self.core, self._memo, 0, 0
        memo.prepare()
        while done < instructions and visits < MAX_VISITS and core.state["cycles"] < core.state["limit"]:
            start = self._slot(int(core.state["pc"]))
            with memo.asking():
                following, executed = self._entrance.run(start, instructions - done, int(core.state["cycles"]))
            done += executed
            if following >= 0:
                if following != UNKNOWN_RECORD:
                    core.state["pc"] = self._records[following, PC_WORD]
            elif following == -NOT_EXECUTED:
                core.state["reason"] = RUNNING
                if int(core.state["pc"]) in self._stops:
                    if done:
                        core.state["reason"] = REACHED
                        break
                    done += self._evaluate(instructions - done)  # it is where the run begins
                    if core.state["reason"] != RUNNING:
                        break
                    continue
                visits += 1
                if not self._link(int(core.state["pc"])):
                    done += self._bridge(instructions - done)
                    if core.state["reason"] != RUNNING:
                        break
            elif core.state["reason"] == MISALIGNED:
                self.bridge.finish_misaligned()
                if core.state["reason"] != RUNNING:
                    break
            else:
                break
        return done

    def note_missed(self) -> None:
        """Note where computed jumps of regions have led to code that is in no region, or not entered there."""
        for pc in self._entrance.missed():
            if pc not in self._entered and len(self.indirect_targets) < MAX_TARGETS:
                self.indirect_targets[pc] = None

    def _bridge(self, left: int) -> int:
        self.bridged += 1
        insn = self.core.decode(int(self.core.state["pc"]))
        self.missing[insn.key] = insn
        self._behind_bridge = -1 if insn.row.options.get("ends") else insn.end
        self._bridge_to = insn.target
        return self._evaluate(left)

    def _evaluate(self, left: int) -> int:
        """Run one instruction on the evaluator; left: of the run, with it."""
        if not self._profile:
            return self.bridge.step(1)
        insn = self.core.decode(int(self.core.state["pc"]))
        self._profile.end()
        done = self.bridge.step(1)
        self._profile.bridged(insn, left - done)
        return done

    def attach(self, profile: Profile | None) -> None:
        """Count in a profile from now on, or no more; regions that do not count rest meanwhile."""
        self._keep_counts()
        regions = list({id(each): each for installed in self._covering.values() for each in installed}.values())
        for region in regions:
            self._suspend(region)
        self._profile = profile
        self._clear()
        for region in regions:
            if region.compiled.counting is not None:
                self.uninstall(region.compiled)
            else:
                self._resume(region)

    def _keep_counts(self) -> None:
        if self._profile:
            self._profile.take(self._used)
            self._profile.take_regions()

    def counted(self) -> dict[int, list[int]]:
        """Return what the profile has counted: address -> [visits, clocks]; -1: what is nobody's."""
        assert self._profile
        self._keep_counts()
        return self._profile.counts

    def forget_missing(self) -> None:
        self.missing: dict[Key, Insn] = {}
        self.bridged = 0

    def use(self, cache: HandlerCache) -> None:
        """Take handlers in, which replace those of the same keys."""
        self._keep_counts()
        self._caches.append(cache)
        self._handlers |= cache.handlers
        self.forget_missing()
        self._clear()

    def _clear(self) -> None:
        """Forget all records."""
        self._index = np.zeros(units_of(self.core.cpu) + VARIANTS, np.int32)
        self._variants = Variants(self.core.cpu, self._index)
        self._use(np.zeros((1024, RECORD_WORDS), np.uint32))
        self._set_handler(UNKNOWN_RECORD, self._stubs[UNKNOWN])
        self._used = 1
        self._branches: dict[int, list[int]] = {}  # address -> records that branch to it
        self._watch_stops()

    def _use(self, records: np.ndarray) -> None:
        self._records, core, memo = records, self.core, self._memo
        counts = [self._profile.region_counts] if self._profile else []
        arrays = core.ram, core.code, core.hits, self._state, records, self._index, memo.words
        self._entrance = Entrance(*arrays, memo.callback, *counts)
        if self._profile:
            self._profile.use(records)

    def _watch_stops(self) -> None:
        """Make the records of the addresses to stop at ask the host, every time."""
        for stop in self._stops:
            if not stop & ((1 << self._shift) - 1):
                self._set_handler(self._slot(stop), self._stubs[UNDECODED_PC])

    def _set_handler(self, slot: int, address: int) -> None:
        """Make a record run a handler; where a region is entered, the region."""
        words = self._records[slot].view(np.uint64)
        words[HANDLER_WORD] = words[ORDINARY_WORD // 2] = address
        if self._profile and address not in self._stubs:
            words[HANDLER_WORD] = self._profile.handler(self.core.decode(int(self._records[slot, PC_WORD])))
        words[COUNTING_WORD // 2] = words[HANDLER_WORD]
        pc = int(self._records[slot, PC_WORD])
        if slot != UNKNOWN_RECORD and self._index[(pc & ADDRESS_MASK) >> self._shift] == slot:
            self._place(slot, pc)

    def _place(self, slot: int, pc: int) -> None:
        """Make a record that of its address: the only one through which a region is entered there."""
        self._index[(pc & ADDRESS_MASK) >> self._shift] = slot
        region = self._entered.get(pc)
        if region is not None:
            self._records[slot].view(np.uint64)[HANDLER_WORD] = region.compiled.address

    def install(self, compiled: CompiledRegion) -> None:
        """Run a recompiled region from now on, as long as its code stays what it is."""
        region = compiled.region
        if compiled.plan is not None and not region.left_out:
            self._uninstall_older(region)
        installed = InstalledRegion(compiled, {i.pc: i for i in region.insns})
        for pc in installed.insns:
            self._covering.setdefault(pc, []).append(installed)
        self.core.retained |= installed.insns.keys()  # a store into one of them has to be noticed
        self._resume(installed)

    def _uninstall_older(self, region: Region) -> None:
        """Never run older regions of the same code again: its blocks have one plan for the table at a time."""
        older = {id(each): each for insn in region.own_insns for each in self._covering.get(insn.pc, ())}
        for installed in older.values():
            self.uninstall(installed.compiled)

    def _resume(self, region: InstalledRegion) -> None:
        """Put a region in force if memory holds the code that it was compiled from."""
        if region.is_active or region.breaks > MAX_BREAKS:
            return
        if (region.compiled.counting is None) == bool(self._profile):
            return
        if any(stop in region.insns for stop in self._stops) or not self.core.unsteady.isdisjoint(region.insns):
            return
        if any(self.core.decode(pc) != insn for pc, insn in region.insns.items()):
            return
        compiled = region.compiled
        if compiled.plan is not None and compiled.steps is not None:
            self._memo.add(compiled.plan, compiled.steps)
        region.is_active = True
        for pc in region.compiled.region.entries:
            self._entered[pc] = region
            slot = int(self._index[pc >> self._shift])
            if slot != UNKNOWN_RECORD:
                self._records[slot].view(np.uint64)[HANDLER_WORD] = region.compiled.address

    def uninstall(self, compiled: CompiledRegion) -> None:
        """Never run a region again."""
        for pc in {insn.pc for insn in compiled.region.insns}:
            for installed in [each for each in self._covering[pc] if each.compiled is compiled]:
                self._suspend(installed)
                self._covering[pc].remove(installed)

    def _suspend(self, region: InstalledRegion) -> None:
        """Let the interpreter run the code of a region."""
        if not region.is_active:
            return
        region.is_active = False
        for pc in region.compiled.region.entries:
            if self._entered.get(pc) is not region:
                continue
            del self._entered[pc]
            slot = int(self._index[pc >> self._shift])
            if slot != UNKNOWN_RECORD:
                words = self._records[slot].view(np.uint64)
                words[HANDLER_WORD] = words[COUNTING_WORD // 2]

    def _new_slot(self, pc: int, handler: int) -> int:
        """Append a record for an address; without an instruction yet, it asks the host to decode one."""
        slot = self._used
        self._used += 1
        if slot == len(self._records):
            self._use(np.concatenate([self._records, np.zeros_like(self._records)]))
        self._records[slot, PC_WORD] = pc
        self._set_handler(slot, handler)
        return slot

    def _slot(self, pc: int) -> int:
        """Return the record of an address, appending an undecoded one if it has none."""
        if pc & ((1 << self._shift) - 1):
            return UNKNOWN_RECORD
        number = (pc & ADDRESS_MASK) >> self._shift
        if self._index[number] == UNKNOWN_RECORD:
            self._place(self._new_slot(pc, self._stubs[UNDECODED_PC]), pc)
        return int(self._index[number])

    def _link(self, pc: int) -> bool:
        """Decode from `pc` on into consecutive records; False when no compiled handler fits the first instruction."""
        if self._used > MAX_RECORDS:
            self._keep_counts()
            self._clear()
        if pc != self._behind_bridge:
            found = self.direct_targets if pc == self._bridge_to or pc in self._branches else self.indirect_targets
            if len(found) < MAX_TARGETS:
                found[pc] = None
        for region in self._covering.get(pc, ()):
            self._resume(region)
        if pc & ((1 << self._shift) - 1):
            return False
        insn = self.core.decode(pc)
        handler = self._handler(insn)
        if handler is None:
            return False
        if pc in self.core.unsteady:
            self._link_variant(insn, handler)
            return True
        before, first = self._slot(pc), self._used
        is_overwritten = bool(self._records[before, END_WORD])  # then what leads there goes on through it, for good
        for _ in range(MAX_DECODED_AHEAD):
            insn = self.core.decode(pc)
            handler = self._handler(insn)
            if handler is None:
                break
            slot = self._append(insn, handler)
            if slot != first or not is_overwritten:
                self._lead_to(slot, pc)
            pc = insn.end
            if insn.row.options.get("ends") or self._index[pc >> self._shift] or pc in self.core.unsteady:
                break
        last = self._used
        if self._index[pc >> self._shift]:
            self._redirect(self._new_slot(pc, self._stubs[GOTO]), int(self._index[pc >> self._shift]))
        else:
            self._place(self._new_slot(pc, self._stubs[UNDECODED_PC]), pc)
            if not self.core.decode(int(self._records[last - 1, PC_WORD])).row.options.get("ends"):
                self._branches.setdefault(pc, [])  # the code before leads there, as a branch does
        self._set_handler(before, self._stubs[GOTO])
        self._redirect(before, first)
        for slot in range(first, last):  # targets last: their records would break the row of consecutive ones
            insn = self.core.decode(int(self._records[slot, PC_WORD]))
            if insn.target is not None:
                self._branches.setdefault(insn.target, []).append(slot)
                self._redirect(slot, self._slot(insn.target))
        return True

    def _link_variant(self, insn: Insn, handler: int) -> None:
        """Make the record of an unsteady instruction's address choose, now this variant of it, too."""
        variants, pc, goto = self._variants, insn.pc, self._stubs[GOTO]
        before, count = self._slot(pc), len(self.core.bytes_of(insn))
        chooses = self._records[before].view(np.uint64)[ORDINARY_WORD // 2] == self._stubs[CHOICE]
        known = variants.sizes.get(pc, 0)
        size = variants.sizes[pc] = max(count, known)
        code = self.core.ram[pc : pc + size].tobytes()
        if chooses or size > known:
            variant = self._new_slot(pc, self._stubs[VARIANT])
            variants.write(self._records[variant], code[:count])
            self._redirect(self._new_slot(pc, goto), variants.enter(pc, code, variant))
            slot = self._append(insn, handler)
            self._redirect(variant, slot)
            self._redirect(self._new_slot(insn.end, goto), self._slot(insn.end))
            if insn.target is not None:
                self._redirect(slot, self._slot(insn.target))
        if not chooses or size > known:
            variants.write(self._records[before], code)
            self._set_handler(before, self._stubs[CHOICE])

    def _handler(self, insn: Insn) -> int | None:
        if (insn.target or 0) & ((1 << self._shift) - 1):
            return None  # the evaluator deals with branches to misaligned addresses
        return self._handlers.get(insn.key)

    def _append(self, insn: Insn, handler: int) -> int:
        slot = self._new_slot(insn.pc, handler)
        fields = insn.fields + self.core.timing.fields(insn)
        record = self._records[slot]
        record[END_WORD] = insn.end
        record[FIELDS_WORD : FIELDS_WORD + len(fields)] = fields
        return slot

    def _lead_to(self, slot: int, pc: int) -> None:
        """Make a record that of its address, where branches go."""
        self._place(slot, pc)
        for branch in self._branches.get(pc, ()):
            if self._records[branch].view(np.uint64)[ORDINARY_WORD // 2] != self._stubs[GOTO]:  # else overwritten since
                self._redirect(branch, slot)

    def _redirect(self, slot: int, target: int) -> None:
        self._records[slot, TARGET_WORD] = (target - slot) * RECORD_BYTES & 0xFFFFFFFF

    def _forget(self, pc: int) -> None:
        for region in self._covering.get(pc, ()):
            region.breaks += region.is_active
            self._suspend(region)
        slot = int(self._index[(pc & ADDRESS_MASK) >> self._shift])
        if slot != UNKNOWN_RECORD:
            self._set_handler(slot, self._stubs[UNDECODED_PC])
