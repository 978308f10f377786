"""Profiles of whole programs: exact counts in the engines."""

from __future__ import annotations

import pytest

from retrosim.asm import assemble
from retrosim.cost.counting import CompiledCounter, Counted, SteppingCounter
from retrosim.cost.report import profile_report
from retrosim.machine import Machine
from retrosim.report.json import to_json
from tests.helpers.amount import FULL
from tests.helpers.counted import by_address
from tests.helpers.machine import programs
from tests.helpers.machine.flat import FLAT_MACHINES
from tests.machine.test_ppc601 import COUNT as COUNTING
from tests.machine.test_ppc601 import ENABLE, EXTERNAL, HANDLER

COUNT = 2500  # instructions, from the end of a frame on


def stepped_through(machine: Machine, instructions: int) -> Counted:
    counter = SteppingCounter(machine)
    counter.run(instructions)
    return counter.counted()


def reported(machine: Machine, counter: CompiledCounter) -> dict:
    """Return what `retrosim run --profile --json` prints of a profile."""
    return to_json(profile_report(machine, counter.counted()))


def opened(name: str, engine: str, objects: int = 1) -> Machine:
    machine = Machine(name, "sectors", engine=engine, parameters={"objects": objects})
    machine.run(until="YieldFrame")
    return machine


@pytest.mark.full
@pytest.mark.parametrize("name", FLAT_MACHINES if FULL else ("mc68040-25",))
def test_counts_are_those_of_single_steps(name) -> None:
    """The same instructions, clocks and calls as an evaluator that is looked at after each instruction."""
    machine = opened(name, "interpret")
    stepped = Machine(name, "sectors", engine="evaluate", parameters={"objects": 1})
    stepped.load(machine.save())
    begun = stepped.cycles
    by_steps = stepped_through(stepped, COUNT)
    counter = CompiledCounter(machine)
    machine.run(instructions=COUNT)
    counted = counter.counted()
    report = to_json(profile_report(machine, counted))
    assert machine.hash("machine") == stepped.hash("machine") and report["totals"]["frames"]
    slow, fast = by_address(by_steps), by_address(counted)
    differing = {address for address in slow if slow[address] != fast.get(address)}
    (trap,) = differing  # whose wait for the next frame compiled code leaves out
    assert slow[trap][1] - fast[trap][1] == report["totals"]["waited"] and fast.keys() == slow.keys()
    assert (by_steps.instructions, by_steps.cycles) == (COUNT, counted.cycles + counted.waited)
    assert {row["address"]: (row["visits"], row["cycles"]) for row in report["listing"]} == fast
    assert report["totals"]["cycles"] == machine.cycles - begun - report["totals"]["waited"]
    assert report["totals"]["instructions"] == COUNT == sum(row["visits"] for row in report["listing"])

    root = report["calls"][0]
    assert (root["inclusive_cycles"], root["inclusive_instructions"]) == (report["totals"]["cycles"], COUNT)
    names = by_steps.tree.functions.names
    nodes = {(names[node.function], node.site, node.depth, node.own[1]) for node in by_steps.tree.nodes()}
    keys = ("function", "site", "depth", "instructions")
    assert nodes == {tuple(row[key] for key in keys) for row in report["calls"]}


BUSY = """
_start: move.l  #60,d7
.next:  move.l  d7,d0
        bsr.s   halve
        bsr.s   store
        dbra    d7,.next
.wait:  bra.s   .wait
halve:  mulu    d7,d0           ; clocks by the bits of d7
        lsr.l   d7,d0
        beq.s   .end
        divu    #7,d0
.end:   rts
store:  move.w  d0,(.here+2)    ; changes what comes next: the run leaves the region in the middle of a block
        addq.w  #1,d1
.here:  move.w  #0,d2
        cmp.w   d2,d0
        bne.s   .end
        movem.l d0-d7,-(sp)
        lea     (32,sp),sp
.end:   rts
"""


def test_regions_count_as_the_interpreter_does() -> None:
    """Clocks that depend on data, ways out of blocks, calls, code that changes, and budgets that end anywhere."""
    made = assemble(BUSY, "m68000", origin=programs.ENTRY)
    symbols = {name: made.symbols[name] for name in ("halve", "store")}
    reports, counted = [], []
    for engine in programs.COMPILED:
        machine = programs.machine(made.code.hex(), name="mc68000-8", engine=engine, **symbols)
        counter = CompiledCounter(machine)
        for budget in (1, 7, 50, 300, 5):
            machine.run(instructions=budget)
        counted.append(int(machine._engine._interpreter._profile.region_counts.sum()))
        reports.append(reported(machine, counter) | {"hash": machine.hash("machine")})
    assert reports[0] == reports[1] and reports[0]["totals"]["instructions"] == 363
    assert counted[0] == 0 and counted[1] > 50


def test_it_ends_and_leaves_nothing_behind() -> None:
    plain, machine = opened("mc68040-25", "interpret", 3), opened("mc68040-25", "interpret", 3)
    first = CompiledCounter(machine)
    machine.run(frames=1)
    once = reported(machine, first)
    second = CompiledCounter(machine)
    machine.run(frames=2)
    again = reported(machine, second)
    machine.run(frames=1)
    plain.run(frames=4)
    assert plain.hash("machine") == machine.hash("machine")
    assert (once["totals"]["frames"], again["totals"]["frames"]) == (1, 2)
    assert machine.instructions - plain.instructions == 0
    assert sum(row["cycles"] for row in again["listing"]) <= again["totals"]["cycles"]


def test_an_interrupt_is_a_call_from_where_it_struck() -> None:
    """Counts in a loop with interrupts allowed; the handler adds 1 to r5 and returns."""
    machine = programs.machine(f"{ENABLE} {COUNTING}", name="ppc601-80", engine="interpret", timing="table")
    machine.write(EXTERNAL, bytes.fromhex(HANDLER))
    machine.run(instructions=100)
    machine._wait_until(machine._next_tick - 40)
    counter = CompiledCounter(machine)
    machine.run(instructions=200)
    report = reported(machine, counter)
    assert machine.regs["r5"] == 1
    (handler,) = (row for row in report["calls"] if row["function"] == f"{EXTERNAL:06X}")
    assert (handler["depth"], handler["calls"], handler["instructions"]) == (1, 1, 2)
    assert report["calls"][0]["instructions"] == 198
    assert sum(row["cycles"] for row in report["calls"]) == report["totals"]["cycles"]


def test_causes_of_the_clocks_add_up() -> None:
    machine = Machine("mc68040-25", "sectors", engine="interpret", timing="causes", parameters={"objects": 1})
    counter = CompiledCounter(machine)
    machine.run(frames=1)
    totals = reported(machine, counter)["totals"]
    assert sum(totals["causes"].values()) == totals["cycles"] and totals["causes"]["execute"] > 0


def test_refusals() -> None:
    with pytest.raises(ValueError, match="engine 'evaluate': has no profile"):
        CompiledCounter(Machine("mc68040-25", "sectors", engine="evaluate"))
    with pytest.raises(ValueError, match="timing 'off'"):
        CompiledCounter(Machine("mc68040-25", "sectors", engine="evaluate", timing="off"))
