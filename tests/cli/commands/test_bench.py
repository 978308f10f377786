"""`retrosim bench` without a subject: the engines."""

from __future__ import annotations

import csv
import json
import re

import pytest


@pytest.fixture
def quick(monkeypatch) -> tuple[str, ...]:
    """A benchmark of two contenders and one scene, with laps too short to mean anything."""
    from retrosim.bench import engines

    whole = engines.benchmark_engines
    monkeypatch.setattr(
        engines, "benchmark_engines", lambda **options: whole(**options | {"rounds": 1, "seconds": 0.01})
    )
    return ("bench", "--no-startup", "--objects", "20", "--engine", "kernel", "--engine", "interpret-off")


def test_bench_as_json_csv_and_table(run, quick) -> None:
    result = run(*quick, "--json").json()
    assert {"name", "engine", "per_second", "ratio_to"} <= set(result["cases"][0])
    engines = [case["engine"] for case in result["cases"]]
    assert sorted(engines) == ["interpret-off", "kernel"] and result["startup"] is None
    assert all(case["per_second"] > 0 and case["error"] is None for case in result["cases"])
    ran = run(*quick, "--csv")
    rows = list(csv.DictReader(ran.out.splitlines()))
    assert [row["engine"] for row in rows] == engines and all(float(row["per_second"]) > 0 for row in rows)
    ran = run(*quick)
    assert (ran.status, ran.err) == (0, "")
    assert "kernel" in ran.out and "checks/s" in ran.out


def test_bench_into_a_file(run, quick, tmp_path) -> None:
    for name, options in (("a.json", ()), ("a.csv", ()), ("plain", ("--csv",))):
        ran = run(*quick, "--output", name, *options)
        assert (ran.status, ran.out, ran.err) == (0, "", "")
    assert len(json.loads((tmp_path / "a.json").read_text())["cases"]) == 2
    assert (tmp_path / "plain").read_text().partition("\n")[0] == (tmp_path / "a.csv").read_text().partition("\n")[0]
    before = (tmp_path / "a.json").read_bytes()
    run(*quick, "--output", "a.json").is_refused(1, "a.json", "exists already")
    assert (tmp_path / "a.json").read_bytes() == before
    assert run(*quick, "--output", "a.json", "--force").status == 0
    run(*quick, "--output", "nowhere/a.json").is_refused(1, "no folder nowhere")


def test_bench_keeps_a_file_per_host(run, quick, monkeypatch, tmp_path) -> None:
    from retrosim.bench import race

    monkeypatch.setattr(race, "RESULTS", tmp_path / "bench")
    run(*quick, "--save").is_refused(1, "no such folder", "checkout")
    race.RESULTS.mkdir()
    assert "checks/s" in run(*quick, "--save").out
    (path,) = race.RESULTS.iterdir()
    kept = json.loads(path.read_text())
    assert path.suffix == ".json" and re.fullmatch(r"[a-z0-9.-]+-\d+-cpus-[a-z]+-python-3\.\d+", path.stem)
    assert kept["host"]["processor"] and re.fullmatch(r"\d{4}-\d\d-\d\d", kept["made"]["date"])
    assert set(kept["host"]) == {"system", "processor", "cpus", "python", "packages"}, "no host's name"
    run(*quick, "--save").is_refused(1, path.name, "exists already")
    assert run(*quick, "--save", "--force", "--build", "O1").status == 0
    assert [case["build"] for case in json.loads(path.read_text())["cases"]] == ["O1", "O1"]


def test_bad_arguments_of_bench(run) -> None:
    run("bench", "--build", "O9").is_refused(2, "build 'O9': allowed O0")
    run("bench", "--rounds", "0").is_refused(2, "'0': allowed 1..1000")
    run("bench", "--json", "--csv").is_refused(2, "--csv: not allowed with --json")
    run("bench", "--output", "a.txt").is_refused(2, "--output a.txt")
    run("bench", "--engine", "warp").is_refused(2, "engine 'warp': allowed recompile-full")
