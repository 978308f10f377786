"""Compiles expressions over emitted words, each into a loop over arrays, with LLVM alone: no engine is involved."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import llvmlite.binding as llvm
import numpy as np

from retrosim.cpu.spec.ir import I64, POINTER, Function, Module, Signature
from retrosim.cpu.spec.values import Word

SWEEP = Signature("void", (POINTER, POINTER, POINTER, I64))
CALL = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64)

Expression = Callable[[Word, Word], Word]


class Sweep:
    """Compiled expressions of two words of `bits` bits: call with a name and two arrays, get the array of results."""

    def __init__(self, bits: int, expressions: dict[str, Expression]) -> None:
        self.bits = bits
        self._numbers = {name: number for number, name in enumerate(expressions)}
        module = Module()
        for name, expression in expressions.items():
            self._emit(Function(module, SWEEP, f"sweep_{self._numbers[name]}"), expression)
        module.constant_addresses("addresses", [f"sweep_{number}" for number in self._numbers.values()])
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        machine = llvm.Target.from_default_triple().create_target_machine(opt=2)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(module.text()), machine)
        self._engine.finalize_object()
        table = self._engine.get_global_value_address("addresses")
        self._addresses = list((ctypes.c_uint64 * len(expressions)).from_address(table))

    def _emit(self, code: Function, expression: Expression) -> None:
        a, b, out, count = code.args
        slot, loop, done = code.slot(I64), code.new_block(), code.new_block()
        code.store(I64, "0", slot)
        code.join(loop)
        i = code.load(I64, slot)
        operands = []
        for array in (a, b):
            value = Word(64, None, code.load(I64, code.address(array, i, I64)), code)
            operands.append(value.trunc(self.bits))
        result = expression(*operands)
        code.store(I64, result.zext(64).operand, code.address(out, i, I64))
        following = Word(64, None, i, code) + 1
        code.store(I64, following.operand, slot)
        code.branch_if(following.ult(Word(64, None, count, code)).operand, loop, done)
        code.go_on(done)
        code.ret("")
        code.finish()

    def __call__(self, name: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        a, b = np.ascontiguousarray(a, np.uint64), np.ascontiguousarray(b, np.uint64)
        out = np.zeros(len(a), np.uint64)
        call = CALL(self._addresses[self._numbers[name]])
        call(a.ctypes.data, b.ctypes.data, out.ctypes.data, len(a))
        return out
