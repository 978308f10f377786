"""Banks of compiled handlers: those that a ROM needs, those that it turned out to need, or all of a model."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

from llvmlite import ir

from ..spec.core import Core, Cpu
from ..spec.rows import Insn, Row
from .compiled import compile_functions, is_compiled
from .handlers import GOTO, STUBS, UNDECODED_PC, HandlerEmitter, emit_goto, emit_undecoded

Key = tuple[str, tuple[Any, ...]]
Handler = tuple[Row, tuple[Any, ...]]


class Bank:
    """Compiled handlers of one CPU model and timing mode.

    stubs     addresses of the handlers that are no instruction: UNKNOWN, UNDECODED_PC, GOTO
    handlers  key of an instruction -> address
    quick     compiled in a hurry: several times slower
    """

    def __init__(self, cpu: Cpu, timing: str, handlers: list[Handler], quick: bool = False) -> None:
        """Compile, or load from the cache."""
        self.quick = quick
        emitters = [partial(_emit_stub, cpu, number) for number in range(STUBS)]
        emitters += [partial(_emit, cpu, timing, *handler) for handler in handlers]
        self._functions = compile_functions(bank_name(cpu, timing, handlers, quick), emitters, quick)
        addresses = self._functions.addresses.tolist()
        self.stubs = addresses[:STUBS]
        keys = [(row.key, statics) for row, statics in handlers]
        self.handlers = dict(zip(keys, addresses[STUBS:], strict=True))


def bank_name(cpu: Cpu, timing: str, handlers: list[Handler], quick: bool) -> str:
    names = repr([(row.key, statics) for row, statics in handlers])
    digest = hashlib.blake2b(names.encode(), digest_size=8).hexdigest()
    return f"bank_{cpu.model}_{timing}_{digest}{'_quick' if quick else ''}"


def _emit_stub(cpu: Cpu, number: int, function: ir.Function) -> None:
    if number == GOTO:
        emit_goto(function)
    else:
        emit_undecoded(cpu, function, known_pc=number == UNDECODED_PC)


def _emit(cpu: Cpu, timing: str, row: Row, statics: tuple[Any, ...], function: ir.Function) -> None:
    HandlerEmitter(cpu, cpu.timing[timing], function).emit(row, statics)


_banks: WeakValueDictionary[str, Bank] = WeakValueDictionary()
_lock = threading.Lock()


def bank(cpu: Cpu, timing: str, handlers: list[Handler], quick: bool = False) -> Bank:
    """Return the bank of some handlers, the same for all who hold it."""
    name = bank_name(cpu, timing, handlers, quick)
    with _lock:
        found = _banks.get(name)
        if found is None:
            found = _banks[name] = Bank(cpu, timing, handlers, quick)
        return found


def full_bank(cpu: Cpu, timing: str) -> Bank:
    """Return the bank with every handler of a model."""
    return bank(cpu, timing, list(cpu.keys()))


def handlers_of(insns: Iterable[Insn]) -> list[Handler]:
    """Return the handlers that instructions need, each once, in an order of their own."""
    needed = {insn.key: (insn.row, insn.statics) for insn in insns}
    return [needed[key] for key in sorted(needed, key=repr)]


def bank_for(core: Core, addresses: Iterable[int]) -> Bank:
    """Return a bank with the handlers of the instructions at `addresses`."""
    return bank(core.cpu, core.timing_mode, handlers_of(map(core.decode, addresses)))


def is_ready(cpu: Cpu, timing: str, handlers: list[Handler]) -> bool:
    """Is the bank of some handlers to be had at once: in this process, or in the cache?"""
    name = bank_name(cpu, timing, handlers, False)
    return name in _banks or is_compiled(name)
