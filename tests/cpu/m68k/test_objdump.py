"""The rows of the MC68040 against an outside judge: which words are instructions, how long, and their names."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from retrosim.cpu import m68k
from retrosim.cpu.spec.rows import Insn
from tests.helpers.amount import FULL
from tests.helpers.cpu import m68k_encodings as encodings
from tests.helpers.cpu import m68k_streams as streams

OBJDUMP = "m68k-linux-gnu-objdump"
SLOT = 32  # bytes for each instruction, filled up with NOPs


def objdump(slots: list[list[int]], folder: Path) -> list[tuple[int, str]]:
    """Return (length, mnemonic) of the instruction at the start of each slot; length 0 where GNU knows none."""
    if shutil.which(OBJDUMP) is None:
        pytest.skip(f"{OBJDUMP} (Debian: binutils-m68k-linux-gnu) is not installed")
    nops = [0x4E71] * (SLOT // 2)
    path = folder / "slots.bin"
    path.write_bytes(b"".join(w.to_bytes(2, "big") for words in slots for w in (words + nops)[: SLOT // 2]))
    options = ["-b", "binary", "-m", "m68k:68040", "-D", "-z", "--insn-width=24"]
    run = subprocess.run([OBJDUMP, *options, path], capture_output=True, text=True, check=True)
    found = [(0, "")] * len(slots)
    for line in run.stdout.splitlines():
        parts = re.match(r"\s*([0-9a-f]+):\t((?:[0-9a-f]{4} ?)+)\s*(\S+)", line)
        if parts and int(parts[1], 16) % SLOT == 0 and parts[3] != ".short":
            found[int(parts[1], 16) // SLOT] = (2 * len(parts[2].split()), parts[3])
    return found


def gnu_name(insn: Insn) -> str:
    """Return our mnemonic as GNU spells it."""
    name = insn.text.split()[0].lower().replace(".", "")
    if insn.row.options.get("flow") and "target" in dict(insn.row.operands) and not name.startswith("db"):
        return name + {2: "s", 4: "w", 6: "l"}[insn.length]
    if name in ("andi", "ori", "eori", "link"):  # ... #,ccr and #,sr
        return name + ("b" if insn.text.endswith("ccr") else "w")
    return name


# GNU's mnemonics of what no row of ours is: FPU, MMU of other models, and words that stand for "illegal"
NOT_OURS = re.compile(r"f.*|p(b|db|s|trap|save|restore).*|swbegl|subqb")


def alike(insn: Insn, name: str) -> bool:
    """Is it GNU's name; or one of those that it tells apart by bits which our listing shows as a number?"""
    return gnu_name(insn) == name or (insn.row.name in ("PFLUSH", "PTEST") and name.startswith(insn.row.name.lower()))


def sets_ignored_bits(insn: Insn, words: list[int]) -> bool:
    patterns = insn.row.pattern.split()
    ignored = (int("".join("1" if c == "-" else "0" for c in pattern), 2) for pattern in patterns)
    return any(word & bits for word, bits in zip(words, ignored))


@pytest.mark.full
def test_objdump_knows_the_same_opcodes(tmp_path: Path) -> None:
    """First words, zeros behind them: ours are GNU's but for the A-line, and GNU has no other user instruction.

    Every third word, or with --full every one. Of MOVE16 GNU wants bit 15 to be set, which the part ignores.
    """
    cpu = m68k.cpu("MC68040")
    words = range(0, 65536, 1 if FULL else 3)
    slots = [[word, 0x8000 if word & 0xFFF8 == 0xF620 else 0, 0, 0, 0] for word in words]
    for word, slot, (length, name) in zip(words, slots, objdump(slots, tmp_path), strict=True):
        if word >> 12 == 10:
            continue
        insn = encodings.decode(cpu, slot)
        if insn is None:
            assert not length or NOT_OURS.fullmatch(name), f"{word:04x} {name}"
        else:
            assert insn.length == length and alike(insn, name), f"{word:04x} {insn.text}"


def test_objdump_reads_random_code_alike(tmp_path: Path) -> None:
    """Lengths and mnemonics with random extension words, full formats among them.

    GNU lists reserved formats as if they were some, wants zeros in bits that the part ignores, and knows only the
    control registers and caches that there are.
    """
    cpu = m68k.cpu("MC68040")
    generator = streams.Generator(cpu, 1994, frozenset({"LINE"}))
    slots = [generator.instruction()[:10] for _ in range(12_000 if FULL else 4000)]
    compared = 0
    for words, (length, name) in zip(slots, objdump(slots, tmp_path), strict=True):
        insn = encodings.decode(cpu, words + [0x4E71] * (SLOT // 2 - len(words)))
        if insn is None:
            continue
        others = insn.row.name.startswith(("MOVEC", "PFLUSH", "CINV", "CPUSH"))
        if not length and (others or sets_ignored_bits(insn, words)):
            continue
        assert insn.length == length and alike(insn, name), f"{[f'{w:04x}' for w in words]} {insn.text}"
        compared += 1
    assert compared > (8000 if FULL else 2600)
