"""Emitted code: what its text says, and that LLVM reads it."""

from __future__ import annotations

import pytest
from llvmlite import binding

from retrosim.cpu.spec.ir import I1, I32, I64, POINTER, UNLIKELY, Function, Module, Signature
from retrosim.cpu.spec.values import Word

SIGNATURE = Signature(I32, (POINTER, I32))


@pytest.fixture
def code() -> Function:
    return Function(Module(), SIGNATURE, "some")


def finished(code: Function) -> str:
    """Return the text of a function's module, which LLVM has read and verified."""
    module = code.module
    code.finish()
    with binding.create_context() as context, binding.parse_assembly(module.text(), context) as parsed:
        parsed.verify()
    return module.text()


def test_every_construct_is_llvm(code: Function) -> None:
    other = Function(code.module, Signature(I64, (I64,)), "other", "noinline")
    other.ret(other.args[0])
    other.finish()
    pointer, number = code.args
    code.attributes[0] = "noalias"
    slot, done, one = code.slot(I32), code.new_block(), code.new_block()
    code.store(I32, number, slot)
    lines, place = code.reserve()
    lines[place] = f"store {I32} 7, ptr {slot}"
    with code.if_then(code.value(f"icmp ult i32 {number}, 4"), UNLIKELY):
        code.ret(code.load_unaligned(I32, code.address(pointer, -3)))
    word = Word(32, None, number, code)
    for changed in (word.count_ones(), word.swap_bytes(), word.count_leading_zeros(), (~word).sext(64).trunc(32)):
        code.store(I32, changed.operand, code.address(pointer, word.zext(64).operand, I32))
    code.store_unaligned(I1, "1", code.address(pointer, 5))
    code.switch(I32, number, done, [(1, one), (2, done)])
    code.go_on(one)
    code.call(Signature(I64, (I64,)), "@other", ["5"])
    code.join(done)
    code.ret(code.load(I32, slot))
    code.module.constant_addresses("addresses", ["other", "some"])
    text = finished(code)
    assert "define internal i64 @other(i64  %p0) noinline {" in text and "ptr noalias %p0" in text
    assert "!prof !0" in text and 'branch_weights", i32 1, i32 99' in text and ", align 1" in text
    assert text.count("declare i32 @llvm.bswap.i32(i32)") == 1 and "inbounds i8, ptr %p0, i64 -3" in text


def test_a_block_computes_nothing_twice(code: Function) -> None:
    pointer, number = code.args
    word = Word(32, None, number, code)
    assert (word + 1).value == (word + 1).value != (word - 1).value
    assert code.address(pointer, 4) == code.address(pointer, 4)
    assert code.load_constant(I32, pointer) == code.load_constant(I32, pointer)
    assert code.load(I32, pointer) != code.load(I32, pointer)  # a store may have come between
    before = word + 1
    with code.if_then(word.eq(2).operand):
        assert (word + 1).value != before.value  # so that no block depends on which came first
        code.ret("1")
    code.ret("0")
    assert finished(code).count("add i32 %p1, 1") == 2


def test_sums_are_remembered(code: Function) -> None:
    word = Word(32, None, code.args[1], code)
    assert code.sums[(word + 4).value] == code.sums[(4 + word).value] == ("%p1", 4)
    assert code.sums[(Word(32, 4) + word).value] == ("%p1", 4)
    assert code.sums[(word - 4).value] == ("%p1", -4) and code.sums[(word + 0xFFFFFFFF).value] == ("%p1", -1)
    assert not {(4 - word).value, (word + word).value, (word * 4).value} & code.sums.keys()


def test_a_join_does_not_end_a_block_twice(code: Function) -> None:
    after = code.new_block()
    with code.if_then("1"):
        code.branch(after)
    code.join(after)
    code.ret("0")
    assert finished(code).count("br label %b") == 2
