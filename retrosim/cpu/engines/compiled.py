"""Functions of the handler type, compiled through Numba's extension point and cached on disk under a name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from retrosim.jit import generated_module

from .emit import I64
from .handlers import HANDLER

SOURCE = "from retrosim.jit import kernel\n\n\n@kernel\ndef fill(addresses):\n    return body(addresses)\n"


def compile_functions(
    name: str, emitters: Sequence[Callable[[ir.Function], None]], quick: bool = False
) -> tuple[np.ndarray, ModuleType]:
    """Compile a group of functions, or load it from the cache.

    name      tells everything that the functions depend on (a digest) beside the sources of this package
    emitters  each fills one function
    quick     compile several times faster to code that runs several times slower
    Returns   uint64[functions] addresses, and what keeps the code alive
    """
    module = generated_module(name, SOURCE)
    functions: list[ir.Function] = []
    module.body = _body(name, emitters, quick, functions)
    addresses = np.zeros(len(emitters), np.uint64)
    module.fill(addresses)
    for function in functions:
        _take_apart(function)
    return addresses, module


def _take_apart(function: ir.Function) -> None:
    """Free a function that has been compiled, bit by bit; the garbage collector would stop all threads meanwhile."""
    for block in function.blocks:
        for instruction in block.instructions:
            vars(instruction).clear()
        vars(block).clear()
    vars(function).clear()


def _avoid_slow_instructions(function: ir.Function, features: str) -> None:
    """Have bytes swapped apart from the access: without MOVBE regions run a tenth faster (the host of `tools/bench`).

    features  of the host, as LLVM writes them
    """
    if "+movbe" in features.split(","):
        # llvmlite refuses attributes that are not on its list; LLVM has this one for every function
        set.add(function.attributes, f'"target-features"="{features},-movbe"')


def _body(name: str, emitters: Sequence[Callable[[ir.Function], None]], quick: bool, functions: list[ir.Function]):
    """Return an intrinsic that defines the functions and stores their addresses into an array."""

    @intrinsic
    def body(typing_context, addresses):
        def generate(context, builder, signature, arguments):
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            for number, emit in enumerate(emitters):
                function = ir.Function(builder.module, HANDLER, f"{name}_{number}")
                function.linkage = "internal"
                _avoid_slow_instructions(function, context.codegen().magic_tuple()[2])
                if quick:
                    function.attributes.add("noinline")
                    function.attributes.add("optnone")
                functions.append(function)
                emit(function)
                entry = builder.gep(data, [ir.Constant(I64, number)], inbounds=True)
                builder.store(builder.ptrtoint(function, I64), entry)
            return ir.Constant(I64, len(emitters))

        return types.int64(addresses), generate

    return body
