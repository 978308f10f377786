"""The kernels are also plain Python: tests that are marked `without_jit` must hold with the compiler switched off.

By default with fewer objects and scenes than compiled, of some routines; --full has as many, of all, and a minute of
Python.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.amount import FULL, options, usually

TESTS = Path(__file__).parent.parent
SOME = [TESTS / "collide" / f"test_{name}.py" for name in ("boxes", "plane", "rectangles")]
WHERE = [*usually(SOME, [TESTS / "collide"]), TESTS / "numeric", TESTS / "scenarios" / "test_sectors.py"]
LONG = ["tests/scenarios/test_sectors.py::test_frames_are_those_of_the_reference[200-1994]"]


def test_same_results_without_jit():
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        pytest.skip("already running without JIT")
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-n",
            "0",
            "-p",
            "no:cacheprovider",
            "-m",
            "without_jit",
            *map(str, WHERE),
            *options(),
            *(f"--deselect={name}" for name in ([] if FULL else LONG)),
        ],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    assert " passed" in run.stdout and "warning" not in run.stdout
