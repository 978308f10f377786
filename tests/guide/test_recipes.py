"""The C program of the page "programs" builds by its recipe for every processor, and draws."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from retrosim import Machine, load_elf
from retrosim.machine.memory import PALETTE_START
from tests.helpers.pages import GUIDE, blocks

PAGE = GUIDE / "programs.md"
PROGRAM = next(text for text in blocks(PAGE, "c") if "_start" in text)
RECIPE = next(text for text in blocks(PAGE, "sh") if "FLAGS=" in text)
LINES = re.findall(r"^(\S+-gcc .*?)\s+hello\.c", RECIPE, re.M)
MACHINES = {"m68k": "mc68040-25", "i686": "i386dx-33", "powerpc": "ppc601-80"}
INSTRUCTIONS = 4000


def test_every_processor_has_a_recipe() -> None:
    assert {line.split("-")[0] for line in LINES} == set(MACHINES)


@pytest.mark.first_case
@pytest.mark.parametrize("line", LINES, ids=lambda line: line.split("-")[0])
def test_the_program_builds_and_draws(line: str, tmp_path: Path) -> None:
    compiler = line.split()[0]
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    (tmp_path / "hello.c").write_text(PROGRAM)
    flags = re.search(r'^FLAGS=".*"$', RECIPE, re.M)[0]
    subprocess.run(["bash", "-ec", f"{flags}\n{line} hello.c -o hello.elf"], cwd=tmp_path, check=True)
    machine = Machine(MACHINES[line.split("-")[0]], load_elf(tmp_path / "hello.elf"), engine="evaluate")
    machine.frame[:] = 7
    result = machine.run(instructions=INSTRUCTIONS)
    assert result.reason == "instructions" and result.fault is None
    assert tuple(machine.palette[1]) == (0x20, 0x40, 0xC0), f"{PALETTE_START:#x}"
    drawn = (machine.frame != 7).ravel()
    assert 100 < drawn.sum() == drawn.argmin()  # from the upper left corner on, without a gap
