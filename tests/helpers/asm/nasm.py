"""NASM beside our assembler: the same instructions, one in each slot of a flat file."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

SLOT = 32  # bytes
BATCH = 10_000  # instructions a run
NOP = b"\x90"


def nasm(texts: Sequence[str], bits: int, folder: Path) -> list[bytes | str]:
    """Return the code of each text without the NOPs behind it, or what NASM says against it."""
    if shutil.which("nasm") is None:
        pytest.skip("nasm is not installed")
    found: list[bytes | str] = []
    for start in range(0, len(texts), BATCH):
        found += _batch(texts[start : start + BATCH], bits, folder)
    return found


def _batch(texts: Sequence[str], bits: int, folder: Path) -> list[bytes | str]:
    source, built = folder / "judge.asm", folder / "judge.bin"
    said: dict[int, str] = {}
    for _ in range(3):
        lines = [f"bits {bits}"]
        for number, text in enumerate(texts):
            lines += ["" if number in said else text, f"times {(number + 1) * SLOT}-($-$$) nop"]
        source.write_text("\n".join(lines) + "\n")
        command = ["nasm", "-f", "bin", "-O9", "-w-all", "-o", str(built), str(source)]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if ran.returncode == 0:
            break
        said |= {(int(m[1]) - 2) // 2: m[2] for m in re.finditer(r"judge\.asm:(\d+): error: (.*)", ran.stderr)}
    content = built.read_bytes()
    slots = [content[n * SLOT : (n + 1) * SLOT] for n in range(len(texts))]
    return [said.get(n, slot) for n, slot in enumerate(slots)]
