"""How the host enters compiled code."""

from __future__ import annotations

import ctypes
from functools import cache

import numpy as np

from ..spec.ir import POINTER, Function, Signature
from .compiled import CompiledFunctions, Effort, compile_functions
from .emit import (
    ASK_POINTER,
    BUDGET,
    CODE_POINTER,
    CONTEXT_ENTRIES,
    COUNTS_POINTER,
    HITS_POINTER,
    INDEX_POINTER,
    MISSED,
    MISSES,
    RECORDS_POINTER,
    TABLE_POINTER,
)
from .handlers import HANDLER, HANDLER_WORD, NOT_EXECUTED, RECORD_BYTES

# a function by the convention of C that calls a handler: its address, then what that is given. Other threads run
# meanwhile. It is called without Numba, whose compiler takes longer to come up than everything else that a machine
# needs before its first frame.
ENTER = Signature(POINTER, (POINTER, *HANDLER.parameters))
ENTER_TYPE = ctypes.CFUNCTYPE(ctypes.c_uint64, *[ctypes.c_void_p] * 5, *[ctypes.c_int64] * 2)


@cache
def _entering() -> CompiledFunctions:
    def emit(code: Function) -> None:
        handler, *arguments = code.args
        code.ret(code.call(HANDLER, handler, arguments))

    return compile_functions("enter", [emit], Effort.FEW, signature=ENTER)


_NO_COUNTS, _NO_MISSES = np.zeros(1, np.int64), bytes(8 * MISSES)


class Entrance:
    """Where the host enters compiled code: with the memory of the machine, at a record."""

    def __init__(
        self,
        ram: np.ndarray,
        code: np.ndarray,
        hits: np.ndarray,
        state: np.ndarray,
        records: np.ndarray,
        index: np.ndarray,
        table: np.ndarray,
        ask: int,
        counts: np.ndarray = _NO_COUNTS,
    ) -> None:
        self._enter = ENTER_TYPE(int(_entering().addresses[0]))
        self._arrays = ram, code, hits, state, records, index, table, counts
        self._ram, self._state, self._records = (each.ctypes.data for each in (ram, state, records))
        self._count, self._words = len(records), memoryview(records.reshape(-1).view(np.uint64))
        context = np.zeros(CONTEXT_ENTRIES, np.uint64)
        self._context, self._address = memoryview(context), context.ctypes.data
        self._missed, self._misses = context[MISSED:], memoryview(context[MISSED:].view(np.uint8))
        context[CODE_POINTER], context[INDEX_POINTER] = code.ctypes.data, index.ctypes.data
        context[HITS_POINTER] = hits.ctypes.data
        context[RECORDS_POINTER], context[TABLE_POINTER] = self._records, table.ctypes.data
        context[ASK_POINTER], context[COUNTS_POINTER] = ask, counts.ctypes.data

    def missed(self) -> list[int]:
        """Return where computed jumps have led to that no region knew, since the last call."""
        if bytes(self._misses) == _NO_MISSES:
            return []
        found = self._missed[np.flatnonzero(self._missed)].tolist()
        self._missed[:] = 0
        return found

    def call(self, handler: int, clock: int) -> None:
        """Call a handler that returns to the host at once."""
        self._enter(handler, self._ram, self._state, self._records, self._address, 0, clock)

    def run(self, start: int, budget: int, clock: int) -> tuple[int, int]:
        """Run records from number `start`, at a clock.

        Returns  (next record, or -LEFT or -NOT_EXECUTED; instructions executed)
        """
        if not 0 <= start < self._count:
            raise IndexError("no such record")
        handler = self._words[start * (RECORD_BYTES // 8) + HANDLER_WORD]
        first = self._records + start * RECORD_BYTES
        following = self._enter(handler, self._ram, self._state, first, self._address, budget, clock)
        executed = budget - self._context[BUDGET]
        if following <= NOT_EXECUTED:
            return -following, executed
        return (following - self._records) // RECORD_BYTES, executed
