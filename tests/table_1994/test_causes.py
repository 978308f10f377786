"""Causes of the clocks of the 1994 experiments: sums to the last clock, by each engine, machine and memory."""

import csv
import io
import json

import pytest
from rich.console import Console

from retrosim.cost.counting import CauseCounter, causes_of, named
from retrosim.machine import Machine
from retrosim.machine.choices import CAUSES
from retrosim.machine.memory import RETURN_ADDRESS
from retrosim.machine.presets import preset
from retrosim.report.json import to_json
from retrosim.rom import load_rom
from retrosim.table_1994.causes import attribute_experiment, causes_table
from retrosim.table_1994.harness import CHECKS_PER_SCENE
from retrosim.table_1994.report import render_causes, render_timing, rows_csv
from retrosim.table_1994.timing import timing_table
from tests.helpers.experiments import run_experiment

MACHINE = "mc68040-25"
PPC = "ppc601-80"
MEANINGS = causes_of(MACHINE)
CLOCK_READS = CHECKS_PER_SCENE + 1  # of a scene, see roms/sectors/src/harness.c
CELLS = [
    (MACHINE, "O2", 0),
    (MACHINE, "O2", 100),
    (MACHINE, "period-68000", 50),
    (PPC, "O2", 0),
    (PPC, "period-divide", 50),
]


@pytest.fixture(scope="module")
def table():
    return causes_table([MACHINE], builds=["O2", "fast"], objects=[0, 200], seconds=0.02)


def text_of(renderable, width=80):
    out = io.StringIO()
    Console(file=out, width=width).print(renderable)
    return out.getvalue()


@pytest.mark.first_case
@pytest.mark.parametrize(("machine", "build", "objects"), CELLS)
def test_an_experiment_adds_up_to_its_clocks(machine, build, objects):
    rom = load_rom("sectors")
    found = attribute_experiment(machine, rom, build, objects, seconds=0.02)
    assert sum(found.causes.values()) == found.cycles > 0
    assert found.checks == CHECKS_PER_SCENE * found.scenes
    assert min(found.causes.values()) >= 0
    assert found.causes["services"] == CLOCK_READS * found.scenes * preset(machine).service_clocks
    plain = run_experiment(machine, rom, build, objects, seconds=0.02)
    assert found.cycles / found.checks == pytest.approx(plain.cycles_per_check, rel=0.04)


@pytest.mark.full
@pytest.mark.parametrize("engine", ["evaluate", "interpret"])
def test_a_routine_without_services_adds_up(engine):
    """The clocks of both engines, and those of `measure` under the full model."""
    cycles = {}
    for timing in (CAUSES, "full"):
        machine, first = (
            Machine(MACHINE, engine=each, timing=timing, parameters={"objects": 5}) for each in (engine, "interpret")
        )
        first.run(frames=1)
        machine.load(first.save())
        if timing == "full":
            cycles[timing] = machine.measure("DetermineCollisions", warm=0).cycles
            continue
        counter = CauseCounter(machine)
        machine.regs["a7"] -= 4
        machine.write(machine.regs["a7"], RETURN_ADDRESS.to_bytes(4, "big"))
        machine.regs["pc"] = machine.address("DetermineCollisions")
        machine._wait_until(machine.cycles)
        cycles[timing] = machine.run(until=RETURN_ADDRESS).cycles
        causes = named(MACHINE, counter.take())
        assert sum(causes.values()) == cycles[timing]
        assert (causes["services"], causes["refill"]) == (0, 2)
        assert all(causes[name] > 0 for name in ("execute", "addresses", "registers", "branches"))
    assert cycles[CAUSES] == cycles["full"]


def test_the_mode_takes_the_same_clocks_and_gives_the_same_machine():
    ends = []
    for timing in (CAUSES, "full"):
        machine = Machine(MACHINE, build="O1", timing=timing, parameters={"objects": 40})
        machine.run(frames=2)
        ends.append((machine.cycles, machine.frame_cycles, machine.hash("machine")))
    assert ends[0] == ends[1]


def test_table_is_plain_json_and_adds_up(table):
    plain = to_json(table)
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert [(row.build, row.objects) for row in table.rows] == [
        (build, objects) for build in ("O2", "fast") for objects in (0, 200)
    ]
    for row in table.rows:
        assert sum(row.causes.values()) == row.cycles == pytest.approx(row.cycles_per_check * row.checks)
        assert row.ratio == row.cycles_per_check / row.printed_cycles
        assert row.causes.keys() == MEANINGS.keys()
    assert plain["method"]["memory_changed"] == {MACHINE: {}}
    assert table.causes == {MACHINE: MEANINGS}


def test_machines_side_by_side():
    """Each has its own causes, legend and columns."""
    both = causes_table([MACHINE, PPC], builds=["O2"], objects=[0], seconds=0.005, engine="interpret")
    text = text_of(render_causes(both))
    for row, machine in zip(both.rows, (MACHINE, PPC), strict=True):
        assert row.causes.keys() == causes_of(machine).keys() == both.causes[machine].keys()
        assert sum(row.causes.values()) == row.cycles
    assert "mispredicted" in text and "registers" in text
    found = list(csv.DictReader(io.StringIO(rows_csv(both))))
    assert (found[0]["mispredicted"], found[1]["registers"]) == ("", "")


def test_text_and_csv(table):
    text = text_of(render_causes(table))
    assert max(map(len, text.splitlines())) <= 80 and "…" not in text
    row = table.rows[0]
    rows = [line.split() for line in text.splitlines()]
    each, share = row.causes["execute"] / row.checks, 100 * row.causes["execute"] / row.cycles
    assert ["execute", f"{each:.0f}", f"{share:.1f}"] in [cells[:3] for cells in rows]
    assert ["ours/1994", f"{row.ratio:.3f}", f"{table.rows[1].ratio:.3f}"] in rows
    found = list(csv.DictReader(io.StringIO(rows_csv(table))))
    assert [int(each["cycles"]) for each in found] == [sum(int(each[name]) for name in MEANINGS) for each in found]


def test_memory_of_our_own():
    """A store that goes to the bus waits more than one that a line takes up; slow lines cost reads and code."""
    rom = load_rom("sectors")
    usual, through, slow = (
        attribute_experiment(MACHINE, rom, "O0", 200, seconds=0.02, memory=memory)
        for memory in (None, {"copyback": 0}, {"first_read": 10, "line_read": 22})
    )
    assert through.causes["stores"] > 2 * usual.causes["stores"]
    assert slow.cycles >= usual.cycles and usual.causes["execute"] == slow.causes["execute"]
    for found in (through, slow):
        assert sum(found.causes.values()) == found.cycles


def test_the_timing_table_says_which_memory_it_used():
    options = {"builds": ["O0"], "objects": [50], "seconds": 0.01, "details": False, "interval": False}
    changed = timing_table([MACHINE], memory={"copyback": 0, "write": 4}, **options)
    used = {name: each.value for name, each in preset(MACHINE).memory.items()}
    assert changed.method.clocks.memory == {MACHINE: used | {"copyback": 0}}
    assert changed.method.clocks.memory_changed == {MACHINE: {"copyback": 0}}
    assert "Memory changed: copyback 0 (preset 1)" in text_of(render_timing(changed))
    plain = timing_table([MACHINE], **options)
    assert "Memory changed" not in text_of(render_timing(plain))
    assert changed.rows[0].cycles > plain.rows[0].cycles


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"machines": ["mc68000-8"]}, "no pipeline whose clocks have causes; allowed mc68040-25, ppc601-80"),
        ({"builds": ["O9"]}, "build 'O9': allowed O0,"),
        ({"objects": [201]}, r"objects 201: allowed 0\.\.200"),
        ({"seconds": 0}, "seconds 0: allowed above 0"),
        ({"memory": {"copyback": 2}}, r"copyback 2: allowed 0\.\.1"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(ValueError, match=message):
        causes_table(**({"builds": ["O2"], "objects": [1]} | options))
