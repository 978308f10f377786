"""Hostile programs on all processors and engines, between guard pages: slices, saved states and engines do not show.

By default one on each processor, all in one process, with --full three. --times N runs 100 N in
all, in both modes of the PCs and with two timings each.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.helpers.amount import FULL, SOAK, amount, usually
from tests.helpers.machine import hostile

PROGRAMS = amount(0, 100) if SOAK else 0
FEW = 3 if FULL else 1  # programs of a machine, with one timing, without --times
REGIONS = 4  # the recompiler has regions of each so manieth
SEED, SECONDS, SECONDS_EACH = 1_000_000, 600, 2.0
SOME = usually(
    ("mc68040-25::full", "i486dx2-66:real:full", "ppc601-80::full"),
    ("mc68000-8::off", "mc68040-25::full", "i386dx-33:flat:off", "i486dx2-66:real:full", "ppc601-80::full"),
)
NAMES = ("mc68000-8:", "mc68040-25:", "i386dx-33:flat", "i386dx-33:real", "i486dx2-66:flat", "i486dx2-66:real")
ALL = [f"{name}:{timing}" for name in (*NAMES, "ppc601-80:") for timing in ("full", "off")]


@pytest.mark.parametrize("kinds", [[each] for each in ALL] if PROGRAMS else [SOME], ids=" ".join)
def test_slices_states_and_engines_do_not_show(kinds: Sequence[str], tmp_path: Path) -> None:
    """In a process of their own: a touched guard page is a failure that names the program."""
    part, progress = PROGRAMS // len(ALL) or FEW, tmp_path / "program"
    done = subprocess.run(
        [sys.executable, "-m", hostile.__name__, str(SEED), str(part), str(REGIONS), str(progress), *kinds],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=SECONDS + SECONDS_EACH * part * len(kinds),
    )
    at = progress.read_text() if progress.exists() else "the start"
    assert done.returncode == 0, f"status {done.returncode} at {at}\n{done.stderr[-3000:]}"
    for kind, line in zip(kinds, done.stdout.splitlines(), strict=True):
        found = json.loads(line)
        print(f"{kind}: programs {SEED}..{SEED + part - 1}: {found}")
        assert sum(found["reasons"].values()) == part and found["recompiled"] > 0
