"""`retrosim race`: figures, picture, clip, refusals."""

from __future__ import annotations


def test_two_builds(run, tmp_path) -> None:
    on = "mc68040-25:O2,mc68040-25:fast"
    result = run("race", "wind-50", "--on", on, "--frames", 4, "--screenshot", "a.png", "--json").json()
    slow, fast = result["racers"]
    assert (slow["name"], fast["name"]) == ("mc68040-25:O2", "mc68040-25:fast")
    assert slow["world"] == fast["world"] and slow["frames"] == fast["frames"] == 4
    assert slow["clocks_a_frame"] > fast["clocks_a_frame"] > 0
    assert (tmp_path / "a.png").read_bytes()[1:4] == b"PNG"


def test_first_line_tells_who_is_first(run) -> None:
    ran = run("race", "wind-50", "--on", "mc68040-25,native", "--frames", 3, "--in-step")
    assert ran.status == 0
    title, first, second = ran.out.splitlines()
    assert title.endswith("wind-50.rtape, 3 frames")
    assert first.split()[0] in ("native", "mc68040-25") and "times as long per frame" in second


def test_budget(run) -> None:
    ran = run("race", "wind-50", "--on", "mc68040-25,native", "--max-cycles", 1_000_000)
    assert ran.status == 5 and "budget used up: 1,000,000 cycles" in ran.err


def test_refusals(run) -> None:
    run("race", "wind-50", "--on", "native").is_refused(2, "--on: 1 machine: allowed 2..4")
    run("race", "wind-50", "--on", "native,z80").is_refused(2, "machine 'z80': allowed")
    run("race", "wind-50", "--on", "native:O2,mc68040-25").is_refused(2, "native has no builds")
    run("race", "wind-50", "--on", "native,mc68040-25:O9").is_refused(4, "O9")
    run("race", "wind-50").is_refused(2, "--on")
