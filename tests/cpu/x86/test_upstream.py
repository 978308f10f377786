"""Upstream files of x86 tests: what they say is what the samples taken from them say."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
from pathlib import Path

import conformance
import numpy as np
import pytest
import suite_runs
import vectors_x86
from moo import MooTest, read_moo
from single_steps import Bench
from suites import SUITES
from vectors import Vector
from vectors_x86 import CPUS, CPUS_80386

from retrosim.cpu import x86
from retrosim.errors import InputFileError
from tests.helpers.amount import FULL
from tests.helpers.cpu.moo_files import chunk, packed, write

# The first test of 00.MOO.gz, `add [bx+0Eh],bl`, as the README of SingleStepTests/80286 shows it. Its log of the bus
# has 19 states.
BEFORE = [715, 26659, 49548, 64181, 65535, 41175, 65535, 43996, 39769, 65535, 35262, 34633, 38072, 6291]
CODE, DATA = 1086632, 1075233
FETCHED = (0, 95, 14, 244, 161, 214, 248, 46, 107, 166)
DIGEST = "626be5084b331080eb08256c12a62d24afdf2a03"
README = MooTest(
    index=0,
    code=bytes(FETCHED[:4]),
    before=BEFORE,
    after=[*BEFORE[:12], 38076, 19],
    masks=[0xFFFF] * 14,
    ram=[*((CODE + n, byte) for n, byte in enumerate(FETCHED)), (DATA, 222)],
    out=[(DATA, 1)],
    clocks=19,
    digest=DIGEST,
)

# The first test of 00.MOO.gz, `add [ss:bp+60h],bl`, as the README of SingleStepTests/80386 shows it.
BEFORE_386 = [
    *(2147418096, 0, 46917154, 1747202472, 3247246033, 4206235108, 8323072, 4054220768, 524289, 56811),
    *(7970, 809, 17715, 0, 3855, 63468, 29344, 4294707347, 4294905840, 0),
]
FETCHED_386 = (0, 94, 96, 244, 63, 216, 35, 243, 48, 40)
README_386 = MooTest(
    index=0,
    code=bytes(FETCHED_386[:4]),
    before=BEFORE_386,
    after=[*BEFORE_386[:16], 29348, 4294705298, *BEFORE_386[18:]],
    masks=[0xFFFFFFFF] * 20,
    ram=[*((156864 + n, byte) for n, byte in enumerate(FETCHED_386)), (1015585, 11)],
    out=[(1015585, 179)],
    clocks=24,
    digest="64456846b886b67084505f8eca4d19943cde4aab",
)
PLACES = (2, 3, 4, 5, 10, 15, 11, 12, 9, 8, 6, 7, 16, 17)  # of ax bx cx dx cs ss ds es sp bp si di ip flags on a 386


def sample(path: Path, count: int) -> list[tuple[Vector, MooTest]]:
    """Return tests of a sample, with what an upstream file has of them: neither masks nor classes."""
    arrays = dict(np.load(path))
    found = []
    for vector in vectors_x86.read_80286(path)[:count]:
        memory, k = dict(vector.ram), vector.index
        start = (vector.before[4] << 4) + vector.before[12]
        code = bytes(memory.get(start + n, 0) for n in range(arrays["ilen"][k]))
        exception = int(arrays["exc"][k])
        known = (exception, vector.flags_at) if exception >= 0 else (None, None)
        digest = hashlib.sha1(f"{path.name} {k}".encode()).hexdigest()
        test = MooTest(k, code, vector.before, vector.after, [0xFFFF] * 14, vector.ram, vector.out, vector.cycles)
        test.exception, test.flags_at, test.digest = *known, digest
        found.append((vector, test))
    return found


def test_the_test_that_the_readme_shows(tmp_path: Path) -> None:
    path = write(tmp_path / "00.MOO.gz", "C286", [README])
    assert read_moo(path, CPUS) == [README]
    (vector,) = vectors_x86.read_80286(path)
    assert (vector.skip, vector.mask, vector.cycles) == (0, vectors_x86.DEFINED, 19)
    bench = Bench(x86.cpu("i286_real"), "evaluate", "full")
    assert SUITES["80286"].run(bench, vector) == ("", 19)


def as_386(test: MooTest, mask: int) -> MooTest:
    """Return a test of the 286 as one of a 386, with the flags that are defined after it."""
    wide = MooTest(test.index, test.code, [0] * 20, [0] * 20, [0xFFFFFFFF] * 20, test.ram, test.out, test.clocks)
    for place, before, after in zip(PLACES, test.before, test.after, strict=True):
        wide.before[place], wide.after[place] = before, after
    wide.before[17] &= 0x0FFF
    wide.masks[17], wide.exception, wide.flags_at, wide.digest = mask, test.exception, test.flags_at, test.digest
    return wide


def test_the_test_of_a_386_that_the_readme_shows(tmp_path: Path) -> None:
    path = write(tmp_path / "00.MOO.gz", "386E", [README_386])
    assert read_moo(path, CPUS_80386) == [README_386]
    (vector,) = vectors_x86.read_80386(path)
    bench, suite = Bench(x86.cpu("i386_real"), "evaluate"), SUITES["80386"]
    assert suite.run(bench, vector)[0] == "" and vector.skip == 0
    for place, name in ((3, "ebx"), (11, "ds"), (13, "fs"), (16, "eip"), (18, "dr6")):
        vector.after[place] ^= 2
        assert suite.run(bench, vector)[0].startswith(f"{name} is ")
        vector.masks[place] ^= 2
        assert suite.run(bench, vector)[0] == ""


def test_what_a_286_did_as_tests_of_a_386(shared: Path, tmp_path: Path) -> None:
    """The plain ones pass; so do exceptions, whose flags are pushed."""
    bench, suite, count = Bench(x86.cpu("i386_real"), "evaluate"), SUITES["80386"], 0
    for name in ("01", "60", "8B", "9A", "A5", "C4", "CD", "D3.2", "F7.6", "FF.3"):
        both = sample(shared / "conformance" / "80286" / f"{name}.npz", 100)
        tests = [as_386(test, vector.mask) for vector, test in both if not vector.skip]
        report = suite_runs.run_file(suite, bench, write(tmp_path / f"{name}.MOO", "386E", tests), None, 0)
        assert not report.failures, report.failures[:3]
        count += report.passed
    assert count > 900


def test_tests_that_leave_real_mode_run_on_demand(tmp_path: Path) -> None:
    codes = ("0f20c0f4", "660f01f0f4", "0fa0f4")  # MOV eax,cr0; LMSW ax; PUSH fs
    tests = [
        MooTest(n, bytes.fromhex(code), [0] * 20, [0] * 20, [0xFFFFFFFF] * 20, clocks=0, digest="00" * 20)
        for n, code in enumerate(codes)
    ]
    found = vectors_x86.read_80386(write(tmp_path / "0F.MOO", "386E", tests))
    assert [vector.skip for vector in found] == [1, 1, 0]


def test_upstream_files_say_what_the_sample_says(shared: Path, tmp_path: Path, capsys) -> None:
    """Masks and classes too, which `classify` finds from the code; and so does the whole tool."""
    folder = tmp_path / "v1_real_mode"
    folder.mkdir()
    (tmp_path / "sample").mkdir()
    for name in ("08", "27", "69", "8E", "C0.4", "CD", "D1.2", "D4", "A6", "F7.4", "F7.6", "FF.6", "D8"):
        path = shared / "conformance" / "80286" / f"{name}.npz"
        both = sample(path, 400 if FULL else 120)
        write(folder / f"{name}.MOO.gz", "C286", [test for _, test in both])
        (tmp_path / "sample" / path.name).symlink_to(path)
        for vector, read in zip((v for v, _ in both), vectors_x86.read_80286(folder / f"{name}.MOO.gz"), strict=True):
            vector.flags_at = vector.flags_at or None
            assert vector == read
    outcomes = []
    for place in (tmp_path / "sample", tmp_path):
        conformance.main(["80286", str(place), "--machine", "i386dx-33", "--json", "--limit", "40", "--jobs", "1"])
        outcome = json.loads(capsys.readouterr().out)
        outcomes.append({key: value for key, value in outcome.items() if isinstance(value, int | dict)})
    assert outcomes[0] == outcomes[1] and outcomes[0]["total"] > 300


def test_classes_and_masks_of_the_whole_sample(shared: Path) -> None:
    """Of every third file by default."""
    for path in sorted((shared / "conformance" / "80286").glob("*.npz"))[:: 1 if FULL else 3]:
        for vector, test in sample(path, 20):
            assert vectors_x86.classify(test) == (vector.skip, vector.mask), f"{path.name} {vector.index}"


def test_revoked_tests_do_not_run(tmp_path: Path) -> None:
    folder = tmp_path / "v1_real_mode"
    folder.mkdir()
    path = write(folder / "00.MOO", "C286", [README])
    suite, bench = SUITES["80286"], Bench(x86.cpu("i286_real"), "evaluate", "full")
    assert suite_runs.run_file(suite, bench, path, None, 0).counts["passed"] == 1
    (tmp_path / "revocation_list.txt").write_text(f"# bad ones\n{DIGEST}\n")
    report = suite_runs.run_file(suite, bench, path, None, 0)
    assert (report.total, report.skipped) == (1, {"revoked": 1})
    assert suite_runs.run_file(suite, bench, path, None, vectors_x86.REVOKED).passed == 1


def test_chunks_that_are_not_known_are_passed_over(tmp_path: Path) -> None:
    data = packed("C286", [README])
    path = tmp_path / "00.MOO"
    path.write_bytes(data + chunk(b"NEW!", b"whatever"))
    assert read_moo(path, CPUS) == [README]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a MOO file"),
        (b"PK\3\4", "not a MOO file"),
        (packed("V20", [README]), "tests of a processor 'V20': allowed C286"),
        (packed("C286", [README])[:20], "has 0 tests, not 1"),
        (packed("C286", [README]) + b"TEST\xff\xff\xff\xff", "ends within a chunk TEST"),
        (packed("C286", [MooTest(0, b"\x90", [0] * 20, [0] * 20, clocks=0)]), "does not begin with 14 registers"),
    ],
)
def test_files_that_are_not_right(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "00.MOO"
    path.write_bytes(data)
    with pytest.raises(InputFileError, match=reason):
        read_moo(path, CPUS)


def test_damaged_files(tmp_path: Path) -> None:
    """Cut anywhere, or with any byte changed: an error of one line, or tests."""
    data = packed("C286", [README])
    path, chance = tmp_path / "00.MOO", random.Random(1994)
    for length in range(len(data)):
        path.write_bytes(data[:length])
        with pytest.raises(InputFileError):
            vectors_x86.read_80286(path)
    outcomes = set()
    for _ in range(2000 if FULL else 700):
        changed = bytearray(data)
        changed[chance.randrange(len(data))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF))
        path.write_bytes(changed)
        try:
            outcomes.add(type(vectors_x86.read_80286(path)))
        except InputFileError as error:
            assert "\n" not in str(error)
            outcomes.add(InputFileError)
    assert outcomes == {list, InputFileError}


def test_what_unpacks_to_too_much(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("moo.MAX_BYTES", 1 << 16)
    path = tmp_path / "00.MOO.gz"
    path.write_bytes(gzip.compress(b"MOO " + bytes(1 << 20)))
    with pytest.raises(InputFileError, match="unpacks to more than 65536 bytes"):
        read_moo(path, CPUS)
    path.write_bytes(gzip.compress(packed("C286", [README]))[:-9])
    with pytest.raises(InputFileError, match="not a gzip file"):
        read_moo(path, CPUS)
