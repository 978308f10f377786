"""What a routine costs: equal totals of both runs, clocks derived by hand from the manuals, caches, errors."""

import csv
import io
import json

import pytest

from retrosim.cost.cost import cost_report, find_routine, only_routine
from retrosim.cost.counting import causes_of
from retrosim.cost.text import listing_csv
from retrosim.cpu.ppc.mpc601_cache import STATUS_BITS
from retrosim.errors import CpuFault, RetrosimError
from retrosim.machine import Machine, open_machine
from retrosim.report.json import to_json
from retrosim.rom import load_elf
from tests.helpers.amount import usually
from tests.helpers.machine.programs import machine as small_machine
from tests.helpers.study.cost_programs import ADDRESS, ENDLESS, SUM, SUM_PPC, write_elf

PPC601 = "ppc601-80"
EM_PPC = 20
# M68000UM tables 8-3 to 8-12: clocks alone, for n = 5
SUM_CLOCKS = {
    0x2000: ("202f 0004", 1, 16, 16),  # MOVE.L (d16,An),Dn
    0x2004: ("7200", 1, 4, 4),  # MOVEQ
    0x2006: ("d280", 5, 5 * 8, 8),  # ADD.L Dn,Dn
    0x2008: ("5380", 5, 5 * 8, 8),  # SUBQ.L #n,Dn
    0x200A: ("66fa", 5, 4 * 10 + 8, 48 / 5),  # Bcc.B: 10 taken, 8 not
    0x200C: ("2001", 1, 4, 4),  # MOVE.L Dn,Dn
    0x200E: ("4e75", 1, 16, 16),  # RTS
}


def opened(path, name="mc68000-8", **options) -> Machine:
    isa = "m68000" if name.startswith("mc68000") else "m68040"
    return Machine(name, load_elf(path, isa), engine="evaluate", **options)


def sectors(name: str, build: str, timing: str) -> Machine:
    machine = Machine(name, "sectors", build=build, timing=timing, parameters={"objects": 5})
    machine.run(frames=1)
    return machine


def costs(machine, *call, **options) -> dict:
    """Return what `retrosim cost --json` prints of a call."""
    return to_json(cost_report(machine, *call, **options))


def row_at(report, address):
    (row,) = (row for row in report["listing"] if row["address"] == address)
    return row


def test_a_loop_on_the_68000_by_hand(tmp_path):
    report = costs(opened(write_elf(tmp_path / "sum.elf", SUM, sum=ADDRESS)), "sum", 5)
    total = sum(cycles for _, _, cycles, _ in SUM_CLOCKS.values())
    assert total == 168
    assert report["totals"] == {
        "cycles": 168,
        "low": 168,
        "high": 168,
        "instructions": 19,
        "cycles_per_instruction": 168 / 19,
        "microseconds": 21.0,
        "result": 15,
        "result_signed": 15,
        "has_result": True,
        "causes": None,
    }
    found = {r["address"]: (r["code"], r["visits"], r["cycles"], r["base"]) for r in report["listing"]}
    assert found == SUM_CLOCKS
    branch = row_at(report, 0x200A)
    assert (branch["average"], branch["stalls"]) == (9.6, 0)
    assert (
        row_at(report, 0x2000)["entry"] == "MOVE.L (d16,An),Dn"
        and branch["source"] == "M68000UM table 8-9; SingleStepTests/m68000"
    )
    assert report["functions"] == [
        {"function": "sum", "cycles": 168, "percent": 100.0, "instructions": 19, "visits": 1}
        | {"inclusive": 168, "inclusive_percent": 100.0}
    ]
    assert (report["lines"], report["caches"]) == ([], None)


def test_clocks_that_depend_on_data_are_beyond_the_base():
    """MULU: 38 and 2 for each one of the multiplier, M68000UM table 8-4; here 8 ones."""
    report = costs(small_machine("C0FC 00FF 4E75", name="mc68000-8", isa="m68000"), "_start")
    row = row_at(report, 0x1000)
    assert (row["base"], row["cycles"], row["stalls"]) == (42, 58, 16)  # 4 for the immediate word


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("name", "build", "timing"),
    [
        ("mc68000-8", "O2", "full"),
        *(("mc68040-25", "O1", timing) for timing in usually(("table", "causes"), ("full", "table", "causes"))),
        ("ppc601-80", "O1", "causes"),
    ],
)
def test_everything_adds_up_to_what_measure_says(name, build, timing):
    machine = sectors(name, build, timing)
    before = machine.hash("machine")
    report = costs(machine, "DetermineCollisions")
    assert machine.hash("machine") == before
    measured = machine.measure("DetermineCollisions")
    totals = report["totals"]
    assert (totals["cycles"], totals["instructions"]) == (measured.cycles, measured.instructions)
    assert totals["result"] == measured.result
    assert totals["microseconds"] == measured.cycles * 1_000_000 / machine.clock_hz
    for group in ("listing", "functions", "lines"):
        assert sum(row["cycles"] for row in report[group]) == measured.cycles, group
        instructions = sum(row["visits" if group == "listing" else "instructions"] for row in report[group])
        assert instructions == measured.instructions, group
    for group in ("functions", "lines"):
        cycles = [row["cycles"] for row in report[group]]
        assert cycles == sorted(cycles, reverse=True)
        assert sum(row["percent"] for row in report[group]) == pytest.approx(100)
    assert {row["function"]: row["visits"] for row in report["functions"]}["DetermineCollisions"] == 1
    assert all(row["average"] == pytest.approx(row["base"] + row["stalls"]) for row in report["listing"])
    assert any(row["file"].endswith("sectors.c") for row in report["lines"] if row["file"])
    assert (totals["causes"] is None) == (timing != "causes")
    if timing == "causes":
        assert report["timing"] == "full" and sum(totals["causes"].values()) == measured.cycles
        for row in report["listing"]:
            assert sum(row["causes"].values()) == row["cycles"] and min(row["causes"].values()) >= 0
        for name, clocks in totals["causes"].items():
            assert sum(row["causes"][name] for row in report["listing"]) == clocks
        listing = listing_csv(cost_report(machine, "DetermineCollisions", interval=False))
        header, *lines = csv.reader(io.StringIO(listing))
        assert {*causes_of(machine.name)} <= set(header) and "causes" not in header
        assert len(lines) == len(report["listing"])
    if timing == "table" or name == "mc68000-8":
        assert report["caches"] is None


@pytest.mark.full
def test_with_table_clocks_nothing_stalls():
    """The bases, found from the flow of each branch, are then all there is."""
    report = costs(sectors("mc68040-25", "O1", "table"), "DetermineCollisions")
    assert max(abs(row["stalls"]) for row in report["listing"]) < 1e-9
    entries = {row["entry"] for row in report["listing"]}
    assert {"RTS", "Bcc taken / Bcc not taken"} <= entries


def test_cache_accesses_and_misses_of_known_code():
    """lea $3000.w,a0 / tst.l (a0) / tst.l 16(a0) / both again / rts: two data lines, the stack's, two of code."""
    code = "41F8 3000 4A90 4AA8 0010 4A90 4AA8 0010 4E75"
    report = costs(small_machine(code), "_start", warm=0)
    assert report["caches"] == {
        "data": {"accesses": 5, "hits": 2, "misses": 3},
        "instruction": {"accesses": 2, "hits": 0, "misses": 2},
    }
    misses = [(row["data_misses"], row["instruction_misses"]) for row in report["listing"]]
    assert misses == [(0, 1), (1, 0), (1, 0), (0, 0), (0, 0), (1, 1)]
    warm = costs(small_machine(code), "_start")
    assert warm["warm"] == 1 and warm["totals"]["cycles"] < report["totals"]["cycles"]
    assert [cache["misses"] for cache in warm["caches"].values()] == [0, 0]


def test_hits_are_unknown_where_stores_do_not_allocate():
    machine = small_machine("42B8 3000 4AB8 3000 4E75")  # clr.l $3000.w / tst.l $3000.w / rts
    assert costs(machine, "_start", warm=0)["caches"]["data"] == {"accesses": 3, "hits": 1, "misses": 2}
    image = machine.image
    through = Machine("mc68040-25", image, engine="evaluate", memory_clocks={"copyback": 0})
    assert costs(through, "_start", warm=0)["caches"]["data"] == {"accesses": 3, "hits": None, "misses": 2}


@pytest.mark.parametrize("engine", ["evaluate", "interpret"])
def test_code_that_rewrites_itself_has_two_rows(engine):
    """moveq #0,d1 / here: moveq #1,d0 / move.w #$7002,here / addq.w #1,d1 / cmpi.w #2,d1 / bne.s here / rts"""
    code = "7200 7001 33FC 7002 0000 1002 5241 0C41 0002 66EE 4E75"
    report = costs(small_machine(code, engine=engine), "_start")
    assert report["totals"]["result"] == 2
    rows = [(row["code"], row["visits"]) for row in report["listing"] if row["address"] == 0x1002]
    assert rows == [("7001", 1), ("7002", 1)]
    assert sum(row["cycles"] for row in report["listing"]) == report["totals"]["cycles"]


def test_services_count_for_the_instruction_that_asks():
    report = costs(small_machine("A001 4E75", name="mc68000-8", isa="m68000", service_clocks=1000), "_start")
    assert row_at(report, 0x1000)["cycles"] == 1034 and report["totals"]["cycles"] == 1050


def test_arguments_are_words_of_32_bits(tmp_path):
    """move.l 8(sp),d0 / rts returns the second of them."""
    machine = opened(write_elf(tmp_path / "second.elf", "202F 0008 4E75", second=ADDRESS))
    report = costs(machine, "second", 7, -2)
    assert report["arguments"] == [7, 0xFFFFFFFE] and report["totals"]["result"] == 0xFFFFFFFE


@pytest.mark.parametrize(("code", "error"), [(ENDLESS, RetrosimError), ("4AFC", CpuFault)])
def test_a_routine_that_does_not_return(tmp_path, code, error):
    machine = opened(write_elf(tmp_path / "bad.elf", code, bad=ADDRESS))
    before = machine.hash("machine")
    with pytest.raises(error) as caught:
        costs(machine, "bad", max_instructions=1000)
    assert "\n" not in str(caught.value)
    if code == ENDLESS:
        assert str(caught.value).startswith("bad did not return within 1000 instructions")
    assert machine.hash("machine") == before


def test_what_can_be_measured(tmp_path):
    path = write_elf(tmp_path / "sum.elf", SUM, sum_up=ADDRESS, odd=ADDRESS + 1, data_there=ADDRESS)
    image = load_elf(path)
    assert find_routine(image, "sum_up") == find_routine(image, ADDRESS) == ADDRESS
    with pytest.raises(ValueError, match="'sum_op': not in the image; did you mean sum_up"):
        find_routine(image, "sum_op")
    with pytest.raises(ValueError, match="'data_there': is data"):
        find_routine(image, "data_there")
    for place in ("odd", ADDRESS + 1, ADDRESS + 0x1000):
        with pytest.raises(ValueError, match="allowed an even address in the image"):
            find_routine(image, place)
    with pytest.raises(ValueError, match="timing 'off': allowed table, full"):
        costs(opened(path, timing="off"), "sum_up", 1)
    stripped = opened(write_elf(tmp_path / "stripped.elf", SUM))
    report = costs(stripped, ADDRESS, 5)
    assert report["entry"] == {"symbol": None, "address": ADDRESS} and report["functions"][0]["function"] is None
    with pytest.raises(ValueError, match="not in the image; it has none"):
        find_routine(stripped.image, "sum")
    with pytest.raises(ValueError, match="names no routine"):
        only_routine(stripped)
    assert only_routine(opened(write_elf(tmp_path / "one.elf", SUM, sum=ADDRESS))) == "sum"


@pytest.mark.parametrize("address", [0x402, 0x2000, 0xFF000, 0x7FF000])
def test_the_stack_lies_apart_from_the_program(tmp_path, address):
    """move.l sp,d0 / rts, and 4 KiB in all: at 0xFF000 they fill the place where a stack usually begins."""
    code = "200F 4E75" + "00" * 0xFFC
    report = costs(opened(write_elf(tmp_path / "a.elf", code, address=address, where=address)), "where")
    pointer = report["totals"]["result"]
    assert pointer + 4 == {0xFF000: 0x800000}.get(address, 0x100000)
    assert report["totals"]["cycles"] == 4 + 16


def test_programs_that_leave_no_room(tmp_path):
    full = opened(write_elf(tmp_path / "full.elf", SUM + "00" * 0x3F0000, address=0xF0000, sum=0xF0000))
    full.image.bss.append((0x4E0010, 0x31FFF0))
    full.image.bss.append((0x2000, 0xEE000))
    with pytest.raises(RetrosimError, match="no 64 KiB of RAM free for a stack"):
        costs(full, "sum", 5)
    lowest = opened(write_elf(tmp_path / "low.elf", SUM, address=0x400, sum=0x400))
    assert costs(lowest, "sum", 5)["totals"]["cycles"] > 0


def test_csv_and_json_hold_the_listing(tmp_path):
    cost = cost_report(opened(write_elf(tmp_path / "sum.elf", SUM, sum=ADDRESS)), "sum", 5)
    rows, report = list(csv.DictReader(io.StringIO(listing_csv(cost)))), to_json(cost)
    assert [(int(r["address"], 16), r["code"], int(r["cycles"])) for r in rows] == [
        (address, code, cycles) for address, (code, _, cycles, _) in SUM_CLOCKS.items()
    ]
    assert [*rows[0], "causes"] == list(report["listing"][0])
    assert json.loads(json.dumps(report)) == report
    assert all(str(value).isascii() for value in rows[0].values())


def test_progress_is_told(tmp_path):
    steps = []
    machine = opened(write_elf(tmp_path / "sum.elf", SUM, sum=ADDRESS))
    costs(machine, "sum", 1700, progress=lambda *step: steps.append(step))
    assert steps[0] == (0, 2_000_000, "running the routine")
    assert steps[1:] == [(done, 5104, "attributing cycles") for done in (0, 5000)]


def test_a_loop_on_the_601_by_hand(tmp_path) -> None:
    """Clocks of the execute stage alone; a taken branch costs 2, one that falls through nothing."""
    image = load_elf(write_elf(tmp_path / "sum.elf", SUM_PPC, machine=EM_PPC, sum_up=ADDRESS))
    report = cost_report(Machine(PPC601, image, engine="evaluate", timing="table"), "sum_up", 5)
    found = [(row.text.split()[0], row.visits, row.cycles, row.explanation.base) for row in report.breakdown.listing]
    assert found == [
        *(("mtctr", 1, 1, 1), ("li", 1, 1, 1), ("add", 5, 5, 1), ("addi", 5, 5, 1), ("bdnz", 5, 8, 1.6)),
        *(("mr", 1, 1, 1), ("blr", 1, 2, 2)),
    ]
    assert (report.totals.result, report.totals.cycles, report.caches) == (15, 23, None)
    assert all(row.explanation.source and row.explanation.reference for row in report.breakdown.listing)


def test_the_pipeline_of_the_601_folds_branches(tmp_path) -> None:
    """The loop's two additions take a clock each; its branch none, once the code is in the cache."""
    image = load_elf(write_elf(tmp_path / "sum.elf", SUM_PPC, machine=EM_PPC, sum_up=ADDRESS))
    cycles = [Machine(PPC601, image, engine="evaluate").measure("sum_up", count).cycles for count in (100, 200)]
    assert cycles[1] - cycles[0] == 100 * 2


def test_the_shipped_routine_on_the_601() -> None:
    machine = open_machine(PPC601, engine="interpret", parameters={"objects": 20})
    machine.run(frames=1)
    measured, before = machine.measure("DetermineCollisions"), machine.hash("machine")
    report = cost_report(machine, "DetermineCollisions", interval=False)
    assert report.totals.cycles == sum(row.cycles for row in report.breakdown.listing) == measured.cycles
    assert report.totals.instructions == measured.instructions
    assert {line.file for line in report.breakdown.lines} == {"sectors.c", "memory.c"}
    assert report.caches["unified"].accesses is None and machine.hash("machine") == before


def test_misses_are_sectors_that_come() -> None:
    """An empty cache: a check reads what it touches, and the second time nothing; dirty bits are no misses."""
    machine = open_machine(PPC601, engine="interpret", parameters={"objects": 20})
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
