"""Kinds of relocations by the names that pyelftools has for them, and what is written for each."""

import pytest
from elftools.elf import enums

from retrosim.rom.formats import relocations as r
from retrosim.rom.formats.relocations import RULES, Rule, part_of, write

PLACES = {  # what is at the end of a name: bytes, and the bits that are replaced where that is not all of them
    "32": (4, 0), "16": (2, 0), "8": (1, 0), "24": (4, 0x03FFFFFC), "14": (4, 0xFFFC), "24PC": (4, 0x03FFFFFC),
}  # fmt: skip
VALUES = {
    "R_386_": r.ADDRESS, "R_386_PC": r.RELATIVE, "R_386_GOT": r.GOT_ENTRY, "R_386_PLT": r.RELATIVE,
    "R_PPC_ADDR": r.ADDRESS, "R_PPC_UADDR": r.ADDRESS, "R_PPC_REL": r.RELATIVE, "R_PPC_GOT": r.GOT_ENTRY,
    "R_PPC_PLTREL": r.RELATIVE, "R_PPC_LOCAL": r.RELATIVE,
}  # fmt: skip
PARTS = {"LO": r.LOW, "HI": r.HIGH, "HA": r.HIGH_ADJUSTED}
OTHERS = {  # by the supplements: the names do not tell
    "R_386_GOTOFF": (r.FROM_GOT, 4, 0xFFFFFFFF), "R_386_GOTPC": (r.GOT_ITSELF, 4, 0xFFFFFFFF),
    "R_PPC_EMB_SDA21": (r.SMALL_DATA, 4, 0x1FFFFF),
}  # fmt: skip
M68K = [  # System V ABI, Motorola 68000 supplement, table of relocation types; from 1 on
    ("32", r.ADDRESS), ("16", r.ADDRESS), ("8", r.ADDRESS), ("PC32", r.RELATIVE), ("PC16", r.RELATIVE),
    ("PC8", r.RELATIVE), ("GOT32", r.GOT_RELATIVE), ("GOT16", r.GOT_RELATIVE), ("GOT8", r.GOT_RELATIVE),
    ("GOT32O", r.GOT_ENTRY), ("GOT16O", r.GOT_ENTRY), ("GOT8O", r.GOT_ENTRY), ("PLT32", r.RELATIVE),
    ("PLT16", r.RELATIVE), ("PLT8", r.RELATIVE),
]  # fmt: skip
CALLS = {"EM_68K": {13, 14, 15}, "EM_386": {4}, "EM_PPC": {2, 10, 18, 23}}


def test_kinds_of_the_68000() -> None:
    assert list(RULES["EM_68K"]) == list(range(1, 16))
    for (name, value), rule in zip(M68K, RULES["EM_68K"].values(), strict=True):
        size = int(name.strip("PCGOTL")) // 8
        assert (rule.value, rule.size, rule.part, rule.bits) == (value, size, r.WHOLE, (1 << 8 * size) - 1), name


@pytest.mark.parametrize(
    ("machine", "names"), [("EM_386", enums.ENUM_RELOC_TYPE_i386), ("EM_PPC", enums.ENUM_RELOC_TYPE_PPC)]
)
def test_kinds_by_their_names(machine: str, names: dict[str, int]) -> None:
    name_of = {number: name for name, number in names.items()}
    said = 0
    for number, rule in RULES[machine].items():
        if number not in name_of:
            continue
        name, said = name_of[number], said + 1
        if name in OTHERS:
            assert (rule.value, rule.size, rule.bits) == OTHERS[name]
            continue
        stem, *more = name.removesuffix("_BRTAKEN").removesuffix("_BRNTAKEN").rsplit("_", 1)
        stem, part = (stem, more[0]) if more and more[0] in PARTS else ("_".join([stem, *more]), "")
        prefix = stem.rstrip("PC") if stem.endswith("24PC") else stem
        kind = prefix.rstrip("0123456789")
        size, mask = PLACES[prefix.removeprefix(kind)]
        expected = (VALUES[kind], size, mask or (1 << 8 * size) - 1, PARTS.get(part, r.WHOLE))
        assert (rule.value, rule.size, rule.bits, rule.part) == expected, name
    assert said >= 10


def test_calls() -> None:
    """Some kinds have only instructions that call or jump; of others it is told by what stands before the place."""
    for machine, rules in RULES.items():
        assert {number for number, rule in rules.items() if rule.is_call} == CALLS[machine]
    opens = {(machine, number) for machine, rules in RULES.items() for number, rule in rules.items() if rule.opens}
    assert opens == {("EM_68K", 1), ("EM_68K", 4), ("EM_68K", 5), ("EM_386", 2), ("EM_386", 21)}


def test_halves_of_an_address() -> None:
    """An adjusted upper half and a lower one with a sign make the address again."""
    for value in (0, 0x12347FFF, 0x12348000, 0x1234FFFF, 0xFFFF8000, 0x7FFF):
        low, high, adjusted = (part_of(value, part) for part in (r.LOW, r.HIGH, r.HIGH_ADJUSTED))
        assert (high << 16 | low, part_of(value, r.WHOLE)) == (value, value)
        assert (adjusted << 16) + (low ^ 0x8000) - 0x8000 & 0xFFFFFFFF == value
        assert 0 <= low < 1 << 16 and 0 <= high < 1 << 16 and 0 <= adjusted < 1 << 16


@pytest.mark.parametrize(
    ("rule", "lowest", "highest"),
    [
        (Rule(r.ADDRESS, 1), -0x80, 0xFF),
        (Rule(r.ADDRESS, 2), -0x8000, 0xFFFF),
        (Rule(r.RELATIVE, 1), -0x80, 0x7F),
        (Rule(r.RELATIVE, 2), -0x8000, 0x7FFF),
        (Rule(r.RELATIVE, 4, r.WORD_24), -0x2000000, 0x1FFFFFC),
        (Rule(r.RELATIVE, 4, r.WORD_14), -0x8000, 0x7FFC),
    ],
)
def test_what_fits(rule: Rule, lowest: int, highest: int) -> None:
    for value in (lowest, highest):
        content = bytearray(8)
        write(rule, content, 4, value, "big")
        assert content == bytes(4) + (value & rule.bits).to_bytes(rule.size, "big").ljust(4, b"\0")
    for value in (lowest - 4, highest + 4):
        with pytest.raises(ValueError, match=r"does not fit into the .* bits that the code has for it"):
            write(rule, bytearray(8), 4, value, "big")


def test_what_is_written() -> None:
    """Other bits stay, in both byte orders; 32 bits hold any number, and a half of one always fits."""
    content = bytearray(b"\x48\0\0\x01\xff\xff\xff\xff")
    write(Rule(r.RELATIVE, 4, r.WORD_24), content, 0, -8, "big")
    assert content == b"\x4b\xff\xff\xf9\xff\xff\xff\xff"
    write(Rule(r.ADDRESS, 4), content, 4, 0x112345678, "little")
    assert content[4:] == b"\x78\x56\x34\x12"
    write(Rule(r.RELATIVE, 4), content, 4, -2, "big")
    assert content[4:] == b"\xff\xff\xff\xfe"
    write(Rule(r.ADDRESS, 2, part=r.LOW), content, 6, 0x12345678, "big")
    assert content[4:] == b"\xff\xff\x56\x78"
    for size, offset in ((4, 5), (2, 7), (1, 8)):
        with pytest.raises(ValueError, match="a relocation reaches beyond its section"):
            write(Rule(r.ADDRESS, size), bytearray(8), offset, 0, "big")
