"""Caches of compiled handlers: those that a ROM needs, those that it turned out to need, or all of a model."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

from llvmlite import ir

from ..spec.cpu import Cpu
from ..spec.rows import Insn, Row
from .compiled import Effort, compile_functions, is_compiled
from .core import Core
from .handlers import GOTO, STUBS, UNDECODED_PC, HandlerEmitter, emit_goto, emit_undecoded

Key = tuple[str, tuple[Any, ...]]
Handler = tuple[Row, tuple[Any, ...]]


class HandlerCache:
    """Compiled handlers of one CPU model and timing mode.

    stubs     addresses of the handlers that are no instruction: UNKNOWN, UNDECODED_PC, GOTO
    handlers  key of an instruction -> address
    quick     compiled quickly, to code that is several times slower
    """

    def __init__(self, cpu: Cpu, timing: str, handlers: list[Handler], quick: bool = False) -> None:
        """Compile, or load from the cache."""
        self.quick = quick
        emitters = [partial(_emit_stub, cpu, number) for number in range(STUBS)]
        emitters += [partial(_emit, cpu, timing, *handler) for handler in handlers]
        name, effort = handler_cache_name(cpu, timing, handlers, quick), Effort.QUICK if quick else Effort.FEW
        self._functions = compile_functions(name, emitters, effort)
        addresses = self._functions.addresses.tolist()
        self.stubs = addresses[:STUBS]
        keys = [(row.key, statics) for row, statics in handlers]
        self.handlers = dict(zip(keys, addresses[STUBS:], strict=True))


def handler_cache_name(cpu: Cpu, timing: str, handlers: list[Handler], quick: bool) -> str:
    names = repr([(row.key, statics) for row, statics in handlers])
    digest = hashlib.blake2b(names.encode(), digest_size=8).hexdigest()
    return f"handlers_{cpu.model}_{timing}_{digest}{'_quick' if quick else ''}"


def _emit_stub(cpu: Cpu, number: int, function: ir.Function) -> None:
    if number == GOTO:
        emit_goto(function)
    else:
        emit_undecoded(cpu, function, known_pc=number == UNDECODED_PC)


def _emit(cpu: Cpu, timing: str, row: Row, statics: tuple[Any, ...], function: ir.Function) -> None:
    HandlerEmitter(cpu, cpu.timing[timing], function).emit(row, statics)


_caches: WeakValueDictionary[str, HandlerCache] = WeakValueDictionary()
_lock = threading.Lock()


def handler_cache(cpu: Cpu, timing: str, handlers: list[Handler], quick: bool = False) -> HandlerCache:
    """Return the cache of some handlers, the same one for all that hold it."""
    name = handler_cache_name(cpu, timing, handlers, quick)
    with _lock:
        found = _caches.get(name)
        if found is None:
            found = _caches[name] = HandlerCache(cpu, timing, handlers, quick)
        return found


def full_handler_cache(cpu: Cpu, timing: str, quick: bool = False) -> HandlerCache:
    """Return the cache of every handler of a model."""
    return handler_cache(cpu, timing, list(cpu.handlers()), quick)


def handlers_of(insns: Iterable[Insn]) -> list[Handler]:
    """Return the handlers that instructions need, each once, in an order of their own."""
    needed = {insn.key: (insn.row, insn.statics) for insn in insns}
    return [needed[key] for key in sorted(needed, key=repr)]


def handler_cache_for(core: Core, addresses: Iterable[int]) -> HandlerCache:
    """Return the cache of the handlers of the instructions at `addresses`."""
    return handler_cache(core.cpu, core.timing_mode, handlers_of(map(core.decode, addresses)))


def is_ready(cpu: Cpu, timing: str, handlers: list[Handler]) -> bool:
    """Is the cache of some handlers available at once: in this process, or on disk?"""
    name = handler_cache_name(cpu, timing, handlers, False)
    return name in _caches or is_compiled(name)
