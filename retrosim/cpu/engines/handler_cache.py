"""Caches of compiled handlers: those that a ROM needs, those that it turned out to need, or all of a model."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

from ..spec.cpu import Cpu
from ..spec.ir import Function
from ..spec.rows import Insn, Row
from .compiled import CompiledFunctions, Effort, compile_functions, compiled_groups, link_functions
from .core import Core
from .handlers import CHOICE, GOTO, STUBS, UNDECODED_PC, VARIANT, HandlerEmitter
from .variants import ChoiceEmitter

Key = tuple[str, tuple[Any, ...]]
Handler = tuple[Row, tuple[Any, ...]]


class HandlerGroup:
    """Handlers that were compiled together.

    stubs     as in HandlerCache
    handlers  an instruction's key as text -> address
    """

    def __init__(self, functions: CompiledFunctions, keys: list[str]) -> None:
        self._functions = functions  # whose code the addresses point to
        addresses = functions.addresses.tolist()
        self.stubs = addresses[:STUBS]
        self.handlers = dict(zip(keys, addresses[STUBS:], strict=True))


class HandlerCache:
    """Compiled handlers of one CPU model and timing mode.

    stubs     addresses of the handlers that are no instruction: UNKNOWN, UNDECODED_PC ...
    handlers  key of an instruction -> address
    quick     compiled quickly as far as they were not there, to code that is several times slower
    """

    def __init__(self, groups: list[HandlerGroup], handlers: list[Handler], quick: bool) -> None:
        """Take handlers from groups, from the first that has them."""
        self._groups, self.quick = groups, quick
        self.stubs = groups[0].stubs
        addresses: dict[str, int] = {}
        for group in reversed(groups):
            addresses |= group.handlers
        self.handlers = {(row.key, statics): addresses[key_text((row, statics))] for row, statics in handlers}


def key_text(handler: Handler) -> str:
    """Return the key of an instruction as a line of text."""
    row, statics = handler
    return repr((row.key, statics))


def _emit_stub(cpu: Cpu, number: int, code: Function) -> None:
    emitter = ChoiceEmitter(cpu, code)
    if number == GOTO:
        emitter.emit_goto()
    elif number == CHOICE:
        emitter.emit_choice()
    elif number == VARIANT:
        emitter.emit_variant()
    else:
        emitter.emit_undecoded(known_pc=number == UNDECODED_PC)


def _emit(cpu: Cpu, timing: str, row: Row, statics: tuple[Any, ...], code: Function) -> None:
    HandlerEmitter(cpu, cpu.timing_class(timing), code).emit(row, statics)


_groups: WeakValueDictionary[str, HandlerGroup] = WeakValueDictionary()
_lock = threading.Lock()


def handler_cache(cpu: Cpu, timing: str, handlers: list[Handler], quick: bool = False) -> HandlerCache:
    """Return some handlers: those that the groups in the cache have, and the others compiled as one more group."""
    missing = {key_text(handler): handler for handler in handlers}
    with _lock:
        groups = []
        for is_quick in (False, True) if quick else (False,):
            for name, keys in _choose(_known(cpu, timing, is_quick), set(missing)):
                group = _linked(name, sorted(keys))
                if group is not None:
                    groups.append(group)
                    missing = {key: handler for key, handler in missing.items() if key not in keys}
        if missing or not groups:
            groups.append(_compiled(cpu, timing, missing, quick))
    return HandlerCache(groups, handlers, quick)


def _prefix(cpu: Cpu, timing: str, quick: bool) -> str:
    return f"{'quick_' if quick else ''}handlers_{cpu.label}_{timing}_"


def _known(cpu: Cpu, timing: str, quick: bool) -> dict[str, frozenset[str]]:
    """Return the groups in the cache: name -> keys."""
    return compiled_groups(_prefix(cpu, timing, quick))


def _choose(groups: dict[str, frozenset[str]], wanted: set[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield groups, each time that which has most of what is still wanted, as long as one has any."""
    while wanted and groups:
        name = max(groups, key=lambda name: (len(groups[name] & wanted), -len(groups[name])))
        if not groups[name] & wanted:
            return
        yield name, groups[name]
        wanted = wanted - groups[name]


def _linked(name: str, keys: list[str]) -> HandlerGroup | None:
    """Return a group of the cache, the same one for all that hold it; None if it is damaged."""
    group = _groups.get(name)
    if group is None:
        functions = link_functions(name, STUBS + len(keys))
        if functions is None:
            return None
        group = _groups[name] = HandlerGroup(functions, keys)
    return group


def _compiled(cpu: Cpu, timing: str, handlers: dict[str, Handler], quick: bool) -> HandlerGroup:
    """Compile a group of handlers; `handlers` are by their keys as text."""
    keys = sorted(handlers)
    name = _prefix(cpu, timing, quick) + hashlib.blake2b("\n".join(keys).encode(), digest_size=8).hexdigest()
    emitters = [partial(_emit_stub, cpu, number) for number in range(STUBS)]
    emitters += [partial(_emit, cpu, timing, *handlers[key]) for key in keys]
    effort = Effort.QUICK if quick else Effort.FEW
    group = _groups[name] = HandlerGroup(compile_functions(name, emitters, effort, keys), keys)
    return group


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
    """Can some handlers be had without compiling any?"""
    return {key_text(handler) for handler in handlers} <= set().union(*_known(cpu, timing, False).values())
