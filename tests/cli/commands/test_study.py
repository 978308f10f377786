"""`retrosim study` as users call it."""

import json

import pytest

QUICK = ("study", "--method", "spheres", "--machine", "mc68000-8", "--scenes", "1")


def test_study_as_table_json_csv_and_picture(run, tmp_path) -> None:
    picture = tmp_path / "study.png"
    ran = run(*QUICK, "--picture", str(picture))
    assert ran.status == 0 and "spheres, open" in ran.out and "\nClocks per frame\n" in ran.out
    assert picture.read_bytes().startswith(b"\x89PNG")
    run(*QUICK, "--picture", str(picture)).is_refused(1, "exists already")
    result = json.loads(run(*QUICK, "--json", "--seed", "7").out)
    assert result["method"]["seed"] == 7 and list(result["rows"][0]["cycles"]) == ["mc68000-8"]
    head, row = run(*QUICK, "--csv").out.splitlines()
    assert head.startswith("method,document") and row.startswith("spheres,Rekaby 2011")


@pytest.mark.full
def test_balance_of_blocks_and_points(run) -> None:
    given = ("study", "--balance", "--machine", "mc68000-8", "--engine", "interpret")
    ran = run(*given)
    assert ran.status == 0 and "Five points for eight: 37.5% fewer" in ran.out
    result = run(*given, "--json").json()
    clocks = {row["side"]: row["cycles"]["mc68000-8"] for row in result["blocks"] if row["side"]}
    assert list(clocks) == [16, 32, 64, 128, 256]
    best = min(clocks, key=clocks.get)
    assert result["optimum"] == {"mc68000-8": f"blocks {best}"} and best in (32, 64, 128), "neither end"
    handlers, checks = zip(*((row["handlers"], row["checks"]) for row in result["blocks"] if row["side"]))
    assert list(handlers) == sorted(handlers, reverse=True) and checks[-1] == max(checks)
    points = result["points"]
    assert abs(points["saved_apart"] - 0.375) < 0.001 and 0 < points["eight"]["missed"] < points["five"]["missed"]
    run(*given, "--csv").is_refused(2, "--csv: not allowed with --balance")


def test_bad_arguments_of_study(run) -> None:
    run("study", "--method", "boxed").is_refused(2, "method 'boxed': allowed four-shifts")
    run("study", "--scenes", "0").is_refused(2, "'0': allowed 1..1000")
    run("study", "--machine", "native").is_refused(2, "machine 'native'")
    run("study", "--json", "--csv").is_refused(2, "--csv: not allowed with --json")
    run("study", "--picture", "no/such/folder.png").is_refused(1, "there is no folder")
