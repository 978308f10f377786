"""The rows of the i486 against an outside judge: lengths, names and operands of random instructions."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from retrosim.cpu import x86
from retrosim.cpu.spec.rows import Insn
from tests.helpers.amount import FULL
from tests.helpers.cpu.x86_streams import Generator

OBJDUMP = "i686-linux-gnu-objdump"
SLOT = 32  # bytes for each instruction, filled up with NOPs
INSTRUCTIONS = 6000 if FULL else 4000
SEED = 1994
PREFIX_WORDS = r"((es|cs|ss|ds|fs|gs|lock|data16|data32|addr16|addr32|rep|repz|repnz|repe|repne) )*"

RENAMED = {"wait": "fwait"}
SIZED = ("pusha", "popa", "pushf", "popf", "iret", "push", "pop", "leave", "enter", "ret", "retf", "call", "jmp")
SIZED += ("lgdt", "lidt", "sgdt", "sidt")  # GNU marks sizes
BY_SIZE = {  # names that GNU chooses by the operand size
    "cbw": {16: "cbw", 32: "cwde"},
    "cwd": {16: "cwd", 32: "cdq"},
}


def objdump(codes: list[bytes], bits: int, folder: Path) -> list[tuple[int, str]]:
    """Return (length, text) of the instruction at the start of each slot."""
    if shutil.which(OBJDUMP) is None:
        pytest.skip(f"{OBJDUMP} (Debian: binutils-i686-linux-gnu) is not installed")
    path = folder / "slots.bin"
    path.write_bytes(b"".join(code.ljust(SLOT, b"\x90") for code in codes))
    options = ["-b", "binary", "-m", "i8086" if bits == 16 else "i386", "-M", "intel", "-D", "-z", "--insn-width=16"]
    run = subprocess.run([OBJDUMP, *options, path], capture_output=True, text=True, check=True)
    found = [(0, "")] * len(codes)
    for line in run.stdout.splitlines():
        parts = re.match(r"\s*([0-9a-f]+):\t((?:[0-9a-f]{2} )+)\s*(.*)", line)
        if parts and int(parts[1], 16) % SLOT == 0:
            found[int(parts[1], 16) // SLOT] = (len(parts[2].split()), re.sub(r"\s+", " ", parts[3]))
    return found


def name_of(insn: Insn) -> str:
    """Return our mnemonic as GNU spells it."""
    name = insn.row.name.lower()
    if name in ("j", "set"):
        name = re.sub(r"^((lock|[c-gs]s|[oa](16|32)) )*", "", insn.text).split()[0].lower()
    size = insn.forms.get("s")
    return BY_SIZE[name][size] if name in BY_SIZE else RENAMED.get(name, name)


def alike(insn: Insn, text: str) -> bool:
    theirs = re.sub(f"^{PREFIX_WORDS}", "", text).split(" ")[0].replace(",pn", "").replace(",pt", "")
    ours = name_of(insn)
    if ours in SIZED:
        return re.fullmatch(ours + "[wdf]?", theirs) is not None
    if ours == "esc":
        return theirs.startswith("f") or theirs == "(bad)"
    if ours == "salc" or (ours == "wbinvd" and insn.prefixes):
        return theirs in (ours, "(bad)")  # not in GNU's manuals; another instruction on later parts
    if ours == "nop" and insn.prefixes:
        return theirs in ("nop", "xchg")
    return ours == theirs or (ours.startswith("loop") and theirs[:-1] == ours)


@pytest.mark.first_case
@pytest.mark.parametrize("model", ["i486_real", "i486_flat"])
def test_objdump_reads_random_code_alike(model: str, tmp_path: Path) -> None:
    cpu = x86.cpu(model)
    generator = Generator(cpu, SEED)
    insns, codes = [], []
    for _ in range(INSTRUCTIONS):
        insns.append(generator.instruction())
        codes.append(generator.code)
    rows, wrong = set(), []
    for insn, code, (length, text) in zip(insns, codes, objdump(codes, 16 if generator.real else 32, tmp_path)):
        rows.add(insn.row.pattern)
        if insn.row.options.get("numbers") and "[" in text:
            continue
        if insn.length != length or not alike(insn, text):
            wrong.append(f"{code.hex()} ours {insn.length} {insn.text}, theirs {length} {text}")
    print(f"{model}: {INSTRUCTIONS} instructions, {len(rows)} rows, seed {SEED}, {len(wrong)} differ")
    assert not wrong, "\n".join(wrong[:40])
    assert len(rows) == len(cpu.table.rows)
