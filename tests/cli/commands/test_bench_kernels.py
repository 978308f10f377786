"""`retrosim bench kernels`: the same formats and files as `bench`, and options that do not go with it."""

import csv
import json

import pytest

KERNELS = ("bench", "kernels")


@pytest.fixture
def measured(monkeypatch) -> dict:
    """The options that `benchmark_kernels` was called with; it returns a result that is ready."""
    from retrosim.bench import kernels
    from retrosim.bench.kernels import KernelCase, KernelMethod, KernelResult
    from retrosim.bench.race import host, made

    def case(engine: str, seconds: float, peers: dict[str, float]) -> KernelCase:
        figures = (1 / seconds, seconds, seconds, peers, peers, 1, 3, "every pair", None)
        return KernelCase("flags, 300 objects", engine, "flags", 300, *figures)

    def benchmark(**options) -> KernelResult:
        asked.update(options)
        cases = [case("collided", 0.002, {"numpy": 2.5}), case("numpy", 0.005, {})]
        return KernelResult(cases, [], host([]), made(), KernelMethod(1, 0.03, 1994, 30))

    asked: dict = {}
    monkeypatch.setattr(kernels, "benchmark_kernels", benchmark)
    return asked


def test_json_csv_and_table(run, measured) -> None:
    result = run(*KERNELS, "--json").json()
    assert [case["engine"] for case in result["cases"]] == ["collided", "numpy"]
    rows = list(csv.DictReader(run(*KERNELS, "--csv").out.splitlines()))
    assert [(row["engine"], row["seconds"], row["ratio_to_numpy"]) for row in rows] == [
        ("collided", "0.002", "2.5"),
        ("numpy", "0.005", ""),
    ]
    ran = run(*KERNELS)
    assert (ran.status, ran.err) == (0, "")
    assert "peer/collided" in ran.out and "2.5 x" in ran.out and "300" in ran.out


def test_what_is_asked_for(run, measured) -> None:
    run(*KERNELS, "--rounds", "4", "--objects", "300", "--objects", "9", "--engine", "pairs", "--engine", "pairs")
    assert measured.pop("progress") and measured == {"rounds": 4, "objects": [300, 9], "engines": ["pairs"]}


def test_files(run, measured, tmp_path, monkeypatch) -> None:
    from retrosim.bench import race

    assert run(*KERNELS, "--output", "a.json").out == ""
    assert len(json.loads((tmp_path / "a.json").read_text())["cases"]) == 2
    run(*KERNELS, "--output", "a.json").is_refused(1, "a.json", "exists already")
    assert run(*KERNELS, "--html", "a.html").status == 0
    assert "flags, 300 objects" in (tmp_path / "a.html").read_text()
    monkeypatch.setattr(race, "RESULTS", tmp_path)
    assert run(*KERNELS, "--save").status == 0
    assert len(list(tmp_path.glob("kernels-*-cpus-*.json"))) == 1


@pytest.mark.full
def test_from_end_to_end(run) -> None:
    engines = ("--engine", "collided", "--engine", "pairs", "--engine", "numpy")
    result = run(*KERNELS, "--rounds", "1", "--objects", "300", *engines, "--json").json()
    assert [case["engine"] for case in result["cases"]] == ["collided", "pairs", "numpy"]
    assert all(case["per_second"] > 0 for case in result["cases"]) and result["method"]["rounds"] == 1


def test_options_that_do_not_go_together(run) -> None:
    run("bench", "kernels", "--build", "O2").is_refused(2, "unknown option --build")
    run("bench", "kernels", "--machine", "mc68000-8").is_refused(2, "unknown option --machine")
    run("bench", "kernels", "--no-startup").is_refused(2, "unknown option --no-startup")
    run("bench", "kernels", "--engine", "unicorn").is_refused(2, "engine 'unicorn': allowed collided")
    run("bench", "kernels", "--objects", "4194305").is_refused(2, "'4194305': allowed 1..4194304")
    run("bench", "--kernels").is_refused(2, "--kernels: a subject, not an option: `retrosim bench kernels`")
    run("bench", "warp").is_refused(2, "'warp': allowed engines, kernels, programs, program, debugger")
    run("bench", "--objects", "201").is_refused(2, "'201': allowed 1..200")
