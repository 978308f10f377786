"""Saved states: invisible to the program, and portable between engines.

Handed from engine to engine by default with half of all timings of a machine, with --full with every one.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest

from retrosim.machine import Machine, open_machine
from tests.helpers.amount import FULL, usually
from tests.helpers.machine import programs, wild
from tests.helpers.machine.programs import ENGINES, MACHINES, TIMINGS

PARAMETERS = {"objects": 15, "seed": 3}
HANDED_ON = 800 if FULL else 400  # instructions, in pieces on one engine after the other
KINDS = [(name, timing) for name in MACHINES for timing in TIMINGS]
SOME_OF_THE_ROM = (("mc68000-8", "table"), ("mc68040-25", "off"), ("mc68040-25", "full"))
SOME_WILD = (("mc68000-8", "off"), ("mc68040-25", "table"), ("mc68040-25", "full"))


def opened(**options) -> Machine:
    return open_machine("mc68040-25", **{"parameters": PARAMETERS} | options)


def everything(machine: Machine) -> tuple:
    return (
        dict(machine.regs),
        programs.content(machine),
        machine.cycles,
        machine.instructions,
        machine.frame_number,
        machine.frame_cycles,
        machine.frame_instructions,
        machine.ticks,
        machine.parameters,
        machine.hash("world") if machine.rom else None,
    )


@pytest.mark.first_case
@pytest.mark.parametrize("timing", ["off", "full"])
@pytest.mark.parametrize("before", [0, 30_011, 250_000])
def test_save_and_load_are_invisible(timing: str, before: int) -> None:
    """A run of n is a run of k, a state taken over by a fresh machine, and a run of n - k; k inside frames too."""
    whole, first, second = opened(timing=timing), opened(timing=timing), opened(timing=timing, parameters={"seed": 9})
    for each in (whole, first):
        each.set_input("pad", 5)
        each.run(instructions=before)
    state = first.save()
    second.run(instructions=777)
    second.load(state)
    assert everything(second) == everything(first)
    assert second.save() == state
    for each in (whole, second):
        each.run(instructions=60_000)
    assert everything(second) == everything(whole)


def test_load_goes_back_in_time() -> None:
    ours = opened()
    ours.run(frames=2)
    state, then = ours.save(), everything(ours)
    ours.run(frames=3)
    ours.load(state)
    assert everything(ours) == then
    ours.run(frames=3)
    again = everything(ours)
    ours.load(state)
    ours.run(frames=3)
    assert everything(ours) == again


def test_states_move_between_engines() -> None:
    code = "7000 5280 a000 a001 60f8"
    machines = [programs.machine(code, engine=engine) for engine in ENGINES]
    for source, target in itertools.pairwise([*machines, *machines[::-1]]):
        source.run(instructions=333)
        target.load(source.save())
        assert everything(target) == everything(source)
    state = machines[0].save()
    for each in machines:
        each.load(state)
        each.run(instructions=100)
        assert everything(each) == everything(machines[0])


def test_code_in_memory_belongs_to_the_state() -> None:
    """A program that was changed after the state was saved is the old one again when it is loaded."""
    for engine in ENGINES:
        ours = programs.machine("5280 60fc", engine=engine)
        ours.run(instructions=10)
        state = ours.save()
        ours.write(0x1000, bytes.fromhex("5480"))
        ours.run(instructions=10)
        assert ours.regs["d0"] == 15
        ours.load(state)
        ours.run(instructions=10)
        assert ours.regs["d0"] == 10


def test_an_ended_machine_stays_ended() -> None:
    ours, other = (programs.machine("7003 a002 60fe") for _ in range(2))
    ours.run(instructions=10)
    other.load(ours.save())
    assert other.exit_status == 3 and other.run(frames=1).reason == "exit"


def test_the_last_bytes_of_memory_belong_to_the_state() -> None:
    """move.l #$11223344,$fffffe; move.l $fffffe,d0: what lies across the end of memory is kept too."""
    code = "23fc 1122 3344 00ff fffe 2039 00ff fffe 60fe"
    ours, other = programs.machine(code), programs.machine(code)
    ours.run(instructions=1)
    other.load(ours.save())
    for each in (ours, other):
        each.run(instructions=1)
    assert other.regs["d0"] == ours.regs["d0"] == 0x11223344


@pytest.mark.parametrize("pending", [False, True])
def test_ticks_belong_to_the_state(pending: bool) -> None:
    """A program that counts timer interrupts; with its mask up one is still due when the state is saved.

    move #$2700 or #$2000,sr; addq.l #1,d0; bra to it; the handler: addq.l #1,d7; rte
    """

    def counting() -> Machine:
        ours = programs.machine("46fc 2000 5280 60fc", engine="interpret", timing="table")
        ours.write(0x64, (0x1100).to_bytes(4, "big"))
        ours.write(0x1100, bytes.fromhex("5287 4e73"))
        return ours

    first, fresh, later = counting(), counting(), counting()
    first.run(cycles=3 * 415_647 + 1000)
    assert first.regs["d7"] == 3
    if pending:
        first.regs["sr"] = 0x2700
        first.run(cycles=415_647)
        first.regs["sr"] = 0x2000
    state = first.save()
    later.run(cycles=7 * 415_647)
    for each in (fresh, later):
        each.load(state)
    for _ in range(3):
        for each in (first, fresh, later):
            each.run(cycles=300_000)
        assert everything(first) == everything(fresh) == everything(later)
    assert first.regs["d7"] == (6 if pending else 5)


def pieces(r: random.Random, total: int, maximum: int) -> Iterator[int]:
    """Yield random numbers of instructions that add up to a total."""
    while total:
        piece = min(r.choice((1, r.randrange(1, maximum), r.randrange(1, maximum))), total)
        yield piece
        total -= piece


@pytest.mark.first_case
@pytest.mark.parametrize(("name", "timing"), usually(SOME_OF_THE_ROM, KINDS))
def test_states_are_taken_at_random_points_across_engines(name: str, timing: str) -> None:
    """The ROM, handed from engine to engine inside frames and slices: in the end as if one engine had run it all."""
    r = random.Random(f"{name} {timing}")
    engines = [open_machine(name, engine=e, timing=timing, parameters=PARAMETERS) for e in ENGINES]
    whole = open_machine(name, engine="interpret", timing=timing, parameters=PARAMETERS)
    whole.run(instructions=r.randrange(5_000, 20_000))
    state = whole.save()
    whole.run(instructions=HANDED_ON)
    for piece in pieces(r, HANDED_ON, 150):
        ours = r.choice(engines)
        ours.load(state)
        assert ours.run(instructions=piece).instructions == piece
        state = ours.save()
    assert everything(ours) == everything(whole)
    assert not wild.differences(ours.core, whole.core)


@pytest.mark.first_case
@pytest.mark.parametrize(("name", "timing"), usually(SOME_WILD, KINDS))
def test_wild_programs_are_taken_over_at_random_points(name: str, timing: str) -> None:
    """Traced, stopped, faulted, with odd stacks and code just written: whatever a program has come to is kept."""
    r, maker = random.Random(f"{name} {timing}"), wild.wilderness(name)
    machines = [
        programs.complete(name, maker.program(0).image, engine=e, timing=timing) for e in ("interpret", *ENGINES)
    ]
    for number in r.sample(range(10_000), 3 if FULL else 2):
        program = maker.program(number)
        for each in machines:
            wild.start(each, program)
        whole, *engines = machines
        state = whole.save()
        whole.run(instructions=120, cycles=wild.MAX_CLOCKS)
        for piece in pieces(r, 120, 60):
            ours = r.choice(engines)
            ours.load(state)
            result = ours.run(instructions=piece, cycles=wild.MAX_CLOCKS - ours.cycles)
            state = ours.save()
            if result.fault:
                break
        ours.core.sync_mirrors()  # which a run does that begins: the last one may have found the machine stopped
        assert not wild.differences(ours.core, whole.core), f"image {number}"
        assert everything(ours) == everything(whole), f"image {number}"


@pytest.mark.parametrize("copyback", usually((1,), (0, 1)))
def test_caches_belong_to_the_state(copyback: int) -> None:
    """Tags, dirty lines, counters and a bus that is still busy: each of them is there, and makes another state."""
    ours, other = (opened(memory_clocks={"copyback": copyback}) for _ in range(2))
    ours.run(instructions=30_000)
    state = ours.core.state
    while int(state["bus_free"]) <= ours.cycles:
        ours.run(instructions=1)
    assert state["dtag"].any() and state["itag"].any() and state["dirty"].any() == copyback and state["dcount"]
    saved, snapshot, unchanged = ours.save(), ours.snapshot(), ours.hash("machine")
    for name in ("dtag", "itag", "dirty", "dcount", "icount", "bus_free", "filling", "fetch_line"):
        before = state[name].copy()
        state[name].reshape(-1)[...] ^= 1
        assert ours.save() != saved and ours.hash("machine") != unchanged, name
        other.load(ours.save())
        assert (other.core.state[name] == state[name]).all(), name
        ours.restore(snapshot)
        assert (state[name] == before).all() and ours.save() == saved, name


@pytest.mark.parametrize("timing", TIMINGS)
@pytest.mark.parametrize("name", MACHINES)
def test_snapshots_at_random_points(name: str, timing: str) -> None:
    """Back to snapshots in any order, and on from there: always the same way."""
    r = random.Random(f"{name} {timing}")
    ours = open_machine(name, engine="interpret", timing=timing, parameters=PARAMETERS)
    taken = []
    for piece in pieces(r, 15_000, 6000):
        taken.append((ours.snapshot(), ours.save(), piece))
        ours.run(instructions=piece)
    taken.append((b"", ours.save(), 0))
    for number in r.sample(range(len(taken) - 1), min(6, len(taken) - 1)):
        snapshot, saved, piece = taken[number]
        ours.restore(snapshot)
        assert ours.save() == saved
        ours.run(instructions=piece)
        assert ours.save() == taken[number + 1][1]


@pytest.mark.parametrize("engine", ENGINES)
def test_how_the_last_run_ended_does_not_belong_to_the_state(engine: str) -> None:
    """A stopped machine's state, loaded into one that has just faulted, waits for its tick and goes on."""
    stopped, faulted = (programs.machine("4e72 2000 5280 60fc", engine=engine) for _ in range(2))
    for each in (stopped, faulted):
        each.write(0x64, (0x1100).to_bytes(4, "big"))
        each.write(0x1100, bytes.fromhex("5287 4e73"))
    stopped.run(instructions=1)
    faulted.regs["pc"] = 0x2000
    faulted.write(0x2000, bytes.fromhex("4afc"))
    assert faulted.run(instructions=1).reason == "fault"
    faulted.load(stopped.save())
    for each in (stopped, faulted):
        assert each.run(instructions=10, cycles=1_000_000).reason == "instructions"
    assert stopped.regs["d7"] == 1 and everything(stopped) == everything(faulted)


@pytest.mark.parametrize("engine", ENGINES)
def test_code_behind_the_end_of_memory_belongs_to_the_state(engine: str) -> None:
    """move.w #n,d0 in the last word, n at address 0; another state holds another n."""
    ours = programs.complete("mc68040-25", programs.image("4ef9 00ff fffe"), engine=engine)
    ours.write(0xFFFFFE, bytes.fromhex("303c"))
    ours.write(0, bytes.fromhex("0007 4ef9 00ff fffe"))
    seven, quick = ours.save(), ours.snapshot()
    ours.run(instructions=4)
    ours.write(0, bytes.fromhex("0009"))
    ours.run(instructions=2)
    assert ours.regs["d0"] == 9
    for back in (lambda: ours.load(seven), lambda: ours.restore(quick)):
        back()
        ours.run(instructions=2)
        assert ours.regs["d0"] == 7
        ours.write(0, bytes.fromhex("0009"))
