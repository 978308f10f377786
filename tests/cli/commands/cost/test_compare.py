"""`retrosim cost --against`."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.helpers.study.cost_programs import ADDRESS, SUM, write_elf


@pytest.fixture
def program(tmp_path) -> str:
    return str(write_elf(tmp_path / "sum.elf", SUM, sum_up=ADDRESS))


def test_against_another_program_and_machine(run, program, tmp_path) -> None:
    shorter = write_elf(tmp_path / "shorter.elf", SUM.replace("2001", "4E75", 1), sum_up=ADDRESS)
    command = ("cost", program, "--entry", "sum_up", "--machine", "mc68000-8", "--arg", 5, "--no-interval")
    found = run(*command, "--against", shorter, "--json", "--html", "against.html").json()
    assert found["totals"]["cycles"] == [168, 164] and found["changed"] == {"file": [program, str(shorter)]}
    assert found["functions"][0]["cycles"] == [168, 164] and found["results"][0] == 15
    assert "the second is 1.02 times as fast" in (tmp_path / "against.html").read_text()
    text = run(*command, "--against", "machine=mc68040-25").out
    assert "machine: mc68000-8 -> mc68040-25" in text and "times as fast" in text and " us, first" in text
    run(*command, "--against", "machine=z80").is_refused(2, "machine 'z80'")
    run(*command, "--against", "build=").is_refused(2, "allowed a file, or file, machine")
    run(*command, "--against", "entry=sum_down").is_refused(2, "symbol 'sum_down': not in the image")
    run(*command, "--against", "nowhere.elf").is_refused(4, "nowhere.elf")


def test_against_other_flags_of_the_compiler(run, tmp_path) -> None:
    (tmp_path / "s.c").write_text("int total(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * n; return s; }\n")
    run("cost", "s.elf", "--cflags=-O1").is_refused(2, "--cflags -O1: is for C sources, and there is none")
    run("cost", "s.c", "--cflags='").is_refused(2, "a quote is not closed")
    if shutil.which("m68k-linux-gnu-gcc") is None:
        pytest.skip("m68k-linux-gnu-gcc is not installed")
    command = ("cost", "s.c", "--entry", "total", "--arg", 9, "--machine", "mc68000-8", "--no-interval", "--cflags=-O1")
    found = json.loads(run(*command, "--against", "cflags=-O0", "--json").out)  # the commands are on stderr
    assert found["changed"] == {"cflags": ["-O1", "-O0"]} and found["results"] == [324, 324]
    assert found["totals"]["cycles"][0] < found["totals"]["cycles"][1]
