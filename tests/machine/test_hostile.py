"""Hostile programs on all processors and engines, between guard pages: slices, saved states and engines do not show.

RETROSIM_WILD=100000 runs so many in all, in both modes of the PCs and with two timings each.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.machine import hostile

PROGRAMS = int(os.environ.get("RETROSIM_WILD", "0"))
FEW = 3  # programs of a machine, with one timing, where the variable is not set
REGIONS = 4  # the recompiler has regions of each so manieth
SEED, SECONDS, SECONDS_EACH = 1_000_000, 600, 2.0
MACHINES = {  # and the timing that few programs are run with
    ("mc68000-8", ""): "off",
    ("mc68040-25", ""): "full",
    ("i386dx-33", "flat"): "off",
    ("i486dx2-66", "real"): "full",
    ("ppc601-80", ""): "full",
}
if PROGRAMS:
    MACHINES |= {("i386dx-33", "real"): "full", ("i486dx2-66", "flat"): "off"}


@pytest.mark.parametrize(("name", "boot"), MACHINES)
def test_slices_states_and_engines_do_not_show(name: str, boot: str, tmp_path: Path) -> None:
    """In a process of their own: a touched guard page is a failure that names the program."""
    part, progress = PROGRAMS // len(MACHINES) // 2 or FEW, tmp_path / "program"
    timings = ("full", "off") if PROGRAMS else (MACHINES[name, boot],)
    for timing in timings:
        arguments = (name, boot, timing, str(SEED), str(part), str(REGIONS), str(progress))
        done = subprocess.run(
            [sys.executable, "-m", hostile.__name__, *arguments],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            timeout=SECONDS + SECONDS_EACH * part,
        )
        at = progress.read_text() if progress.exists() else "the start"
        assert done.returncode == 0, f"{name} {boot} {timing}: status {done.returncode} at {at}\n{done.stderr[-3000:]}"
        found = json.loads(done.stdout)
        print(f"{name} {boot} {timing}: programs {SEED}..{SEED + part - 1}: {found}")
        assert sum(found["reasons"].values()) == part and found["recompiled"] > 0
