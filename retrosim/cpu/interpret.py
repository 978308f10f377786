"""Tier 1: decoded records, one compiled handler per row and addressing class.

Decoding is plain Python, once per address; a record holds the handler's address, its fields, and the numbers of the
records that follow. Handlers are compiled in banks (the set that a ROM needs, or all of a model) and cached on disk;
an instruction whose handler is in no bank yet is run by the evaluator, so that nothing ever waits for a rare one.
"""

from __future__ import annotations

import hashlib
import threading
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ..jit import generated_module, kernel
from .core import ADDRESS_MASK, MISALIGNED, REACHED, RUNNING, Core, Cpu
from .emit import (
    BUDGET,
    BYTES,
    CODE_POINTER,
    END_WORD,
    FIELDS_WORD,
    GOTO,
    HANDLER,
    HANDLER_WORD,
    I64,
    INDEX_POINTER,
    NOT_EXECUTED,
    PC_WORD,
    RECORD_BYTES,
    RECORD_WORDS,
    RECORDS_POINTER,
    TARGET_WORD,
    UNDECODED_PC,
    UNKNOWN,
    UNKNOWN_RECORD,
    Emitter,
    context_entry,
    emit_goto,
    emit_undecoded,
    pointer_constant,
)
from .evaluate import Evaluator
from .spec import Insn, Row

Key = tuple[Row, tuple[Any, ...]]
STUBS = 3  # handlers before those of the rows: UNKNOWN, UNDECODED_PC, GOTO
LONGEST_RUN = 64  # instructions decoded ahead
MOST_RECORDS = 1 << 17
FULL_BANK_AFTER = 2000  # instructions bridged by the evaluator before all handlers are compiled


class Bank:
    """Compiled handlers of one CPU model and timing mode: `addresses` are callable by the loop."""

    def __init__(self, cpu: Cpu, timing: str, keys: list[Key]) -> None:
        self.numbers = {(row.syntax + "|" + row.pattern, statics): i + STUBS for i, (row, statics) in enumerate(keys)}
        names = repr((cpu.model, timing, list(self.numbers)))
        name = f"bank_{cpu.model}_{timing}_{hashlib.blake2b(names.encode(), digest_size=8).hexdigest()}"
        source = "from retrosim.jit import kernel\n\n\n@kernel\ndef fill(addresses):\n    return body(addresses)\n"
        module = generated_module(name, source)
        module.body = _bank_body(cpu, timing, keys, name)
        self.addresses = np.zeros(len(keys) + STUBS, np.uint64)
        module.fill(self.addresses)
        self.module = module  # keeps the code alive


def _bank_body(cpu: Cpu, timing: str, keys: list[Key], name: str):
    """Return an intrinsic that defines the handlers and stores their addresses into an array."""

    @intrinsic
    def body(typing_context, addresses):
        def generate(context, builder, signature, arguments):
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            functions = []
            for number in range(STUBS + len(keys)):
                function = ir.Function(builder.module, HANDLER, f"{name}_{number}")
                function.linkage = "internal"
                if number == GOTO:
                    emit_goto(function)
                elif number < STUBS:
                    emit_undecoded(cpu, function, known_pc=number == UNDECODED_PC)
                else:
                    row, statics = keys[number - STUBS]
                    Emitter(cpu, cpu.timing[timing], function).emit(row, statics)
                functions.append(function)
            for number, function in enumerate(functions):
                place = builder.gep(data, [ir.Constant(I64, number)], inbounds=True)
                builder.store(builder.ptrtoint(function, I64), place)
            return ir.Constant(I64, len(functions))

        return types.int64(addresses), generate

    return body


@intrinsic
def _run(typing_context, ram, code, state, records, index, start, budget):
    """Run records from number `start`; return (next record, or -LEFT or -NOT_EXECUTED; instructions executed)."""

    def generate(context, builder, signature, arguments):
        def data(position):
            array = context.make_array(signature.args[position])(context, builder, arguments[position])
            return builder.bitcast(array.data, BYTES)

        ram_data, code_data, state_data, records_data, index_data = (data(i) for i in range(5))
        table = builder.bitcast(builder.alloca(BYTES, 4), BYTES)
        for number, pointer in (
            (CODE_POINTER, code_data),
            (INDEX_POINTER, index_data),
            (RECORDS_POINTER, records_data),
        ):
            builder.store(pointer, context_entry(builder, table, number))
        first = builder.gep(records_data, [builder.mul(arguments[5], ir.Constant(I64, RECORD_BYTES))])
        handler = builder.load(builder.bitcast(first, HANDLER.as_pointer().as_pointer()))
        following = builder.call(handler, [ram_data, state_data, first, table, arguments[6]])
        left = builder.load(builder.bitcast(context_entry(builder, table, BUDGET), I64.as_pointer()))
        ended = builder.icmp_unsigned("<=", following, pointer_constant(NOT_EXECUTED))
        distance = builder.sub(builder.ptrtoint(following, I64), builder.ptrtoint(records_data, I64))
        number = builder.sdiv(distance, ir.Constant(I64, RECORD_BYTES))
        code = builder.sub(ir.Constant(I64, 0), builder.ptrtoint(following, I64))
        result = [builder.select(ended, code, number), builder.sub(arguments[6], left)]
        return context.make_tuple(builder, signature.return_type, result)

    result = types.UniTuple(types.int64, 2)
    return result(ram, code, state, records, index, types.int64, types.int64), generate


@kernel
def run_records(ram, code, state, records, index, start, budget):
    return _run(ram, code, state, records, index, start, budget)


_banks: dict[tuple[str, str, str], Bank] = {}
_bank_lock = threading.Lock()


def full_bank(cpu: Cpu, timing: str) -> Bank:
    """Return the bank with every handler of a model, compiled on first use."""
    return _bank(cpu, timing, "full", list(cpu.keys()))


def _bank(cpu: Cpu, timing: str, label: str, keys: list[Key]) -> Bank:
    with _bank_lock:
        bank = _banks.get((cpu.model, timing, label))
        if bank is None:
            bank = _banks[cpu.model, timing, label] = Bank(cpu, timing, keys)
        return bank


def bank_for(core: Core, addresses: list[int]) -> Bank:
    """Return a bank with the handlers of the instructions at `addresses` (the code of a ROM)."""
    needed = {}
    for address in addresses:
        insn = core.decode(address)
        needed[insn.key] = (insn.row, insn.statics)
    keys = [needed[k] for k in sorted(needed, key=repr)]
    label = hashlib.blake2b(repr(sorted(needed, key=repr)).encode(), digest_size=8).hexdigest()
    return _bank(core.cpu, core.timing_mode, label, keys)


class Interpreter:
    """Executes a core through compiled handlers; `bank` may be small, misses are bridged by the evaluator."""

    name = "interpret"

    def __init__(self, core: Core, bank: Bank) -> None:
        self.core, self.bank = core, bank
        self.bridge = Evaluator(core)
        self.bridged = 0
        unit = core.cpu.isa.word_bytes
        self._shift = unit.bit_length() - 1
        self._index = np.zeros((ADDRESS_MASK + 1) >> self._shift, np.int32)
        self._stop: int | None = None  # where the present run ends
        self._state = core.state.reshape(1).view(np.uint8)
        self._clear()
        core.on_invalidate.append(self._forget)

    def run(self, instructions: int, stop: int | None = None) -> int:
        """Execute up to `instructions`, or until `stop` comes next; return how many. The state tells why it stopped."""
        core, done = self.core, 0
        core.state["reason"] = RUNNING
        self._stop = stop
        self._watch_stop()
        while done < instructions and core.state["cycles"] < core.state["limit"]:
            start = self._slot(int(core.state["pc"]))
            following, executed = run_records(
                core.ram, core.code, self._state, self._records, self._index, start, instructions - done
            )
            done += executed
            if following >= 0:
                if following != UNKNOWN_RECORD:
                    core.state["pc"] = self._records[following, PC_WORD]
            elif following == -NOT_EXECUTED:
                core.state["reason"] = RUNNING
                if done and int(core.state["pc"]) == stop:
                    core.state["reason"] = REACHED
                    break
                if not self._link(int(core.state["pc"])):
                    done += self._bridge()
                    if core.state["reason"] != RUNNING:
                        break
            elif core.state["reason"] == MISALIGNED:
                self.bridge.finish_misaligned()
                if core.state["reason"] != RUNNING:
                    break
            else:
                break
        return done

    def _bridge(self) -> int:
        self.bridged += 1
        if self.bridged == FULL_BANK_AFTER:
            self.use(full_bank(self.core.cpu, self.core.timing_mode))
            return 0
        return self.bridge.run(1)

    def use(self, bank: Bank) -> None:
        """Go on with another bank."""
        self.bank = bank
        self._clear()

    def _clear(self) -> None:
        self._index[:] = 0
        self._records = np.zeros((1024, RECORD_WORDS), np.uint32)
        self._set_handler(UNKNOWN_RECORD, UNKNOWN)
        self._used = 1
        self._branches: dict[int, list[int]] = {}  # address -> records that branch to it
        self._watch_stop()

    def _watch_stop(self) -> None:
        """Make the record of the address to stop at ask the host, every time."""
        if self._stop is not None and not self._stop & ((1 << self._shift) - 1):
            self._set_handler(self._slot(self._stop), UNDECODED_PC)

    def _set_handler(self, slot: int, number: int) -> None:
        self._records[slot].view(np.uint64)[HANDLER_WORD] = self.bank.addresses[number]

    def _new_slot(self, pc: int, number: int = UNDECODED_PC) -> int:
        """Append a record for an address; without an instruction yet, it asks the host to decode one."""
        slot = self._used
        self._used += 1
        if slot == len(self._records):
            self._records = np.concatenate([self._records, np.zeros_like(self._records)])
        self._records[slot, PC_WORD] = pc
        self._set_handler(slot, number)
        return slot

    def _slot(self, pc: int) -> int:
        """Return the record of an address, appending an undecoded one if it has none."""
        if pc & ((1 << self._shift) - 1):
            return UNKNOWN_RECORD
        place = (pc & ADDRESS_MASK) >> self._shift
        if self._index[place] == UNKNOWN_RECORD:
            self._index[place] = self._new_slot(pc)
        return int(self._index[place])

    def _link(self, pc: int) -> bool:
        """Decode from `pc` on into consecutive records; False when no compiled handler fits the first instruction."""
        if self._used > MOST_RECORDS:
            self._clear()
        if pc & ((1 << self._shift) - 1) or self._handler(self.core.decode(pc)) is None:
            return False
        before, first = self._slot(pc), self._used
        for _ in range(LONGEST_RUN):
            insn = self.core.decode(pc)
            number = self._handler(insn)
            if number is None:
                break
            self._append(insn, number)
            pc = insn.end
            if insn.row.options.get("ends") or self._index[pc >> self._shift]:
                break
        last = self._used
        if self._index[pc >> self._shift]:
            self._redirect(self._new_slot(pc, GOTO), int(self._index[pc >> self._shift]))
        else:
            self._index[pc >> self._shift] = self._new_slot(pc)
        self._set_handler(before, GOTO)
        self._redirect(before, first)
        for slot in range(first, last):  # targets last: their records would break the row of consecutive ones
            insn = self.core.decode(int(self._records[slot, PC_WORD]))
            if insn.target is not None:
                self._branches.setdefault(insn.target, []).append(slot)
                self._redirect(slot, self._slot(insn.target))
        return True

    def _handler(self, insn: Insn) -> int | None:
        if (insn.target or 0) & ((1 << self._shift) - 1):
            return None  # the evaluator deals with branches to misaligned addresses
        return self.bank.numbers.get(insn.key)

    def _append(self, insn: Insn, number: int) -> None:
        slot = self._new_slot(insn.pc, number)
        self._index[insn.pc >> self._shift] = slot
        for branch in self._branches.get(insn.pc, ()):
            if self._index[self._records[branch, PC_WORD] >> self._shift] == branch:  # else overwritten since
                self._redirect(branch, slot)
        fields = insn.fields + self.core.timing.fields(insn)
        record = self._records[slot]
        record[END_WORD] = insn.end
        record[FIELDS_WORD : FIELDS_WORD + len(fields)] = fields

    def _redirect(self, slot: int, target: int) -> None:
        self._records[slot, TARGET_WORD] = (target - slot) * RECORD_BYTES & 0xFFFFFFFF

    def _forget(self, pc: int) -> None:
        slot = int(self._index[(pc & ADDRESS_MASK) >> self._shift])
        if slot != UNKNOWN_RECORD:
            self._set_handler(slot, UNDECODED_PC)
