"""How frames of small routines are unwound: where they begin, where registers are saved, before each instruction."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrosim.debug.unwind import PC, Unwinding, UnwindRow
from retrosim.serve.programs import FAMILIES
from tests.helpers.bounds.programs import opened


def rows_of(folder: Path, text: str, name: str = "mc68000-8") -> dict[int, UnwindRow]:
    """Return the rows of a routine by their distance from its beginning."""
    machine = opened(folder, text, name)
    family = FAMILIES[machine.image.family.machine]
    (routine,) = Unwinding(machine, list(family.registers), family.scratch).routines()
    assert routine.start == 0x2000
    return {row.address - routine.start: row for row in routine.rows}


def said(row: UnwindRow) -> tuple[str, int, dict[str, int]]:
    return row.base, row.offset, {name: at for name, at in row.slots.items() if name != PC}


def test_a_frame_with_saved_registers(tmp_path) -> None:
    """LINK saves a6 and keeps the frame's beginning in it; MOVEM saves below the variables."""
    rows = rows_of(tmp_path, "nop; link a6,#-8; movem.l d2-d3,-(sp); moveq #1,d2; movem.l (sp)+,d2-d3; unlk a6; rts")
    # addresses: nop 0, link 2, movem 6, moveq a, movem c, unlk 10, rts 12
    assert said(rows[0]) == ("a7", 4, {})
    assert said(rows[6]) in (("a7", 16, {"a6": -8}), ("a6", 8, {"a6": -8}))
    assert said(rows[10]) == ("a7", 24, {"a6": -8}), "d2 still holds what it did"
    assert said(rows[12]) == ("a7", 24, {"a6": -8, "d2": -24})
    assert said(rows[16]) == ("a7", 16, {"a6": -8}) and said(rows[18]) == ("a7", 4, {})


def test_a_stack_pointer_that_moves(tmp_path) -> None:
    rows = rows_of(tmp_path, "move.l d2,-(sp); moveq #1,d2; subq.l #4,sp; addq.l #4,sp; move.l (sp)+,d2; rts")
    assert [said(rows[at]) for at in (0, 2, 4, 6, 8, 10)] == [
        ("a7", 4, {}), ("a7", 8, {}), ("a7", 8, {"d2": -8}), ("a7", 12, {"d2": -8}), ("a7", 8, {"d2": -8}),
        ("a7", 4, {}),
    ]  # fmt: skip


def test_a_register_in_another_one(tmp_path) -> None:
    rows = rows_of(tmp_path, "move.l d2,a0; moveq #1,d2; move.l a0,d2; rts")
    assert rows[4].moved == {"d2": "a0"} and rows[0].moved == {}
    assert rows[max(rows)].moved == {}


def test_a_branch_and_a_call(tmp_path) -> None:
    """A routine that is called takes nothing from the stack; both ways of a branch are followed."""
    rows = rows_of(
        tmp_path, "move.l d2,-(sp); moveq #1,d2; tst.l d0; beq.s x; bsr.s f; nop; x: move.l (sp)+,d2; rts; f: rts"
    )
    for at in (4, 6, 8, 10, 12):
        row = rows[max(start for start in rows if start <= at)]
        assert said(row) == ("a7", 8, {"d2": -8}), at
    assert said(rows[14]) == ("a7", 4, {})


@pytest.mark.parametrize(
    ("name", "text", "places"),
    [
        ("i386dx-33", "push ebp; mov ebp,esp; push ebx; nop; pop ebx; pop ebp; ret",
         {0: ("esp", 4, {}), 1: ("esp", 8, {}), 3: ("esp", 8, {"ebp": -8}), 4: ("esp", 12, {"ebp": -8})}),
        ("ppc601-80", "stwu 1,-16(1); mflr 0; stw 0,20(1); lwz 0,20(1); mtlr 0; addi 1,1,16; blr",
         {0: ("r1", 0, {}), 4: ("r1", 16, {}), 12: ("r1", 16, {}), 24: ("r1", 0, {})}),
    ],
)  # fmt: skip
def test_other_processors(tmp_path, name: str, text: str, places: dict[int, tuple]) -> None:
    rows = rows_of(tmp_path, text, name)
    for at, (base, offset, slots) in places.items():
        row = rows[max(start for start in rows if start <= at)]
        assert (row.base, row.offset) == (base, offset) and slots.items() <= row.slots.items(), at
