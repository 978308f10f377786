"""Labels inside a routine are no functions."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrosim.asm.project import load_for
from retrosim.cost.cost import cost_report, only_routine
from retrosim.cost.routines import routines
from retrosim.machine import Machine, open_machine

# `again` is run into, `test` jumped to from below and from above, `last` run into behind a branch; `low` is called, and
# runs into `tail`, to which `high` jumps; nothing that the text says leads to `handler`
LABELS = """
high:   moveq #3,d1
        bra.s test
again:  bsr.s low
test:   dbra d1,again
        beq.s last
        nop
last:   bra.s tail
low:    addq.l #1,d0
tail:   rts
handler: moveq #1,d2
        rts
"""


def opened(folder: Path, name: str, text: str) -> Machine:
    source = folder / "routine.s"
    source.write_text(text)
    machine = open_machine(name, load_for(source, name, name).program, engine="evaluate")
    assert isinstance(machine, Machine)
    return machine


@pytest.fixture
def labels(tmp_path: Path) -> Machine:
    return opened(tmp_path, "mc68000-8", LABELS)


def names(machine: Machine, *entries: str) -> list[str]:
    return [name for _, _, name in routines(machine, [machine.address(entry) for entry in entries]).ranges()]


def test_what_begins_a_routine(labels: Machine) -> None:
    assert names(labels) == ["high", "low", "handler"]
    assert names(labels, "test", "tail") == ["high", "test", "low", "tail", "handler"]


def test_reports_have_routines_only(labels: Machine) -> None:
    """But for the label that is called."""
    report = cost_report(labels, "high", interval=False, warm=0).breakdown
    assert {row.function for row in report.functions} == {"high", "low"}
    assert [(call.function, call.calls) for call in report.calls] == [("high", 1), ("low", 3), ("low", 1)]
    begun = cost_report(labels, "again", registers={"d1": 0}, interval=False, warm=0)
    assert {row.function for row in begun.breakdown.functions} == {"again", "low"}


def test_the_only_routine_may_have_labels(tmp_path: Path) -> None:
    loop = opened(tmp_path, "i486dx2-66", "clear: mov ecx,9\nagain: dec ecx\n jnz again\nleave_it: ret\n")
    assert only_routine(loop) == "clear"


@pytest.mark.parametrize(
    "name, code, has_result",
    [
        ("mc68000-8", "f: moveq #1,d0\n rts", True),
        ("mc68000-8", "f: move.l d0,-(sp)\n addq.l #4,sp\n rts", False),
        ("ppc601-80", " .globl f\nf: stw 3,0x3000(0)\n blr", False),
        ("ppc601-80", " .globl f\nf: addi 3,3,1\n blr", True),
        ("i486dx2-66", "f: mov al,1\n ret", True),
    ],
)
def test_a_routine_may_return_nothing(tmp_path: Path, name: str, code: str, has_result: bool) -> None:
    """If no instruction sets the register of a result, or a part of it."""
    report = cost_report(opened(tmp_path, name, f"{code}\n"), "f", interval=False, warm=0)
    assert report.totals.has_result == has_result
