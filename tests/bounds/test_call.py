"""Proven bounds of routines: exact where the 68000 is, never exceeded by random calls, refusals by name.

--times 37 spreads a million random calls over the routines of all presets.
"""

import io
import re
from dataclasses import replace
from functools import cache

import pytest
from rich.console import Console

from retrosim.bounds import search as bounds_search
from retrosim.bounds.call import ASSUMPTIONS, BoundsReport, Unbounded, answer, bound, measure_bounded, render_bounds
from retrosim.bounds.search import Found
from retrosim.machine import Machine
from retrosim.rom import load_elf, load_rom
from retrosim.study.comparison import build_of
from tests.helpers.amount import FULL, SOAK, amount
from tests.helpers.machine.flat import FLAT_MACHINES
from tests.helpers.study.cost_programs import ADDRESS, SUM, write_elf

TRIES = amount(0, 27_000) if SOAK else 0
ROUTINES = [
    ("shapes", "BoxesApart"),
    ("shapes", "BoxesApartTwo"),
    ("shapes", "CirclesApart"),
    ("shapes", "SpheresMeet"),
    ("shapes", "ShapesTouch"),
    ("objects", "Distance2D"),
    ("shapes", "FindCorners"),
    ("shapes", "PointOne"),
    ("shapes", "LineOne"),
]
CALLS = 80 if FULL else 40  # of the one routine that is tried by default


def opened(tmp_path, words: list[int], name: str = "mc68000-8") -> Machine:
    path = write_elf(tmp_path / "routine.elf", " ".join(f"{word:04X}" for word in words), routine=ADDRESS)
    return Machine(name, load_elf(path, "m68000"), engine="evaluate")


def summing(tmp_path) -> Machine:
    elf = write_elf(tmp_path / "sum.elf", SUM, sum=ADDRESS)
    return Machine("mc68000-8", load_elf(elf, "m68000"), engine="evaluate")


@cache
def report_of(name, rom_name, routine, tries):
    rom = load_rom(rom_name)
    machine = Machine(name, rom, build=build_of(rom, name), engine="auto" if TRIES else "evaluate")
    return bound(machine, routine, tries=tries)


@pytest.mark.first_case
@pytest.mark.parametrize("name", FLAT_MACHINES)
def test_no_call_lies_outside(name):
    tries = TRIES // (len(ROUTINES) * len(FLAT_MACHINES)) or CALLS
    for rom_name, routine in ROUTINES if TRIES else ROUTINES[:1]:
        report = report_of(name, rom_name, routine, tries)
        found = report.found
        assert found.returned > tries // 10, routine
        assert not report.exceeded, (routine, report.minimum, report.maximum, found)
        assert report.minimum <= found.minimum <= found.maximum <= report.maximum


def test_the_68000_is_exact():
    report = bound(Machine("mc68000-8", "shapes", engine="evaluate"), "BoxesApart", tries=200)
    assert (report.minimum, report.maximum) == (report.found.minimum, report.found.maximum) == (184, 344)


def test_a_measurement_has_its_bound():
    machine = Machine("mc68000-8", "shapes", engine="evaluate")
    measured = measure_bounded(machine, "BoxesApart", 0x200000, 0x200010, interval=True)
    assert measured.low <= measured.cycles <= measured.high and measured.cycles <= measured.bound == 344
    assert machine.measure("BoxesApart", 0x200000, 0x200010).bound is None


def test_a_loop_whose_count_is_known(tmp_path):
    # 16 + 4 + 5 * (8 + 8 + 10) - 2 + 4 + 16: tests/cost/test_cost.py has the lines
    machine = summing(tmp_path)
    report = bound(machine, "sum", 5)
    assert (report.minimum, report.maximum) == (168, 168)
    assert [(loop.times, loop.given) for loop in report.loops] == [(5, False)]
    assert {block.visits for block in report.path} == {1, 5}


def test_a_loop_whose_bound_is_given(tmp_path):
    machine = summing(tmp_path)
    with pytest.raises(Unbounded, match=r"loop at 0x2006 .* has no bound .* --loop 0x2006=N"):
        bound(machine, "sum")
    for where in (0x2006, "sum"):
        report = bound(machine, "sum", loops={where: 100})
        assert (report.minimum, report.maximum) == (64, 64 + 99 * 26)
    assert bound(machine, "sum", loops={"sum": 10}).maximum == bound(machine, "sum", 10).maximum
    with pytest.raises(ValueError, match="the routine has none there"):
        bound(machine, "sum", loops={0x2006: 5, "nothing": 5})


@pytest.mark.skipif(not FULL, reason="without --full: takes 20 s")
def test_a_loop_uses_other_lines_each_time(tmp_path):
    # lwz r3,0(r3); cmpwi r3,0; bne; blr: a list, each of whose objects may be missed
    code = "80630000 2C030000 4082FFF8 4E800020"
    path = write_elf(tmp_path / "walk.elf", code, machine=20, walk=ADDRESS)
    machine = Machine("ppc601-80", load_elf(path, "ppc601"), engine="evaluate")
    few, many = (bound(machine, "walk", loops={"walk": times}, tries=0).maximum for times in (20, 120))
    for number in range(120):
        machine.write(0x200000 + number * 64, (0x200040 + number * 64 if number < 119 else 0).to_bytes(4, "big"))
    assert many >= machine.measure("walk", 0x200000, warm=0).cycles
    assert many - few == 100 * 180  # a sector read, two written


def opened_601(tmp_path, code: str) -> Machine:
    path = write_elf(tmp_path / "routine.elf", code, machine=20, routine=ADDRESS)
    return Machine("ppc601-80", load_elf(path, "ppc601"), engine="evaluate")


@pytest.mark.full
def test_lines_of_ways_that_exclude_each_other(tmp_path):
    # cmpwi r5,0; beq +12; lwz r3,0(r3); blr; lwz r3,0(r4); blr
    machine = opened_601(tmp_path, "2C050000 4182000C 80630000 4E800020 80640000 4E800020")
    one, other, either_one = (bound(machine, "routine", None, None, r5).maximum for r5 in (0, 1, None))
    assert either_one == max(one, other)


@pytest.mark.full
def test_lines_in_a_loop_are_missed_once(tmp_path):
    # li r9,N; mtctr r9; lwz r5,0(r3); add r6,r6,r5; bdnz -8; blr
    few, many = (
        opened_601(tmp_path, f"392000{times:02X} 7D2903A6 80A30000 7CC62A14 4200FFF8 4E800020") for times in (2, 4)
    )
    assert bound(many, "routine").maximum - bound(few, "routine").maximum < 2 * 34  # of two sectors read


def test_a_bound_that_is_too_small(tmp_path, monkeypatch):
    monkeypatch.setattr(bounds_search, "MAX_INSTRUCTIONS", 400)
    machine = summing(tmp_path)
    report = bound(machine, "sum", loops={"sum": 3}, tries=40)
    assert report.exceeded and report.found.maximum > report.maximum
    with pytest.raises(Unbounded, match="its bound is too small"):
        bound(machine, "sum", 5, loops={"sum": 3})


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([0x61FE, 0x4E75], "calls itself"),  # BSR to itself
        ([0x4ED0], "computed jump"),  # JMP (a0)
        ([0x4E90, 0x4E75], "computed call"),  # JSR (a0)
        ([0x60FE], "has no bound"),  # BRA to itself
        ([0xA000, 0x4E75], "service"),
        ([0x4E40, 0x4E75], "TRAP #0.* at 0x2000 .* always raises an exception"),
        ([0x49C0, 0x4E75], "does not return .* is not an instruction of this processor; --machine"),  # EXTB.L
    ],
)
def test_refusals(tmp_path, words, message):
    with pytest.raises(Unbounded, match=message):
        bound(opened(tmp_path, words), "routine")


def test_an_irreducible_loop(tmp_path):
    # BEQ into the middle of a loop
    with pytest.raises(Unbounded, match="more than one place"):
        bound(opened(tmp_path, [0x6702, 0x5280, 0x5281, 0x66FA, 0x4E75]), "routine")


# Bounds over the most found of some hundred calls, as the guide has them, and what they may be at most
TIGHT = {"mc68040-25": 2.2, "i386dx-33": 1.2, "i486dx2-66": 1.8, "ppc601-80": 2.6}


@pytest.mark.full
@pytest.mark.parametrize("name", TIGHT)
def test_bounds_are_tight(name):
    report = report_of(name, *ROUTINES[0], CALLS)
    assert not report.exceeded
    assert report.maximum <= TIGHT[name] * report.found.maximum


def test_a_loop_whose_count_depends_on_the_loop_before():
    """IntegerSquareRoot skips bits, then finds the others: the more it skips, the fewer it finds."""
    machine = Machine("mc68000-8", "objects", engine="evaluate")
    report = bound(machine, "IntegerSquareRoot", loops={"distance.c:25": 17})
    ends = [machine.measure("IntegerSquareRoot", value).cycles for value in (0, 0xFFFFFFFF)]
    assert [report.minimum, report.maximum] == ends


def test_a_report_as_text(tmp_path):
    machine = summing(tmp_path)
    report = bound(machine, "sum", loops={"sum": 1000})
    assert answer(report) == "mc68000-8: 64 .. 26,038 clocks proven"  # 64 + 999 * 26
    text = shown(report)
    assert "loop at 0x2006 (sum): at most 1,000 times (given)" in text and "caches:" not in text
    assert "EXCEEDED" not in text and "The longest path, by blocks" in text and f"  {ASSUMPTIONS[0]}" in text
    assert re.search(r"002006 +ADD\.l d0,d1 +sum +1,000", text)
    assert "at most 5 times (found)" in shown(bound(machine, "sum", 5))

    found = Found(7, 1200, 1100, "", 64, 1050, (0x10, 0xFF), "", "dirty", 3)
    text = shown(replace(report, found=found, exceeded=True))
    assert text.startswith(f"{answer(report)}; most found 1,050 (seed 7, in 1,200 tries)\nEXCEEDED: ")
    assert "with the arguments 0x10, 0xff; caches: full of other lines, to be written out" in text
    none = replace(report, found=replace(found, minimum=None, maximum=None, failure="it stops"))
    assert shown(none).startswith(f"{answer(report)}; none of 1,200 tries returned: it stops\nloop at")


def shown(report: BoundsReport) -> str:
    console = Console(width=120, file=io.StringIO())
    console.print(render_bounds(report))
    return console.file.getvalue()
