"""GNU as beside our assembler: the same instructions, one in each slot of a file, and where the two differ."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

SLOT = 64  # bytes
BATCH = 20_000  # instructions a run


@dataclass(frozen=True)
class Gnu:
    """An assembler of GNU's: prefix of the tools, options, first lines of a source."""

    prefix: str
    options: tuple[str, ...]
    head: str = ""

    def assemble(self, texts: Sequence[str], folder: Path) -> list[bytes | str]:
        """Return the slot of each text, or what the assembler says against it."""
        if shutil.which(f"{self.prefix}-as") is None:
            pytest.skip(f"{self.prefix}-as (Debian: binutils-{self.prefix}) is not installed")
        slots: list[bytes | str] = []
        for start in range(0, len(texts), BATCH):
            slots += self._batch(texts[start : start + BATCH], folder)
        return slots

    def _batch(self, texts: Sequence[str], folder: Path) -> list[bytes | str]:
        said: dict[int, str] = {}
        source, built, flat = folder / "judge.s", folder / "judge.o", folder / "judge.bin"
        for _ in range(2):
            lines = ["" if number in said else text for number, text in enumerate(texts)]
            body = "".join(f".org {number * SLOT}\n{line}\n" for number, line in enumerate(lines))
            source.write_text(f"{self.head}\n{body}.org {len(texts) * SLOT}\n")
            command = [f"{self.prefix}-as", *self.options, "-o", str(built), str(source)]
            ran = subprocess.run(command, capture_output=True, text=True)
            if ran.returncode == 0:
                break
            for found in re.finditer(r"judge\.s:(\d+): Error: (.*)", ran.stderr):
                said[(int(found[1]) - 3) // 2] = found[2]
        subprocess.run(
            [f"{self.prefix}-objcopy", "-O", "binary", "-j", ".text", str(built), str(flat)], check=True, timeout=600
        )
        content = flat.read_bytes().ljust(len(texts) * SLOT, b"\0")
        return [said.get(n, content[n * SLOT : (n + 1) * SLOT]) for n in range(len(texts))]


def differences(texts: Sequence[str], codes: Iterable[bytes], slots: Iterable[bytes | str]) -> list[str]:
    """Return a line for each instruction that the two do not agree on."""
    found = []
    for text, code, slot in zip(texts, codes, slots, strict=True):
        if isinstance(slot, str):
            found.append(f"{text}: {slot}")
        elif slot[: len(code)] != code:
            found.append(f"{text}: ours {code.hex()}, theirs {slot[:22].hex()}")
    return found
