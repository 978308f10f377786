"""The assembler of the x86: listings go back into code, and NASM makes the same code of the same text.

--times N compares N times as many random instructions of each model.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from retrosim.asm import assemble
from retrosim.cpu import x86
from retrosim.cpu.assembly.assembler import InstructionAssembler
from retrosim.cpu.assembly.expressions import Unfit
from retrosim.cpu.spec.rows import Insn
from tests.helpers.amount import FULL, SOAK, amount
from tests.helpers.asm.nasm import NOP, SLOT, nasm
from tests.helpers.asm.round_trip import code_of, decode
from tests.helpers.cpu.x86_streams import CODE, Generator

MODELS = ("i386_real", "i386_flat", "i486_real", "i486_flat")
COUNT = amount(0, 1500) if SOAK else 0
NO_NASM = re.compile(
    r"(a(16|32) )?(MOV[SZ]X (\w\w,\w\w$|\w\w,word)|BSWAP \w\w$)"
)  # a word into a word, and BSWAP of a word: undefined

OTHERWISE = re.compile(  # guide/assembler.md: XCHG with itself is NOP to NASM, a size before a jump only a prefix
    r"XCHG (e?ax),\1$|o(16|32) J\w+ \$"
)


def text_of(insn: Insn) -> str:
    """Return the listing of an instruction with its target relative to it, and with NASM's word for its size."""
    text = insn.text
    if "displacement" not in insn.row.options:  # o16 before a near jump is only a prefix to NASM
        sizes = {"16": "word", "32": "dword"}
        text = re.sub(r"^o(16|32) (CALL|PUSH|JMP) (?=0x)", lambda m: f"{m[2]} {sizes[m[1]]} ", text)
        text = re.sub(r"^o(16|32) (J\w+) (?=0x)", lambda m: f"{m[2]} near {sizes[m[1]]} ", text)
    if "target" in dict(insn.row.operands):
        shown, _, target = text.rpartition("0x")
        text = f"{shown}${int(target, 16) - insn.pc:+d}"
    return text


def same(text: str) -> str:
    """Return a text without what two codes of one instruction differ in: [eax*2], shifts by 1, the order of XCHG."""
    text = re.sub(r"\b(e[a-ds][xip])\*2", r"\1+\1", text)
    text = re.sub(r"\b(ROL|ROR|RCL|RCR|SHL|SHR|SAR)\b(.*),0x1$", r"\1\2,1", text)
    swapped = re.fullmatch(r"XCHG (\w+),(\w+)", text)
    return f"XCHG {min(swapped.groups())},{max(swapped.groups())}" if swapped else text


def out_of_reach(insn: Insn, error: Unfit) -> bool:
    """Is it a branch whose prefixes say nothing? They are left out, and the target is farther then."""
    return insn.prefixes > 0 and "target" in str(error)


@pytest.mark.first_case
@pytest.mark.parametrize("model", MODELS)
def test_listings_assemble_to_what_was_listed(model: str) -> None:
    """Every row with random operands and prefixes: the code has the same listing, and is not longer."""
    cpu = x86.cpu(model)
    assembler = InstructionAssembler(cpu.table)
    generator = Generator(cpu, 1994)
    wrong, rows = [], set()
    for _ in range(COUNT or (2500 if FULL else 1500)):
        insn = generator.instruction()
        rows.add(insn.row.key)
        try:
            code = code_of(assembler, text_of(insn), insn.pc)
        except Unfit as error:
            if not out_of_reach(insn, error):
                wrong.append(f"{insn.text}: {error}")
            continue
        again = decode(cpu, code, insn.pc)
        longer = again.length > insn.length and not (insn.prefixes and "target" in dict(insn.row.operands))
        if same(again.text) != same(insn.text) or longer:
            wrong.append(f"{insn.text} {generator.code.hex()}: {code.hex()} is {again.text}")
    assert wrong == [] and len(rows) > 0.98 * len({row.key for row in cpu.table.rows})


@pytest.mark.parametrize("model", MODELS)
def test_nasm_makes_the_same_code(model: str, tmp_path: Path) -> None:
    """Of listings; floating point (ESC) is no instruction of theirs."""
    cpu = x86.cpu(model)
    assembler = InstructionAssembler(cpu.table)
    generator = Generator(cpu, 1995, frozenset({"ESC"}))
    texts, codes = [], []
    for _ in range(COUNT or (1500 if FULL else 700)):
        insn = generator.instruction()
        text = text_of(insn)
        try:
            codes.append(code_of(assembler, text, CODE))
        except Unfit as error:
            assert out_of_reach(insn, error), text
        else:
            texts.append(text)
    wrong = []
    for text, code, slot in zip(texts, codes, nasm(texts, 16 if generator.real else 32, tmp_path), strict=True):
        if isinstance(slot, str):
            if not NO_NASM.match(text):
                wrong.append(f"{text}: {slot}")
        elif slot != code.ljust(SLOT, NOP) and not OTHERWISE.match(text):
            wrong.append(f"{text}: ours {code.hex()}, theirs {slot[:16].hex()}")
    assert wrong == []


# made by NASM 2.16, bits 32
USUAL = """
    mov eax,[eax*2] = 8b0400; mov eax,[ebp+eax] = 8b440500; mov eax,[eax+esp] = 8b0404; mov eax,[ebp] = 8b4500
    mov eax,[eax*4] = 8b048500000000; mov ax,[bp] = 66678b4600; mov eax,[eax+0xffffffff] = 8b40ff
    mov eax,[0x1234] = a134120000
    mov ds,[eax] = 8e18; lgdt [bx] = 670f0117; jmp far word [eax] = 66ff28; xchg edx,[eax] = 8710; test edx,[eax] = 8510
    add ax,0xfff0 = 6683c0f0; add eax,0x80 = 0580000000; push word 5 = 666a05
    push dword [eax] = ff30; shl eax,0x1 = d1e0
    imul eax,5 = 6bc005; jmp $ = ebfe; jmp near $ = e9fbffffff; jz near $ = 0f84faffffff; a16 loop $ = 67e2fd
    jcxz $ = 67e3fd; o16 leave = 66c9; fs xlatb = 64d7; cbw = 6698; cwde = 98; pushaw = 6660; pusha = 60; iretw = 66cf
    mov cr0,eax = 0f22c0; movzx eax,byte [eax] = 0fb600; bts ax,0x1f = 660fbae81f; lea eax,[ebx+ecx*8+4] = 8d44cb04
    mov byte [eax],-1 = c600ff; mov eax,'abcd' = b861626364; jmp word 0x8:0x1234 = 66ea34120800; aam = d40a
    rep cmpsb = f3a6; rep fs movsw = f36466a5; lock add [fs:bx],ax = f06466670107; mov eax,1fh = b81f000000
    int 3 = cd03
    mov eax,dword ptr es:[ebx+4] = 268b4304; mov eax,4[ebx] = 8b4304; mov eax,offset 5 = b805000000; mov al,1010y = b00a
"""


@cache
def assembler_of(model: str) -> InstructionAssembler:
    return InstructionAssembler(x86.cpu(model).table)


@pytest.mark.parametrize("line", [each.strip() for each in re.split("[;\n]", USUAL) if each.strip()])
def test_usual_spellings(line: str) -> None:
    text, _, code = line.partition(" = ")
    assembler = assembler_of("i486_flat")
    assert code_of(assembler, text, 0).hex() == code


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bswap eax", "BSWAP: not on the i386_flat; the i486_flat has it"),
        ("mov cr4,eax", "MOV: cr4: not on the i386_flat"),
        ("inc [eax]", "INC: the size of the operand is not known: write byte, word or dword"),
        ("mov eax,bx", "MOV: operands of different sizes"),
        ("mov al,256", "MOV: immediate 256: allowed -128..255"),
        ("loop $+300", "LOOP: target +298 bytes away: allowed -128..127"),
        ("lock mov [eax],eax", "MOV: takes no LOCK"),
        ("mov eax,[bx+cx]", "MOV: an address of 16 bits: allowed are bx or bp, si or di, or one of each"),
        ("mov eax,[ebx+esp*2]", "MOV: esp cannot be an index"),
    ],
)
def test_refusals(text: str, message: str) -> None:
    assembler = assembler_of("i386_flat")
    with pytest.raises(Unfit) as raised:
        code_of(assembler, text, 0)
    assert str(raised.value) == message


PROGRAM = """
        bits 16                 ; the bytes that are not 0: near pixels, count
        org 0x7c00
%macro  enter_frame 1
        push bp
        mov bp,sp
        mov si,[bp+%1]
%endmacro
count:  enter_frame 4
        mov cx,[bp+6]
        xor ax,ax
.next:  cmp byte [si],1
        cmc
        adc ax,0
        inc si
        loop .next
        pop bp
        ret
table   times 3 db 0ffh,'a'
        dw table,$-table
        db 1==1,2<1,1<2,1<>2,1&&2,!0,!5
        resb 2
"""


def test_a_program_in_real_mode(tmp_path: Path) -> None:
    made = assemble(PROGRAM, "i386")
    theirs = nasm_flat(PROGRAM, tmp_path)
    assert (made.boot, made.entry) == ("real", 0x7C00)
    assert made.code == theirs


# a backslash is one between ' and "; between ` it gives the next character another meaning
TEXTS = r"""
        bits 16
%macro  pair 2
        db %1,%2
%endmacro
        db 'C:\temp\new',0,"\",'it"s;'                  ; 'a comment
        db `a\n\t\x41\101\e\\\``,'`',`'`,"/*"
        dw '\',`\n`
        mov al,'\'                     ; it's
        cmp byte [bx+'\'],`\0`
        pair '\','a,b'
        pair `\`,`,"\"
        times 2 db '\',`\r`
last:   equ '\'
        mov ax,last
"""


def test_texts_are_those_of_nasm(tmp_path: Path) -> None:
    assert assemble(TEXTS, "i386").code == nasm_flat(TEXTS, tmp_path)


def test_texts_of_gnu_directives_have_escapes() -> None:
    """As compilers write them for every processor; commas, comments and separators within them are texts."""
    for cpu in ("i386", "m68000", "ppc601"):
        made = assemble('\t.ascii "a\\";|#b\\n", "x,\\"y\\""\n\t.asciz "\\101//"\n', cpu)
        assert made.code == b'a";|#b\nx,"y"A//\0'
    assert assemble(r".ascii '\\'; .asciz ';'", "ppc601").code == b"\\;\0"


def nasm_flat(text: str, folder: Path) -> bytes:
    import shutil
    import subprocess

    if shutil.which("nasm") is None:
        pytest.skip("nasm is not installed")
    (folder / "whole.asm").write_text(text)
    command = ["nasm", "-f", "bin", "-w-all", "-o", folder / "whole.bin", folder / "whole.asm"]
    subprocess.run(command, check=True)
    return (folder / "whole.bin").read_bytes()
