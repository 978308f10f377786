"""`retrosim asm` and `retrosim insn`: files, listings, errors with their lines, what the rows say."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from retrosim.cli.commands.asm import _definition
from retrosim.rom import load_elf

SOURCE = """
        .globl  twice
twice:  move.l  4(sp),d0
        add.l   d0,d0
        rts
"""


def test_a_source_becomes_a_file_that_cost_takes(run, tmp_path: Path) -> None:
    Path("twice.s").write_text(SOURCE)
    ran = run("asm", "twice.s", "--cpu", "m68000")
    assert (ran.status, ran.out, ran.err) == (0, "twice.elf: m68000, 8 bytes, entry 0x2000\n", "")
    assert load_elf("twice.elf").source_line(0x2004) == ("twice.s", 4)
    asked = ("--machine", "mc68000-8", "--arg", "21", "--engine", "evaluate", "--json")
    report = run("cost", "twice.elf", "--entry", "twice", *asked).json()
    assert report["totals"]["result"] == 42
    assert [row["text"] for row in report["listing"]] == ["MOVE.l (4,sp),d0", "ADD.l d0,d0", "RTS"]


def test_listing_and_json(run) -> None:
    Path("twice.s").write_text(SOURCE)
    ran = run("asm", "twice.s", "--cpu", "m68040", "--org", "0x4000", "-o", "other.elf", "--listing")
    assert "004000  202f 0004                3  twice:  move.l  4(sp),d0\n" in ran.out
    made = run("asm", "twice.s", "--cpu", "mc68040-25", "--json").json()
    assert (made["isa"], made["symbols"], made["sections"][0]["bytes"]) == ("m68040", {"twice": 0x2000}, 8)


def test_every_error_is_shown_with_its_line(run) -> None:
    Path("bad.s").write_text(" bfextu d0{1:2},d1\n nop\n bra nowhere\n")
    ran = run("asm", "bad.s", "--cpu", "m68000")
    assert ran.status == 4 and ran.out == ""
    assert ran.err.splitlines() == [
        "retrosim: bad.s:1: BFEXTU: not on the MC68000; the MC68040 has it",
        "retrosim: bad.s:3: BRA: undefined symbol nowhere",
    ]
    assert not Path("bad.elf").exists()
    ran = run("asm", "bad.s", "--cpu", "m68000", "--json")
    assert ran.status == 4 and '"line": 3' in ran.out
    run("asm", "missing.s", "--cpu", "m68000").is_refused(4, "missing.s: ", "no such file")
    run("asm", "bad.s", "--cpu", "z80").is_refused(2, "cpu 'z80': allowed m68000")


def test_only_elf_files_are_replaced(run) -> None:
    Path("twice.s").write_text(SOURCE)
    run("asm", "twice.s", "--cpu", "m68000", "-o", "twice.s").is_refused(1, "is not an ELF file and is not overwritten")
    assert run("asm", "twice.s", "--cpu", "m68000").status == run("asm", "twice.s", "--cpu", "m68000").status == 0


def test_an_instruction_with_its_clocks_and_sources(run) -> None:
    rows = run("insn", "muls", "--machine", "mc68000-8", "--machine", "mc68040-25", "--json").json()["rows"]
    assert [row["syntax"] for row in rows[:2]] == ["MULS.w {ea},{d}"] * 2
    assert rows[0]["overwrites"] == ["c", "n", "v", "z"] and rows[0]["reference"] == "M68000PRM 4-136"
    assert {"M68000UM", "MC68040UM"} == {e["source"].split()[0] for row in rows for e in row["examples"]}
    assert "MULS.w Dn,Dn (M68000UM " in run("insn", "muls", "--machine", "mc68000-8").out
    run("insn", "mulls").is_refused(2, "no instruction 'mulls'", "did you mean ")
    ran = run("insn", "nosuch")
    ran.is_refused(2, "no instruction 'nosuch' on mc68000-8")
    assert "did you mean" not in ran.err
    text = run("insn", "move.l d0,(a0)+").out
    assert "mc68000-8    20c0      2      12  1.50\n" in text and "(M68000UM tables 8-2" in text
    rows = run("insn", "move.l d0,(a0)+", "--machine", "mc68040-25", "--json").json()["machines"]
    assert [(row["machine"], row["minimum"]) for row in rows] == [("mc68040-25", 1)]
    run("insn", "move.l d0").is_refused(2, "'move.l d0': no assembler takes it: ")


@pytest.mark.parametrize(
    "text, expected",
    [("N=4", ("N", 4)), ("_.x$1", ("_.x$1", 1)), ("n=-0x80000000", None), ("n=-2147483648", ("n", -(1 << 31))),
     ("n=0xFFFFFFFF", ("n", 0xFFFFFFFF)), ("N=", ("N", 1))],
)  # fmt: skip
def test_definitions(text: str, expected: tuple[str, int] | None) -> None:
    if expected is None:
        with pytest.raises(argparse.ArgumentTypeError):
            _definition(text)
    else:
        assert _definition(text) == expected


@pytest.mark.parametrize("text", ["=4", "1n=4", "a b", "n=-2147483649", "n=4294967296", "n=x"])
def test_wrong_definitions(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="allowed"):
        _definition(text)
