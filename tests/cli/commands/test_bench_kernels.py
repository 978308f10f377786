"""`retrosim bench kernels`: the same formats and files as `bench`, and options that do not go with it."""

import csv
import json

import pytest


@pytest.fixture
def quick(monkeypatch) -> tuple[str, ...]:
    """A benchmark of three contenders and one scene, with laps too short to mean anything."""
    from retrosim.bench import kernels as kernel_bench

    whole = kernel_bench.benchmark_kernels
    monkeypatch.setattr(kernel_bench, "benchmark_kernels", lambda **given: whole(**given | {"seconds": 0.001}))
    engines = ("--engine", "collided", "--engine", "pairs", "--engine", "numpy")
    return ("bench", "kernels", "--rounds", "1", "--objects", "300", *engines)


@pytest.mark.full
def test_json_csv_and_table(run, quick) -> None:
    result = run(*quick, "--json").json()
    assert {"name", "engine", "per_second", "ratio_to"} <= set(result["cases"][0])
    engines = [case["engine"] for case in result["cases"]]
    assert engines == ["collided", "pairs", "numpy"] and result["method"]["rounds"] == 1
    rows = list(csv.DictReader(run(*quick, "--csv").out.splitlines()))
    assert [row["engine"] for row in rows] == engines and all(float(row["per_second"]) > 0 for row in rows)
    ran = run(*quick)
    assert (ran.status, ran.err) == (0, "")
    assert "peer/collided" in ran.out and "300" in ran.out


def test_files(run, quick, tmp_path, monkeypatch) -> None:
    from retrosim.bench import engines as bench

    assert run(*quick, "--output", "a.json").out == ""
    assert len(json.loads((tmp_path / "a.json").read_text())["cases"]) == 3
    run(*quick, "--output", "a.json").is_refused(1, "a.json", "exists already")
    monkeypatch.setattr(bench, "RESULTS", tmp_path)
    assert run(*quick, "--save").status == 0
    assert len(list(tmp_path.glob("kernels-*-cpus-*.json"))) == 1


def test_options_that_do_not_go_together(run) -> None:
    run("bench", "kernels", "--build", "O2").is_refused(2, "unknown option --build")
    run("bench", "kernels", "--machine", "mc68000-8").is_refused(2, "unknown option --machine")
    run("bench", "kernels", "--no-startup").is_refused(2, "unknown option --no-startup")
    run("bench", "kernels", "--engine", "unicorn").is_refused(2, "engine 'unicorn': allowed collided")
    run("bench", "kernels", "--objects", "4194305").is_refused(2, "'4194305': allowed 1..4194304")
    run("bench", "--kernels").is_refused(2, "--kernels: a subject, not an option: `retrosim bench kernels`")
    run("bench", "warp").is_refused(2, "'warp': allowed engines, kernels, programs, program, debugger")
    run("bench", "--objects", "201").is_refused(2, "'201': allowed 1..200")
