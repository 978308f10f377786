"""What compiles in the background leaves the window's thread alone: lock, garbage collector, garbage."""

import gc
import os
import sys
import weakref

import pytest
from llvmlite import ir

from retrosim.cpu.engines.compiled import compile_functions
from retrosim.cpu.engines.tiers import SWITCH_SECONDS, _yielding


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
    instructions = []

    def emit(function):
        builder = ir.IRBuilder(function.append_basic_block())
        place = builder.alloca(ir.IntType(32))
        instructions.extend(map(weakref.ref, (place, builder.store(ir.Constant(ir.IntType(32), 1), place))))
        builder.ret(ir.Constant(function.function_type.return_type, None))

    gc.disable()
    try:
        functions = compile_functions(f"test_freed_{os.getpid()}", [emit])
        assert functions.addresses[0] != 0
        assert len(instructions) == 2 and [each() for each in instructions] == [None, None]
    finally:
        gc.enable()
