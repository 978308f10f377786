"""The 80286 sample in real mode: every plain test passes on the 386 and the 486, every one on the 286.

By default some files and tests of each; --full runs more, --times every test of the
sample, on both engines.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import conformance
import pytest
import suite_runs
from single_steps import Bench
from suites import SUITES
from vectors_x86 import CLASSES, read_80286

from retrosim.cpu import x86
from retrosim.cpu.spec.cpu import FAULT, RUNNING
from tests.helpers.amount import FULL, SOAK
from tests.helpers.cpu.x86_programs import core_with, run

ROOT = Path(__file__).resolve().parents[3]
ALL_TESTS = SOAK
FILES = 325
PLAIN, ALL = 126_237, 130_000  # tests of the sample: those that belong to no class
UNDEFINED = re.compile(r"F[67]\.[67]|D4")  # files whose undefined flags no rule is known for: divisions


@pytest.mark.parametrize("engine", conformance.ENGINES if ALL_TESTS else ("evaluate",))
@pytest.mark.parametrize("model", ["i286_real", "i386_real", "i486_real"])
def test_the_80286_sample(shared: Path, model: str, engine: str) -> None:
    suite = SUITES["80286"]
    files = conformance.files_of(suite, shared / "conformance", "*")
    assert len(files) == FILES
    bench = Bench(x86.cpu(model), engine)
    total = suite_runs.Report(model)
    for path in files if ALL_TESTS else files[:: 5 if model == "i386_real" else 25]:
        total.add(suite_runs.run_file(suite, bench, path, None if ALL_TESTS else 100 if FULL else 50, 0))
    print(total.line)
    shown = [f"{f['file']} {f['index']}: {f['instruction']}: {f['why']}" for f in total.failures[:20]]
    assert not total.failures, "\n".join(shown)
    assert not ALL_TESTS or total.passed == (ALL if model == "i286_real" else PLAIN)
    assert set(total.skipped) <= set(CLASSES)


EXACT = [  # files of the sample whose clocks are met in every vector
    *("01", "02", "10", "38", "39", "40", "50", "58", "60", "68", "75", "81.0", "87", "88", "89", "90", "9A", "9B"),
    *("9D", "A6", "AC", "AF", "C9", "D1.5", "D7", "E2", "E8", "EB", "F6.4", "F7.4", "FE.1", "FF.6"),
]
OFTEN = ["03", "A4", "C1.4", "C3", "D3.5", "F7.2"]  # in nine of ten at least


@pytest.mark.parametrize("name", EXACT + OFTEN)
def test_clocks_of_the_286(shared: Path, name: str) -> None:
    """Bus states from the jump to an instruction to the end of a HALT behind it, without wait states."""
    suite, bench = SUITES["80286"], Bench(x86.cpu("i286_real"), "evaluate", "full")
    vectors = [v for v in read_80286(shared / "conformance" / "80286" / f"{name}.npz") if not v.skip and v.cycles]
    vectors = vectors if ALL_TESTS else vectors[::4]
    off = [v.index for v in vectors if suite.run(bench, v)[1] != v.cycles]
    print(f"{name}: {len(vectors)} vectors, other clocks {off}")
    assert len(off) <= (len(vectors) // 10 if name in OFTEN else 0)


def test_the_printed_figures_of_the_286_are_farther_from_the_vectors(shared: Path) -> None:
    suite, usual = SUITES["80286"], x86.cpu("i286_real")
    options = [Bench(usual.with_readings({"figures": option}), "evaluate", "full") for option in ("timed", "printed")]
    nearer = farther = 0
    for name in ("39", "3A", "8F", "9B", "9D", "A4", "C2", "CC", "CF", "F6.4", "FF.2", "FF.6"):
        for vector in read_80286(shared / "conformance" / "80286" / f"{name}.npz")[:40]:
            if not vector.skip and vector.cycles:
                timed, printed = (abs(suite.run(bench, vector)[1] - vector.cycles) for bench in options)
                nearer += timed < printed
                farther += timed > printed
    print(f"nearer {nearer}, farther {farther}")
    assert nearer > 300 and farther < 5


def test_clocks_of_exceptions_on_the_286(shared: Path) -> None:
    """Words over the end of a segment, divisions by a register, and AAM by 0: each takes what was recorded."""
    suite, bench, ended = SUITES["80286"], Bench(x86.cpu("i286_real"), "evaluate", "full"), Counter()
    for name in ("13", "33", "8B", "D4", "F6.6", "F6.7", "F7.6", "F7.7"):
        for vector in read_80286(shared / "conformance" / "80286" / f"{name}.npz"):
            if not vector.flags_at:
                continue
            clocks = suite.run(bench, vector)[1]
            if "[" not in bench.listing or vector.skip & CLASSES["limits"]:
                assert clocks == vector.cycles, f"{name} {vector.index}: {bench.listing}"
                ended[bench.listing.split()[0]] += 1
    assert {"DIV", "IDIV", "AAM", "ADC"} <= set(ended) and ended.total() > 250


def test_flags_that_the_manual_leaves_undefined(shared: Path) -> None:
    """All flags of the 286 are compared, but after divisions."""
    suite, bench = SUITES["80286"], Bench(x86.cpu("i286_real"), "evaluate")
    compared = 0
    is_long = ALL_TESTS or FULL
    for path in conformance.files_of(suite, shared / "conformance", "*")[:: 1 if is_long else 3]:
        for vector in read_80286(path)[: None if ALL_TESTS else 12 if FULL else 24]:
            if vector.mask != 0xFFFF and not UNDEFINED.match(path.name):
                vector.mask = 0xFFFF
                assert suite.run(bench, vector)[0] == "", f"{path.name} {vector.index}: {bench.listing}"
                compared += 1
    assert compared > 400


def test_quotients_of_the_286() -> None:
    """AX of 9C71h by 47h: its size >> 7 is 47h + 80h, so it passes for -80h (SingleStepTests/80386, issue 3)."""
    for model, ended in (("i286_real", RUNNING), ("i386_real", FAULT)):
        core = run(core_with(model, "f6f9", eax=0x9C71, ecx=0x47))
        assert core.state["reason"] == ended
    core = run(core_with("i286_real", "f6f9", eax=0x9C71, ecx=0x47))
    assert core.state["r"][0] == 0xF180
    assert run(core_with("i286_real", "f6f9", eax=-128 * 3 & 0xFFFF, ecx=3)).state["r"][0] == 0x80
    assert run(core_with("i286_real", "f6f9", eax=128 * 3, ecx=3)).state["reason"] == FAULT


def test_a_test_that_fails_is_reported(shared: Path) -> None:
    """A check of the checker: a wrong register, flag, ip, memory byte and exception frame are all noticed."""
    suite, bench = SUITES["80286"], Bench(x86.cpu("i386_real"), "evaluate")
    folder = shared / "conformance" / "80286"
    add = next(v for v in read_80286(folder / "01.npz") if not v.skip and v.out)
    assert suite.run(bench, add)[0] == ""
    for place, name in ((0, "ax"), (12, "ip"), (13, "flags")):
        add.after[place] ^= 1
        assert suite.run(bench, add)[0].startswith(f"{name} is ")
        add.after[place] ^= 1
    address, value = add.out[0]
    add.out[0] = (address, value ^ 1)
    assert f"memory {address:06X}" in suite.run(bench, add)[0]
    divided = next(v for v in read_80286(folder / "F7.6.npz") if not v.skip and v.flags_at)
    assert suite.run(bench, divided)[0] == ""
    pushed = divided.flags_at | divided.after[8] & 1
    divided.out = [(a, v ^ (2 if a == pushed + 1 else 0)) for a, v in divided.out]
    assert suite.run(bench, divided)[0]
