"""The PowerPC machine in `cost` and `timing`."""

from __future__ import annotations

import pytest

from retrosim.cost.cost import cost_report
from retrosim.cpu.ppc.mpc601_cache import STATUS_BITS
from retrosim.machine import Machine, open_machine
from retrosim.report.json import to_json
from retrosim.rom import load_elf
from retrosim.table_1994.printed import PRINTED
from retrosim.table_1994.timing import timing_table
from tests.helpers.study.cost_programs import ADDRESS, SUM_PPC, write_elf
from tests.helpers.study.page import check_page

NAME = "ppc601-80"
EM_PPC = 20


def test_a_loop_by_hand(tmp_path) -> None:
    """Clocks of the execute stage alone; a taken branch costs 2, one that falls through nothing."""
    image = load_elf(write_elf(tmp_path / "sum.elf", SUM_PPC, machine=EM_PPC, sum_up=ADDRESS))
    report = cost_report(Machine(NAME, image, engine="evaluate", timing="table"), "sum_up", 5)
    found = [(row.text.split()[0], row.visits, row.cycles, row.explanation.base) for row in report.breakdown.listing]
    assert found == [
        *(("mtctr", 1, 1, 1), ("li", 1, 1, 1), ("add", 5, 5, 1), ("addi", 5, 5, 1), ("bdnz", 5, 8, 1.6)),
        *(("mr", 1, 1, 1), ("blr", 1, 2, 2)),
    ]
    assert (report.totals.result, report.totals.cycles, report.caches) == (15, 23, None)
    assert all(row.explanation.source and row.explanation.reference for row in report.breakdown.listing)


def test_the_pipeline_folds_branches(tmp_path) -> None:
    """The loop's two additions take a clock each; its branch none, once the code is in the cache."""
    image = load_elf(write_elf(tmp_path / "sum.elf", SUM_PPC, machine=EM_PPC, sum_up=ADDRESS))
    cycles = [Machine(NAME, image, engine="evaluate").measure("sum_up", count).cycles for count in (100, 200)]
    assert cycles[1] - cycles[0] == 100 * 2


def test_the_shipped_routine() -> None:
    machine = open_machine(NAME, engine="interpret", parameters={"objects": 20})
    machine.run(frames=1)
    measured, before = machine.measure("DetermineCollisions"), machine.hash("machine")
    report = cost_report(machine, "DetermineCollisions", interval=False)
    assert report.totals.cycles == sum(row.cycles for row in report.breakdown.listing) == measured.cycles
    assert report.totals.instructions == measured.instructions
    assert {line.file for line in report.breakdown.lines} == {"sectors.c", "memory.c"}
    assert report.caches["unified"].accesses is None and machine.hash("machine") == before


def test_misses_are_sectors_that_come() -> None:
    """An empty cache: a check reads what it touches, and the second time nothing; dirty bits are no misses."""
    machine = open_machine(NAME, engine="interpret", parameters={"objects": 20})
    machine.run(frames=1)
    machine.core.state["tag"] = 0
    for name in (*machine.core.cpu.caches["unified"].shortcuts, "sector"):
        machine.core.state[name] = 0
    given = {"warm": 0, "interval": False}
    cold = cost_report(machine, "DetermineCollisions", **given).caches["unified"].misses
    machine.measure("DetermineCollisions", warm=0)
    assert 0 < cold < 200
    tags = machine.core.state["tag"].copy()
    machine.core.state["tag"] &= ~tags.dtype.type(STATUS_BITS)
    machine.run(frames=1)
    assert cost_report(machine, "DetermineCollisions", **given).caches["unified"].misses < cold / 4


def test_the_column_of_1994() -> None:
    table = timing_table(
        [NAME], builds=["O1", "O2"], objects=[0, 100], seconds=0.005, engine="interpret", interval=False
    )
    cells = [(row.build, row.objects) for row in table.rows]
    assert cells == [(build, count) for build in ("O1", "O2") for count in (0, 100)]
    for row in table.rows:
        assert row.printed_per_second == PRINTED[NAME][row.objects]
        assert row.ratio == pytest.approx(row.cycles / (80_000_000 / row.printed_per_second))
        assert 1 < row.cycles_per_instruction < 2
    check_page(to_json(table)["rows"])
