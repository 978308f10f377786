"""Published vectors of PowerPC integer instructions, all of them, by the suite of tools/conformance.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from single_steps import Bench
from suites import ENGINES, SUITES

from retrosim.cpu import ppc
from retrosim.errors import InputFileError

SUITE = SUITES["ppc"]
COUNT = 2810


@pytest.mark.parametrize("engine", ENGINES)
def test_all_vectors_pass(shared: Path, engine: str) -> None:
    bench = Bench(ppc.cpu("MPC601"), engine)
    vectors = SUITE.read(shared / "conformance" / "ppc" / "integer.npz")
    assert len(vectors) == COUNT
    for vector in vectors:
        why, clocks = SUITE.run(bench, vector)
        assert not why, f"{vector.index}: {bench.listing}: {why}"
        assert clocks > 0


def test_a_wrong_result_is_found() -> None:
    bench = Bench(ppc.cpu("MPC601"), "evaluate")
    add = [0x7C632214, 2, 3]  # add r3,r3,r4
    from vectors import Vector

    assert SUITE.run(bench, Vector(0, add, [0, 0, 5], [], []))[0] == ""
    assert SUITE.run(bench, Vector(0, add, [0, 0, 6], [], []))[0] == "r3 is 00000005, expected 00000006"
    assert "cr is 00000000" in SUITE.run(bench, Vector(0, add, [0, 1 << 31, 5], [], []))[0]
    assert "pc is" in SUITE.run(bench, Vector(0, [0x48000008, 0, 0], [0, 0], [], []))[0]


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    numbers = {name: np.zeros(3, np.uint32) for name in ("opcode", "ra", "rb", "rd", "xer", "cr")}
    for broken in (
        numbers,
        numbers | {"has_rd": np.zeros(3, np.uint32)},
        numbers | {"has_rd": np.zeros(2, bool)},
        numbers | {"has_rd": np.zeros(3, bool), "opcode": np.zeros((3, 1), np.uint32)},
    ):
        np.savez(path, **broken)
        with pytest.raises(InputFileError, match="array"):
            SUITE.read(path)
    path.write_bytes(b"PK not an archive")
    with pytest.raises(InputFileError):
        SUITE.read(path)
    with pytest.raises(InputFileError):
        SUITE.read(tmp_path / "absent.npz")
