"""`retrosim new` and `retrosim build`: from nothing to a program that runs, without a compiler."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def no_compilers(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.chdir(tmp_path)


def test_a_project_is_made_built_and_measured(run, tmp_path) -> None:
    assert "plays it" in run("new", "hello", "--cpu", "386").out
    run("new", "hello", "--cpu", "386").is_refused(1, "hello: has main.s, ", "--force replaces them")
    assert "hello.elf: i386dx-33, " in run("build", "hello").out
    for program in ("hello", "hello.elf"):
        words = ("--reg", "eax=0", "--reg", "ebx=0", "--reg", "ecx=31", "--reg", "edx=0")
        command = ("cost", program, "--entry", "overlap", *words)
        report = run(*command, "--engine", "evaluate", "--no-interval", "--json").json()
        assert (report["machine"], report["totals"]["result"]) == ("i386dx-33", 1)
        assert report["lines"][0]["file"].endswith("main.s")
    report = run("build", "hello/main.s", "-o", "hello.elf", "--machine", "i486dx2-66", "--json").json()
    assert report == {
        "path": "hello.elf",
        "machine": "i486dx2-66",
        "isa": "i486",
        "entry": 0x2000,
        "bytes": report["bytes"],
    }


def test_what_is_refused(run, tmp_path) -> None:
    run("build").is_refused(2, "has no retrosim.toml; `retrosim new` makes one")
    run("new", "x", "--cpu", "z80").is_refused(2, "cpu 'z80': allowed m68000")
    run("new", "x", "--cpu", "i386", "--language", "basic").is_refused(2, "allowed asm, c, pascal")
    run("new", "x", "--cpu", "i386", "--language", "c")
    run("build", "x").is_refused(4, "needs a compiler for i386", "apt-get install gcc-i686-linux-gnu")
    run("new", "y", "--cpu", "m68000", "--language", "pascal")
    run("build", "y").is_refused(4, "needs Free Pascal for m68000 (ppcross68k or ppc68k)")
    (tmp_path / "x.elf").write_text("mine")
    (tmp_path / "x.s").write_text(" nop\n")
    run("build", "x.s").is_refused(1, "x.elf: exists, is not an ELF file")


def test_the_only_routine_needs_no_name(run, tmp_path) -> None:
    (tmp_path / "one.s").write_text(" .globl one\none: moveq #1,d0\n rts\n")
    (tmp_path / "two.s").write_text(" .globl one,two\none: moveq #1,d0\n rts\ntwo: rts\n")
    command = ("--machine", "mc68000-8", "--engine", "evaluate", "--no-interval", "--json")
    assert run("cost", "one.s", *command).json()["totals"]["cycles"] == 4 + 16  # M68000UM tables 8-5, 8-10
    run("cost", "two.s", *command).is_refused(2, "--entry: which routine? There are one, two")
