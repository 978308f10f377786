"""`retrosim cost` on the PCs: ELF files and flat binaries, both modes, clocks by hand from the manuals' tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrosim.cpu.x86.clocks import table
from retrosim.machine import open_machine
from tests.helpers.amount import usually
from tests.helpers.study.cost_programs import ADDRESS, write_elf

I386 = 3  # EM_386
# long sum(long n): xor eax,eax; mov ecx,[esp+4]; again: add eax,ecx; loop again; ret
SUM = "31c0 8b4c2404 01c8 e2fc c3"
# real mode: mov cx,5; again: add ax,cx; loop again; ret
SUM_16 = bytes.fromhex("b90500 01c8 e2fc c3")
# int far pascal difference(int a, int b): mov bp,sp; mov ax,[bp+6]; sub ax,[bp+4]; retf 4
DIFFERENCE = "89e5 8b4606 2b4604 ca0400"


@pytest.fixture
def program(tmp_path) -> Path:
    return write_elf(tmp_path / "sum.elf", SUM, machine=I386, order="<", sum_up=ADDRESS)


@pytest.fixture
def binary(tmp_path) -> Path:
    path = tmp_path / "sum.bin"
    path.write_bytes(SUM_16)
    return path


FLAT = ("--at", "0x7c00", "--entry", "0x7c00", "--bits", 16, "--reg", "eax=0")


@pytest.mark.parametrize(
    ("machine", "clocks", "source"),
    [
        # xor 2, mov 4, five times add 2 and loop 11, four times m = 2 of the add, ret 10
        ("i386dx-33", {"XOR": 2, "MOV": 4, "ADD": 5 * 2 + 4 * 2, "LOOP": 5 * 11, "RET": 10}, "80386 PRM"),
        ("i486dx2-66", {"XOR": 1, "MOV": 1, "ADD": 5, "LOOP": 4 * 7 + 6, "RET": 5}, "i486 PRM"),
    ],
)
def test_an_elf_file_by_hand(run, program, machine: str, clocks: dict[str, int], source: str) -> None:
    command = ("cost", program, "--entry", "sum_up", "--arg", 5, "--machine", machine, "--timing", "table", "--json")
    report = run(*command).json()
    listing = report["listing"]
    assert {row["text"].split()[0]: row["cycles"] for row in listing} == clocks
    assert (report["totals"]["cycles"], report["totals"]["result"]) == (sum(clocks.values()), 15)
    assert all(row["source"].startswith(source) for row in listing)
    for row in listing:
        name = row["entry"].split(" / ")[0].removesuffix(" mem")
        assert row["source"] == table()[name][f"{machine[:4]} source"]
    assert [row["entry"] for row in listing[1:4]] == ["MOV r,r/m mem", "ALU r/m,r", "LOOP taken / LOOP not taken"]
    assert [row["visits"] for row in listing] == [1, 1, 5, 5, 1]
    assert report["functions"][0]["function"] == "sum_up" and report["caches"] is None


@pytest.mark.parametrize(("machine", "cycles"), [("i386dx-33", 2 + 18 + 55 + 10), ("i486dx2-66", 1 + 5 + 34 + 5)])
def test_a_flat_binary_of_real_mode(run, binary, machine: str, cycles: int) -> None:
    report = run("cost", binary, *FLAT, "--machine", machine, "--timing", "table", "--json").json()
    assert (report["totals"]["cycles"], report["totals"]["result"]) == (cycles, 15)
    assert report["model"] == machine[:4] + "_real"
    assert [row["text"] for row in report["listing"]][1:3] == ["ADD ax,cx", "LOOP 0x7c03"]


@pytest.mark.full
def test_full_timing_is_what_the_machine_measures(run, program) -> None:
    for machine in usually(("i486dx2-66",), ("i386dx-33", "i486dx2-66")):
        command = ("cost", "sectors", "--entry", "DetermineCollisions", "--machine", machine, "--objects", 5)
        report = run(*command, "--json").json()
        ours = open_machine(machine, parameters={"objects": 5})
        ours.run(frames=1)
        assert report["totals"]["cycles"] == ours.measure("DetermineCollisions").cycles
        assert sum(row["cycles"] for row in report["listing"]) == report["totals"]["cycles"]
        assert {line["file"] for line in report["lines"]} >= {"sectors.c", "memory.c"}
    command = ("cost", program, "--entry", "sum_up", "--arg", 9, "--machine", "i486dx2-66", "--json")
    report = run(*command, "--warm", 0).json()
    # the line of its code; that of the argument was written only
    assert report["caches"] == {"unified": {"accesses": None, "hits": None, "misses": 2}} and report["warm"] == 0
    assert run(*command).json()["caches"]["unified"]["misses"] == 0


def test_a_far_pascal_routine(run, tmp_path) -> None:
    path = write_elf(tmp_path / "unit.elf", DIFFERENCE, machine=I386, order="<", difference=ADDRESS)
    command = ("cost", path, "--entry", "difference", "--arg", 50, "--arg", 8, "--machine", "i386dx-33")
    report = run(*command, "--bits", 16, "--convention", "pascal", "--json").json()
    assert (report["totals"]["result"], report["totals"]["instructions"]) == (42, 4)
    run(*command, "--convention", "pascal").is_refused(2, "convention 'pascal': allowed c")
    run(*command, "--bits", 16, "--arg", 70000).is_refused(2, "argument 70000: allowed -32768..65535")


TOUCH = ("--entry", "TouchDword", "--convention", "pascal")
EMPTY = ("--arg", 0, "--arg", 0x8000, "--arg", 0, "--arg", 0x9000, "--arg", 16, "--arg", 5)


@pytest.mark.first_case
@pytest.mark.parametrize(("machine", "clocks"), [("i386dx-33", (4, 3, 6)), ("i486dx2-66", (1, 3, 2))])
def test_the_three_instructions_of_the_masks(run, machine: str, clocks: tuple[int, ...]) -> None:
    """A row of a mask (Mackey 1995) is a MOV, a SHL and an AND; what they cost stands in the listing."""
    command = ("cost", "masks", "--machine", machine, *TOUCH, *EMPTY)
    report = run(*command, "--json").json()
    rows = [row for row in report["listing"] if row["visits"] == 16][:3]
    assert [row["text"] for row in rows] == ["MOV eax,[si]", "SHL eax,cl", "AND eax,[es:bx+si]"]
    assert tuple(row["base"] for row in rows) == clocks
    assert report["totals"]["result"] & 0xFF == 0 and {line["file"] for line in report["lines"]} == {"masks.pas"}
    ran = run(*command)
    assert ran.status == 0 and all(row["text"] in ran.out for row in rows) and "masks.pas:161" in ran.out


def test_text_fits_80_columns(run, program, binary) -> None:
    for machine in ("i386dx-33", "i486dx2-66"):
        for command in (("cost", program, "--entry", "sum_up", "--arg", 3), ("cost", binary, *FLAT)):
            ran = run(*command, "--machine", machine)
            assert (ran.status, ran.err) == (0, "")
            assert max(len(line) for line in ran.out.splitlines()) <= 80
            assert "LOOP" in ran.out and ("80386 PRM" if machine == "i386dx-33" else "unified cache:") in ran.out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--at", "0x100", "--entry", "0x100"), "origin 0x100: allowed 0x400..0x7ffff8"),
        (("--at", "0x7c00", "--entry", "sum_up"), "symbol 'sum_up': not in the image; it has none"),
        (("--at", "0x7c00", "--entry", "0x9000"), "address 0x9000: allowed an address in the image"),
        (("--at", "0x200000", "--entry", "0x200000", "--bits", "16"), "allowed 0..0xfffff in real mode"),
        (("--at", "0x7c00", "--entry", "0x7c00", "--bits", "24"), "24"),
        (("--at", "0x7c00", "--entry", "0x7c00", "--bits", "16", "--machine", "mc68000-8"), "allowed none"),
    ],
)
def test_bad_arguments_of_flat_binaries(run, binary, options, words) -> None:
    machine = () if "--machine" in options else ("--machine", "i386dx-33")
    run("cost", binary, *options, *machine).is_refused(2, words)


def test_files_that_do_not_fit(run, program, tmp_path) -> None:
    ran = run("cost", program, "--entry", "sum_up", "--machine", "mc68040-25")
    ran.is_refused(4, "is code for i386; the mc68040-25 runs m68040; choose --machine i386dx-33 or i486dx2-66")
    (tmp_path / "empty.bin").write_bytes(b"")
    run("cost", tmp_path / "empty.bin", *FLAT, "--machine", "i386dx-33").is_refused(4, "is empty")
    ran = run("cost", "sectors", "--entry", "Main", "--bits", 16, "--machine", "i386dx-33")
    ran.is_refused(2, "--bits 16: needs a file")
