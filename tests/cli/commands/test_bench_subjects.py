"""`retrosim bench programs`, `program` and `debugger`: one end-to-end each."""

from __future__ import annotations

import csv

import pytest

SHORT = """_start: moveq #7,d0
        dc.w 0xA002
"""


@pytest.fixture
def quick(monkeypatch) -> None:
    """Laps too short to mean anything."""
    from retrosim.bench import debugger, program, programs

    def shortened(module, name: str) -> None:
        whole = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *names, **options: whole(*names, **options | {"seconds": 0.001}))

    shortened(programs, "benchmark_programs")
    shortened(program, "benchmark_program")
    shortened(debugger, "benchmark_debugger")


def test_programs(run, quick) -> None:
    words = ("bench", "programs", "block", "--machine", "mc68000-8", "--engine", "interpret-off", "--rounds", "1")
    result = run(*words, "--json").json()
    assert [(case["program"], case["engine"], case["error"]) for case in result["cases"]] == [
        ("block", "interpret-off", None)
    ]
    assert result["cases"][0]["times_machine"] > 0 and result["method"]["rounds"] == 1
    run("bench", "programs", "bogosort").is_refused(2, "program 'bogosort': allowed sort, list")


def test_a_program(run, quick, tmp_path) -> None:
    (tmp_path / "short.s").write_text(SHORT)
    words = ("bench", "program", "short.s", "--machine", "mc68000-8", "--engine", "interpret-table", "--rounds", "1")
    ran = run(*words, "--csv")
    (row,) = csv.DictReader(ran.out.splitlines())
    assert (row["program"], row["engine"], row["error"]) == ("short", "interpret-table", "")
    run("bench", "program").is_refused(2, "missing FILE")


def test_the_debugger(run, quick) -> None:
    words = ("bench", "debugger", "--machine", "mc68000-8", "--engine", "interpret", "--rounds", "1")
    ran = run(*words)
    assert ran.status == 0 and "of the speed is left" in ran.out and "mc68000-8" in ran.out
    run("bench", "debugger", "--html", "a.html").is_refused(2, "unknown option --html")


def test_the_help_says_what_is_taken_by_default(run) -> None:
    from retrosim.bench.program import USUAL
    from retrosim.cli.commands.bench import SUBJECTS

    *others, last = USUAL
    assert SUBJECTS["program"].engines == f"{', '.join(others)} and {last}"
    for subject, rounds, engines in (("programs", 5, "all but evaluate"), ("debugger", 9, "all")):
        text = " ".join(run("bench", subject, "--help").out.split())
        assert f"default: {rounds} " in text and f"only this contender; default: {engines}; may be repeated" in text
