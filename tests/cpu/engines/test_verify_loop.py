"""How the host enters compiled code: it passes the memory of the machine; numbers of no record are refused."""

from __future__ import annotations

import ctypes
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from retrosim.cpu.engines.compiled import compile_functions
from retrosim.cpu.engines.emit import (
    ASK_POINTER,
    BUDGET,
    CODE_POINTER,
    CONTEXT_ENTRIES,
    HITS_POINTER,
    INDEX_POINTER,
    RECORDS_POINTER,
    TABLE_POINTER,
)
from retrosim.cpu.engines.handlers import interpret
from retrosim.cpu.engines.handlers.handlers import HANDLER, HANDLER_WORD, LEFT, RECORD_BYTES
from retrosim.cpu.engines.handlers.interpret import ENTER, ENTER_TYPE, Entrance
from retrosim.cpu.spec.ir import Function

C_TYPE = ctypes.CFUNCTYPE(ctypes.c_uint64, *[ctypes.c_void_p] * 4, *[ctypes.c_int64] * 2)


def calling(function: str, code: Function) -> None:
    """Emit a handler that calls a function by the convention of C."""
    code.ret(code.call(HANDLER._replace(convention=""), function, code.args))


def memories() -> tuple[np.ndarray, ...]:
    bytes_ = (np.zeros(8, np.uint8) for _ in range(4))
    return *bytes_, np.zeros((4, RECORD_BYTES // 4), np.uint32), np.zeros(8, np.int32), np.zeros(8, np.uint64)


@pytest.mark.parametrize("returned", ["left", "record"])
def test_a_handler_gets_the_memory_of_the_machine(returned: str) -> None:
    ram, code, hits, state, records, index, table = memories()
    seen = []

    def handler(*arguments: int) -> int:
        context = (ctypes.c_uint64 * CONTEXT_ENTRIES).from_address(arguments[3])
        seen.append((arguments[:3], arguments[4:], list(context)))
        context[BUDGET] = 7
        return LEFT if returned == "left" else records.ctypes.data + 3 * RECORD_BYTES

    entered = C_TYPE(handler)
    address = ctypes.cast(entered, ctypes.c_void_p).value
    functions = compile_functions(f"test_call_of_c_{address}", [partial(calling, f"inttoptr (i64 {address} to ptr)")])
    records[2].view(np.uint64)[HANDLER_WORD] = functions.addresses[0]
    entrance = Entrance(ram, code, hits, state, records, index, table, 99)
    assert entrance.run(2, 10, 55) == (-LEFT if returned == "left" else 3, 3)
    ((pointers, numbers, context),) = seen
    assert pointers == (ram.ctypes.data, state.ctypes.data, records.ctypes.data + 2 * RECORD_BYTES)
    assert numbers == (10, 55)
    expected = {CODE_POINTER: code, INDEX_POINTER: index, RECORDS_POINTER: records, TABLE_POINTER: table}
    expected |= {HITS_POINTER: hits}
    assert {number: context[number] for number in expected} == {n: each.ctypes.data for n, each in expected.items()}
    assert context[ASK_POINTER] == 99
    assert len(ENTER_TYPE._argtypes_) == len(ENTER.parameters) == len(HANDLER.parameters) + 1


def test_numba_compiles_nothing_of_the_engines() -> None:
    """Nor of the machines: whatever is added there is to be looked at."""
    package = Path(interpret.__file__).parents[2]
    texts = (path.read_text() for folder in ("cpu", "machine") for path in (package / folder).rglob("*.py"))
    assert not [text for text in texts if re.search(r"^ *@?(kernel|intrinsic|\S*jit)\b", text, re.M)]


@pytest.mark.parametrize("start", [-1, 4, 1 << 62])
def test_a_number_that_is_no_record_is_refused(start: int) -> None:
    ram, code, hits, state, records, index, table = memories()
    with pytest.raises(IndexError, match="no such record"):
        Entrance(ram, code, hits, state, records, index, table, 0).run(start, 1, 0)
