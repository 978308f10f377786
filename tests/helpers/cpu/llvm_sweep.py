"""Compiles expressions over emitted words, each into a loop over arrays, with LLVM alone: no engine is involved."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir

from retrosim.cpu.spec.values import Word

I64 = ir.IntType(64)
ARRAY = I64.as_pointer()
CALL = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64)

Expression = Callable[[Word, Word], Word]


class Sweep:
    """Compiled expressions of two words of `bits` bits: call with a name and two arrays, get the array of results."""

    def __init__(self, bits: int, expressions: dict[str, Expression]) -> None:
        self.bits = bits
        self._names = {name: f"sweep_{number}" for number, name in enumerate(expressions)}
        module = ir.Module()
        for name, expression in expressions.items():
            self._emit(
                ir.Function(module, ir.FunctionType(ir.VoidType(), [ARRAY] * 3 + [I64]), self._names[name]), expression
            )
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        machine = llvm.Target.from_default_triple().create_target_machine(opt=2)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(str(module)), machine)
        self._engine.finalize_object()

    def _emit(self, function: ir.Function, expression: Expression) -> None:
        a, b, out, count = function.args
        entry, loop, done = (function.append_basic_block(name) for name in ("entry", "loop", "done"))
        ir.IRBuilder(entry).branch(loop)
        builder = ir.IRBuilder(loop)
        i = builder.phi(I64)
        i.add_incoming(ir.Constant(I64, 0), entry)
        operands = []
        for array in (a, b):
            value = builder.load(builder.gep(array, [i]))
            if self.bits < 64:
                value = builder.trunc(value, ir.IntType(self.bits))
            operands.append(Word(self.bits, None, value, builder))
        result = expression(*operands)
        builder.store(result.zext(64).ir, builder.gep(out, [i]))
        following = builder.add(i, ir.Constant(I64, 1))
        i.add_incoming(following, loop)
        builder.cbranch(builder.icmp_unsigned("<", following, count), loop, done)
        ir.IRBuilder(done).ret_void()

    def __call__(self, name: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        a, b = np.ascontiguousarray(a, np.uint64), np.ascontiguousarray(b, np.uint64)
        out = np.zeros(len(a), np.uint64)
        call = CALL(self._engine.get_function_address(self._names[name]))
        call(a.ctypes.data, b.ctypes.data, out.ctypes.data, len(a))
        return out
