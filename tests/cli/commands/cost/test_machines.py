"""`retrosim cost --machine all`."""

from __future__ import annotations

import pytest

from retrosim.machine import PRESETS

QUICK = ("--engine", "evaluate", "--no-interval")
TWICE = "twice:  move.l d0,-(sp)\n        move.l (a0),d0\n        add.l d0,d0\n        addq.l #4,sp\n        rts\n"


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "twice.s"
    path.write_text(TWICE)
    return path


def test_a_source_on_the_machines_that_can_run_it(run, source) -> None:
    command = ("cost", source, "--reg", "a0=0x3000", *QUICK)
    report = run(*command, "--machine", "all", "--json").json()
    assert [row["machine"] for row in report["machines"]] == ["mc68040-25", "mc68000-8", "mc68000-mac"]
    assert {row["machine"] for row in report["refused"]} == PRESETS.keys() - {
        row["machine"] for row in report["machines"]
    }
    assert (report["entry"], report["registers"], report["warm"]) == ("twice", {"a0": "12288"}, 1)
    for row in report["machines"][:1]:
        alone = run(*command, "--machine", row["machine"], "--json").json()
        assert row["cycles"] == alone["totals"]["cycles"] and row["microseconds"] == alone["totals"]["microseconds"]
    refused = {row["machine"]: row["reason"] for row in report["refused"]}
    assert refused["i386dx-33"] == "is assembly for m68000, not for i386"


def test_the_table(run, source) -> None:
    ran = run("cost", source, "--machine", "all", *QUICK)
    assert (
        ran.err == "retrosim: read before anything has set them, and taken as 0: a0; to give them values: --reg a0=N\n"
    )
    assert max(map(len, ran.out.splitlines())) <= 80
    assert ran.out.splitlines()[0] == "twice() on every machine that can run it"
    assert "Cannot run it\nppc601-80   is assembly for m68000, not for ppc601\n" in ran.out


def test_a_rom_on_the_machines_that_it_has_builds_for(run) -> None:
    words = tuple(word for number in (3, 4, 0, 0) for word in ("--arg", number))
    report = run("cost", "objects", "--entry", "Distance2D", *words, "--machine", "all", *QUICK, "--json").json()
    assert {row["machine"] for row in report["machines"]} == PRESETS.keys() - {"i80286-12"}
    assert "has no 16-bit code for the i286" in report["refused"][0]["reason"]


def test_what_is_refused(run, source) -> None:
    """What all machines refuse, in the words of the first; options that are about one."""
    run("cost", source, "--entry", "thrice", "--machine", "all").is_refused(2, "symbol 'thrice': not in the image")
    run("cost", "nothing.s", "--machine", "all").is_refused(4, "nothing.s")
    for options in (("--html", "x.html"), ("--csv",), ("--against", "entry=twice"), ("--bounds",)):
        run("cost", source, "--machine", "all", *options).is_refused(2, f"{options[0]}: not allowed with --machine all")
