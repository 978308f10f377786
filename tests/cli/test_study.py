"""`retrosim study` as users call it."""

import json

QUICK = ("study", "--method", "spheres", "--machine", "mc68000-8", "--scenes", "1")


def test_study_as_table_json_csv_and_picture(run, tmp_path) -> None:
    picture = tmp_path / "study.png"
    ran = run(*QUICK, "--picture", str(picture))
    assert ran.status == 0 and "spheres, open" in ran.out and "Clocks per frame" in ran.out
    assert picture.read_bytes().startswith(b"\x89PNG")
    run(*QUICK, "--picture", str(picture)).is_refused(1, "exists already")
    result = json.loads(run(*QUICK, "--json", "--seed", "7").out)
    assert result["method"]["seed"] == 7 and list(result["rows"][0]["cycles"]) == ["mc68000-8"]
    head, row = run(*QUICK, "--csv").out.splitlines()
    assert head.startswith("method,document") and row.startswith("spheres,Rekaby 2011")


def test_bad_arguments_of_study(run) -> None:
    run("study", "--method", "boxed").is_refused(2, "method 'boxed': allowed four-shifts")
    run("study", "--scenes", "0").is_refused(2, "'0': allowed 1..1000")
    run("study", "--machine", "native").is_refused(2, "machine 'native'")
    run("study", "--json", "--csv").is_refused(2, "argument --csv: not allowed with argument --json")
    run("study", "--picture", "no/such/folder.png").is_refused(1, "there is no folder")
