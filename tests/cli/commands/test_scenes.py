"""`retrosim scenes`, and `--scene` of `run` and `record`."""

from __future__ import annotations

from pathlib import Path

import pytest


def test_list(run) -> None:
    listed = run("scenes", "--json").json()["scenes"]
    assert {"cross", "nested", "thin-bars", "tunnelling-missile"} <= {each["name"] for each in listed}
    assert all(each["title"] and each["objects"] for each in listed)
    ran = run("scenes")
    assert ran.status == 0 and "cross" in ran.out and "Figure 12: two bars cross" in ran.out


def test_show(run) -> None:
    ran = run("scenes", "cross")
    assert ran.status == 0 and ["1", "101", "99", "14.5", "2", "90", "0", "0", "32767"] in [
        line.split() for line in ran.out.splitlines()
    ]
    fields = run("scenes", "mirrored-masks", "--json").json()["scenes"][0]["fields"]
    assert fields["shape"][:3] == ["ship", "ring", "rock"] and fields["x"][:2] == ["300", "60"]


def test_fields_of_a_rom(run) -> None:
    ran = run("scenes", "--rom", "xquest")
    assert "object  shape  ship, emerald, ruby" in ran.out and "set     gems" in ran.out
    fields = run("scenes", "--rom", "tunnel", "--json").json()["fields"]
    assert fields[-1] == {
        "line": "set", "name": "speed", "unit": "pixels per frame", "default": "25",
        "allowed": "1..40 pixels per frame",
    }  # fmt: skip
    assert "masks takes no scenes" in run("scenes", "--rom", "masks").out


@pytest.mark.full
def test_run_and_record(run, tmp_path: Path) -> None:
    found = run("run", "--scene", "cross", "--machine", "native", "--frames", "2", "--json").json()
    assert (found["rom"], found["scene"], found["parameters"]["objects"]) == ("tanks", "cross", 8)
    assert "scene cross" in run("run", "--scene", "cross", "--machine", "native", "--frames", "2").out
    words = ("record", "own.rtape", "--scene", "cross", "--machine", "native", "--frames", "4", "--json")
    assert run(*words).json()["parameters"]["objects"] == 8
    assert run("verify", "own.rtape", "--on", "native").status == 0
    found = run("run", "tanks", "--machine", "native", "--frames", "1", "--json").json()
    assert found["scene"] is None


def test_refusals(run, tmp_path: Path) -> None:
    bad = tmp_path / "bad.scene"
    bad.write_text("scene 1\nrom tanks\nobject x=9\n")
    for words in (("run", "--scene", "bad.scene"), ("record", "a.rtape", "--scene", "bad.scene"), ("scenes", bad)):
        run(*words).is_refused(4, "bad.scene: line 3: x 9: allowed 32..607.96875 pixels")
    run("run", "--scene", "croso").is_refused(4, "no scene of `retrosim scenes`; did you mean cross?")
    run("run", "shooter", "--scene", "cross").is_refused(4, "line 2: rom tanks: the scene is not for shooter")
    run("run", "--scene", "cross", "--objects", "3", "--frames", "1").is_refused(2, "objects 3: allowed 8")
    ran = run("scenes", "cross", bad)
    assert ran.status == 4 and "Figure 12" in ran.out and "bad.scene: line 3" in ran.err


def test_debug(run) -> None:
    words = ("debug", "--scene", "cross", "--machine", "mc68000-8", "--engine", "evaluate", "-e", "quit", "--json")
    assert run(*words).status == 0
    run("debug", "storm-200", "--scene", "cross", "-e", "quit").is_refused(2, "--scene: storm-200 is a tape")
