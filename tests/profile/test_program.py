"""Profiles of whole programs: exact counts in the engines."""

from __future__ import annotations

import pytest

from retrosim.asm import assemble
from retrosim.cost.program import ProgramProfile
from retrosim.cost.stepping import step_through
from retrosim.machine import Machine
from tests.helpers.amount import FULL
from tests.helpers.machine import programs
from tests.helpers.machine.flat import FLAT_MACHINES
from tests.machine.test_ppc601 import COUNT as COUNTING
from tests.machine.test_ppc601 import ENABLE, EXTERNAL, HANDLER

COUNT = 2500  # instructions, from the end of a frame on


def opened(name: str, engine: str, objects: int = 1) -> Machine:
    machine = Machine(name, "sectors", engine=engine, parameters={"objects": objects})
    machine.run(until="YieldFrame")
    return machine


@pytest.mark.parametrize("name", FLAT_MACHINES if FULL else ("mc68040-25",))
def test_counts_are_those_of_single_steps(name) -> None:
    """The same instructions, clocks and calls as an evaluator that is looked at after each instruction."""
    machine = opened(name, "interpret")
    stepped = Machine(name, "sectors", engine="evaluate", parameters={"objects": 1})
    stepped.load(machine.save())
    begun, found = stepped.cycles, {}
    executed = step_through(stepped, COUNT, lambda *_: None)
    profile = ProgramProfile(machine)
    machine.run(instructions=COUNT)
    report = profile.report()
    assert machine.hash("machine") == stepped.hash("machine") and report["totals"]["frames"]
    for each in executed.executed:
        counts = found.setdefault(each.insn.pc, [0, 0])
        counts[0] += each.visits
        counts[1] += each.cycles
    rows = {row["address"]: [row["visits"], row["cycles"]] for row in report["listing"]}
    differing = {address for address in found if found[address] != rows.get(address)}
    (trap,) = differing  # whose wait for the next frame a profile leaves out
    assert found[trap][1] - rows[trap][1] == report["totals"]["waited"] and rows.keys() == found.keys()
    assert report["totals"]["cycles"] == machine.cycles - begun - report["totals"]["waited"]
    assert report["totals"]["instructions"] == COUNT == sum(row["visits"] for row in report["listing"])

    root = report["calls"][0]
    assert (root["inclusive_cycles"], root["inclusive_instructions"]) == (report["totals"]["cycles"], COUNT)
    names = executed.tree.functions.names
    nodes = {(names[node.function], node.site, node.depth, node.own[1]) for node in executed.tree.nodes()}
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
        profile = ProgramProfile(machine)
        for budget in (1, 7, 50, 300, 5):
            machine.run(instructions=budget)
        counted.append(int(machine._engine._interpreter._profile.region_counts.sum()))
        reports.append(profile.report() | {"hash": machine.hash("machine")})
    assert reports[0] == reports[1] and reports[0]["totals"]["instructions"] == 363
    assert counted[0] == 0 and counted[1] > 50


def test_it_ends_and_leaves_nothing_behind() -> None:
    plain, machine = opened("mc68040-25", "interpret", 3), opened("mc68040-25", "interpret", 3)
    first = ProgramProfile(machine)
    machine.run(frames=1)
    once = first.report()
    second = ProgramProfile(machine)
    machine.run(frames=2)
    again = second.report()
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
    profile = ProgramProfile(machine)
    machine.run(instructions=200)
    report = profile.report()
    assert machine.regs["r5"] == 1
    (handler,) = (row for row in report["calls"] if row["function"] == f"{EXTERNAL:06X}")
    assert (handler["depth"], handler["calls"], handler["instructions"]) == (1, 1, 2)
    assert report["calls"][0]["instructions"] == 198
    assert sum(row["cycles"] for row in report["calls"]) == report["totals"]["cycles"]


def test_causes_of_the_clocks_add_up() -> None:
    machine = Machine("mc68040-25", "sectors", engine="interpret", timing="causes", parameters={"objects": 1})
    profile = ProgramProfile(machine)
    machine.run(frames=1)
    totals = profile.report()["totals"]
    assert sum(totals["causes"].values()) == totals["cycles"] and totals["causes"]["execute"] > 0


def test_refusals() -> None:
    with pytest.raises(ValueError, match="engine 'evaluate': has no profile"):
        ProgramProfile(Machine("mc68040-25", "sectors", engine="evaluate"))
    with pytest.raises(ValueError, match="timing 'off'"):
        ProgramProfile(Machine("mc68040-25", "sectors", engine="evaluate", timing="off"))
