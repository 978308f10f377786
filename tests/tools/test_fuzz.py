"""What fuzzing has found stays mended, and the tool finds what it is made to find."""

from __future__ import annotations

import os
import re
import signal
import sys

import fuzz
import pytest
from fuzzing import runner, targets
from fuzzing import target as limits
from fuzzing.runner import Tally, input_of, judged, minimised, search
from fuzzing.target import MAX_BYTES, Target

from retrosim.jobs import Workers

KEPT = sorted(fuzz.CORPUS.glob("*/*.bin"))

needs_fork = pytest.mark.skipif(sys.platform != "linux", reason="tools/fuzz.py needs fork and /proc")


@needs_fork
@pytest.mark.parametrize("path", KEPT, ids=[f"{path.parent.name}-{path.stem}" for path in KEPT])
def test_what_was_found_stays_mended(path) -> None:
    assert judged(fuzz.TARGETS[path.parent.name], path.read_bytes()) == ""


@pytest.mark.parametrize("name", ("tape", "script", "image", "manifest", "drawing", "source"))
def test_inputs_come_from_seed_and_number_alone(name: str) -> None:
    target = fuzz.TARGETS[name]
    first = [input_of(target, 5, number) for number in range(8)]
    assert first == [input_of(target, 5, number) for number in range(8)]
    assert len(set(first)) > 4 and first != [input_of(target, 6, number) for number in range(8)]


class Planted(Target):
    """Breaks at a letter: in a way that an input says in capitals."""

    name, about, ci_inputs = "planted", "a program with defects", 60

    def make(self, chance) -> bytes:
        return bytes(chance.choice(b"abcdefgh") for _ in range(7)) + chance.choice((b"", b"A", b"B", b"C", b"D"))

    def attempt(self, data: bytes) -> bool:
        if b"A" in data and b"b" in data:
            {}["key"]
        if b"B" in data:
            os.kill(os.getpid(), signal.SIGSEGV)
        if b"C" in data:
            bytearray(b"x") * (MAX_BYTES + (1 << 24))
        if b"D" in data:
            raise MemoryError
        return b"a" in data


@pytest.mark.full
@needs_fork
def test_defects_are_found_and_made_small(monkeypatch, capfd) -> None:
    target = Planted()
    monkeypatch.setitem(targets.TARGETS, "planted", target)
    monkeypatch.setattr(limits, "MAX_SECONDS", 15.0)  # to fill so much memory may take a busy host seconds
    found = search(target, 3, 40, None, Workers(), lambda tally: None, lambda done, count: None)
    assert found.tried == 40 and 0 < found.accepted < 60
    whats = {finding.what: finding.number for finding in found.findings}
    expected = ("KeyError in test_fuzz.py:attempt", "MemoryError in test_fuzz.py:attempt", "ended by SIGSEGV")
    assert whats.keys() == {*expected, "takes 256 MiB and more of memory"}
    assert "planted: input " in capfd.readouterr().err
    small = {what: minimised(target, input_of(target, 3, whats[what]), what) for what in expected}
    assert sorted(small[expected[0]]) == list(b"Ab") and (small[expected[1]], small[expected[2]]) == (b"D", b"B")


@needs_fork
def test_the_command(monkeypatch, tmp_path, capsys) -> None:
    monkeypatch.setitem(targets.TARGETS, "planted", Planted())
    monkeypatch.setitem(targets.GROUPS, "all", ["planted"])
    monkeypatch.setattr(Planted, "attempt", lambda self, data: b"D" not in data or 1 // 0)
    words = ["fuzz.py", "all", "--seed", "3", "--corpus", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", words)
    assert fuzz.main() == 1
    out = capsys.readouterr().out
    assert out.startswith("seed 3\nplanted: 60 inputs in ") and ", 1 find\n" in out and "ZeroDivisionError" in out
    (kept,) = (tmp_path / "planted").iterdir()
    assert kept.read_bytes() == b"D"
    monkeypatch.setattr(Planted, "attempt", lambda self, data: True)
    monkeypatch.setattr(sys, "argv", [*words[:2], "--inputs", "5"])
    assert fuzz.main() == 0
    assert re.match(r"seed \d+\nplanted: 5 inputs in .*, 100 % accepted, 0 finds\n", capsys.readouterr().out)


def test_progress_is_told(capsys, monkeypatch) -> None:
    monkeypatch.setattr(fuzz, "REPORT_SECONDS", -1.0)
    monkeypatch.setattr(fuzz.time, "monotonic", iter((0.0, 4.0, 4.0, 8.0)).__next__)
    reporter = fuzz.Reporter(Planted())
    reporter.tally(Tally(2000, 500))
    reporter.parts(3, 16)
    printed = "planted: 2,000 inputs in 4.0 s (500/s), 25 % accepted, 0 finds\nplanted: 3 of 16 parts\n"
    assert capsys.readouterr().err == printed


@pytest.mark.parametrize("processes", [1, 2, 7])
def test_equal_inputs_are_tried_by_any_number_of_processes(processes: int, monkeypatch) -> None:
    tried: list[int] = []

    def run(work, jobs, *others) -> list[dict]:
        tried.extend(job.argument["first"] + n for job in jobs for n in range(job.argument["count"]))
        return []

    monkeypatch.setattr(runner, "run_jobs", run)
    search(fuzz.TARGETS["script"], 9, 200, None, Workers(processes), lambda tally: None, lambda done, count: None)
    assert tried == list(range(200))


def test_a_search_goes_on_with_its_seed_alone(monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "argv", ["fuzz.py", "tape", "--resume"])
    with pytest.raises(SystemExit) as raised:
        fuzz.main()
    assert raised.value.code == 2 and "--resume needs the --seed" in capsys.readouterr().err
