"""The x86 tables: unambiguous, decoded as the manual says, all rows drawn, all with a source and clocks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from retrosim.cpu import x86
from retrosim.cpu.spec.cpu import FAULT
from retrosim.cpu.spec.decoding import IllegalEncoding, TooLong
from retrosim.cpu.spec.instruction_set import InstructionSet
from retrosim.cpu.spec.rows import Insn
from retrosim.cpu.x86.clocks import keys, table
from retrosim.errors import SpecError
from tests.cpu.m68k.test_rows import Number
from tests.helpers.cpu.x86_programs import core_with, run
from tests.helpers.cpu.x86_streams import Generator

DRAWN = 8000
SEED = 386


def decode(model: str, code: bytes):
    return x86.cpu(model).table.decode(0, lambda at: code[at] if at < len(code) else 0)


def test_a_prefix_is_no_instruction() -> None:
    isa = InstructionSet("toy", {"n": Number("n")}, word_bytes=1, max_bytes=4, prefixes={0x66: ("data", 1)})
    isa.insn("ONE", "01100110", ref="r")(lambda m: None)
    with pytest.raises(SpecError, match="prefix 0x66 is an instruction too: ONE"):
        isa.table("any")


def test_rows_of_one_first_byte_differ_behind_it() -> None:
    isa = InstructionSet("toy", {"n": Number("n")}, word_bytes=1, max_bytes=4)
    isa.insn("ONE", "00001111 0000----", ref="r")(lambda m: None)
    isa.insn("TWO", "00001111 00000001", ref="r")(lambda m: None)
    with pytest.raises(SpecError, match=r"encodings overlap: ONE .* and TWO"):
        isa.table("any")


@pytest.fixture(scope="module")
def drawn() -> Callable[[str], list[Insn]]:
    """Return what gives random instructions of a model, the same ones each time."""

    @cache
    def insns(model: str) -> list[Insn]:
        generator = Generator(x86.cpu(model), SEED)
        return [generator.instruction() for _ in range(DRAWN)]

    return insns


@pytest.mark.first_case
@pytest.mark.parametrize("model", x86.MODEL_NAMES)
def test_every_row_is_drawn_and_has_clocks(drawn: Callable[[str], list[Insn]], model: str) -> None:
    cpu = x86.cpu(model)
    rows, handlers = set(), {(key[0].pattern, key[1]) for key in list(cpu.table.handlers())}
    for insn in drawn(model):
        rows.add(insn.row.pattern)
        assert (insn.row.pattern, insn.statics) in handlers, insn.text
        for timing in ("table", "full"):
            fields = cpu.timing[timing].fields(insn)
            assert all(0 <= number < 1 << 32 for number in fields), insn.text
    print(f"{model}: {len(rows)} rows, {len(handlers)} handlers, seed {SEED}")
    assert rows == {row.pattern for row in cpu.table.rows}
    assert all(row.ref for row in cpu.table.rows)
    assert len(handlers) < 2000


@pytest.mark.full
def test_every_entry_of_the_clock_table_is_used(drawn: Callable[[str], list[Insn]]) -> None:
    used = {"exception", "exception at a limit", *(f"exception of {name}" for name in ("AAM", "BOUND", "DIV", "IDIV"))}
    for model in x86.MODEL_NAMES:
        readings = [{}, {each.name: each.options[-1] for each in x86.cpu(model).readings}]
        for insn in drawn(model):
            used |= {key for choices in readings for key in keys(insn.row, insn.forms, choices)}
    assert used == set(table())


LISTINGS = [
    ("i386_real", "01d8", "ADD ax,bx"),
    ("i386_real", "6601d8", "ADD eax,ebx"),
    ("i386_flat", "01d8", "ADD eax,ebx"),
    ("i386_flat", "6601d8", "ADD ax,bx"),
    ("i386_real", "26034702", "ADD ax,[es:bx+0x2]"),
    ("i386_real", "8046fe05", "ADD byte [bp-0x2],0x5"),
    ("i386_real", "676603448b10", "ADD eax,[ebx+ecx*4+0x10]"),
    ("i386_flat", "83c0ff", "ADD eax,0xffffffff"),
    ("i386_flat", "8b048578563412", "MOV eax,[eax*4+0x12345678]"),
    ("i386_flat", "8b0424", "MOV eax,[esp]"),
    ("i386_flat", "8b45fc", "MOV eax,[ebp-0x4]"),
    ("i386_flat", "8a2500100000", "MOV ah,[0x1000]"),
    ("i386_real", "a10010", "MOV ax,[0x1000]"),
    ("i386_flat", "0fb60a", "MOVZX ecx,byte [edx]"),
    ("i386_flat", "0fbfc1", "MOVSX eax,cx"),
    ("i386_flat", "0fa4d005", "SHLD eax,edx,0x5"),
    ("i386_flat", "0fbafa1f", "BTC edx,0x1f"),
    ("i386_real", "f3a5", "rep MOVSw"),
    ("i386_flat", "f2ae", "repne SCASb"),
    ("i386_real", "26d7", "es XLAT"),
    ("i386_real", "ea34120040", "JMP 0x4000:0x1234"),
    ("i386_real", "8ee0", "MOV fs,ax"),
    ("i386_flat", "7efe", "Jle 0x0"),
    ("i386_flat", "e8fbffffff", "CALL 0x0"),
    ("i386_flat", "0f20c0", "MOV eax,cr0"),
    ("i486_flat", "0fc8", "BSWAP eax"),
    ("i486_flat", "0fb10b", "CMPXCHG [ebx],ecx"),
]


@pytest.mark.parametrize("model, code, text", LISTINGS)
def test_listing(model: str, code: str, text: str) -> None:
    insn = decode(model, bytes.fromhex(code))
    assert (insn.length, insn.text) == (len(code) // 2, text)


UNDEFINED = {
    "386 only": ("i386_flat", ["0fc8", "0fc1c0", "0fb1c8", "0f08", "0f09", "0f0138"]),
    "486": (
        "i486_real",
        [
            "0f00c0", "0f02c0", "0f03c0", "63c0", "0fa2", "0f0b", "0fff", "0f04", "0f07",  # protected mode, later parts
            "8ec8", "8ef0", "8cf0",  # loading CS, segment registers 6 and 7
            "8fc8", "c6c800", "c7c80000", "fed0", "ffff", "fff8",  # group fields without an instruction
            "8dc0", "c4c0", "c5c0", "62c0", "0fb2c0", "ffd8", "ffe8", "0f01c0", "0f01f8",  # memory forms with registers
            "0f20c8", "0f22e0", "0f24c0", "0f21e0",  # CR1, CR4, TR0, DR4
            "f090", "f001c0", "f08b07", "f03907", "f0a4", "f0b000",  # LOCK where it is not allowed
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("model, code", [(m, c) for m, codes in UNDEFINED.values() for c in codes])
def test_undefined_opcodes_raise_exception_6(model: str, code: str) -> None:
    with pytest.raises(IllegalEncoding):
        decode(model, bytes.fromhex(code))
    core = run(core_with(model, code))  # vector 6 has no handler
    assert (core.state["reason"], core.state["detail"], core.state["pc"]) == (FAULT, 6, 0x1000)


@pytest.mark.parametrize("code", ["f00107", "f0ff07", "f08707", "f0f617", "f00fab07", "f00fc107", "f00fb107"])
def test_lock_goes_with_modifying_memory(code: str) -> None:
    assert decode("i486_real", bytes.fromhex(code)).prefixes == 1


@pytest.mark.parametrize("count, long", [(13, False), (14, True), (15, True), (40, True)])
def test_more_than_15_bytes_are_exception_13(count: int, long: bool) -> None:
    code = b"\x26" * count + b"\x01\xd8"
    if not long:
        assert decode("i386_real", code).length == count + 2
        return
    with pytest.raises(TooLong):
        decode("i386_real", code)
    core = run(core_with("i386_real", code.hex()))
    assert (core.state["reason"], core.state["detail"]) == (FAULT, 13)


def test_escapes_raise_exception_7() -> None:
    for first in range(0xD8, 0xE0):
        core = run(core_with("i486_flat", f"{first:02x}0500100000"))
        assert (core.state["reason"], core.state["detail"]) == (FAULT, 7)


def test_the_last_prefix_of_a_kind_counts() -> None:
    assert decode("i386_real", bytes.fromhex("262e8b07")).text == "MOV ax,[cs:bx]"
    assert decode("i386_real", bytes.fromhex("66668b07")).text == "MOV eax,[bx]"
    assert decode("i386_real", bytes.fromhex("f2f3a6")).text == "repe CMPSb"
