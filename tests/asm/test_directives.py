"""Directives: the bytes that each makes, on each byte order, and what is refused."""

from __future__ import annotations

import io

import pytest
from elftools.elf.elffile import ELFFile

from retrosim.asm import assemble
from retrosim.errors import AssemblyError


def code(text: str, cpu: str = "m68040", **options) -> str:
    return assemble(text, cpu, **options).code.hex()


def messages(text: str, cpu: str = "m68000") -> list[str]:
    with pytest.raises(AssemblyError) as raised:
        assemble(text, cpu)
    return [sentence for _, _, sentence in raised.value.messages]


@pytest.mark.parametrize(
    ("text", "big"),
    [
        ("dc 1", "0001"), ("dc.b 1", "01"), ("dc.w 0x102", "0102"), ("dc.l 0x1020304", "01020304"),
        (".byte 1,2", "0102"), (".short 0x102", "0102"), (".2byte 0x102", "0102"), (".4byte 1", "00000001"),
        (".long 1", "00000001"), (".int 1", "00000001"), (".hword 1", "0001"),
        (".8byte 0x102", "0000000000000102"), (".quad 0x102", "0000000000000102"),
        ("dcb.b 3,7", "070707"), ("dcb.w 2,7", "00070007"), ("dcb.l 1,7", "00000007"), ("dcb.w 2", "00000000"),
        ("ds.b 2", "0000"), ("ds.w 2", "00000000"), ("ds.l 1", "00000000"), ("ds 1", "0000"), ("blk.w 1,5", "0005"),
        (".space 3,9", "090909"), (".skip 2", "0000"), (".zero 2", "0000"), (".fill 2,2,5", "00050005"),
        (".fill 3", "000000"), (".fill 2,1,8", "0808"), (".fill 1,8,1", "0000000000000001"),
        ('.ascii "ab","c"', "616263"), ('.asciz "ab","c"', "61620063" + "00"), ('.string "a"', "6100"),
        ("dc.b 'ab',0", "616200"), ("dc.w 'abcde'", "616263646500"), ("dc.l 'abcdefgh'", "6162636465666768"),
    ],
)  # fmt: skip
def test_data(text: str, big: str) -> None:
    assert code(f" {text}") == big
    if text.startswith(".") and "asci" not in text and "string" not in text and "fill" not in text:
        unit = {"by": 1, "sp": 1, "sk": 1, "ze": 1, "sh": 2, "2b": 2, "hw": 2, "8b": 8, "qu": 8}.get(text[1:3], 4)
        data = bytes.fromhex(big)
        little = b"".join(data[at : at + unit][::-1] for at in range(0, len(data), unit))
        assert code(f" {text}", "i386") == little.hex()


@pytest.mark.parametrize(
    ("text", "little"),
    [
        ("db 1,'ab'", "016162"), ("dw 0x102", "0201"), ("dd 0x102", "02010000"), ("dq 1", "01" + "00" * 7),
        ("resb 2", "0000"), ("resw 2", "00000000"), ("resd 1", "00000000"), ("resq 1", "00" * 8),
        ("times 3 db 5", "050505"), ("times 2 nop", "9090"),
    ],
)  # fmt: skip
def test_data_of_intel(text: str, little: str) -> None:
    assert code(f" {text}", "i386") == little


@pytest.mark.parametrize(("directive", "bits"), [(".byte", 8), (".short", 16), (".long", 32)])
def test_numbers_that_fit(directive: str, bits: int) -> None:
    for number in (-(1 << bits - 1), (1 << bits) - 1):
        assert code(f" {directive} {number}") == f"{number & (1 << bits) - 1:0{bits // 4}x}"
    for number in (-(1 << bits - 1) - 1, 1 << bits):
        assert messages(f" {directive} {number}") == [f"data {number}: allowed {-(1 << bits - 1)}..{(1 << bits) - 1}"]
    assert messages(f"x: nop\n {directive} x+{1 << bits}")[0].startswith("data ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" dc.b 1\n align 4\n dc.b 2", "0100000002"), (" dc.b 1\n balign 4,7\n dc.b 2", "0107070702"),
        (" dc.b 1\n even\n dc.b 2\n even", "01000200"), (" dc.b 1,2\n even", "0102"),
        (" nop\n balign 8", "4e71" * 4), (" nop\n p2align 3", "4e71" * 4), (" nop\n p2align 1", "4e71"),
        (" dc.b 1\n cnop 0,4\n dc.b 2", "0100000002"), (" dc.b 1\n cnop 2,4\n dc.b 2", "01" + "00" * 5 + "02"),
        (" dc.b 1\n balign\n dc.b 2", "010002"),
    ],
)  # fmt: skip
def test_alignment(text: str, expected: str) -> None:
    assert code(text) == expected


def test_alignment_by_a_power() -> None:
    assert code(" .byte 1\n .align 2\n .byte 2", "ppc601") == "01000000" + "02"
    assert code(" nop\n .align 3\n nop", "ppc601") == "60000000" * 3
    for directive, minimum in ((".align", 0), (".p2align", 0)):
        assert code(f" .byte 1\n {directive} {minimum}\n .byte 2", "ppc601") == "0102"
        assert messages(f" {directive} 17", "ppc601") == ["alignment by 2^17: allowed 0..16"]
        assert messages(f" {directive} -1", "ppc601") == ["alignment by 2^-1: allowed 0..16"]
    for size in (0, 3, 6, 1 << 17):
        assert messages(f" balign {size}") == [f"alignment {size}: allowed powers of 2 up to 65536"]
    assert len(code(f" nop\n balign {1 << 16}")) == 2 * ((1 << 16) - 0x2000)


def test_places() -> None:
    made = assemble(" org 0x3000\n dc.b 1\n org .+2\n dc.b 2\n org 0x4000\n dc.b 3", "m68000")
    assert [(each.address, bytes(each.content)) for each in made.sections] == [
        (0x3000, b"\1\0\0\2"), (0x4000, b"\3"),
    ]  # fmt: skip
    assert messages(" org -1") == ["org -0x1: allowed 0..0xffffffff"]
    assert messages(f" org {1 << 32}") == ["org 0x100000000: allowed 0..0xffffffff"]


def test_sections() -> None:
    for text, name in (
        ("data", ".data"), ("section .data", ".data"), ("section data", ".data"), ("segment DATA", ".data"),
        ('section "mine",code', "mine"), ("section mine,bss", "mine"), ('.section .init,"ax"', ".init"),
        ('.section .rodata,"a"', ".rodata"), (".section .x,nobits", ".x"), ('.section .y,"aw",@progbits', ".y"),
    ):  # fmt: skip
        made = assemble(f" {text}\n ds.b 4\n", "m68000", origins={})
        kinds = {"mine": "code" if "code" in text else "zeros", ".init": "code", ".x": "zeros"}
        (section,) = (each for each in made.sections if each.bytes)
        assert section.name == name and section.kind == kinds.get(name, "data"), text
    assert messages(" section") == ["section: a name is missing"]


def test_symbols() -> None:
    made = assemble(
        " .globl f\n .type f,@function\n .size f,4\nf: nop\n nop\n .type d,@object\nd: dc.b 1\n .comm c,6\n"
        " .lcomm e,2,8\n",
        "m68000",
    )
    symbols = elf_symbols(made.elf)
    assert symbols["f"][1:] == (4, "FUNC", "GLOBAL") and symbols["d"][1:] == (0, "OBJECT", "LOCAL")
    assert symbols["c"][2] == symbols["e"][2] == "OBJECT"
    common, aligned = symbols["c"][0], symbols["e"][0]
    assert common % 4 == aligned % 8 == 0 and aligned >= common + 6
    (bss,) = (each for each in made.sections if each.name == ".bss")
    assert bss.bytes == aligned + 2 - bss.address
    for text, why in (
        (" .type", "type: a name is missing"), (" .size f", "size: NAME, bytes is expected"),
        (" .size f,-1", "size -1: allowed 0..4294967295"), (" .size f,1<<32", "size 4294967296: allowed 0..4294967295"),
        (" equ 1,2,3", "1,2,3: NAME, value is expected"), (" set 1x,2", "1x,2: NAME, value is expected"),
    ):  # fmt: skip
        assert messages(text) == [why]


def elf_symbols(content: bytes) -> dict[str, tuple[int, int, str, str]]:
    """Return (value, size, type, binding) of each symbol by name, as pyelftools finds them."""
    table = ELFFile(io.BytesIO(content)).get_section_by_name(".symtab")
    return {
        each.name: (each["st_value"], each["st_size"], each["st_info"]["type"][4:], each["st_info"]["bind"][4:])
        for each in table.iter_symbols()
    }


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("dc.b", "data: a number is missing"), ("ds.b", "0 numbers: allowed 1..2"),
        ("ds.b 1,2,3", "3 numbers: allowed 1..2"),
        (".fill 1,9", "fill: size 9: allowed 1..8"), (".fill 1,0", "fill: size 0: allowed 1..8"),
        ("balign ,4", "a number is missing"), (".ascii 5", "5: a text in quotes is expected"),
        ("cnop 2", "1 numbers: allowed 2..2"),
    ],
)  # fmt: skip
def test_refusals(text: str, why: str) -> None:
    assert messages(f" {text}") == [why]
