"""The instruction tables: unambiguous, decoded as the manual says, listed as objdump does, all with clocks."""

from __future__ import annotations

import re

import numpy as np
import pytest

from retrosim.cpu import m68k
from retrosim.cpu.engines.core import Core
from retrosim.cpu.m68k.mc68040 import NEVER, outcomes, table
from retrosim.cpu.m68k.operands import KINDS
from retrosim.cpu.m68k.state import M68K
from retrosim.cpu.spec.decoding import OpcodeTable, fixed_bits
from retrosim.cpu.spec.instruction_set import InstructionSet
from retrosim.errors import SpecError
from tests.helpers.cpu import m68k_encodings as encodings
from tests.helpers.cpu import m68k_streams as streams

MODELS = m68k.MODEL_NAMES
SERVICES = 4096  # A-line words


class Number:
    """An operand kind with one field, from the pattern letter it is made for."""

    is_target = False

    def __init__(self, letters: str) -> None:
        self.letters = letters

    def decode(self, d):
        return None, [d.letter(self.letters)]

    def bind(self, m, static, take):
        return take()

    def show(self, d, static, fields):
        return str(fields[0])

    def statics(self, row):
        return [None]


def toy() -> InstructionSet:
    return InstructionSet("toy", {"n": Number("n"), "o": Number("o")}, word_bytes=2, max_bytes=22)


def nothing(m) -> None:
    pass


def with_n(m, n) -> None:
    pass


# --- building a table


@pytest.mark.parametrize(
    "first, second",
    [
        ("0000000000000000", "0000000000000000"),
        ("00000000--------", "0000000011111111"),
        ("0000000000000000 0000000000000000", "0000000000000000"),
        ("0000000000000000 0000000000000000", "0000000000000000 ----------------"),
        ("0000000000000000 1---------------", "0000000000000000 -1--------------"),
    ],
)
def test_overlapping_encodings_are_refused(first: str, second: str) -> None:
    isa = toy()
    isa.insn("ONE", first, ref="r")(nothing)
    isa.insn("TWO", second, ref="r")(nothing)
    with pytest.raises(SpecError, match=r"encodings overlap: ONE .* and TWO"):
        isa.table("any")


def test_a_field_counts_as_any_bit() -> None:
    isa = toy()
    isa.insn("ONE {n}", "0000nnnn00000000", ref="r")(with_n)
    isa.insn("TWO", "0000000100000000", ref="r")(nothing)
    with pytest.raises(SpecError, match="overlap"):
        isa.table("any")


def test_second_words_tell_rows_apart() -> None:
    isa = toy()
    isa.insn("ONE {n}", "0000000000000000 0nnn000000000000", ref="r")(with_n)
    isa.insn("TWO {n}", "0000000000000000 1nnn000000000000", ref="r")(with_n)
    decode = isa.table("any").decode
    texts = [decode(0, lambda at, second=second: second if at else 0).text for second in (0x3000, 0xC000)]
    assert texts == ["ONE 3", "TWO 4"]


def test_rows_of_other_models_do_not_count() -> None:
    isa = toy()
    isa.insn("ONE", "0000000000000000", ref="r", models=("A",))(nothing)
    isa.insn("TWO", "0000000000000000", ref="r", models=("B",))(nothing)
    assert [isa.table(model).decode(0, lambda at: 0).text for model in "AB"] == ["ONE", "TWO"]
    isa.insn("THREE", "0000000000000000", ref="r")(nothing)
    for model in "AB":
        with pytest.raises(SpecError, match="overlap"):
            isa.table(model)


def test_incomplete_rows_are_refused() -> None:
    isa = toy()
    with pytest.raises(SpecError, match=r"ONE: no operand reads the fields \['n', 'o'\]"):
        isa.insn("ONE", "0000nnnnoooo0000", ref="r")(nothing)
    with pytest.raises(SpecError, match=r"ONE {n}: no operand reads the fields \['o'\]"):
        isa.insn("ONE {n}", "0000nnnnoooo0000", ref="r")(with_n)
    with pytest.raises(SpecError, match=r"ONE: operands of unknown kind \['q'\]"):
        isa.insn("ONE", "0000000000000000", ref="r")(lambda m, q: None)
    assert not isa.rows


def test_an_operand_without_its_field_is_refused() -> None:
    isa = toy()
    isa.insn("ONE {n}", "0000000000000000", ref="r")(with_n)
    with pytest.raises(SpecError, match=r"ONE \{n\}: no field 'n'"):
        isa.table("any").decode(0, lambda at: 0)


def test_a_row_that_repeats_a_real_one_is_refused() -> None:
    other = InstructionSet("m68k", KINDS, word_bytes=2, max_bytes=22)
    other.insn("COPY {d},{y}", "1100ddd101000yyy", ref="r")(lambda m, d, y: None)
    with pytest.raises(SpecError, match=r"overlap: EXG \{d\},\{y\} .* and COPY"):
        OpcodeTable(M68K, "MC68040", [*m68k.cpu("MC68040").table.rows, *other.rows])


# --- the tables of the models


@pytest.mark.parametrize("model", MODELS)
def test_every_opcode_word_is_claimed_at_most_once(model: str) -> None:
    """Counted without the table: rows that share a first word have second words of which none fits two of them."""
    opcodes = m68k.cpu(model).table
    words = np.arange(65536, dtype=np.uint32)
    claims = encodings.claims(m68k.cpu(model))
    rows_at = np.array([0, *(len(group) for group in opcodes.groups)])[opcodes.first + 1]
    assert np.array_equal(claims, rows_at)
    shared = [group for group in opcodes.groups if len(group) > 1]
    assert bool(shared) == (claims > 1).any() == (model != "MC68000")
    for group in shared:
        fits = np.zeros(65536, int)
        for row in group:
            mask, value = fixed_bits(row.pattern.split()[1])
            fits += (words & mask) == value
        assert fits.max() == 1, [row.syntax for row in group]


@pytest.mark.full
@pytest.mark.parametrize("model", MODELS)
def test_every_claimed_word_decodes_as_its_row(model: str) -> None:
    cpu = m68k.cpu(model)
    for word in np.flatnonzero(cpu.table.first >= 0).tolist():
        if word >> 12 == 10:
            continue
        for row in cpu.table.groups[cpu.table.first[word]]:
            seconds = [fixed_bits(pattern)[1] for pattern in row.pattern.split()[1:]]
            insn = encodings.decode(cpu, [word, *seconds])
            assert insn is not None and insn.row is row, f"{word:04x}"


@pytest.mark.first_case
@pytest.mark.parametrize("model", MODELS)
def test_unclaimed_words_are_undefined_instructions(model: str) -> None:
    cpu = m68k.cpu(model)
    core = Core(cpu, "full")
    unclaimed = np.flatnonzero(cpu.table.first < 0)
    assert {0x4AFB, 0xF200, 0xFFFF} <= set(unclaimed.tolist())
    for word in unclaimed.tolist():
        core.write(0x1000, word.to_bytes(2, "big"))
        insn = core.decode(0x1000)
        name = "LINE-F" if word >> 12 == 15 else "ILLEGAL"
        assert (insn.row.name, insn.length, insn.text) == (name, 2, f"{name} ${word:04x}")
        assert core.timing.fields(insn)


# (words, what they are, bits that are unused): zeros in M68000PRM section 4, and bit 15 of MOVE16 a one; the part
# looks at none of them
UNUSED = [
    ("4c10 2004", "MULU.l (a0),d2", (0x83FF,)),
    ("4c00 2c04", "MULS.l d0,d4:d2", (0x83F8,)),
    ("4c40 2404", "DIVU.l d0,d4:d2", (0x83F8,)),
    ("4c50 2804", "DIVSL.l (a0),d4:d2", (0x83F8,)),
    ("02d0 a000", "CMP2.w (a0),a2", (0x07FF,)),
    ("00d0 1800", "CHK2.b (a0),d1", (0x07FF,)),
    ("0ed0 0042", "CAS.l d2,d1,(a0)", (0xFE38,)),
    ("0cfc 1081 2042", "CAS2.w d1:d2,d2:d1,(d1):(d2)", (0x0E38, 0x0E38)),
    ("f621 a000", "MOVE16 (a1)+,(a2)+", (0x8FFF,)),
    ("0e10 9800", "MOVES.b a1,(a0)", (0x07FF,)),
    ("e8d1 0883", "BFTST (a1){d2:3}", (0xF600,)),
    ("e9c1 19e3", "BFEXTU d1{d7:d3},d1", (0x8618,)),
]


@pytest.mark.parametrize(("words", "text", "unused"), UNUSED)
def test_unused_bits_of_extension_words_are_ignored(words: str, text: str, unused: tuple[int, ...]) -> None:
    """With any of them set it is the same instruction, to all engines and in listings."""
    cpu = m68k.cpu("MC68040")
    first, *extensions = (int(word, 16) for word in words.split())
    plain = encodings.decode(cpu, [first, *extensions])
    assert plain is not None and plain.text == text and plain.length == len(words.split()) * 2
    for number, bits in enumerate(unused):
        for bit in (1 << n for n in range(16) if bits >> n & 1):
            changed = [first, *extensions]
            changed[1 + number] ^= bit
            found = encodings.decode(cpu, changed)
            assert found is not None and (found.key, found.fields, found.text) == (plain.key, plain.fields, text), bit
    masks = [int("".join("1" if c == "-" else "0" for c in pattern), 2) for pattern in plain.row.pattern.split()[1:]]
    assert all(mask & ~bits == 0 for mask, bits in zip(masks, unused, strict=True))


def test_services_are_the_a_line() -> None:
    opcodes = m68k.cpu("MC68040").table
    rows = {row.syntax for group in opcodes.first[0xA000:0xB000] for row in opcodes.groups[group]}
    assert rows == {"LINE-A {t}"} and (opcodes.first[0xA000:0xB000] >= 0).sum() == SERVICES


def test_an_odd_address_is_no_place_for_an_instruction() -> None:
    core = Core(m68k.cpu("MC68040"), "full")
    core.write(0x1000, b"\x4e\x71\x4e\x71")
    assert core.decode(0x1001).row.name == "ODD-ADDRESS"
    assert core.decode(0x1000).row.name == "NOP"


@pytest.mark.first_case
@pytest.mark.parametrize("model", MODELS)
def test_every_form_has_a_source_and_clocks(model: str) -> None:
    """Rows, sizes, conditions and forms of one and two operands, in every timing mode that counts."""
    cpu = m68k.cpu(model)
    rows = set()
    for insn in encodings.samples(cpu):
        rows.add(insn.row.pattern)
        for timing in ("table", "full"):
            fields = cpu.timing[timing].fields(insn)
            assert fields and all(0 <= number < 1 << 32 for number in fields), insn.text
    assert rows == {row.pattern for row in cpu.table.rows}
    assert all(row.ref for row in cpu.table.rows)


@pytest.mark.full
def test_every_entry_of_the_mc68040_table_is_used() -> None:
    """A row that takes its clocks from another one's entry would leave its own unused."""
    entries, forms = set(), set()
    for insn in encodings.samples(m68k.cpu("MC68040")):
        forms |= {insn.forms.get("ea"), insn.forms.get("ea2")}
        found = outcomes(insn.row, insn.forms, m68k.cpu("MC68040").choices)
        assert len(found) == len(insn.row.cost)
        for c in found:
            entries.add(c.entry)
            assert 1 <= c.address <= 521 and 0 <= c.lead <= 20 and 0 <= c.base <= 521 and 1 <= c.fetches <= 5, insn
            assert c.slack in (c.lead, NEVER) and c.lead + c.base >= 1, insn
            assert c.alone == max(c.address, c.lead + c.base)
    others = ("instruction", "interlock", "none", "crossing", "source", "confidence", "note")
    columns = [c for c in next(iter(table().values())) if c not in others]
    assert {c.replace("(xxx).W/L", "(xxx).W") for c in columns} <= forms
    printed = {
        f"{key} {column}".removesuffix(" none")
        for key, row in table().items()
        for column in ("none", *columns)
        if row[column]
    }
    assert entries <= printed
    assert printed - entries == UNUSED


# What no instruction of ours takes its clocks from: forms that the printed table has and the instruction has not, and
# outcomes that share another entry (DBcc true costs what expired does).
UNUSED = {"AND An", "OR An", "EOR An", "EOR #imm", "EOR (d16,PC)", "EOR (d8,PC,Xn)", "DBcc true", "PFLUSHAN"}
# What depends on data in another way: test_exception_clocks.py.
UNUSED |= {"Divide by zero", "Interrupt", "TRAPcc/TRAPV taken"} | {f"RTE format {number}" for number in (1, 2, 3, 4, 7)}


@pytest.mark.parametrize("model", MODELS)
def test_random_instructions_have_clocks(model: str) -> None:
    cpu = m68k.cpu(model)
    generator = streams.Generator(cpu, 1994)
    found = 0
    for _ in range(5000):
        insn = encodings.decode(cpu, generator.instruction())
        if insn is not None:
            found += 1
            assert cpu.timing["full"].fields(insn), insn.text
    assert found > 4000


# --- decoding

LISTINGS = [  # code at $1000
    ("2001", "MOVE.l d1,d0"),
    ("3009", "MOVE.w a1,d0"),
    ("1011", "MOVE.b (a1),d0"),
    ("2019", "MOVE.l (a1)+,d0"),
    ("2027", "MOVE.l -(sp),d0"),
    ("2029 fffe", "MOVE.l (-2,a1),d0"),
    ("2031 28fc", "MOVE.l (-4,a1,d2.l),d0"),
    ("2031 a07f", "MOVE.l (127,a1,a2.w),d0"),
    ("2031 2cfc", "MOVE.l (-4,a1,d2.l*4),d0"),
    ("2031 2e00", "MOVE.l (0,a1,d2.w*8),d0".replace("d2.w", "d2.l")),
    ("2038 7000", "MOVE.l ($7000),d0"),
    ("2038 8000", "MOVE.l ($ffff8000),d0"),
    ("2039 00f0 0400", "MOVE.l ($f00400),d0"),
    ("203a 0010", "MOVE.l ($1012,pc),d0"),
    ("203a fffe", "MOVE.l ($1000,pc),d0"),
    ("203b 28fc", "MOVE.l ($ffe,pc,d2.l),d0"),
    ("203c 1234 5678", "MOVE.l #$12345678,d0"),
    ("303c 1234", "MOVE.w #$1234,d0"),
    ("103c ff34", "MOVE.b #$34,d0"),
    ("23a9 0004 2840", "MOVE.l (4,a1),(64,a1,d2.l)"),
    ("23fc 0000 0007 0001 2345", "MOVE.l #$7,($12345)"),
    # full formats: base displacement null, word, long; base register, index or both suppressed
    ("2031 2910", "MOVE.l (0,a1,d2.l),d0"),
    ("2031 2120 fff0", "MOVE.l (-16,a1,d2.w),d0"),
    ("2031 2d30 ffff fff0", "MOVE.l (-16,a1,d2.l*4),d0"),
    ("2031 2960 0010", "MOVE.l (16,a1),d0"),
    ("2031 29a0 0010", "MOVE.l ($10,d2.l),d0"),
    ("2031 29f0 00f0 0400", "MOVE.l ($f00400),d0"),
    # memory indirect, pre-indexed and post-indexed, outer displacement null, word, long
    ("2031 2911", "MOVE.l ([0,a1,d2.l],0),d0"),
    ("2031 2922 0010 0020", "MOVE.l ([16,a1,d2.l],32),d0"),
    ("2031 2933 0000 0010 ffff ffe0", "MOVE.l ([16,a1,d2.l],-32),d0"),
    ("2031 2915", "MOVE.l ([0,a1],d2.l,0),d0"),
    ("2031 2926 fff0 ffe0", "MOVE.l ([-16,a1],d2.l,-32),d0"),
    ("2031 2937 0001 0000 0000 0020", "MOVE.l ([65536,a1],d2.l,32),d0"),
    ("2031 2961 0010", "MOVE.l ([16,a1],0),d0"),
    ("2031 2962 0010 0020", "MOVE.l ([16,a1],32),d0"),
    ("2031 29b5 0000 1000", "MOVE.l ([$1000],d2.l,0),d0"),
    ("2031 29a2 1000 0020", "MOVE.l ([$1000,d2.l],32),d0"),
    ("2031 29e1 1000", "MOVE.l ([$1000],0),d0"),
    ("203b 2920 0010", "MOVE.l ($1012,pc,d2.l),d0"),
    ("203b 29a0 0010", "MOVE.l ($10,d2.l),d0"),
    ("203b 2921 fffe", "MOVE.l ([$1000,pc,d2.l],0),d0"),
    ("203b 2926 0010 0020", "MOVE.l ([$1012,pc],d2.l,32),d0"),
    # other operands
    ("60fe", "BRA $1000"),
    ("6000 0010", "BRA $1012"),
    ("60ff 0001 0000", "BRA $11002"),
    ("6f80", "Ble $f82"),
    ("51c8 fffe", "DBf d0,$1000"),
    ("48e7 0102", "MOVEM.l a6/d7,-(sp)"),
    ("4cdf 4080", "MOVEM.l (sp)+,d7/a6"),
    ("4c41 1c02", "DIVS.l d1,d2:d1"),
    ("4c01 2800", "MULS.l d1,d2"),
    ("e9d1 1485", "BFEXTU (a1){18:5},d1"),
    ("e9c1 19e3", "BFEXTU d1{d7:d3},d1"),
    ("efd1 2000", "BFINS d2,(a1){0:32}"),
    ("0cfc 1081 2042", "CAS2.w d1:d2,d2:d1,(d1):(d2)"),
    ("f621 a000", "MOVE16 (a1)+,(a2)+"),
    ("f601 0001 0000", "MOVE16 (a1)+,($10000)"),
    ("f609 0001 0000", "MOVE16 ($10000),(a1)+"),
    ("f611 0001 0000", "MOVE16 (a1),($10000)"),
    ("f619 0001 0000", "MOVE16 ($10000),(a1)"),
    ("5ffa 1234", "TRAPle.w #$1234"),
    ("5dfb 0000 0001", "TRAPlt.l #1"),
    ("51fc", "TRAPf"),
    ("4e4f", "TRAP #15"),
    ("4e54 fff8", "LINK a4,#-8"),
    ("480c ffff 0000", "LINK.l a4,#-65536"),
    ("4e74 0008", "RTD #8"),
    ("e148", "LSL.w #8,d0"),
    ("e2d1", "LSR.w (a1)"),
    ("5088", "ADDQ.l #8,a0"),
    ("70ff", "MOVEQ #-1,d0"),
    ("0308 0010", "MOVEP.w (16,a0),d1"),
    ("023c 00ef", "ANDI #$ef,ccr"),
    ("0839 0007 0001 0000", "BTST #$7,($10000)"),
    ("cf88", "EXG d7,a0"),
    ("c14f", "EXG a0,sp"),
]


@pytest.mark.parametrize("code, text", LISTINGS, ids=[code for code, _ in LISTINGS])
def test_listing_of_hand_assembled_code(code: str, text: str) -> None:
    core = Core(m68k.cpu("MC68040"), "full")
    core.write(0x1000, bytes.fromhex(code))
    insn = core.decode(0x1000)
    assert insn.length == len(bytes.fromhex(code))
    assert re.sub(r"\s+", " ", insn.text) == text


@pytest.mark.parametrize("opcode", [0x2031, 0x203B, 0x43F1])
def test_every_full_format(opcode: int) -> None:
    """All 256 low bytes of a full extension word: reserved ones are no instruction, others have the manual's length."""
    cpu = m68k.cpu("MC68040")
    core = Core(cpu, "full")
    reserved = 0
    for low in range(256):
        word = 0x2900 | low
        insn = encodings.decode(cpu, [opcode, word])
        if encodings.is_reserved(word):
            reserved += 1
            assert insn is None, f"{word:04x}"
            core.write(0x1000, opcode.to_bytes(2, "big") + word.to_bytes(2, "big"))
            assert core.decode(0x1000).row.name == "ILLEGAL"
        else:
            assert insn is not None and insn.length == 4 + encodings.extension_bytes(word), f"{word:04x}"
            assert insn.statics[1 if opcode != 0x43F1 else 0] == ("indirect" if word & 7 else "index")
    assert reserved == 256 - 2 * 3 * (7 + 4)  # BS, three displacements, seven selections with an index, four without
