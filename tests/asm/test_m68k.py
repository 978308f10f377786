"""The assembler of the 68K: listings go back into code, and GNU as makes the same code of the same text.

--times N compares N times as many random instructions of each model, and all first words.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from retrosim.cpu import m68k
from retrosim.cpu.assembly.assembler import InstructionAssembler
from retrosim.cpu.assembly.expressions import Unfit
from tests.helpers.amount import FULL, SOAK, amount
from tests.helpers.asm.gnu import Gnu, differences
from tests.helpers.asm.round_trip import code_of, failure
from tests.helpers.cpu import m68k_encodings as encodings
from tests.helpers.cpu import m68k_streams as streams

MODELS = ("MC68000", "MC68040")
COUNT = amount(0, 1500) if SOAK else 0
STEP = 1 if COUNT else 31
EACH = 1 if COUNT else 7 if FULL else 23  # of the forms one of so many
GNU = {
    "MC68000": Gnu("m68k-linux-gnu", ("-m68000", "--register-prefix-optional")),
    "MC68040": Gnu("m68k-linux-gnu", ("-m68040", "--register-prefix-optional")),
}
# Where GNU as does otherwise, and why that is no fault of ours
EXCEPTIONS = (
    re.compile(r"B(TST|SET|CLR|CHG) #\S+,.*: operands mismatch"),  # it takes bit numbers of 8 bits; more are ignored
    re.compile(r".*\(\[\.[+-]\d+,pc[],].*: ours"),  # it keeps a long word for some displacements of memory indirect
    re.compile(
        r".*: invalid byte branch offset"
    ),  # displacements of -1 (which only the MC68000 has), and of 0 in brief words
)
BRANCHES = {2: "s", 4: "w", 6: "l"}


@pytest.mark.parametrize("model", MODELS)
def test_listings_of_first_words_assemble_to_them(model: str) -> None:
    cpu = m68k.cpu(model)
    assembler = InstructionAssembler(cpu.table, with_aliases=False)
    words = ([word, 0x1234, 0x0678, 0x1111, 0x2222] for word in range(0, 65536, STEP))
    insns = [insn for each in words if (insn := encodings.decode(cpu, each))]
    assert len(insns) > 40_000 / STEP
    assert [why for insn in insns if (why := failure(cpu, assembler, insn))] == []


@pytest.mark.first_case
@pytest.mark.parametrize("model", MODELS)
def test_listings_of_all_forms_assemble_to_them(model: str) -> None:
    """Every row with every size, condition, addressing mode and extension word."""
    cpu = m68k.cpu(model)
    assembler = InstructionAssembler(cpu.table, with_aliases=False)
    samples = [insn for number, insn in enumerate(encodings.samples(cpu)) if number % EACH == 0]
    assert len(samples) > 1400 / EACH
    assert [why for insn in samples if (why := failure(cpu, assembler, insn))] == []


def random_texts(model: str, count: int) -> tuple[list[str], list[bytes]]:
    """Return random instructions as both assemblers take them, and our code."""
    cpu = m68k.cpu(model)
    assembler = InstructionAssembler(cpu.table)
    generator = streams.Generator(cpu, 1994, frozenset({"LINE"}))
    texts, codes = [], []
    for _ in range(count):
        insn = encodings.decode(cpu, [*generator.instruction(), *[0x4E71] * 8])
        if insn is None:
            continue

        def relative(found: re.Match[str], pc: int = insn.pc) -> str:
            return f".{(int(found[1], 16) - pc + (1 << 31)) % (1 << 32) - (1 << 31):+d}"

        text = re.sub(r"\$([0-9a-f]+)(?=,pc)", relative, insn.text)
        if "target" in dict(insn.row.operands):
            text = re.sub(r"\$([0-9a-f]+)$", relative, text)
            if not text.startswith("DB"):  # GNU as chooses for its own names only
                text = text.replace(" ", f".{BRANCHES[insn.length]} ", 1)
        text = text.replace("$", "0x")
        try:
            codes.append(code_of(assembler, text, insn.pc))
        except Unfit as error:
            raise AssertionError(f"{text}: {error}") from None
        texts.append(text)
    return texts, codes


@pytest.mark.parametrize("model", MODELS)
def test_gnu_as_makes_the_same_code(model: str, tmp_path: Path) -> None:
    texts, codes = random_texts(model, COUNT or (1500 if FULL else 700))
    found = differences(texts, codes, GNU[model].assemble(texts, tmp_path))
    assert [each for each in found if not any(known.match(each) for known in EXCEPTIONS)] == []


@cache
def assembler_of(model: str) -> InstructionAssembler:
    return InstructionAssembler(m68k.cpu(model).table)


def assemble(text: str, model: str = "MC68040", pc: int = 0x1000) -> str:
    assembler = assembler_of(model)
    return code_of(assembler, text, pc).hex(" ", 2)


# made by GNU as 2.40 (-m68040), but for the branches that it makes long and the shifts that it does not take
BOTH_SYNTAXES = """
    move.l #1,%d0 = 7001; move.l #200,d0 = 203c 0000 00c8; add.l #5,d0 = 5a80; add.l #100,d0 = 0680 0000 0064
    addi.l #5,d0 = 0680 0000 0005; add.w #5,a0 = 5a48; add.l #100,a0 = d1fc 0000 0064; sub.l #1,(a0) = 5390
    cmp.l #0,d0 = 0c80 0000 0000; cmp.w #5,a0 = b0fc 0005; and.l #5,d0 = 0280 0000 0005; eor.w #5,d0 = 0a40 0005
    cmp.b (a0)+,(a1)+ = b308; move.l 4,d0 = 2038 0004; move.l 4.l,d0 = 2039 0000 0004; move.l 4:w,d0 = 2038 0004
    move.l 0x12345,d0 = 2039 0001 2345; lea 0(a0),a1 = 43d0; move.l (4,a0,d0.l*4),d1 = 2230 0c04
    move.l 4(a0,d0.l*4),d1 = 2230 0c04; move.l (400,a0,d0.l*4),d1 = 2230 0d20 0190
    move.l (40000,a0),d1 = 2230 0170 0000 9c40; move.l ([4,a0],d0.w*2,6),d1 = 2230 0326 0004 0006
    move.l ([a0]),d1 = 2230 0151; lsl.w d0 = e348; movem.l d0-d3/a0,-(sp) = 48e7 f080; exg a1,d0 = c189
    movem.l #3,-(sp) = 48e7 0003; bfextu d0{#1:#5},d1 = e9c0 1045; bfextu (a0){d1:32},d1 = e9d0 1840
    divu.l d0,d1 = 4c40 1001; divul.l d0,d1:d2 = 4c40 2001; mulu d0,d1 = c2c0; tst d0 = 4a40
    link a6,#-40000 = 480e ffff 63c0; move usp,a0 = 4e68; st (a0) = 50d0; movec d0,vbr = 4e7b 0801; pflushn (a0) = f500
    cpusha bc = f4f8; cpushl dc,(a0) = f468; btst.b #5,(a0) = 0810 0005; move16 (a0)+,0x12345 = f600 0001 2345
    swap.w d0 = 4840; jra at_1000 = 60fe; bsr at_2000 = 6100 0ffe; bra.l at_1000 = 60ff ffff fffe
    dbra d0,at_1000 = 51c8 fffe; illegal = 4afc; bkpt #7 = 484f; move16 (a0)+,(a1)+ = f620 9000
"""


@pytest.mark.parametrize("line", [each.strip() for each in re.split("[;\n]", BOTH_SYNTAXES) if each.strip()])
def test_usual_spellings(line: str) -> None:
    text, _, code = line.partition(" = ")
    assert assemble(text) == code


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bfextu (a0){1:2},d0", "BFEXTU: not on the MC68000; the MC68040 has it"),
        ("muls.l d0,d1", "MULS.L: not on the MC68000; the MC68040 has it"),
        ("move.l (a0,d0.w*4),d1", "MOVE.L: not on the MC68000; the MC68040 has it"),
        ("moveq #300,d0", "MOVEQ: number 300: allowed -128..127"),
        ("moev.l d0,d1", "unknown instruction 'moev.l'; did you mean move.l?"),
        ("bra.s at_9000", "BRA.S: target +32766 bytes away: allowed -128..127, and not 0 with 8 bits"),
        ("bkpt #0", "BKPT: not on the MC68000; the MC68040 has it"),
        ("move.b #256,d0", "MOVE.B: immediate 256: allowed -128..255"),
        ("move.l d0,nowhere", "MOVE.L: no symbol nowhere"),
    ],
)
def test_what_does_not_exist_is_said_so(text: str, message: str) -> None:
    with pytest.raises(Unfit) as raised:
        assemble(text, "MC68000")
    assert str(raised.value) == message
