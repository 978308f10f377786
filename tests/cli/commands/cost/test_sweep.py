"""`retrosim cost --sweep`."""

from __future__ import annotations

import pytest

from tests.helpers.study.cost_programs import ADDRESS, SUM, write_elf


@pytest.fixture
def program(tmp_path) -> str:
    return str(write_elf(tmp_path / "sum.elf", SUM, sum_up=ADDRESS))


def test_sweep_over_an_argument(run, program, tmp_path) -> None:
    """18 clocks a round: ADD.L 8 and SUBQ.L 8 and BNE 10, less 2 where it falls through."""
    command = ("cost", program, "--entry", "sum_up", "--machine", "mc68000-8", "--arg", "n", "--sweep", "n=1..9:2")
    found = run(*command, "--json", "--html", "sweep.html").json()
    assert [point["value"] for point in found["points"]] == [1, 3, 5, 7, 9]
    assert found["law"] == {
        "name": "linear", "exact": True, "coefficients": [38, 26], "residual_maximum": 0, "residual_rms": 0
    }  # fmt: skip
    about = {"value": 5, "cycles": 168, "low": 168, "high": 168, "instructions": 19, "result": 15}
    assert found["points"][2] == about
    assert "linear: 38 + 26 n clocks, exactly" in (tmp_path / "sweep.html").read_text()
    text = run(*command).out
    assert "linear: 38 + 26 n clocks, exactly" in text and max(map(len, text.splitlines())) <= 80
    run(*command[:-4], "--sweep", "n=1..9").is_refused(2, "--sweep n: is no parameter", "add --arg n")
    run(*command[:-1], "n=9..1").is_refused(2, "allowed 2..10000 values")
    run(*command, "--against", "machine=mc68040-25").is_refused(2, "--against: not allowed with --sweep")


@pytest.mark.full
def test_sweep_over_a_register_and_a_parameter(run, program) -> None:
    command = ("cost", program, "--entry", "sum_up", "--machine", "mc68000-8", "--reg", "d0=n", "--arg", 4)
    assert run(*command, "--sweep", "n=1..3", "--json").json()["law"]["name"] == "constant"  # it takes its argument
    rom = ("cost", "sectors", "--entry", "UpdateSectors", "--engine", "interpret")
    quick = ("--jobs", 1, "--no-interval")
    found = run(*rom, "--arg", 0, "--arg", 0, "--sweep", "objects=1..2", "--json", *quick).json()
    assert found["points"][0]["cycles"] < found["points"][1]["cycles"] and found["name"] == "objects"


def test_sweep_of_a_call_with_files_and_bytes(run, program, tmp_path) -> None:
    """What is in memory before the call goes with it into each job."""
    (tmp_path / "data.bin").write_bytes(b"\x01\x02")
    command = ("cost", program, "--entry", "sum_up", "--machine", "mc68000-8", "--arg", "n", "--sweep", "n=1..3")
    found = run(*command, "--mem", "0x3000=00ff", "--load", "data.bin@0x3100", "--json", "--jobs", 1).json()
    again = run(*command, "--json", "--jobs", 2).json()
    assert found.pop("command").endswith("--jobs 1") and again.pop("command").endswith("--jobs 2") and found == again


def test_intervals_of_a_sweep(run, program, tmp_path) -> None:
    command = ("cost", program, "--entry", "sum_up", "--machine", "mc68000-8", "--arg", "n", "--sweep", "n=1..2")
    text = run(*command, "--html", "ranges.html").out
    assert "64..64" in text and "between" in text and "<th" in (page := (tmp_path / "ranges.html").read_text())
    assert 'class="range"' in page and "between which the clocks plausibly are" in page
    assert "between" not in run(*command, "--no-interval").out
