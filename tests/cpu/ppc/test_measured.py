"""Loops that others timed on a 601, and what the full model says of them; misses are listed with a reason."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from retrosim.cpu import ppc
from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from tests.helpers.cpu.ppc_assembler import addi, bdnz, code, mtspr

CPU = ppc.cpu("MPC601")
AT = 0x10000


@dataclass(frozen=True)
class Row:
    """A measured row: clocks a pass, the range that counts as met, ours, and why it is missed if it is.

    decided   what of the model the row decided; "" if it was not used
    """

    name: str
    body: list[int]
    clocks: float
    ours: float
    source: str
    spread: float
    miss: str = ""
    decided: str = ""


ROWS = (
    Row(
        "8 x addi; bdnz",
        [addi(3, 3, 1)] * 8,
        8,
        8,
        "timing loop of the Power Macintosh ROM (Granny Smith)",
        0,
        decided="folding of branches",
    ),
    Row(
        "bdnz to itself",
        [],
        2.4,
        2,
        "BogoMips mini-HOWTO: 0.84 x MHz, of few machines",
        0.1,
        miss="the figure is weak: it holds a timer interrupt and depends on where the kernel put the loop",
    ),
)


def clocks_of(row: Row, choices: dict[str, str] | None = None) -> float:
    """Return the clocks of a pass, without start and end."""
    words, found = [mtspr(9, 31), *row.body, bdnz(-4 * len(row.body))], []
    for passes in (100, 200):
        core = Core(CPU.with_readings(choices), "full")
        core.state["limit"], core.state["pc"] = 1 << 62, AT
        core.state["r"][31] = passes
        core.write(AT, code(*words))
        Evaluator(core).run(10_000, {AT + 4 * len(words)})
        found.append(int(core.state["cycles"]))
    return (found[1] - found[0]) / 100


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_measured(row: Row) -> None:
    ours = clocks_of(row)
    assert ours == row.ours
    assert (abs(ours - row.clocks) <= row.spread) != bool(row.miss), f"{row.source}: {row.clocks}, ours {ours}"


@pytest.mark.full
def test_no_reading_changes_the_measured_loops() -> None:
    for reading in CPU.readings:
        for option in reading.options:
            assert [clocks_of(row, {reading.name: option}) for row in ROWS] == [row.ours for row in ROWS]
