"""`retrosim timing`."""

from __future__ import annotations

import csv

import pytest

from retrosim.jobs import HERE
from retrosim.rom import load_rom
from retrosim.table_1994.printed import PRINTED
from tests.helpers.amount import FULL
from tests.helpers.study.page import check_page

SHAPE = {"machine", "build", "objects", "printed_per_second", "printed_cycles", "cycles", "instructions", "ratio"}


@pytest.fixture
def one_scene(monkeypatch) -> None:
    from retrosim.table_1994 import timing

    monkeypatch.setattr(timing, "SAMPLE_SCENES", 1)
    monkeypatch.setattr(timing, "POPULATION", 50)


@pytest.mark.full
def test_timing_answers_first(run, monkeypatch) -> None:
    """One build a machine, chosen beforehand; both machines.

    By default half the scenes, in this process; with --full as users get it, in processes of their own.
    """
    from retrosim.table_1994 import timing

    scatter = 0.015
    if not FULL:
        monkeypatch.setattr(timing, "SAMPLE_SCENES", timing.SAMPLE_SCENES // 2)
        monkeypatch.setattr(timing, "POPULATION", 200)
        scatter *= 2**0.5
    jobs = 2 if FULL else 1
    command = ("timing", "--machine", "mc68040-25", "--machine", "ppc601-80", "--jobs", jobs)
    result = run(*command, "--json").json()
    assert {(row["machine"], row["build"]) for row in result["rows"]} == {
        ("mc68040-25", "period"),
        ("ppc601-80", "period"),
    }
    for answer in result["answer"]:
        rows = [row for row in result["rows"] if row["machine"] == answer["machine"]]
        assert [row["objects"] for row in answer["rows"]] == [0, 50, 100, 200]
        for row, line in zip(rows, answer["rows"], strict=True):
            assert line["low"] <= line["cycles"] <= line["high"] and line["scatter"] < scatter
            assert line["printed_low"] < line["printed_cycles"] < line["printed_high"]
            assert (line["cycles"], line["ratio"]) == (row["cycles"], row["ratio"])
            assert line["agrees"] == (line["low"] <= line["printed_high"] and line["printed_low"] <= line["high"])
        ratios = [f"{row['ratio']:.2f}" for row in rows]
        assert f"{min(ratios)} to {max(ratios)} times the clocks of 1994" in answer["verdict"]
    assert result["analysis"] == [] and result["split"] and result["tests"]
    check_page(result["rows"])


@pytest.mark.full
def test_timing_is_answered_in_a_few_lines(run, one_scene) -> None:
    ran = run("timing", "--machine", "mc68040-25", "--jobs", 1)
    assert (ran.status, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert len(lines) < 25 and all(len(line) <= 80 and line == line.rstrip() for line in lines)
    assert "Build period takes" in ran.out and "--details" in ran.out and "O0" not in ran.out
    rows = [line.split() for line in lines]
    assert [row[1] for row in rows if row and row[0] in ("0", "50", "100", "200")] == [
        "40,917",
        "73,529",
        "132,275",
        "308,642",
    ]


@pytest.mark.full
def test_timing_fills_every_cell(run, one_scene) -> None:
    command = ("timing", "--json", "--details", "--no-interval", "--jobs", 1)
    command += ("--machine", "mc68040-25", "--machine", "mc68040-25")
    result = run(*command).json()
    builds = [info.build for info in load_rom("sectors").images if info.isa == "m68040"]
    cells = [(row["build"], row["objects"]) for row in result["rows"]]
    assert sorted(cells) == sorted((build, objects) for build in builds for objects in (0, 50, 100, 200))
    assert {"O0", "O1", "O2"} <= set(builds) and result["analysis"]
    for row in result["rows"]:
        assert set(row) >= SHAPE
        assert row["printed_per_second"] == PRINTED["mc68040-25"][row["objects"]]
        assert row["ratio"] == pytest.approx(row["cycles"] / row["printed_cycles"])
        assert row["instructions"] < row["cycles"]


@pytest.mark.full
def test_timing_by_another_reading(run, one_scene) -> None:
    """Lead overlapped takes fewer clocks; only the machine that has the reading is timed, and the table says so."""
    command = ("timing", "--build", "O2", "--no-interval", "--jobs", 1, "--machine", "mc68040-25")
    usual = run(*command, "--json").json()
    ran = run(*command[:-2], "--reading", "lead=overlapped", "--json").json()
    assert {row["machine"] for row in ran["rows"]} == {"mc68040-25"}
    assert all(row["cycles"] < plain["cycles"] for row, plain in zip(ran["rows"], usual["rows"], strict=True))
    assert ran["method"]["readings_changed"] == {"mc68040-25": {"lead": "overlapped"}}
    assert ran["method"]["readings"]["mc68040-25"]["code"] == "line"
    assert usual["method"]["readings_changed"] == {"mc68040-25": {}}


@pytest.mark.full
def test_timing_for_people(run, monkeypatch) -> None:
    from retrosim.table_1994 import timing

    whole = timing.timing_table

    monkeypatch.setattr(timing, "POPULATION", 50)

    def short(machines, full, progress, **given):
        assert (machines, full) == (["mc68040-25", "ppc601-80"], True)
        assert (given["builds"], given["memory"], given["engine"]) == (["O2"], {}, "interpret")
        assert given["readings"] == {}
        assert (given["details"], given["interval"], given["workers"]) == (True, False, HERE)
        return whole(machines, False, progress, seconds=0.02, **given)

    monkeypatch.setattr(timing, "timing_table", short)
    ran = run("timing", "--full", "--build", "O2", "--engine", "interpret", "--jobs", 1, "--no-interval")
    assert (ran.status, ran.err) == (0, "")
    assert "0 objects has one" in ran.out and "nine" in ran.out
    assert all(len(line) <= 80 for line in ran.out.splitlines())


def test_timing_on_machines_without_cycles(run) -> None:
    run("timing", "--machine", "native").is_refused(2, "machine 'native'", "no CPU")
    run("timing", "--machine", "z80").is_refused(2, "machine 'z80': allowed")
    run("timing", "--causes", "--machine", "mc68000-8").is_refused(2, "machine 'mc68000-8': no pipeline")


@pytest.mark.full
def test_timing_by_causes(run, monkeypatch) -> None:
    from retrosim.table_1994 import causes

    whole = causes.causes_table

    def short(machines, progress, **given):
        return whole(machines, progress, seconds=0.01, objects=(50,), **given)

    monkeypatch.setattr(causes, "causes_table", short)
    command = ("timing", "--causes", "--build", "O2", "--build", "fast", "--memory", "copyback=0")
    command += ("--engine", "interpret", "--reading", "lead=overlapped")
    result = run(*command, "--json").json()
    assert [(row["build"], row["engine"]) for row in result["rows"]] == [("O2", "interpret"), ("fast", "interpret")]
    assert all(sum(row["causes"].values()) == row["cycles"] for row in result["rows"])
    assert result["method"]["memory_changed"] == {"mc68040-25": {"copyback": 0}}
    assert result["method"]["readings_changed"] == {"mc68040-25": {"lead": "overlapped"}}
    rows = list(csv.DictReader(run(*command, "--csv").out.splitlines()))
    assert [int(row["execute"]) for row in rows] == [row["causes"]["execute"] for row in result["rows"]]
    ran = run(*command)
    assert (ran.status, ran.err) == (0, "")
    assert "Memory changed: copyback 0 (preset 1)" in ran.out and "registers" in ran.out
    assert "Readings changed: lead=overlapped" in ran.out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--memory", "first=3"), "memory parameter 'first': allowed first_read 0..1000, line_read 0..1000"),
        (("--memory", "copyback=2"), "copyback 2: allowed 0..1"),
        (("--memory", "write"), "'write': allowed NAME=N"),
        (("--memory", "write=x"), "'x': allowed a whole number"),
        (("--memory", "line_read=4"), "line_read 4: allowed 5..1000 with first_read 5"),
        (("--machine", "mc68000-8", "--memory", "write=4"), "memory parameter 'write': allowed none on mc68000-8"),
        (("--build", "O9"), "build 'O9': allowed O0"),
        (("--reading", "lead=never"), "reading lead 'never': allowed printed, overlapped on mc68040-25"),
        (("--reading", "port=two"), "reading 'port': allowed lead"),
        (("--machine", "ppc601-80", "--reading", "lead=printed"), "reading 'lead': allowed condition, "),
        (("--reading", "lead"), "'lead': allowed NAME=OPTION"),
        (("--causes", "--full"), "--full: not allowed with --causes"),
        (("--json", "--csv"), "--csv: not allowed with --json"),
    ],
)
def test_bad_arguments_of_timing(run, options, words) -> None:
    run("timing", *options).is_refused(2, words)
