"""The PowerPC table: unambiguous, decoded as the manual says, listed as objdump does."""

from __future__ import annotations

import itertools
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from retrosim.cpu import ppc
from retrosim.cpu.assembly.dialect import Dialect
from retrosim.cpu.engines.core import Core
from retrosim.cpu.ppc.operands import Field
from retrosim.cpu.spec.decoding import IllegalEncoding, IndexBits, fixed_bits
from retrosim.cpu.spec.instruction_set import InstructionSet
from retrosim.cpu.spec.rows import Insn
from retrosim.errors import SpecError
from tests.helpers.cpu import ppc_streams as streams
from tests.helpers.cpu.ppc_assembler import code

CPU = ppc.cpu("MPC601")
SEED = 1994
OBJDUMP = "powerpc-linux-gnu-objdump"


def decode(word: int, pc: int = 0x1000) -> Insn:
    return CPU.table.decode(pc, lambda address: word)


# --- tables indexed by chosen bits


class Number(Field):
    """A field of a pattern, by its letter."""


def toy() -> InstructionSet:
    return InstructionSet("toy", {"n": Number("n")}, word_bytes=4, max_bytes=4, index=0xF000000F)


def nothing(m) -> None:
    pass


@pytest.mark.parametrize("mask", [0xFFFF, 0xF000000F, 0xFC0007FF, 1, 0x80000000])
def test_index_bits_are_packed_and_spread(mask: int) -> None:
    index = IndexBits(mask)
    r = random.Random(SEED)
    assert index.count == mask.bit_count()
    for _ in range(100):
        word = r.getrandbits(32)
        number = index.gather(word)
        assert 0 <= number < 1 << index.count
        assert index.scatter(number) == word & mask


@pytest.mark.parametrize(
    "first, second, overlaps",
    [
        ("0001" + "0" * 28, "0001" + "0" * 28, True),
        ("0001" + "-" * 28, "0001" + "0" * 28, True),
        ("0001" + "-" * 28, "0010" + "-" * 28, False),
        ("0001" + "-" * 27 + "0", "0001" + "-" * 27 + "1", False),
        ("0001" + "0" * 10 + "-" * 18, "0001" + "1" * 10 + "-" * 18, False),  # told apart outside the index
        ("0001" + "0" * 10 + "-" * 18, "0001" + "-" * 10 + "0" * 18, True),
    ],
)
def test_rows_may_differ_in_any_bit(first: str, second: str, overlaps: bool) -> None:
    isa = toy()
    isa.insn("ONE", first, ref="r")(nothing)
    isa.insn("TWO", second, ref="r")(nothing)
    if overlaps:
        with pytest.raises(SpecError, match=r"encodings overlap: ONE .* and TWO"):
            isa.table("any")
    else:
        table = isa.table("any")
        for pattern, name in ((first, "ONE"), (second, "TWO")):
            value = fixed_bits(pattern)[1]
            assert table.decode(0, lambda address, value=value: value).row.name == name


# --- the table of the 601


def test_no_two_rows_share_a_word() -> None:
    """Counted without the table, pair by pair."""
    for a, c in itertools.combinations(CPU.table.rows, 2):
        (mask_a, value_a), (mask_c, value_c) = fixed_bits(a.first), fixed_bits(c.first)
        assert (value_a ^ value_c) & mask_a & mask_c, (a.syntax, c.syntax)


def test_patterns_are_whole_words_with_fields_in_one_piece() -> None:
    for row in CPU.table.rows:
        assert len(row.pattern) == 32, row.syntax
        for letter in set(row.pattern) - set("01-"):
            assert letter * row.pattern.count(letter) in row.pattern, row.syntax
        assert row.ref


def test_every_row_decodes_as_itself() -> None:
    generator = streams.Generator(CPU, SEED)
    for row in CPU.table.rows:
        for _ in range(20):
            assert decode(generator.encode(row)).row is row


@pytest.mark.parametrize("word", [0, 0x7FFFFFFF, 0x7C0002E4, 0x4C000004, 0x7C6D42A6, 0xEC00002A | 0x7E0, 0x04000000])
def test_other_words_are_no_instruction(word: int) -> None:
    """Among them mftb and fsqrts, which the 601 has not, and a special register that it has not."""
    with pytest.raises(IllegalEncoding):
        decode(word)
    core = Core(CPU, "full")
    core.write(0x1000, code(word))
    insn = core.decode(0x1000)
    assert (insn.row.name, insn.length, insn.text) == ("illegal", 4, f".long 0x{word:08x}")


LISTINGS = [  # code at 1000h
    (0x38600005, "li r3,5"),
    (0x3863FFFB, "addi r3,r3,-5"),
    (0x3C60FFFF, "lis r3,-1"),
    (0x7C642A15, "add. r3,r4,r5"),
    (0x7C642E14, "addo r3,r4,r5"),
    (0x7C642E15, "addo. r3,r4,r5"),
    (0x5483298E, "rlwinm r3,r4,5,6,7"),
    (0x80640008, "lwz r3,8(r4)"),
    (0x9421FFF0, "stwu r1,-16(r1)"),
    (0xBBA10004, "lmw r29,4(r1)"),
    (0x7C60282E, "lwzx r3,0,r5"),
    (0x2C830005, "cmpwi cr1,r3,5"),
    (0x41820008, "beq 0x1008"),
    (0x4199FFFC, "bgt cr6,0xffc"),
    (0x4200FFFC, "bdnz 0xffc"),
    (0x429F0005, "bcl 20,4*cr7+so,0x1004"),
    (0x48000010, "b 0x1010"),
    (0x4BFFFFFD, "bl 0xffc"),
    (0x48001002, "ba 0x1000"),
    (0x48001003, "bla 0x1000"),
    (0x4E800020, "blr"),
    (0x4E800421, "bctrl"),
    (0x41A20008, "beq+ 0x1008"),
    (0x4382FFF8, "bc 28,eq,0xff8"),
    (0x60000000, "nop"),
    (0x7C832378, "mr r3,r4"),
    (0x5483D97E, "srwi r3,r4,5"),
    (0x44000002, "sc"),
    (0x7C0802A6, "mflr r0"),
    (0x7C7042A6, "mfsprg0 r3"),
    (0x7C6FF120, "mtcrf 255,r3"),
    (0x7C64612C | 1, "stwcx. r3,r4,r12"),
    (0x7C832932, "sle r3,r4,r5"),
    (0x24640005, "dozi r3,r4,5"),
]


@pytest.mark.parametrize("word, text", LISTINGS, ids=[text for _, text in LISTINGS])
def test_listing(word: int, text: str) -> None:
    assert decode(word).text == text


def test_what_decoding_knows_of_branches() -> None:
    assert decode(0x4BFFFFFC).target == 0xFFC
    assert decode(0x48001002).target == 0x1000
    assert decode(0x4E800020).target is None
    ends = {row.syntax for row in CPU.table.rows if row.options.get("ends")}
    assert ends == {"b{aa} {target}", "bc{aa} {bo},{bi},{target}", "bclr {bo},{bi}", "bcctr {bo},{bi}", "rfi"}
    assert decode(0x4E800020).row.options["ends"] and not decode(0x4D820020).row.options["ends"]  # blr, beqlr


# --- objdump

# what objdump shows beside the operands that there are: a hint or a level that is 0, a mask that is -1
DROPPED = {"mfcr": ",-1", "sc": " 0", "sync": " 0", **dict.fromkeys(("mtmsr", "dcbf", "lwarx", "tlbie"), ",0")}
DROPPED |= dict.fromkeys(("bclr", "bclrl", "bcctr", "bcctrl"), ",0")
UPDATES = re.compile(r"(l|st)(wz|w|bz|b|hz|ha|h|fs|fd)ux?")
STRINGS = ("lmw", "lswi", "lswx", "lscbx")


def objdump(words: list[int], folder: Path) -> list[str]:
    if shutil.which(OBJDUMP) is None:
        pytest.skip(f"{OBJDUMP} (Debian: binutils-powerpc-linux-gnu) is not installed")
    path = folder / "words.bin"
    path.write_bytes(code(*words))
    options = ["-b", "binary", "-m", "powerpc:601", "-M", "601,raw", "-EB", "-D", "-z"]
    run = subprocess.run([OBJDUMP, *options, path], capture_output=True, text=True, check=True)
    lines = re.findall(r"^ *[0-9a-f]+:\t(?:[0-9a-f]{2} ){4}\t(.*)$", run.stdout, re.MULTILINE)
    assert len(lines) == len(words)
    return [" ".join(line.split("<")[0].split()) for line in lines]


def test_objdump_lists_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random words of every row: mnemonics and operands, without simplified ones; hints are a bit of BO."""
    monkeypatch.setattr(Dialect, "simplified", lambda dialect, stem, text: text)
    generator = streams.Generator(CPU, SEED)
    compared = 0
    words = [generator.encode(row) for row in CPU.table.rows for _ in range(25)]
    for number, (word, theirs) in enumerate(zip(words, objdump(words, tmp_path), strict=True)):
        ours = re.sub(r"\b(\d+)[+-],", lambda bo: f"{int(bo[1]) + 1},", decode(word, 4 * number).text)
        name = ours.split()[0]
        theirs = theirs.removesuffix(DROPPED.get(name, "\n"))
        a, d = word >> 16 & 31, word >> 21 & 31
        if (UPDATES.fullmatch(name) and (a == 0 or a == d)) or name.rstrip(".") in STRINGS:
            continue  # forms that GNU refuses or gives their POWER names; strings: when their registers overlap
        compared += 1
        assert ours == theirs, f"{word:08x}"
    assert compared > 0.95 * len(words)
