"""How the host enters compiled code: it passes the memory of the machine; numbers of no record are refused."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import numpy as np
import pytest

from retrosim.cpu.engines import interpret
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
from retrosim.cpu.engines.entrance import HANDLER_TYPE, Entrance
from retrosim.cpu.engines.handlers import HANDLER, HANDLER_WORD, LEFT, RECORD_BYTES


def memories() -> tuple[np.ndarray, ...]:
    bytes_ = (np.zeros(8, np.uint8) for _ in range(4))
    return *bytes_, np.zeros((4, RECORD_BYTES // 4), np.uint32), np.zeros(8, np.int32), np.zeros(8, np.uint64)


@pytest.mark.parametrize("returned", ["left", "record"])
def test_a_handler_gets_the_memory_of_the_machine(returned: str) -> None:
    ram, code, hits, state, records, index, table = memories()
    seen = []

    def handler(*arguments: int) -> int:
        context = (ctypes.c_uint64 * CONTEXT_ENTRIES).from_address(arguments[3])
        seen.append((arguments[:3], arguments[4], list(context)))
        context[BUDGET] = 7
        return LEFT if returned == "left" else records.ctypes.data + 3 * RECORD_BYTES

    entered = HANDLER_TYPE(handler)
    records[2].view(np.uint64)[HANDLER_WORD] = ctypes.cast(entered, ctypes.c_void_p).value
    entrance = Entrance(ram, code, hits, state, records, index, table, 99)
    assert entrance.run(2, 10) == (-LEFT if returned == "left" else 3, 3)
    ((pointers, budget, context),) = seen
    assert pointers == (ram.ctypes.data, state.ctypes.data, records.ctypes.data + 2 * RECORD_BYTES) and budget == 10
    expected = {CODE_POINTER: code, INDEX_POINTER: index, RECORDS_POINTER: records, TABLE_POINTER: table}
    expected |= {HITS_POINTER: hits}
    assert {number: context[number] for number in expected} == {n: each.ctypes.data for n, each in expected.items()}
    assert context[ASK_POINTER] == 99
    assert len(HANDLER_TYPE._argtypes_) == len(HANDLER.parameters)


def test_numba_compiles_nothing_of_the_engines() -> None:
    """Nor of the machines: whatever is added there is to be looked at."""
    package = Path(interpret.__file__).parents[2]
    texts = (path.read_text() for folder in ("cpu", "machine") for path in (package / folder).rglob("*.py"))
    assert not [text for text in texts if re.search(r"^ *@?(kernel|intrinsic|\S*jit)\b", text, re.M)]


@pytest.mark.parametrize("start", [-1, 4, 1 << 62])
def test_a_number_that_is_no_record_is_refused(start: int) -> None:
    ram, code, hits, state, records, index, table = memories()
    with pytest.raises(IndexError, match="no such record"):
        Entrance(ram, code, hits, state, records, index, table, 0).run(start, 1)
