"""Caches of compiled handlers: those that a ROM needs, those that it turned out to need, or all of a model."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from ..spec.cpu import Cpu
from ..spec.ir import Function
from ..spec.rows import Insn, Row
from .compiled import Effort, compiled_groups
from .core import Core
from .groups import Group, functions_of, groups_with
from .handlers import CHOICE, FORGET, GOTO, STUBS, UNDECODED_PC, VARIANT, HandlerEmitter
from .variants import ChoiceEmitter

Key = tuple[str, tuple[Any, ...]]
Handler = tuple[Row, tuple[Any, ...]]


class HandlerCache:
    """Compiled handlers of one CPU model and timing mode.

    stubs     addresses of the handlers that are no instruction: UNKNOWN, UNDECODED_PC ...
    handlers  key of an instruction -> address
    quick     compiled quickly as far as they were not there, to code that is several times slower
    """

    def __init__(self, groups: list[Group], handlers: list[Handler], quick: bool) -> None:
        self._groups, self.quick = groups, quick
        self.stubs, addresses = groups[0].stubs, functions_of(groups)
        self.handlers = {(row.key, statics): addresses[key_text((row, statics))] for row, statics in handlers}


def key_text(handler: Handler) -> str:
    """Return the key of an instruction as a line of text."""
    row, statics = handler
    return repr((row.key, statics))


def _emit_stub(cpu: Cpu, timing: str, number: int, code: Function) -> None:
    emitter = ChoiceEmitter(cpu, code)
    if number == GOTO:
        emitter.emit_goto()
    elif number == CHOICE:
        emitter.emit_choice()
    elif number == VARIANT:
        emitter.emit_variant()
    elif number == FORGET:
        emitter.emit_forget(cpu.timing_class(timing))
    else:
        emitter.emit_undecoded(known_pc=number == UNDECODED_PC)


def _emit(cpu: Cpu, timing: str, row: Row, statics: tuple[Any, ...], code: Function) -> None:
    HandlerEmitter(cpu, cpu.timing_class(timing), code).emit(row, statics)


def handler_cache(cpu: Cpu, timing: str, handlers: list[Handler], quick: bool = False) -> HandlerCache:
    """Return some handlers: those that the groups in the cache have, and the others compiled as one more group."""
    wanted = {key_text(handler): partial(_emit, cpu, timing, *handler) for handler in handlers}
    prefix, stubs = _prefix(cpu, timing), [partial(_emit_stub, cpu, timing, number) for number in range(STUBS)]
    if quick:
        groups = groups_with(wanted, prefix, stubs, Effort.QUICK, compiled_as="quick_" + prefix)
    else:
        groups = groups_with(wanted, prefix, stubs, Effort.FEW)
    return HandlerCache(groups, handlers, quick)


def _prefix(cpu: Cpu, timing: str) -> str:
    return f"handlers_{cpu.label}_{timing}_"


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
    known = compiled_groups(_prefix(cpu, timing)).values()
    return {key_text(handler) for handler in handlers} <= set().union(*known)
