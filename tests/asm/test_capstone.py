"""Listings of random instructions beside capstone's: the same length, mnemonic, operands and numbers.

Spelling is evened out in tests/helpers/asm/capstone_texts.py. --times N compares N times as many of each model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

import pytest

from retrosim.cpu import m68k, x86
from retrosim.cpu.spec.rows import Insn
from tests.asm.test_ppc import insn_of, random_words
from tests.helpers.amount import amount
from tests.helpers.asm import capstone_texts as texts
from tests.helpers.cpu import m68k_encodings, m68k_streams
from tests.helpers.cpu.x86_streams import Generator

capstone = pytest.importorskip("capstone", reason="capstone is not installed: pip install 'retrosim[dev]'")
COUNT = amount(800, 1500)


Known = tuple[tuple[str, str], ...]
"""(pattern of a line, why it is no fault of ours)"""

X86_KNOWN: Known = (
    (r"^\w+ ([c-gs]s )?MOV (\w+,tr\d|tr\d,\w+) \| \(none\)", "it has no test registers, which later processors lack"),
    (r"^\w+ (.* )?ESC ", "it names the coprocessor's instruction"),
    (r"^\w+ (.* )?(CBW|CWD) \| (cwde|cdq)", "in 16-bit mode without a prefix it shows the 32-bit name"),
    (r"^\w+ (.* )?(CWDE|CDQ) \| (cbw|cwd)", "and the other way round with one"),
    (r" MOV ([c-gs]s),(\w\w) \| mov \1, e\2", "it shows 32 bits of the source"),
)
M68K_KNOWN: Known = (
    (r" B(TST|SET|CLR|CHG) #\S+,.* \| \(none\)", "it wants the upper byte of a bit number to be 0, which is ignored"),
    (r" (ORI|ANDI|EORI) #\$\w+,ccr \| \(none\)", "so with immediates for CCR"),
    (r" MOVE\.l (usp,a\d|a\d,usp|usp,sp|sp,usp) \| move ", "no size"),
    (r" (SBCD|ABCD) -\(\w+\),-\(\w+\) \| .*, #\$", "it shows a third operand, of PACK and UNPK"),
    (r" BTST d\d,#", "it takes two words for an immediate byte"),
    (r" B(TST|SET|CLR|CHG) #\$\w{3,4},", "bit numbers of more than 8 bits, as above"),
    (r" MOVE\.w #\$\w+,ccr \| move.w #", "only the lower byte of what goes to CCR"),
    (r" ROXR\.b d\d,d\d \| roxr\.l #", "it mixes up two forms of ROXR"),
    (r" ILLEGAL \| illegal #\$4afc$", "it shows the word"),
    (r" B\w+ \$\w+ \| dc\.w", "a displacement of -1, which the MC68000 allows"),
    (r"\(\$\w+,pc.*\| .*pc", "with a word before the extension word it counts from there"),
)
MC68000_KNOWN: Known = (
    *M68K_KNOWN,
    (r"\((-?\d+|\$\w+),(a\d|sp|pc),\w+\.[wl]\)", "it heeds bit 8 of extension words, which the MC68000 ignores"),
)
MC68040_KNOWN: Known = (
    *M68K_KNOWN,
    (r"\.[wl]\*[248][),\]]", "it leaves out the scale of a short index"),
    (r"\[.*\]", "of memory indirect operands it leaves out displacements of 0, and signs"),
    (r"invalid\.|a16", "it shows registers that are suppressed"),
    (r"\$0,(pc|a\d|sp)|\(\$?0[,)]", "a base displacement of 0"),
    (r" MOVES\.", "its bits are those of another layout"),
    (r" MOVEC .*\| .*invalid", "numbers of no control register"),
    (r" (MUL[SU]|DIV[SU]L?|CAS2?|CHK2|CMP2|MOVE16)\b.* \| \(none\)", "it wants zeros in bits that are ignored"),
    (r" (DIVSL|DIVUL)\.l .*\| div[su]\.l ", "it shows one register of two"),
    (r" (DIVS|DIVU|MULS|MULU)\.l ", "registers that are the same"),
    (r" MOVE16 .*\| move16 .*\ba\d", "a register without parentheses"),
    (r" CAS2\.", "it shows d0 for each pointer"),
    (r" BF[A-Z]+ .*\{", "it leaves out register fields, or does not know bits that are ignored"),
    (r" (PTEST|CINV|CPUSH|PFLUSH)", "it shows numbers for caches, and other models' codes"),
    (r" (PACK|UNPK|TRAP|CHK2|CMP2|CAS|LINK|RTD|BKPT)", "other sizes"),
)
PPC_KNOWN: Known = (
    (r" bc(l|lr|lrl|ctr|ctrl)? ?\d+,.* \| b", "it overlooks the bit that makes a branch independent of its condition"),
    (r" (lswx|stswx|fcmpo|mcrxr|eciwx|ecowx|mtfsb[01]\.|mcrfs|mtfsf\.|mffs\.) ?.* \| \(none\)", "it lacks them"),
    (r" (lscbx|mul|divs?|n?abs|dozi?|clcs|mask\w+|rlmi|rrib|s[lr]\w+)[o.]* .* \| \(none\)", "instructions of POWER"),
    (r" (add|sub|neg|mul|div)\w*o\.? .* \| \(none\)", "it lacks those that note an overflow"),
    (r" (l|st)swi .*\| (l|st)swi", "a length of 0 means 32, and rA of 0 is no register"),
    (r" b\w+[+-]? (4\*)?cr\d(\+\w\w)?,0x1000 \| b\w+ (4\*)?cr\d(\+\w\w)?$", "it leaves out a branch to itself"),
    (r" tw\w* .*\| tw", "other simplified names of conditions"),
    (r" not\. .*\| nor\.", "it has no simplified name for it"),
    (r" m[ft]\w+ .*\| m[ft]\w+", "names of special registers, which are other processors'"),
    (r" mtfsfi\.? ", "a field of FPSCR is no field of the condition register"),
)


def judged(
    disassembler, spelled: Callable[[str, bool], str], stream: Iterable[tuple[Insn, bytes]], known: Known
) -> None:
    """Compare listings; those that differ need a known reason."""
    patterns = [re.compile(pattern) for pattern, _ in known]
    wrong, compared, count = [], 0, 0
    for insn, code in stream:
        count += 1
        found = next(disassembler.disasm_lite(code, insn.pc, 1), None)
        length, theirs = (0, "(none)") if found is None else (found[1], f"{found[2]} {found[3]}".strip())
        given = texts.without_size(insn.text, theirs) if spelled is texts.m68k else theirs
        mine, other = texts.taken_apart(spelled(insn.text, True)), texts.taken_apart(spelled(given, False))
        if length == insn.length and mine[0] == other[0] and texts.numbers_alike(mine[1], other[1]):
            compared += 1
            continue
        line = f"{code[: insn.length].hex()} {insn.text} | {theirs}"
        if not any(pattern.search(line) for pattern in patterns):
            wrong.append(line)
    assert "\n".join(wrong) == "" and compared > 0.7 * count


def mode(*names: str) -> int:
    return sum(getattr(capstone, f"CS_MODE_{name}") for name in names)


@pytest.mark.parametrize(("model", "bits"), [("i386_flat", "32"), ("i486_flat", "32"), ("i486_real", "16")])
def test_x86(model: str, bits: str) -> None:
    generator = Generator(x86.cpu(model), 1995)
    stream = ((generator.instruction(), generator.code + bytes(16)) for _ in range(COUNT))
    judged(capstone.Cs(capstone.CS_ARCH_X86, mode(bits)), texts.x86, stream, X86_KNOWN)


@pytest.mark.parametrize(
    ("model", "name", "known"), [("MC68000", "M68K_000", MC68000_KNOWN), ("MC68040", "M68K_040", MC68040_KNOWN)]
)
def test_m68k(model: str, name: str, known: Known) -> None:
    cpu = m68k.cpu(model)
    generator = m68k_streams.Generator(cpu, 1994, frozenset({"LINE"}))

    def stream() -> Iterator[tuple[Insn, bytes]]:
        for _ in range(COUNT):
            words = [*generator.instruction(), *[0x4E71] * 8]
            insn = m68k_encodings.decode(cpu, words)
            if insn is not None:
                yield insn, b"".join(word.to_bytes(2, "big") for word in words)

    judged(capstone.Cs(capstone.CS_ARCH_M68K, mode("BIG_ENDIAN", name)), texts.m68k, stream(), known)


def test_ppc() -> None:
    stream = ((insn_of(word), word.to_bytes(4, "big")) for word in random_words(1997, max(4, COUNT // 250)))
    judged(capstone.Cs(capstone.CS_ARCH_PPC, mode("32", "BIG_ENDIAN")), texts.ppc, stream, PPC_KNOWN)
