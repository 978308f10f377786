"""The one function of the engines that Numba compiles stays in its memory; what is planted in it is found."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numba
import numpy as np
import pytest
from numba import types

from retrosim.cpu.engines import interpret
from retrosim.cpu.engines.interpret import run_records
from retrosim.jit import _OPTIONS, JIT
from tests.helpers.cpu.verify_loop import faults_of_loop

pytestmark = pytest.mark.skipif(not JIT, reason="without the compiler there is nothing to look at")
BYTES = types.Array(types.uint8, 1, "C")
RECORDS, INDEX = types.Array(types.uint32, 2, "C"), types.Array(types.int32, 1, "C")
SIGNATURE = (BYTES, BYTES, BYTES, RECORDS, INDEX, types.int64, types.int64)


@cache
def text_of(function) -> str:
    compiled = numba.njit(**_OPTIONS, no_cpython_wrapper=True)(function)
    compiled.compile(SIGNATURE)
    return compiled.inspect_llvm(SIGNATURE)


def without_check(ram, code, state, records, index, start, budget):
    return interpret._run(ram, code, state, records, index, start, budget)


def with_half_a_check(ram, code, state, records, index, start, budget):
    if start >= len(records):
        raise IndexError("no such record")
    return interpret._run(ram, code, state, records, index, start, budget)


def test_the_loop_stays_in_its_memory() -> None:
    text = text_of(run_records.py_func)
    assert faults_of_loop(text) == []
    assert len(re.findall(r"^ +(?:%\S+ = load|store) ", text, re.M)) >= 8


def test_it_is_all_that_numba_compiles_in_the_engines() -> None:
    """So is it in the machines: whatever is added there is to be looked at too."""
    package = Path(interpret.__file__).parents[2]
    texts = {path.stem: path.read_text() for folder in ("cpu", "machine") for path in (package / folder).rglob("*.py")}
    found = {name: len(re.findall(r"^ *@?(kernel|intrinsic|\S*jit)\b", text, re.M)) for name, text in texts.items()}
    assert {name: count for name, count in found.items() if count} == {"interpret": 2}


@pytest.mark.parametrize("function", [without_check, with_half_a_check])
def test_an_unchecked_number_is_found(function) -> None:
    assert any("the number of the record is not checked" in each for each in faults_of_loop(text_of(function)))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (r"alloca \[4 x ptr\]", "alloca [3 x ptr]", "table at 24, which has 24 bytes"),
        (r"(ptr %retptr, i64) 8", r"\1 16", "results at 16"),
        (r"shl i64 %arg.start, 7", "shl i64 %arg.start, 8", "no address of its own"),
        (r"shl i64 %arg.start, 7", "shl i64 %arg.budget, 7", "no address of its own"),
        (r"(call ptr \S+)\(ptr %arg.ram.4", r"\1(ptr %arg.code.4", "passes other memory"),
        (r"call ptr \S+\(", "call ptr %arg.index.4(", "calls what is no handler"),
        (r"store ptr %arg.code.4, ptr \S+,", "store ptr %arg.code.4, ptr %arg.ram.4,", "no address of its own"),
        (r"sdiv i64 (\S+), 128", r"sdiv i64 \1, %arg.budget", "divides by another number"),
        (r"br label %common.ret", "unreachable", "unknown"),
    ],
)
def test_what_is_planted_is_found(old: str, new: str, reason: str) -> None:
    text = text_of(run_records.py_func)
    changed = re.sub(old, new, text)
    assert changed != text
    assert any(reason in each for each in faults_of_loop(changed)), faults_of_loop(changed)


@pytest.mark.parametrize("start", [-1, 4, 1 << 62])
def test_a_number_that_is_no_record_is_refused(start: int) -> None:
    memory, records, index = np.zeros(8, np.uint8), np.zeros((4, 32), np.uint32), np.zeros(8, np.int32)
    with pytest.raises(IndexError, match="no such record"):
        run_records(memory, memory, memory, records, index, start, 1)
