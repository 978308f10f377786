"""`retrosim completion`: the script of bash completes what it should, in a bash of its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from retrosim.cli.commands import COMMANDS
from retrosim.machine import MACHINE_NAMES
from retrosim.rom import rom_names

ASK = """
source ./script
COMP_WORDS=({words} "{last}")
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
{function}
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def script() -> str:
    """The script for bash."""
    return subprocess.run(
        [sys.executable, "-m", "retrosim", "completion", "bash"], capture_output=True, text=True, check=True
    ).stdout


def complete(folder: Path, script: str, words: str, last: str) -> set[str]:
    """Return what bash offers for the last word of a command line."""
    (folder / "script").write_text(script)
    function = script.rsplit("-F ", 1)[1].split()[0]
    asked = ASK.format(words=words, last=last, function=function)
    done = subprocess.run(["bash", "-c", asked], cwd=folder, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes(tmp_path, script) -> None:
    (tmp_path / "mine.elf").touch()
    assert complete(tmp_path, script, "retrosim", "") == set(COMMANDS)
    assert complete(tmp_path, script, "retrosim", "ver") == {"verify"}
    assert complete(tmp_path, script, "retrosim run --machine", "") == set(MACHINE_NAMES)
    assert complete(tmp_path, script, "retrosim run --engine", "inter") == {"interpret"}
    assert complete(tmp_path, script, "retrosim run --build", "period-6") == {"period-68000"}
    assert complete(tmp_path, script, "retrosim run --fram", "--fram") == {"--frames"}
    assert complete(tmp_path, script, "retrosim run", "") == {*rom_names(), "mine.elf", "script"}
    assert complete(tmp_path, script, "retrosim cost", "mi") == {"mine.elf"}
    assert "storm-200" in complete(tmp_path, script, "retrosim verify", "st")


@pytest.mark.first_case
@pytest.mark.parametrize("shell", ["zsh", "tcsh", "fish", "powershell"])
def test_other_shells_get_a_script(run, shell: str) -> None:
    ran = run("completion", shell)
    assert (ran.status, ran.err) == (0, "")
    assert "retrosim" in ran.out and "mc68040-25" in ran.out and "period-68000" in ran.out
