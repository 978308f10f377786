"""What compiles in the background leaves the window's thread alone: lock, garbage collector, garbage."""

import gc
import os
import sys

import pytest

from retrosim.cpu.engines.compiled import CompiledFunctions, compile_functions
from retrosim.cpu.engines.tiers import SWITCH_SECONDS, _yielding
from retrosim.cpu.spec.ir import I32


def test_settings_of_the_process_are_as_before_afterwards():
    interval = sys.getswitchinterval()
    with pytest.raises(ZeroDivisionError), _yielding():
        assert sys.getswitchinterval() == pytest.approx(SWITCH_SECONDS) and not gc.isenabled()
        1 / 0  # noqa: B018
    assert sys.getswitchinterval() == interval and gc.isenabled()
    gc.disable()
    try:
        with _yielding():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_the_code_of_a_compiled_function_is_freed_without_the_collector():
    """Emitters and timing models refer to each other, and so keep the function until the collector comes."""
    held, lines = [], []

    def emit(code):
        held.append(code)
        code.store(I32, "1", code.slot(I32))
        code.ret("null")
        lines.append(code.block.lines)

    gc.disable()
    try:
        functions = compile_functions(f"test_freed_{os.getpid()}", [emit])
        assert functions.addresses[0] != 0
        assert gc.get_referrers(lines[0]) == [lines]
    finally:
        gc.enable()


def test_nothing_is_freed_while_the_process_ends() -> None:
    """What LLVM's bindings need may be gone by then; the system frees it all."""
    closed = []

    class Part:
        def close(self) -> None:
            closed.append(self)

    functions = object.__new__(CompiledFunctions)
    functions._engine, functions._context = Part(), Part()
    functions.__del__(lambda: True)
    assert closed == []
    functions.__del__(lambda: False)
    assert closed == [functions._engine, functions._context]
    del functions._engine, functions._context
