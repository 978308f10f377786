"""tools/conformance.py: the samples of published tests on our CPUs, and the tool itself on good and hostile files.

By default the first vectors of each file; --full runs more, --times every vector of the
samples on both engines.
"""

from __future__ import annotations

import io
import json
import random
import subprocess
import sys
import zipfile
from pathlib import Path

import conformance
import numpy as np
import pytest
import suite_runs
from single_steps import Bench
from suites import SUITES
from vectors import ADDRESS_ERROR, BCD, CLASSES, LINK_A7, STOP, TAS, Vector, classify, read_vectors

from retrosim.cpu import m68k
from retrosim.cpu.spec.cpu import ADDRESS_MASK
from retrosim.errors import InputFileError
from tests.helpers.amount import FULL, SOAK
from tests.helpers.cpu.upstream_files import Test, upstream_file

ROOT = Path(__file__).resolve().parents[3]
ALL_TESTS = SOAK
LIMITS = {("m68000", "evaluate"): 120, ("m68040", "evaluate"): None, ("m68000", "interpret"): 20}
LIMITS["m68040", "interpret"] = 10
LIMITS["80286", "evaluate"], LIMITS["80286", "interpret"] = 20, 2
if not FULL:
    LIMITS |= {("m68000", "evaluate"): 10, ("m68040", "evaluate"): 10}
    LIMITS |= {("m68000", "interpret"): 4, ("m68040", "interpret"): 2}
    LIMITS |= {("80286", "evaluate"): 1, ("80286", "interpret"): 1}
STEPS = {} if FULL or ALL_TESTS else {("m68000", "interpret"): 3, ("80286", "interpret"): 5}
LIMITS["ppc", "evaluate"] = LIMITS["ppc", "interpret"] = None
SAMPLED = [name for name, suite in SUITES.items() if "*.npz" in suite.patterns]  # the 80386: only upstream files
EXACT_CLOCKS = {"80286": 0.82}  # share of the known ones
SEED = 68000

SIGN_CHANGE = "V of a memory shift: M68000PRM 4-22 sets it when the sign changes; the vectors have it clear"
DIGIT_ABOVE_9 = "an operand digit above 9: M68000PRM 4-142 leaves the result undefined"
KNOWN_BAD = {
    "m68040": {
        "ASLW.W.npz": (SIGN_CHANGE, {7, 8, 12, 15, 17, 19, 24, 26, 33}),
        "NBCD.B.npz": (DIGIT_ABOVE_9, {6, 9, 25, 39, 40}),
    }
}


def run(suite: str, folder: Path, step: int = 1, **options) -> suite_runs.Report:
    """Run a suite; step: only of every so manieth file."""
    chosen = SUITES[suite]
    files = conformance.files_of(chosen, folder, "*")[::step]
    return suite_runs.run_suite(chosen, chosen.machine, files, **options)[0]


def unexpected(suite: str, report: suite_runs.Report) -> list[str]:
    known = KNOWN_BAD.get(suite, {})
    return [
        f"{f['file']} {f['index']}: {f['instruction']}: {f['why']}"
        for f in report.failures
        if f["index"] not in known.get(f["file"], ("", set()))[1]
    ]


@pytest.mark.parametrize("engine", conformance.ENGINES)
@pytest.mark.parametrize("suite", SAMPLED)
def test_samples(shared: Path, suite: str, engine: str) -> None:
    limit = None if ALL_TESTS else LIMITS[suite, engine]
    report = run(suite, shared / "conformance", STEPS.get((suite, engine), 1), engine=engine, limit=limit)
    print(report.line)
    assert not unexpected(suite, report)
    assert report.cycles_exact >= EXACT_CLOCKS.get(suite, 1) * report.cycles_known
    assert report.passed + len(report.failures) + sum(report.skipped.values()) == report.total
    failed = {(f["file"], f["index"]) for f in report.failures}  # one that passes now is no longer known to be bad
    known = {(file, i) for file, (_, indices) in KNOWN_BAD.get(suite, {}).items() for i in indices}
    assert failed == {(file, i) for file, i in known if limit is None or i < limit}


def test_classes_of_the_m68000_sample(shared: Path) -> None:
    report = run(
        "m68000", shared / "conformance", limit=None if ALL_TESTS else 100 if FULL else 10, classes=tuple(CLASSES)
    )
    print(report.line)
    assert not report.skipped
    assert not unexpected("m68000", report)
    assert not report.cycle_differences


def test_derived_classes_and_masks_are_those_of_the_sample(shared: Path) -> None:
    """What `classify` says of upstream tests, applied to the tests whose classes and masks are known."""
    files = sorted((shared / "conformance" / "m68000").glob("*.npz"))
    assert len(files) == 127
    seen = set()
    for path in files:
        for vector in read_vectors(path, 2):
            assert classify(vector) == (vector.skip, vector.mask), f"{path.name} {vector.index}"
            seen.add((vector.skip, vector.mask))
    assert {skip for skip, _ in seen} == {0, ADDRESS_ERROR, BCD, LINK_A7, STOP, TAS}
    assert {mask for _, mask in seen} == {0x10, 0x13, 0x15, 0x18, 0x1F}


@pytest.mark.parametrize("name", ["ADD.w", "ABCD", "TAS", "CHK", "RTE"])
def test_upstream_form_of_a_sample_reads_the_same(shared: Path, tmp_path: Path, name: str) -> None:
    sample = shared / "conformance" / "m68000" / f"{name}.npz"
    vectors = read_vectors(sample, 2)
    cycles = np.load(sample)["cycles"].tolist()
    tests = [Test(name, v.before, v.after, v.ram, v.out, c) for v, c in zip(vectors, cycles)]
    path = tmp_path / f"{name}.json.bin"
    path.write_bytes(upstream_file(tests))
    assert read_vectors(path, 2) == vectors


PC = 0x2000
CODE = PC - 4  # the pc of a test is that of the next prefetch


def registers(**values: int) -> list[int]:
    """Return 19 registers in supervisor state with an empty CCR, some of them given by name."""
    names = ["d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", *(f"a{i}" for i in range(7)), "usp", "ssp", "sr", "pc"]
    given = {"usp": 0x7000, "ssp": 0x8000, "sr": 0x2000, "pc": PC} | values
    return [given.pop(name, 0) for name in names]


def good_tests() -> list[Test]:
    """Return tests whose outcome is plain from the manual, one of each class that the rules know."""
    nop = (PC - 2, 0x4E71)
    return [
        Test("NOP", registers(), registers(pc=PC + 2), [(CODE, 0x4E71), nop], [], 4),
        Test(
            "ADD.w D0,D1",
            registers(d0=0x7FFF, d1=0x10001),
            registers(d0=0x7FFF, d1=0x18000, sr=0x200A, pc=PC + 2),
            [(CODE, 0xD240), nop],
            [],
            4,
            [(1, 4, 5, 0x1000, 0, 1), (2, 4, 6, 0, 1, 1), (3, 10, 5, 0, 0, 1), (4, 4, 5, 1, 1, 1), (5, 4, 5, 1, 1, 1)],
        ),
        Test(
            "MOVE.w D0,(A0)",
            registers(d0=0x1234, a0=0xFF003000),
            registers(d0=0x1234, a0=0xFF003000, pc=PC + 2),
            [(CODE, 0x3080), nop, (0x3000, 7)],
            [(0x3000, 0x1234)],
            8,
        ),
        Test(
            "TRAP #1",
            registers(sr=0x0001),
            registers(ssp=0x7FFA, sr=0x2001, pc=0x5004),
            [(CODE, 0x4E41), nop, (0x84, 0), (0x86, 0x5000)],
            [(0x7FFA, 1), (0x7FFC, 0), (0x7FFE, CODE + 2)],
            34,
        ),
        Test("TAS D0", registers(), registers(d0=0x80, sr=0x2004, pc=PC + 2), [(CODE, 0x4AC0), nop], [], 4),
        Test("ABCD D0,D1", registers(d0=0x0A), registers(pc=PC + 2), [(CODE, 0xC300), nop], [], 6),
        Test("LINK A7,#0", registers(), registers(pc=PC + 4), [(CODE, 0x4E57), (PC - 2, 0)], [], 16),
        Test("STOP #$2000", registers(), registers(), [(CODE, 0x4E72), (PC - 2, 0x2000)], [], 4),
        Test(
            "MOVE.w (A0),D0, odd",
            registers(a0=0x3001),
            registers(a0=0x3001, ssp=0x7FF2, pc=0x5004),
            [(CODE, 0x3010), nop, (12, 0), (14, 0x5000)],
            [(0x7FF2 + 2 * i, w) for i, w in enumerate((0x3015, 0, 0x3001, 0x3010, 0x2000, 0, PC - 2))],
            50,
        ),
    ]


def write(folder: Path, tests: list[Test]) -> Path:
    path = folder / "SOME.json.bin"
    path.write_bytes(upstream_file(tests))
    return path


def call(*arguments: object) -> subprocess.CompletedProcess:
    command = [sys.executable, str(ROOT / "tools" / "conformance.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_upstream_file_through_the_command(tmp_path: Path) -> None:
    write(tmp_path, good_tests())
    done = call("m68000", tmp_path, "--json", "--engine", "evaluate")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert {k: found[k] for k in ("suite", "machine", "total", "passed", "cycles_exact", "skipped", "failures")} == {
        "suite": "m68000",
        "machine": "mc68000-8",
        "total": 9,
        "passed": 4,
        "cycles_exact": 4,
        "skipped": 5,
        "failures": [],
    }
    assert found["skip_reasons"] == {"tas": 1, "bcd": 1, "link": 1, "stop": 1, "address-errors": 1}


def test_every_wrong_expectation_is_found(tmp_path: Path) -> None:
    """The tool can fail: each register, the system byte, each flag, pc, a listed and an unlisted byte."""
    suite, bench = SUITES["m68000"], Bench(m68k.cpu("MC68000"), "evaluate")
    vectors = read_vectors(write(tmp_path, good_tests()), 2)
    plain = [v for v in vectors if not v.skip]
    for vector in plain:
        assert suite.run(bench, vector)[0] == ""
        for number in range(19):
            for bit in (0, 2, 4, 13):
                vector.after[number] ^= 1 << bit
                assert suite.run(bench, vector)[0], (number, bit)
                vector.after[number] ^= 1 << bit
        assert suite.run(bench, vector)[0] == ""  # nothing is left behind by those
    store = plain[2]
    listed = Vector(0, store.before, store.after, store.ram, [(0x3000, 0x1235)])
    assert suite.run(bench, listed)[0] == "memory 003000 is 1234, expected 1235"
    store.ram, store.out = store.ram[:2], []
    wrong = "memory 003000 is 12, expected unchanged; memory 003001 is 34, expected unchanged"
    assert suite.run(bench, store)[0] == wrong
    addition = plain[1]
    addition.after[17] ^= 0x0A
    assert suite.run(bench, addition)[0] == "sr is 200A, expected 2000"
    addition.mask = 0x15
    assert suite.run(bench, addition)[0] == ""


def test_failures_make_status_1_and_are_capped(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    tests = good_tests()[:1] * 5
    for number in (1, 3, 4):
        tests[number] = Test("NOP", registers(), registers(d3=1, pc=PC + 2), [(CODE, 0x4E71)], [], 6)
    write(tmp_path, tests)
    done = call("m68000", tmp_path, "--json", "--max-listed", 2)
    found = json.loads(done.stdout)
    why = "d3 is 00000000, expected 00000001"
    listed = [{"file": "SOME.json.bin", "index": i, "instruction": "NOP", "why": why} for i in (1, 3)]
    assert (done.returncode, found["failures"], found["failures_unlisted"]) == (1, listed, 1)
    assert (found["passed"], found["cycles_exact"], found["cycles_known"]) == (2, 2, 5)
    assert found["cycle_differences"][0]["why"] == "4 clocks, expected 6"
    assert conformance.main(["m68000", str(tmp_path)]) == 1
    text = capsys.readouterr().out.splitlines()
    assert text[0] == "SOME.json.bin: 2 of 5 pass; 2 of 5 with exact clocks"
    assert text[1] == f"  1  NOP: {why}"
    assert conformance.main(["m68000", str(tmp_path), "--limit", "1"]) == 0
    assert capsys.readouterr().out == "m68000 on mc68000-8: 1 of 1 pass; 1 of 1 with exact clocks\n"


def status(capsys: pytest.CaptureFixture, *arguments: object) -> tuple[int, str]:
    """Return the status of the tool and the one line that it has printed."""
    result = conformance.main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("conformance: ")
    return result, err


def test_usage(capsys: pytest.CaptureFixture, tmp_path: Path) -> None:
    write(tmp_path, good_tests()[:1])
    for arguments, said in (
        (["m68000", tmp_path / "nowhere"], "does not exist"),
        (["m68000", tmp_path, "--file", "ADD*"], "no file ADD*"),
        (["m68040", tmp_path], "no file *"),
        (["m68000", tmp_path, "--machine", "mc68040-25"], "allowed mc68000-8"),
        (["m68000", tmp_path, "--machine", "pdp11"], "machine pdp11"),
        (["m68000", tmp_path, "--with", "bcd,odd"], "class odd of m68000: allowed address-errors"),
    ):
        result, line = status(capsys, *arguments)
        assert result == 2
        assert said in line
    for arguments in ([], ["z80", tmp_path], ["m68000", tmp_path, "--lim", "1"], ["m68000", tmp_path, "--limit", "x"]):
        with pytest.raises(SystemExit) as ended:
            conformance.main([str(a) for a in arguments])
        assert ended.value.code == 2


def test_truncated_upstream_files(capsys: pytest.CaptureFixture, tmp_path: Path) -> None:
    path = write(tmp_path, good_tests()[:2])
    content = path.read_bytes()
    for size in range(len(content)):
        path.write_bytes(content[:size])
        with pytest.raises(InputFileError):
            read_vectors(path, 2)
    assert status(capsys, "m68000", tmp_path)[0] == 4


def test_damaged_upstream_files_read_or_are_refused(tmp_path: Path) -> None:
    """What still reads also runs."""
    suite, bench = SUITES["m68000"], Bench(m68k.cpu("MC68000"), "evaluate")
    path = write(tmp_path, good_tests())
    content, generator, refused = path.read_bytes(), random.Random(SEED), 0
    for number in range(600 if FULL else 200):
        damaged = bytearray(content)
        for _ in range(generator.choice((1, 3, 10))):
            damaged[generator.randrange(len(damaged))] = generator.choice((0, 0xFF, generator.randrange(256)))
        path.write_bytes(damaged)
        try:
            vectors = read_vectors(path, 2)
        except InputFileError:
            refused += 1
            continue
        for vector in vectors:
            suite.run(bench, vector)
        assert not bench.core.ram[: ADDRESS_MASK + 1].any(), f"seed {SEED}, number {number}"
    assert 20 < refused < (540 if FULL else 180)


def sample(**changes: np.ndarray | None) -> dict[str, np.ndarray]:
    """Return the arrays of a small m68000 sample (a NOP, twice), some replaced or left out."""
    regs = np.array([[registers(), registers(pc=PC + 2)]] * 2, np.uint32)
    arrays = {
        "regs": regs,
        "ram_off": np.array([0, 1, 2], np.uint32),
        "ram_addr": np.array([CODE, CODE], np.uint32),
        "ram_word": np.array([0x4E71, 0x4E71], np.uint16),
        "out_off": np.zeros(3, np.uint32),
        "out_addr": np.zeros(0, np.uint32),
        "out_word": np.zeros(0, np.uint16),
    }
    return {name: a for name, a in (arrays | changes).items() if a is not None}


BAD_ARRAYS = {
    "regs missing": {"regs": None},
    "regs of another CPU": {"regs": np.zeros((2, 2, 14), np.uint32)},
    "regs of reals": {"regs": np.zeros((2, 2, 19))},
    "more tests than offsets": {"regs": np.zeros((3, 2, 19), np.uint32)},
    "offsets descend": {"ram_off": np.array([0, 2, 1], np.uint32)},
    "offsets beyond the cells": {"ram_off": np.array([0, 1, 9], np.uint32)},
    "signed offsets": {"ram_off": np.array([0, -1, 2])},
    "odd word": {"ram_addr": np.array([CODE, CODE + 1], np.uint32)},
    "address of 25 bits": {"ram_addr": np.array([CODE, 1 << 24], np.uint32)},
    "fewer values": {"ram_word": np.array([1], np.uint16)},
    "long values": {"ram_word": np.array([1, 2], np.uint32)},
    "bytes for words": {"ram_word": None, "ram_byte": np.array([1, 2], np.uint8)},
    "cycles of another length": {"cycles": np.zeros(1, np.uint16)},
    "records": {"skip": np.zeros(2, [("a", "u1")])},
    "pickles": {"index": np.array([{}, {}], object)},
}


@pytest.mark.parametrize("case", BAD_ARRAYS)
def test_bad_samples(capsys: pytest.CaptureFixture, tmp_path: Path, case: str) -> None:
    np.savez(tmp_path / "SOME.npz", **sample())
    assert conformance.main(["m68000", str(tmp_path)]) == 0
    capsys.readouterr()
    np.savez(tmp_path / "SOME.npz", **sample(**BAD_ARRAYS[case]))
    result, line = status(capsys, "m68000", tmp_path)
    assert result == 4
    assert "SOME.npz: " in line


def archive(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as z:
        for name, content in members.items():
            z.writestr(name, content)
    return stream.getvalue()


def test_hostile_archives(capsys: pytest.CaptureFixture, tmp_path: Path) -> None:
    good = io.BytesIO()
    np.savez(good, **sample())
    huge = io.BytesIO()
    np.lib.format.write_array_header_1_0(huge, {"descr": "<u4", "fortran_order": False, "shape": (1 << 40, 2, 19)})
    cases = {
        "empty": b"",
        "text": b"no archive\n" * 50,
        "truncated": good.getvalue()[:-30],
        "cut short": good.getvalue()[: len(good.getvalue()) // 2],
        "bomb": archive({"regs.npy": bytes(1 << 27)}),
        "member is text": archive({"regs": b"text", "ram_off.npy": b"text"}),
        "shape beyond all memory": archive({"regs.npy": huge.getvalue()}),
        "nothing inside": archive({}),
    }
    for name, content in cases.items():
        (tmp_path / "SOME.npz").write_bytes(content)
        for suite in SAMPLED:
            result, line = status(capsys, suite, tmp_path)
            assert result == 4, name
            assert "SOME.npz: " in line
    (tmp_path / "SOME.npz").unlink()
    (tmp_path / "SOME.npz").mkdir()
    assert status(capsys, "m68000", tmp_path)[0] == 4
